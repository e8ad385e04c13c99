"""Who gets how much of what is shown, alone and next to what is wanted."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import Cells, Influence
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.base import FILL
from steelyard.metrics.lists.base import (
    AllListsMetric,
    exposure_choice,
    exposures,
    nothing_common,
    place_worth,
)
from steelyard.metrics.ranking.base import relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Number, Parts, Quantity, Steps, applying
from steelyard.metrics.steps.lists import RELEVANT
from steelyard.metrics.steps.rows import EXPOSURE, GROUP, largest, result_of_each, shortened
from steelyard.text import Message, say
from steelyard.text.names import distinct

GROUPS = say("group by group", key="item_group_steps")
_WIDEST = 20
_MOST_CELLS = 1 << 23  # units times groups


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ItemGroupMetric(AllListsMetric):
    """A metric with a value for each group of items; one without a group counts nowhere."""

    exposure: Literal["count", "discounted"] = exposure_choice()

    tables: ClassVar[tuple[str, ...]] = ("item_groups",)

    def entries(self, lists: TopLists) -> list[tuple[str | int, ...]]:
        return [(group,) for group in lists.background.groups]

    def of(  # type: ignore[override]  # a value for each group, not one
        self,
        lists: Any,
        *,
        truth: Any = None,
        catalog: Any = None,
        features: Any = None,
        history: Any = None,
        item_groups: Any = None,
        baseline_lists: Any = None,
    ) -> dict[str, float]:
        """The value of each group by name, for lists of items, best first; tables as to ``evaluate``."""
        state = self.state_of(lists, truth, catalog, features, history, item_groups, baseline_lists)
        names = [str(name) for (name,) in self.entries(state)]
        return dict(zip(names, self.measure(state)[0].tolist(), strict=True))

    def group_exposure(self, lists: TopLists) -> Floats:
        known = lists.background
        assert known.group is not None
        segment, item, worth = exposures(lists, self.k, discounted=self.exposure == "discounted")
        return self.by_group(lists, segment, known.group[item], worth)

    def by_group(self, lists: TopLists, segment: Ints, group: Ints, worth: Floats) -> Floats:
        size, inside = (lists.n_segments, len(lists.background.groups)), group >= 0
        place = segment[inside] * size[1] + group[inside]
        return segment_sum(worth[inside], place, size[0] * size[1]).reshape(size)

    def shown_by_units(self, lists: TopLists) -> tuple[Cells, Floats, Floats] | None:
        """The exposure by unit and group, and by unit; None if there are too many."""
        known, shown = lists.background, lists.first(self.k)
        assert known.group is not None
        worth = place_worth(lists, self.k, discounted=self.exposure == "discounted")
        return self.by_units(lists, shown.query, known.group[shown.item], worth)

    def by_units(
        self, lists: TopLists, query: Ints, group: Ints, worth: Floats
    ) -> tuple[Cells, Floats, Floats] | None:
        n, cells = len(lists.background.groups), lists.cells
        if cells.n * n > _MOST_CELLS:
            return None
        inside = group >= 0
        of_query = np.arange(lists.n_queries) if cells.code is None else cells.code
        place = of_query[query[inside]] * n + group[inside]
        sums = segment_sum(worth[inside], place, cells.n * n)
        owner = np.zeros(cells.n, np.int64) if cells.owner is None else cells.owner
        unit = np.arange(cells.n) if cells.unit is None else cells.unit
        values = Cells(
            n=cells.n * n,
            n_segments=lists.n_segments * n,
            code=None,
            owner=np.repeat(owner * n, n) + np.tile(np.arange(n), cells.n),
            unit=np.repeat(unit, n),
        )
        return values, sums, np.repeat(sums.reshape(cells.n, n).sum(axis=1), n)

    def facts(self, lists: TopLists, label: str = "") -> list[Message]:
        known, times = lists.background, lists.times(self.k)
        assert known.group is not None
        without = int(times[known.group < 0].sum())
        notes = super().facts(lists, label)
        if without and without == int(times.sum()):
            return [*notes, nothing_common(known.names["item_groups"])]
        note = say(
            "{n:,} of {every:,} recommendations {n:has|have} no group in {groups} and {n:is|are} ignored.",
            key="without_group",
            n=without,
            every=int(times.sum()),
            groups=known.names["item_groups"],
        )
        return [*notes, *applying((without, note))]

    def group_parts(self, lists: TopLists, columns: Sequence[Column], worked: Sequence[Quantity]) -> Parts:
        """A row for each group with its value; for few groups, a line of arithmetic for each."""
        groups, values = list(lists.background.groups), self.measure(lists)[0]
        named, value = Column.of(GROUP, groups, "text"), Column.of(say("value"), values, "decimal")
        table = Steps(
            name=GROUPS, columns=(named, *columns, value), total=tuple(column.key for column in columns)
        )
        table = shortened(table, largest(np.array(columns[0].cells, np.float64)))
        undefined = np.isnan(self.per_segment(lists)[0])
        fill = Number(FILL[self.undefined], "filled") if self.undefined in FILL else None
        terms = (fill if nothing else value for value, nothing in zip(worked, undefined, strict=True))
        return result_of_each(self.short_name, table, distinct(groups, _WIDEST), terms)


@register("exposure", zh="曝光占比")
class Exposure(ItemGroupMetric):
    """What share of all exposure each group of items gets, such as each provider; one row per group.

    Exposure of the group's items among the first k, divided by that of all items that belong to a group;
    an item without a group counts nowhere. Undefined where nothing is shown.

    Examples
    --------
    >>> Exposure(k=2).of([["a", "b"], ["a"]], item_groups={"a": "x", "b": "y", "c": "y"})
    {'x': 0.666..., 'y': 0.333...}
    """

    direction = "none"
    limits = "logit"
    undefined_when = "nothing is shown"

    def per_segment(self, lists: TopLists) -> Floats:
        totals = self.group_exposure(lists)
        return ratio(totals, totals.sum(axis=1, keepdims=True))

    def influence(self, lists: TopLists, values: Floats, each: Floats | None = None) -> Influence | None:
        by_units = self.shown_by_units(lists)
        return None if by_units is None else Influence.of_ratio(*by_units, values.reshape(-1))

    def steps(self, lists: TopLists) -> Parts:
        shown = self.group_exposure(lists)[0]
        every = Number(float(shown.sum()), EXPOSURE)
        worked = [Number(exposure, EXPOSURE) / every for exposure in shown.tolist()]
        return self.group_parts(lists, [Column.of(EXPOSURE, shown)], worked)


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
    >>> ExposureRatio(k=2).of([["a", "b"], ["a"]], truth=truth, item_groups=groups)
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
        """By the unit's part of the group's exposure and relevant items, and of those of all groups."""
        query, group = self._relevant(lists)
        shown = self.shown_by_units(lists)
        wanted = self.by_units(lists, query, group, lists.weights[query])
        if shown is None or wanted is None:
            return None
        cells = shown[0]
        parts = [ratio(part, cells.spread(cells.totals(part))) for part in (*shown[1:], *wanted[1:])]
        mine, of_all, mine_wanted, all_wanted = parts
        gains = np.nan_to_num(mine) - of_all - mine_wanted + all_wanted
        return Influence.of_cells(cells, (gains * cells.spread(values.reshape(-1)),), (of_all,))

    def wanted(self, lists: TopLists) -> Floats:
        query, group = self._relevant(lists)
        return self.by_group(lists, lists.segments[query], group, lists.weights[query])

    def _relevant(self, lists: TopLists) -> tuple[Ints, Ints]:
        """The query and the group of each relevant item of the truth; -1 without a group."""
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
        note = say(
            "{n:,} of {every:,} relevant items of the truth {n:has|have} no group in {groups}, "
            "and {n:counts|count} nowhere.",
            key="relevant_without_group",
            n=without,
            every=len(group),
            groups=lists.background.names["item_groups"],
        )
        return [*super().facts(lists, label), *applying((without, note))]

    def steps(self, lists: TopLists) -> Parts:
        shown, wanted = self.group_exposure(lists)[0], self.wanted(lists)[0]
        every, all_wanted = Number(float(shown.sum()), EXPOSURE), Number(float(wanted.sum()), RELEVANT)
        worked = [
            (Number(exposure, EXPOSURE) / every) / (Number(relevant, RELEVANT) / all_wanted)
            for exposure, relevant in zip(shown.tolist(), wanted.tolist(), strict=True)
        ]
        return self.group_parts(lists, [Column.of(EXPOSURE, shown), Column.of(RELEVANT, wanted)], worked)
