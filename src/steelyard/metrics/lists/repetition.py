"""How much of a list the user had before."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio
from steelyard.metrics.lists.base import PerListMetric
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Parts
from steelyard.metrics.steps.lists import mean_steps
from steelyard.text import say


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

    tables = ("history",)
    direction = "lower"

    def per_query(self, lists: TopLists) -> Floats:
        shown = lists.first(self.k)
        had = shown.query_of(lists.had(self.k))
        return ratio(np.bincount(had, minlength=lists.n_queries), shown.lengths)

    def steps(self, lists: TopLists) -> Parts:
        shown = lists.first(self.k)
        had = np.isin(np.arange(len(shown.item)), lists.had(self.k)).astype(np.float64)
        return mean_steps(lists, shown, [Column.of(say("had before"), had)])
