"""Logarithmic loss."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats
from steelyard.conventions import choice, number
from steelyard.engine.classified import Classified
from steelyard.engine.columns import Precision
from steelyard.engine.influence import Influence
from steelyard.engine.protocol import Need
from steelyard.engine.scored import RowSums, RowTerm, Scored
from steelyard.kernels.means import log_loss_sum, log_losses, ratio
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import RowMetric, Rows, RowScores, by_rarer_class, of_mean, sums_of
from steelyard.metrics.steps import Parts, applying
from steelyard.metrics.steps.rows import RowValues, Summed, summed
from steelyard.text import Message, say
from steelyard.text.errors import measuring

Clip: TypeAlias = float | Literal["epsilon"] | None


def class_losses(classified: Classified, clip: Clip) -> Floats:
    probability = right_probability(classified)
    least = least_probability(clip, checked_probability(classified, "logloss").dtype.name)
    with np.errstate(divide="ignore"):
        return 0.0 - np.log(np.maximum(probability, least))  # no -0.0


def least_probability(clip: Clip, precision: Precision) -> float:
    return float(np.finfo(precision).eps) if clip == "epsilon" else float(clip or 0.0)


def right_probability(classified: Classified, metric: str = "logloss") -> Floats:
    probability = checked_probability(classified, metric)
    right: Floats = probability[np.arange(classified.n_rows), classified.truth].astype(np.float64)
    return right


def checked_probability(classified: Classified, metric: str) -> NDArray[Any]:
    if classified.probability is None:
        raise measuring.needs_probabilities(metric=metric)
    return classified.probability


CLIP = 1e-15
_PRODUCT_SAFE = 1e-38  # eight factors no smaller than this never reach 0


def clip_choice() -> Any:
    return number(
        default=CLIP,
        meaning="the least probability that what happened is taken to have had",
        above=0,
        at_most=0.5,
        words={
            "none": "no clipping: a certain error costs infinity",
            "epsilon": "the machine epsilon of the precision that the probabilities came in",
        },
        tries=(None, CLIP, 1e-7, "epsilon"),
    )


@register("logloss", zh="对数损失", aliases=("log_loss",))
class LogLoss(RowMetric):
    """How surprised the predicted probabilities were by what happened; a confident error costs most.

    ``-mean(y·ln p + (1 - y)·ln(1 - p))``, with the probability given to what happened clipped from below.
    With several classes, ``-mean(ln p)`` of the right class. Undefined without rows.

    Examples
    --------
    >>> LogLoss().of([0.51, 0.49], [1, 0])
    0.673344553...
    >>> LogLoss(base=2).of([0.5, 0.5], [1, 0])
    1.0
    """

    clip: Clip = clip_choice()
    base: Literal["e", "2"] = choice(default="e", meaning={"e": "in nats", "2": "in bits"})
    scores: RowScores = choice(
        default="as_given",
        about="The precision of probabilities.",
        meaning={
            "as_given": "probabilities as they were given",
            "float32": "probabilities in single precision, in which 1 - 1e-8 is 1",
        },
    )

    needs = "probability"
    bounds = (0.0, math.inf)
    direction = "lower"
    limits = "log"
    always_told = ("clip",)
    undefined_when = "there is no row"

    def need(self, stated: Collection[str] = ()) -> Need:
        single = ("score",) if self.scores == "float32" else ()
        return replace(super().need(stated), single=single)

    def per_segment(self, scored: Scored) -> Floats:
        return ratio(total_log_loss(scored, self.clip), scored.total()) / self._nats

    def per_class_segment(self, classified: Classified) -> Floats:
        losses = class_loss_of(self.clip).each(classified)
        return ratio(classified.total(losses), classified.total()) / self._nats

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence | None:
        if isinstance(rows, Classified):
            return of_mean(rows, class_loss_of(self.clip).each(rows) / self._nats, values)
        losses = log_loss_of(self.clip).each(rows)
        return by_rarer_class(
            rows, of_mean(rows, losses if self.base == "e" else losses / self._nats, values)
        )

    def reduced_to(self, state: Rows) -> RowSums | None:
        # the baseline of `ne` comes with it
        if self.clip is None:
            return None
        return sums_of(state, log_loss_of(self.clip), log_loss_of(CLIP), of_classes=class_loss_of(self.clip))

    @property
    def _nats(self) -> float:
        """The nats in one unit of the value."""
        return math.log(2) if self.base == "2" else 1.0

    def class_facts(self, classified: Classified, label: str) -> list[Message]:
        note = say(
            "A true class has probability 0: {metric} is infinite.",
            key="infinite_loss",
            metric=label,
        )
        return [note] if np.isinf(self.per_class_segment(classified)).any() else []

    def score_facts(self, scored: Scored, label: str) -> list[Message]:
        if self.clip is not None:
            return []
        wrong = (scored.score == 0) & (scored.label == 1) | (scored.score == 1) & (scored.label == 0)
        certain = int((wrong if scored.weight is None else wrong & (scored.weight > 0)).sum())
        note = say(
            "{n:,} {n:row was|rows were} certain and wrong: {metric} is infinite.",
            key="infinite_loss",
            n=certain,
            metric=label,
        )
        return [note] if certain else []

    def extra_figures(self, state: Rows) -> Mapping[str, Floats]:
        from steelyard.metrics.rows.ne import NE  # imports this module

        return {} if isinstance(state, Classified) else {"ne": NE().measure(state)}

    def steps(self, state: Rows) -> Parts:
        if isinstance(state, Classified):
            probability = right_probability(state)
            precision = "float64" if state.probability is None else state.probability.dtype.name
            leading = [
                RowValues(say("label"), state.truth, kind="rank", names=state.classes),
                RowValues(say("p(label)"), probability),
            ]
            sums = summed(state, leading, self._cost(class_losses(state, self.clip)))
        else:
            probability, precision = label_probability(state), state.precision
            sums = loss_steps(state, self._cost(log_loss_of(self.clip).each(state)))
        least = least_probability(self.clip, precision)
        clipped = int(((probability < least) & (state.weights > 0)).sum())
        note = say(
            "rows with a probability clipped to {clip:g}: {rows:,}.",
            key="clipped_rows",
            clip=least,
            rows=clipped,
        )
        return sums.mean_parts(applying((clipped, note)))

    def _cost(self, nats: Floats) -> RowValues:
        if self.base == "2":
            return RowValues(say("cost in bits", key="cost"), nats / math.log(2), short=say("bits"))
        return RowValues(say("cost"), nats)


def loss_steps(state: Scored, cost: RowValues) -> Summed:
    leading = [
        RowValues(say("label"), state.label),
        RowValues(say("predicted // a probability"), state.score.astype(np.float64)),
        RowValues(say("p(label)"), label_probability(state)),
    ]
    return summed(state, leading, cost)


def log_loss_of(clip: Clip) -> RowTerm:
    def each(scored: Scored) -> Floats:
        return log_losses(scored.label, scored.score, least_probability(clip, scored.precision))

    return RowTerm(f"log loss, clip {clip}", each)


def class_loss_of(clip: Clip) -> RowTerm:
    return RowTerm(f"log loss of classes, clip {clip}", lambda classified: class_losses(classified, clip))


def label_probability(scored: Scored) -> Floats:
    return np.where(scored.label == 1, scored.score, 1.0 - scored.score.astype(np.float64))


def total_log_loss(scored: Scored, clip: Clip) -> Floats:
    least = least_probability(clip, scored.precision)
    if scored.segment is not None or scored.weight is not None or least < _PRODUCT_SAFE:
        return log_loss_of(clip).total(scored)
    return scored.made_once(
        ("log loss", least), lambda: np.array([log_loss_sum(scored.label, scored.score, least)])
    )
