"""Tables of many rows: those a reader should see one by one, all others together in rows of sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.explain.explanation import VALUE, Cell, Column, Kind, Line, Note, Of, Operand, Steps
from steelyard.states import Segmented

ROWS = "rows_table"
WORST = 15  # rows that are told one by one
_ALL = 25  # steps, classes or bins that are all told
_FIRST, _LAST, _AROUND, _RANGES = 5, 2, 2, 15

_DIGITS = (6, 9, 12, 17)

Rest = Literal["none", "sum", "last", "range", "count"]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A column of all rows; ``rest`` says what several rows in one have in it.

    ``names`` are what whole numbers stand for, such as the classes.
    """

    name: str
    values: NDArray[Any]
    rest: Rest = "none"
    kind: Kind = "number"
    names: Sequence[object] | None = None

    def cells(self, pieces: Sequence[Ints]) -> list[Cell]:
        """What each row, or several in one, show."""
        tell = self._teller(pieces)
        return [self._cell(piece, tell) for piece in pieces]

    def _cell(self, piece: Ints, tell: Callable[[Any], Cell]) -> Cell:
        first, last = self.values[piece[0]].item(), self.values[piece[-1]].item()
        if len(piece) == 1:
            return tell(first)
        match self.rest:
            case "sum":
                return float(np.nansum(self.values[piece]))
            case "last":
                return tell(last)
            case "range":
                return f"{tell(first)} … {tell(last)}"
            case "count":
                return f"… {len(piece):,}"
            case "none":
                return None

    def _teller(self, pieces: Sequence[Ints]) -> Callable[[Any], Cell]:
        """How one value is told: a name, a score in as many digits as tell it from the others, a number."""
        if self.names is not None:
            names = self.names
            return lambda value: str(names[value])
        if self.kind != "rank" or self.values.dtype.kind != "f":
            return lambda value: value
        alone = {float(self.values[piece[0]]) for piece in pieces if len(piece) == 1}
        for digits in _DIGITS:
            if len({_score(value, digits) for value in alone}) == len(alone):
                break
        return partial(_score, digits=digits)


def table(
    name: str,
    parts: Sequence[Part],
    pieces: Sequence[Ints],
    *,
    total: Sequence[str] = (),
    total_name: str = "sum",
    rest: str = "rest_rows",
) -> Steps:
    """A table with one row for each piece: a row, or many of them together."""
    several = sum(len(piece) for piece in pieces if len(piece) > 1)
    return Steps(
        name=name,
        columns=tuple(Column.of(part.name, part.cells(pieces), part.kind) for part in parts),
        total=tuple(total),
        total_name=total_name,
        hidden=Note(key=rest, values={"rows": several}) if several else None,
    )


def worst_first(amount: Floats) -> list[Ints]:
    """The rows with the largest amounts one by one, then all others as one piece."""
    n = len(amount)
    shown = n if n <= WORST + 5 else WORST
    top = np.argpartition(-amount, shown - 1)[:shown] if shown < n else np.arange(n)
    top = top[np.lexsort((top, -amount[top]))]
    return [*np.split(top, shown), *_others(top, n)] if n else []


def walked(n: int, around: int | None = None) -> list[Ints]:
    """Steps in order: of many the first, the last and those around one, the others in ranges of one size."""
    place = np.arange(n)
    if n <= _ALL:
        return list(np.split(place, n)) if n else []
    alone = (place < _FIRST) | (place >= n - _LAST)
    if around is not None:
        alone |= np.abs(place - around) <= _AROUND
    begins = alone.copy()
    begins[1:] |= alone[:-1]
    begins[np.linspace(_FIRST, n - _LAST, _RANGES, endpoint=False).astype(np.int64)] = True
    return list(np.split(place, np.flatnonzero(begins)[1:]))


def chosen(important: Flags) -> list[Ints]:
    """All of a few, or of many those that matter one by one, in order, and all others as one piece."""
    n = len(important)
    place = np.arange(n) if n <= _ALL else np.flatnonzero(important)
    return [*np.split(place, len(place)), *_others(place, n)] if n else []


def largest(amount: Floats, n: int = WORST) -> Flags:
    """Which are among the n largest."""
    chosen = np.zeros(len(amount), bool)
    chosen[np.argsort(-amount, kind="stable")[:n]] = True
    return chosen


def shortened(steps: Steps, important: Flags) -> Steps:
    """A table that holds all rows, of which a reader of many sees only those that matter."""
    if steps.height <= _ALL:
        return steps
    shown = np.flatnonzero(important)
    note = Note(key="hidden_entries", values={"rows": steps.height - len(shown)})
    return replace(steps, shown=tuple(shown.tolist()), hidden=note)


def row_numbers(n: int) -> Part:
    """The rows as they were read, counted from 1."""
    return Part(name="row", values=np.arange(1, n + 1), rest="count", kind="rank")


@dataclass(frozen=True, kw_only=True)
class Summed:
    """A table of rows, worst first, and what its sums are: of the rows' amounts, and of the rows."""

    table: Steps
    weighted: bool
    rows: int

    def sum_of(self, name: str) -> Of:
        """The sum of an amount, with weights if there are any."""
        return Of(ROWS, weighted_name(name) if self.weighted else name)

    def over_rows(self, name: str, template: str = "{sum} / {rows}") -> Line:
        """The line of a value that divides the sum of an amount by the number of rows, or by their weight."""
        under: dict[str, Operand] = {"total_weight": Of(ROWS, "weight")}
        if not self.weighted:
            under = {"rows": float(self.rows)}
        expression = template.replace("{rows}", f"{{{next(iter(under))}}}")
        return Line(name=VALUE, expression=expression, operands={"sum": self.sum_of(name), **under})


def summed(
    state: Segmented, leading: Sequence[Part], amount: Part, *also: Part, worst: Floats | None = None
) -> Summed:
    """Rows with the largest amount (or the ``worst`` ones) first; further amounts stand behind.

    Where there are weights, each amount is also told times its weight, and that is what is added up.
    """
    parts = [row_numbers(state.n_rows), *leading]
    weighted = state.weight is not None
    if state.weight is not None:
        parts.append(Part(name="weight", values=state.weight, rest="sum"))
    for one in (amount, *also):
        parts.append(replace(one, rest="none" if weighted else "sum"))
        if weighted:
            parts.append(Part(name=weighted_name(one.name), values=_weighted(state, one.values), rest="sum"))
    added = [part.name for part in parts if part.rest == "sum"]
    order = worst_first(_weighted(state, amount.values if worst is None else worst))
    made = table(ROWS, parts, order, total=added)
    return Summed(table=made, weighted=weighted, rows=state.n_rows)


def weighted_name(name: str) -> str:
    """The column of an amount times the weight of its row."""
    return f"weighted_{name}"


def _score(score: float, digits: int) -> str:
    return f"{score:.{digits}g}".replace("inf", "∞")


def _weighted(state: Segmented, amount: Floats) -> Floats:
    """Amounts times weights; a row of weight 0 is no row, even where its amount is infinite."""
    if state.weight is None:
        return amount
    return np.where(state.weight > 0, amount, 0.0) * state.weight


def _others(shown: Ints, n: int) -> list[Ints]:
    left = np.ones(n, bool)
    left[shown] = False
    return [np.flatnonzero(left)] if len(shown) < n else []
