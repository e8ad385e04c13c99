"""How far a list is from what a user would have been shown anyway."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.conventions import choice
from steelyard.kernels import first_rows
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
        shown = lists.first(self.k)
        usual = np.flatnonzero(self.is_usual(lists, shown))
        expected = np.bincount(shown.query[usual], minlength=lists.n_queries)
        found = ratio(shown.lengths - expected, shown.lengths)
        if lists.background.usual_offsets is None:
            return found
        return np.where(np.diff(lists.background.usual_offsets) > 0, found, np.nan)

    def is_usual(self, lists: TopLists, shown: Shown) -> Flags:
        """Which items the users' usual lists hold."""
        known = lists.background
        if known.usual is not None and known.usual_offsets is not None:
            return known.holds_usual(shown.offsets, shown.item, self.k)
        history = known.history
        assert history is not None
        # The k most popular that a user had not end at place k + j, where j of those he had stand before it:
        # as many as have a place, less those of his own before it, below k.
        place = np.where(history.users > 0, history.place, len(history.users))
        popular = history.place[history.item]
        order, _ = first_rows(history.offsets, -popular.astype(np.float64), None, None)
        lengths = np.diff(history.offsets)
        among = np.arange(len(order)) - np.repeat(history.offsets[:-1], lengths)
        most = len(place) if self.k is None else self.k
        user = np.repeat(np.arange(lists.n_queries), lengths)
        end = most + np.bincount(user[popular[order] - among < most], minlength=lists.n_queries)
        usual = place[shown.item] < np.repeat(np.minimum(end, len(place)), shown.lengths)
        usual[lists.had(self.k)] = False
        return usual
