"""Coefficient of determination."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.influence import Influence
from steelyard.engine.scored import Rated, RowSums
from steelyard.kernels.means import ratio
from steelyard.metrics.ratings.base import SQUARED_MISS, RatingMetric, rating_values
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import of_moves
from steelyard.metrics.steps import UNDEFINED, Line, Number, Parts
from steelyard.metrics.steps.rows import RowValues, summed
from steelyard.text import say

_FLAT = say("all true values are equal: 1 where every one is predicted exactly, else 0.", key="flat_truth")


@register("r2", zh="决定系数")
class R2(RatingMetric):
    """What share of the variation of the truth the predictions explain.

    ``1 - Σ(y - p)² / Σ(y - mean y)²``: 1 is perfect, 0 no better than always predicting the mean, below 0
    worse. Undefined with fewer than two rows or where all true ratings are equal.

    Examples
    --------
    1 - (0 + 1 + 0) / (1 + 0 + 1)

    >>> R2().of(predictions=[1, 3, 3], truth=[1, 2, 3])
    0.5
    >>> R2().of(predictions=[4, 5], truth=[4, 4])
    nan
    >>> R2(constant_truth="met").of(predictions=[4, 5], truth=[4, 4])
    0.0
    """

    constant_truth: Literal["undefined", "met", "met_always"] = choice(
        default="undefined",
        meaning={
            "undefined": "undefined where all true ratings are equal",
            "met": "where all true ratings are equal: 1 if every one is predicted exactly, else 0",
            "met_always": "the same, also for a single row",
        },
    )

    bounds = (-math.inf, 1.0)
    direction = "higher"
    limits = "t"
    undefined_when = "there are fewer than two rows or all true ratings are equal"

    def per_segment(self, rated: Rated) -> Floats:
        squares = rated.sound(SQUARED_MISS.total(rated), rated.miss)
        left = ratio(squares, rated.spread)
        flat = np.nan if self.constant_truth == "undefined" else np.where(squares == 0, 1.0, 0.0)
        return np.where(rated.rows >= self._fewest, np.where(rated.varies, 1 - left, flat), np.nan)

    @property
    def _fewest(self) -> int:
        return 1 if self.constant_truth == "met_always" else 2

    def influence(self, rated: Rated, values: Floats, each: Floats | None = None) -> Influence:
        at, off = rated.segments, rated.off_mean
        spread = rated.spread[at]
        left = ratio(SQUARED_MISS.each(rated), spread)
        return of_moves(rated, (1 - values[at]) * ratio(off * off, spread) - left)

    def reduced_to(self, state: Rated) -> RowSums:
        return RowSums(
            keys=(state.truth.view(np.int64),), terms=(SQUARED_MISS,)
        )  # the spread needs each rating

    def steps(self, state: Rated) -> Parts:
        miss, off = state.miss, state.off_mean
        sums = summed(
            state,
            rating_values(state),
            RowValues(say("squared error", key="squared_miss"), miss * miss),
            RowValues(say("(truth - mean)²", key="squared_off_mean"), off * off),
        )
        flat = not state.varies[0] and self.constant_truth == "undefined"
        if state.rows[0] < self._fewest or flat:
            return Parts(steps=(sums.table,), lines=(UNDEFINED,))
        if not state.varies[0]:
            met = not miss.any()
            return Parts(steps=(sums.table,), lines=(Line(Number(float(met), "flat")),), notes=(_FLAT,))
        squares = sums.sum_of("squared_miss", say("squared errors"))
        spread = sums.sum_of("squared_off_mean", say("squared distances from the mean"))
        first = float(state.truth[0] - off[0])
        lines = (Line(Number(first, "mean"), say("mean of the truth")), Line(1 - squares / spread))
        return Parts(steps=(sums.table,), lines=lines)
