"""Relative information gain."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from steelyard.arrays import Floats
from steelyard.engine.influence import Influence
from steelyard.engine.scored import Scored
from steelyard.metrics.logloss import Clip, clip_choice
from steelyard.metrics.ne import (
    ENTROPY,
    LOGLOSS,
    against_base_rate,
    entropy_influence,
    normalised_entropy,
    rate_to_compare_with,
)
from steelyard.metrics.registry import register
from steelyard.metrics.row import RowMetric
from steelyard.steps.arithmetic import By, Parts


@register("rig", zh="相对信息增益")
class RIG(RowMetric):
    """What share of the base rate's uncertainty the predictions take away.

    ``1 - ne``. Undefined where only one class is there.

    Examples
    --------
    >>> RIG().of(predictions=[0.25] * 4, truth=[1, 0, 0, 0])
    0.0
    """

    base_rate: float | Literal["observed"] = rate_to_compare_with()
    clip: Clip = clip_choice()

    needs = "probability"
    bounds = (-math.inf, 1.0)
    limits = "log_rest"
    undefined_when = "only one class is there"

    def per_segment(self, scored: Scored) -> Floats:
        return 1.0 - normalised_entropy(scored, self.base_rate, self.clip)

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence:
        of_rest = entropy_influence(scored, self.base_rate, self.clip, 1.0 - values)
        return replace(of_rest, moves=-of_rest.moves)

    def steps(self, state: Scored) -> Parts:
        return against_base_rate(state, self.base_rate, self.clip, 1 - By(LOGLOSS) / By(ENTROPY))
