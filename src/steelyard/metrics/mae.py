"""Mean absolute error."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.metrics.rating import RatingMetric
from steelyard.metrics.registry import register
from steelyard.states import Rated


@register("mae", zh="平均绝对误差")
class MAE(RatingMetric):
    """How far predictions are from the truth on average.

    ``mean(|y - p|)``. Undefined without rows.

    Examples
    --------
    (0.5 + 0 + 2 + 1) / 4

    >>> MAE().of([3, 5, 2, 7], [2.5, 5, 4, 8])
    0.875
    """

    def per_segment(self, rated: Rated) -> Floats:
        return ratio(rated.total(np.abs(rated.miss)), rated.total())
