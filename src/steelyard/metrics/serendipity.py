"""How much of a list is both relevant and surprising."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.metrics.base import relevance_level
from steelyard.metrics.lists import (
    PerListMetric,
    distance_choice,
    distances_to_history,
    featureless_choice,
    with_features,
)
from steelyard.metrics.registry import register
from steelyard.states.top_lists import Shown, TopLists


@register("serendipity", zh="惊喜度")
class Serendipity(PerListMetric):
    """How much of the first k items is relevant to the user and surprising as well.

    The mean over a list of surprise where an item is relevant, 0 where it is not. By popularity, surprise is
    the share of items that more interactions were had with: 0 for the most popular one. By distance, it is
    the mean distance to the items that the user had. Undefined where a list is empty, of a user without
    truth, and by distance of one without a history that has features.

    Examples
    --------
    Of the four items of the history two are more popular than c, which alone is relevant: ``(0 + 2/4) / 2``

    >>> had = {"u": ["a", "b"], "v": ["a", "b", "c"], "w": ["a", "d"]}
    >>> Serendipity(k=2).of({"u": ["a", "c"]}, truth={"u": ["c"]}, history=had)
    0.25
    """

    surprise: Literal["popularity", "distance"] = choice(
        default="popularity",
        meaning={
            "popularity": "the share of items that are more popular",
            "distance": "the mean distance to the user's history",
        },
    )
    rel: float = relevance_level()
    distance: Literal["cosine", "jaccard", "hamming", "euclidean"] = distance_choice()
    featureless: Literal["error", "drop"] = featureless_choice()

    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def needed_tables(self) -> tuple[str, ...]:
        return ("truth", "history", *(("features",) if self.surprise == "distance" else ()))

    def per_query(self, lists: TopLists) -> Floats:
        shown = self.shown(lists)
        surprise = self.surprises(lists, shown)
        assert lists.grade is not None
        assert lists.judged is not None
        relevant = lists.grade[shown.entry] >= self.rel
        value = lists.mean(shown, np.where(relevant, surprise, 0.0), ~np.isnan(surprise))
        return np.where(lists.judged, value, np.nan)

    def shown(self, lists: TopLists) -> Shown:
        """The items that are looked at."""
        return with_features(self, lists) if self.surprise == "distance" else lists.first(self.k)

    def surprises(self, lists: TopLists, shown: Shown) -> Floats:
        """How surprising each item is for its user."""
        if self.surprise == "distance":
            return distances_to_history(self, lists, shown)
        history = lists.background.history
        assert history is not None
        return lists.background.more_popular[shown.item] / lists.background.n_items
