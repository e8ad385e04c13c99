"""Precision of classes."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.metrics.classes.base import AveragedMetric
from steelyard.metrics.registry import register


@register("precision", zh="精确率", aliases=("精准率", "查准率"))
class Precision(AveragedMetric):
    """What share of the rows called positive is positive.

    ``TP / (TP + FP)``. Undefined where nothing was called positive.

    Examples
    --------
    Three were called positive, two of them rightly:

    >>> Precision().of([0.9, 0.8, 0.5, 0.1], [1, 1, 0, 0])
    0.6666666666666666
    >>> Precision(strict=True).of([0.9, 0.8, 0.5, 0.1], [1, 1, 0, 0])
    1.0
    >>> Precision(average="none").of(predictions=["a", "b", "b"], truth=["a", "a", "b"])
    [1.0, 0.5]
    """

    undefined_when = "nothing was called positive"
    counted = ("tp", "fp")

    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        return counts.tp, counts.tp + counts.fp
