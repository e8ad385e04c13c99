"""Partial results: reduce a part of the data to states, merge states, give them to metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.engine.memory import Memory
from steelyard.engine.merged_rows import MergedRows, merge_rows
from steelyard.engine.partial_lists import (
    OF_ITEMS,
    OF_USERS,
    MergedRankings,
    PartialLists,
    collect_lists,
    merge_lists,
)
from steelyard.engine.partial_rows import PartialRows, Ways, collect_rows
from steelyard.engine.protocol import OF_LISTS, OF_ROWS, Need
from steelyard.engine.score_counts import OrderTotals
from steelyard.kernels.fingerprint import fingerprint, n_entries
from steelyard.text import Message, say
from steelyard.text.errors import merging

Whole = Literal["units", "queries", "rows"]  # what each part has all rows of


@dataclass(frozen=True, kw_only=True)
class States:
    """What a part leaves behind: its lists and its rows, reduced, and the fingerprints of its tables.

    ``ids`` are those of the parts that went in.
    """

    ids: tuple[str, ...]
    whole: Whole
    lists: PartialLists | None
    rows: PartialRows | None
    fingerprints: Mapping[str, str]
    totals: tuple[str, ...] = ()  # the ids of the parts of a first pass
    tolerance: float | None = None

    @property
    def name(self) -> str:
        """What the part was read from."""
        return (self.lists or self.rows).names.predictions  # type: ignore[union-attr]  # one of them is there


Asked = Sequence[tuple[str, Any, Need]]  # the label of each metric, the metric, and what it reads


def collect(
    engine: Memory,
    asked: Asked,
    part: str,
    *,
    whole: Whole,
    ways: Ways,
    totals: States | None = None,
    tolerance: float | None = None,
    places: RowPlaces | None = None,
    best_and_worst: Callable[[], Sequence[object]],
) -> States:
    """The states of one part, whose tables an engine has read; ``places`` are those of its rows, if known."""
    of_lists = _of_lists(asked)
    of_rows = [one for one in asked if one[2].reads not in OF_LISTS]
    if of_lists and whole == "rows":
        raise merging.lists_need_units(
            metric=next(label for label, _, need in asked if need.reads in OF_LISTS)
        )
    lists = rows = None
    if engine.lists is not None:
        lists = collect_lists(engine.lists, of_lists, best_and_worst)
    if engine.rows is not None:
        rows = collect_rows(engine.rows, of_rows, ways)
    return States(
        ids=(part,),
        whole=whole,
        lists=lists,
        rows=rows,
        fingerprints=_fingerprints(engine.account().inputs, places),
        totals=() if totals is None else totals.ids,
        tolerance=tolerance,
    )


def merge(parts: Sequence[States], asked: Asked) -> States:
    """The states of several parts as those of one; merging is associative."""
    first = parts[0]
    if len(parts) == 1:
        return first
    ids: dict[str, None] = {}
    for part in parts:
        if not ids.keys().isdisjoint(part.ids):
            raise merging.part_twice(name=part.name)
        ids |= dict.fromkeys(part.ids)
    tables = [part.fingerprints for part in parts]
    lists = [part.lists for part in parts if part.lists is not None]
    rows = [part.rows for part in parts if part.rows is not None]
    _check_same(say("whole"), [part.whole for part in parts])
    _check_same(say("tolerance"), [str(part.tolerance) for part in parts])
    _check_same(say("the first pass"), [", ".join(sorted(part.totals)) for part in parts])
    _check_same(say("their tables"), [", ".join(sorted(one)) for one in tables])
    _check_same(say("what decides the order"), [str(sorted(one.settled.items())) for one in lists])
    _check_same(say("the score column"), [str(one.score_column) for one in rows])
    _check_same(say("the weights"), [str(one.names.weights) for one in rows])
    _check_same(say("what a threshold decides"), [str(one.thresholded) for one in rows])
    for role in OF_ITEMS:
        if len({one.get(role) for one in tables}) > 1:
            raise merging.item_table_differs(table=role)
    first_seen = {
        role: _first_seen(role, [one[role] for one in tables]) for role in OF_USERS if role in tables[0]
    }
    metrics = {label: metric for label, metric, _ in asked}
    return replace(
        first,
        ids=tuple(ids),
        lists=merge_lists(lists, first_seen.get("history", [])) if lists else None,
        rows=merge_rows(rows, metrics, whole=first.whole == "units") if rows else None,
        fingerprints={
            role: value
            if role in OF_ITEMS
            else _AND.join(one[role] for one, new in zip(tables, first_seen[role], strict=True) if new)
            if role in OF_USERS
            else _joined([one[role] for one in tables])
            for role, value in tables[0].items()
        },
    )


_AND = "+"  # between the fingerprints of the different tables of users that parts had
_THEN = ">"  # before the fingerprint of rows that are known by their place alone


def _first_seen(role: str, tables: Sequence[str]) -> list[bool]:
    """Whether each part has tables that no part before it has; a table counts once."""
    seen, found = set[str](), []
    for several in (set(one.split(_AND)) for one in tables):
        found.append(seen.isdisjoint(several))
        if not found[-1] and not several <= seen:
            raise merging.item_table_differs(table=role)
        seen |= several
    return found


def merged_engine(states: States, asked: Asked, totals: MergedRows | OrderTotals | None = None) -> Memory:
    """An engine whose lists and rows are those of merged states; ``totals`` are those of a first pass."""
    labels = {metric: label for label, metric, _ in asked}
    return Memory(
        lists=None if states.lists is None else MergedRankings.of_parts(states.lists, _of_lists(asked)),
        rows=None if states.rows is None else MergedRows.of(states.rows, labels, totals),
        fingerprints={role: _final(value) for role, value in states.fingerprints.items()},
    )


def _of_lists(asked: Asked) -> list[Need]:
    return list(dict.fromkeys(need for _, _, need in asked if need.reads in OF_LISTS))


def _check_same(what: Message, values: Sequence[str]) -> None:
    for value in values[1:]:
        if value != values[0]:
            raise merging.differ(what=what, one=values[0], other=value)


@dataclass(eq=False)
class RowPlaces:
    """The places of rows among all rows of their table.

    If a table lacks some rows, the others are numbered.
    """

    rows: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # of the next part
    before: Counter[str] = field(default_factory=Counter)  # rows of each table in the parts so far
    entries: Counter[str] = field(default_factory=Counter)  # the same of its lists

    def fingerprint(self, role: str, table: pl.DataFrame) -> str:
        whole = len(self.rows) == table.height
        places = self.rows if whole else np.arange(self.before[role], self.before[role] + table.height)
        found = fingerprint(table, places, self.entries[role])
        self.before[role] += table.height
        self.entries[role] += n_entries(table)
        return found


def _fingerprints(tables: Mapping[str, pl.DataFrame], places: RowPlaces | None) -> dict[str, str]:
    """The fingerprint of each table; rows without ids and without units are paired by their place."""
    if places is not None:
        return {role: places.fingerprint(role, table) for role, table in tables.items()}
    by_place = f"{OF_ROWS}units" not in tables
    return {
        role: _THEN * (by_place and not {"query", "item"} & set(table.columns)) + fingerprint(table)
        for role, table in tables.items()
    }


def _joined(fingerprints: Sequence[str]) -> str:
    """The fingerprint of all rows; where rows are known by their place, the order of parts counts."""
    return "".join(fingerprints) if fingerprints[0].startswith(_THEN) else _added(fingerprints)


def _final(fingerprints: str) -> str:
    several = fingerprints.removeprefix(_THEN).split(_THEN)
    if len(several) > 1:
        return sha256(fingerprints.encode()).hexdigest()[:32]
    return _added(several[0].split(_AND))


def _added(fingerprints: Sequence[str]) -> str:
    """The fingerprints of tables add up, each half modulo 2^64."""
    halves = [sum(int(one[at : at + 16], 16) for one in fingerprints) % 2**64 for at in (0, 16)]
    return "".join(f"{half:016x}" for half in halves)
