"""Recall of classes."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.metrics.classes.base import AveragedMetric
from steelyard.metrics.registry import register


@register("recall", zh="召回率", aliases=("查全率",))
class Recall(AveragedMetric):
    """What share of the positive rows was called positive.

    ``TP / (TP + FN)``. Undefined where nothing is positive.

    Examples
    --------
    One of the two positives was found:

    >>> Recall().of([0.9, 0.4, 0.6, 0.1], [1, 1, 0, 0])
    0.5
    >>> Recall().of([0.9, 0.1], [0, 0])
    nan
    """

    undefined_when = "nothing is positive"
    counted = ("tp", "fn")

    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        return counts.tp, counts.support
