"""The confusion matrix, and right and wrong class by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steelyard.arrays import Ints
from steelyard.engine.classified import Classified, Counts
from steelyard.metrics.steps.arithmetic import Made, Number, Of, Quantity, Steps
from steelyard.metrics.steps.rows import WEIGHTED, RowValues, chosen, largest, row_notes, table, together
from steelyard.text import Message, say
from steelyard.text.names import distinct

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
    """A row per class and a column for what it was called, if a row has one class and there are not many."""
    names = rows.classes
    if not rows.one_label or not 0 < len(names) <= MOST_CLASSES:
        return ()
    called = [f"→ {name}" for name in short_names(rows)]  # no word of any language
    values = [
        RowValues(TRUE_CLASS, np.arange(len(names)), kind="text", names=names),
        *(RowValues(name, rows.confusion[0][:, at], "sum") for at, name in enumerate(called)),
    ]
    return (table(MATRIX, values, chosen(np.ones(len(names), bool)), total=called),)


def class_steps(
    name: str, values: Sequence[RowValues], pieces: Sequence[Ints], total: Sequence[str]
) -> Steps:
    """A table with one row for each class, or for many of them together."""
    rest = say(
        "… stands for classes not told one by one, {rows:,} in all, with their sums.", rows=together(pieces)
    )
    return table(name, values, pieces, total=total, rest=rest)


def class_table(rows: Classified, at: Ints, values: Sequence[RowValues], total: Sequence[str]) -> Steps:
    pieces = chosen(largest(rows.counts.support[0, at]))
    return class_steps(COUNTS, [class_names(rows, at), *values], pieces, total if len(at) > 1 else ())


def class_names(rows: Classified, at: Ints) -> RowValues:
    return RowValues(say("class"), at, "count", "text", rows.classes)


def counted_values(counts: Counts, at: Ints) -> list[RowValues]:
    return [RowValues(name, getattr(counts, name.key)[0, at], "sum") for name in COUNTED]


def class_notes(rows: Classified) -> tuple[Message, ...]:
    return (*row_notes(rows), *(() if rows.weight is None else (WEIGHTED,)))
