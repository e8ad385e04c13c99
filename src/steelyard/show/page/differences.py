"""Which conventions the two numbers of a page come from: the waterfall, a table, queries."""

from __future__ import annotations

from dataclasses import dataclass, replace

from steelyard.messages import Message, say
from steelyard.messages.errors.showing import NothingToDrawError
from steelyard.messages.names import shown
from steelyard.show import charts
from steelyard.show.differences import LEFT_OUT, MOST_OF_GAP, GapSheet
from steelyard.show.labels import in_table, signed
from steelyard.show.page.figures import Figure, figure_of
from steelyard.show.page.tables import ID, Cell, Head, PageTable

_PART = Head(words=say("part // of a gap"))


@dataclass(frozen=True, kw_only=True)
class Explained:
    """The gap between two numbers, convention by convention."""

    head: Message
    notes: tuple[Message, ...]
    tables: tuple[PageTable, ...]
    figures: tuple[Figure, ...]


def explained(sheet: GapSheet, prefix: str) -> Explained:
    """All that the page shows of it; ``prefix`` keeps the ids of its chart apart."""
    try:
        drawn = replace(charts.waterfall(sheet), facts=())  # the sentence above says them
        figures: tuple[Figure, ...] = (figure_of(drawn, (), prefix),)
    except NothingToDrawError:
        figures = ()
    return Explained(
        head=sheet.head,
        notes=(*([sheet.quiet] if sheet.quiet is not None else []), *sheet.notes),
        tables=(
            *([_conventions(sheet)] if sheet.carried else []),
            *([_queries(sheet)] if sheet.queries else []),
        ),
        figures=figures,
    )


def _conventions(sheet: GapSheet) -> PageTable:
    return PageTable(
        caption=say("What each convention carries"),
        heads=(
            Head(words=say("convention // that profiles differ in"), number=False),
            *_names(sheet, number=False),
            _PART,
        ),
        rows=tuple(
            (Cell(text=one.name), Cell(words=one.one), Cell(words=one.other), _part(one.part))
            for one in sheet.carried
        ),
    )


def _queries(sheet: GapSheet) -> PageTable:
    return PageTable(
        caption=MOST_OF_GAP,
        heads=(Head(words=say("query"), number=False), *_names(sheet, number=True), _PART),
        rows=tuple(
            (Cell(text=shown(one.name, ID)), _value(one.one), _value(one.other), _part(one.part))
            for one in sheet.queries
        ),
    )


def _names(sheet: GapSheet, *, number: bool) -> tuple[Head, ...]:
    return tuple(Head(text=name, number=number) for name in sheet.names)


def _part(part: float) -> Cell:
    return Cell(text=signed(part), sort=part)


def _value(value: float | None) -> Cell:
    return Cell(words=LEFT_OUT) if value is None else Cell(text=in_table(value), sort=value)
