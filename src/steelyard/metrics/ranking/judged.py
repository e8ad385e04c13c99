"""How much of what is shown was judged."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.conventions import choice
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.metrics.ranking.base import RankingMetric, cutoff
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, Number, Of
from steelyard.metrics.steps.lists import LIST, ListParts, inside, read
from steelyard.text import say
from steelyard.text.errors import asking


@register("judged", zh="已标注率")
class JudgedAt(RankingMetric):
    """What share of the first k items somebody has judged.

    Items with a judgement, whatever its grade, among the first k, divided by the items there: at most k, and
    fewer where a list is shorter. Undefined where nothing is shown, unless ``denominator=k``.

    Examples
    --------
    Of the first four items, two are among the three that were judged:

    >>> JudgedAt(k=4).of([1, 0, 0, 0], judged=[1, 0, 2])
    0.5
    """

    k: int | None = cutoff()
    denominator: Literal["retrieved", "k"] = choice(
        default="retrieved", meaning={"retrieved": "the items shown, at most k", "k": "k"}
    )

    at = "required"
    direction = "none"
    undefined_when = "nothing is shown"
    needs_judged_zeros = True

    def _check(self) -> None:
        if self.denominator == "k" and self.k is None:
            raise asking.choice_needs_cutoff(name="judged", field="denominator", value="k")

    def parts(self, ranked: Ranked) -> tuple[Floats, Floats]:
        hits = ranked.hits
        judged = ranked.sum_by_query(hits.query, hits.within(ranked.limit(self.k)) / hits.tied)
        if self.denominator == "k":
            return judged, np.full(ranked.n_queries, float(self.k or 0))
        return judged, ranked.shown(self.k)

    def important(self, shown: ShownList) -> Flags:
        return ~np.isnan(shown.grade)

    def list_parts(self, shown: ShownList) -> ListParts:
        some = read(shown, self.k)
        judged = ~np.isnan(some.grade) * inside(some, self.k)
        columns = (Column.of(say("judged"), judged), Column.of(say("running"), np.cumsum(judged)))
        named = "k" if self.denominator == "k" else say("items shown")
        divisor = Number(self.parts(shown.ranked)[1][0], named)
        return ListParts(columns=columns, lines=(Line(Of(LIST, "judged") / divisor),), total=("judged",))
