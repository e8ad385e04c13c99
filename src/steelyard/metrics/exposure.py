"""Who gets how much of what is shown."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Direction
from steelyard.metrics.lists import AllListsMetric, exposure_choice, exposures
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("exposure", zh="曝光占比")
class Exposure(AllListsMetric):
    """What share of all exposure each group of items gets, such as each provider; one row per group.

    Exposure of the group's items among the first k, divided by that of all items that belong to a group.
    Undefined where nothing is shown.

    Examples
    --------
    >>> Exposure(k=2).values_of([["a", "b"], ["a"]], item_groups={"a": "x", "b": "y", "c": "y"})
    {'x': 0.666..., 'y': 0.333...}
    """

    exposure: Literal["count", "discounted"] = exposure_choice()

    tables: ClassVar[tuple[str, ...]] = ("item_groups",)
    direction: ClassVar[Direction] = "none"

    def per_segment(self, lists: TopLists) -> Floats:
        totals = group_exposure(self, lists)
        return ratio(totals, totals.sum(axis=1, keepdims=True))

    def entries(self, lists: TopLists) -> list[tuple[str, ...]]:
        return [(group,) for group in lists.background.groups]


def group_exposure(metric: Exposure | ExposureRatio, lists: TopLists) -> Floats:
    """The exposure of each group in each slice."""
    known = lists.background
    assert known.group is not None
    segment, item, worth = exposures(lists, metric.k, discounted=metric.exposure == "discounted")
    group = known.group[item]
    inside = group >= 0
    place = segment[inside] * len(known.groups) + group[inside]
    size = (lists.n_segments, len(known.groups))
    return np.bincount(place, worth[inside], minlength=size[0] * size[1]).reshape(size)
