"""F1 and F-beta at k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from steelyard.arrays import Floats
from steelyard.conventions import choice, number
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.base import RankingMetric, cutoff, relevance_level
from steelyard.metrics.ranking.precision import (
    PRECISION_DENOMINATOR,
    PrecisionDenominator,
    precision_denominator,
    precision_divisor,
)
from steelyard.metrics.registry import also_known, register
from steelyard.metrics.steps import Line, Number
from steelyard.metrics.steps.lists import HITS, RELEVANT, ListParts, hit_parts
from steelyard.text import say


def beta_field() -> Any:
    """The field ``beta``: beyond its bounds F-beta is precision, or recall, to every digit."""
    return number(
        default=1.0,
        meaning="how many times recall weighs as much as precision",
        at_least=1e-60,
        at_most=1e60,
        tries=(0.5, 1.0, 2.0),
    )


@register("fbeta", zh="F 值")
class FBetaAt(RankingMetric):
    """Precision and recall of the first k items in one number, their weighted harmonic mean.

    ``(1 + β²)·precision·recall / (β²·precision + recall)``, which is ``(1 + β²)·h / (β²·rel_n + d)`` with
    ``d`` the denominator of precision. With β = 1 it is called ``f1``. Undefined for a query without a
    relevant item.

    Examples
    --------
    Precision 1/2 and recall 1/4 give 1/3, not their mean:

    >>> FBetaAt(k=2).of([1, 0], judged=[1, 1, 1, 1])
    0.3333333333333333
    >>> str(FBetaAt(k=2)), str(FBetaAt(k=2, beta=2))
    ('f1@2', 'fbeta(beta=2)@2')
    """

    k: int | None = cutoff()
    beta: float = beta_field()
    denominator: PrecisionDenominator = choice(default="k", meaning=PRECISION_DENOMINATOR)
    rel: float = relevance_level()

    at = "required"
    renamed: ClassVar[Mapping[str, tuple[str, Any]]] = {"f1": ("beta", 1.0)}
    monotone = True
    shares_places = True

    def per_query(self, ranked: Ranked) -> Floats:
        hits, shown, relevant = self.counts(ranked)
        under = self.beta**2 * relevant + shown
        return ratio((1 + self.beta**2) * hits, under * (relevant > 0))

    def counts(self, ranked: Ranked) -> tuple[Floats, Floats, Floats]:
        shown = precision_denominator(ranked, self.k, self.denominator, self.rel)
        return ranked.relevant_in(self.k, self.rel), shown, ranked.n_relevant(self.rel)

    def list_parts(self, shown: ShownList) -> ListParts:
        _, of_precision, of_recall = self.counts(shown.ranked)
        divisor = precision_divisor(of_precision, self.k, self.denominator)
        relevant, beta = Number(of_recall[0], RELEVANT), Number(self.beta, "beta")
        value = 2 * HITS / (relevant + divisor)
        if self.beta != 1:
            value = (1 + beta**2) * HITS / (beta**2 * relevant + divisor)
        lines = (Line(HITS / divisor, say("precision")), Line(HITS / relevant, say("recall")), Line(value))
        return replace(hit_parts(shown, self.k, self.rel, *lines), relevant=bool(of_recall[0]))


also_known("f1", FBetaAt, beta=1.0)
also_known("F1值", FBetaAt, beta=1.0)
