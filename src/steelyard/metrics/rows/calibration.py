"""Predicted against observed: the calibration ratio and its reciprocal."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.scored import RowSums, RowTerm, Scored
from steelyard.kernels.means import ratio
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import RowMetric, sums_of
from steelyard.metrics.steps import Line, Of, Parts, Steps
from steelyard.metrics.steps.rows import RowValues, summed
from steelyard.text import say

PREDICTED = RowTerm("predicted positives", lambda scored: scored.score)


@register("calibration", zh="校准比")
class Calibration(RowMetric):
    """How many clicks were predicted for each one that happened: 1 is right, 1.2 is 20 % too many.

    ``Σp / Σy``. Undefined without a positive.

    Examples
    --------
    >>> Calibration().of([0.5, 0.25, 0.25, 0.2], [1, 0, 0, 0])
    1.2
    """

    needs = "probability"
    bounds = (0.0, math.inf)
    undefined_when = "there is no positive"
    direction = "nearest_1"
    limits = "log"

    def per_segment(self, scored: Scored) -> Floats:
        return ratio(PREDICTED.total(scored), scored.positives)

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence:
        predicted, happened = scored.per_cell(PREDICTED.each(scored)), scored.per_cell(scored.label)
        return Influence.of_ratio(scored.cells, predicted, happened, values)

    def reduced_to(self, state: Scored) -> RowSums | None:
        return sums_of(state, PREDICTED)

    def steps(self, state: Scored) -> Parts:
        table, predicted, positives = _sums(state)
        return Parts(steps=(table,), lines=(Line(predicted / positives),))


@register("copc", zh="点击校准比")
class COPC(Calibration):
    """How many clicks happened for each one that was predicted: the reciprocal of calibration.

    ``Σy / Σp``. Undefined where nothing was predicted.

    Examples
    --------
    >>> COPC().of([0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0])
    1.0
    """

    undefined_when = "the probabilities add up to 0"

    def per_segment(self, scored: Scored) -> Floats:
        return ratio(scored.positives, PREDICTED.total(scored))

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence:
        """The opposite of the influence on calibration, with the same shares."""
        cells = scored.cells
        predicted, happened = scored.per_cell(PREDICTED.each(scored)), scored.per_cell(scored.label)
        of_predicted = Influence.of_ratio(cells, happened, predicted, values)
        share = ratio(happened, cells.spread(cells.totals(happened)))
        return replace(of_predicted, share=np.where(np.isnan(share), of_predicted.share, share), each=None)

    def steps(self, state: Scored) -> Parts:
        table, predicted, positives = _sums(state)
        return Parts(steps=(table,), lines=(Line(positives / predicted),))


def _sums(state: Scored) -> tuple[Steps, Of, Of]:
    """Predictions and labels, the highest predictions first, and the sums of both."""
    predictions = RowValues(say("predicted // a probability"), PREDICTED.each(state).astype(np.float64))
    sums = summed(state, [], predictions, RowValues(say("label"), state.label))
    predicted = sums.sum_of("predicted", say("sum of predictions"))
    return sums.table, predicted, sums.sum_of("label", say("positives"))
