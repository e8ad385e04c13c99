"""Values by slice and by class: the extremes where there are too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.measure.slices import WHOLE
from steelyard.messages import Message, say
from steelyard.metrics import Metric
from steelyard.show.document import COUNTED
from steelyard.show.labels import shown
from steelyard.show.page.numbers import best_of, first_rows, metric_label
from steelyard.show.page.systems import Part, Placed, labels
from steelyard.show.page.table import Cell, Head, Table, count_cell, name_cells, value_cell

_Row = dict[str, float]

MOST = 100  # slices in a table; above it, half of them from each end
MOST_COLUMNS = 24


def slice_tables(part: Part, unlike: frozenset[str] = frozenset()) -> list[Table]:
    """One table with a column per metric; of several systems one table per metric, a column per system.

    Of the metrics in ``unlike`` no system is marked best.
    """
    found = []
    for by in dict.fromkeys(placed.system.by for placed in part if placed.system.by):
        same = tuple(placed for placed in part if placed.system.by == by)
        frames = {
            placed.place: _one_number(placed.system.rows).filter(~pl.all_horizontal(_nulls(by)))
            for placed in same
        }
        if any(frame.height for frame in frames.values()):
            found += _tables(
                same, list(by), frames, say("By {columns}", columns=_joined(by)), unlike, whole=True
            )
    return found


def class_tables(part: Part, unlike: frozenset[str] = frozenset()) -> list[Table]:
    """The values of each class over everything, in the same form."""
    frames = {}
    for placed in part:
        whole = placed.system.whole
        if "class" in whole.columns:
            per_class = pl.col("class").is_not_null()
            if "predicted" in whole.columns:
                per_class &= pl.col("predicted").is_null()
            frames[placed.place] = whole.filter(per_class)
    having = tuple(placed for placed in part if placed.place in frames and frames[placed.place].height)
    return _tables(having, ["class"], frames, say("Each class"), unlike, whole=False) if having else []


def _tables(
    part: Part,
    by: list[str],
    frames: dict[int, pl.DataFrame],
    caption: Message,
    unlike: frozenset[str],
    *,
    whole: bool,
) -> list[Table]:
    """``frames`` hold the rows of each system, tidy; ``whole`` says whether one row stands for everything."""
    present = set(pl.concat([frames[placed.place]["metric"] for placed in part]).unique().to_list())
    wanted = {label: metric for label, metric in labels(part).items() if label in present}
    chosen, notes = _chosen([frames[placed.place] for placed in part], by, list(wanted))
    if len(part) == 1:
        table = _by_metric(part[0], by, frames[part[0].place], chosen, wanted, caption, whole=whole)
        return [_noted(table, notes)]
    tables = [
        _by_system(part, by, frames, chosen, label, metric, marked=label not in unlike, whole=whole)
        for label, metric in wanted.items()
    ]
    return [_noted(table, notes) for table in tables]


def _chosen(
    frames: Sequence[pl.DataFrame], by: list[str], metrics: Sequence[str]
) -> tuple[pl.DataFrame, tuple[Message, ...]]:
    """The slices to show, and what is said of the others.

    The first system decides which are the ends, by the first metric that has enough values or by the one
    that has most; slices without a value fill up.
    """
    named = [frame.select(by) for frame in frames]
    every = pl.concat(named).unique(maintain_order=True).with_row_index("_place")
    if every.height <= MOST:
        return every, ()
    known = frames[0].filter(pl.col("value").is_not_nan() & pl.col("value").is_not_null())
    counts = dict(known.group_by("metric").len().rows())
    enough = (label for label in metrics if counts.get(label, 0) >= MOST)
    label = next(enough, max(metrics, key=lambda one: counts.get(one, 0)))
    values = known.filter(pl.col("metric") == label).select(*by, "value")
    joined = every.join(values, on=by, how="left", maintain_order="left", nulls_equal=True)
    ordered = joined.filter(pl.col("value").is_not_null()).sort("value", maintain_order=True)
    undefined = joined.filter(pl.col("value").is_null())
    half = MOST // 2
    ends = pl.concat([ordered.head(half), ordered.tail(half)]).unique("_place", maintain_order=True)
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
    placed: Placed,
    by: list[str],
    frame: pl.DataFrame,
    chosen: pl.DataFrame,
    wanted: dict[str, Metric],
    caption: Message,
    *,
    whole: bool,
) -> Table:
    """A row per slice, a column per metric, and how much each slice holds."""
    columns = dict(list(wanted.items())[:MOST_COLUMNS])
    kind = placed.system.document.units
    units = list(dict.fromkeys(kind[label] for label in columns))
    heads = [*_name_heads(by), *(Head(words=COUNTED.get(unit, say("n // how many"))) for unit in units)]
    heads += [Head(text=metric_label(label)) for label in columns]

    def cells(names: Sequence[Cell], rows: dict[str, _Row]) -> tuple[Cell, ...]:
        counted = {unit: [rows.get(one) for one in columns if kind[one] == unit] for unit in units}
        alike = {unit: _alike(some) for unit, some in counted.items()}
        sizes = [_size(some, alike[unit]) for unit, some in counted.items()]
        values = [
            _value(rows.get(label), metric, None, told=alike[kind[label]])
            for label, metric in columns.items()
        ]
        return (*names, *sizes, *values)

    by_slice = _rows_of(frame, by, chosen)
    everything = {row["metric"]: row for row in _one_number(placed.system.whole).to_dicts()}
    return Table(
        caption=caption,
        heads=tuple(heads),
        rows=tuple(
            cells(name_cells(names, sliced=whole), by_slice.get(names, {})) for names in _names(chosen, by)
        ),
        whole=(cells(_whole_names(by), everything),) if whole else (),
        notes=(first_rows(MOST_COLUMNS, len(wanted)),) if len(wanted) > MOST_COLUMNS else (),
    )


def _by_system(
    part: Part,
    by: list[str],
    frames: dict[int, pl.DataFrame],
    chosen: pl.DataFrame,
    label: str,
    metric: Metric,
    *,
    marked: bool,
    whole: bool,
) -> Table:
    """A row per slice, a column per system."""
    units = [placed.system.document.units.get(label) for placed in part]
    heads = [
        *_name_heads(by),
        Head(words=COUNTED.get(next(unit for unit in units if unit), say("n // how many"))),
        *(Head(text=shown(placed.system.name), system=placed.place) for placed in part),
    ]
    by_slice = [_rows_of(frames[placed.place], by, chosen, label) for placed in part]

    def cells(names: Sequence[Cell], rows: Sequence[_Row | None]) -> tuple[Cell, ...]:
        best = best_of(metric, [row["value"] if row else None for row in rows])
        alike = _alike(rows)
        values = [
            _value(row, metric, placed.place, best=is_best and marked, told=alike)
            for placed, row, is_best in zip(part, rows, best, strict=True)
        ]
        return (*names, _size(rows, alike), *values)

    everything = [
        next((row for row in _one_number(placed.system.whole).to_dicts() if row["metric"] == label), None)
        for placed in part
    ]
    return Table(
        caption=metric_label(label),
        heads=tuple(heads),
        rows=tuple(
            cells(name_cells(names, sliced=whole), [found.get(names, {}).get(label) for found in by_slice])
            for names in _names(chosen, by)
        ),
        whole=(cells(_whole_names(by), everything),) if whole else (),
    )


def _rows_of(
    frame: pl.DataFrame, by: list[str], chosen: pl.DataFrame, label: str | None = None
) -> dict[tuple[str, ...], dict[str, _Row]]:
    """The rows of the chosen slices, by slice and metric."""
    wanted = frame.join(chosen, on=by, how="semi", maintain_order="left", nulls_equal=True)
    if label is not None:
        wanted = wanted.filter(pl.col("metric") == label)
    found: dict[tuple[str, ...], dict[str, _Row]] = {}
    for row in wanted.to_dicts():
        found.setdefault(tuple(row[name] for name in by), {})[row["metric"]] = row
    return found


def _alike(rows: Sequence[_Row | None]) -> bool:
    """Whether all values of a row leave out as many, which then need be said once only."""
    return len({row["undefined"] for row in rows if row}) == 1


def _value(
    row: _Row | None, metric: Metric, system: int | None, *, best: bool = False, told: bool = False
) -> Cell:
    if row is None:
        return Cell(system=system)
    small = None if told or row["value"] != row["value"] else _undefined(row)
    return value_cell(row["value"], bounds=metric.bounds, system=system, best=best, small=small)


def _size(rows: Sequence[_Row | None], tells: bool) -> Cell:
    """On how much the values of a slice rest: the fewest and the most, where they differ."""
    having = [row for row in rows if row]
    if not having:
        return count_cell(None)
    counts = [int(row["n"]) for row in having]
    cell = count_cell(max(counts), small=_undefined(having[0]) if tells else None)
    return cell if min(counts) == max(counts) else replace(cell, text=f"{min(counts):,}–{cell.text}")


def _undefined(row: _Row) -> Message | None:
    return say("{n:,} undefined", n=int(row["undefined"])) if row["undefined"] else None


def _one_number(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("class").is_null()) if "class" in rows.columns else rows


def _nulls(by: Sequence[str]) -> list[pl.Expr]:
    return [pl.col(name).is_null() for name in by]


def _names(chosen: pl.DataFrame, by: list[str]) -> list[tuple[str, ...]]:
    return chosen.select(by).rows()


def _name_heads(by: Sequence[str]) -> list[Head]:
    if list(by) == ["class"]:
        return [Head(words=say("class"), number=False)]
    return [Head(text=shown(name), number=False) for name in by]


def _whole_names(by: Sequence[str]) -> list[Cell]:
    return [Cell(words=WHOLE) if place == 0 else Cell() for place, _ in enumerate(by)]


def _joined(by: Sequence[str]) -> str:
    return " × ".join(shown(name) for name in by)


def _noted(table: Table, notes: tuple[Message, ...]) -> Table:
    return replace(table, notes=(*table.notes, *notes))
