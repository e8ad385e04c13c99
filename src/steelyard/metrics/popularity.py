"""How popular the items shown are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.metrics.base import Direction
from steelyard.metrics.lists import PerListMetric
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


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
    tables: ClassVar[tuple[str, ...]] = ("history",)
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)
    direction: ClassVar[Direction] = "none"

    def per_query(self, lists: TopLists) -> Floats:
        history, shown = lists.background.history, lists.first(self.k)
        assert history is not None
        worth = history.interactions
        if self.scale == "share":
            worth = worth / worth.sum()
        return lists.mean_worth(shown, worth)
