"""The confusion matrix."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from steelyard.arrays import Floats
from steelyard.messages.errors import measuring_classes
from steelyard.metrics.base import Direction
from steelyard.metrics.classes import ThresholdMetric
from steelyard.metrics.registry import register
from steelyard.states import Class, Classified, Scored
from steelyard.states.class_values import BINARY

MOST_CELLS = 25_000_000


@register("confusion", zh="混淆矩阵")
class Confusion(ThresholdMetric):
    """How many rows of each class were called each class.

    A row of the matrix per true class, a column per predicted one; with weights their sums. Never
    undefined.

    Examples
    --------
    Of two dogs, one was called a cat:

    >>> Confusion().of(["cat", "dog", "dog"], ["cat", "cat", "dog"])
    [[1.0, 0.0], [1.0, 1.0]]
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    direction: ClassVar[Direction] = "none"
    undefined_when: ClassVar[str] = ""  # never

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

    def _shown(self, value: Floats, rows: Classified) -> list[Any]:
        n = len(rows.classes)
        shown: list[Any] = value.reshape(n, n).tolist()
        return shown
