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
        sy.SteelyardError, match="a grade of 0.5, which is not a whole number\nwrite grades=as_given"
    ):
        sy.evaluate(run, truth, "cg", grades="whole")
    with pytest.raises(sy.SteelyardError, match="not a whole number"):
        sy.evaluate(np.array([[1.0, 0.5]]), np.array([[1.0, 0.5]]), "cg", grades="whole")
    assert sy.evaluate(run, {"q": {"a": 2.0, "b": -1.0}}, "cg@1", grades="whole")["cg@1"] == 2.0


@pytest.mark.parametrize("score", [0.0, -1.5])
def test_a_score_that_is_not_above_0(score):
    run, truth = {"q": {"a": 1.0, "b": score}}, {"q": {"b": 1}}
    assert sy.evaluate(run, truth, "mrr")["mrr"] == 0.5
    with pytest.raises(
        sy.SteelyardError, match=f"a score is {score}, and scores=positive requires scores above 0"
    ):
        sy.evaluate(run, truth, "mrr", conventions={"scores": "positive"})
    with pytest.raises(sy.SteelyardError, match="scores=positive"):
        sy.evaluate(np.array([[1.0, score]]), np.array([[0, 1]]), "mrr", conventions={"scores": "positive"})
    assert (
        sy.evaluate({"q": {"a": 1.0, "b": 0.5}}, truth, "mrr", conventions={"scores": "positive"})["mrr"]
        == 0.5
    )
    masked = np.array([[1.0, 0.5, -np.inf]])
    assert sy.evaluate(masked, np.array([[0, 1, 1]]), "mrr", conventions={"scores": "positive"})["mrr"] == 0.5


GRADED = {"q": {"a": 0.5, "b": 2}, "r": {"a": 0, "b": -1}, "s": {"a": 1}}
SHOWN = {"q": ["a", "b"], "r": ["b", "a"], "s": ["b", "a"]}


def test_relevant_grades_alone():
    """Of q only b is left, of s only a, of r nothing: it is no query of the truth any more."""
    names = ["precision@1", "precision@2", "mrr", "cg", "ndcg@1"]
    result = sy.evaluate(SHOWN, GRADED, names, grades="relevant")
    assert [result[name] for name in names] == [0, 1 / 2, 1 / 2, 1, 0]
    assert result.per_query()["query"].unique().sort().to_list() == ["q", "s"]
    assert sy.evaluate(SHOWN, GRADED, "cg")["cg"] == (2.5 + 0 + 1) / 3


def test_a_query_whose_judgements_are_left_out_is_unexpected():
    found = sy.evaluate(SHOWN, GRADED, "precision@2", grades="relevant", unexpected="keep")
    assert found["precision@2"] == pytest.approx((1 / 2 + 0 + 1 / 2) / 3)


def test_relevant_grades_of_a_matrix():
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    grades = np.array([[0.5, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    result = sy.evaluate(scores, grades, ["mrr", "precision@1", "cg"], grades="relevant")
    assert dict(result.items()) == {"mrr": (1 / 2 + 1 / 3) / 2, "precision@1": 0, "cg": 1}


def test_relevant_grades_of_one_table():
    rows = pl.DataFrame(
        {
            "query": ["q", "q", "r"],
            "item": ["a", "b", "a"],
            "score": [2.0, 1.0, 1.0],
            "relevance": [0.5, 3.0, 0.0],
        }
    )
    assert sy.evaluate(rows, metrics="precision@2", grades="relevant")["precision@2"] == 1 / 2


def test_no_relevant_grade_at_all():
    with pytest.raises(sy.SteelyardError, match="no grade of 1 or more, and grades=relevant"):
        sy.evaluate(SHOWN, {"q": {"a": 0.5}}, "mrr", grades="relevant")


def test_a_level_that_no_relevant_grade_reaches():
    with pytest.raises(sy.SteelyardError, match="nothing reaches rel=2"):
        sy.evaluate(SHOWN, GRADED, "mrr(rel=2)", grades="relevant")


def test_judgements_may_be_doubled_and_predictions_may_not():
    truth = pl.DataFrame({"query": ["q"] * 3, "item": ["a", "b", "a"], "relevance": [3, 1, 1]})
    assert sy.evaluate({"q": ["a"]}, truth, "cg", duplicates="judged_once")["cg"] == 3
    with pytest.raises(sy.SteelyardError, match="1 row of predictions repeats"):
        sy.evaluate(RUN, {"q": {"a": 1}}, "mrr", duplicates="judged_once")
    with pytest.raises(sy.SteelyardError, match="of truth repeat"):
        sy.evaluate({"q": ["a"]}, truth, "cg")


@pytest.mark.parametrize(
    ("unjudged", "value"), [("nonrelevant", 1 / 3), ("drop", 1 / 2), ("drop_negative", 1)]
)
def test_what_is_removed_above_a_relevant_item(unjudged, value):
    """Above the relevant item stand one without judgement and one of grade -1."""
    run = {"q": {"x": 3.0, "p": 2.0, "a": 1.0}}
    assert sy.evaluate(run, {"q": {"p": -1, "a": 1}}, "mrr", unjudged=unjudged)["mrr"] == value


def test_rows_of_a_grade_below_0_are_removed_and_told():
    run, truth = (
        {"q": {"x": 3.0, "p": 2.0, "a": 1.0}, "r": {"x": 1.0}},
        {"q": {"p": -1, "a": 1}, "r": {"x": 0}},
    )
    result = sy.evaluate(
        run, truth, ["precision(denominator=retrieved)@all", "bpref"], unjudged="drop_negative"
    )
    assert result["precision(denominator=retrieved)@all"] == (1 / 1 + 0 / 1) / 2
    assert [note for note in result.notes if "removed" in note] == [
        "2 rows without judgement, or with a grade below 0: removed before ranking."
    ]


def test_cells_of_a_grade_below_0_are_removed_from_a_matrix():
    """A matrix of 0 and more judges every cell; the grade of -1 stands above the relevant one."""
    scores, truth = np.array([[3.0, 2.0, 1.0]]), np.array([[-1.0, 1.0, 0.0]])
    assert sy.evaluate(scores, truth, "mrr")["mrr"] == 0.5
    assert sy.evaluate(scores, truth, "mrr", unjudged="drop_negative")["mrr"] == 1.0
