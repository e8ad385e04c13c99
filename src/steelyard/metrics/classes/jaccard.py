"""The Jaccard index of classes."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.metrics.classes.base import AveragedMetric
from steelyard.metrics.registry import register


@register("jaccard", zh="杰卡德系数", aliases=("iou",))
class Jaccard(AveragedMetric):
    """What share of the rows that are positive or were called positive are both.

    ``TP / (TP + FP + FN)``, the intersection of truth and prediction over their union. Undefined where
    nothing is positive and nothing was called positive.

    Examples
    --------
    Of four rows that are positive or were called so, two are both:

    >>> Jaccard().of([0.9, 0.8, 0.4, 0.6, 0.1], [1, 1, 1, 0, 0])
    0.5

    Where rows have several labels, each row's own are compared: (1/2 + 1/1) / 2

    >>> Jaccard(average="samples").of(predictions=[[1, 0, 0], [0, 0, 1]], truth=[[1, 1, 0], [0, 0, 1]])
    0.75
    """

    undefined_when = "nothing is positive and nothing was called positive"
    counted = ("tp", "fp", "fn")

    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        return counts.tp, counts.tp + counts.fp + counts.fn
