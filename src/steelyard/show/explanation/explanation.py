"""A value's arithmetic as data: columns, totals, and the lines that lead from them to the value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from steelyard.messages import Message, say
from steelyard.messages.errors.languages import check_language
from steelyard.metrics import Metric

Cell = float | int | str | None
Kind = Literal["number", "decimal", "rank", "text"]
How = Literal["sum", "last", "first", "max", "min", "mean", "count"]

SUM = say("sum")
VALUE = "value"  # the name of a line that gives the metric's own


def key_of(name: str) -> str:
    """What something is found by: the key of a message, or the text.

    >>> key_of(say("gain × discount", key="contribution")), key_of(say("gain")), key_of("→ cat")
    ('contribution', 'gain', '→ cat')
    """
    return name.key or str(name) if isinstance(name, Message) else name


class Named:
    """Something with a name: a message, or a text that is the same in every language, such as a class."""

    name: str

    @property
    def key(self) -> str:
        """What it is found by."""
        return key_of(self.name)


@dataclass(frozen=True, kw_only=True)
class Column(Named):
    """One column of steps, with its name above it.

    A cell of None is empty, NaN is shown as a dash. Text stands to the left, all else to the right; a column
    of numbers that are all whole shows no decimals, unless its kind is ``decimal``.
    """

    name: str
    cells: tuple[Cell, ...]
    kind: Kind = "number"

    @classmethod
    def of(cls, name: str, cells: Any, kind: Kind = "number") -> Column:
        """A column from an array or a list."""
        values = cells.tolist() if isinstance(cells, np.ndarray) else cells
        return cls(name=name, cells=tuple(values), kind=kind)


@dataclass(frozen=True, kw_only=True)
class Steps(Named):
    """A table of steps; ``name`` is its heading, ``total`` the columns whose sum is shown below them.

    ``shown`` are the rows a reader sees where there are too many, and ``hidden`` says what the others are;
    the arithmetic rests on all of them. ``beside`` says that the table may stand to the right of the one
    before it, if need be without its ``spare`` columns. ``results`` are the columns whose cells, row by row,
    are the values of a metric of several.
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
        """The column of that name or key."""
        return next(column for column in self.columns if column.key == key_of(name))

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].cells) if self.columns else 0

    @property
    def visible(self) -> Sequence[int]:
        """The rows a reader sees."""
        return range(self.height) if self.shown is None else self.shown


@dataclass(frozen=True)
class Of:
    """A number that is read off a column of steps: its sum, its last entry, its largest.

    It is called as the column is, unless it is ``named`` otherwise.
    """

    steps: str
    column: str
    how: How = "sum"
    named: str = ""


@dataclass(frozen=True)
class By:
    """A number that an earlier line gave."""

    line: str


@dataclass(frozen=True)
class Number:
    """A number that stands nowhere else, and what it is called."""

    value: float
    named: str


Operand = float | Of | By | Number


@dataclass(frozen=True, kw_only=True)
class Line(Named):
    """One line of arithmetic: ``name = expression = value``.

    ``expression`` is a template such as ``{dcg} / {ideal}``, with + - * / ** and the functions sqrt, log,
    log2, exp, abs, min and max; ``operands`` say where each number comes from. The operand ``sum`` is told as
    the sum of its column, a plain number by its name in the template, and the name ``value`` is the metric's
    own. An empty expression is undefined.

    Where a metric has several values, each of their lines is a ``result``; else the last line is.
    """

    name: str = VALUE
    expression: str
    operands: Mapping[str, Operand] = field(default_factory=dict)
    result: bool = False


UNDEFINED = Line(expression="")


def short_name(metric: Metric) -> str:
    """A metric's name without its fields and its cutoff."""
    return str(metric).partition("(")[0].partition("@")[0]


@dataclass(frozen=True, kw_only=True)
class Other:
    """What another choice would have given."""

    text: str  # field=choice, or the whole metric where the choice gives it another name
    field: str
    metric: Metric
    value: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Explanation:
    """How one value came about: formula, conventions, steps, arithmetic, and what other choices would give.

    ``told`` are the fields of the metric that are put into words; ``values`` has one number, or several
    where the metric has one per class. ``facts`` say how much there was, ``notes`` what to mind.
    """

    metric: Metric
    of: str  # the query that was measured, or nothing
    steps: tuple[Steps, ...]
    lines: tuple[Line, ...]
    values: tuple[float, ...]
    told: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()
    facts: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()
    lang: str = "en"

    @property
    def value(self) -> float:
        """The value as the metric gives it; NaN where it is undefined or there are several."""
        return self.values[0] if len(self.values) == 1 else math.nan

    def recomputed(self) -> float:
        """The value from the steps alone."""
        results = self.recomputed_values()
        return results[0] if len(results) == 1 else math.nan

    def recomputed_values(self) -> tuple[float, ...]:
        """Every value from the steps alone: what tables or lines of results give, or the last line."""
        told = [steps for steps in self.steps if steps.results]
        if told:
            columns = [[steps.column(name).cells for name in steps.results] for steps in told]
            return tuple(float(cell) for part in columns for row in zip(*part, strict=True) for cell in row)
        results = [line for line in self.lines if line.result] or list(self.lines[-1:])
        return tuple(self.line_value(line) for line in results)

    def line_value(self, line: Line) -> float:
        """What a line of arithmetic gives."""
        return evaluated(line.expression, self.numbers(line))

    def numbers(self, line: Line) -> dict[str, float]:
        """The numbers of a line by their names."""
        return {name: self.operand(operand) for name, operand in line.operands.items()}

    def operand(self, operand: Operand) -> float:
        """The number an operand stands for."""
        if isinstance(operand, By):
            return self.line_value(self.line(operand))
        if isinstance(operand, Of):
            return reduced(self.column(operand), operand.how)
        return float(operand.value if isinstance(operand, Number) else operand)

    def line(self, operand: By) -> Line:
        """The line that gave an operand."""
        return next(line for line in self.lines if line.key == key_of(operand.line))

    def column(self, operand: Of) -> Column:
        """The column that an operand is read off."""
        steps = next(steps for steps in self.steps if steps.key == key_of(operand.steps))
        return steps.column(operand.column)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self, lang: str | None = None, width: int | None = None) -> str:
        """The explanation in aligned columns, sentences wrapped to ``width``."""
        from steelyard.show.explanation.show import text

        return text(self, self._language(lang), width)

    def to_markdown(self, lang: str | None = None) -> str:
        """The explanation as Markdown."""
        from steelyard.show.explanation.show import markdown

        return markdown(self, self._language(lang))

    def to_html(self, lang: str | None = None) -> str:
        """The explanation as a piece of HTML."""
        from steelyard.show.explanation.show import html

        return html(self, self._language(lang))

    def _language(self, asked: str | None) -> str:
        if asked is None:
            return self.lang
        check_language(asked)
        return asked

    def _repr_html_(self) -> str:
        return self.to_html()


_FUNCTIONS = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "abs": abs,
    "max": max,
    "min": min,
}


def evaluated(expression: str, numbers: Mapping[str, float]) -> float:
    """The value of an expression; a division by 0 is undefined, and so is no expression.

    >>> evaluated("{hits} / {k}", {"hits": 2.0, "k": 4.0}), evaluated("{hits} / {k}", {"hits": 0.0, "k": 0.0})
    (0.5, nan)
    """
    if not expression:
        return math.nan
    plain = expression.replace("{", "").replace("}", "")
    known: dict[str, Any] = {"__builtins__": {}, **_FUNCTIONS, **numbers}
    try:
        return float(eval(plain, known))  # templates are written in this package alone
    except ZeroDivisionError:
        return math.nan


def reduced(column: Column, how: How) -> float:
    """One number from a column; empty cells and dashes do not count."""
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
