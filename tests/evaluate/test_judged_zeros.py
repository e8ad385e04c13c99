"""Items judged with 0 reach the metrics that declare that they need them, and no others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import steelyard as sy


@pytest.fixture(autouse=True)
def metrics():
    """The metrics of these tests, and of no others."""

    @sy.register("zeros_in_lists")
    class ZerosInLists(sy.RankingMetric):
        """How many items judged with 0 a list shows."""

        at: ClassVar = "never"
        bounds: ClassVar = (0.0, np.inf)
        needs_judged_zeros: ClassVar = True

        def per_query(self, ranked):
            return ranked.sum_by_query(ranked.hits.query, ranked.hits.grade == 0)

    @sy.register("hits_in_lists")
    class HitsInLists(sy.RankingMetric):
        """How many hits a list has."""

        at: ClassVar = "never"
        bounds: ClassVar = (0.0, np.inf)

        def per_query(self, ranked):
            return ranked.sum_by_query(ranked.hits.query, np.ones(len(ranked.hits.query)))


def test_of_tables():
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "r": {"a": 1.0}}
    truth = {"q": {"a": 0, "b": 2, "d": 0, "z": 0}, "r": {"z": 1}}
    result = sy.evaluate(run, truth, ["zeros_in_lists", "hits_in_lists", "mrr"])
    values = {(row["query"], row["metric"]): row["value"] for row in result.per_query().to_dicts()}
    assert values["q", "zeros_in_lists"] == 2
    assert values["r", "zeros_in_lists"] == 0
    assert values["q", "hits_in_lists"] == 1
    assert result["mrr"] == (1 / 2 + 0) / 2


def test_of_one_table_and_of_matrices():
    grades, scores = np.array([[0, 1, 0], [0, 0, 0]]), np.array([[3.0, 2.0, -np.inf], [1.0, 2.0, 3.0]])
    result = sy.evaluate(scores, grades, ["zeros_in_lists", "hits_in_lists"])
    assert result["zeros_in_lists"] == (1 + 3) / 2
    assert result["hits_in_lists"] == (1 + 0) / 2
    log = pl.DataFrame({"query": [0] * 3 + [1] * 3, "grade": grades.reshape(-1), "score": scores.reshape(-1)})
    assert sy.evaluate(log, metrics="zeros_in_lists")["zeros_in_lists"] == (1 + 3) / 2


def test_of_lists():
    assert sy.metric("zeros_in_lists").of([0, 1, 0]) == 2
    assert sy.metric("hits_in_lists").of([0, 1, 0]) == 1
    # one zero is judged: the other has no judgement
    assert sy.metric("zeros_in_lists").of([0, 1, 0], judged=[1, 0]) == 1
    assert sy.metric("zeros_in_lists").of([[0, 1, 0], [0, 0]], judged=[[1], [0, 0, 0]]) == (0 + 2) / 2
    assert sy.metric("zeros_in_lists(depth=1)").of([1, 0]) == 0


def test_of_a_small_example():
    made = sy.explain("zeros_in_lists", grades=[0, 1, 0], judged=[1, 0])
    assert made.value == 1
    grades = made.steps[0].column("grade").cells
    assert grades[:2] == (0, 1)
    assert np.isnan(grades[2])


def test_a_judged_zero_may_be_tied_where_ties_are_an_error():
    run, truth = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1, "b": 0}}
    assert sy.evaluate(run, truth, "zeros_in_lists", ties="error")["zeros_in_lists"] == 1


@pytest.mark.parametrize("ties", ["item_desc", "expected", "optimistic"])
def test_beside_ties(ties):
    run, truth = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 0, "b": 1}}
    result = sy.evaluate(run, truth, ["zeros_in_lists", "hits_in_lists"], ties=ties)
    assert (result["zeros_in_lists"], result["hits_in_lists"]) == (1, 1)
