"""The first items of each query, as a state that metrics of lists as a whole read."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.states.top_lists import TopLists


@pytest.fixture(autouse=True)
def metrics(own_registry):
    """The metrics of these tests, and of no others."""

    @sy.register("different_items")
    class DifferentItems(sy.Metric):
        """How many different items the first two places of all lists show."""

        at: ClassVar = "never"
        reads: ClassVar = "lists"
        unit: ClassVar = "items"
        bounds: ClassVar = (0.0, np.inf)
        ties: str = "item_desc"

        def need(self, stated=()):
            ranking = sy.MRR(ties=self.ties).need(stated)
            return dataclasses.replace(ranking, reads="lists", top=2)

        def measure(self, lists, each=None):
            shown = pl.DataFrame({"segment": lists.segments, "item": lists.frame["item"]}).unique()
            return np.bincount(shown["segment"].to_numpy(), minlength=lists.n_segments).astype(np.float64)

        def covered(self, lists, values, each=None):
            return values.astype(np.int64), np.zeros(len(values), np.int64)


RUN = {"1": {"a": 0.9, "b": 0.8, "c": 0.8}, "2": {"a": 0.3, "d": 0.2, "b": 0.1}, "3": {"a": 1.0}}
TRUTH = {"1": {"b": 1}, "2": {"a": 2}, "3": {"z": 1}}


def test_a_metric_of_lists_is_measured_beside_others():
    """The lists are (a, c), (a, d), (a): three items; b and c are tied, and the larger id stands first."""
    by = {"query": ["1", "2", "3"], "side": ["x", "y", "y"]}
    result = sy.evaluate(RUN, TRUTH, ["different_items", "mrr"], by=by)
    assert result["different_items"] == 3
    assert result["different_items", {"side": "x"}] == 2
    assert result["different_items", {"side": "y"}] == 2
    assert result["mrr"] == (1 / 3 + 1 + 0) / 3
    frame = result.measured[0].state.frame
    assert frame.select("query", "item").rows() == [
        ("1", "a"),
        ("1", "c"),
        ("2", "a"),
        ("2", "d"),
        ("3", "a"),
    ]


def test_of_matrices():
    scores = np.array([[0.1, 0.9, 0.5], [0.7, 0.2, 0.1]])
    result = sy.evaluate(scores, np.eye(2, 3), "different_items")
    assert result.measured[0].state.frame.select("query", "item").rows() == [(0, 1), (0, 2), (1, 0), (1, 1)]


def test_lists_without_items_are_refused():
    log = {"query": [1, 1], "label": [1, 0], "score": [0.3, 0.2]}
    with pytest.raises(sy.SteelyardError, match="has no item column, and lists are made of items"):
        sy.evaluate(log, metrics="different_items")


@pytest.mark.parametrize("seed", range(5))
def test_parts_go_together_in_any_order(seed):
    """Against sorting all rows at once, in plain Python; every score is of its own."""
    random = np.random.default_rng(seed)
    n = 60
    rows = pl.DataFrame(
        {
            "query": random.integers(0, 5, n).astype(str),
            "item": random.permutation(n).astype(str),
            "strength": random.permutation(n) / n,
        }
    )
    pieces = [
        TopLists(frame=part, queries=part["query"].unique().sort(), k=3).cut()
        for part in (rows[at::4] for at in random.permutation(4))
    ]
    merged = pieces[0]
    for piece in pieces[1:]:
        merged = merged.merge(piece)
    wanted = []
    for query in sorted(set(rows["query"])):
        mine = [(strength, item) for name, item, strength in rows.rows() if name == query]
        wanted += [(query, item) for _, item in sorted(mine, reverse=True)[:3]]
    assert merged.frame.select("query", "item").rows() == wanted
    assert merged.queries.to_list() == sorted(set(rows["query"]))
