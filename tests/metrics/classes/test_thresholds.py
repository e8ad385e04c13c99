"""The best threshold, and precision at a wanted recall, against trying every score."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.metrics import (
    F1,
    FPR,
    MCC,
    Accuracy,
    BalancedAccuracy,
    FBeta,
    Precision,
    Recall,
    Specificity,
    best_threshold,
    precision_at_recall,
)
from steelyard.metrics.curves import scored
from steelyard.text.errors import SteelyardError

from ...tables import each_row

METRICS = [
    F1(),
    F1(strict=True),
    FBeta(beta=2),
    F1(average="macro"),
    F1(average="weighted"),
    Precision(),
    Recall(),
    Specificity(),
    FPR(),
    Accuracy(),
    BalancedAccuracy(),
]


def drawn(seed, weighted=False):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    labels = rng.integers(0, 2, n)
    scores = np.round(rng.random(n), 1)
    return labels, scores, rng.integers(0, 4, n).astype(float) if weighted else None


def tried(metric, labels, scores, weights):
    """Every distinct score of a row that weighs something, and the metric there.

    Scores are from 0 to 1: a threshold of 2 is as good as infinity, one of -1 as minus infinity.
    """
    seen = np.unique(scores if weights is None else scores[weights > 0]).tolist()
    at_all = {at: at for at in seen}
    if seen:
        at_all |= {-math.inf: -1.0} if metric.strict else {math.inf: 2.0}
    pairs = [
        (at, metric.replace(threshold=taken).of(predictions=scores, truth=labels, weights=weights))
        for at, taken in at_all.items()
    ]
    return [(at, value) for at, value in pairs if not math.isnan(value)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_best_threshold_is_the_best_of_all(metric, weighted):
    for seed in range(40):
        labels, scores, weights = drawn(seed, weighted)
        pairs = tried(metric, labels, scores, weights)
        found = best_threshold(metric, predictions=scores, truth=labels, weights=weights)
        if not pairs:
            assert math.isnan(found.threshold)
            assert math.isnan(found.value)
            continue
        sign = -1 if metric.direction == "lower" else 1
        best = max(sign * value for _, value in pairs)
        assert sign * found.value == best
        assert found.threshold == max(at for at, value in pairs if sign * value == best)


def test_best_threshold_for_mcc():
    """Its square roots may break ties in the last bit, so only the value is compared."""
    for seed in range(40):
        labels, scores, _ = drawn(seed)
        pairs = tried(MCC(), labels, scores, None)
        if pairs:
            best = max(value for _, value in pairs)
            assert best_threshold(MCC(), scores, labels).value == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("wanted", [0.1, 0.5, 0.8, 1.0])
def test_precision_at_recall_is_the_best_of_all(wanted):
    for seed in range(40):
        labels, scores, _ = drawn(seed)
        found = precision_at_recall(predictions=scores, truth=labels, recall=wanted)
        if not labels.any():
            assert math.isnan(found.precision)
            continue
        reached = [
            (Precision(threshold=at).of(predictions=scores, truth=labels), at)
            for at in np.unique(scores).tolist()
            if Recall(threshold=at).of(predictions=scores, truth=labels) >= wanted
        ]
        assert (found.precision, found.threshold) == max(reached)
        assert found.recall == Recall(threshold=found.threshold).of(predictions=scores, truth=labels)


def test_by_hand():
    labels, scores = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    # f1: at 0.9 2/3, at 0.8 2/4, at 0.7 4/5, at 0.2 4/6, at 0.1 4/7
    assert best_threshold("f1", scores, labels) == (0.7, 4 / 5)
    assert precision_at_recall(scores, labels, 0.5) == (1.0, 1 / 2, 0.9)
    assert precision_at_recall(scores, labels, 0.51) == (2 / 3, 1.0, 0.7)


def test_of_equally_good_thresholds_the_highest_counts():
    assert best_threshold("recall", [0.5, 0.1], [1, 0]).threshold == 0.5


def test_nothing_or_everything_may_be_positive():
    labels, scores = [0, 0, 0, 1], [0.2, 0.3, 0.9, 0.1]
    # accuracy: from 0.1 on 1/4, from 0.2 on 0, from 0.3 on 1/4, from 0.9 on 2/4, with nothing positive 3/4
    assert best_threshold("accuracy", scores, labels) == (math.inf, 3 / 4)
    # strict, nothing is above the highest score
    assert best_threshold("accuracy(strict=true)", scores, labels) == (0.9, 3 / 4)
    # recall: only everything finds the positive that stands last
    assert best_threshold("recall", scores, labels) == (0.1, 1.0)
    assert best_threshold("recall(strict=true)", scores, labels) == (-math.inf, 1.0)


def test_no_threshold_stands_below_a_score_of_minus_infinity():
    # above minus infinity there is the one positive of two that scores 0.5
    assert best_threshold("recall(strict=true)", predictions=[-math.inf, 0.5], truth=[1, 1]) == (
        -math.inf,
        1 / 2,
    )


@each_row(
    ("labels", "scores", "weights", "message"),
    [
        ([0, 0, 1], [math.inf, 0.5, 0.7], None, "row 1: score is 'inf'"),  # as in every metric of scores
        ([0, 1], [0.1, math.nan], None, "row 2: score is 'nan'"),
        ([0, 1], [[0.1, 0.9], [0.8, 0.2]], None, "score has the shape 2 × 2"),
        ([[0, 1], [1, 0]], [[0.1, 0.9], [0.8, 0.2]], None, "needs one label per row"),
        ([0, 1], np.array([2**53 + 1, 1]), None, "row 1: score is 9007199254740993, too large an integer"),
        ([0, None], [0.1, 0.2], None, "row 2: label is null"),
        ([0, 1], [0.1, 0.2], [1, -1], "row 2: weight is -1"),
        ([0, 1], [0.1], None, "1 prediction but 2 labels"),
    ],
)
def test_arrays_are_checked_as_those_of_a_metric(labels, scores, weights, message):
    for refused in (
        lambda: best_threshold("f1", predictions=scores, truth=labels, weights=weights),
        lambda: precision_at_recall(predictions=scores, truth=labels, recall=0.5, weights=weights),
        lambda: scored(predictions=scores, truth=labels, weights=weights),
    ):
        with pytest.raises(SteelyardError, match=message):
            refused()


def test_a_matrix_of_one_column_is_a_column():
    assert best_threshold("f1", [[0.9], [0.2]], [[1], [0]]) == (0.9, 1.0)


def test_without_a_threshold_there_is_no_best_one():
    with pytest.raises(SteelyardError, match="auc has no best threshold: it has no threshold at all"):
        best_threshold("auc", [0.5, 0.1], [1, 0])


def test_no_rows():
    assert math.isnan(best_threshold("f1", predictions=[], truth=[]).threshold)
    assert math.isnan(precision_at_recall(predictions=[], truth=[], recall=0.5).precision)


@pytest.mark.parametrize("metric", ["confusion", "f1(average=none)", "top_accuracy@2", "auc"])
def test_a_metric_without_threshold_is_refused(metric):
    with pytest.raises(SteelyardError, match="has no best threshold"):
        best_threshold(metric, [0.5, 0.1], [1, 0])


@pytest.mark.parametrize("wanted", [0, -1, 1.5, math.nan])
def test_a_recall_out_of_reach_is_refused(wanted):
    with pytest.raises(SteelyardError, match="recall must be above 0"):
        precision_at_recall([0.5, 0.1], [1, 0], wanted)
