"""Specificity and the false positive rate."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.metrics.classes.base import AveragedMetric
from steelyard.metrics.registry import register


@register("specificity", zh="特异度")
class Specificity(AveragedMetric):
    """What share of the negative rows was called negative.

    ``TN / (TN + FP)``. Undefined where nothing is negative.

    Examples
    --------
    Three of four negatives were left alone:

    >>> Specificity().of_counts(tn=3, fp=1)
    0.75
    """

    undefined_when = "no row counts as negative"
    counted = ("fp", "tn")

    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        return counts.tn, counts.tn + counts.fp


@register("fpr", zh="假阳性率")
class FPR(Specificity):
    """What share of the negative rows was called positive.

    ``FP / (FP + TN)``, which is 1 - specificity. Undefined where nothing is negative.

    Examples
    --------
    One of four negatives was called positive:

    >>> FPR().of_counts(tn=3, fp=1)
    0.25
    """

    direction = "lower"

    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        return counts.fp, counts.tn + counts.fp
