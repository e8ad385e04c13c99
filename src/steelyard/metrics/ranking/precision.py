"""Precision at k."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.metrics.ranking.base import Pooling, RankingMetric, cutoff, pooling_choice, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Number
from steelyard.metrics.steps.lists import ACHIEVABLE, HITS, RELEVANT, ListParts, hit_parts
from steelyard.text import say

PrecisionDenominator = Literal["k", "retrieved", "achievable"]

PRECISION_DENOMINATOR = {
    "k": "k, even where fewer items were shown",
    "retrieved": "the items shown, at most k",
    "achievable": "the relevant items there are, at most k",
}

_SHOWN = say("items shown")


@register("precision", zh="精确率", aliases=("精准率", "查准率"), aliases_at=("p",))
class PrecisionAt(RankingMetric):
    """What share of the first k items is relevant.

    ``h / k``, where ``h`` is the number of relevant items among the first k. Without a cutoff
    (``precision@all``) the whole list is read and divided by its length.

    Examples
    --------
    Two of five are relevant:

    >>> PrecisionAt(k=5).of([1, 0, 1, 0, 0])
    0.4

    A list of two counts as five unless the denominator says otherwise:

    >>> PrecisionAt(k=5).of([1, 0])
    0.2
    >>> PrecisionAt(k=5, denominator="retrieved").of([1, 0])
    0.5
    """

    k: int | None = cutoff()
    denominator: PrecisionDenominator = choice(default="k", meaning=PRECISION_DENOMINATOR)
    nothing_relevant: Literal["zero", "undefined"] = choice(
        default="zero",
        about="A query that has nothing relevant.",
        meaning={
            "zero": "a query with nothing relevant counts 0",
            "undefined": "a query with nothing relevant is undefined",
        },
    )
    pooling: Pooling = pooling_choice()
    rel: float = relevance_level()

    at = "required"
    monotone = True
    shares_places = True

    @property
    def undefined_when(self) -> str:
        if self.nothing_relevant == "undefined" or self.denominator == "achievable":
            return super().undefined_when
        return "nothing is shown"

    def parts(self, ranked: Ranked) -> tuple[Floats, Floats]:
        hits = ranked.relevant_in(self.k, self.rel)
        divisor = precision_denominator(ranked, self.k, self.denominator, self.rel)
        if self.nothing_relevant == "undefined":
            divisor = np.where(ranked.n_relevant(self.rel) > 0, divisor, 0.0)
        return hits, divisor

    def list_parts(self, shown: ShownList) -> ListParts:
        divisor = precision_divisor(self.parts(shown.ranked)[1], self.k, self.denominator)
        return hit_parts(shown, self.k, self.rel, Line(HITS / divisor))


def precision_denominator(ranked: Ranked, k: int | None, kind: PrecisionDenominator, rel: float) -> Floats:
    shown = ranked.shown(k)
    if kind == "achievable":
        return np.minimum(ranked.n_relevant(rel), np.inf if k is None else k)
    return shown if kind == "retrieved" or k is None else np.full(len(shown), float(k))


def precision_divisor(value: Floats, k: int | None, kind: PrecisionDenominator) -> Number:
    if k is None:
        return Number(value[0], RELEVANT if kind == "achievable" else _SHOWN)
    return Number(value[0], {"k": "k", "retrieved": _SHOWN, "achievable": ACHIEVABLE}[kind])
