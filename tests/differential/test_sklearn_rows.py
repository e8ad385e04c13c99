"""Live agreement with scikit-learn on clicks and probabilities, to 1e-12.

Where the conventions differ:

- ``roc_auc_score`` and ``average_precision_score`` of one class are NaN or 0 there, with a warning; here
  AUC is undefined without both classes, ``pr_auc`` without a positive.
- ``log_loss`` clips at the machine epsilon of the probabilities' type there; ``clip`` says so here.
- ``roc_auc_score(max_fpr=)`` is always standardised; so is ``auc(max_fpr=)`` unless ``partial=raw`` is asked.
- ``calibration_curve`` puts a probability on the edge of a bin of equal width into the lower bin, as here.
  By quantiles it may split equal scores, ``binning=mass`` never does: untied probabilities in bins of equal
  size are compared.
- GAUC, calibration, copc and NE have no name there: they are put together from what it has.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

from steelyard.kernels import forced
from steelyard.metrics import AUC, COPC, ECE, GAUC, KS, MCE, NE, PRAUC, RIG, Brier, Calibration, LogLoss

sk = pytest.importorskip("sklearn.metrics")
from sklearn.calibration import calibration_curve  # noqa: E402

SEEDS = range(40)
EPSILON = np.finfo(float).eps
WEIGHTED = pytest.mark.parametrize("weighted", [False, True])
KINDS = pytest.mark.parametrize("kind", [np.float32, np.float64])
SIDES = pytest.mark.parametrize("side", ["kernel", "twin"])


@pytest.fixture(autouse=True)
def _quiet():
    """scikit-learn warns of every undefined value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def near(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def rows(seed, *, kind=np.float64, weighted=False):
    """Both classes, many ties, and weights of which every second seed has whole ones, some of them 0."""
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 120))
    label = (random.random(n) < 0.4).astype(int)
    score = random.random(n).round(int(random.integers(1, 4))).astype(kind)
    weight = random.integers(0, 4, n).astype(float) if seed % 2 else random.random(n) * 3
    label[:2], weight[:2] = (0, 1), (1, 2)
    return label, score, weight if weighted else None


@SIDES
@KINDS
@WEIGHTED
def test_auc(side, kind, weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, kind=kind, weighted=weighted)
        with forced(side):
            ours = AUC().of(predictions=score, truth=label, weights=weight)
        near(ours, sk.roc_auc_score(label, score, sample_weight=weight))


@SIDES
@KINDS
@pytest.mark.parametrize("n", [3_000, 40_000])
def test_auc_of_many_rows_of_any_scores(side, kind, n):
    random = np.random.default_rng(n)
    label = random.integers(0, 2, n)
    for score in (random.normal(size=n), random.normal(size=n).round(1), -random.random(n), np.zeros(n)):
        score = score.astype(kind)
        with forced(side):
            near(AUC().of(predictions=score, truth=label), sk.roc_auc_score(label, score))


@WEIGHTED
@pytest.mark.parametrize("max_fpr", [0.05, 0.3, 0.5, 0.99, 1.0])
def test_partial_auc(max_fpr, weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, weighted=weighted)
        theirs = sk.roc_auc_score(label, score, max_fpr=max_fpr, sample_weight=weight)
        near(AUC(max_fpr=max_fpr).of(predictions=score, truth=label, weights=weight), theirs)


@WEIGHTED
def test_raw_partial_auc(weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, weighted=weighted)
        fpr, tpr, _ = sk.roc_curve(label, score, sample_weight=weight)
        cut = np.searchsorted(fpr, 0.3, side="right")
        height = np.interp(0.3, fpr[cut - 1 : cut + 1], tpr[cut - 1 : cut + 1])
        theirs = sk.auc(np.append(fpr[:cut], 0.3), np.append(tpr[:cut], height))
        near(AUC(max_fpr=0.3, partial="raw").of(predictions=score, truth=label, weights=weight), theirs)


@KINDS
@WEIGHTED
def test_pr_auc(kind, weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, kind=kind, weighted=weighted)
        theirs = sk.average_precision_score(label, score, sample_weight=weight)
        near(PRAUC().of(predictions=score, truth=label, weights=weight), theirs)


@WEIGHTED
def test_pr_auc_by_straight_lines(weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, weighted=weighted)
        precision, recall, _ = sk.precision_recall_curve(label, score, sample_weight=weight)
        near(
            PRAUC(rule="trapezoid").of(predictions=score, truth=label, weights=weight),
            sk.auc(recall, precision),
        )
        # its last point, (0, 1), moved to the first precision that a threshold has
        level = np.append(precision[:-1], precision[-2])
        near(
            PRAUC(rule="trapezoid_first").of(predictions=score, truth=label, weights=weight),
            sk.auc(recall, level),
        )


@WEIGHTED
def test_ks(weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, weighted=weighted)
        fpr, tpr, _ = sk.roc_curve(label, score, sample_weight=weight)
        near(KS().of(predictions=score, truth=label, weights=weight), (tpr - fpr).max())


@SIDES
@WEIGHTED
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_logloss(side, kind, weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, kind=kind, weighted=weighted)
        # 1 - p is taken in float64 here and in float32 there: the same numbers are given to both
        theirs = sk.log_loss(label, score.astype(np.float64), sample_weight=weight)
        with forced(side):
            near(LogLoss(clip=EPSILON).of(predictions=score, truth=label, weights=weight), theirs)
            near(
                LogLoss(clip=EPSILON, base="2").of(predictions=score, truth=label, weights=weight),
                theirs / np.log(2),
            )


@WEIGHTED
def test_ne_and_rig(weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, weighted=weighted)
        score = np.clip(score, 0.01, 0.99)
        theirs = sk.d2_log_loss_score(label, score, sample_weight=weight)
        near(RIG().of(predictions=score, truth=label, weights=weight), theirs)
        near(NE().of(predictions=score, truth=label, weights=weight), 1 - theirs)
        base = sk.log_loss(label, np.full(len(label), 0.2), sample_weight=weight)
        given = sk.log_loss(label, score, sample_weight=weight) / base
        near(NE(base_rate=0.2).of(predictions=score, truth=label, weights=weight), given)


@WEIGHTED
def test_brier(weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, weighted=weighted)
        theirs = sk.brier_score_loss(label, score, sample_weight=weight)
        near(Brier().of(predictions=score, truth=label, weights=weight), theirs)


@WEIGHTED
def test_calibration_and_copc(weighted):
    for seed in SEEDS:
        label, score, weight = rows(seed, weighted=weighted)
        said, seen = np.average(score, weights=weight), np.average(label, weights=weight)
        near(Calibration().of(predictions=score, truth=label, weights=weight), said / seen)
        near(COPC().of(predictions=score, truth=label, weights=weight), seen / said)


@pytest.mark.parametrize("bins", [1, 4, 10])
def test_ece_and_mce_of_equal_width(bins):
    for seed in SEEDS:
        label, score, _ = rows(seed)
        score = np.clip(score + 0.00037, 0, 0.9999)  # off the edges of the bins
        seen, said = calibration_curve(label, score, n_bins=bins, strategy="uniform")
        share = np.bincount((score * bins).astype(int), minlength=bins) / len(label)
        gap = np.abs(seen - said)
        near(
            ECE(bins=bins, binning="width").of(predictions=score, truth=label), (share[share > 0] * gap).sum()
        )
        near(MCE(bins=bins, binning="width").of(predictions=score, truth=label), gap.max())


@pytest.mark.parametrize("bins", [1, 4, 10])
def test_ece_and_mce_of_equal_mass(bins):
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        n = bins * int(random.integers(2, 9))
        label, score = random.integers(0, 2, n), random.random(n)
        seen, said = calibration_curve(label, score, n_bins=bins, strategy="quantile")
        gap = np.abs(seen - said)
        near(ECE(bins=bins).of(predictions=score, truth=label), gap.mean())
        near(MCE(bins=bins).of(predictions=score, truth=label), gap.max())


def in_groups(seed, weighted):
    label, score, given = rows(seed, weighted=weighted)
    return label, score, given, np.random.default_rng(seed).integers(0, 9, len(label))


@cache
def of_each_group(seed, weighted):
    """The weights of the positives and of the negatives of each group, and its area, or None of one class."""
    label, score, given, group = in_groups(seed, weighted)
    of_row = np.ones(len(label)) if given is None else given
    found = []
    for one in np.unique(group[of_row > 0]):
        here = (group == one) & (of_row > 0)
        p, n = (of_row[here & (label == value)].sum() for value in (1, 0))
        both = p > 0 and n > 0
        auc = sk.roc_auc_score(label[here], score[here], sample_weight=of_row[here]) if both else None
        found.append((p, n, auc))
    return found


@SIDES
@WEIGHTED
@pytest.mark.parametrize("weight", ["impressions", "clicks", "pairs", "uniform"])
@pytest.mark.parametrize("single_class", ["drop", "half", "zero"])
def test_gauc_is_a_call_per_group(side, weighted, weight, single_class):
    for seed in range(12):
        label, score, given, group = in_groups(seed, weighted)
        over = under = 0.0
        for p, n, auc in of_each_group(seed, weighted):
            if auc is None and single_class == "drop":
                continue
            counts = {"impressions": p + n, "clicks": p, "pairs": p * n, "uniform": 1}[weight]
            fallback = 0.5 if single_class == "half" else 0.0
            over, under = over + counts * (fallback if auc is None else auc), under + counts
        metric = GAUC(weight=weight, single_class=single_class)
        with forced(side):
            near(
                metric.of(predictions=score, truth=label, groups=group, weights=given),
                over / under if under else np.nan,
            )


@pytest.mark.parametrize("bins", [2, 4, 8, 16])
def test_probabilities_on_the_edges_of_bins(bins):
    """One row on every edge, 0 among them: the gaps of the bins in order, 0 and the first edge in one."""
    score = np.arange(bins + 1) / bins
    label = (np.arange(bins + 1) % 3 == 0).astype(int)
    seen, said = calibration_curve(label, score, n_bins=bins)
    assert len(seen) == bins
    share = np.array([2, *[1] * (bins - 1)]) / (bins + 1)
    near(
        ECE(bins=bins, binning="width").of(predictions=score, truth=label),
        (share * np.abs(seen - said)).sum(),
    )
    near(MCE(bins=bins, binning="width").of(predictions=score, truth=label), np.abs(seen - said).max())


def test_where_the_conventions_differ():
    """Each difference that the text above names, as it is today."""
    assert np.isnan(sk.roc_auc_score([1, 1], [0.2, 0.3]))
    assert np.isnan(AUC().of([0.2, 0.3], [1, 1]))
    assert sk.average_precision_score([0, 0], [0.2, 0.3]) == 0
    assert np.isnan(PRAUC().of([0.2, 0.3], [0, 0]))
    near(sk.log_loss([1, 0], [0.0, 0.0]), -np.log(EPSILON) / 2)
    near(LogLoss().of(predictions=[0.0, 0.0], truth=[1, 0]), -np.log(1e-15) / 2)
