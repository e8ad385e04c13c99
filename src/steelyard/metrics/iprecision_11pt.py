"""Interpolated precision at eleven recalls."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.ranked import Ranked
from steelyard.engine.shown import ShownList
from steelyard.messages import say
from steelyard.metrics.iprecision import Rounding, best_precision, hits_needed, precisions, rounding_choice
from steelyard.metrics.ranking import RankingMetric, relevance_level
from steelyard.metrics.registry import register
from steelyard.steps.arithmetic import Column, Line, Steps, sum_of
from steelyard.steps.lists import ListParts

RECALLS = tuple(tenth / 10 for tenth in range(11))

_RECALLS = say("at each recall", key="recalls")


@register("iprecision_11pt", zh="十一点插值精确率", aliases=("11pt",))
class IPrecision11(RankingMetric):
    """How precise a list stays from the first relevant item to the last, at eleven steps of recall.

    The mean of ``iprecision`` over the recalls 0, 0.1 … 1; then the mean over queries. Undefined for a query
    without a relevant item.

    Examples
    --------
    Two are relevant, at ranks 1 and 4: 1/1 for the six recalls up to 0.5, 2/4 for the other five

    >>> IPrecision11().of([1, 0, 0, 1]) == (6 * 1 + 5 * 0.5) / 11
    True
    """

    rounding: Rounding = rounding_choice()
    rel: float = relevance_level()

    at = "never"
    monotone = True

    @property
    def without_expected(self) -> str:
        return say("a highest precision over several ranks has no short mean over the orders of ties")

    def per_query(self, ranked: Ranked) -> Floats:
        # one after the other: of a single query NumPy adds in another order than of several
        total = reduce(np.add, [best for _, best in self.levels(ranked)])
        return np.where(ranked.n_relevant(self.rel) > 0, total / len(RECALLS), np.nan)

    def levels(self, ranked: Ranked) -> list[tuple[Floats, Floats]]:
        """At each recall, for each query: how many hits reach it, and the highest precision from there on."""
        relevant = ranked.n_relevant(self.rel)
        needed = [hits_needed(recall, relevant, self.rounding) for recall in RECALLS]
        return [(hits, best_precision(ranked, hits, self.rel)) for hits in needed]

    def list_parts(self, shown: ShownList) -> ListParts:
        levels = self.levels(shown.ranked)
        recalls = Steps(
            name=_RECALLS,
            columns=(
                Column.of(say("recall"), list(RECALLS)),
                Column.of(say("hits needed"), [max(needed[0], 1) for needed, _ in levels]),
                Column.of(say("highest precision"), [best[0] for _, best in levels], "decimal"),
            ),
            total=("highest precision",),
        )
        line = Line(sum_of(_RECALLS, "highest precision") / len(RECALLS))
        return replace(precisions(shown, self.rel, line), further=(recalls,))
