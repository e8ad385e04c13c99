"""Recall at k."""

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


@register("recall", zh="召回率", aliases=("查全率",), aliases_at=("r",))
class RecallAt(RankingMetric):
    """What share of the relevant items is among the first k.

    ``h / rel_n``, where ``h`` is the number of relevant items among the first k and ``rel_n`` the number
    of relevant items there are. Undefined for a query without a relevant item.

    Examples
    --------
    Three items are relevant, two of them were shown:

    >>> RecallAt(k=5).of([1, 0, 1, 0, 0], judged=[1, 1, 1])
    0.6666666666666666

    With ten relevant items the first two can hold two at best:

    >>> RecallAt(k=2, denominator="achievable").of([1, 1], judged=[1] * 10)
    1.0
    """

    k: int | None = cutoff()
    denominator: Literal["relevant", "achievable"] = choice(
        default="relevant",
        meaning={
            "relevant": "the relevant items there are",
            "achievable": "the relevant items there are, at most k",
        },
    )
    pooling: Pooling = pooling_choice()
    rel: float = relevance_level()

    at = "required"
    monotone = True
    shares_places = True

    def parts(self, ranked: Ranked) -> tuple[Floats, Floats]:
        relevant = ranked.n_relevant(self.rel)
        if self.denominator == "achievable" and self.k is not None:
            relevant = np.minimum(relevant, self.k)
        return ranked.relevant_in(self.k, self.rel), relevant

    def list_parts(self, shown: ShownList) -> ListParts:
        cut = self.denominator == "achievable" and self.k is not None
        divisor = Number(self.parts(shown.ranked)[1][0], ACHIEVABLE if cut else RELEVANT)
        return hit_parts(shown, self.k, self.rel, Line(HITS / divisor))
