"""The charts of the page: each with its accessible name and the table behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
from polars.selectors import numeric

from steelyard.measure.slices import NOTHING
from steelyard.messages import Message, languages, say
from steelyard.messages.errors import SteelyardError
from steelyard.messages.errors.showing import NothingToDrawError
from steelyard.printable import NONE
from steelyard.show import charts
from steelyard.show.charts import Chart
from steelyard.show.charts.parts import evenly
from steelyard.show.labels import number, shown
from steelyard.show.page import svg
from steelyard.show.page.systems import Part, Placed
from steelyard.show.page.table import Cell, Head, Table

MOST_ROWS = 50
MOST_OF_A_KIND = 12  # charts: by slice and by cutoff there is one for each metric
WIDE = 600  # pixels: more than half of the page holds

Section = Literal["slices", "classes", "curves", "queries"]
_NOT_BY_COLOUR = {"score_histogram", "confusion", "difference"}  # where colours mean something else
_SECTIONS: dict[str, Section] = {
    "slices": "slices",
    "confusion": "classes",
    "per_query": "queries",
    "difference": "queries",
    "gauc_by_size": "queries",
}


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart in every language, ready to stand in the page."""

    section: Section
    title: Message
    svg: Mapping[str, str]  # by language
    facts: tuple[Message, ...]
    notes: tuple[Message, ...]
    data: Table
    wide: bool = False


def figures(part: Part, prefix: str) -> tuple[list[Figure], list[Message]]:
    """Every chart that the data of some of these systems supports, and a sentence for each that is not there.

    ``prefix`` keeps their ids apart.
    """
    drawn: list[Figure] = []
    failed: list[Message] = []
    for name in charts.names():
        there = 0
        for some, asked in _supporting(name, part):
            try:
                chart = charts.chart(name, {placed.system.name: placed.system for placed in some}, **asked)
                if name == "gauc_by_size" and chart.table["low"].n_unique() == 1:
                    continue  # groups of one size only: nothing to see that the number does not say
                for panel in chart.parts or (chart,):
                    there += 1
                    if there <= MOST_OF_A_KIND:
                        drawn.append(_figure(panel, some, f"{prefix}-{len(drawn)}"))
            except NothingToDrawError:
                continue
            except SteelyardError as error:
                failed.append(say("The chart {name} is not drawn: {why}", name=name, why=error.said))
        if there > MOST_OF_A_KIND:
            failed.append(
                say(
                    "Of the charts of {name} the first {shown} of {n} are drawn.",
                    name=name,
                    shown=MOST_OF_A_KIND,
                    n=there,
                )
            )
    return drawn, failed


def _supporting(name: str, part: Part) -> list[tuple[Part, dict[str, str]]]:
    """The systems that stand in one chart, and what it is asked for.

    Those that are sliced otherwise, or share no metric that it could show, stand in another.
    """
    if name == "difference":
        both = tuple(placed.system for placed in part)
        return [(part, {})] if len(part) == 2 and name in charts.available(*both) else []
    having = tuple(placed for placed in part if name in charts.available(placed.system))
    if "metric" not in charts.options(name):
        return [(having, {})] if having else []
    kinds = dict.fromkeys(placed.system.by for placed in having) if name == "slices" else {None: None}
    return [
        (some, {"metric": label})
        for by in kinds
        for label, some in _by_metric(name, [one for one in having if by in (None, one.system.by)])
    ]


def _by_metric(name: str, having: Sequence[Placed]) -> list[tuple[str, Part]]:
    """The metrics that are drawn, each of the systems that have it.

    By slices all of them are; otherwise one for as many systems as share it, until each has its own.
    """
    known = {placed.place: charts.metrics(name, placed.system) for placed in having}
    if name == "slices":
        every = dict.fromkeys(label for labels in known.values() for label in labels)
        return [(label, tuple(p for p in having if label in known[p.place])) for label in every]
    left, found = list(having), []
    while left:
        label = max(known[left[0].place], key=lambda one: sum(one in known[p.place] for p in left))
        found.append((label, tuple(p for p in left if label in known[p.place])))
        left = [p for p in left if label not in known[p.place]]
    return found


def _figure(chart: Chart, part: Part, prefix: str) -> Figure:
    apart = len(part) > 1 and chart.name not in _NOT_BY_COLOUR
    systems = [placed.place for placed in part] if apart else []
    drawn = {
        lang: svg.placed(chart.svg(lang, titled=False), f"{prefix}-{lang}", systems) for lang in languages()
    }
    return Figure(
        section=_SECTIONS.get(chart.name, "curves"),
        title=chart.title,
        svg=drawn,
        facts=chart.facts,
        notes=chart.notes,
        data=_data(chart, {placed.system.name: placed.place for placed in part} if len(part) > 1 else {}),
        wide=max(map(_width, drawn.values())) > WIDE,
    )


def _width(drawn: str) -> float:
    found = re.search(r'width="([\d.]+)"', drawn)
    return float(found[1]) if found else 0.0


def _data(chart: Chart, places: Mapping[str, int]) -> Table:
    """The figures that are drawn, or some of them where they are many; columns without any are left out."""
    table = chart.table
    table = table.select(column for column in table if column.null_count() < len(column))
    table = table.drop(name for name in ("system", "metric") if name in table and table[name].n_unique() == 1)
    at = evenly(MOST_ROWS, table.height)
    numbers = set(table.select(numeric()).columns)
    some = table[at]
    # a frame holds as mere text what is words
    systems: dict[str, Message] = {name: name for name in places if isinstance(name, Message)}
    slices: dict[str, Message] = {NONE: NOTHING} if chart.name == "slices" else {}
    cells = [
        _cells(some[name], name in numbers, systems if name == "system" else slices) for name in table.columns
    ]
    return Table(
        caption=chart.title,
        heads=tuple(Head(text=shown(name), number=name in numbers) for name in table.columns),
        rows=tuple(zip(*cells, strict=True)),
        places=tuple(map(places.get, some["system"].to_list())) if "system" in some.columns else (),
        notes=(_spaced(table.height),) if table.height > MOST_ROWS else (),
    )


def _spaced(n: int) -> Message:
    return say("{shown} of {n:,} rows, evenly spaced.", shown=MOST_ROWS, n=n)


def _cells(column: pl.Series, is_number: bool, words: Mapping[str, Message]) -> list[Cell]:
    values: Sequence[Any] = column.to_list()
    if not is_number:
        return [
            Cell(words=words[value]) if value in words else Cell(text="" if value is None else shown(value))
            for value in values
        ]
    return [Cell() if value is None else Cell(text=number(value), sort=float(value)) for value in values]
