"""Who gets how much of what is shown."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio
from steelyard.metrics.item_groups import ItemGroupMetric
from steelyard.metrics.registry import register
from steelyard.steps.arithmetic import Column, Number, Parts
from steelyard.steps.rows import EXPOSURE


@register("exposure", zh="曝光占比")
class Exposure(ItemGroupMetric):
    """What share of all exposure each group of items gets, such as each provider; one row per group.

    Exposure of the group's items among the first k, divided by that of all items that belong to a group;
    an item without a group counts nowhere. Undefined where nothing is shown.

    Examples
    --------
    >>> Exposure(k=2).values_of([["a", "b"], ["a"]], item_groups={"a": "x", "b": "y", "c": "y"})
    {'x': 0.666..., 'y': 0.333...}
    """

    direction = "none"
    limits = "logit"
    undefined_when = "nothing is shown"

    def per_segment(self, lists: TopLists) -> Floats:
        totals = self.group_exposure(lists)
        return ratio(totals, totals.sum(axis=1, keepdims=True))

    def influence(self, lists: TopLists, values: Floats, each: Floats | None = None) -> Influence | None:
        found = self.shown_by_units(lists)
        return None if found is None else Influence.of_ratio(*found, values.reshape(-1))

    def steps(self, lists: TopLists) -> Parts:
        shown = self.group_exposure(lists)[0]
        every = Number(float(shown.sum()), EXPOSURE)
        worked = [Number(one, EXPOSURE) / every for one in shown.tolist()]
        return self.group_parts(lists, [Column.of(EXPOSURE, shown)], worked)
