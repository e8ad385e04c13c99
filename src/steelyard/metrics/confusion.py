"""The confusion matrix."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.messages import say
from steelyard.messages.errors import measuring_classes
from steelyard.metrics.base import Direction, Interval
from steelyard.metrics.classes import ThresholdMetric
from steelyard.metrics.registry import register
from steelyard.states import Class, Classified, Scored
from steelyard.states.class_values import BINARY
from steelyard.steps.arithmetic import Column, Parts, Steps
from steelyard.steps.classes import MATRIX, MOST_CLASSES, TRUE_CLASS, matrix_steps
from steelyard.steps.rows import WEIGHTED, largest, shortened

MOST_CELLS = 25_000_000


@register("confusion", zh="混淆矩阵")
class Confusion(ThresholdMetric):
    """How many rows of each class were called each class.

    A row of the matrix per true class, a column per predicted one; with weights their sums. Never
    undefined. Counts grow with the rows, so that they have no interval.

    Examples
    --------
    Of two dogs, one was called a cat:

    >>> Confusion().of(["cat", "dog", "dog"], ["cat", "cat", "dog"])
    [[1.0, 0.0], [1.0, 1.0]]
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    direction: ClassVar[Direction] = "none"
    limits: ClassVar[Interval] = "none"
    undefined_when: ClassVar[str] = ""  # never
    charts: ClassVar[tuple[str, ...]] = ("confusion",)

    def per_segment(self, classified: Classified) -> Floats:
        if not classified.one_label:
            raise measuring_classes.needs(str(self), "one class")
        n = len(classified.classes)
        if classified.n_segments * n * n > MOST_CELLS:
            raise measuring_classes.confusion_too_large(str(self), classified.n_segments, n)
        return classified.confusion.reshape(classified.n_segments, n * n)

    def entries(self, rows: Classified | Scored) -> list[tuple[Class, ...]]:
        names = rows.classes if isinstance(rows, Classified) else BINARY
        if "pairs of classes" not in rows.shared:
            rows.shared["pairs of classes"] = [(name, called) for name in names for called in names]
        found: list[tuple[Class, ...]] = rows.shared["pairs of classes"]
        return found

    def steps(self, state: Classified | Scored) -> Parts:
        rows = self.view(state)
        n, notes = len(rows.classes), () if rows.weight is None else (WEIGHTED,)
        if n <= MOST_CLASSES:
            tables = tuple(dataclasses.replace(one, results=one.total) for one in matrix_steps(rows))
            return Parts(steps=tables, lines=(), notes=notes)
        cells, place = rows.confusion[0].reshape(-1), np.arange(n * n)
        names = [str(name) for name in rows.classes]
        columns = (
            Column.of(TRUE_CLASS, [name for name in names for _ in names], "text"),
            Column.of(say("called"), names * n, "text"),
            Column.of(say("rows // how many"), cells),
        )
        wrong = np.where(place // n == place % n, 0.0, cells)
        long = Steps(name=MATRIX, columns=columns, total=("rows",), results=("rows",))
        return Parts(steps=(shortened(long, largest(wrong)),), lines=(), notes=notes)

    def _shown(self, value: Floats, rows: Classified) -> list[Any]:
        n = len(rows.classes)
        shown: list[Any] = value.reshape(n, n).tolist()
        return shown
