"""The tables of the page: the form they all have, and the headline with every metric over everything."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.engine.slices import NOTHING
from steelyard.metrics import Metric
from steelyard.render.catalogue import sentence
from steelyard.render.system import BEST, PagePart, System
from steelyard.render.table import Cell, ShownColumn, ShownTable, ValueBar
from steelyard.text import Message, say, term
from steelyard.text.labels import COUNTED, UNITS, between, in_table, percent
from steelyard.text.names import shown

MOST_ROWS = 200
ID = 60  # characters of a name from the data

Row = Mapping[str, Any]
_Column = tuple[ShownColumn, Callable[[str], Cell]]  # and the cell of each metric
PAGE = {
    "skip": say("Skip to the numbers"),
    "report": say("Evaluation report"),
    "contents": say("Contents"),
    "settings": say("View"),
    "language": say("Language"),
    "dark": say("Dark"),
    "good": say("Good:"),
    "warning": say("Warning:"),
    "systems": say("Systems"),
    "against": say("against"),
    "numbers": say("Numbers"),
    "readings": say("Interpretation"),
    "notes": say("Before you use these numbers"),
    "more": say("Scroll sideways for more →"),
    "conventions": say("Conventions"),
    "undefined": say("undefined"),
    "higher": say("higher is better"),
    "lower": say("lower is better"),
    "nearest_1": say("1 is right"),
    "best": say("best of its row"),
    "comparison": say("Comparison"),
    "explained": say("The difference, explained"),
    "better": say("Better:"),
    "worse": say("Worse:"),
    "apart": say("Differs:"),
    "open": say("Not significant:"),
    "untested": say("Not tested:"),
    "lost": say("Slices that got worse"),
    "moved": say("Queries that moved most"),
    "up": say("Gained"),
    "down": say("Lost"),
    "move": say("moved // since the other list"),
    "not_kept": say("The lists of these queries were not kept."),
    "slices": say("Slices"),
    "classes": say("Classes"),
    "curves": say("Curves and distributions"),
    "lists": say("Lists as a whole"),
    "data": say("Data of this chart"),
    "best_and_worst": say("Queries"),
    "highest": say("Highest"),
    "rank": say("rank"),
    "item": say("item"),
    "grade": say("grade"),
    "unjudged": say("not judged"),
    "no_items": say("The list is empty."),
    "strip": say(
        "Each list starts at rank 1. A stronger colour is a higher grade; a hollow square is not judged."
    ),
    "charts": say("Charts"),
    "specification_short": say("Specification"),
    "specification": say("Specification and tally"),
    "copy": say("Copy"),
    "copied": say("Copied"),
}


def row_cell(
    row: Row | None,
    metric: Metric,
    *,
    system: int | None,
    small: Message | None = None,
    smaller: Message | None = None,
) -> Cell:
    """A metric's value in a row of the table of results, with a bar where it lies between 0 and 1.

    In the column of a system it is marked where it is the best of several.
    """
    if row is None:
        return Cell(system=system)
    value, bar = row["value"], None
    if metric.bounds == (0.0, 1.0) and not math.isnan(value):
        bar = ValueBar(
            width=_hundredths(value), low=_hundredths(row["ci_low"]), high=_hundredths(row["ci_high"])
        )
    best = row[BEST] and system is not None
    return Cell(
        text=in_table(value), sort=value, bar=bar, system=system, best=best, small=small, smaller=smaller
    )


def interval_of(row: Row | None) -> Message | None:
    if row is None or row["ci_low"] is None or math.isnan(row["ci_low"]):
        return None
    return say("{low} – {high}", low=in_table(row["ci_low"]), high=in_table(row["ci_high"]))


def ties_of(row: Row | None) -> Message | None:
    if row is None or row["tie_low"] is None or in_table(row["tie_low"]) == in_table(row["tie_high"]):
        return None
    return say("ties alone: {low} – {high}", low=in_table(row["tie_low"]), high=in_table(row["tie_high"]))


def count_cell(count: int | None, *, system: int | None = None, small: Message | None = None) -> Cell:
    if count is None:
        return Cell(system=system)
    return Cell(text=f"{count:,}", sort=count, system=system, small=small, count=True)


def interval_cell(row: Row | None, *, system: int | None = None) -> Cell:
    if row is None or row["ci_low"] is None:
        return Cell(system=system)
    low, high = row["ci_low"], row["ci_high"]
    return Cell(text=between(low, high), sort=high - low, system=system, count=True)


def name_cells(names: Sequence[object], *, sliced: bool) -> list[Cell]:
    """Names from the data; of slices one may say that there is no value."""
    return [
        Cell(text=NOTHING) if sliced and name == NOTHING else Cell(text=shown(name, ID)) for name in names
    ]


def headline(part: PagePart) -> ShownTable | None:
    """Every metric over everything: a value of each system, and how many units it is a mean of."""
    rows = {system.place: {row["metric"]: row for row in whole_rows(system)} for system in part.systems}
    every = [row for of_system in rows.values() for row in of_system.values()]
    present = {row["metric"] for row in every}
    wanted = [label for label in part.metrics if label in present]
    if not wanted:
        return None
    alone = len(part.systems) == 1
    # with several systems, intervals are below the values; columns of their own would be too wide
    intervals = alone and any(row["ci_low"] is not None for row in every)
    counts: dict[str, set[tuple[int, int]]] = {}
    for row in every:
        counts.setdefault(row["metric"], set()).add((row["n"], row["undefined"]))
    shared = all(len(of_metric) == 1 for of_metric in counts.values())  # then they are the last columns
    units = {unit for system in part.systems for unit in system.units.values()}
    unit = COUNTED.get(next(iter(units)), say("n // how many")) if len(units) == 1 else None
    width = 1 + intervals + (0 if shared else 2)
    grouped = not alone and width > 1

    def counted(systems: Sequence[System], place: int | None) -> list[_Column]:
        def cell(label: str, name: str) -> Cell:
            having = next((system for system in systems if label in rows[system.place]), None)
            if having is None:
                return Cell(system=place)
            small = UNITS.get(having.units[label]) if name == "n" and not unit else None
            return count_cell(rows[having.place][label][name], system=place, small=small)

        return [
            (ShownColumn(heading=unit or say("n // how many"), system=place), lambda label: cell(label, "n")),
            (ShownColumn(heading=PAGE["undefined"], system=place), lambda label: cell(label, "undefined")),
        ]

    def measured(system: System) -> list[_Column]:
        place, row_of = None if alone else system.place, rows[system.place].get

        def cell(label: str) -> Cell:
            row = row_of(label)
            small = None if alone else interval_of(row)
            return row_cell(row, part.metrics[label], system=place, small=small, smaller=ties_of(row))

        named = not alone and not grouped
        heading = shown(system.name) if named else say("value")
        columns: list[_Column] = [(ShownColumn(heading=heading, system=place, dotted=named), cell)]
        if intervals:
            head = ShownColumn(heading=say("{level} interval", level=percent(system.level)), system=place)
            columns.append((head, lambda label: interval_cell(row_of(label), system=place)))
        return columns if shared else [*columns, *counted([system], place)]

    columns: list[_Column] = [
        (
            ShownColumn(heading=say("metric"), number=False),
            lambda label: metric_cell(label, part.metrics[label]),
        ),
        *(column for system in part.systems for column in measured(system)),
        *(counted(part.systems, None) if shared else []),
    ]
    groups = [
        ShownColumn(heading=shown(system.name), system=system.place, span=width, dotted=True)
        for system in part.systems
    ]
    rest = [ShownColumn(span=2)] if shared else []
    return ShownTable(
        caption=PAGE["numbers"],
        groups=(ShownColumn(number=False), *groups, *rest) if grouped else (),
        columns=tuple(head for head, _ in columns),
        rows=tuple(tuple(cell(label) for _, cell in columns) for label in wanted[:MOST_ROWS]),
        notes=tuple(_notes(part, wanted, every)),
    )


def _notes(part: PagePart, wanted: Sequence[str], every: Sequence[Row]) -> Iterator[Message]:
    several = len(part.systems) > 1
    if several and set(wanted) - part.unlike:
        untested = say(
            "The best value of a row is marked ●. Differences are not tested for significance here."
        )
        tested = say(
            "The best value of a row is marked ●. "
            "The section Comparison says which differences are statistically significant."
        )
        yield untested if part.compared is None else tested
    if several and (below := below_values(every, part)):
        yield below
    if len(wanted) > MOST_ROWS:
        yield first_rows(MOST_ROWS, len(wanted))


def below_values(rows: Iterable[Row], part: PagePart) -> Message | None:
    if not any(row["ci_low"] is not None for row in rows):
        return None
    return say("The {level} interval is below each value.", level=percent(part.systems[0].level))


def first_rows(most: int, n: int) -> Message:
    return say("The first {shown} of {n} rows are shown; result.table() has all.", shown=most, n=n)


def metric_label(label: str) -> str:
    return shown(label, 100)


def metric_cell(label: str, metric: Metric) -> Cell:
    return Cell(text=metric_label(label), small=meaning(metric), direction=metric.direction)


def meaning(metric: Metric) -> Message:
    return term(shown(sentence(type(metric)), 300))


def one_number(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("class").is_null()) if "class" in rows.columns else rows


def whole_rows(system: System) -> Sequence[Row]:
    return one_number(system.whole).to_dicts()


def _hundredths(value: float | None) -> float | None:
    if value is None or math.isnan(value):
        return None
    return round(100 * min(max(value, 0.0), 1.0), 2)
