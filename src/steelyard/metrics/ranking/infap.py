"""Inferred average precision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Hits, Ranked
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.base import RankingMetric, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, Number, sum_of
from steelyard.metrics.steps.lists import LIST, RELEVANT, ListParts
from steelyard.text import say

_SMALL = 1e-5  # as in trec_eval: where nothing above was judged, half of the pool is taken for relevant
_POOLED = say(
    "an item with a grade below 0 is in the pool without judgement: it counts as relevant as often as those "
    "judged above; an item that was not pooled counts as not relevant.",
    key="pooled",
)


class Inferred(NamedTuple):
    """Each relevant hit: what stands above it, and the precision that this lets expect at its rank."""

    query: Ints
    before: Ints
    relevant: Ints
    judged: Ints
    pooled: Ints  # judged or not
    precision: Floats


@register("infap", zh="推断平均精度")
class InfAP(RankingMetric):
    """Average precision where only a sample of the pool was judged, the rest of it inferred.

    Each relevant item that was retrieved adds the precision to be expected at its rank:
    ``(1 + pooled * (relevant + e) / (judged + 2 e)) / rank`` with what stands above it, where ``pooled``
    are the judged items and those with a grade below 0 (pooled, but not judged), and e = 0.00001. The sum
    is divided by the relevant items. Undefined for a query without a relevant item.

    Examples
    --------
    Everything is judged, so that it is average precision but for e: (1/1 + 2/3) / 2

    >>> InfAP().of([1, 0, 1])
    0.8333333333333333

    The item at rank 2 is in the pool, but nobody judged it. The only one judged above is relevant, and so
    is this one taken to be:

    >>> round(InfAP().of([1, -1, 1]), 4)
    1.0
    """

    rel: float = relevance_level()

    at = "never"
    needs_judged_zeros = True
    without_expected = say("what the unjudged items count depends on which judged ones stand above them")

    def per_query(self, ranked: Ranked) -> Floats:
        hits = self.inferred(ranked.hits)
        return ratio(ranked.sum_by_query(hits.query, hits.precision), ranked.n_relevant(self.rel))

    def inferred(self, hits: Hits) -> Inferred:
        first = np.searchsorted(hits.query, hits.query)
        chosen = hits.grade >= self.rel

        def above(counted: Flags) -> Ints:
            so_far: Ints = np.cumsum(counted) - counted
            return (so_far - so_far[first])[chosen]

        relevant, judged, pooled = above(chosen), above(hits.grade >= 0), above(np.ones(len(chosen), bool))
        share = (relevant + _SMALL) / (judged + 2 * _SMALL)
        before = hits.before[chosen]
        precision = (1 + pooled * share) / (before + 1)
        return Inferred(hits.query[chosen], before, relevant, judged, pooled, precision)

    def list_parts(self, shown: ShownList) -> ListParts:
        hits = self.inferred(shown.ranked.hits)

        def cells(values: Ints | Floats) -> list[float | None]:
            at = dict(zip(hits.before.tolist(), values.tolist(), strict=True))
            return [at.get(place) for place in shown.before.tolist()]

        columns = (
            Column.of(say("relevant above"), cells(hits.relevant)),
            Column.of(say("judged above"), cells(hits.judged)),
            Column.of(say("pooled above"), cells(hits.pooled)),
            Column.of(say("expected precision", key="precision"), cells(hits.precision), "decimal"),
        )
        relevant = Number(shown.ranked.n_relevant(self.rel)[0], RELEVANT)
        return ListParts(
            columns=columns,
            lines=(Line(sum_of(LIST, "precision") / relevant),),
            total=("precision",),
            notes=(_POOLED,),
        )
