"""Normalised entropy, and what is gained over the base rate."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import number
from steelyard.kernels.means import ratio
from steelyard.metrics.logloss import CLIP, total_log_loss
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import Scored


def rate_to_compare_with() -> Any:
    """The field ``base_rate``: what always predicting one rate is measured by."""
    return number(
        default="observed",
        meaning="the share of positives to compare with",
        above=0,
        words={"observed": "the share of positives in these rows"},
    )


@register("ne", zh="归一化熵")
class NE(RowMetric):
    """Log loss compared with always predicting the base rate: below 1 the model knows something.

    ``logloss / logloss of always predicting base_rate``. Undefined where only one class is there.

    Examples
    --------
    >>> NE().of([1, 0, 0, 0], [0.25] * 4)
    1.0
    """

    base_rate: float | Literal["observed"] = rate_to_compare_with()

    needs: ClassVar[Needs] = "probability"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    higher_is_better: ClassVar[bool] = False

    def per_segment(self, scored: Scored) -> Floats:
        return normalised_entropy(scored, self.base_rate)


def normalised_entropy(scored: Scored, base_rate: float | str) -> Floats:
    """Log loss over the log loss of the base rate, per segment."""
    positives, negatives = scored.positives, scored.negatives
    rate = np.clip(
        ratio(positives, positives + negatives) if base_rate == "observed" else float(base_rate), 0, 1
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        baseline = -(positives * np.log(rate) + negatives * np.log1p(-rate))
    both = (positives > 0) & (negatives > 0)
    return np.where(both, ratio(total_log_loss(scored, CLIP), np.where(both, baseline, 0.0)), np.nan)
