"""The headline: every metric over everything, one column or group of columns per system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.messages import Message, say, term
from steelyard.metrics import Metric
from steelyard.show.catalogue import sentence
from steelyard.show.charts.words import UNITS
from steelyard.show.document import COUNTED
from steelyard.show.labels import shown
from steelyard.show.page.systems import Part, Placed, labels
from steelyard.show.page.table import Cell, Head, Table, count_cell, interval_cell, value_cell
from steelyard.show.page.words import PAGE

MOST_ROWS = 200

Row = Mapping[str, Any]


def headline(part: Part, unlike: frozenset[str] = frozenset()) -> Table | None:
    """The values over everything; None where no metric is one number.

    Of the metrics in ``unlike`` no system is marked best.
    """
    rows = {placed.place: _whole(placed) for placed in part}
    wanted = {label: m for label, m in labels(part).items() if any(label in found for found in rows.values())}
    if not wanted:
        return None
    columns = _Columns(part, rows, wanted, unlike)
    notes = []
    if len(part) > 1 and wanted.keys() - unlike:
        notes.append(
            say(
                "The best value of a row is marked ●. "
                "Whether a difference is more than chance is not tested here."
            )
        )
    if len(wanted) > MOST_ROWS:
        notes.append(first_rows(MOST_ROWS, len(wanted)))
    return Table(
        caption=PAGE["numbers"],
        groups=columns.groups(),
        heads=columns.heads(),
        rows=tuple(columns.row(label) for label in list(wanted)[:MOST_ROWS]),
        notes=tuple(notes),
    )


def first_rows(most: int, n: int) -> Message:
    """That only some of the rows are shown."""
    return say("The first {shown} of {n} rows are shown; result.table() has all.", shown=most, n=n)


def metric_label(label: str) -> str:
    """A metric's text, which may be long."""
    return shown(label, 100)


def metric_cell(label: str, metric: Metric) -> Cell:
    """A metric's name, what it says, and which way is better."""
    return Cell(text=metric_label(label), small=meaning(metric), direction=metric.direction)


def meaning(metric: Metric) -> Message:
    """The metric's one sentence."""
    return term(shown(sentence(type(metric)), 300))


def best_of(metric: Metric, values: Sequence[float | None]) -> list[bool]:
    """Which of the systems' values are the best; none where there is nothing to choose from."""
    known = [value for value in values if value is not None and not math.isnan(value)]
    if len(known) < 2 or len(set(known)) == 1 or metric.direction == "none":
        return [False] * len(values)
    if metric.direction == "nearest_1":
        best = min(abs(value - 1) for value in known)
        return [value is not None and abs(value - 1) == best for value in values]
    best = max(known) if metric.direction == "higher" else min(known)
    return [value == best for value in values]


def _whole(placed: Placed) -> dict[str, Row]:
    """The rows over everything that are one number, by their labels."""
    whole = placed.system.whole
    if "class" in whole.columns:
        whole = whole.filter(pl.col("class").is_null())
    return {row["metric"]: row for row in whole.to_dicts()}


class _Columns:
    """Which columns there are: what all systems share stands once, at the end."""

    def __init__(
        self,
        part: Part,
        rows: Mapping[int, Mapping[str, Row]],
        metrics: Mapping[str, Metric],
        unlike: frozenset[str],
    ) -> None:
        self.part, self.rows, self.metrics, self.unlike = part, rows, metrics, unlike
        self.alone = len(part) == 1
        every = [row for found in rows.values() for row in found.values()]
        self.intervals = any(row["ci_low"] is not None for row in every)
        counts: dict[str, set[tuple[int, int]]] = {}
        for row in every:
            counts.setdefault(row["metric"], set()).add((row["n"], row["undefined"]))
        self.shared = all(len(found) == 1 for found in counts.values())
        units = {unit for placed in part for unit in placed.system.document.units.values()}
        self.unit = COUNTED.get(next(iter(units)), say("n // how many")) if len(units) == 1 else None

    def heads(self) -> tuple[Head, ...]:
        heads = [Head(words=say("metric"), number=False)]
        for placed in self.part:
            place = None if self.alone else placed.place
            named = not self.alone and not self.groups()
            heads.append(
                Head(text=shown(placed.system.name), system=place)
                if named
                else Head(words=say("value"), system=place)
            )
            if self.intervals:
                heads.append(Head(words=say("95 % interval"), system=place))
            if not self.shared:
                heads += self._count_heads(place)
        return tuple(heads + (self._count_heads(None) if self.shared else []))

    def _count_heads(self, place: int | None) -> list[Head]:
        return [
            Head(words=self.unit or say("n // how many"), system=place),
            Head(words=PAGE["undefined"], system=place),
        ]

    def groups(self) -> tuple[Head, ...]:
        width = 1 + self.intervals + (0 if self.shared else 2)
        if self.alone or width == 1:
            return ()
        systems = [
            Head(text=shown(placed.system.name), system=placed.place, span=width) for placed in self.part
        ]
        rest = [Head(span=2)] if self.shared else []
        return (Head(number=False), *systems, *rest)

    def row(self, label: str) -> tuple[Cell, ...]:
        metric = self.metrics[label]
        found = [self.rows[placed.place].get(label) for placed in self.part]
        best = best_of(metric, [row["value"] if row else None for row in found])
        cells = [metric_cell(label, metric)]
        for placed, row, is_best in zip(self.part, found, best, strict=True):
            is_best = is_best and label not in self.unlike
            place = None if self.alone else placed.place
            value, low, high = (row["value"], row["ci_low"], row["ci_high"]) if row else (None, None, None)
            cells.append(
                value_cell(value, bounds=metric.bounds, low=low, high=high, system=place, best=is_best)
            )
            if self.intervals:
                cells.append(interval_cell(low, high, system=place))
            if not self.shared:
                cells += self._counts(placed, row, place)
        if self.shared:
            having = next((p, row) for p, row in zip(self.part, found, strict=True) if row)
            cells += self._counts(*having, None)
        return tuple(cells)

    def _counts(self, placed: Placed, row: Row | None, place: int | None) -> list[Cell]:
        if row is None:
            return [Cell(system=place), Cell(system=place)]
        unit = None if self.unit else UNITS.get(placed.system.document.units[row["metric"]])
        return [
            count_cell(row["n"], system=place, small=unit),
            count_cell(row["undefined"], system=place),
        ]
