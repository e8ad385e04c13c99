"""Logarithmic loss."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice, number
from steelyard.kernels.losses import log_loss_sum
from steelyard.kernels.means import ratio
from steelyard.messages import Message, say
from steelyard.metrics.base import Direction
from steelyard.metrics.multiclass import multiclass_logloss
from steelyard.metrics.registry import register
from steelyard.metrics.row import Needs, RowMetric
from steelyard.states import Classified, Reduced, Scored, ScoredRows, Term

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
        at_most=0.5,
        words={"none": "no clipping: a certain error costs infinity"},
    )
    base: Literal["e", "2"] = choice(default="e", meaning={"e": "in nats", "2": "in bits"})

    needs: ClassVar[Needs] = "probability"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    direction: ClassVar[Direction] = "lower"
    always_told: ClassVar[tuple[str, ...]] = ("clip",)
    undefined_when: ClassVar[str] = "there is no row"

    @property
    def terms(self) -> tuple[Term, ...]:
        return (log_loss_of(self.clip),)

    def per_segment(self, scored: ScoredRows) -> Floats:
        loss = ratio(total_log_loss(scored, self.clip), scored.total())
        return loss / math.log(2) if self.base == "2" else loss

    def per_class_segment(self, classified: Classified) -> Floats:
        loss = multiclass_logloss(classified, self.clip)
        return loss / math.log(2) if self.base == "2" else loss

    def class_facts(self, classified: Classified, label: str) -> list[Message]:
        if not np.isinf(self.per_class_segment(classified)).any():
            return []
        return [
            say(
                "A class that was given no chance happened: {metric} is infinite.",
                key="infinite_loss",
                metric=label,
            )
        ]

    def score_facts(self, scored: ScoredRows, label: str) -> list[Message]:
        if self.clip is not None:
            return []
        if isinstance(scored, Reduced):
            endless = np.isinf(self.per_segment(scored)).any()
            said = say(
                "Some rows were certain and wrong: {metric} is infinite.", key="infinite_loss", metric=label
            )
            return [said] if endless else []
        wrong = (scored.score == 0) & (scored.label == 1) | (scored.score == 1) & (scored.label == 0)
        certain = int((wrong if scored.weight is None else wrong & (scored.weight > 0)).sum())
        said = say(
            "{n:,} {n:row was|rows were} certain and wrong: {metric} is infinite.",
            key="infinite_loss",
            n=certain,
            metric=label,
        )
        return [said] if certain else []


def log_loss_of(clip: float | None) -> Term:
    """``-ln`` of the probability given to what happened, clipped from below."""

    def each(scored: Scored) -> Floats:
        with np.errstate(divide="ignore"):
            return 0.0 - np.log(np.maximum(given_probability(scored), clip or 0.0))  # no -0.0

    return Term(f"log loss, clip {clip}", each)


def given_probability(scored: Scored) -> Floats:
    """The probability that was given to what happened in each row."""
    return np.where(scored.label == 1, scored.score, 1.0 - scored.score.astype(np.float64))


def total_log_loss(scored: ScoredRows, clip: float | None) -> Floats:
    """The weighted sum of the losses of each segment, in nats."""
    if isinstance(scored, Reduced) or scored.segment is not None or scored.weight is not None:
        return log_loss_of(clip).total(scored)
    if clip is None or clip < _PRODUCT_SAFE:
        return log_loss_of(clip).total(scored)
    return np.array([log_loss_sum(scored.label, scored.score, clip)])
