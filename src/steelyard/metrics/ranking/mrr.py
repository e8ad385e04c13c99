"""Mean reciprocal rank."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.kernels.count import expected_reciprocal
from steelyard.metrics.ranking.base import RankingMetric, cutoff, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import UNDEFINED, Column, Line, Of, sum_of
from steelyard.metrics.steps.lists import FIRST, LIST, NO_HIT, ListParts, first_hit, first_hit_steps, read
from steelyard.text import say


@register("mrr", zh="平均倒数排名", aliases=("rr",))
class MRR(RankingMetric):
    """How far down the first relevant item stands.

    ``1 / rank`` of the first relevant item among the first k, 0 where there is none; then the mean.
    Undefined for a query without a relevant item.

    Examples
    --------
    >>> MRR().of([0, 0, 1])
    0.3333333333333333

    A query with no hit counts 0, unless it is left out:

    >>> MRR(k=2).of([[1, 0, 0], [0, 0, 1]])
    0.5
    >>> MRR(k=2, empty="skip").of([[1, 0, 0], [0, 0, 1]])
    1.0
    """

    k: int | None = cutoff()
    empty: Literal["zero", "skip"] = choice(
        default="zero",
        meaning={
            "zero": "a query without a hit in the first k counts 0",
            "skip": "a query without a hit in the first k is left out and counted as undefined",
        },
    )
    rel: float = relevance_level()

    shares_places = True
    undefined_when = "there is no relevant item, or with empty=skip no hit"

    @property
    def monotone(self) -> bool:
        return self.empty == "zero"

    @property
    def without_expected(self) -> str:
        return say("with empty=skip some orders leave the query out") if self.empty == "skip" else ""

    def per_query(self, ranked: Ranked) -> Floats:
        first = ranked.first_groups(self.rel)
        within = first.within(ranked.limit(self.k))
        value = np.zeros(ranked.n_queries)
        value[first.query] = expected_reciprocal(first.before, first.tied, first.relevant, within)
        return np.where(ranked.n_relevant(self.rel) > 0, value, np.nan)

    def each(self, ranked: Ranked) -> Floats:
        values = super().each(ranked)
        if self.empty == "zero":
            return values
        no_hit = (ranked.n_relevant(self.rel) > 0) & (ranked.relevant_in(self.k, self.rel) == 0)
        return np.where(no_hit, np.nan, values)

    def list_parts(self, shown: ShownList) -> ListParts:
        some = read(shown, self.k)
        hit = some.known >= self.rel
        settled = hit & (some.tied == 1)
        columns = (
            Column.of(say("hit"), hit.astype(np.int64)),
            Column.of(say("rank of hit", key="hit_rank"), some.before + 1, where=settled),
        )
        parts = ListParts(columns=columns, lines=(), relevant=bool(shown.ranked.n_relevant(self.rel)[0]))
        open_tie = first_hit(shown, self.k, self.rel)
        if open_tie is not None:
            place, chance = open_tie
            further = (
                Column.of(say("1 / rank"), 1 / place, "decimal"),
                Column.of(say("chance / rank", key="chance_reciprocal"), chance * (1 / place), "decimal"),
            )
            line = Line(sum_of(FIRST, "chance_reciprocal"))
            return replace(parts, lines=(line,), further=(first_hit_steps(place, chance, *further),))
        if settled.any():
            first = Of(LIST, "hit_rank", "first", named=say("rank of the first hit"))
            return replace(parts, lines=(Line(1 / first),))
        if self.empty == "zero":
            return replace(parts, lines=(Line(0),), notes=(NO_HIT,))
        return replace(parts, lines=(UNDEFINED,))
