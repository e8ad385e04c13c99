"""A table as a value: every table of the page has this form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.measure.slices import NOTHING
from steelyard.messages import Message
from steelyard.metrics.base import Direction
from steelyard.show.document import number
from steelyard.show.labels import shown

ID = 60  # characters of a name from the data


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A value drawn as a length, all in hundredths of the width; ``low`` and ``high`` span its interval."""

    width: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One entry: words of the page, or text from the data; ``sort`` is what it is sorted by, if a number."""

    words: str | None = None
    text: str = ""
    sort: float | None = None
    small: str | None = None  # a second line
    direction: Direction | None = None  # of a metric: which way is better
    bar: Bar | None = None
    system: int | None = None
    best: bool = False
    count: bool = False  # how many a value rests on

    @property
    def key(self) -> str:
        """What it is sorted by, as text; empty where it has no value."""
        return "" if self.sort is None or math.isnan(self.sort) else repr(float(self.sort))


@dataclass(frozen=True, kw_only=True)
class Head:
    """The head of a column, or of ``span`` columns that belong together."""

    words: str | None = None
    text: str = ""
    number: bool = True
    system: int | None = None
    span: int = 1


@dataclass(frozen=True, kw_only=True)
class Table:
    """Heads over rows; ``groups`` stand above the heads, ``whole`` above the rows, and neither is sorted."""

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[Head, ...] = ()
    whole: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[Message, ...] = ()
    sortable: bool = True
    places: tuple[int | None, ...] = ()  # the system of each row, where rows belong to systems

    def place(self, row: int) -> int | None:
        """The system that a row belongs to."""
        return self.places[row] if self.places else None


def value_cell(
    value: float | None,
    *,
    bounds: tuple[float, float] = (0.0, math.inf),
    low: float | None = None,
    high: float | None = None,
    system: int | None = None,
    best: bool = False,
    small: Message | None = None,
) -> Cell:
    """A metric's value, with a bar where it lies between 0 and 1."""
    if value is None:
        return Cell(system=system)
    bar = None
    if bounds == (0.0, 1.0) and not math.isnan(value):
        span = (None, None) if low is None or high is None else (_hundredths(low), _hundredths(high))
        bar = Bar(width=_hundredths(value), low=span[0], high=span[1])
    return Cell(text=number(value), sort=value, bar=bar, system=system, best=best, small=small)


def count_cell(count: int | None, *, system: int | None = None, small: Message | None = None) -> Cell:
    """A whole number."""
    if count is None:
        return Cell(system=system)
    return Cell(text=f"{count:,}", sort=count, system=system, small=small, count=True)


def interval_cell(low: float | None, high: float | None, *, system: int | None = None) -> Cell:
    """The interval around a value, where there is one."""
    if low is None or high is None:
        return Cell(system=system)
    return Cell(text=f"{number(low)} – {number(high)}", sort=high - low, system=system)


def name_cells(names: Sequence[object], *, sliced: bool) -> list[Cell]:
    """Names from the data; of slices one may say that there is no value."""
    return [
        Cell(words=NOTHING) if sliced and name == NOTHING else Cell(text=shown(name, ID)) for name in names
    ]


def _hundredths(value: float) -> float:
    return round(100 * min(max(value, 0.0), 1.0), 2)
