"""Balanced accuracy."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.classified import Counts
from steelyard.engine.influence import Influence
from steelyard.kernels.means import ratio
from steelyard.metrics.classes.averages import absent_notes
from steelyard.metrics.classes.base import ThresholdMetric
from steelyard.metrics.classes.influence import Adds, by_classes
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import Rows, of_moves
from steelyard.metrics.steps import Line, Number, Parts, sum_of
from steelyard.metrics.steps.rows import COUNTS, RowValues, class_table, matrix_steps
from steelyard.text import Message, say
from steelyard.text.errors import measuring

_RECALL = Adds(over=np.array([1.0, 0.0, 0.0, 0.0]), under=np.array([1.0, 0.0, 1.0, 0.0]))


@register("balanced_accuracy", zh="平衡准确率")
class BalancedAccuracy(ThresholdMetric):
    """What share of rows was right, had all classes been equally frequent.

    The mean of the recall of the classes that occur in the truth; with two classes
    ``(recall + specificity) / 2``. A class without a row in the truth has no recall and is left out.
    Undefined without rows.

    Examples
    --------
    With one positive in a hundred, calling all negative is no better than chance:

    >>> BalancedAccuracy().of_counts(tp=0, fp=0, fn=1, tn=99)
    0.5
    """

    limits = "logit"
    undefined_when = "there is no row"

    def value(self, counts: Counts) -> Floats:
        if not counts.one_label:
            raise measuring.needs_one_class(metric=str(self))
        recall = self.by_class(counts)
        return ratio(np.nan_to_num(recall).sum(axis=1), (~np.isnan(recall)).sum(axis=1).astype(np.float64))

    def by_class(self, counts: Counts) -> Floats:
        return ratio(counts.tp, counts.support)

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence:
        classified = self.view(rows)
        counts, at = classified.counts, (classified.segments, classified.truth)
        recall = self.by_class(counts)
        classes = (~np.isnan(recall)).sum(axis=1)[classified.segments]
        off = (classified.truth == classified.called) - recall[at]
        influence = of_moves(classified, ratio(off, counts.support[at] * classes))
        return by_classes(classified, _RECALL, recall, (~np.isnan(recall)).astype(np.float64), influence)

    def facts(self, rows: Rows, label: str = "") -> list[Message]:
        counts = self.view(rows).counts
        left_out = counts.exists & (counts.support == 0)
        slices = int(left_out.any(axis=1).sum())
        return absent_notes(label or str(self), slices, len(left_out))

    def steps(self, state: Rows) -> Parts:
        rows = self.view(state)
        counts = rows.counts
        at = np.flatnonzero(counts.exists[0])
        recall = self.by_class(counts)[0, at]
        values = [
            RowValues(say("rows // how many"), counts.support[0, at], "sum"),
            RowValues(say("right"), counts.tp[0, at], "sum"),
            RowValues(say("recall"), recall, "sum"),
        ]
        counted = class_table(rows, at, values, ("recall",))
        line = Line(sum_of(COUNTS, "recall") / Number((~np.isnan(recall)).sum(), say("classes")))
        return Parts(steps=(*matrix_steps(rows), counted), lines=(line,))
