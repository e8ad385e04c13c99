"""Who gets how much of what is shown."""

from __future__ import annotations

from typing import ClassVar, Literal

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio, segment_sum
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
        totals = group_exposure(lists, self.k, self.exposure)
        return ratio(totals, totals.sum(axis=1, keepdims=True))

    def entries(self, lists: TopLists) -> list[tuple[str | int, ...]]:
        return [(group,) for group in lists.background.groups]


def group_exposure(lists: TopLists, k: int | None, exposure: str) -> Floats:
    """The exposure of each group in each slice."""
    known = lists.background
    assert known.group is not None
    segment, item, worth = exposures(lists, k, discounted=exposure == "discounted")
    group = known.group[item]
    inside = group >= 0
    place = segment[inside] * len(known.groups) + group[inside]
    size = (lists.n_segments, len(known.groups))
    return segment_sum(worth[inside], place, size[0] * size[1]).reshape(size)
