"""r2 where the truth does not vary: undefined, or 1 and 0 where that is asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics import R2

from ...tables import each_row

MET = R2(constant_truth="met")


@each_row(
    ("truth", "said", "expected"),
    [
        ([4, 4], [4, 4], 1.0),
        ([4, 4], [4, 5], 0.0),
        ([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], 1.0),
        ([4], [4], math.nan),
        ([], [], math.nan),
        ([1, 2, 3], [1, 3, 3], 1 - 1 / 2),  # errors 0 1 0, distances from 2: 1 0 1
    ],
)
def test_a_truth_that_does_not_vary(truth, said, expected):
    assert MET.of(predictions=said, truth=truth) == pytest.approx(expected, nan_ok=True)
    assert math.isnan(R2().of(predictions=said, truth=truth)) == (len(set(truth)) < 2)


def test_slices_that_do_not_vary_stand_beside_one_that_does():
    rows = {"label": [4, 4, 3, 3, 1, 3], "predicted": [4, 4, 3, 2, 1, 2], "site": list("aabbcc")}
    result = sy.evaluate(rows, metrics="r2(constant_truth=met)", by="site", ci="none")
    # c: 1 - (0 + 1) / (1 + 1)
    assert result.rows["value"].to_list()[1:] == [1.0, 0.0, 0.5]


def test_a_row_of_no_weight_does_not_make_the_truth_vary():
    assert MET.of(predictions=[4, 4, 0], truth=[4, 4, 9], weights=[1, 2, 0]) == 1.0


@pytest.mark.parametrize(("said", "value"), [([4, 4], 1.0), ([4, 5], 0.0)])
def test_the_explanation_says_why(said, value):
    made = sy.explain(MET, labels=[4, 4], scores=said)
    assert (made.value, made.recomputed()) == (value, value)
    assert "all true values are equal: 1 where every one is predicted exactly, else 0." in made.to_text()


def test_libraries_that_give_a_number():
    rows = {"label": np.array([4.0, 4.0]), "predicted": np.array([4.0, 5.0])}
    asked = ["sklearn:r2_score", "lightgbm:r2", "catboost:R2", "torchmetrics:R2Score"]
    result = sy.evaluate(rows, metrics=asked, ci="none")
    assert [result[one] for one in asked] == [0.0, 0.0, 1.0, 0.0]  # each printed so
