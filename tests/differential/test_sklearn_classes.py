"""Live agreement with scikit-learn on classes and ratings, to 1e-12.

Where the conventions differ:

- An undefined value is NaN here, 0 there (``zero_division``); inside macro and weighted averages both count
  0. So macro and weighted are compared as they are, binary and per-class values with ``undefined="zero"``.
  ``zero_division`` of 1 or NaN is ``undefined_class`` (inside averages) with ``undefined`` (of the whole).
- ``matthews_corrcoef`` of one class is 0 there, undefined here.
- ``r2_score`` of constant truth is 0 or 1 there, undefined here.
- ``roc_auc_score`` (ovr) of an absent class is NaN there; here the class is left out, as both do for ovo.
- ``roc_auc_score`` (ovo) takes no weights there.
- ``log_loss`` clips at the machine epsilon there; ``clip`` says so here.
- ``top_k_accuracy_score`` lets the last of tied columns stand first there; ``class_ties="last"`` says so
  here, and ``class_ties="first"`` is the same with the columns turned round.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from steelyard.metrics import (
    AUC,
    F1,
    MAE,
    MCC,
    MSE,
    R2,
    RMSE,
    Accuracy,
    BalancedAccuracy,
    Confusion,
    FBeta,
    LogLoss,
    Precision,
    Recall,
    Specificity,
    TopAccuracy,
    precision_at_recall,
)

from ..tables import each_row

sk = pytest.importorskip("sklearn.metrics")

SEEDS = range(25)
AVERAGES = ["micro", "macro", "weighted", "none"]
PAIRS = {
    "precision": (Precision, sk.precision_score, {}),
    "recall": (Recall, sk.recall_score, {}),
    "f1": (F1, sk.f1_score, {}),
    "f2": (lambda **fields: FBeta(beta=2, **fields), sk.fbeta_score, {"beta": 2}),
}
KINDS = {"whole": np.array([3, 7, -1, 12, 40]), "text": np.array(["ox", "ass", "雁", "hen", "bee"])}


@pytest.fixture(autouse=True)
def _quiet():
    """scikit-learn warns of every undefined value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def near(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12, equal_nan=True)


def weights(rng, n, weighted):
    return rng.random(n) * 3 if weighted else None


def labels(seed, kind, weighted):
    """Few rows, so that classes are often missing from truth or predictions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    p = rng.dirichlet(np.ones(5) * 0.7)
    return rng.choice(KINDS[kind], n, p=p), rng.choice(KINDS[kind], n, p=p), weights(rng, n, weighted)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", list(PAIRS))
def test_averages(name, average, kind, weighted):
    ours, theirs, more = PAIRS[name]
    metric = ours(average=average, undefined="zero")
    for seed in SEEDS:
        truth, called, weight = labels(seed, kind, weighted)
        their = None if average == "none" else average
        near(
            metric.of(predictions=called, truth=truth, weights=weight),
            theirs(truth, called, average=their, sample_weight=weight, zero_division=0, **more),
        )


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", list(PAIRS))
def test_named_classes(name, average):
    """scikit-learn counts a named class that nobody saw too."""
    ours, theirs, more = PAIRS[name]
    names = sorted(KINDS["text"].tolist(), reverse=True)
    for seed in SEEDS:
        truth, called, _ = labels(seed, "text", weighted=False)
        near(
            ours(average=average, undefined="zero").of(predictions=called, truth=truth, classes=names),
            theirs(
                truth,
                called,
                labels=names,
                average=None if average == "none" else average,
                zero_division=0,
                **more,
            ),
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("threshold", [0.3, 0.5])
@pytest.mark.parametrize("name", list(PAIRS))
def test_scores_and_a_threshold(name, threshold, weighted):
    ours, theirs, more = PAIRS[name]
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 40))
        truth, score, weight = rng.integers(0, 2, n), np.round(rng.random(n), 1), weights(rng, n, weighted)
        called = (score >= threshold).astype(int)
        near(
            ours(threshold=threshold, undefined="zero").of(predictions=score, truth=truth, weights=weight),
            theirs(truth, called, sample_weight=weight, zero_division=0, **more),
        )
        near(
            Accuracy(threshold=threshold).of(predictions=score, truth=truth, weights=weight),
            sk.accuracy_score(truth, called, sample_weight=weight),
        )
        near(
            MCC(threshold=threshold, undefined="zero").of(predictions=score, truth=truth, weights=weight),
            sk.matthews_corrcoef(truth, called, sample_weight=weight),
        )
        near(
            Specificity(threshold=threshold, undefined="zero").of(
                predictions=score, truth=truth, weights=weight
            ),
            sk.recall_score(1 - truth, 1 - called, sample_weight=weight, zero_division=0),
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", list(KINDS))
def test_one_value_for_all_classes(kind, weighted):
    for seed in SEEDS:
        truth, called, weight = labels(seed, kind, weighted)
        near(
            Accuracy().of(predictions=called, truth=truth, weights=weight),
            sk.accuracy_score(truth, called, sample_weight=weight),
        )
        near(
            BalancedAccuracy().of(predictions=called, truth=truth, weights=weight),
            sk.balanced_accuracy_score(truth, called, sample_weight=weight),
        )
        near(
            MCC(undefined="zero").of(predictions=called, truth=truth, weights=weight),
            sk.matthews_corrcoef(truth, called, sample_weight=weight),
        )
        near(
            Confusion().of(predictions=called, truth=truth, weights=weight),
            sk.confusion_matrix(truth, called, sample_weight=weight),
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", list(PAIRS))
def test_several_labels_per_row(name, average, weighted):
    ours, theirs, more = PAIRS[name]
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        truth = (rng.random((n, 4)) < [0.05, 0.3, 0.5, 0.9]).astype(int)
        called = (rng.random((n, 4)) < [0.3, 0.05, 0.5, 0.9]).astype(int)
        weight = weights(rng, n, weighted)
        near(
            ours(average=average, undefined="zero").of(predictions=called, truth=truth, weights=weight),
            theirs(
                truth,
                called,
                average=None if average == "none" else average,
                sample_weight=weight,
                zero_division=0,
                **more,
            ),
        )
        near(
            Accuracy().of(predictions=called, truth=truth, weights=weight),
            sk.accuracy_score(truth, called, sample_weight=weight),
        )


def probabilities(seed, tied=True, dtype=np.float64):
    """Every class occurs; probabilities on a coarse grid are often equal."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 80))
    truth = np.concatenate((np.arange(4), rng.integers(0, 4, n - 4)))
    raw = rng.integers(1, 6, (n, 4)).astype(float) if tied else rng.random((n, 4))
    return truth, (raw / raw.sum(axis=1, keepdims=True)).astype(dtype), rng


@each_row(
    ("average", "theirs", "weighted"),
    [
        ("ovr_macro", {"multi_class": "ovr", "average": "macro"}, False),
        ("ovr_macro", {"multi_class": "ovr", "average": "macro"}, True),
        ("ovr_weighted", {"multi_class": "ovr", "average": "weighted"}, False),
        ("ovr_weighted", {"multi_class": "ovr", "average": "weighted"}, True),
        ("ovo_macro", {"multi_class": "ovo", "average": "macro"}, False),
    ],
)
def test_auc_of_several_classes(average, theirs, weighted):
    for seed in SEEDS:
        truth, given, rng = probabilities(seed)
        weight = weights(rng, len(truth), weighted)
        near(
            AUC(average=average).of(predictions=given, truth=truth, weights=weight),
            sk.roc_auc_score(truth, given, sample_weight=weight, **theirs),
        )
        text = KINDS["text"][truth]
        names = sorted(set(text))
        places = np.searchsorted(names, text)
        near(
            AUC(average=average).of(predictions=given, truth=text), sk.roc_auc_score(places, given, **theirs)
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_logloss_of_several_classes(weighted):
    for seed in SEEDS:
        truth, given, rng = probabilities(seed)
        given[0] = [0, 1, 0, 0]  # the truth of the first row is class 0: clipped
        weight = weights(rng, len(truth), weighted)
        near(
            LogLoss(clip=np.finfo(float).eps).of(predictions=given, truth=truth, weights=weight),
            sk.log_loss(truth, given, sample_weight=weight),
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_accuracy_without_ties(k, weighted):
    for seed in SEEDS:
        truth, given, rng = probabilities(seed, tied=False)
        weight = weights(rng, len(truth), weighted)
        near(
            TopAccuracy(k=k).of(predictions=given, truth=truth, weights=weight),
            sk.top_k_accuracy_score(truth, given, k=k, sample_weight=weight),
        )


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_accuracy_with_ties(k):
    for seed in SEEDS:
        truth, given, _ = probabilities(seed)
        near(
            TopAccuracy(k=k, class_ties="first").of(predictions=given, truth=truth),
            sk.top_k_accuracy_score(3 - truth, given[:, ::-1], k=k, labels=np.arange(4)),
        )
        near(
            TopAccuracy(k=k, class_ties="last").of(predictions=given, truth=truth),
            sk.top_k_accuracy_score(truth, given, k=k, labels=np.arange(4)),
        )


DIVISIONS = {  # zero_division there, what is undefined here
    0: {"undefined_class": "zero", "undefined": "zero"},
    1: {"undefined_class": "one", "undefined": "one"},
    np.nan: {"undefined_class": "skip", "undefined": "nan"},
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("division", list(DIVISIONS))
@pytest.mark.parametrize("average", ["macro", "weighted", "none"])
@pytest.mark.parametrize("name", list(PAIRS))
def test_undefined_classes(name, average, division, weighted):
    ours, theirs, more = PAIRS[name]
    metric = ours(average=average, **DIVISIONS[division])
    for seed in SEEDS:
        truth, called, weight = labels(seed, "text", weighted)
        their = None if average == "none" else average
        near(
            metric.of(predictions=called, truth=truth, weights=weight),
            theirs(truth, called, average=their, sample_weight=weight, zero_division=division, **more),
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("division", list(DIVISIONS))
@pytest.mark.parametrize("name", list(PAIRS))
def test_the_mean_over_rows_of_several_labels(name, division, weighted):
    ours, theirs, more = PAIRS[name]
    metric = ours(average="samples", **DIVISIONS[division])
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        truth, called = ((rng.random((n, 4)) < [0.1, 0.2, 0.3, 0.4]).astype(int) for _ in range(2))
        weight = weights(rng, n, weighted)
        near(
            metric.of(predictions=called, truth=truth, weights=weight),
            theirs(truth, called, average="samples", sample_weight=weight, zero_division=division, **more),
        )


def test_precision_at_recall():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        truth, score = np.append(rng.integers(0, 2, 30), 1), np.round(rng.random(31), 1)
        precision, recall, _ = sk.precision_recall_curve(truth, score)
        for wanted in (0.25, 0.5, 1.0):
            # the last point of the curve, (recall 0, precision 1), belongs to no threshold
            theirs = precision[:-1][recall[:-1] >= wanted].max()
            near(precision_at_recall(predictions=score, truth=truth, recall=wanted).precision, theirs)


@pytest.mark.parametrize("weighted", [False, True])
def test_ratings(weighted):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 60))
        truth, predicted = np.round(rng.normal(3, 1, n), 1), np.round(rng.normal(3, 1, n), 1)
        truth[0] = truth[1] + 1
        weight = weights(rng, n, weighted)
        for metric, theirs in [
            (RMSE(), sk.root_mean_squared_error),
            (MSE(), sk.mean_squared_error),
            (MAE(), sk.mean_absolute_error),
            (R2(), sk.r2_score),
        ]:
            ours = metric.of(predictions=predicted, truth=truth, weights=weight)
            np.testing.assert_allclose(
                ours, theirs(truth, predicted, sample_weight=weight), rtol=1e-12, atol=1e-12
            )


def test_where_the_conventions_differ():
    """Each difference that the text above names, as it is today."""
    assert sk.matthews_corrcoef([1, 1], [1, 0]) == 0
    assert np.isnan(MCC().of(predictions=[1, 0], truth=[1, 1]))
    assert sk.precision_score([1, 0], [0, 0]) == 0
    assert np.isnan(Precision().of(predictions=[0, 0], truth=[1, 0]))
    assert sk.r2_score([2, 2], [2, 3]) == 0
    assert np.isnan(R2().of(predictions=[2, 3], truth=[2, 2]))
    for said in ([2, 2], [2, 3]):
        assert R2(constant_truth="met").of(predictions=said, truth=[2, 2]) == sk.r2_score([2, 2], said)
    given = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]
    theirs = sk.roc_auc_score([0, 1, 0], given, multi_class="ovr", labels=[0, 1, 2])
    assert np.isnan(theirs)
    assert AUC().of(predictions=given, truth=[0, 1, 0], classes=[0, 1, 2]) == 1
