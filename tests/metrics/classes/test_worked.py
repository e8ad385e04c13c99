"""Tables of classes worked by hand, each value written as its arithmetic."""

from __future__ import annotations

from math import log, nan, sqrt

import pytest

import steelyard as sy
from steelyard.metrics import (
    AUC,
    ECE,
    F1,
    FPR,
    MCC,
    Accuracy,
    BalancedAccuracy,
    Confusion,
    FBeta,
    LogLoss,
    Precision,
    Recall,
    Specificity,
    TopAccuracy,
)

from ...tables import each_row

# the ten rows of worked_examples.json; the table of truth (down) and prediction (across):
#      a  b  c
#  a   3  1  1
#  b   1  2  0
#  c   0  0  2
TRUTH = list("aaaaabbbcc")
CALLED = list("aaabcbbacc")

# worked_examples.json: f1 per class, f1 macro, f1 micro, f1 weighted, accuracy
SHARED = [
    ("f1(average=none)", [0.6666666666666666, 0.6666666666666666, 0.8]),
    ("f1(average=macro)", 0.7111111111111111),
    ("f1(average=micro)", 0.7),
    ("f1(average=weighted)", 0.6933333333333334),
    ("accuracy", 0.7),
]

THREE = [
    (Precision(average="none"), [3 / 4, 2 / 3, 2 / 3]),
    (Recall(average="none"), [3 / 5, 2 / 3, 2 / 2]),
    (F1(average="none"), [6 / 9, 4 / 6, 4 / 5]),
    (Specificity(average="none"), [4 / 5, 6 / 7, 7 / 8]),
    (FPR(average="none"), [1 / 5, 1 / 7, 1 / 8]),
    (FBeta(beta=2, average="none"), [15 / (15 + 4 * 2 + 1), 10 / (10 + 4 + 1), 10 / (10 + 1)]),
    (Precision(average="micro"), 7 / 10),
    (Specificity(average="micro"), (4 + 6 + 7) / (4 + 6 + 7 + 3)),
    (FPR(average="micro"), 3 / 20),
    (Precision(average="macro"), (3 / 4 + 2 / 3 + 2 / 3) / 3),
    (Recall(average="weighted"), 7 / 10),
    (Precision(average="weighted"), (5 * 3 / 4 + 3 * 2 / 3 + 2 * 2 / 3) / 10),
    (BalancedAccuracy(), (3 / 5 + 2 / 3 + 1) / 3),
    # (c·s - Σ t·p) / √((s² - Σ p²)(s² - Σ t²)), p = 4, 3, 3 and t = 5, 3, 2
    (MCC(), (7 * 10 - 35) / sqrt((100 - 34) * (100 - 38))),
    (Confusion(), [[3, 1, 1], [1, 2, 0], [0, 0, 2]]),
    (Confusion(normalise="truth"), [[3 / 5, 1 / 5, 1 / 5], [1 / 3, 2 / 3, 0], [0, 0, 1]]),
    (Confusion(normalise="predicted"), [[3 / 4, 1 / 3, 1 / 3], [1 / 4, 2 / 3, 0], [0, 0, 2 / 3]]),
    (Confusion(normalise="all"), [[3 / 10, 1 / 10, 1 / 10], [1 / 10, 2 / 10, 0], [0, 0, 2 / 10]]),
]

TWO = [  # tp 2, fp 1, fn 1, tn 3
    (Precision(), 2 / 3),
    (Recall(), 2 / 3),
    (F1(), 4 / 6),
    (FBeta(beta=0.5), 1.25 * 2 / (1.25 * 2 + 0.25 + 1)),
    (Specificity(), 3 / 4),
    (FPR(), 1 / 4),
    (Accuracy(), 5 / 7),
    (BalancedAccuracy(), (2 / 3 + 3 / 4) / 2),
    (MCC(), (2 * 3 - 1 * 1) / sqrt(3 * 3 * 4 * 4)),
    (Confusion(), [[3, 1], [1, 2]]),
]

LABELS, SCORES = [1, 1, 1, 0, 0, 0, 0], [0.9, 0.5, 0.4, 0.6, 0.3, 0.2, 0.1]

SEVERAL = ([[1, 0, 1], [0, 1, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 0], [1, 0, 0]])
#  column 0: tp 2; column 1: tp 1, fn 1; column 2: fn 1

OF_SEVERAL = [
    (Accuracy(), 1 / 3),
    (Recall(average="none"), [1, 1 / 2, 0]),
    (Precision(average="none"), [1, 1, nan]),
    (F1(average="none"), [1, 2 / 3, 0]),
    (Precision(average="macro"), (1 + 1 + 0) / 3),
    (F1(average="micro"), 2 * 3 / (2 * 3 + 2)),
    (F1(average="weighted"), (2 * 1 + 2 * 2 / 3 + 0) / 5),
]

PROBABILITIES = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]


def close(expected):
    return pytest.approx(expected, abs=1e-15, nan_ok=True)


@each_row(("text", "value"), SHARED)
def test_the_shared_examples(text, value):
    assert sy.metric(text).of(predictions=CALLED, truth=TRUTH) == close(value)


def test_the_shared_examples_given_as_counts():
    assert F1().of_counts(tp=1, fp=1, fn=3) == close(0.3333333333333333)
    assert Accuracy().of_counts(tp=0, fp=0, tn=99, fn=1) == close(0.99)
    assert Recall().of_counts(tp=0, fp=0, tn=99, fn=1) == 0


def test_the_shared_example_of_probabilities():
    value = LogLoss().of(predictions=PROBABILITIES, truth=["a", "b", "c"], classes=["a", "b", "c"])
    assert value == close(0.3635480396729776)
    assert value == close(-(log(0.7) + log(0.8) + log(0.6)) / 3)


@each_row(("metric", "value"), THREE, ids=lambda part: str(part))
def test_three_classes(metric, value):
    assert flat(metric.of(predictions=CALLED, truth=TRUTH)) == close(flat(value))


@each_row(("metric", "value"), TWO, ids=lambda part: str(part))
def test_two_classes_by_a_threshold(metric, value):
    """0.5 is positive, 0.4 is not."""
    assert flat(metric.of(predictions=SCORES, truth=LABELS)) == close(flat(value))
    assert flat(metric.of_counts(tp=2, fp=1, fn=1, tn=3)) == close(flat(value))


def test_strict_leaves_the_threshold_itself_out():
    assert Recall(strict=True).of(predictions=SCORES, truth=LABELS) == close(1 / 3)
    assert Recall(threshold=0.4).of(predictions=SCORES, truth=LABELS) == 1


def test_a_threshold_meets_the_same_score_in_single_precision():
    import numpy as np

    assert Recall(threshold=0.7).of(predictions=np.array([0.7], np.float32), truth=[1]) == 1


@each_row(("metric", "value"), OF_SEVERAL, ids=lambda part: str(part))
def test_several_labels_per_row(metric, value):
    assert flat(metric.of(predictions=SEVERAL[1], truth=SEVERAL[0])) == close(flat(value))


def test_several_labels_by_a_threshold():
    scores = [[0.9, 0.1, 0.4], [0.2, 0.5, 0.3], [0.8, 0.3, 0.2]]
    assert F1(average="none").of(predictions=scores, truth=SEVERAL[0]) == close([1, 2 / 3, 0])


def test_the_most_probable_class_counts_and_the_first_of_equals():
    called = [[0.4, 0.4, 0.2], [0.1, 0.1, 0.8]]
    assert Accuracy().of(predictions=called, truth=["a", "c"], classes=["a", "b", "c"]) == 1
    assert Accuracy().of(predictions=called, truth=["b", "c"], classes=["a", "b", "c"]) == 1 / 2


@each_row(
    ("k", "value"),
    [
        (1, (1 / 2 + 0 + 1) / 3),  # tied for the first place; third; alone
        (2, (1 + 1 / 2 + 1) / 3),  # both of the tie; one of two tied for the second place
        (3, 1),
        (None, 1),
        (9, 1),
    ],
)
def test_top_accuracy_shares_places_among_ties(k, value):
    given = [[0.4, 0.4, 0.2], [0.6, 0.2, 0.2], [0.1, 0.2, 0.7]]
    assert TopAccuracy(k=k).of(predictions=given, truth=[0, 1, 2]) == close(value)


def test_auc_of_three_classes():
    """b against the rest: 0.8 above 0.2 and 0.2; a: 0.7 above 0.1 and 0.2; c: 0.6 above both."""
    assert AUC().of(predictions=PROBABILITIES, truth=["a", "b", "c"]) == 1
    worse = [[0.2, 0.2, 0.6], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]
    # a: 0.2 against 0.1 and 0.2: 3/4; b: 1; c: 0.6 against 0.6 and 0.1: 3/4
    assert AUC().of(predictions=worse, truth=["a", "b", "c"]) == close((3 / 4 + 1 + 3 / 4) / 3)
    # a-b: 1, 1; a-c: 1/2, 1/2; b-c: 1, 1
    assert AUC(average="ovo_macro").of(predictions=worse, truth=["a", "b", "c"]) == close((1 + 1 / 2 + 1) / 3)


def test_ece_is_of_the_top_label():
    """One bin: all three are right, with a mean probability of 0.7."""
    assert ECE(bins=1).of(predictions=PROBABILITIES, truth=["a", "b", "c"]) == close(1 - 0.7)
    assert ECE(bins=1).of(predictions=PROBABILITIES, truth=["a", "b", "b"], classes=["a", "b", "c"]) == close(
        0.7 - 2 / 3
    )


def test_ece_is_the_same_beside_metrics_of_predicted_classes():
    """What was called is not always the most probable; all most probable ones are right here."""
    rows = {"label": ["a", "b", "c"], "predicted": ["b", "b", "b"], "probabilities": PROBABILITIES}
    for metrics in (["ece(bins=1)"], ["ece(bins=1)", "accuracy"]):
        result = sy.evaluate(rows, metrics=metrics, classes=["a", "b", "c"])
        assert result["ece(bins=1)"] == close(1 - 0.7)


def flat(value):
    """A matrix as one list."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [entry for row in value for entry in row]
    return value
