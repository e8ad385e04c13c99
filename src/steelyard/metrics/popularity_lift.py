"""How much more popular than usual for a user the items shown are."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.list_sums import list_sums
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Direction
from steelyard.metrics.lists import PerListMetric
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("popularity_lift", zh="流行度提升")
class PopularityLift(PerListMetric):
    """How much more popular the first k items of a list are than what the user had before.

    The mean popularity (interactions) of the list, divided by that of the different items of the user's own
    history, minus 1: 0 where a user is shown what is as popular as what he had, 1 where it is twice as
    popular. Undefined where a list is empty or a user has no history.

    Examples
    --------
    Two users had a, one had b; u is shown a and had both: ``2 / 1.5 - 1``

    >>> had = {"u": ["a", "b"], "v": ["a"]}
    >>> PopularityLift(k=1).of({"u": ["a"]}, history=had)
    0.33333333333333326
    """

    tables: ClassVar[tuple[str, ...]] = ("history",)
    bounds: ClassVar[tuple[float, float]] = (-1.0, np.inf)
    direction: ClassVar[Direction] = "none"

    def per_query(self, lists: TopLists) -> Floats:
        history, shown = lists.background.history, lists.first(self.k)
        assert history is not None
        worth = history.interactions
        own = ratio(list_sums(history.offsets, history.item, worth), np.diff(history.offsets))
        return ratio(lists.mean_worth(shown, worth), own) - 1
