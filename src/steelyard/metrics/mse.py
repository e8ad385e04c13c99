"""Mean squared error."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.metrics.rating import RatingMetric
from steelyard.metrics.registry import register
from steelyard.states import Rated


@register("mse", zh="均方误差")
class MSE(RatingMetric):
    """How far predictions are from the truth, squared, so that large errors count most.

    ``mean((y - p)²)``. Undefined without rows.

    Examples
    --------
    (0.5² + 0² + 2² + 1²) / 4

    >>> MSE().of([3, 5, 2, 7], [2.5, 5, 4, 8])
    1.3125
    """

    def per_segment(self, rated: Rated) -> Floats:
        return ratio(rated.total(rated.miss * rated.miss), rated.total())
