"""The exceptions a caller can catch.

Every message is one sentence that names the place, and one that names the remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from string import Formatter
from typing import Any, ClassVar

from steelyard.printable import visible
from steelyard.text import ENGLISH, Message, listed, say

_PACKAGE = Path(__file__).parents[2]
_ROUNDING = 1e-6
_NEAR = 0.65  # two names with fewer letters in common are no slip of one another


class SteelyardError(ValueError):
    """Anything Steelyard refuses to do, with the reason and the remedy: two templates and their figures.

    >>> error = SteelyardError("the table is empty", remedy="give at least one row")
    >>> print(error)
    the table is empty
    give at least one row
    """

    exit_code: ClassVar[int] = 2  # of a command that it ends

    def __init__(self, message: str, *, remedy: str = "", **figures: Any) -> None:
        self.sentence = _message(message, figures)
        self.hint = _message(remedy, figures)
        self.message = visible(self.sentence)  # ids, names and paths may hold anything
        self.remedy = visible(self.hint)
        super().__init__(self.message, self.remedy)

    def render(self, lang: str = ENGLISH) -> str:
        return "\n".join(visible(part.render(lang)) for part in (self.sentence, self.hint) if part)

    def __str__(self) -> str:
        return self.render()

    def _render_traceback_(self) -> list[str]:
        """What IPython and notebooks show: the caller's line and the message, no frame of Steelyard."""
        from traceback import extract_tb

        frames = extract_tb(self.__traceback__)
        outside = takewhile(lambda frame: _PACKAGE not in Path(frame.filename).parents, frames)
        called = [f"----> {frame.lineno} {frame.line}" for frame in outside]
        return [*called[-1:], *f"{type(self).__name__}: {self}".splitlines()]

    def __reduce__(self) -> tuple[Any, ...]:
        """So that it comes whole out of another process."""
        return _again, (type(self), self.args, self.__dict__)


class ReadError(SteelyardError):
    """A file or an object that cannot be read as a table."""


class ColumnError(SteelyardError):
    """A column that is missing, ambiguous or of the wrong type."""


class ValueInDataError(SteelyardError):
    """A value in the data that has no place there: a NaN score, an infinite grade."""


class RowError(ValueInDataError):
    """A value of one row that has no place there; whoever knows the file says where the row stands.

    ``column`` is the role of the value, kept as "label" for labels, which may stand in a table of their own.

    >>> print(RowError("label is null", row=3, remedy="fill it").placed("log.csv, line {}".format))
    log.csv, line 3: label is null
    fill it
    """

    def __init__(self, what: str, *, row: int, remedy: str = "", column: str = "", **figures: Any) -> None:
        self.row = row
        self.column = "label" if column in ("label", "truth") else ""
        self.what = _message(what, figures)
        super().__init__(
            say("row {row:,}: {what}", row=row + 1, what=self.what), remedy=_message(remedy, figures)
        )

    def placed(self, place: Callable[[int], str]) -> ValueInDataError:
        """The same error, with the row as the user would look for it."""
        at = say("{place}: {what}", place=place(self.row), what=self.what)
        return ValueInDataError(at, remedy=self.hint)


class AlignError(SteelyardError):
    """Predictions and truth that do not fit together."""


class MergeError(SteelyardError):
    """Partial results that do not fit together."""


class MetricError(SteelyardError):
    """A metric, field or value that does not exist."""


class OutputError(SteelyardError):
    """A result that cannot be written."""


class FaultError(SteelyardError):
    """A command that ended for a reason other than what it was given."""

    exit_code: ClassVar[int] = 70  # EX_SOFTWARE of sysexits.h; 1 is a gate that failed


class NothingToDrawError(MetricError):
    """A chart that the data leaves nothing to draw in."""


def _message(template: str, figures: dict[str, Any]) -> Message:
    if isinstance(template, Message):
        return template
    named = {name for _, name, _, _ in Formatter().parse(template)} if figures else set()
    return Message(template, {name: value for name, value in figures.items() if name in named})


def _again(kind: type[SteelyardError], said: tuple[str, ...], fields: dict[str, Any]) -> SteelyardError:
    error = kind.__new__(kind, *said)
    error.__dict__.update(fields)
    return error


def quoted(names: Iterable[object], most: int | None = None) -> Message:
    """Names as a sentence has them, or the first few and how many more there are.

    >>> quoted(["a", "b", "c"]), quoted(["a", "b", "c"], 2)
    ("'a', 'b' and 'c'", "'a', 'b' and 1 more")
    """
    return listed([f"'{name}'" for name in names], most, last="and")


def brief(value: object) -> str:
    """A value as a sentence has it, however long it is.

    >>> brief(0.5), brief(10**400)
    ('0.5', '10000000000000000000000000000000000000…')
    """
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        return say("a number of thousands of digits")
    return text if len(text) <= 60 else f"{text[:38]}…"


def outside(value: float) -> str:
    """A number that should be in [0, 1], with as many digits as show that it is not.

    >>> outside(2.5), outside(1.0000001)
    ('2.5', '1.0000001')
    """
    short = f"{value:g}"
    return repr(value) if 0 <= float(short) <= 1 and not 0 <= value <= 1 else short


def by_rounding(low: float, high: float) -> bool:
    """Whether numbers that should be in [0, 1] are outside by so little that arithmetic alone explains it.

    >>> by_rounding(-1e-9, 1.0), by_rounding(-1.5, 2.5)
    (True, False)
    """
    return low >= -_ROUNDING and high <= 1 + _ROUNDING


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name that ``name`` begins, or is most likely a slip of; None for what is no text.

    >>> known = ["accuracy", "brier", "precision"]
    >>> nearest("acc", known), nearest("precison", known), nearest("bpref", known)
    ('accuracy', 'precision', None)
    """
    if not isinstance(name, str):
        return None
    names = list(known)
    begun = [one for one in names if len(name) > 2 and one.startswith(name)]
    alike = [one for one in names if abs(len(one) - len(name)) <= max(2, len(name) // 3)]
    return next(iter(begun + get_close_matches(name, alike, n=1, cutoff=_NEAR)), None)
