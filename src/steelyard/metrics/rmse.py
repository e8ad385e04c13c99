"""Root mean squared error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.rated import Rated
from steelyard.kernels.means import ratio, times_power
from steelyard.metrics.rating import SQUARED_MISS, RatingMetric, in_size, of_mean_term, squared_steps
from steelyard.metrics.registry import register
from steelyard.steps.arithmetic import Parts, root


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

    undefined_when = "there is no row"

    def per_segment(self, rated: Rated) -> Floats:
        squares, exponent = SQUARED_MISS.scaled(rated)
        return times_power(np.sqrt(ratio(squares, rated.total())), exponent // 2)

    def influence(self, rated: Rated, values: Floats, each: Floats | None = None) -> Influence:
        squares, exponent = SQUARED_MISS.scaled(rated)
        root = rated.cells.spread(np.sqrt(ratio(squares, rated.total())))
        of_squares = of_mean_term(SQUARED_MISS, rated)
        moves = np.where(root > 0, ratio(of_squares.moves, 2 * root), of_squares.moves)
        return in_size(replace(of_squares, moves=moves, each=None), rated, exponent // 2)

    def steps(self, state: Rated) -> Parts:
        return squared_steps(state, root, power=1)
