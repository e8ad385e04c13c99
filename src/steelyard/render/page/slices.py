"""Values by slice and by class: the extremes where there are too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.engine.slices import WHOLE, is_whole
from steelyard.metrics import Metric
from steelyard.read.table import exactly
from steelyard.render.page.tables import (
    Cell,
    Head,
    PageTable,
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
from steelyard.text import Message, say
from steelyard.text.labels import COUNTED
from steelyard.text.names import shown

MOST = 100  # slices in a table; above it, half of them from each end
MOST_COLUMNS = 24


def slice_tables(part: PagePart) -> list[PageTable]:
    """One table with a column per metric; of several systems one table per metric, a column per system."""
    found = []
    for by in dict.fromkeys(system.by for system in part.systems if system.by):
        alike = [(system, one_number(system.rows)) for system in part.systems if system.by == by]
        frames = [(system, rows.filter(~is_whole(rows, by))) for system, rows in alike]
        if any(frame.height for _, frame in frames):
            title = say("By {columns}", columns=" × ".join(map(shown, by)))
            found += _tables(part, frames, list(by), title, whole=True)
    return found


def class_tables(part: PagePart) -> list[PageTable]:
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
) -> list[PageTable]:
    """``frames`` are the rows of each system, tidy; ``whole`` says whether one row stands for everything."""
    present = set(pl.concat([frame["metric"] for _, frame in frames]).unique().to_list())
    wanted = {label: metric for label, metric in part.metrics.items() if label in present}
    chosen, notes = _chosen([frame for _, frame in frames], by, list(wanted))
    if len(frames) == 1:
        tables = [_by_metric(*frames[0], by, chosen, wanted, caption, whole=whole)]
    else:
        tables = [
            _by_system(frames, by, chosen, label, metric, whole=whole) for label, metric in wanted.items()
        ]
    said = below_values((row for _, frame in frames for row in frame.to_dicts()), part)
    told = () if said is None else (said,)
    return [replace(table, notes=(*table.notes, *notes, *told)) for table in tables]


def _chosen(
    frames: Sequence[pl.DataFrame], by: list[str], metrics: Sequence[str]
) -> tuple[pl.DataFrame, tuple[Message, ...]]:
    """The slices to show, and what is said of the others.

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
    told = (
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
    notes = [told]
    if undefined.height:
        lacking = undefined.height
        notes.append(say("{lacking:,} of the {all:,} have no value of {metric}.", lacking=lacking, **there))
    return pl.concat([ends.reverse(), filling]).drop("value"), tuple(notes)


def _by_metric(
    system: System,
    frame: pl.DataFrame,
    by: list[str],
    chosen: pl.DataFrame,
    wanted: dict[str, Metric],
    caption: Message,
    *,
    whole: bool,
) -> PageTable:
    columns = dict(list(wanted.items())[:MOST_COLUMNS])
    kind = system.units
    units = list(dict.fromkeys(kind[label] for label in columns))
    heads = [*_name_heads(by), *(Head(words=COUNTED.get(unit, say("n // how many"))) for unit in units)]
    heads += [Head(text=metric_label(label)) for label in columns]

    def cells(names: Sequence[Cell], rows: dict[str, Row]) -> tuple[Cell, ...]:
        counted = {unit: [rows.get(one) for one in columns if kind[one] == unit] for unit in units}
        alike = {unit: _alike(some) for unit, some in counted.items()}
        sizes = [_size(some, alike[unit]) for unit, some in counted.items()]
        values = [
            _value(rows.get(label), metric, None, told=alike[kind[label]])
            for label, metric in columns.items()
        ]
        return (*names, *sizes, *values)

    by_slice = _rows_of(frame, by, chosen)
    everything = {row["metric"]: row for row in whole_rows(system)}
    return PageTable(
        caption=caption,
        heads=tuple(heads),
        rows=tuple(
            cells(name_cells(names, sliced=whole), by_slice.get(names, {})) for names in chosen.rows()
        ),
        whole=(cells([Cell(words=WHOLE) for _ in by], everything),) if whole else (),
        notes=(first_rows(MOST_COLUMNS, len(wanted)),) if len(wanted) > MOST_COLUMNS else (),
    )


def _by_system(
    frames: list[tuple[System, pl.DataFrame]],
    by: list[str],
    chosen: pl.DataFrame,
    label: str,
    metric: Metric,
    *,
    whole: bool,
) -> PageTable:
    systems = [system for system, _ in frames]
    unit = next(system.units[label] for system in systems if label in system.units)
    heads = [
        *_name_heads(by),
        Head(words=COUNTED.get(unit, say("n // how many"))),
        *(Head(text=shown(system.name), system=system.place) for system in systems),
    ]
    by_slice = [_rows_of(frame.filter(pl.col("metric") == label), by, chosen) for _, frame in frames]

    def cells(names: Sequence[Cell], rows: Sequence[Row | None]) -> tuple[Cell, ...]:
        alike = _alike(rows)
        values = [
            _value(row, metric, system.place, told=alike) for system, row in zip(systems, rows, strict=True)
        ]
        return (*names, _size(rows, alike), *values)

    everything = [
        next((row for row in whole_rows(system) if row["metric"] == label), None) for system in systems
    ]
    return PageTable(
        caption=metric_label(label),
        heads=tuple(heads),
        rows=tuple(
            cells(name_cells(names, sliced=whole), [found.get(names, {}).get(label) for found in by_slice])
            for names in chosen.rows()
        ),
        whole=(cells([Cell(words=WHOLE) for _ in by], everything),) if whole else (),
    )


def _rows_of(
    frame: pl.DataFrame, by: list[str], chosen: pl.DataFrame
) -> dict[tuple[str, ...], dict[str, Row]]:
    wanted = frame.join(chosen, on=exactly(by), how="semi", maintain_order="left", nulls_equal=True)
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in wanted.to_dicts():
        found.setdefault(tuple(row[name] for name in by), {})[row["metric"]] = row
    return found


def _alike(rows: Sequence[Row | None]) -> bool:
    """Whether all values of a row leave out as many, which then need be said once only."""
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


def _name_heads(by: Sequence[str]) -> list[Head]:
    if list(by) == ["class"]:
        return [Head(words=say("class"), number=False)]
    return [Head(text=shown(name), number=False) for name in by]
