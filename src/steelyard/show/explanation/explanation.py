"""An explanation as a value: what was measured, the steps that lead there, and what else might be chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.messages import Message
from steelyard.messages.errors.forms import check_language
from steelyard.metrics import Metric
from steelyard.steps.arithmetic import (
    By,
    Column,
    Line,
    Number,
    Of,
    Quantity,
    Steps,
    key_of,
    reduced,
    worked_out,
)


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
    label: str = ""  # what a library calls the metric, where it was asked for so

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
        return worked_out(line.arithmetic, self.number)

    def number(self, operand: Quantity) -> float:
        """The number that stands behind a name."""
        if isinstance(operand, By):
            return self.line_value(self.line(operand))
        if isinstance(operand, Of):
            return reduced(self.column(operand), operand.how)
        assert isinstance(operand, Number)
        return float(operand.value)

    def line(self, operand: By) -> Line:
        """The line that gave an operand."""
        return next(line for line in self.lines if line.key == key_of(operand.line))

    def column(self, operand: Of) -> Column:
        """The column that an operand is read off."""
        steps = next(steps for steps in self.steps if steps.key == key_of(operand.steps))
        return steps.column(operand.column)

    def place(self, operand: Of) -> tuple[int, int]:
        """Where the column of an operand stands: the table, and the place in it."""
        at = next(at for at, steps in enumerate(self.steps) if steps.key == key_of(operand.steps))
        return at, self.steps[at].columns.index(self.column(operand))

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self, lang: str | None = None, width: int | None = None) -> str:
        """The explanation in aligned columns, sentences wrapped to ``width``."""
        from steelyard.show.explanation.page import text

        return text(self, self._language(lang), width)

    def to_markdown(self, lang: str | None = None) -> str:
        """The explanation as Markdown."""
        from steelyard.show.explanation.page import markdown

        return markdown(self, self._language(lang))

    def to_html(self, lang: str | None = None) -> str:
        """The explanation as a piece of HTML."""
        from steelyard.show.explanation.page import html

        return html(self, self._language(lang))

    def _language(self, asked: str | None) -> str:
        if asked is None:
            return self.lang
        check_language(asked)
        return asked

    def _repr_html_(self) -> str:
        return self.to_html()
