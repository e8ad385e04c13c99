"""How far a list is from what a user would have been shown anyway."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice
from steelyard.kernels import first_rows
from steelyard.kernels.list_sums import count_below
from steelyard.kernels.means import ratio
from steelyard.metrics.lists import (
    PerListMetric,
    distance_choice,
    distances_to_history,
    featureless_choice,
    with_features,
)
from steelyard.metrics.registry import register
from steelyard.states.top_lists import Shown, TopLists


@register("unexpectedness", zh="意外性")
class Unexpectedness(PerListMetric):
    """How much of the first k items a plain recommender would not have shown.

    The share of the list that the user's usual list lacks: the first k of ``usual``, or without it the k most
    popular items of the history that the user had not. With ``against=history`` it is the mean distance of
    the items to those that the user had. Undefined where a list is empty; of a user without a usual list,
    where such are given; and with ``history`` of a user without a history that has features.

    Examples
    --------
    Most users had a, then b; u had a, so that b and c would be the two to be shown:

    >>> had = {"u": ["a"], "v": ["a", "b", "c"], "w": ["a", "b"]}
    >>> Unexpectedness(k=2).of({"u": ["b", "d"]}, history=had)
    0.5
    """

    against: Literal["usual", "history"] = choice(
        default="usual",
        meaning={
            "usual": "the share of a list that the usual list lacks",
            "history": "the mean distance to the user's history",
        },
    )
    distance: Literal["cosine", "jaccard", "hamming", "euclidean"] = distance_choice()
    featureless: Literal["error", "drop"] = featureless_choice()

    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def needed_tables(self) -> tuple[str, ...]:
        return ("history", "features") if self.against == "history" else ("usual or history",)

    def per_query(self, lists: TopLists) -> Floats:
        if self.against == "history":
            shown = with_features(self, lists)
            far = distances_to_history(self, lists, shown)
            return lists.mean(shown, far, ~np.isnan(far))
        shown, known = lists.first(self.k), lists.background
        if known.usual_offsets is None:
            place, end = self.popular(lists)
            had = lists.had(self.k)
            owner = shown.query_of(had)
            near = np.bincount(owner[place[shown.item[had]] < end[owner]], minlength=lists.n_queries)
            usual = count_below(shown.offsets, shown.item, place, end) - near
            return ratio(shown.lengths - usual, shown.lengths)
        held = np.flatnonzero(known.holds_usual(shown.offsets, shown.item, self.k))
        usual = np.bincount(shown.query_of(held), minlength=lists.n_queries)
        found = ratio(shown.lengths - usual, shown.lengths)
        return np.where(np.diff(known.usual_offsets) > 0, found, np.nan)

    def popular(self, lists: TopLists) -> tuple[Ints, Ints]:
        """The place of each item by popularity, and where the k most popular that each user had not end.

        They end at place k + j, where j of those that he had stand before it: those that have a place, less
        how many of his own are before it, below k.
        """
        history = lists.background.history
        assert history is not None
        place = np.where(history.users > 0, history.place, len(history.users))
        own = history.place[history.item]
        order, _ = first_rows(history.offsets, -own.astype(np.float64), None, None)
        lengths = np.diff(history.offsets)
        before = np.arange(len(order)) - np.repeat(history.offsets[:-1], lengths)
        most = len(place) if self.k is None else self.k
        user = np.repeat(np.arange(lists.n_queries), lengths)
        end = most + np.bincount(user[own[order] - before < most], minlength=lists.n_queries)
        return place, np.minimum(end, len(place))

    def is_usual(self, lists: TopLists, shown: Shown) -> Flags:
        """Which items the users' usual lists hold."""
        known = lists.background
        if known.usual_offsets is not None:
            return known.holds_usual(shown.offsets, shown.item, self.k)
        place, end = self.popular(lists)
        usual = place[shown.item] < end[shown.query]
        usual[lists.had(self.k)] = False
        return usual
