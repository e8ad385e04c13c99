"""Cumulative gain."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.ranked import Ranked
from steelyard.engine.shown import ShownList
from steelyard.metrics.ranking.gains import GainMetric
from steelyard.metrics.registry import register
from steelyard.metrics.steps.arithmetic import Column, Line, sum_of
from steelyard.metrics.steps.lists import LIST, ListParts, inside, read
from steelyard.text import say


@register("cg", zh="累计增益")
class CG(GainMetric):
    """How much the first k items are worth together, wherever they stand.

    ``sum of gain(grade)`` over the first k; then the mean over queries. Never undefined.

    Examples
    --------
    >>> CG(k=6).of([3, 2, 3, 0, 1, 2])
    11.0
    """

    def per_query(self, ranked: Ranked) -> Floats:
        return self.discounted(ranked, "none")

    def list_parts(self, shown: ShownList) -> ListParts:
        some = read(shown, self.k)
        share, worth = inside(some, self.k), self.contributions(some.hits, some.within(self.k), "none")
        columns = [Column.of(say("gain"), self.gains(some.known))]
        if not (share == 1).all():
            columns.append(Column.of(say("in first k"), share))
            columns.append(Column.of(say("gain × share", key="gain_share"), worth))
        added = columns[-1].key
        columns.append(Column.of(say("running"), np.cumsum(worth)))
        return ListParts(columns=columns, lines=(Line(sum_of(LIST, added)),), total=(added,))
