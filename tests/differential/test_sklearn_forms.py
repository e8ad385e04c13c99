"""Live agreement with scikit-learn on averages and forms for several classes and labels, to 1e-12.

Where the conventions differ, and what states scikit-learn's here:

- a class without a curve makes an average of ``roc_auc_score`` NaN there: ``undefined_class="nan"``. Pairs of
  classes (ovo) are those that occur on both sides, whatever is said.
- ``average_precision_score`` without a positive is 0 there: ``undefined_class="zero", undefined="zero"``.
- ``brier_score_loss`` halves the squares of two classes and no others: ``halved="two_classes"``.
- ``labels=`` there picks some of the classes: ``classes=`` names them here, and ``unnamed="other"`` says that
  there are others.
- ``confusion_matrix(normalize=)`` has 0 for a share of nothing: ``undefined="zero"``.
- ``log_loss`` clips at the machine epsilon of the probabilities' type: ``clip="epsilon"``. Single precision
  is also what it adds up in, so that the two agree to that.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from steelyard.metrics import AUC, F1, PRAUC, Brier, Confusion, FBeta, Jaccard, LogLoss, Precision, Recall

sk = pytest.importorskip("sklearn.metrics")

SEEDS = range(25)
WEIGHTED = pytest.mark.parametrize("weighted", [False, True])
AVERAGES = {"ovr_macro": "macro", "ovr_weighted": "weighted", "ovr_micro": "micro", "none": None}
ANIMALS = np.array(["ass", "bee", "hen", "ox"])


@pytest.fixture(autouse=True)
def _quiet():
    """scikit-learn warns of every undefined value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def near(ours, theirs, tolerance=1e-12):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance, equal_nan=True)


def weights(rng, n, weighted):
    return rng.random(n) * 3 if weighted else None


def classes(seed, *, absent=False, kind=np.float64):
    """Probabilities on a coarse grid, or one row for all; the last class has no row where it is absent."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 70))
    some = 3 if absent else 4
    truth = np.concatenate((np.arange(some), rng.integers(0, some, n - some)))
    raw = rng.integers(1, 6, (n, 4)).astype(float)
    if seed % 5 == 0:
        raw[:] = raw[0]  # constant
    return truth, (raw / raw.sum(axis=1, keepdims=True)).astype(kind), rng


def labels(seed, shares=(0.2, 0.3, 0.5, 0.9)):
    """Labels and scores on a coarse grid; among few rows some labels are on everywhere, or nowhere."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    truth = (rng.random((n, 4)) < shares).astype(int)
    scores = rng.random((n, 4)).round(1) if seed % 5 else np.full((n, 4), 0.5)
    return truth, scores, rng


@WEIGHTED
@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
def test_auc_of_classes(average, absent, weighted):
    for seed in SEEDS:
        truth, given, rng = classes(seed, absent=absent)
        weight = weights(rng, len(truth), weighted)
        their = {"average": AVERAGES[average], "multi_class": "ovr", "labels": np.arange(4)}
        near(
            AUC(average=average, undefined_class="nan").of(
                predictions=given, truth=truth, weights=weight, classes=range(4)
            ),
            sk.roc_auc_score(truth, given, sample_weight=weight, **their),
        )


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_auc_of_pairs_of_classes(average, absent):
    for seed in SEEDS:
        truth, given, _ = classes(seed, absent=absent)
        near(
            AUC(average=f"ovo_{average}", undefined_class="nan").of(
                predictions=given, truth=truth, classes=range(4)
            ),
            sk.roc_auc_score(truth, given, multi_class="ovo", average=average, labels=np.arange(4)),
        )


@WEIGHTED
@pytest.mark.parametrize("average", [*AVERAGES, "samples"])
def test_auc_of_labels(average, weighted):
    for seed in SEEDS:
        truth, scores, rng = labels(seed)
        weight = weights(rng, len(truth), weighted)
        near(
            AUC(average=average, undefined_class="nan").of(predictions=scores, truth=truth, weights=weight),
            sk.roc_auc_score(truth, scores, average=AVERAGES.get(average, average), sample_weight=weight),
        )


def test_auc_of_rows_that_all_have_a_curve():
    for seed in SEEDS:
        _, scores, rng = labels(seed)
        truth = np.eye(4, dtype=int)[rng.integers(0, 4, len(scores))]
        near(
            AUC(average="samples").of(predictions=scores, truth=truth),
            sk.roc_auc_score(truth, scores, average="samples"),
        )


@WEIGHTED
@pytest.mark.parametrize("average", [*AVERAGES, "samples"])
def test_average_precision_of_labels(average, weighted):
    metric = PRAUC(average=average, undefined_class="zero", undefined="zero")
    for seed in SEEDS:
        truth, scores, rng = labels(seed, shares=(0.0, 0.1, 0.5, 0.9))
        weight = weights(rng, len(truth), weighted)
        near(
            metric.of(predictions=scores, truth=truth, weights=weight),
            sk.average_precision_score(
                truth, scores, average=AVERAGES.get(average, average), sample_weight=weight
            ),
        )


@WEIGHTED
@pytest.mark.parametrize("average", AVERAGES)
def test_average_precision_of_classes(average, weighted):
    for seed in SEEDS:
        truth, given, rng = classes(seed)
        weight = weights(rng, len(truth), weighted)
        near(
            PRAUC(average=average).of(predictions=given, truth=truth, weights=weight),
            sk.average_precision_score(truth, given, average=AVERAGES[average], sample_weight=weight),
        )


@WEIGHTED
@pytest.mark.parametrize(("halved", "theirs"), [("two_classes", "auto"), ("always", True), ("never", False)])
def test_brier(halved, theirs, weighted):
    for seed in SEEDS:
        truth, given, rng = classes(seed, absent=seed % 2 == 1)
        weight = weights(rng, len(truth), weighted)
        near(
            Brier(halved=halved).of(predictions=given, truth=truth, weights=weight, classes=range(4)),
            sk.brier_score_loss(
                truth, given, sample_weight=weight, labels=np.arange(4), scale_by_half=theirs
            ),
        )
        label, score = (truth > 1).astype(int), given[:, 0]
        their = sk.brier_score_loss(label, score, sample_weight=weight, scale_by_half=theirs)
        near(Brier(halved=halved).of(predictions=score, truth=label, weights=weight), their)
        both = np.column_stack((1 - score, score))
        near(Brier(halved=halved).of(predictions=both, truth=label, weights=weight), their)


@WEIGHTED
@pytest.mark.parametrize(
    ("normalise", "theirs"), [("none", None), ("truth", "true"), ("predicted", "pred"), ("all", "all")]
)
def test_confusion(normalise, theirs, weighted):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 25))
        truth, called = rng.choice(ANIMALS, n), rng.choice(ANIMALS, n)
        weight = weights(rng, n, weighted)
        metric = Confusion(normalise=normalise, undefined="zero")
        near(
            metric.of(predictions=called, truth=truth, weights=weight),
            sk.confusion_matrix(truth, called, sample_weight=weight, normalize=theirs),
        )
        near(
            metric.of(predictions=called, truth=truth, weights=weight, classes=ANIMALS),
            sk.confusion_matrix(truth, called, labels=ANIMALS, sample_weight=weight, normalize=theirs),
        )


@WEIGHTED
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_logloss_clipped_at_the_machine_epsilon(kind, weighted):
    """Some rows are certain and wrong: their loss is that of the epsilon, which the type decides."""
    tolerance = 1e-12 if kind is np.float64 else 1e-5
    for seed in SEEDS:
        truth, given, rng = classes(seed, kind=kind)
        given[:3] = np.eye(4, dtype=kind)[(truth[:3] + 1) % 4]
        weight = weights(rng, len(truth), weighted)
        metric = LogLoss(clip="epsilon")
        near(
            metric.of(predictions=given, truth=truth, weights=weight),
            sk.log_loss(truth, given, sample_weight=weight),
            tolerance,
        )
        label, score = (truth > 1).astype(int), given[:, 0].copy()
        score[:2] = 1 - label[:2]
        near(
            metric.of(predictions=score, truth=label, weights=weight),
            sk.log_loss(label, score, sample_weight=weight),
            tolerance,
        )


PAIRS = {
    "precision": (Precision, sk.precision_score, {}),
    "recall": (Recall, sk.recall_score, {}),
    "f1": (F1, sk.f1_score, {}),
    "f2": (lambda **fields: FBeta(beta=2, **fields), sk.fbeta_score, {"beta": 2}),
    "jaccard": (Jaccard, sk.jaccard_score, {}),
}
SOME = [["hen"], ["ox", "ass"], ["bee", "hen", "yak"], [*ANIMALS]]


@WEIGHTED
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "none"])
@pytest.mark.parametrize("name", list(PAIRS))
def test_some_of_the_classes(name, average, weighted):
    """``labels=`` of scikit-learn: rows of other classes, and calls of them, count against those named."""
    ours, theirs, more = PAIRS[name]
    metric = ours(average=average, unnamed="other", undefined="zero")
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 40))
        truth, called, weight = rng.choice(ANIMALS, n), rng.choice(ANIMALS, n), weights(rng, n, weighted)
        truth[0] = called[1] = "hen"  # it refuses labels of which none is there
        for some in SOME:
            some = some if set(some) & set(truth) else ["hen"]
            near(
                metric.of(predictions=called, truth=truth, weights=weight, classes=some),
                theirs(
                    truth,
                    called,
                    labels=some,
                    average=None if average == "none" else average,
                    sample_weight=weight,
                    zero_division=0,
                    **more,
                ),
            )


@WEIGHTED
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "none", "samples", "binary"])
def test_jaccard(average, weighted):
    metric = Jaccard(average=average, undefined="zero")
    for seed in SEEDS:
        truth, scores, rng = labels(seed, shares=(0.0, 0.2, 0.5, 0.9))
        called, weight = (scores > 0.5).astype(int), weights(rng, len(truth), weighted)
        their = {"average": None if average == "none" else average, "zero_division": 0}
        if average == "binary":
            truth, called = truth[:, 2], called[:, 2]
        near(
            metric.of(predictions=called, truth=truth, weights=weight),
            sk.jaccard_score(truth, called, sample_weight=weight, **their),
        )


@WEIGHTED
@pytest.mark.parametrize(("normalise", "theirs"), [("none", None), ("truth", "true"), ("all", "all")])
def test_the_matrix_of_some_classes(normalise, theirs, weighted):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        truth, called = rng.choice(ANIMALS, 20), rng.choice(ANIMALS, 20)
        truth[0], weight = "hen", weights(rng, 20, weighted)
        for some in (["hen"], ["hen", "yak", "ass"]):
            metric = Confusion(unnamed="other", normalise=normalise, undefined="zero")
            their = {"labels": some, "sample_weight": weight, "normalize": theirs}
            near(
                metric.of(predictions=called, truth=truth, weights=weight, classes=some),
                sk.confusion_matrix(truth, called, **their),
            )


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "none", "samples"])
@pytest.mark.parametrize("name", list(PAIRS))
def test_some_of_the_labels(name, average):
    ours, theirs, more = PAIRS[name]
    metric = ours(average=average, unnamed="other", undefined="zero")
    for seed in range(12):
        truth, scores, _ = labels(seed)
        called = (scores > 0.5).astype(int)
        for some in ([2], [3, 0]):
            their = {"labels": some, "average": None if average == "none" else average, "zero_division": 0}
            near(
                metric.of(predictions=called, truth=truth, classes=some),
                theirs(truth, called, **their, **more),
            )
