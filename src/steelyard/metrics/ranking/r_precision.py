"""R-precision."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.metrics.ranking.base import RankingMetric, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Number
from steelyard.metrics.steps.lists import HITS, RELEVANT, ListParts, hit_parts


@register("r_precision", zh="R 精确率", aliases=("rprec",))
class RPrecision(RankingMetric):
    """Precision at the rank where a perfect list would have shown every relevant item.

    The relevant items among the first ``rel_n``, divided by ``rel_n``, the number of relevant items.
    Undefined for a query without a relevant item.

    Examples
    --------
    Three are relevant; two of them are among the first three:

    >>> RPrecision().of([1, 0, 1, 1])
    0.6666666666666666
    """

    rel: float = relevance_level()

    at = "never"
    monotone = True
    shares_places = True

    def parts(self, ranked: Ranked) -> tuple[Floats, Floats]:
        relevant = ranked.n_relevant(self.rel)
        groups = ranked.groups(self.rel)
        limit = relevant[groups.query]
        if ranked.depth is not None:
            limit = np.minimum(limit, ranked.depth)
        within = np.clip(limit - groups.before, 0, groups.tied)
        return ranked.sum_by_query(groups.query, groups.relevant * within / groups.tied), relevant

    def read_until(self, shown: ShownList) -> int:
        # without a relevant item nothing is read; the reader sees where the list begins
        return max(int(shown.ranked.n_relevant(self.rel)[0]), 1)

    def list_parts(self, shown: ShownList) -> ListParts:
        relevant = Number(shown.ranked.n_relevant(self.rel)[0], RELEVANT)
        return hit_parts(shown, self.read_until(shown), self.rel, Line(HITS / relevant))
