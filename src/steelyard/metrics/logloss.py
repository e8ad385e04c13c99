"""Logarithmic loss."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice, number
from steelyard.kernels.concordance import log_loss_sum
from steelyard.kernels.means import ratio
from steelyard.metrics.multiclass import multiclass_logloss
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import Classified, Scored

CLIP = 1e-15
_PRODUCT_SAFE = 1e-38  # eight factors no smaller than this never reach 0


@register("logloss", zh="对数损失", aliases=("log_loss",))
class LogLoss(RowMetric):
    """How surprised the predicted probabilities were by what happened; a confident error costs most.

    ``-mean(y·ln p + (1 - y)·ln(1 - p))``, with the probability given to what happened clipped from below.
    With several classes, ``-mean(ln p)`` of the right class. Undefined without rows.

    Examples
    --------
    >>> LogLoss().of([1, 0], [0.51, 0.49])
    0.673344553...
    >>> LogLoss(base=2).of([1, 0], [0.5, 0.5])
    1.0
    """

    clip: float | None = number(
        default=CLIP,
        meaning="the least probability that what happened is taken to have had",
        above=0,
        words={"none": "no clipping: a certain error costs infinity"},
    )
    base: Literal["e", "2"] = choice(default="e", meaning={"e": "in nats", "2": "in bits"})

    needs: ClassVar[Needs] = "probability"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    higher_is_better: ClassVar[bool] = False

    def per_segment(self, scored: Scored) -> Floats:
        loss = ratio(total_log_loss(scored, self.clip), scored.total())
        return loss / math.log(2) if self.base == "2" else loss

    def per_class_segment(self, classified: Classified) -> Floats:
        loss = multiclass_logloss(classified, self.clip)
        return loss / math.log(2) if self.base == "2" else loss

    def class_facts(self, classified: Classified) -> list[str]:
        if not np.isinf(self.per_class_segment(classified)).any():
            return []
        return [f"A class that was given no chance happened: {self} is infinite."]

    def facts(self, scored: Scored) -> list[str]:
        if self.clip is not None:
            return []
        certain = int(
            ((scored.score == 0) & (scored.label == 1) | (scored.score == 1) & (scored.label == 0)).sum()
        )
        return [f"{certain:,} rows were certain and wrong: {self} is infinite."] if certain else []


def total_log_loss(scored: Scored, clip: float | None) -> Floats:
    """The weighted sum of the losses of each segment, in nats."""
    if scored.segment is None and scored.weight is None and clip is not None and clip >= _PRODUCT_SAFE:
        return np.array([log_loss_sum(scored.label, scored.score, clip)])
    given = np.where(scored.label == 1, scored.score, 1.0 - scored.score.astype(np.float64))
    with np.errstate(divide="ignore"):
        return scored.total(-np.log(np.maximum(given, clip or 0.0)))
