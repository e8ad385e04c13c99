"""Matthews correlation coefficient."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.engine.influence import Influence
from steelyard.kernels.means import ratio
from steelyard.metrics.classes.base import ThresholdMetric
from steelyard.metrics.classes.influence import LEAST
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import Rows, effective_units, of_moves
from steelyard.metrics.steps import Line, Of, Parts, root
from steelyard.metrics.steps.rows import (
    COUNTS,
    CountNames,
    RowValues,
    class_table,
    counted_values,
    matrix_steps,
)
from steelyard.text import say
from steelyard.text.errors import measuring

_PRODUCTS = {  # of several classes, and what their sums are called
    say("TP×TN - FP×FN", key="covariance"): say("covariance"),
    say("(TP+FN)×(TN+FP)", key="truth"): say("variance of the truth"),
    say("(TP+FP)×(TN+FN)", key="called"): say("variance of the predictions"),
}


@register("mcc", zh="马修斯相关系数")
class MCC(ThresholdMetric):
    """How predicted and true classes go together, from -1 (always wrong) over 0 (chance) to 1.

    ``(TP·TN - FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))``; with more classes the covariance of
    truth and prediction over the root of the product of their variances (Gorodkin 2004). Undefined where
    only one class is true or only one was predicted.

    Examples
    --------
    (2·3 - 1·1) / √(3·3·4·4)

    >>> MCC().of_counts(tp=2, fp=1, fn=1, tn=3)
    0.4166666666666667
    """

    bounds = (-1.0, 1.0)
    limits = "logit"
    undefined_when = "only one class is true or only one was predicted"

    def value(self, counts: Counts) -> Floats:
        if not counts.one_label:
            raise measuring.needs_one_class(metric=str(self))
        # summed over classes, each term twice for two classes: the factor cancels
        covariance, of_truth, of_predicted = (part.sum(axis=1) for part in self.parts(counts))
        value = ratio(covariance, np.sqrt(of_truth * of_predicted))
        return np.clip(value, -1.0, 1.0)

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence:
        classified = self.view(rows)
        counts, at = classified.counts, classified.segments
        truth, called = (at, classified.truth), (at, classified.called)
        support, predicted = counts.support, counts.tp + counts.fp
        right, every = (part.sum(axis=1)[at] for part in (counts.tp, support))
        _, of_truth, of_predicted = (part.sum(axis=1) for part in self.parts(counts))
        hit = classified.truth == classified.called
        joint = hit * every + right - predicted[truth] - support[called]
        moves = ratio(joint, np.sqrt(of_truth * of_predicted)[at])
        apart = ratio(every - predicted[called], of_predicted[at])
        apart += ratio(every - support[truth], of_truth[at])
        # undefined if all rows are of one class, or called one class: the other rows must be enough
        rarest = [
            effective_units(classified.cells, classified.per_cell(codes != common.argmax(axis=1)[at]))
            for codes, common in ((classified.truth, support), (classified.called, predicted))
        ]
        influence = of_moves(classified, moves - values[at] * apart)
        return replace(influence, rarest=np.minimum(*rarest), least=LEAST)

    def parts(self, counts: Counts) -> tuple[Floats, Floats, Floats]:
        """The covariance of truth and prediction of each class, and the variance of both."""
        tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
        return tp * tn - fp * fn, (tp + fn) * (tn + fp), (tp + fp) * (tn + fn)

    def steps(self, state: Rows) -> Parts:
        rows = self.view(state)
        counts = rows.counts
        if counts.positive is not None:
            at = np.array([counts.positive])
            counted = class_table(rows, at, counted_values(counts, at), ())
            tp, fp, fn, tn = CountNames.of_table()
            factors = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
            value = (tp * tn - fp * fn) / root(factors)
        else:
            at = np.flatnonzero(counts.exists[0])
            products = zip(_PRODUCTS, self.parts(counts), strict=True)
            values = [RowValues(name, part[0, at], "sum") for name, part in products]
            counted = class_table(rows, at, [*counted_values(counts, at), *values], tuple(_PRODUCTS))
            covariance, truth, called = (Of(COUNTS, key, named=named) for key, named in _PRODUCTS.items())
            value = covariance / root(truth * called)
        return Parts(steps=(*matrix_steps(rows), counted), lines=(Line(value),))
