"""Tables of many rows: some are shown one by one, all others together as sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.classified import Classified, Counts
from steelyard.engine.influence import Segmented
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.engine.top_lists import TopLists
from steelyard.metrics.steps import (
    UNDEFINED,
    Cell,
    Column,
    Kind,
    Line,
    Made,
    Named,
    Number,
    Of,
    Operand,
    Parts,
    Quantity,
    Steps,
    key_of,
)
from steelyard.text import Message, say
from steelyard.text.names import distinct

ROWS = say("row by row", key="rows_table")
TOTAL_WEIGHT = say("total weight")
GROUP = say("group")  # the column whose whole numbers stand for groups
WORST = 15  # rows that are shown one by one
_ALL = 25  # up to so many steps, classes or bins are all shown
_FIRST, _LAST, _AROUND, _RANGES = 5, 2, 2, 15

_DIGITS = (6, 9, 12, 17)

Rest = Literal["none", "sum", "last", "range", "count"]


@dataclass(frozen=True)
class RowValues(Named):
    """A column of all rows; ``rest`` says what a row of several rows shows.

    ``names`` are the names of whole numbers, such as the classes; ``short`` is its name in a product.
    """

    name: str
    values: NDArray[Any]
    rest: Rest = "none"
    kind: Kind = "number"
    names: Sequence[object] | pl.Series | None = None
    short: str = ""

    def cells(self, pieces: Sequence[Ints]) -> list[Cell]:
        show = self._shower(pieces)
        return [self._cell(piece, show) for piece in pieces]

    def _cell(self, piece: Ints, show: Callable[[Any], Cell]) -> Cell:
        first, last = self.values[piece[0]].item(), self.values[piece[-1]].item()
        if len(piece) == 1:
            return show(first)
        match self.rest:
            case "sum":
                return float(np.nansum(self.values[piece]))
            case "last":
                return show(last)
            case "range":
                return f"{show(first)} … {show(last)}"
            case "count":
                return f"… {len(piece):,}"
            case "none":
                return None

    def _shower(self, pieces: Sequence[Ints]) -> Callable[[Any], Cell]:
        """How a value is shown: by name, as a number, or as a score with enough digits to differ."""
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
    values: Sequence[RowValues],
    pieces: Sequence[Ints],
    *,
    total: Sequence[str] | None = None,
    rest: Message | None = None,
) -> Steps:
    """A table with a row for each piece: one row, or several together, which ``rest`` describes.

    Without a ``total`` every summed column has one.
    """
    if total is None:
        total = [part.key for part in values if part.rest == "sum"]
    return Steps(
        name=name,
        columns=tuple(Column.of(part.name, part.cells(pieces), part.kind) for part in values),
        total=tuple(map(key_of, total)),
        hidden=rest if together(pieces) else None,
    )


def together(pieces: Sequence[Ints]) -> int:
    return sum(len(piece) for piece in pieces if len(piece) > 1)


def worst_first(amount: Floats) -> list[Ints]:
    """The rows with the largest amounts one by one, then all others together."""
    n = len(amount)
    shown = n if n <= WORST + 5 else WORST
    top = np.argpartition(-amount, shown - 1)[:shown] if shown < n else np.arange(n)
    top = top[np.lexsort((top, -amount[top]))]
    return [*np.split(top, shown), *_others(top, n)] if n else []


def alone(n: int) -> list[Ints]:
    return list(np.split(np.arange(n), n)) if n else []


def weighty(weight: Floats) -> list[Ints]:
    """All rows in order if they are few; else the heaviest first and all others together."""
    return worst_first(weight) if len(weight) > _ALL else alone(len(weight))


def walked(n: int, around: int | None = None) -> list[Ints]:
    """Steps in order; of many, the first, the last and those near ``around``, the others in ranges."""
    if n <= _ALL:
        return alone(n)
    place = np.arange(n)
    single = (place < _FIRST) | (place >= n - _LAST)
    if around is not None:
        single |= np.abs(place - around) <= _AROUND
    begins = single.copy()
    begins[1:] |= single[:-1]
    begins[np.linspace(_FIRST, n - _LAST, _RANGES, endpoint=False).astype(np.int64)] = True
    return list(np.split(place, np.flatnonzero(begins)[1:]))


def chosen(important: Flags) -> list[Ints]:
    """All rows if they are few; else the important ones in order, and all others together."""
    n = len(important)
    place = np.arange(n) if n <= _ALL else np.flatnonzero(important)
    return [*np.split(place, len(place)), *_others(place, n)] if n else []


def largest(amount: Floats, n: int = WORST) -> Flags:
    largest = np.zeros(len(amount), bool)
    largest[np.argsort(-amount, kind="stable")[:n]] = True
    return largest


def shortened(steps: Steps, important: Flags) -> Steps:
    """A table that holds all rows and, of many, shows only the important ones."""
    if steps.height <= _ALL:
        return steps
    shown = np.flatnonzero(important)
    hidden = say("… not shown: {rows:,}", rows=steps.height - len(shown))
    return replace(steps, shown=tuple(shown.tolist()), hidden=hidden)


class Summed(NamedTuple):
    """A table of rows, worst first, and its sums."""

    table: Steps
    amount: str
    weighted: bool
    rows: int

    def sum_of(self, key: str, named: str = "") -> Of:
        """The sum of an amount, with weights if there are any."""
        return Of(ROWS, f"weighted_{key}" if self.weighted else key, named=named, as_sum=not named)

    def mean(self) -> Made:
        rows = (
            Of(ROWS, "weight", named=TOTAL_WEIGHT)
            if self.weighted
            else Number(self.rows, say("rows // how many"))
        )
        return self.sum_of(self.amount) / rows

    def mean_parts(self, notes: tuple[Message, ...] = ()) -> Parts:
        return Parts(steps=(self.table,), lines=(Line(self.mean()),), notes=notes)


def summed(
    state: Segmented,
    leading: Sequence[RowValues],
    amount: RowValues,
    *also: RowValues,
    worst: Floats | None = None,
) -> Summed:
    """Rows with the largest amount (or the ``worst`` ones) first, then further amounts.

    With weights, each amount is also shown times its weight, and the products are added up.
    """
    parts = [RowValues(say("row"), np.arange(1, state.n_rows + 1), "count", "rank"), *leading]
    weighted = state.weight is not None
    if state.weight is not None:
        parts.append(RowValues(say("weight"), state.weight, "sum"))
    for values in (amount, *also):
        parts.append(replace(values, rest="none" if weighted else "sum"))
        if weighted:
            parts.append(RowValues(product(values), _weighted(state, values.values), "sum"))
    pieces = worst_first(_weighted(state, amount.values if worst is None else worst))
    rest = say("… stands for {rows:,} more rows, with their sums.", rows=together(pieces))
    rows = table(ROWS, parts, pieces, rest=rest)
    return Summed(table=rows, amount=amount.key, weighted=weighted, rows=state.n_rows)


def product(amount: RowValues) -> Message:
    return say("weight × {amount}", key=f"weighted_{amount.key}", amount=amount.short or amount.name)


def _score(score: float, digits: int) -> str:
    return f"{score:.{digits}g}".replace("inf", "∞")


def _weighted(state: Segmented, amount: Floats) -> Floats:
    """Amounts times weights; a row of weight 0 adds nothing, even if its amount is infinite."""
    if state.weight is None:
        return amount
    return np.where(state.weight > 0, amount, 0.0) * state.weight


def _others(shown: Ints, n: int) -> list[Ints]:
    left = np.ones(n, bool)
    left[shown] = False
    return [np.flatnonzero(left)] if len(shown) < n else []


SCORES = say("from the highest score down", key="score_steps")


def falling(scores: ScoreTable) -> Ints:
    """The distinct scores that have weight, from the highest down."""
    return np.flatnonzero(scores.positives + scores.negatives > 0)[::-1]


def score_steps(
    values: Sequence[RowValues], pieces: Sequence[Ints], total: Sequence[str] | None = None
) -> Steps:
    rest = say(
        "a range of scores is several steps in one ({rows:,} in all): sums, or where they end.",
        rows=together(pieces),
    )
    return table(SCORES, values, pieces, total=total, rest=rest)


def score_parts(
    state: Scored,
    columns: Sequence[RowValues],
    value: Quantity,
    *,
    pieces: Sequence[Ints] | None = None,
    total: Sequence[str] | None = None,
    both_classes: bool = True,
) -> Parts:
    """The scores from the highest down with further columns, and the value.

    The value is undefined without a positive and, where it needs ``both_classes``, without a negative.
    """
    scores, at = state.table, falling(state.table)
    positives, negatives = scores.positives[at], scores.negatives[at]
    values = [
        RowValues(say("score"), scores.score[at], "range", "rank"),
        RowValues(say("positives"), positives, "sum"),
        RowValues(say("negatives"), negatives, "sum"),
        *columns,
    ]
    steps = score_steps(values, walked(len(at)) if pieces is None else pieces, total)
    defined = positives.any() and (negatives.any() or not both_classes)
    return Parts(steps=(steps,), lines=(Line(value) if defined else UNDEFINED,))


ITEMS = say("item by item", key="item_steps")
EXPOSURE = say("exposure")
CATALOG = say("items of the catalogue", key="catalog_items")


def item_steps(lists: TopLists, item: Ints, *values: RowValues) -> Steps:
    """Items in order: the first and the last one by one, those between in sums."""
    pieces = walked(len(item))
    rest = say(
        "… stands for {rows:,} items between the first and the last, with their sums.", rows=together(pieces)
    )
    named = RowValues(say("item"), item, "count", "text", names=lists.background.items)
    return table(ITEMS, [named, *values], pieces, total=None if len(item) > 1 else (), rest=rest)


MATRIX = say("confusion matrix", key="confusion_matrix")
COUNTS = say("right and wrong", key="class_counts")
COUNTED = (say("TP", key="tp"), say("FP", key="fp"), say("FN", key="fn"), say("TN", key="tn"))
TRUE_CLASS = say("class // the true one")
MOST_CLASSES = 12  # classes whose matrix a reader can take in
_WIDEST = 20


class CountNames(NamedTuple):
    """Right and wrong of one class as numbers with a name: what a formula of counts is written with."""

    tp: Quantity
    fp: Quantity
    fn: Quantity
    tn: Quantity

    @classmethod
    def of_table(cls) -> CountNames:
        return cls(*(Of(COUNTS, name) for name in COUNTED))

    @classmethod
    def of(cls, counts: Counts) -> CountNames:
        return cls(*(Number(float(getattr(counts, name.key)[0]), name) for name in COUNTED))

    @property
    def support(self) -> Made:
        return self.tp + self.fn


def short_names(rows: Classified) -> list[str]:
    return distinct(rows.classes, _WIDEST)


def matrix_steps(rows: Classified) -> tuple[Steps, ...]:
    """The confusion matrix, for rows of one class and not too many classes."""
    names = rows.classes
    if not rows.one_label or not 0 < len(names) <= MOST_CLASSES:
        return ()
    called = [f"→ {name}" for name in short_names(rows)]  # no word of any language
    values = [
        RowValues(TRUE_CLASS, np.arange(len(names)), kind="text", names=names),
        *(RowValues(name, rows.confusion[0][:, at], "sum") for at, name in enumerate(called)),
    ]
    return (table(MATRIX, values, alone(len(names))),)


def result_of_each(metric: str, steps: Steps, names: Sequence[str], terms: Iterable[Operand | None]) -> Parts:
    """A value for each row: a line of arithmetic for each of a few, else the last column of the table."""
    if len(names) > MOST_CLASSES:
        return Parts(steps=(replace(steps, results=(steps.columns[-1].key,)),), lines=())
    lines = [Line(term, f"{metric}({name})", result=True) for name, term in zip(names, terms, strict=True)]
    return Parts(steps=(steps,), lines=tuple(lines))


def class_steps(
    name: str, values: Sequence[RowValues], pieces: Sequence[Ints], total: Sequence[str]
) -> Steps:
    rest = say("… stands for {rows:,} more classes, with their sums.", rows=together(pieces))
    return table(name, values, pieces, total=total, rest=rest)


def class_table(rows: Classified, at: Ints, values: Sequence[RowValues], total: Sequence[str]) -> Steps:
    pieces = chosen(largest(rows.counts.support[0, at]))
    return class_steps(COUNTS, [class_names(rows, at), *values], pieces, total if len(at) > 1 else ())


def class_names(rows: Classified, at: Ints) -> RowValues:
    return RowValues(say("class"), at, "count", "text", rows.classes)


def counted_values(counts: Counts, at: Ints) -> list[RowValues]:
    return [RowValues(name, getattr(counts, name.key)[0, at], "sum") for name in COUNTED]
