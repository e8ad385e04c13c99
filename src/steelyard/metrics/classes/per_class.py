"""Metrics with a value per class, from the counts of right and wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.metrics.classes.base import AveragedMetric
from steelyard.metrics.ranking.fbeta import beta_field
from steelyard.metrics.registry import also_known, register
from steelyard.metrics.steps import Number, Quantity
from steelyard.metrics.steps.rows import CountNames


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


@register("fbeta", zh="F 值")
class FBeta(AveragedMetric):
    """Precision and recall in one number, their weighted harmonic mean.

    ``(1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP)``; with β = 1, called ``f1``, ``2TP / (2TP + FP + FN)``.
    The macro average is the mean of the classes' values, not the value of mean precision and mean recall.
    Undefined where nothing is positive and nothing was called positive.

    Examples
    --------
    Precision 1/2 and recall 1/4 give 1/3, not their mean:

    >>> FBeta().of_counts(tp=1, fp=1, fn=3)
    0.3333333333333333
    >>> FBeta(beta=2).of_counts(tp=1, fp=1, fn=3)
    0.2777777777777778
    >>> str(FBeta()), str(FBeta(beta=2, average="macro"))
    ('f1', 'fbeta(average=macro, beta=2)')
    """

    beta: float = beta_field()

    renamed: ClassVar[Mapping[str, tuple[str, Any]]] = {"f1": ("beta", 1.0)}
    undefined_when = "nothing is positive and nothing was called positive"
    counted = ("tp", "fp", "fn")

    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        right = (1 + self.beta**2) * counts.tp
        return right, right + self.beta**2 * counts.fn + counts.fp

    def arithmetic(self, counts: CountNames) -> Quantity:
        tp, fp, fn, beta = counts.tp, counts.fp, counts.fn, Number(self.beta, "beta")
        if self.beta == 1:
            return 2 * tp / (2 * tp + fp + fn)
        right = (1 + beta**2) * tp
        return right / (right + beta**2 * fn + fp)


F1 = FBeta

also_known("f1", FBeta, beta=1.0)
also_known("F1值", FBeta, beta=1.0)


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
