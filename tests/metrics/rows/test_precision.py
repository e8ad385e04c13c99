"""Scores keep the precision they came in: borders and thresholds are rounded to it before they meet."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import ECE, MCE, Accuracy, Recall, curves

approx = pytest.approx

PRECISIONS = ["float64", "float32", "float16"]
TENTHS = np.arange(11) / 10  # in binary most of them lie a little above or below
CLICKS = [0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1]
# ten bins, each with its upper border: 0 and 0.1 are in the first, every other tenth is alone
ALONE = [0.2, 0.3, 1 - 0.4, 0.5, 1 - 0.6, 1 - 0.7, 0.8, 1 - 0.9, 1 - 1.0]
BY_HAND = (2 * abs(1 / 2 - 0.1 / 2) + sum(ALONE)) / 11
TOLERANCE = {"float64": 1e-15, "float32": 1e-7, "float16": 1e-3}  # of the scores themselves
ECE_10 = "ece(bins=10, binning=width)"


def given(door, labels, scores, metric, tmp_path):
    """The value of a metric by one of the doors."""
    frame = pl.DataFrame({"label": labels, "score": scores})
    match door:
        case "of":
            return sy.metric(metric).of(predictions=scores, truth=labels)
        case "arrays":
            return sy.evaluate(scores, labels, metric)[metric]
        case "frame":
            return sy.evaluate(frame, metrics=metric)[metric]
        case "pandas":
            pd = pytest.importorskip("pandas")
            return sy.evaluate(pd.DataFrame({"label": labels, "score": scores}), metrics=metric)[metric]
        case "arrow":
            return sy.evaluate(frame.to_arrow(), metrics=metric)[metric]
    path = tmp_path / "log.parquet"
    frame.write_parquet(path)
    return sy.evaluate(path, metrics=metric)[metric]


DOORS = ["of", "arrays", "frame", "pandas", "arrow", "parquet"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_bin_owns_its_upper_border(door, precision, tmp_path):
    found = given(door, CLICKS, TENTHS.astype(precision), ECE_10, tmp_path)
    assert found == approx(BY_HAND, abs=TOLERANCE[precision])


@pytest.mark.parametrize("bins", [3, 7, 10, 15, 100, 1000])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_border_is_in_the_bin_below_it(bins, precision):
    """A border alone in each bin and half of them clicks: the largest gap is that of one border."""
    borders = (np.arange(1, bins + 1) / bins).astype(precision)
    table = curves.calibration(
        curves.scored(predictions=borders, truth=np.zeros(bins, int)), bins=bins, binning="width"
    )
    if precision == "float16" and bins == 1000:  # some thousandths are one number in half precision
        assert table["n"].sum() == 1000
        return
    assert table["bin"].to_list() == list(range(bins))
    assert table["n"].to_list() == [1] * bins


def test_zero_is_in_the_first_bin():
    # 0 and 0.5 against labels 1 and 0 in the first bin, 0.75 and 1 in the second
    assert MCE(bins=2, binning="width").of([0.0, 0.5, 0.75, 1.0], [1, 0, 1, 1]) == 1 / 2 - 1 / 4


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.7])
def test_a_score_meets_the_threshold_it_is_written_as(door, precision, threshold, tmp_path):
    scores = np.array([threshold, 0.0]).astype(precision)
    assert given(door, [1, 0], scores, f"recall(threshold={threshold})", tmp_path) == 1.0
    assert given(door, [1, 0], scores, f"recall(threshold={threshold}, strict=true)", tmp_path) == 0.0


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_same_for_several_labels(precision):
    scores = np.array([[0.1, 0.7], [0.7, 0.1]]).astype(precision)
    assert Accuracy(threshold=0.7).of(predictions=scores, truth=[[0, 1], [1, 0]]) == 1.0
    assert Recall(threshold=0.1, average="micro").of(predictions=scores, truth=[[1, 1], [1, 1]]) == 1.0


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_threshold_beyond_all_scores_of_a_precision(precision):
    assert Recall(threshold=1e308).of(predictions=np.array([0.5, 0.7]).astype(precision), truth=[1, 1]) == 0.0
    assert (
        Recall(threshold=-1e308).of(predictions=np.array([0.5, 0.7]).astype(precision), truth=[1, 1]) == 1.0
    )


def test_the_threshold_of_whole_numbers_is_not_rounded_to_one():
    assert Recall(threshold=1.5).of(predictions=np.array([1.0, 2.0]), truth=[1, 1]) == 1 / 2
    log = {"label": [1, 1, 0], "score": [1, 2, 0]}
    assert sy.evaluate(log, metrics="recall(threshold=1.5)")["recall(threshold=1.5)"] == 1 / 2


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_best_threshold_is_met_by_the_scores_it_came_from(precision):
    labels, scores = [1, 1, 0], np.array([0.7, 0.9, 0.3]).astype(precision)
    best = sy.best_threshold("f1", scores, labels)
    assert (
        sy.metric(f"f1(threshold={best.threshold!r})").of(predictions=scores, truth=labels)
        == best.value
        == 1.0
    )


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_bins_of_a_histogram(precision):
    """Ten bins from 0 to 1: each border begins a bin, whatever rounding does to it."""
    frame = curves.score_histogram(curves.scored(predictions=TENTHS.astype(precision), truth=CLICKS), bins=10)
    linear = frame.filter(pl.col("scale") == "linear")
    assert (linear["positives"] + linear["negatives"]).to_list() == [1.0] * 9 + [2.0]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("door", ["of", "arrays", "frame"])
def test_probabilities_of_classes(door, precision):
    """The most probable class was given 0.6 and is wrong, alone in its bin; in the next 0.65 is right."""
    names, labels = ["a", "b"], ["b", "b"]
    given_ = np.array([[0.6, 0.4], [0.35, 0.65]]).astype(precision)
    metric = ECE(bins=10, binning="width")
    if door == "of":
        found = metric.of(predictions=given_, truth=labels, classes=names)
    elif door == "arrays":
        found = sy.evaluate(given_, labels, metric, classes=names)[metric]
    else:
        frame = pl.DataFrame({"label": labels, "probability": given_})
        found = sy.evaluate(frame, metrics=metric, classes=names)[metric]
    assert found == approx((0.6 + 0.35) / 2, abs=TOLERANCE[precision])
