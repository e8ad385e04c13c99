"""Whether groups of items are shown as much as they are wanted."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import Influence
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.lists.exposure import ItemGroupMetric
from steelyard.metrics.ranking.base import relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps.arithmetic import Column, Number, Parts, applying
from steelyard.metrics.steps.lists import RELEVANT
from steelyard.metrics.steps.rows import EXPOSURE
from steelyard.text import Message, say


@register("exposure_ratio", zh="曝光比")
class ExposureRatio(ItemGroupMetric):
    """How much each group of items is shown beside how much it is wanted; one row per group.

    The group's share of exposure among the first k, divided by its share of the relevant items of the truth:
    1 where it is shown as much as it is wanted. An item without a group counts nowhere. Undefined where
    nothing is shown or a group has no relevant item.

    Examples
    --------
    x gets two thirds of the places and half of the relevant items:

    >>> groups, truth = {"a": "x", "b": "y", "c": "y"}, {0: ["a"], 1: ["c"]}
    >>> ExposureRatio(k=2).values_of([["a", "b"], ["a"]], truth=truth, item_groups=groups)
    {'x': 1.333..., 'y': 0.666...}
    """

    rel: float = relevance_level()

    tables = ("item_groups", "truth")
    bounds = (0.0, np.inf)
    direction = "nearest_1"
    limits = "log"
    undefined_when = "nothing is shown or a group has no relevant item"

    def per_segment(self, lists: TopLists) -> Floats:
        shown, wanted = (
            ratio(part, part.sum(axis=1, keepdims=True))
            for part in (self.group_exposure(lists), self.wanted(lists))
        )
        return ratio(shown, np.nan_to_num(wanted))

    def influence(self, lists: TopLists, values: Floats, each: Floats | None = None) -> Influence | None:
        """By what a unit adds to the shares of the group in both, beside what it adds to all groups."""
        query, group = self._relevant(lists)
        shown, wanted = (
            self.shown_by_units(lists),
            self.by_units(lists, query, group, lists.weights[query]),
        )
        if shown is None or wanted is None:
            return None
        cells = shown[0]
        parts = [ratio(part, cells.spread(cells.totals(part))) for one in (shown, wanted) for part in one[1:]]
        mine, of_all, mine_wanted, all_wanted = parts
        gains = np.nan_to_num(mine) - of_all - mine_wanted + all_wanted
        return Influence.of_cells(cells, (gains * cells.spread(values.reshape(-1)),), (of_all,))

    def wanted(self, lists: TopLists) -> Floats:
        query, group = self._relevant(lists)
        inside = group >= 0
        query, size = query[inside], (lists.n_segments, len(lists.background.groups))
        place = lists.segments[query] * size[1] + group[inside]
        return segment_sum(lists.weights[query], place, size[0] * size[1]).reshape(size)

    def _relevant(self, lists: TopLists) -> tuple[Ints, Ints]:
        """The query and the group of each relevant item of the truth; -1 where it has none."""
        known, item = lists.background, lists.relevant_item
        assert known.group is not None
        assert item is not None
        assert lists.relevant_query is not None
        assert lists.relevant_grade is not None
        relevant = lists.relevant_grade >= self.rel
        if known.in_catalog is not None:
            relevant &= known.in_catalog[item]
        return lists.relevant_query[relevant], known.group[item[relevant]]

    def facts(self, lists: TopLists, label: str = "") -> list[Message]:
        _, group = self._relevant(lists)
        without = int((group < 0).sum())
        said = say(
            "{n:,} of {every:,} relevant items of the truth {n:has|have} no group in {groups}, "
            "and {n:counts|count} nowhere.",
            key="relevant_without_group",
            n=without,
            every=len(group),
            groups=lists.background.names["item_groups"],
        )
        return [*super().facts(lists, label), *applying((without, said))]

    def steps(self, lists: TopLists) -> Parts:
        shown, wanted = self.group_exposure(lists)[0], self.wanted(lists)[0]
        every, all_wanted = Number(float(shown.sum()), EXPOSURE), Number(float(wanted.sum()), RELEVANT)
        worked = [
            (Number(one, EXPOSURE) / every) / (Number(other, RELEVANT) / all_wanted)
            for one, other in zip(shown.tolist(), wanted.tolist(), strict=True)
        ]
        return self.group_parts(lists, [Column.of(EXPOSURE, shown), Column.of(RELEVANT, wanted)], worked)
