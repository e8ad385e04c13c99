"""The arithmetic of a value as data: tables, their totals, and lines that lead to the value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from steelyard.arrays import Flags
from steelyard.text import Message, say

Cell = float | int | str | None
Kind = Literal["number", "decimal", "rank", "text"]
How = Literal["sum", "last", "first", "max", "min", "mean", "count"]

SUM = say("sum")
VALUE = "value"  # the name of a line that gives the metric's own


def key_of(name: str) -> str:
    """The key of a message, or the text itself.

    >>> key_of(say("gain × discount", key="contribution")), key_of(say("gain")), key_of("→ cat")
    ('contribution', 'gain', '→ cat')
    """
    return name.key or str(name) if isinstance(name, Message) else name


class Named:
    """An object named by a message, or by a text that is not translated, such as a class."""

    name: str

    @property
    def key(self) -> str:
        return key_of(self.name)


@dataclass(frozen=True, kw_only=True)
class Column(Named):
    """One column of steps.

    A cell of None is empty; NaN is a dash. Text is aligned left, numbers right. A column of whole numbers
    shows no decimals, unless its kind is ``decimal``.
    """

    name: str
    cells: tuple[Cell, ...]
    kind: Kind = "number"

    @classmethod
    def of(cls, name: str, cells: Any, kind: Kind = "number", where: Flags | None = None) -> Column:
        """A column of values, empty outside ``where``."""
        values = cells.tolist() if isinstance(cells, np.ndarray) else cells
        if where is not None:
            values = [value if there else None for value, there in zip(values, where.tolist(), strict=True)]
        return cls(name=name, cells=tuple(values), kind=kind)


@dataclass(frozen=True, kw_only=True)
class Steps(Named):
    """A table of steps; ``name`` is its heading, ``total`` the columns with a sum below them.

    Of too many rows only ``shown`` are shown, and ``hidden`` describes the others; arithmetic uses all rows.
    With ``beside`` the table may stand to the right of the one before, if necessary without its ``spare``
    columns. ``results`` are the columns whose cells, row by row, are the values of the metric.
    """

    name: str
    columns: tuple[Column, ...]
    total: tuple[str, ...] = ()
    total_name: str = SUM
    shown: tuple[int, ...] | None = None
    hidden: Message | None = None
    beside: bool = False
    spare: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.key == key_of(name))

    @property
    def height(self) -> int:
        return len(self.columns[0].cells) if self.columns else 0

    @property
    def visible(self) -> Sequence[int]:
        return range(self.height) if self.shown is None else self.shown


def _operation(sign: str, firm: int, *, turned: bool = False) -> Callable[[Quantity, Operand], Made]:
    def made(self: Quantity, other: Operand) -> Made:
        if not isinstance(other, Quantity | int | float):
            return NotImplemented
        left, right = (other, self) if turned else (self, other)
        before = firm + (sign == "^")  # a power of a power is read from the right
        text = f"{_text(left, before)}{sign}{_text(right, firm + 1)}"
        return Made(text, (*operands(left), *operands(right)), firm)

    return made


class Quantity:
    """A number with a name, or arithmetic over such numbers with + - * / ** and functions."""

    __add__, __radd__ = _operation(" + ", 1), _operation(" + ", 1, turned=True)
    __sub__, __rsub__ = _operation(" - ", 1), _operation(" - ", 1, turned=True)
    __mul__, __rmul__ = _operation(" × ", 2), _operation(" × ", 2, turned=True)
    __truediv__, __rtruediv__ = _operation(" / ", 2), _operation(" / ", 2, turned=True)
    __pow__ = _operation("^", 4)

    def __neg__(self) -> Made:
        return Made(f"-{_text(self, 3)}", operands(self), 3)


Operand = Quantity | float


@dataclass(frozen=True)
class Made(Quantity):
    """Arithmetic as text, with {} for each of its quantities; ``firm`` is its operator precedence."""

    text: str
    of: tuple[Quantity, ...]
    firm: int = 5


@dataclass(frozen=True)
class Of(Quantity):
    """A number from a column of steps: its sum, its last entry, its largest.

    Its name is the column's, unless it is ``named`` otherwise or shown ``as_sum`` of the column.
    """

    steps: str
    column: str
    how: How = "sum"
    named: str = ""
    as_sum: bool = False


@dataclass(frozen=True)
class By(Quantity):
    """A number that an earlier line gave."""

    line: str


@dataclass(frozen=True)
class Number(Quantity):
    """A number that is in no table, and its name."""

    value: float
    named: str


def sum_of(steps: str, column: str) -> Of:
    return Of(steps, column, as_sum=True)


def _called(name: str, *terms: Operand) -> Made:
    of = tuple(one for term in terms for one in operands(term))
    return Made(f"{name}({', '.join(_text(term, 0) for term in terms)})", of)


root, log, least = (partial(_called, name) for name in ("sqrt", "log", "min"))
_NAMES = {"sqrt": math.sqrt, "log": math.log, "min": min, "inf": math.inf, "nan": math.nan}


@dataclass(frozen=True)
class Line(Named):
    """One line of arithmetic: ``name = arithmetic = value``; without arithmetic it is undefined.

    The name ``value`` stands for the metric. If a metric has several values, each of their lines is a
    ``result``; otherwise the last line is the result.
    """

    arithmetic: Operand | None
    name: str = VALUE
    result: bool = False


UNDEFINED = Line(None)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The tables, the lines of arithmetic and the notes of one value."""

    steps: tuple[Steps, ...] = ()
    lines: tuple[Line, ...]
    notes: tuple[Message, ...] = ()


def applying(*rows: tuple[object, Message]) -> tuple[Message, ...]:
    """The notes whose condition holds, in order."""
    return tuple(note for holds, note in rows if holds)


def operands(term: Operand | None) -> tuple[Quantity, ...]:
    """The named numbers of a term, in order."""
    return term.of if isinstance(term, Made) else (term,) if isinstance(term, Quantity) else ()


def _text(term: Operand, least: int) -> str:
    """A term in parentheses if its precedence is below ``least``."""
    if not isinstance(term, Made):
        return "{}" if isinstance(term, Quantity) else str(term)
    return f"({term.text})" if term.firm < least else term.text


def worked_out(term: Operand | None, number: Callable[[Quantity], float]) -> float:
    """The value of a term; a division by 0 is undefined.

    >>> worked_out(1 + Number(3, "hits") / Number(4, "k"), lambda one: one.value)
    1.75
    >>> worked_out(Number(0, "hits") / Number(0, "k"), lambda one: one.value), worked_out(None, None)
    (nan, nan)
    """
    if term is None:
        return math.nan
    values = {f"n{at}": number(one) for at, one in enumerate(operands(term))}
    text = _text(term, 0).format(*values).replace("×", "*").replace("^", "**")
    try:
        return float(eval(text, {"__builtins__": {}, **_NAMES, **values}))
    except ZeroDivisionError:
        return math.nan


def written(term: Operand, text: Callable[[Quantity], str]) -> str:
    """A term as text, with ``text`` for each named number.

    >>> hits, k = Number(3, "hits"), Number(4, "k")
    >>> written((1 + hits) / (2 * hits - root(k)), lambda one: one.named)
    '(1 + hits) / (2 × hits - sqrt(k))'
    """
    return _text(term, 0).format(*map(text, operands(term)))


def reduced(column: Column, how: How) -> float:
    """One number from a column, without empty cells and dashes."""
    cells = [float(cell) for cell in column.cells if isinstance(cell, int | float) and cell == cell]
    if how == "count":
        return float(len(cells))
    if how == "sum":
        return math.fsum(cells)
    if not cells:
        return math.nan
    if how == "mean":
        return math.fsum(cells) / len(cells)
    return {"max": max(cells), "min": min(cells), "last": cells[-1], "first": cells[0]}[how]


def no_steps(name: str, values: Any) -> Parts:
    """The parts of a metric that defines no steps: its value, or its values."""
    numbers = np.asarray(values, np.float64).reshape(-1).tolist()
    note = say(
        "no steps are known for {metric}: what it was measured on and its value are all that can be shown.",
        key="no_steps",
        metric=name,
    )
    lines = tuple(Line(Number(value, "result"), result=len(numbers) > 1) for value in numbers)
    return Parts(lines=lines, notes=(note,))
