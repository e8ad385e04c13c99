"""Coefficient of determination."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.kernels.scales import times_power
from steelyard.metrics.base import Direction
from steelyard.metrics.rating import SQUARED_MISS, RatingMetric
from steelyard.metrics.registry import register
from steelyard.states import RatedRows, Term


@register("r2", zh="决定系数")
class R2(RatingMetric):
    """What share of the variation of the truth the predictions explain.

    ``1 - Σ(y - p)² / Σ(y - mean y)²``: 1 is perfect, 0 no better than always predicting the mean, below 0
    worse. Undefined with fewer than two rows or where all true ratings are equal.

    Examples
    --------
    1 - (0 + 1 + 0) / (1 + 0 + 1)

    >>> R2().of([1, 2, 3], [1, 3, 3])
    0.5
    >>> R2().of([4, 4], [4, 5])
    nan
    """

    bounds: ClassVar[tuple[float, float]] = (-math.inf, 1.0)
    direction: ClassVar[Direction] = "higher"
    undefined_when: ClassVar[str] = "there are fewer than two rows or all true ratings are equal"
    terms: ClassVar[tuple[Term, ...]] = (SQUARED_MISS,)

    def per_segment(self, rated: RatedRows) -> Floats:
        (squares, of_squares), (spread, of_spread) = SQUARED_MISS.scaled(rated), rated.spread
        left = times_power(ratio(squares, spread), of_squares - of_spread)
        return np.where(rated.varies & (rated.rows > 1), 1 - left, np.nan)
