"""Ratings: worked by hand, at the edges, and far from zero."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import MAE, MSE, R2, RMSE
from steelyard.text.errors import SteelyardError

from ...tables import each_row

TRUTH, PREDICTED = [3, 5, 2, 7], [2.5, 5, 4, 8]

WORKED = [
    (RMSE(), 1.14564392373896),  # worked_examples.json
    (MAE(), 0.875),  # worked_examples.json
    (MSE(), (0.25 + 0 + 4 + 1) / 4),
    # the mean is 17/4; squares around it: 25/16, 9/16, 81/16, 121/16
    (R2(), 1 - 5.25 / (236 / 16)),
]

ALL = [RMSE(), MSE(), MAE(), R2()]


@each_row(("metric", "value"), WORKED, ids=lambda part: str(part))
def test_by_hand(metric, value):
    assert metric.of(predictions=PREDICTED, truth=TRUTH) == pytest.approx(value, abs=1e-14)


def test_weights_are_copies():
    for metric in ALL:
        assert metric.of(predictions=PREDICTED, truth=TRUTH, weights=[2, 1, 0, 3]) == pytest.approx(
            metric.of(predictions=[2.5, 2.5, 5, 8, 8, 8], truth=[3, 3, 5, 7, 7, 7]), abs=1e-14
        )


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_no_row_is_undefined(metric):
    assert math.isnan(metric.of(predictions=[], truth=[]))
    assert math.isnan(metric.of(predictions=[1, 2], truth=[1, 2], weights=[0, 0]))


def test_r2_needs_two_rows_and_a_truth_that_varies():
    assert math.isnan(R2().of(predictions=[3], truth=[3]))
    assert math.isnan(R2().of(predictions=[0.1, 0.2, 0.3], truth=[0.1, 0.1, 0.1]))
    assert math.isnan(R2().of(predictions=[1, 2], truth=[1, 2], weights=[1, 0]))
    assert R2(undefined="zero").of(predictions=[3], truth=[3]) == 0
    assert R2().of(predictions=[1, 2], truth=[1, 2]) == 1
    assert R2().of(predictions=[2, 1], truth=[1, 2]) == 1 - 2 / 0.5
    assert MAE().of(predictions=[4], truth=[3]) == 1


def test_one_row_may_be_met_or_missed():
    met = R2(constant_truth="met_always")
    assert (met.of(predictions=[3], truth=[3]), met.of(predictions=[2.5], truth=[3])) == (1, 0)
    assert math.isnan(met.of([], []))
    assert sy.explain("r2(constant_truth=met_always)", labels=[3], scores=[2.5]).recomputed() == 0


def test_ratings_in_single_precision():
    """It holds every second whole number above 2^24: 2^24 + 1 becomes 2^24, and 2^24 + 3 becomes 2^24 + 4."""
    truth, predicted = [2**24 + 1, 2**24], [2**24 + 3, 2**24]
    pair = {"predictions": predicted, "truth": truth}
    for given, miss in (("as_given", 2), ("float32_truth", 3), ("float32", 4)):
        assert MAE(ratings=given).of(**pair) == miss / 2
        assert MSE(ratings=given).of(**pair) == miss**2 / 2
        assert RMSE(ratings=given).of(**pair) == math.sqrt(miss**2 / 2)
    assert R2(ratings="float32_truth").of(predictions=[2**24] * 2, truth=[2**24 + 1, 2**24 + 4]) == 1 - 16 / 8
    asked = ["mae", "mae(ratings=float32)", "lightgbm:l1", "xgboost:mae"]
    result = sy.evaluate({"label": truth, "predicted": predicted, "by": list("ab")}, metrics=asked, by="by")
    assert [result[one, {"by": "a"}] for one in asked] == [2, 4, 3, 4]
    with pytest.raises(SteelyardError, match="label"):
        MAE(ratings="float32").of(predictions=[1], truth=[1e39])


def test_which_and_differences_name_the_precision_of_ratings():
    log = pl.DataFrame({"label": [2.0**24 + 1, 2.0**24], "score": [2.0**24 + 3, 2.0**24]})
    assert "mae(ratings=float32)" in sy.which(log, claims={"mae": "2.0000"}).texts
    gap = sy.differences(log, metric="mae", profiles=("xgboost", "lightgbm"))
    assert gap.parts["ratings"] == 3 / 2 - 4 / 2


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e12])
def test_r2_far_from_zero(offset):
    """The digits that are given all count: compared with exact fractions of the same floats."""
    rng = np.random.default_rng(2)
    truth = rng.random(50) + offset
    predicted = truth + rng.normal(0, 0.1, 50)
    y, p = ([Fraction(value) for value in column.tolist()] for column in (truth, predicted))
    mean = sum(y) / len(y)
    over = sum((a - b) ** 2 for a, b in zip(y, p, strict=True))
    exact = 1 - over / sum((a - mean) ** 2 for a in y)
    assert R2().of(predictions=predicted, truth=truth) == pytest.approx(float(exact), abs=1e-12)


@each_row(
    ("truth", "predicted", "weights", "said"),
    [
        ([1, math.nan], [1, 1], None, "the arrays, row 2: label is null"),
        ([1, 1], [1, math.inf], None, "the arrays, row 2: score is 'inf'"),
        ([1, 1], [1], None, "1 prediction but 2 labels"),
        ([1, 1], [1, 1], [1, -1], "row 2: weight is -1"),
        ([1, 1], [1, 1], [1], "2 rows but 1 weight"),
        ([[1, 1]], [[1, 1]], None, "rmse needs one label per row; a matrix holds several"),
    ],
)
def test_bad_input_is_told(truth, predicted, weights, said):
    with pytest.raises(SteelyardError) as caught:
        RMSE().of(predictions=predicted, truth=truth, weights=weights)
    assert said in str(caught.value)
