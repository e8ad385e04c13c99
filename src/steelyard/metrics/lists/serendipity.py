"""How much of a list is both relevant and surprising."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.lists.base import DistanceMetric
from steelyard.metrics.ranking.base import relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Parts, applying
from steelyard.metrics.steps.lists import mean_steps
from steelyard.text import say


@register("serendipity", zh="惊喜度")
class Serendipity(DistanceMetric):
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

    bounds = (0.0, np.inf)
    undefined_when = "the list is empty, or the user has no truth or no history with features"

    def needed_tables(self) -> tuple[str, ...]:
        return ("truth", "history", *(("features",) if self.surprise == "distance" else ()))

    def per_query(self, lists: TopLists) -> Floats:
        shown = self.shown(lists)
        if self.surprise == "distance":
            worth = self.worths(lists, shown, self.surprises(lists, shown))
            return lists.mean(shown, worth, ~np.isnan(worth))
        at, known = lists.relevant(shown, self.rel), lists.background
        total = segment_sum(known.surprise[shown.item[at]], shown.query_of(at), lists.n_queries)
        return np.where(lists.in_truth, ratio(total, shown.lengths), np.nan)

    def surprises(self, lists: TopLists, shown: ShownItems) -> Floats:
        if self.surprise == "distance":
            return self.distances_to_history(lists, shown)
        return lists.background.surprise[shown.item]

    def worths(self, lists: TopLists, shown: ShownItems, surprise: Floats) -> Floats:
        """What each item adds: its surprise if it is relevant; NaN if unknown."""
        worth = np.zeros(len(shown.item))
        at = lists.relevant(shown, self.rel)
        worth[at] = surprise[at]
        return np.where(lists.in_truth[shown.query] & ~np.isnan(surprise), worth, np.nan)

    def steps(self, lists: TopLists) -> Parts:
        shown, known = self.shown(lists), lists.background
        surprise = self.surprises(lists, shown)
        worth = self.worths(lists, shown, surprise)
        columns = [Column.of(say("grade"), lists.grades(shown))]
        if self.surprise == "popularity":
            columns.append(Column.of(say("items more popular"), known.more_popular[shown.item]))
        columns += [
            Column.of(say("surprise"), surprise, "decimal"),
            Column.of(say("surprise if relevant", key="contribution"), worth, "decimal"),
        ]
        ranked = say("items with a popularity: {n:,}.", key="popular_of", n=known.n_items)
        return mean_steps(lists, shown, columns, applying((self.surprise == "popularity", ranked)))
