"""Relative information gain."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from steelyard.arrays import Floats
from steelyard.conventions import number
from steelyard.metrics.ne import normalised_entropy
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import Scored


@register("rig", zh="相对信息增益")
class RIG(RowMetric):
    """What share of the base rate's uncertainty the predictions take away.

    ``1 - ne``. Undefined where only one class is there.

    Examples
    --------
    >>> RIG().of([1, 0, 0, 0], [0.25] * 4)
    0.0
    """

    base_rate: float | Literal["observed"] = number(
        default="observed",
        meaning="the share of positives to compare with",
        above=0,
        words={"observed": "the share of positives in these rows"},
    )

    needs: ClassVar[Needs] = "probability"
    bounds: ClassVar[tuple[float, float]] = (-math.inf, 1.0)

    def per_segment(self, scored: Scored) -> Floats:
        return 1.0 - normalised_entropy(scored, self.base_rate)
