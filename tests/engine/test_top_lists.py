"""The first items of each query, as a state that metrics of lists as a whole read."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

import steelyard as sy


@pytest.fixture(autouse=True)
def metrics():
    """The metrics of these tests, and of no others."""

    @sy.register("different_items")
    class DifferentItems(sy.AllListsMetric):
        """How many different items the first k places of all lists show."""

        bounds: ClassVar = (0.0, np.inf)

        def per_segment(self, lists):
            shown = lists.first(self.k)
            pairs = np.unique(np.stack((lists.segments[shown.query], shown.item)), axis=1)
            return np.bincount(pairs[0], minlength=lists.n_segments).astype(np.float64)


RUN = {"1": {"a": 0.9, "b": 0.8, "c": 0.8}, "2": {"a": 0.3, "d": 0.2, "b": 0.1}, "3": {"a": 1.0}}
TRUTH = {"1": {"b": 1}, "2": {"a": 2}, "3": {"z": 1}}


def test_a_metric_of_lists_is_measured_beside_others():
    """The lists are (a, c), (a, d), (a): three items; b and c are tied, and the larger id stands first."""
    by = {"query": ["1", "2", "3"], "side": ["x", "y", "y"]}
    result = sy.evaluate(RUN, TRUTH, ["different_items@2", "mrr"], by=by)
    assert result["different_items@2"] == 3
    assert result["different_items@2", {"side": "x"}] == 2
    assert result["different_items@2", {"side": "y"}] == 2
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
    result = sy.evaluate(scores, np.eye(2, 3), "different_items@2")
    assert result.measured[0].state.frame.select("query", "item").rows() == [(0, 1), (0, 2), (1, 0), (1, 1)]


def test_lists_without_items_are_refused():
    log = {"query": [1, 1], "label": [1, 0], "score": [0.3, 0.2]}
    with pytest.raises(sy.SteelyardError, match="has no item column, and lists are made of items"):
        sy.evaluate(log, metrics=["mrr", "different_items@2"])
