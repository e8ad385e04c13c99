"""Weights and ratings from 1e-60 to 1e60: the size cancels, and no digit is lost."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine.scored import Rated
from steelyard.metrics import AUC, GAUC, MAE, MCC, MSE, NE, R2, RMSE, Confusion, RowMetric, by_name
from steelyard.metrics.classes.base import ClassMetric

from ...tables import each_row

approx = pytest.approx

LABELS = [1, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.4, 0.35, 0.8, 0.7, 0.1]
USERS = ["a", "a", "a", "b", "b", "b"]
WEIGHTS = np.array([1.0, 2.0, 1.0, 4.0, 1.0, 2.0])
SIZES = [1e-60, 1e-50, 1e50, 2.5e59]

EVERY = [
    "auc",
    "auc(max_fpr=0.5)",
    "pr_auc",
    "pr_auc(rule=trapezoid)",
    "pr_auc(rule=davis)",
    "ks",
    "logloss",
    "ne",
    "rig",
    "brier",
    "calibration",
    "copc",
    "ece(bins=2)",
    "ece(bins=2, binning=width)",
    "mce(bins=2)",
    "gauc",
    "gauc(weight=clicks)",
    "gauc(weight=pairs)",
    "gauc(weight=uniform)",
    "gauc(weight=pairs, single_class=half)",
    "accuracy",
    "precision",
    "recall",
    "specificity",
    "fpr",
    "f1",
    "fbeta(beta=3)",
    "balanced_accuracy",
    "mcc",
    "f1(average=macro)",
    "f1(average=weighted)",
]
TRIED = {text.partition("(")[0] for text in EVERY}
EVERY += [name for name, cls in by_name().items() if issubclass(cls, RowMetric) and name not in TRIED]


def value(text, weights):
    metric = sy.metric(text)
    groups = {} if isinstance(metric, ClassMetric) else {"groups": USERS}
    return metric.of(predictions=SCORES, truth=LABELS, **groups, weights=weights)


@pytest.mark.parametrize("text", EVERY)
@pytest.mark.parametrize("size", SIZES)
def test_the_size_of_weights_cancels(text, size):
    assert value(text, WEIGHTS * size) == approx(value(text, WEIGHTS), rel=1e-13)


@pytest.mark.parametrize("size", SIZES)
def test_the_size_of_weights_cancels_slice_by_slice(size):
    """One slice of ordinary weights beside one of extreme ones."""
    log = pl.DataFrame(
        {"label": LABELS * 2, "score": SCORES * 2, "query": USERS * 2, "shop": ["x"] * 6 + ["y"] * 6}
    )
    log = log.with_columns(w=np.concatenate([WEIGHTS, WEIGHTS * size]))
    found = sy.evaluate(log, metrics=EVERY, by="shop", weights="w").table()
    plain, extreme = (found.filter(pl.col("shop") == shop)["value"].to_list() for shop in "xy")
    assert extreme == approx(plain, rel=1e-13)


@pytest.mark.parametrize("weight", [1e-60, 1e60])
def test_by_hand(weight):
    """tp 2, fp 1, fn 1, tn 2 by the threshold 0.5: (2·2 - 1·1) / √(3·3·3·3); of 9 pairs 7 are in order."""
    weights = [weight] * 6
    labels, scores = [1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.2, 0.7, 0.3, 0.1]
    assert MCC().of(predictions=scores, truth=labels, weights=weights) == approx(
        (2 * 2 - 1 * 1) / sqrt(3**4), rel=1e-14
    )
    assert AUC().of(predictions=scores, truth=labels, weights=weights) == approx((3 + 3 + 1) / 9, rel=1e-14)


def test_a_rare_class_of_tiny_weight():
    """Products of the two classes' weights alone would vanish."""
    assert AUC().of([0.5, 0.1, 0.9], [1, 0, 0], weights=[1e-60, 1e-60, 3e-60]) == approx(1 / 4)
    assert MCC().of(predictions=[1, 0, 0], truth=[1, 1, 0], weights=[1e-60, 1e-60, 1.0]) == approx(
        sqrt(1 / 2)
    )


def test_normalised_entropy_where_one_class_is_very_rare():
    """A rate of 1 - 1e-20 is 1: the log loss of it is taken from the share of the rare class, either way."""
    loss = -log(0.9) * (1e20 + 1)
    baseline = 1 + -log(1e-20)  # 1e20 · 1e-20 of the common class, and the rare row
    assert NE().of([0.9, 0.1], [1, 0], weights=[1e20, 1]) == approx(loss / baseline, rel=1e-12)
    assert NE().of([0.9, 0.1], [1, 0], weights=[1, 1e20]) == approx(loss / baseline, rel=1e-12)


def test_groups_of_very_different_weight():
    """By impressions the heavy user decides alone; alike, each counts."""
    labels, scores, users = [1, 0, 1, 0], [0.9, 0.1, 0.2, 0.8], ["a", "a", "b", "b"]
    weights = [1e60, 1e60, 1e-60, 1e-60]
    assert GAUC().of(scores, labels, users, weights=weights) == 1.0
    assert GAUC(weight="uniform").of(scores, labels, users, weights=weights) == 1 / 2


@pytest.mark.parametrize("size", [1e-60, 1e59])
def test_a_matrix_has_the_weights_as_given(size):
    assert Confusion().of(predictions=[1, 1], truth=[1, 0], weights=[size, 2 * size]) == [
        [0.0, 2 * size],
        [0.0, size],
    ]


@pytest.mark.parametrize("size", [1e-60, 1e59])
def test_curves_have_the_weights_as_given(size):
    log = {"label": [1, 0], "score": [0.9, 0.2], "w": [size, 3 * size]}
    result = sy.evaluate(log, metrics="auc", weights="w")
    assert result.curve("roc").frame["positives"].to_list() == [0.0, size, size]
    assert result.curve("roc").frame["tpr"].to_list() == [0.0, 1.0, 1.0]
    assert result.curve("calibration", bins=2).frame["weight"].to_list() == [3 * size, size]
    histogram = result.curve("score_histogram", bins=1).frame
    assert histogram.filter(pl.col("scale") == "linear").select("positives", "negatives").row(0) == (
        size,
        3 * size,
    )


@each_row("size", [1e-60, 1e-50, 1e50, 1e59])
def test_ratings_of_any_size(size):
    """Misses of 0, 1 and 2 sizes; the truth 1, 2, 3 lies 1, 0 and 1 from its mean."""
    truth, said = np.array([1.0, 2.0, 3.0]) * size, np.array([1.0, 3.0, 5.0]) * size
    assert RMSE().of(predictions=said, truth=truth) == approx(sqrt(5 / 3) * size, rel=1e-14)
    assert MAE().of(predictions=said, truth=truth) == approx(size, rel=1e-14)
    assert R2().of(predictions=said, truth=truth) == approx(1 - 5 / 2, rel=1e-14)


@each_row(
    ("metric", "rows"),
    [
        ("mse", {"predictions": [0.0, 0.0, 1.0], "truth": [1.0, -1e61, 0.0]}),
        ("r2", {"predictions": [0.0, 1.0, 2.0], "truth": [0.0, -1e61, 0.0]}),
    ],
)
def test_ratings_whose_squares_are_no_ordinary_numbers_are_refused(metric, rows):
    for call in (sy.metric(metric).of, lambda **rows: sy.evaluate(**rows, metrics=metric)):
        with pytest.raises(
            sy.SteelyardError, match=r"row 2: label is -1e[+]61, the largest in size"
        ) as error:
            call(**rows)
        assert error.value.remedy == "give ratings in another unit, the largest at most 1e60"


@pytest.mark.parametrize("metric", ["rmse", "mse", "r2"])
def test_ratings_whose_squares_are_0_are_refused_in_their_slice_alone(metric):
    """(1e-200)² is 0 in double precision: beside a rating of 1 nothing is lost, alone all is."""
    rows = {"label": [1e-200, 3e-200, 1.0, 2.0], "predicted": [2e-200, 0.0, 1.5, 2.0], "site": list("aabb")}
    assert sy.evaluate(rows, metrics="rmse")["rmse"] == approx(np.sqrt(0.25 / 4), rel=1e-15)
    with pytest.raises(sy.SteelyardError, match="so small that their squares are 0"):
        sy.evaluate(rows, metrics=metric, by="site")
    assert sy.MSE().of(predictions=[1e-80, 2e-80], truth=[0, 1]) == approx(0.5, rel=1e-15)
    assert sy.RMSE().of(predictions=[1e-200], truth=[1e-200]) == 0


@pytest.mark.parametrize("apart", [1e-50, 1e-60])
def test_ratings_that_differ_a_little_are_not_equal(apart):
    assert R2().of(predictions=[0.0, apart], truth=[0.0, apart]) == 1.0
    result = sy.evaluate(predictions=[0.0, apart], truth=[0.0, apart], metrics="r2", ci="none")
    assert result["r2"] == 1.0
    assert result.notes == ()


def test_ratings_with_a_large_offset():
    assert R2().of(predictions=[1e16, 1e16], truth=[1e16, 1e16 + 2]) == 1 - 4 / 2


def test_a_row_of_weight_0_is_no_row_however_far_off():
    weights = [1.0, 1.0, 0.0]
    assert RMSE().of(predictions=[2.0, 3.0, -1e59], truth=[1.0, 2.0, 1e59], weights=weights) == 1.0
    assert R2().of(predictions=[1.0, 2.0, -1e59], truth=[1.0, 2.0, 1e59], weights=weights) == 1.0


@pytest.mark.parametrize("size", [1e-60, 1e59])
def test_weights_of_ratings(size):
    found = [
        metric.of(predictions=[1.0, 4.0], truth=[1.0, 2.0], weights=[3 * size, size])
        for metric in (MSE(), RMSE(), MAE())
    ]
    assert found == approx([4 / 4, 1.0, 2 / 4], rel=1e-14)


@pytest.mark.parametrize("size", [1e-59, 1e59])
def test_explanations_lead_to_the_value(size):
    rated = {"label": np.array([1.0, 2.0, 3.0]) * size, "score": np.array([1.0, 3.0, 5.0]) * size}
    result = sy.evaluate(rated, metrics=["rmse", "mae", "r2"])
    for name, value in dict(result).items():
        assert result.explain(name).recomputed() == approx(value, rel=1e-13)
    log = {"label": LABELS, "score": SCORES, "w": WEIGHTS * size}
    weighted = sy.evaluate(log, metrics=["mcc", "auc", "logloss", "f1"], weights="w")
    for name, value in dict(weighted).items():
        assert weighted.explain(name).recomputed() == approx(value, rel=1e-13)


def test_errors_are_squared_and_added_up_once(monkeypatch):
    """For mse, for rmse and for r2."""
    added, total = [], Rated.total

    def counted(self, values=None):
        added.append(values)
        return total(self, values)

    monkeypatch.setattr(Rated, "total", counted)
    sy.evaluate(predictions=[1.0, 2.0, 4.0], truth=[1.0, 4.0, 7.0], metrics=["mse", "rmse", "r2"])
    assert sum(values is not None and values.tolist() == [0, 4, 9] for values in added) == 1
