"""Normalised entropy and relative information gain: what is gained over the base rate."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import number
from steelyard.engine.influence import Influence
from steelyard.engine.scored import RowSums, Scored
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Direction, Interval
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import RowMetric, by_rarer_class, of_moves, sums_of
from steelyard.metrics.rows.logloss import Clip, clip_choice, log_loss_of, loss_steps, total_log_loss
from steelyard.metrics.steps import UNDEFINED, By, Line, Number, Parts, Quantity, log
from steelyard.metrics.steps.rows import RowValues
from steelyard.text import say

LOGLOSS, _BASE_RATE, ENTROPY = say("logloss"), say("base rate"), say("logloss of the base rate")


@register("ne", zh="归一化熵")
class NE(RowMetric):
    """Log loss compared with always predicting the base rate: below 1 the model knows something.

    ``logloss / logloss of always predicting base_rate``. Undefined where only one class is there.

    Examples
    --------
    >>> NE().of(predictions=[0.25] * 4, truth=[1, 0, 0, 0])
    1.0
    """

    base_rate: float | Literal["observed"] = number(
        default="observed",
        meaning="the share of positives to compare with",
        above=0,
        below=1,
        words={"observed": "the share of positives in these rows"},
    )
    clip: Clip = clip_choice()

    needs = "probability"
    bounds = (0.0, math.inf)
    direction: ClassVar[Direction] = "lower"
    limits: ClassVar[Interval] = "log"
    undefined_when = "only one class is there"

    def per_segment(self, scored: Scored) -> Floats:
        positives, negatives = scored.positives, scored.negatives
        of_positives, of_negatives = self.base_logs(scored)
        with np.errstate(divide="ignore", invalid="ignore"):
            baseline = -(positives * of_positives + negatives * of_negatives)
        both = (positives > 0) & (negatives > 0)
        return np.where(both, ratio(total_log_loss(scored, self.clip), np.where(both, baseline, 0.0)), np.nan)

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence:
        """The influence on a ratio of losses; the observed rate is the best one, so its change has none."""
        of_positives, of_negatives = (-part[scored.segments] for part in self.base_logs(scored))
        baseline = np.where(scored.label == 1, of_positives, of_negatives)
        total = scored.total(baseline)[scored.segments]
        loss = log_loss_of(self.clip).each(scored)
        moves = ratio(loss - values[scored.segments] * baseline, total)
        return by_rarer_class(scored, of_moves(scored, moves))

    def reduced_to(self, state: Scored) -> RowSums | None:
        return None if self.clip is None else sums_of(state, log_loss_of(self.clip))

    def base_logs(self, scored: Scored) -> tuple[Floats, Floats]:
        """The logarithms of the base rates of positives and negatives."""
        rate = self.compared_rate(scored)
        with np.errstate(divide="ignore", invalid="ignore"):
            of_positives, of_negatives = np.log(rate), np.log1p(-rate)
            if self.base_rate == "observed":  # near 1 the rate no longer tells how rare negatives are
                rare = ratio(scored.negatives, scored.positives + scored.negatives)
                of_positives = np.where(rare < rate, np.log1p(-rare), of_positives)
                of_negatives = np.where(rare < rate, np.log(rare), of_negatives)
        return of_positives, of_negatives

    def compared_rate(self, scored: Scored) -> Floats:
        if self.base_rate == "observed":
            return ratio(scored.positives, scored.positives + scored.negatives)
        return np.full(scored.n_segments, float(self.base_rate))

    def value(self) -> Quantity:
        """The value as a formula of both losses."""
        return By(LOGLOSS) / By(ENTROPY)

    def steps(self, state: Scored) -> Parts:
        sums = loss_steps(state, RowValues(say("cost"), log_loss_of(self.clip).each(state)))
        loss = Line(sums.mean(), LOGLOSS)
        positives = Number(float(state.positives[0]), say("positives"))
        negatives = Number(float(state.negatives[0]), say("negatives"))
        if not (positives.value and negatives.value):
            return Parts(steps=(sums.table,), lines=(loss, UNDEFINED))
        rate = Number(float(self.compared_rate(state)[0]), "stated")
        observed = self.base_rate == "observed"
        base = Line(positives / (positives + negatives) if observed else rate, _BASE_RATE)
        if rate.value < 1:
            costs = positives * log(By(_BASE_RATE)) + negatives * log(1 - By(_BASE_RATE))
            entropy = Line(-costs / (positives + negatives), ENTROPY)
        else:  # a negative would cost infinity
            entropy = Line(Number(math.inf, "infinite"), ENTROPY)
        return Parts(steps=(sums.table,), lines=(loss, base, entropy, Line(self.value())))


@register("rig", zh="相对信息增益")
class RIG(NE):
    """What share of the base rate's uncertainty the predictions take away.

    ``1 - ne``. Undefined where only one class is there.

    Examples
    --------
    >>> RIG().of(predictions=[0.25] * 4, truth=[1, 0, 0, 0])
    0.0
    """

    bounds = (-math.inf, 1.0)
    direction = "higher"
    limits = "log_rest"

    def per_segment(self, scored: Scored) -> Floats:
        return 1.0 - super().per_segment(scored)

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence:
        of_rest = super().influence(scored, 1.0 - values)
        return replace(of_rest, moves=-of_rest.moves)

    def value(self) -> Quantity:
        return 1 - super().value()
