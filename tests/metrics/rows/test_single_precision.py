"""Scores that are compared in single precision: what differs beyond it is tied."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics import AUC, GAUC, PRAUC, LogLoss

# 0.3 and 0.3 - 1e-9 are one number in single precision; above 0.2 and 0.1
LABEL, SCORE = [0, 1, 0, 1], [0.3, 0.3 - 1e-9, 0.1, 0.2]
# pairs of a positive and a negative: one tied, won over 0.1 by both, 0.2 lost to 0.3: (2 + ½) / 4
TIED = 0.625
SINGLE = AUC(scores="float32")


def test_scores_apart_beyond_single_precision_are_tied():
    assert AUC().of(LABEL, SCORE) == 0.5
    assert SINGLE.of(LABEL, SCORE) == TIED
    # at 0.3: one of two is positive, half of all are found; at 0.2: two of three, the other half
    assert PRAUC(scores="float32").of(LABEL, SCORE) == pytest.approx(0.5 * 0.5 + 0.5 * 2 / 3)
    # users of two rows each: the tied pair counts ½, the other 1
    assert GAUC().of(LABEL, SCORE, list("aabb")) == (0 + 1) / 2
    assert GAUC(scores="float32").of(LABEL, SCORE, list("aabb")) == (0.5 + 1) / 2


def test_a_probability_near_1_is_1_in_single_precision():
    near = LogLoss(clip=1e-10, scores="float32")
    assert near.of([0, 1], [1 - 1e-8, 1 - 1e-8]) == -math.log(1e-10) / 2
    assert near.of(list("ab"), [[0, 1 - 1e-8], [0, 1 - 1e-8]], classes=list("ab")) == -math.log(1e-10) / 2
    assert LogLoss(clip=1e-10).of([0], [1 - 1e-8]) == pytest.approx(-math.log(1e-8))


def test_both_in_one_call_keep_their_own():
    asked = ["auc", "auc(scores=float32)", "auc(scores=float32, thresholds=200)"]
    result = sy.evaluate({"label": LABEL, "score": SCORE}, metrics=asked)
    assert [result[one] for one in result] == [0.5, TIED, TIED]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_scores_that_are_no_more_exact_stay_as_they_are(dtype):
    rng = np.random.default_rng(1)
    label, score = rng.integers(0, 2, 200), rng.random(200).astype(dtype)
    assert SINGLE.of(label, score) == AUC().of(label, score)


def test_it_is_the_value_of_the_rounded_scores_everywhere():
    """Slices, weights, intervals, states and several classes: as if single precision had been given."""
    rng = np.random.default_rng(2)
    n = 400
    near = rng.integers(1, 39, n) / 40 + rng.integers(0, 3, n) * 1e-9
    rows = {"label": rng.integers(0, 2, n), "score": near, "site": rng.integers(0, 3, n).astype(str)}
    rows["query"] = rng.integers(0, 20, n)
    given = rows | {"score": near.astype("float32")}
    for metric in ("auc", "pr_auc", "gauc", "logloss"):
        ours = sy.evaluate(rows, metrics=f"{metric}(scores=float32)", by="site", unit="site").rows
        theirs = sy.evaluate(given, metrics=metric, by="site", unit="site").rows
        for column in ("value", "ci_low", "ci_high"):
            np.testing.assert_array_equal(ours[column].to_numpy(), theirs[column].to_numpy())
    scores = rng.dirichlet([1, 1, 1], n)
    label = rng.choice(list("abc"), n)
    for metric in (AUC, PRAUC):
        ours = metric(scores="float32").of(label, scores, classes=list("abc"))
        assert ours == metric().of(label, scores.astype("float32"), classes=list("abc"))


def test_libraries_that_compute_in_single_precision():
    """As XGBoost 3.1, torchmetrics 1.9 and Keras 3.15 print it; scikit-learn reads doubles."""
    asked = ["xgboost:auc", "torchmetrics:BinaryAUROC", "keras:AUC", "sklearn:roc_auc_score"]
    result = sy.evaluate({"label": LABEL, "score": SCORE}, metrics=asked, ci="none")
    assert [result[one] for one in asked] == [TIED, TIED, TIED, 0.5]
