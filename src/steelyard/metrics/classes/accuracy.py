"""Accuracy."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.engine.classified import Classified, Counts
from steelyard.engine.influence import Influence
from steelyard.kernels.means import ratio
from steelyard.metrics.classes.base import ThresholdMetric
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import Rows, of_mean
from steelyard.metrics.steps import Line, Number, Of, Parts
from steelyard.metrics.steps.rows import COUNTS, RowValues, alone, class_table, matrix_steps, table
from steelyard.text import say

_RIGHT = say("rows with all labels right", key="right_rows")


@register("accuracy", zh="准确率")
class Accuracy(ThresholdMetric):
    """What share of rows has the right predicted class.

    ``right / rows``. Where a row has several labels, it is right when all of them are. Undefined without
    rows.

    Examples
    --------
    Two of three are right:

    >>> Accuracy().of(predictions=["cat", "cat", "dog"], truth=["cat", "dog", "dog"])
    0.6666666666666666

    With one positive in a hundred, calling all negative looks good:

    >>> Accuracy().of_counts(tp=0, fp=0, fn=1, tn=99)
    0.99
    """

    limits = "logit"
    undefined_when = "there is no row"

    def value(self, counts: Counts) -> Floats:
        return ratio(counts.tp.sum(axis=1), counts.support.sum(axis=1))

    def per_segment(self, classified: Classified) -> Floats:
        if classified.one_label:
            return self.value(classified.counts)
        return ratio(classified.total(self.all_right(classified)), classified.total())

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence:
        classified = self.view(rows)
        one_label = classified.one_label
        right = classified.truth == classified.called if one_label else self.all_right(classified)
        return of_mean(classified, right.astype(np.float64), values)

    def all_right(self, classified: Classified) -> Flags:
        right: Flags = (classified.truth == classified.called).all(axis=1)
        return right

    def steps(self, state: Rows) -> Parts:
        rows = self.view(state)
        if not rows.one_label:
            return self._label_steps(rows)
        counts = rows.counts
        at = np.flatnonzero(counts.exists[0])
        values = [
            RowValues(say("rows // how many"), counts.support[0, at], "sum"),
            RowValues(say("right"), counts.tp[0, at], "sum"),
        ]
        counted = class_table(rows, at, values, ("rows", "right"))
        line = Line(Of(COUNTS, "right") / Of(COUNTS, "rows"))
        return Parts(steps=(*matrix_steps(rows), counted), lines=(line,))

    def _label_steps(self, rows: Classified) -> Parts:
        right = self.all_right(rows)
        counts = np.array([rows.total(right)[0], rows.total(~right)[0]])
        values = [
            RowValues(say("all right"), np.arange(2), kind="text", names=("✓", "✗")),
            RowValues(say("rows // how many"), counts),
        ]
        counted = table(_RIGHT, values, alone(2), total=("rows",))
        line = Line(Number(counts[0], say("right")) / Of(_RIGHT, "rows"))
        return Parts(steps=(counted,), lines=(line,))
