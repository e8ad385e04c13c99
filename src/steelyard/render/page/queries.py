"""The queries that did best and worst, with their lists and the grades of what they hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.conventions import plain
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.render.page.tables import (
    ID,
    metric_label,
)
from steelyard.render.system import System
from steelyard.stats.measured import Measured, by_value, of_state, relevance_of
from steelyard.stats.measured import extremes as measured_extremes
from steelyard.text import Message, say
from steelyard.text.labels import in_table
from steelyard.text.names import shown

ITEMS = 10  # of a list, where the metric has no cutoff
MOST_ITEMS = 20
LEVELS = 4  # shades of a grade above 0


@dataclass(frozen=True, kw_only=True)
class Item:
    """An item in its place; ``level`` 0 to 4 is how dark its grade is drawn, None where it is not judged."""

    rank: str
    name: str
    grade: str
    level: int | None
    move: str | None = None  # since another list


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query with its value and the beginning of its list."""

    name: str
    value: str
    found: Message
    items: tuple[Item, ...]
    more: Message | None = None
    has_names: bool = True


@dataclass(frozen=True, kw_only=True)
class Extremes:
    """The ends of one system's queries, or all of them in ``lowest`` where they are few."""

    system: int
    name: str
    metric: str
    intro: Message
    lowest_head: Message
    lowest: tuple[Query, ...]
    highest: tuple[Query, ...] = ()


def extremes(system: System) -> Extremes | None:
    measured = next(iter(of_state(system.measured, Ranked)), None)
    if measured is None or system.lists is None:
        return None
    n = len(by_value(measured))
    if not n:
        return None
    lowest, highest = measured_extremes(measured)
    few = not len(highest)
    at = np.concatenate([lowest, highest])
    lists = system.lists.shown(measured.need, measured.unit_names.gather(at).to_list())
    queries = [
        query_of(measured, shown(measured.unit_names[place], ID), float(measured.values[place]), shown_list)
        for place, shown_list in zip(at.tolist(), lists, strict=True)
    ]
    label = metric_label(measured.label)
    return Extremes(
        system=system.place,
        name=shown(system.name),
        metric=label,
        intro=say(
            "By {metric}, over {n:,} queries with a value. "
            "Among equal values, queries with more relevant items come first.",
            metric=label,
            n=n,
        ),
        lowest_head=say("Every query") if few else say("Lowest"),
        lowest=tuple(queries[: len(lowest)]),
        highest=tuple(queries[len(lowest) :]),
    )


def query_of(measured: Measured, name: str, value: float, shown_list: ShownList) -> Query:
    k = getattr(measured.metric, "k", None)
    rel, top = relevance_of(measured), measured.state.max_grade
    limit = min(k or ITEMS, MOST_ITEMS)
    relevant = int(((shown_list.within(k) > 0) & (shown_list.known >= rel)).sum())
    total = int(shown_list.ranked.n_relevant(rel).sum())
    counted = (
        say("{n} of {all:,} relevant items in the list", n=relevant, all=total)
        if k is None
        else say("{n} of {all:,} relevant items among the first {k}", n=relevant, all=total, k=k)
    )
    items = tuple(
        Item(
            rank=rank,
            name=shown(shown_list.items[at], ID) if shown_list.items is not None else "",
            grade="" if np.isnan(shown_list.grade[at]) else plain(float(shown_list.grade[at])),
            level=_level(float(shown_list.grade[at]), top),
        )
        for at, rank in enumerate(shown_list.rank[:limit])
    )
    more = len(shown_list) - limit
    return Query(
        name=name,
        value=in_table(value),
        found=counted,
        items=items,
        more=say("{n:,} more items in the list", n=more) if more > 0 else None,
        has_names=shown_list.items is not None,
    )


def _level(grade: float, top: float) -> int | None:
    if np.isnan(grade):
        return None
    return 0 if grade <= 0 or top <= 0 else max(1, min(LEVELS, round(LEVELS * grade / top)))
