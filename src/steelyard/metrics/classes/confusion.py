"""The confusion matrix."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.classified import Classified
from steelyard.engine.columns import BINARY, Class
from steelyard.engine.influence import Cells, Influence
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Interval
from steelyard.metrics.classes.base import ThresholdMetric, Unnamed, unnamed_choice
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import Rows
from steelyard.metrics.steps import Column, Parts, Steps
from steelyard.metrics.steps.rows import (
    MATRIX,
    MOST_CLASSES,
    TRUE_CLASS,
    largest,
    matrix_steps,
    shortened,
)
from steelyard.text import say
from steelyard.text.errors import measuring

MOST_CELLS = 25_000_000


@register("confusion", zh="混淆矩阵")
class Confusion(ThresholdMetric):
    """How many rows of each class were called each class.

    A row of the matrix per true class, a column per predicted one; with weights their sums. Counts grow with
    the rows, so that they have no interval; shares, which ``normalise`` asks for, have one. Undefined where
    there is nothing to take a share of.

    Examples
    --------
    Of two dogs, one was called a cat:

    >>> Confusion().of(predictions=["cat", "cat", "dog"], truth=["cat", "dog", "dog"])
    [[1.0, 0.0], [1.0, 1.0]]
    >>> Confusion(normalise="truth").of(predictions=["cat", "cat", "dog"], truth=["cat", "dog", "dog"])
    [[1.0, 0.0], [0.5, 0.5]]
    """

    normalise: Literal["none", "truth", "predicted", "all"] = choice(
        default="none",
        about="What a cell is divided by.",
        meaning={
            "none": "how many rows",
            "truth": "the share of the rows of the true class: each row of the matrix adds up to 1",
            "predicted": "the share of the rows called the class: each column adds up to 1",
            "all": "the share of all rows",
        },
    )

    unnamed: Unnamed = unnamed_choice()

    bounds = (0.0, math.inf)
    direction = "none"
    limits = "none"
    undefined_when = "there is nothing to take a share of"
    charts = ("confusion",)

    def per_segment(self, classified: Classified) -> Floats:
        if not classified.one_label:
            raise measuring.needs_one_class(metric=str(self))
        n = len(classified.classes)
        if (n_cells := classified.n_segments * n * n) > MOST_CELLS:
            if classified.n_segments == 1:
                raise measuring.confusion_too_large(metric=str(self), classes=n, cells=n_cells)
            raise measuring.confusions_too_large(
                metric=str(self), slices=classified.n_segments, classes=n, cells=n_cells
            )
        cells = classified.confusion
        if self.normalise != "none":
            cells = ratio(cells, np.broadcast_to(cells.sum(axis=self._over, keepdims=True), cells.shape))
        return cells.reshape(classified.n_segments, n * n)

    @property
    def _over(self) -> tuple[int, ...]:
        """The axes of (segment, true class, predicted class) that make up the denominator."""
        return {"truth": (2,), "predicted": (1,), "all": (1, 2)}[self.normalise]

    def within(self) -> tuple[float, float]:
        return self.bounds if self.normalise == "none" else (0.0, 1.0)

    def interval(self) -> Interval:
        return self.limits if self.normalise == "none" else "logit"

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence | None:
        if self.normalise == "none":
            return None
        return self._share_influence(self.view(rows), values)

    def _share_influence(self, rows: Classified, values: Floats) -> Influence | None:
        n = len(rows.classes)
        others = n * n if self.normalise == "all" else n
        if not n or rows.n_rows * others > MOST_CELLS:
            return None
        inside = np.flatnonzero(np.maximum(rows.truth, rows.called) < n)
        row, other = np.repeat(inside, others), np.tile(np.arange(others), len(inside))
        truth, called = rows.truth[row], rows.called[row]
        match self.normalise:
            case "truth":
                cell = truth * n + other
            case "predicted":
                cell = other * n + called
            case _:
                cell = other
        cells = Cells.of(rows.drawn.only(row), rows.segments[row] * n * n + cell, rows.n_segments * n * n)
        weight = rows.weights[row]
        over, under = cells.sums(weight * (truth * n + called == cell)), cells.sums(weight)
        return Influence.of_ratio(cells, over, under, values.reshape(-1))

    def entries(self, rows: Rows) -> list[tuple[Class, ...]]:
        names = rows.classes if isinstance(rows, Classified) else BINARY
        return rows.made_once(
            "pairs of classes", lambda: [(name, called) for name in names for called in names]
        )

    def steps(self, state: Rows) -> Parts:
        rows = self.view(state)
        n = len(rows.classes)
        if self.normalise == "none" and n <= MOST_CLASSES:
            tables = tuple(dataclasses.replace(table, results=table.total) for table in matrix_steps(rows))
            return Parts(steps=tables, lines=())
        counts, place = rows.confusion[0], np.arange(n * n)
        names = [str(name) for name in rows.classes]
        columns = [
            Column.of(TRUE_CLASS, [name for name in names for _ in names], "text"),
            Column.of(say("called"), names * n, "text"),
            Column.of(say("rows // how many"), counts.reshape(-1)),
        ]
        result = "rows"
        if self.normalise != "none":
            over = tuple(at - 1 for at in self._over)
            under = np.broadcast_to(counts.sum(axis=over, keepdims=True), (n, n)).reshape(-1)
            share = self.measure(rows)[0]
            columns += [Column.of(say("of so many", key="of"), under), Column.of(say("share"), share)]
            result = "share"
        wrong = np.where(place // n == place % n, 0.0, counts.reshape(-1))
        long = Steps(
            name=MATRIX,
            columns=tuple(columns),
            total=() if result == "share" else ("rows",),
            results=(result,),
        )
        return Parts(steps=(shortened(long, largest(wrong)),), lines=())

    def _shown(self, value: Floats, rows: Classified) -> list[Any]:
        n = len(rows.classes)
        shown: list[Any] = value.reshape(n, n).tolist()
        return shown
