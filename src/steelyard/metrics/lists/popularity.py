"""How popular the items shown are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio
from steelyard.metrics.lists.base import PerListMetric, history_of
from steelyard.metrics.registry import register
from steelyard.metrics.steps.arithmetic import Column, Parts
from steelyard.metrics.steps.lists import mean_steps
from steelyard.text import say


@register("popularity", zh="平均流行度")
class Popularity(PerListMetric):
    """How popular the first k items of a list are: the mean of the interactions that each had.

    An item that nobody had counts 0. Undefined where a list is empty.

    Examples
    --------
    Two users had a, one had b:

    >>> had = {"u": ["a", "b"], "v": ["a"]}
    >>> Popularity(k=2).of({"u": ["a", "b"]}, history=had)
    1.5
    """

    scale: Literal["count", "share"] = choice(
        default="count",
        meaning={"count": "its interactions", "share": "its share of all interactions"},
    )

    also_called: ClassVar[Mapping[str, str]] = {"of": "scale"}  # a metric's own `of` is a method
    tables = ("history",)
    bounds = (0.0, np.inf)
    direction = "none"

    def per_query(self, lists: TopLists) -> Floats:
        shown = lists.first(self.k)
        return lists.mean_worth(shown, self.worths(lists))

    def worths(self, lists: TopLists) -> Floats:
        interactions = history_of(lists).interactions
        return interactions if self.scale == "count" else ratio(interactions, interactions.sum())

    def steps(self, lists: TopLists) -> Parts:
        history, shown, notes = history_of(lists), lists.first(self.k), [*self.list_notes(lists)]
        columns = [Column.of(say("interactions"), history.interactions[shown.item])]
        if self.scale == "share":
            columns.append(
                Column.of(say("share // of all interactions"), self.worths(lists)[shown.item], "decimal")
            )
            total = float(history.interactions.sum())
            notes.append(say("interactions in the history: {n:g}.", key="history_interactions", n=total))
        return mean_steps(lists, shown, columns, notes)
