"""What a profile may ask of the data: whole grades, scores above 0, the last of doubled rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy

RUN = pl.DataFrame({"query": ["q"] * 3, "item": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
TRUE = pl.DataFrame({"query": ["q"] * 2, "item": ["a", "a"], "relevance": [1, 0]})


@pytest.mark.parametrize(
    ("duplicates", "value"),
    [
        ("first", 1.0),  # a stands first, and is relevant
        ("best", 1.0),
    ],
)
def test_the_first_or_the_best_of_doubled_rows(duplicates, value):
    assert sy.evaluate(RUN, TRUE, "mrr", duplicates=duplicates)["mrr"] == value


def test_the_last_of_doubled_predictions():
    """The last row of a has the lowest score: b stands first."""
    truth = {"q": {"a": 1}}
    assert sy.evaluate(RUN, truth, "mrr", duplicates="last")["mrr"] == 0.5


@pytest.mark.parametrize(("grades", "value"), [([3, 1], 1.0), ([1, 3], 3.0), ([2, 0, 1], 1.0)])
def test_the_last_of_doubled_judgements(grades, value):
    truth = pl.DataFrame({"query": ["q"] * len(grades), "item": ["a"] * len(grades), "relevance": grades})
    assert sy.evaluate({"q": ["a"]}, truth, "cg", duplicates="last")["cg"] == value


def test_a_grade_that_is_no_whole_number():
    run, truth = {"q": {"a": 1.0, "b": 0.5}}, {"q": {"a": 1, "b": 0.5}}
    assert sy.evaluate(run, truth, "cg")["cg"] == 1.5
    with pytest.raises(
        sy.SteelyardError, match="a grade of 0.5, which is no whole number\nwrite grades=as_given"
    ):
        sy.evaluate(run, truth, "cg", grades="whole")
    with pytest.raises(sy.SteelyardError, match="no whole number"):
        sy.evaluate(np.array([[1.0, 0.5]]), np.array([[1.0, 0.5]]), "cg", grades="whole")
    assert sy.evaluate(run, {"q": {"a": 2.0, "b": -1.0}}, "cg@1", grades="whole")["cg@1"] == 2.0


@pytest.mark.parametrize("score", [0.0, -1.5])
def test_a_score_that_is_not_above_0(score):
    run, truth = {"q": {"a": 1.0, "b": score}}, {"q": {"b": 1}}
    assert sy.evaluate(run, truth, "mrr")["mrr"] == 0.5
    with pytest.raises(
        sy.SteelyardError, match=f"a score is {score}, and scores=positive wants them above 0"
    ):
        sy.evaluate(run, truth, "mrr", scores="positive")
    with pytest.raises(sy.SteelyardError, match="scores=positive"):
        sy.evaluate(np.array([[1.0, score]]), np.array([[0, 1]]), "mrr", scores="positive")
    assert sy.evaluate({"q": {"a": 1.0, "b": 0.5}}, truth, "mrr", scores="positive")["mrr"] == 0.5
