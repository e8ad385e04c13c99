"""How far a list is from what a user would have been shown anyway."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from steelyard import kernels
from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.kernels.means import count_below, ratio
from steelyard.metrics.lists.base import DistanceMetric, history_of
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Parts, Steps
from steelyard.metrics.steps.lists import first_rows, item_names, mean_steps
from steelyard.text import say

BASELINE_LIST = say("the baseline list", key="baseline_list")


@register("unexpectedness", zh="意外性")
class Unexpectedness(DistanceMetric):
    """How much of the first k items a plain recommender would not have shown.

    The share of the list that the user's baseline list lacks. That is the first k of ``baseline_lists``; if
    none are given, the k most popular items of the history (and of the catalogue) that the user did not have.
    With ``against=history`` it is the mean distance of the items to those that the user had. Undefined for an
    empty list, for a user without a baseline list where lists are given, and with ``against=history`` for a
    user without a history that has features.

    Examples
    --------
    Most users had a, then b; u had a, so that b and c would be the two to be shown:

    >>> had = {"u": ["a"], "v": ["a", "b", "c"], "w": ["a", "b"]}
    >>> Unexpectedness(k=2).of({"u": ["b", "d"]}, history=had)
    0.5
    """

    against: Literal["baseline", "history"] = choice(
        default="baseline",
        meaning={
            "baseline": "the share of a list that the baseline list lacks",
            "history": "the mean distance to the user's history",
        },
    )

    bounds = (0.0, np.inf)
    undefined_when = "the list is empty, or the user has no baseline list or no history with features"

    def needed_tables(self) -> tuple[str, ...]:
        return ("history", "features") if self.against == "history" else ("baseline_lists or history",)

    def per_query(self, lists: TopLists) -> Floats:
        shown, known = self.shown(lists), lists.background
        if self.against == "history" or known.baseline_offsets is not None:
            far = self.far(lists, shown)
            return lists.mean(shown, far, ~np.isnan(far))
        place, end = self.popular(lists)
        had = lists.had(self.k)
        owner = shown.query_of(had)
        near = np.bincount(owner[place[shown.item[had]] < end[owner]], minlength=lists.n_queries)
        common = count_below(shown.offsets, shown.item, place, end) - near
        return ratio(shown.lengths - common, shown.lengths)

    def popular(self, lists: TopLists) -> tuple[Ints, Ints]:
        """The place of each item by popularity, and the end of each user's baseline list.

        That list has the k most popular items that the user did not have. It ends at place k + j, where
        j items of the history stand before that place.
        """
        history = history_of(lists)
        place = lists.background.popular_place
        own = place[history.item]
        order, _ = kernels.first_rows(history.offsets, -own.astype(np.float64), None, None)
        before = np.arange(len(order)) - history.offsets[history.user]
        most = len(place) if self.k is None else self.k
        end = most + np.bincount(history.user[own[order] - before < most], minlength=lists.n_queries)
        return place, np.minimum(end, len(place))

    def far(self, lists: TopLists, shown: ShownItems) -> Floats:
        """How unexpected each item is: 1 or 0, or a distance; NaN without a baseline list or history."""
        if self.against == "history":
            return self.distances_to_history(lists, shown)
        unusual = (~self.in_baseline(lists, shown)).astype(np.float64)
        if lists.background.baseline_offsets is None:
            return unusual
        return np.where(np.diff(lists.background.baseline_offsets)[shown.query] > 0, unusual, np.nan)

    def in_baseline(self, lists: TopLists, shown: ShownItems) -> Flags:
        known = lists.background
        if known.baseline_lists is not None and known.baseline_offsets is not None:
            return known.baseline_holds(shown.offsets, shown.item, self.k)
        place, end = self.popular(lists)
        return (place[shown.item] < end[shown.query]) & ~history_of(lists).holds(shown.offsets, shown.item)

    def steps(self, lists: TopLists) -> Parts:
        shown = self.shown(lists)
        far = self.far(lists, shown)
        if self.against == "history":
            column = Column.of(say("distance to the history"), far, "decimal")
            return mean_steps(lists, shown, [column])
        column = Column.of(say("not in the baseline list", key="unexpected"), far)
        parts = mean_steps(lists, shown, [column])
        known = lists.background.baseline_lists
        every = np.argsort(history_of(lists).place) if known is None else known
        ends = np.array([0, len(every)])
        inside = self.in_baseline(lists, ShownItems(ends, every, ends[:1]))
        baseline = item_names(lists, every[inside])
        table = Steps(name=BASELINE_LIST, columns=(Column.of(say("item"), baseline, "text"),), beside=True)
        return replace(parts, steps=(*parts.steps, first_rows(table)))
