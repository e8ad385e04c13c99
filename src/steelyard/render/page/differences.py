"""Which conventions the two numbers of a page come from: the waterfall, a table, queries."""

from __future__ import annotations

from dataclasses import dataclass, replace

from steelyard.render import charts
from steelyard.render.differences import CONVENTION, LEFT_OUT, MOST_OF_GAP, PART, Attribution
from steelyard.render.page.figures import Figure, figure_of
from steelyard.render.page.tables import ID, Cell, Head, PageTable
from steelyard.text import Message, say
from steelyard.text.errors.base import NothingToDrawError
from steelyard.text.labels import in_table, signed
from steelyard.text.names import shown

_PART = Head(words=PART)


@dataclass(frozen=True, kw_only=True)
class Explained:
    """The gap between two numbers, convention by convention."""

    head: Message
    notes: tuple[Message, ...]
    tables: tuple[PageTable, ...]
    figures: tuple[Figure, ...]


def explained(found: Attribution, prefix: str) -> Explained:
    """All that the page shows of it; ``prefix`` keeps the ids of its chart apart."""
    try:
        drawn = replace(charts.waterfall(found), facts=())  # the sentence above says them
        figures: tuple[Figure, ...] = (figure_of(drawn, (), prefix),)
    except NothingToDrawError:
        figures = ()
    return Explained(
        head=found.head,
        notes=(*found.quiet, *found.notes),
        tables=(
            *([_conventions(found)] if found.carried else []),
            *([_queries(found)] if found.most() else []),
        ),
        figures=figures,
    )


def _conventions(found: Attribution) -> PageTable:
    return PageTable(
        caption=say("What each convention carries"),
        heads=(Head(words=CONVENTION, number=False), *_names(found, number=False), _PART),
        rows=tuple(
            (Cell(text=one.name), *(Cell(words=words) for words in one.meanings), _part(one.part))
            for one in found.carried
        ),
    )


def _queries(found: Attribution) -> PageTable:
    return PageTable(
        caption=MOST_OF_GAP,
        heads=(Head(words=say("query"), number=False), *_names(found, number=True), _PART),
        rows=tuple(
            (
                Cell(text=shown(str(row["query"]), ID)),
                *map(_value, (row["one"], row["other"])),
                _part(row["part"]),
            )
            for row in found.most()
        ),
    )


def _names(found: Attribution, *, number: bool) -> tuple[Head, ...]:
    return tuple(Head(text=name, number=number) for name in found.names)


def _part(part: float) -> Cell:
    return Cell(text=signed(part), sort=part)


def _value(value: float | None) -> Cell:
    return Cell(words=LEFT_OUT) if value is None else Cell(text=in_table(value), sort=value)
