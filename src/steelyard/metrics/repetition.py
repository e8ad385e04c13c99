"""How much of a list the user had before."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Direction
from steelyard.metrics.lists import PerListMetric
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


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
        had = lists.had(self.k)
        return ratio(np.bincount(shown.query_of(had), minlength=lists.n_queries), shown.lengths)
