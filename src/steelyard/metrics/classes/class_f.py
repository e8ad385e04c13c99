"""F1 and F-beta of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.metrics.classes.base import AveragedMetric
from steelyard.metrics.ranking.fbeta import beta_field
from steelyard.metrics.registry import also_known, register
from steelyard.metrics.steps.arithmetic import Number, Quantity
from steelyard.metrics.steps.classes import CountNames


@register("fbeta", zh="F值")
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
