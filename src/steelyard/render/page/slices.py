"""Values by slice and by class: the extremes where there are too many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.engine.slices import WHOLE, is_whole
from steelyard.metrics import Metric
from steelyard.read.table import exactly
from steelyard.render.page.tables import (
    Row,
    below_values,
    count_cell,
    first_rows,
    interval_of,
    metric_label,
    name_cells,
    one_number,
    row_cell,
    whole_rows,
)
from steelyard.render.system import PagePart, System
from steelyard.render.table import Cell, ShownColumn, ShownTable
from steelyard.text import Message, say
from steelyard.text.labels import COUNTED
from steelyard.text.names import shown

MOST = 100  # slices in a table; above it, half of them from each end
MOST_COLUMNS = 24
_WHOLE = ()  # in place of the names of a slice
RowsOfSlices = dict[tuple[str, ...], dict[str, Row]]  # by the names of a slice, then by metric
_Cells = Callable[[tuple[str, ...]], list[Cell]]  # of a slice


def slice_tables(part: PagePart) -> list[ShownTable]:
    """One table with a column per metric; of several systems one table per metric, a column per system."""
    tables = []
    for by in dict.fromkeys(system.by for system in part.systems if system.by):
        alike = [(system, one_number(system.rows)) for system in part.systems if system.by == by]
        frames = [(system, rows.filter(~is_whole(rows, by))) for system, rows in alike]
        if any(frame.height for _, frame in frames):
            title = say("By {columns}", columns=" × ".join(map(shown, by)))
            tables += _tables(part, frames, list(by), title, whole=True)
    return tables


def class_tables(part: PagePart) -> list[ShownTable]:
    frames = []
    for system in part.systems:
        rows = system.whole
        if "class" in rows.columns:
            rows = rows.filter(pl.col("class").is_not_null())
            rows = rows.filter(pl.col("predicted").is_null()) if "predicted" in rows.columns else rows
            frames += [(system, rows)] if rows.height else []
    return _tables(part, frames, ["class"], say("Each class"), whole=False) if frames else []


def _tables(
    part: PagePart, frames: list[tuple[System, pl.DataFrame]], by: list[str], caption: Message, *, whole: bool
) -> list[ShownTable]:
    """``frames`` are the rows of each system, tidy; ``whole`` asks for a first row about everything."""
    present = set(pl.concat([frame["metric"] for _, frame in frames]).unique().to_list())
    wanted = {label: metric for label, metric in part.metrics.items() if label in present}
    chosen, notes = _chosen([frame for _, frame in frames], by, list(wanted))
    rows = [_rows_of(frame, by, chosen) for _, frame in frames]
    if whole:
        for (system, _), by_slice in zip(frames, rows, strict=True):
            by_slice[_WHOLE] = {row["metric"]: row for row in whole_rows(system)}
    if below := below_values((row for _, frame in frames for row in frame.to_dicts()), part):
        notes = (*notes, below)
    names = [
        ShownColumn(heading=say("class") if by == ["class"] else shown(name), number=False) for name in by
    ]

    def table(
        heads: list[ShownColumn], cells: _Cells, caption: str, more: tuple[Message, ...] = ()
    ) -> ShownTable:
        return ShownTable(
            columns=[*names, *heads],
            rows=[(*name_cells(key, sliced=whole), *cells(key)) for key in chosen.rows()],
            whole=[(*(Cell(text=WHOLE) for _ in by), *cells(_WHOLE))] if whole else (),
            caption=caption,
            notes=(*more, *notes),
        )

    if len(frames) == 1:
        more = (first_rows(MOST_COLUMNS, len(wanted)),) if len(wanted) > MOST_COLUMNS else ()
        first = dict(list(wanted.items())[:MOST_COLUMNS])
        return [table(*_of_metrics(frames[0][0], rows[0], first), caption, more)]
    systems = [system for system, _ in frames]
    return [
        table(*_of_systems(systems, rows, label, metric), metric_label(label))
        for label, metric in wanted.items()
    ]


def _chosen(
    frames: Sequence[pl.DataFrame], by: list[str], metrics: Sequence[str]
) -> tuple[pl.DataFrame, tuple[Message, ...]]:
    """The slices to show, and notes on the others.

    The first system decides which are the ends, by the first metric that has enough values or by the one
    that has most; slices without a value fill up.
    """
    named = [frame.select(exactly(by)) for frame in frames]
    every = pl.concat(named).unique(maintain_order=True)
    if every.height <= MOST:
        return every, ()
    known = frames[0].filter(pl.col("value").is_not_nan() & pl.col("value").is_not_null())
    counts = dict(known.group_by("metric").len().rows())
    enough = (label for label in metrics if counts.get(label, 0) >= MOST)
    label = next(enough, max(metrics, key=lambda one: counts.get(one, 0)))
    values = known.filter(pl.col("metric") == label).select(exactly([*by, "value"]))
    joined = every.join(values, on=exactly(by), how="left", maintain_order="left", nulls_equal=True)
    ordered = joined.filter(pl.col("value").is_not_null()).sort("value", maintain_order=True)
    undefined = joined.filter(pl.col("value").is_null())
    half = MOST // 2
    ends = ordered if ordered.height <= MOST else pl.concat([ordered.head(half), ordered.tail(half)])
    filling = undefined.head(MOST - ends.height)
    there: dict[str, Any] = {"all": every.height, "metric": metric_label(label)}
    note = (
        say(
            "{n:,} of {all:,} are shown: the {valued:,} with a value of {metric}, and {filling:,} without. "
            "The other {left:,} are in result.table(), or --format csv.",
            n=ends.height + filling.height,
            valued=ends.height,
            filling=filling.height,
            left=every.height - ends.height - filling.height,
            **there,
        )
        if filling.height
        else say(
            "{n:,} of {all:,} are shown: the {half} lowest and the {half} highest by {metric}. "
            "The other {left:,} are in result.table(), or --format csv.",
            n=ends.height,
            half=half,
            left=every.height - ends.height,
            **there,
        )
    )
    notes = [note]
    if undefined.height:
        lacking = undefined.height
        notes.append(say("{lacking:,} of the {all:,} have no value of {metric}.", lacking=lacking, **there))
    return pl.concat([ends.reverse(), filling]).drop("value"), tuple(notes)


def _of_metrics(
    system: System, by_slice: RowsOfSlices, wanted: Mapping[str, Metric]
) -> tuple[list[ShownColumn], _Cells]:
    """A column for each metric, after the size of the slice in each unit."""
    kind = system.units
    units = list(dict.fromkeys(kind[label] for label in wanted))

    def cells(key: tuple[str, ...]) -> list[Cell]:
        rows = by_slice.get(key, {})
        counted = {unit: [rows.get(label) for label in wanted if kind[label] == unit] for unit in units}
        alike = {unit: _alike(of_unit) for unit, of_unit in counted.items()}
        return [
            *(_size(of_unit, alike[unit]) for unit, of_unit in counted.items()),
            *(_value(rows.get(label), wanted[label], None, told=alike[kind[label]]) for label in wanted),
        ]

    return [*map(_size_column, units), *(ShownColumn(heading=metric_label(label)) for label in wanted)], cells


def _of_systems(
    systems: Sequence[System], by_slice: Sequence[RowsOfSlices], label: str, metric: Metric
) -> tuple[list[ShownColumn], _Cells]:
    """A column for each system, after the size of the slice."""

    def cells(key: tuple[str, ...]) -> list[Cell]:
        rows = [of_system.get(key, {}).get(label) for of_system in by_slice]
        alike = _alike(rows)
        values = zip(systems, rows, strict=True)
        return [
            _size(rows, alike),
            *(_value(row, metric, system.place, told=alike) for system, row in values),
        ]

    unit = next(system.units[label] for system in systems if label in system.units)
    named = [ShownColumn(heading=shown(system.name), system=system.place, dotted=True) for system in systems]
    return [_size_column(unit), *named], cells


def _size_column(unit: str) -> ShownColumn:
    return ShownColumn(heading=COUNTED.get(unit, say("n // how many")))


def _rows_of(frame: pl.DataFrame, by: list[str], chosen: pl.DataFrame) -> RowsOfSlices:
    wanted = frame.join(chosen, on=exactly(by), how="semi", maintain_order="left", nulls_equal=True)
    rows: RowsOfSlices = {}
    for row in wanted.to_dicts():
        rows.setdefault(tuple(row[name] for name in by), {})[row["metric"]] = row
    return rows


def _alike(rows: Sequence[Row | None]) -> bool:
    """Whether all values of a row have the same number of undefined units, which is then shown once."""
    return len({row["undefined"] for row in rows if row}) == 1


def _value(row: Row | None, metric: Metric, system: int | None, *, told: bool) -> Cell:
    silent = row is None or told or row["value"] != row["value"]
    left_out = None if silent else _undefined(row)
    return row_cell(row, metric, system=system, small=interval_of(row), smaller=left_out)


def _size(rows: Sequence[Row | None], tells: bool) -> Cell:
    having = [row for row in rows if row]
    if not having:
        return count_cell(None)
    counts = [int(row["n"]) for row in having]
    cell = count_cell(max(counts), small=_undefined(having[0]) if tells else None)
    return cell if min(counts) == max(counts) else replace(cell, text=f"{min(counts):,}–{cell.text}")


def _undefined(row: Row | None) -> Message | None:
    return say("{n:,} undefined", n=int(row["undefined"])) if row and row["undefined"] else None
