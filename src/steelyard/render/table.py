"""The one table that every output shows: columns, rows of cells, and the sentences around them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard.metrics.base import Direction
from steelyard.text import told


@dataclass(frozen=True, kw_only=True)
class ShownColumn:
    """The heading of a column, or of ``span`` columns that belong together."""

    heading: str = ""  # a message, or a name from the data
    number: bool = True  # numbers are aligned to the right, names to the left
    system: int | None = None  # of a page: the system that it belongs to
    dotted: bool = False  # whether the heading is the name of that system, with its dot before it
    span: int = 1


@dataclass(frozen=True, kw_only=True)
class ValueBar:
    """A value as the width of a bar, in percent; ``low`` and ``high`` are the ends of its interval."""

    width: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell with more than its text; only a page shows all of it."""

    text: str = ""  # a message, or text from the data
    sort: float | None = None  # the number by which a reader can sort
    small: str | None = None  # a second line
    smaller: str | None = None  # and a third
    direction: Direction | None = None  # of a metric: which way is better
    bar: ValueBar | None = None
    system: int | None = None
    best: bool = False
    count: bool = False  # a count or an interval, which is shown in a quiet colour

    @property
    def key(self) -> str:
        if self.sort is None or math.isnan(self.sort):
            return ""
        return repr(float(self.sort)).replace("inf", "Infinity")


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """Columns and rows with a caption above and notes below.

    ``groups`` stand above the headings and ``whole`` above the rows; a reader cannot sort them.
    """

    columns: Sequence[ShownColumn]
    rows: Sequence[Sequence[str | Cell]]
    caption: str = ""
    notes: tuple[str, ...] = ()
    captioned: bool = False  # whether the notes are the caption of a printed table
    hidden: int = 0  # rows that are left out
    hidden_slices: int = 0  # slices without a row; the worst are shown
    groups: tuple[ShownColumn, ...] = ()
    whole: Sequence[Sequence[Cell]] = ()
    sortable: bool = True
    places: tuple[int | None, ...] = ()  # the system of each row, where rows belong to systems
    narrower: tuple[ShownTable, ...] = ()  # forms that fit beside the table before it, the widest first

    @property
    def left(self) -> int:
        """How many columns are aligned to the left."""
        return sum(not column.number for column in self.columns)

    def place(self, row: int) -> int | None:
        return self.places[row] if self.places else None

    def texts(self, lang: str) -> list[list[str]]:
        """The headings, if there are any, and the rows as text in a language."""
        headings = [[column.heading for column in self.columns]]
        rows = [[cell.text if isinstance(cell, Cell) else cell for cell in row] for row in self.rows]
        texts: list[list[str]] = told([*(headings if any(headings[0]) else []), *rows], lang)
        return texts

    def below(self, lang: str) -> str:
        return " ".join(told(self.notes, lang))


def table_of(named: Iterable[tuple[str, Sequence[str | Cell]]], left: int) -> ShownTable:
    """A table of columns, each a heading and its cells; the first ``left`` are names."""
    headings, cells = zip(*named, strict=True)
    return ShownTable(columns=columns_of(headings, left), rows=list(zip(*cells, strict=True)))


def columns_of(headings: Sequence[str], left: int) -> list[ShownColumn]:
    """Columns with these headings, the first ``left`` of them names."""
    return [ShownColumn(heading=heading, number=place >= left) for place, heading in enumerate(headings)]
