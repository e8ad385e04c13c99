"""A positive and a negative of the same score: half a pair in order, or an error."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import AUC, GAUC


def test_without_shared_scores_the_value_is_the_same():
    """Scores that rows of one class share change nothing: two pairs of four are in order."""
    labels, scores = [1, 1, 0, 0], [0.5, 0.5, 0.9, 0.1]
    assert (
        AUC(equal_scores="error").of(predictions=scores, truth=labels)
        == AUC().of(predictions=scores, truth=labels)
        == 0.5
    )


def test_a_shared_score_is_an_error_that_names_it():
    with pytest.raises(sy.SteelyardError) as raised:
        AUC(equal_scores="error").of([0.9, 0.9, 0.25, 0.25, 0.1], [1, 0, 1, 0, 1])
    assert raised.value.message == (
        "auc(equal_scores=error): 2 scores are shared by a positive and a negative, first 0.25"
    )


def test_a_row_that_weighs_nothing_shares_no_score():
    labels, scores = [1, 0, 0], [0.5, 0.5, 0.1]
    assert AUC(equal_scores="error").of(predictions=scores, truth=labels, weights=[1, 0, 1]) == 1.0


def test_groups_are_looked_at_one_by_one():
    """Both groups are in order; that 0.5 is a positive of one and a negative of the other is no tie there."""
    labels, scores, groups = [1, 0, 1, 0], [0.5, 0.1, 0.9, 0.5], ["a", "a", "b", "b"]
    assert GAUC(equal_scores="error").of(scores, labels, groups) == 1.0
    with pytest.raises(sy.SteelyardError, match="1 score is shared by a positive and a negative, first 0.5"):
        AUC(equal_scores="error").of(predictions=scores, truth=labels)
    with pytest.raises(sy.SteelyardError, match="1 score is shared"):
        GAUC(equal_scores="error").of(scores, labels, ["a"] * 4)


def test_slices_are_looked_at_one_by_one():
    rows = pl.DataFrame({"label": [1, 0, 1, 0], "score": [0.5, 0.1, 0.9, 0.5], "day": [1, 1, 2, 2]})
    found = sy.evaluate(rows.filter(pl.col("day") == 1), metrics="auc(equal_scores=error)", ci="none")
    assert found.rows["value"].to_list() == [1.0]
    with pytest.raises(sy.SteelyardError, match="1 score is shared"):
        sy.evaluate(rows, metrics="auc(equal_scores=error)", by="day", ci="none")


def test_every_curve_of_several_classes_is_looked_at():
    probabilities = [[0.6, 0.2, 0.2], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]]
    assert AUC(equal_scores="error").of(predictions=probabilities, truth=["a", "b", "c"]) == 1.0
    probabilities[2] = [0.6, 0.1, 0.3]
    with pytest.raises(sy.SteelyardError, match="first 0.6"):
        AUC(equal_scores="error").of(predictions=probabilities, truth=["a", "b", "c"])


def test_an_explanation_does_not_try_it():
    result = sy.evaluate(
        pl.DataFrame({"label": [1, 0], "score": [0.9, 0.1], "query": ["a", "a"]}), metrics=["auc", "gauc"]
    )
    for metric in ("auc", "gauc"):
        assert "equal_scores=error" not in str(result.explain(metric))
