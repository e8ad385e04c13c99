"""Hit rate at k."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.kernels.count import hit_chance
from steelyard.metrics.ranking.base import Pooling, RankingMetric, cutoff, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Number, least, sum_of
from steelyard.metrics.steps.lists import (
    FIRST,
    HITS,
    RELEVANT,
    ListParts,
    first_hit,
    first_hit_steps,
    hit_parts,
)


@register("hit_rate", zh="命中率", aliases=("hr", "hit", "success"), aliases_at=("accuracy",))
class HitRate(RankingMetric):
    """How many users find at least one relevant item among the first k.

    1 for a query with a relevant item among its first k, else 0; then the mean. Some define it as all hits
    over all relevant items: ``pooling=pooled``. Undefined for a query without a relevant item.

    Examples
    --------
    >>> HitRate(k=3).of([0, 1, 0])
    1.0
    >>> HitRate(k=3).of([[0, 1, 0], [0, 0, 0]], judged=[[1], [1]])
    0.5
    >>> HitRate(k=3, pooling="pooled").of([[1, 1, 0], [0, 0, 0]], judged=[[1, 1], [1, 1]])
    0.5
    """

    k: int | None = cutoff()
    pooling: Pooling = choice(
        default="query",
        meaning={
            "query": "the share of queries with a hit",
            "pooled": "all hits over all relevant items, one value",
        },
    )
    rel: float = relevance_level()

    monotone = True
    shares_places = True

    def per_query(self, ranked: Ranked) -> Floats:
        if self.pooling == "pooled":
            return super().per_query(ranked)
        first = ranked.first_groups(self.rel)
        within = first.within(ranked.limit(self.k))
        hit = np.zeros(ranked.n_queries)
        hit[first.query] = hit_chance(first.tied, first.relevant, within)
        return np.where(ranked.n_relevant(self.rel) > 0, hit, np.nan)

    def parts(self, ranked: Ranked) -> tuple[Floats, Floats]:
        return ranked.relevant_in(self.k, self.rel), ranked.n_relevant(self.rel)

    def list_parts(self, shown: ShownList) -> ListParts:
        relevant = shown.ranked.n_relevant(self.rel)[0]
        if self.pooled:
            return hit_parts(shown, self.k, self.rel, Line(HITS / Number(relevant, RELEVANT)))
        parts = replace(hit_parts(shown, self.k, self.rel, Line(least(HITS, 1))), relevant=bool(relevant))
        open_tie = first_hit(shown, self.k, self.rel)
        if open_tie is None:
            return parts
        return replace(parts, lines=(Line(sum_of(FIRST, "chance")),), further=(first_hit_steps(*open_tie),))
