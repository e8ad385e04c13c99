"""Mean absolute error, mean squared error and its root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.scored import Rated, RowSums
from steelyard.kernels.means import ratio
from steelyard.metrics.ratings.base import (
    ABSOLUTE_MISS,
    SQUARED_MISS,
    RatingMetric,
    of_mean_term,
    rating_values,
    squared_errors,
)
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Parts, root
from steelyard.metrics.steps.rows import RowValues, summed
from steelyard.text import say


@register("mae", zh="平均绝对误差")
class MAE(RatingMetric):
    """How far predictions are from the truth on average.

    ``mean(|y - p|)``. Undefined without rows.

    Examples
    --------
    (0.5 + 0 + 2 + 1) / 4

    >>> MAE().of(predictions=[2.5, 5, 4, 8], truth=[3, 5, 2, 7])
    0.875
    """

    def per_segment(self, rated: Rated) -> Floats:
        return ratio(ABSOLUTE_MISS.total(rated), rated.total())

    def influence(self, rated: Rated, values: Floats, each: Floats | None = None) -> Influence:
        return of_mean_term(ABSOLUTE_MISS, rated)

    def reduced_to(self, state: Rated) -> RowSums:
        return RowSums(terms=(ABSOLUTE_MISS,))

    def steps(self, state: Rated) -> Parts:
        absolute = RowValues(say("absolute error"), np.abs(state.miss))
        return summed(state, rating_values(state), absolute).mean_parts()


@register("mse", zh="均方误差")
class MSE(RatingMetric):
    """How far predictions are from the truth, squared, so that large errors count most.

    ``mean((y - p)²)``. Undefined without rows.

    Examples
    --------
    (0.5² + 0² + 2² + 1²) / 4

    >>> MSE().of(predictions=[2.5, 5, 4, 8], truth=[3, 5, 2, 7])
    1.3125
    """

    def per_segment(self, rated: Rated) -> Floats:
        return ratio(rated.sound(SQUARED_MISS.total(rated), rated.miss), rated.total())

    def influence(self, rated: Rated, values: Floats, each: Floats | None = None) -> Influence:
        return of_mean_term(SQUARED_MISS, rated)

    def reduced_to(self, state: Rated) -> RowSums:
        return RowSums(terms=(SQUARED_MISS,))

    def steps(self, state: Rated) -> Parts:
        return squared_errors(state).mean_parts()


@register("rmse", zh="均方根误差")
class RMSE(RatingMetric):
    """How far predictions are from the truth, in its own unit, large errors counting most.

    ``√mean((y - p)²)``. Undefined without rows.

    Examples
    --------
    √((3² + 4²) / 2)

    >>> RMSE().of(predictions=[3, 4], truth=[0, 0])
    3.5355339059327378
    """

    def per_segment(self, rated: Rated) -> Floats:
        return np.sqrt(ratio(rated.sound(SQUARED_MISS.total(rated), rated.miss), rated.total()))

    def influence(self, rated: Rated, values: Floats, each: Floats | None = None) -> Influence:
        size = rated.cells.spread(self.per_segment(rated))
        of_squares = of_mean_term(SQUARED_MISS, rated)
        moves = np.where(size > 0, ratio(of_squares.moves, 2 * size), of_squares.moves)
        return replace(of_squares, moves=moves, each=None)

    def reduced_to(self, state: Rated) -> RowSums:
        return RowSums(terms=(SQUARED_MISS,))

    def steps(self, state: Rated) -> Parts:
        sums = squared_errors(state)
        return Parts(steps=(sums.table,), lines=(Line(root(sums.mean())),))
