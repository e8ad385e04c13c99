"""Predicted against observed: the calibration ratio and its reciprocal."""

from __future__ import annotations

import math
from typing import ClassVar

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Direction
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import ScoredRows, Term

PREDICTED = Term("predicted positives", lambda scored: scored.score)


@register("calibration", zh="校准比")
class Calibration(RowMetric):
    """How many clicks were predicted for each one that happened: 1 is right, 1.2 is 20 % too many.

    ``Σp / Σy``. Undefined without a positive.

    Examples
    --------
    >>> Calibration().of([1, 0, 0, 0], [0.5, 0.25, 0.25, 0.2])
    1.2
    """

    needs: ClassVar[Needs] = "probability"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    undefined_when: ClassVar[str] = "there is no positive"
    direction: ClassVar[Direction] = "nearest_1"
    terms: ClassVar[tuple[Term, ...]] = (PREDICTED,)

    def per_segment(self, scored: ScoredRows) -> Floats:
        return ratio(PREDICTED.total(scored), scored.positives)


@register("copc", zh="点击校准比")
class COPC(RowMetric):
    """How many clicks happened for each one that was predicted: the reciprocal of calibration.

    ``Σy / Σp``. Undefined where nothing was predicted.

    Examples
    --------
    >>> COPC().of([1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25])
    1.0
    """

    needs: ClassVar[Needs] = "probability"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    undefined_when: ClassVar[str] = "the probabilities add up to 0"
    direction: ClassVar[Direction] = "nearest_1"
    terms: ClassVar[tuple[Term, ...]] = (PREDICTED,)

    def per_segment(self, scored: ScoredRows) -> Floats:
        return ratio(scored.positives, PREDICTED.total(scored))
