"""The charts of the page: each as shapes and text in the page's colours, with the table behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import polars as pl
from polars.selectors import numeric

from steelyard.engine.slices import NOTHING
from steelyard.printable import NONE
from steelyard.render import charts
from steelyard.render.charts import Chart
from steelyard.render.charts.parts import GRID, INK, MUTED, PALETTE, evenly
from steelyard.render.system import PagePart, System
from steelyard.render.table import Cell, ShownColumn, ShownTable
from steelyard.text import Message, languages, say
from steelyard.text.errors import SteelyardError
from steelyard.text.errors.base import NothingToDrawError
from steelyard.text.labels import number
from steelyard.text.names import shown

MOST_ROWS = 50
MOST_OF_A_KIND = 12  # charts: by slice and by cutoff there is one for each metric
WIDE = 600  # pixels: more than half of the page holds

_SHAPES = {
    *("svg", "g", "path", "line", "rect", "circle", "text", "tspan"),
    *("defs", "clipPath", "linearGradient", "stop"),
}
_DROPPED = {"xmlns", "style", "class", "href", "role", "font-family", "data-chart", "aria-label"}
_GREYS = {INK.lower(): "var(--ink)", MUTED.lower(): "var(--muted)", GRID.lower(): "var(--grid)"}
_COLOURED = ("fill", "stroke", "stop-color", "color")
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")
_NAMESPACE = re.compile(r'\sxmlns(:\w+)?="[^"]*"')
SCALE = 1.2
_LEGEND = "role-legend-label"
_PALETTE = [colour.lower() for colour in PALETTE]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart in every language, ready for the page."""

    section: charts.Section
    title: Message
    svg: Mapping[str, str]  # by language
    facts: tuple[Message, ...]
    notes: tuple[Message, ...]
    data: ShownTable
    wide: bool = False


def figures_of(part: PagePart, prefix: str) -> tuple[list[Figure], list[Message]]:
    """Every chart that the data of some of these systems supports, and a sentence for each that is not there.

    ``prefix`` keeps their ids apart.
    """
    drawn: list[Figure] = []
    failed: list[Message] = []
    for name in charts.names():
        there = 0
        for systems, asked in _supporting(name, part):
            try:
                chart = charts.chart(name, {system.name: system for system in systems}, **asked)
                if name == "gauc_by_size" and chart.table["low"].n_unique() == 1:
                    continue  # groups of one size only: nothing to see that the number does not say
                for panel in chart.parts or (chart,):
                    there += 1
                    if there <= MOST_OF_A_KIND:
                        drawn.append(figure_of(panel, systems, f"{prefix}-{len(drawn)}"))
            except NothingToDrawError:
                continue
            except SteelyardError as error:
                failed.append(say("The chart {name} is not drawn: {why}", name=name, why=error.sentence))
        if there > MOST_OF_A_KIND:
            many = say(
                "The first {shown} of {n} charts of {name} are drawn.",
                name=name,
                shown=MOST_OF_A_KIND,
                n=there,
            )
            failed.append(many)
    return drawn, failed


def _supporting(name: str, part: PagePart) -> list[tuple[Sequence[System], dict[str, str]]]:
    """The systems of each chart, with its options.

    Those that are sliced otherwise, or share no metric that it could show, stand in another.
    """
    if name in charts.of("two"):
        compared = part.compared is not None or part.explained is not None  # which has such charts of its own
        alone = name == "difference" and len(part.systems) == 2 and not compared
        return [(part.systems, {})] if alone and name in charts.available(*part.systems) else []
    having = [system for system in part.systems if charts.drawable(name, system)]
    if "metric" not in charts.options(name):
        return [(having, {})] if having else []
    kinds = dict.fromkeys(system.by for system in having) if name == "slices" else {None: None}
    return [
        (some, {"metric": label})
        for by in kinds
        for label, some in _by_metric(name, [one for one in having if by in (None, one.by)])
    ]


def _by_metric(name: str, having: Sequence[System]) -> list[tuple[str, list[System]]]:
    """The metrics that are drawn, each of the systems that have it.

    By slices all of them are; otherwise one for as many systems as share it, until each has its own.
    """
    known = {system.place: charts.metrics(name, system) for system in having}
    if name == "slices":
        every = dict.fromkeys(label for labels in known.values() for label in labels)
        return [(label, [one for one in having if label in known[one.place]]) for label in every]
    left, chosen = list(having), []
    while left:
        label = max(known[left[0].place], key=lambda one: sum(one in known[each.place] for each in left))
        chosen.append((label, [one for one in left if label in known[one.place]]))
        left = [one for one in left if label not in known[one.place]]
    return chosen


def figure_of(chart: Chart, systems: Sequence[System], prefix: str) -> Figure:
    several = len(systems) > 1
    kind = charts.KINDS.get(chart.name)  # None for a chart with a section of its own
    places = [system.place for system in systems] if several and (kind is None or kind.by_colour) else []
    drawn = {lang: placed(chart.svg(lang, titled=False), f"{prefix}-{lang}", places) for lang in languages()}
    return Figure(
        section="curves" if kind is None else kind.section,
        title=chart.title,
        svg=drawn,
        facts=chart.facts,
        notes=chart.notes,
        data=_data(chart, {system.name: system.place for system in systems} if several else {}),
        wide=max(map(_width, drawn.values())) > WIDE,
    )


def _width(drawn: str) -> float:
    found = re.search(r'width="([\d.]+)"', drawn)
    return float(found[1]) if found else 0.0


def _data(chart: Chart, places: Mapping[str, int]) -> ShownTable:
    """The rows behind a chart, at most MOST_ROWS of them, without empty columns."""
    table = chart.table
    table = table.select(column for column in table if column.null_count() < len(column))
    told = ("system", "baseline", "metric")  # the title names these if there is only one
    table = table.drop(name for name in told if name in table and table[name].n_unique() == 1)
    at = evenly(MOST_ROWS, table.height)
    numbers = set(table.select(numeric()).columns)
    some = table[at]
    spaced = say("{shown} of {n:,} rows, evenly spaced.", shown=MOST_ROWS, n=table.height)
    # a frame holds messages as plain text
    systems: dict[str, Message] = {name: name for name in places if isinstance(name, Message)}
    slices: dict[str, Message] = {NONE: NOTHING} if chart.name == "slices" else {}
    cells = [
        _cells(some[name], name in numbers, systems if name in ("system", "baseline") else slices)
        for name in table.columns
    ]
    return ShownTable(
        caption=chart.title,
        columns=tuple(ShownColumn(heading=shown(name), number=name in numbers) for name in table.columns),
        rows=tuple(zip(*cells, strict=True)),
        places=tuple(map(places.get, some["system"].to_list())) if "system" in some.columns else (),
        notes=(spaced,) if table.height > MOST_ROWS else (),
    )


def _cells(column: pl.Series, is_number: bool, words: Mapping[str, Message]) -> list[Cell]:
    values: Sequence[Any] = column.to_list()
    if not is_number:
        return [
            Cell(text=words[value]) if value in words else Cell(text="" if value is None else shown(value))
            for value in values
        ]
    return [
        Cell(
            text="" if value is None else number(value),
            sort=None if value is None or value != value else value,
        )
        for value in values
    ]


def placed(drawn: str, prefix: str, systems: Sequence[int]) -> str:
    """The chart for its place in the page; ``prefix`` keeps its ids apart from those of other charts.

    ``systems`` are the places in the page of the systems that the chart tells apart by colour, none where it
    does not. What belongs to one is marked ``data-s``; what a point says is in ``data-tip``.
    """
    head, end, rest = drawn.partition(">")
    root = ElementTree.fromstring(_NAMESPACE.sub("", head) + end + rest)
    label = root.attrib.get("aria-label", "")
    _adapt(root, prefix, systems)
    root.attrib.pop("data-tip", None)
    size = {key: f"{SCALE * float(root.attrib[key]):.0f}" for key in ("width", "height")}
    root.attrib.update({**size, "role": "img", "aria-label": label})
    return ElementTree.tostring(root, encoding="unicode")


def _adapt(element: ElementTree.Element, prefix: str, systems: Sequence[int]) -> None:
    for child in list(element):
        if child.tag not in _SHAPES:
            element.remove(child)
            continue
        entry = _is_entry(child)
        _adapt(child, prefix, systems)
        if entry and (inside := [one.attrib["data-s"] for one in child.iter() if "data-s" in one.attrib]):
            child.set("data-s", inside[0])
    label = element.attrib.get("aria-label", "")
    for key in list(element.attrib):
        if key in _DROPPED or key.startswith(("on", "aria-", "{", "xlink")):
            del element.attrib[key]
    if label:
        element.set("data-tip", label)
    if "id" in element.attrib:
        element.set("id", f"{prefix}-{element.attrib['id']}")
    for key, value in element.attrib.items():
        if "url(" in value:
            element.set(key, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))
    for key in _COLOURED:
        if key in element.attrib:
            _colour(element, key, systems)


def _colour(element: ElementTree.Element, key: str, systems: Sequence[int]) -> None:
    value = element.attrib[key].lower()
    if value in _GREYS:
        element.set(key, _GREYS[value])
    elif value in _PALETTE:
        at = _PALETTE.index(value)
        element.set(key, f"var(--s{(systems[at] if at < len(systems) else at) % len(_PALETTE)})")
        if at < len(systems):
            element.set("data-s", str(systems[at]))


def _is_entry(element: ElementTree.Element) -> bool:
    inner = [child for wrapper in element for child in wrapper]
    return element.tag == "g" and sum(_LEGEND in group.attrib.get("class", "") for group in inner) == 1
