"""The charts of the page: each with its accessible name and the table behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
from polars.selectors import numeric

from steelyard.errors import MetricError
from steelyard.report import charts
from steelyard.report.charts import Chart, Words
from steelyard.report.charts.labels import number, shown
from steelyard.report.charts.parts import evenly
from steelyard.report.page import svg
from steelyard.report.page.systems import Part
from steelyard.report.page.table import Cell, Head, Table
from steelyard.report.page.words import say

MOST_ROWS = 50
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
    """A chart in both languages, ready to stand in the page."""

    section: Section
    title: Words
    svg: Words
    facts: tuple[Words, ...]
    notes: tuple[Words, ...]
    data: Table
    wide: bool = False


def figures(part: Part, prefix: str) -> list[Figure]:
    """Every chart that the data of some of these systems supports; ``prefix`` keeps their ids apart."""
    drawn: list[Figure] = []
    for name in charts.names():
        for some in _supporting(name, part):
            try:
                chart = charts.chart(name, {placed.system.name: placed.system for placed in some})
            except MetricError:  # the data turns out to leave nothing to draw
                continue
            if name == "gauc_by_size" and chart.table["low"].n_unique() == 1:
                continue  # groups of one size only: nothing to see that the number does not say
            drawn.append(_figure(chart, some, f"{prefix}-{len(drawn)}"))
    return drawn


def _supporting(name: str, part: Part) -> list[Part]:
    """The systems that stand in one chart; those that are sliced otherwise stand in another."""
    having = tuple(placed for placed in part if name in charts.available(placed.system))
    if name == "difference":
        both = tuple(placed.system for placed in part)
        return [part] if len(part) == 2 and name in charts.available(*both) else []
    if name == "slices":
        kinds = dict.fromkeys(placed.system.by for placed in having)
        return [tuple(placed for placed in having if placed.system.by == by) for by in kinds]
    return [having] if having else []


def _figure(chart: Chart, part: Part, prefix: str) -> Figure:
    apart = len(part) > 1 and chart.name not in _NOT_BY_COLOUR
    systems = [(placed.place, placed.system.name) for placed in part] if apart else []
    drawn = {
        lang: svg.placed(chart.svg(lang, titled=False), f"{prefix}-{lang}", systems) for lang in ("en", "zh")
    }
    return Figure(
        section=_SECTIONS.get(chart.name, "curves"),
        title=chart.title,
        svg=Words(drawn["en"], drawn["zh"]),
        facts=chart.facts,
        notes=chart.notes,
        data=_data(chart),
        wide=_width(drawn["en"]) > WIDE,
    )


def _width(drawn: str) -> float:
    found = re.search(r'width="([\d.]+)"', drawn)
    return float(found[1]) if found else 0.0


def _data(chart: Chart) -> Table:
    """The figures that are drawn, or some of them where they are many."""
    table = chart.table
    if "system" in table.columns and table["system"].n_unique() == 1:
        table = table.drop("system")
    at = evenly(MOST_ROWS, table.height)
    numbers = set(table.select(numeric()).columns)
    some = table[at]
    cells = [_cells(some[name], name in numbers) for name in table.columns]
    left_out = table.height > MOST_ROWS
    return Table(
        caption=chart.title,
        heads=tuple(Head(text=shown(name), number=name in numbers) for name in table.columns),
        rows=tuple(zip(*cells, strict=True)),
        notes=(say("every_row", MOST_ROWS, f"{table.height:,}"),) if left_out else (),
    )


def _cells(column: pl.Series, is_number: bool) -> list[Cell]:
    values: Sequence[Any] = column.to_list()
    if not is_number:
        return [Cell(text="" if value is None else shown(value)) for value in values]
    return [Cell() if value is None else Cell(text=number(value), sort=float(value)) for value in values]
