"""How much of a list is both relevant and surprising."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice
from steelyard.kernels.means import ratio, segment_sum
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
        assert lists.judged is not None
        at = lists.relevant(shown, self.rel)
        surprise, counts = self.surprises(lists, shown, at)
        total = segment_sum(np.nan_to_num(surprise), shown.query_of(at), lists.n_queries)
        return np.where(lists.judged, ratio(total, np.where(counts, shown.lengths, 0)), np.nan)

    def shown(self, lists: TopLists) -> Shown:
        """The items that are looked at."""
        return with_features(self, lists) if self.surprise == "distance" else lists.first(self.k)

    def surprises(self, lists: TopLists, shown: Shown, at: Ints) -> tuple[Floats, Flags]:
        """How surprising some of the items shown are, and for which users that is known."""
        history = lists.background.history
        assert history is not None
        if self.surprise == "distance":
            far = distances_to_history(self, lists, shown)
            known = np.zeros(lists.n_queries, bool)
            known[shown.query[~np.isnan(far)]] = True
            return far[at], known
        above = lists.background.more_popular[shown.item[at]]
        return above / lists.background.n_items, np.ones(lists.n_queries, bool)
