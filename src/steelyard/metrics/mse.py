"""Mean squared error."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.rated import Rated
from steelyard.kernels.means import ratio, times_power
from steelyard.messages import Message, say
from steelyard.metrics.rating import SQUARED_MISS, RatingMetric, in_size, of_mean_term, squared_steps
from steelyard.metrics.registry import register
from steelyard.steps.arithmetic import Parts


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

    undefined_when = "there is no row"

    def per_segment(self, rated: Rated) -> Floats:
        squares, exponent = SQUARED_MISS.scaled(rated)
        return times_power(ratio(squares, rated.total()), exponent)

    def influence(self, rated: Rated, values: Floats, each: Floats | None = None) -> Influence:
        return in_size(of_mean_term(SQUARED_MISS, rated), rated, SQUARED_MISS.exponents(rated))

    def steps(self, state: Rated) -> Parts:
        return squared_steps(state, lambda mean: mean, power=2)

    def facts(self, rows: Rated, label: str = "") -> list[Message]:
        said = say(
            "{metric} is infinite: squared errors are more than a number can hold; rmse is not squared.",
            key="infinite_squares",
            metric=label or str(self),
        )
        return [said] if np.isinf(self.per_segment(rows)).any() else []
