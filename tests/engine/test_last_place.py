"""Ties of which each item has the last place: a stands first, b, c and d share place 4, e is fifth."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy

from ..tables import each_row

RUN = {"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}}
TRUTH = {"q": {"b": 1, "c": 1, "e": 1}}
DCG = 2 / math.log2(5) + 1 / math.log2(6)
VALUES = {
    "precision@3": 0,
    "precision@4": 2 / 4,
    "recall@4": 2 / 3,
    "f1@4": 2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3),
    "hit_rate@3": 0,
    "hit_rate@4": 1,
    "mrr": 1 / 4,
    "mrr@3": 0,
    "r_precision": 0,  # in the first three places stands nothing relevant
    "map": (2 / 4 + 2 / 4 + 3 / 5) / 3,  # at place 4 are two hits, and both count there
    "map@4": (2 / 4 + 2 / 4) / 3,
    "map(denominator=hits)@4": 1 / 2,
    "dcg": DCG,
    "cg@4": 2,
    "ndcg": DCG / (1 + 1 / math.log2(3) + 1 / 2),
    "rbp(p=0.5)": 0.5 * (2 * 0.5**3 + 0.5**4),
    "precision(depth=3)@5": 0,
}


@each_row("metric", VALUES)
def test_by_hand(metric):
    assert sy.evaluate(RUN, TRUTH, metric, ties="last")[metric] == pytest.approx(VALUES[metric], rel=1e-15)


def test_a_matrix_gives_the_same():
    scores, grades = np.array([[3.0, 2.0, 2.0, 2.0, 1.0]]), np.array([[0, 1, 1, 0, 1]])
    result = sy.evaluate(scores, grades, list(VALUES), ties="last")
    assert [value for _, value in result.items()] == pytest.approx(list(VALUES.values()), rel=1e-15)


def test_grades_of_a_tie():
    """Both have place 2: (3 + 1) / log2(3) over the best order of the two."""
    value = sy.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 3, "b": 1}}, "ndcg(ties=last)")
    assert value["ndcg(ties=last)"] == pytest.approx((4 / math.log2(3)) / (3 + 1 / math.log2(3)))


def test_without_ties_it_is_as_ever():
    run = {"q": {item: -place for place, item in enumerate("abcde")}}
    names = ["map", "ndcg@3", "mrr", "precision@2"]
    last, by_item = (sy.evaluate(run, TRUTH, names, ties=ties) for ties in ("last", "item_desc"))
    assert list(last.items()) == list(by_item.items())


@each_row("metric", ["err@5", "bpref", "infap", "iprecision", "judged@3"])
def test_metrics_that_read_one_item_at_each_place_refuse_it(metric):
    with pytest.raises(sy.SteelyardError, match="ties=last gives all tied items the same rank"):
        sy.evaluate(RUN, TRUTH, metric, ties="last")


def test_lists_as_a_whole_refuse_it():
    with pytest.raises(sy.SteelyardError, match="ties=last gives none"):
        sy.evaluate(RUN, metrics="coverage@3", ties="last", catalog=list("abcde"))


@pytest.mark.parametrize("metric", ["map", "mrr", "ndcg@4", "precision@4"])
def test_it_is_explained(metric):
    result = sy.evaluate(RUN, TRUTH, metric, ties="last")
    told = result.explain(metric, "q")
    assert told.value == pytest.approx(VALUES.get(metric, result[metric]))
    assert [row.split()[0] for row in str(told).splitlines() if " b " in row or " c " in row] == ["4", "4"]
