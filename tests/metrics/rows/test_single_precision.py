"""Scores that are compared in single precision: what differs beyond it is tied, or at the threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics import AUC, ECE, GAUC, PRAUC, Accuracy, LogLoss, Precision, best_threshold

# 0.3 and 0.3 - 1e-9 are one number in single precision; above 0.2 and 0.1
LABEL, SCORE = [0, 1, 0, 1], [0.3, 0.3 - 1e-9, 0.1, 0.2]
# pairs of a positive and a negative: one tied, won over 0.1 by both, 0.2 lost to 0.3: (2 + ½) / 4
TIED = 0.625
SINGLE = AUC(scores="float32")


def test_scores_apart_beyond_single_precision_are_tied():
    assert AUC().of(predictions=SCORE, truth=LABEL) == 0.5
    assert SINGLE.of(SCORE, LABEL) == TIED
    # at 0.3: one of two is positive, half of all are found; at 0.2: two of three, the other half
    assert PRAUC(scores="float32").of(SCORE, LABEL) == pytest.approx(0.5 * 0.5 + 0.5 * 2 / 3)
    # users of two rows each: the tied pair counts ½, the other 1
    assert GAUC().of(SCORE, LABEL, list("aabb")) == (0 + 1) / 2
    assert GAUC(scores="float32").of(SCORE, LABEL, list("aabb")) == (0.5 + 1) / 2


def test_a_probability_near_1_is_1_in_single_precision():
    near = LogLoss(clip=1e-10, scores="float32")
    assert near.of([1 - 1e-8, 1 - 1e-8], [0, 1]) == -math.log(1e-10) / 2
    assert near.of([[0, 1 - 1e-8], [0, 1 - 1e-8]], list("ab"), classes=list("ab")) == -math.log(1e-10) / 2
    assert LogLoss(clip=1e-10).of([1 - 1e-8], [0]) == pytest.approx(-math.log(1e-8))


def test_both_in_one_call_keep_their_own():
    asked = ["auc", "auc(scores=float32)", "auc(scores=float32, thresholds=200)"]
    result = sy.evaluate({"label": LABEL, "score": SCORE}, metrics=asked)
    assert [result[one] for one in result] == [0.5, TIED, TIED]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_scores_that_are_no_more_exact_stay_as_they_are(dtype):
    rng = np.random.default_rng(1)
    label, score = rng.integers(0, 2, 200), rng.random(200).astype(dtype)
    assert SINGLE.of(score, label) == AUC().of(predictions=score, truth=label)


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
        ours = metric(scores="float32").of(predictions=scores, truth=label, classes=list("abc"))
        assert ours == metric().of(predictions=scores.astype("float32"), truth=label, classes=list("abc"))


def test_libraries_that_compute_in_single_precision():
    """As XGBoost 3.1, torchmetrics 1.9 and Keras 3.15 print it; scikit-learn reads doubles."""
    asked = ["xgboost:auc", "torchmetrics:BinaryAUROC", "keras:AUC", "sklearn:roc_auc_score"]
    result = sy.evaluate({"label": LABEL, "score": SCORE}, metrics=asked, ci="none")
    assert [result[one] for one in asked] == [TIED, TIED, TIED, 0.5]


# in single precision all of them are 0.5: nothing is above it, and everything reaches it
NEAR_LABEL, NEAR = [1, 1, 0, 0, 0], [0.5 + 1e-9, 0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 - 1e-9]


def test_a_score_beyond_single_precision_is_at_the_threshold():
    """As given three reach 0.5, two of them rightly; in single precision all five do, or none."""
    assert Precision().of(NEAR, NEAR_LABEL) == 2 / 3
    assert Precision(scores="float32").of(NEAR, NEAR_LABEL) == 2 / 5
    assert Accuracy(strict=True).of(NEAR, NEAR_LABEL) == (1 + 2) / 5
    assert Accuracy(strict=True, scores="float32").of(NEAR, NEAR_LABEL) == 3 / 5
    # as given 0.5 finds both positives for one negative: 2·2 / (3 + 2); in single precision for all three
    assert best_threshold("f1", NEAR, NEAR_LABEL) == (0.5, pytest.approx(4 / 5))
    assert best_threshold("f1(scores=float32)", NEAR, NEAR_LABEL) == (0.5, pytest.approx(4 / 7))


def test_thresholds_in_single_precision_of_slices_several_labels_and_named_classes():
    rows = {"label": NEAR_LABEL, "score": NEAR, "site": list("aabbb")}
    asked = "recall(scores=float32, strict=true)"
    assert sy.evaluate(rows, metrics=asked, by="site").rows["value"].to_list()[:2] == [0, 0]
    named = {"label": ["yes" if one else "no" for one in NEAR_LABEL], "score": NEAR}
    result = sy.evaluate(named, metrics=["precision", "precision(scores=float32)"], classes=["no", "yes"])
    assert [result[one] for one in result] == [2 / 3, 2 / 5]
    truth, scores = [[1, 0], [0, 1]], [[0.5, 0.5 - 1e-9], [0.5 - 1e-9, 0.5]]
    assert Precision(average="micro").of(scores, truth) == 1
    assert Precision(average="micro", scores="float32").of(scores, truth) == 2 / 4


def test_the_most_probable_class_in_single_precision_is_the_first_of_equals():
    label, scores = ["a", "b"], [[0.5, 0.5 + 1e-9], [0.4, 0.6]]
    assert Accuracy().of(scores, label, classes=["a", "b"]) == 1 / 2
    assert Accuracy(scores="float32").of(scores, label, classes=["a", "b"]) == 2 / 2


def test_a_border_of_bins_in_single_precision():
    """Below ½ nothing happened, at it all did; in single precision both stand at ½, in one bin."""
    label, scores = [0, 1], [0.5 - 1e-9, 0.5]
    assert ECE(bins=2, binning="width_lower").of(scores, label) == pytest.approx(1 / 2)
    assert ECE(bins=2, binning="width_lower", scores="float32").of(scores, label) == 0


def test_which_finds_single_precision_at_a_threshold_and_leaves_it_out_where_it_changes_nothing():
    found = sy.which({"label": NEAR_LABEL, "score": NEAR}, claims={"precision": "0.4000"})
    assert "precision(scores=float32)" in found.texts
    plain = sy.which({"label": [1, 0, 1], "score": [0.9, 0.6, 0.2]}, claims={"precision": "0.5000"})
    assert not any("float32" in text for text in plain.texts)


def test_libraries_that_compare_with_a_threshold_in_single_precision():
    """As Keras 3.15 and torchmetrics 1.9 print it, which want more than 0.5."""
    asked = ["keras:Recall", "torchmetrics:BinaryRecall", "recall(strict=true)"]
    result = sy.evaluate({"label": NEAR_LABEL, "score": NEAR}, metrics=asked, ci="none")
    assert [result[one] for one in asked] == [0, 0, 1 / 2]
