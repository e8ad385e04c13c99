"""Mean absolute error."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.segmented import Rated
from steelyard.kernels.means import ratio
from steelyard.metrics.ratings.base import ABSOLUTE_MISS, RatingMetric, of_mean_term, rating_values
from steelyard.metrics.registry import register
from steelyard.metrics.steps.arithmetic import Line, Parts
from steelyard.metrics.steps.rows import RowValues, row_notes, summed
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

    undefined_when = "there is no row"

    def per_segment(self, rated: Rated) -> Floats:
        return ratio(ABSOLUTE_MISS.total(rated), rated.total())

    def influence(self, rated: Rated, values: Floats, each: Floats | None = None) -> Influence:
        return of_mean_term(ABSOLUTE_MISS, rated)

    def steps(self, state: Rated) -> Parts:
        found = summed(state, rating_values(state), RowValues(say("absolute error"), np.abs(state.miss)))
        return Parts(steps=(found.table,), lines=(Line(found.mean()),), notes=row_notes(state))
