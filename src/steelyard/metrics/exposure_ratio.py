"""Whether groups of items are shown as much as they are wanted."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.base import Direction, relevance_level
from steelyard.metrics.exposure import group_exposure
from steelyard.metrics.lists import AllListsMetric, exposure_choice
from steelyard.metrics.registry import register
from steelyard.states.top_lists import TopLists


@register("exposure_ratio", zh="曝光比")
class ExposureRatio(AllListsMetric):
    """How much each group of items is shown beside how much it is wanted; one row per group.

    The group's share of exposure among the first k, divided by its share of the relevant items of the truth:
    1 where it is shown as much as it is wanted. Undefined for a group without a relevant item.

    Examples
    --------
    x gets two thirds of the places and half of the relevant items:

    >>> groups, truth = {"a": "x", "b": "y", "c": "y"}, {0: ["a"], 1: ["c"]}
    >>> ExposureRatio(k=2).values_of([["a", "b"], ["a"]], truth=truth, item_groups=groups)
    {'x': 1.333..., 'y': 0.666...}
    """

    exposure: Literal["count", "discounted"] = exposure_choice()
    rel: float = relevance_level()

    tables: ClassVar[tuple[str, ...]] = ("item_groups", "truth")
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)
    direction: ClassVar[Direction] = "nearest_1"

    def per_segment(self, lists: TopLists) -> Floats:
        totals, wanted = group_exposure(lists, self.k, self.exposure), self.wanted(lists)
        shown = ratio(totals, totals.sum(axis=1, keepdims=True))
        return ratio(shown, np.nan_to_num(ratio(wanted, wanted.sum(axis=1, keepdims=True))))

    def wanted(self, lists: TopLists) -> Floats:
        """How many relevant items of the truth each group has in each slice."""
        known = lists.background
        assert known.group is not None
        assert lists.relevant_query is not None
        assert lists.relevant_item is not None
        assert lists.relevant_grade is not None
        group = known.group[lists.relevant_item]
        inside = (group >= 0) & (lists.relevant_grade >= self.rel)
        if known.in_catalog is not None:
            inside &= known.in_catalog[lists.relevant_item]
        query = lists.relevant_query[inside]
        place = lists.segments[query] * len(known.groups) + group[inside]
        size = (lists.n_segments, len(known.groups))
        return segment_sum(lists.weights[query], place, size[0] * size[1]).reshape(size)

    def entries(self, lists: TopLists) -> list[tuple[str | int, ...]]:
        return [(group,) for group in lists.background.groups]
