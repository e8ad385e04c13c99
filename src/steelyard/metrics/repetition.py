"""How much of a list the user had before."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.messages import say
from steelyard.metrics.base import Direction
from steelyard.metrics.lists import PerListMetric, history_of
from steelyard.metrics.registry import register
from steelyard.states.top_lists import Shown, TopLists
from steelyard.steps.arithmetic import Column, Parts
from steelyard.steps.lists import mean_steps


@register("repetition", zh="重复率")
class Repetition(PerListMetric):
    """What share of the first k items the user had before.

    Items of the list that the user's own history holds, divided by the items of the list. A user without
    history had nothing before: 0. Undefined where a list is empty.

    Examples
    --------
    >>> Repetition(k=2).of({"u": ["a", "b"], "v": ["a", "c"]}, history={"u": ["a"], "w": ["c"]})
    0.25
    """

    tables: ClassVar[tuple[str, ...]] = ("history",)
    direction: ClassVar[Direction] = "lower"

    def per_query(self, lists: TopLists) -> Floats:
        shown = lists.first(self.k)
        return lists.mean(shown, self.had(lists, shown))

    def had(self, lists: TopLists, shown: Shown) -> Floats:
        """1 for each item that its user had before, 0 for the others."""
        return history_of(lists).holds(shown.offsets, shown.item).astype(np.float64)

    def steps(self, lists: TopLists) -> Parts:
        shown, notes = lists.first(self.k), self.list_notes(lists)
        if not len(history_of(lists).item):
            notes = (*notes, say("the user has no history: nothing was had before.", key="no_history"))
        return mean_steps(lists, shown, [Column.of(say("had before"), self.had(lists, shown))], notes)
