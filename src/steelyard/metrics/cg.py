"""Cumulative gain."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.metrics.gains import GainMetric
from steelyard.metrics.registry import register
from steelyard.rank import Ranked


@register("cg", zh="累计增益")
class CG(GainMetric):
    """How much the first k items are worth together, wherever they stand.

    ``sum of gain(grade)`` over the first k; then the mean over queries. Never undefined.

    Examples
    --------
    >>> CG(k=6).of([3, 2, 3, 0, 1, 2])
    11.0
    """

    def per_query(self, ranked: Ranked) -> Floats:
        return self.discounted(ranked, "none")
