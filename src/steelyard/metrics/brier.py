"""The Brier score."""

from __future__ import annotations

from typing import ClassVar

from steelyard.arrays import Floats
from steelyard.kernels.means import ratio
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import Scored


@register("brier", zh="布里尔分数")
class Brier(RowMetric):
    """How far the predicted probabilities are from what happened, squared.

    ``mean((y - p)²)``. Undefined without rows.

    Examples
    --------
    (0.2² + 0.4²) / 2

    >>> Brier().of([1, 0], [0.8, 0.4])
    0.1
    """

    needs: ClassVar[Needs] = "probability"
    higher_is_better: ClassVar[bool] = False

    def per_segment(self, scored: Scored) -> Floats:
        miss = scored.label - scored.score.astype("float64")
        return ratio(scored.total(miss * miss), scored.total())
