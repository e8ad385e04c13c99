"""Discounted cumulative gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from steelyard.arrays import Floats
from steelyard.engine.ranked import Ranked
from steelyard.engine.shown import ShownList
from steelyard.metrics.ranking.gains import Discount, GainMetric, discount_choice
from steelyard.metrics.registry import register
from steelyard.metrics.steps.lists import ListParts


@register("dcg", zh="折损累计增益")
class DCG(GainMetric):
    """How much the first k items are worth, those further down counting less.

    ``sum of gain(grade) / log2(rank + 1)`` over the first k; then the mean over queries. Never undefined.

    Examples
    --------
    Grades 3, 2, 3: 3/1 + 2/log2(3) + 3/2

    >>> DCG(k=3).of([3, 2, 3])
    5.761859507142915
    >>> DCG(k=3, gain="exp2").of([3, 2, 3])
    12.392789260714373
    >>> DCG(k=3, gain={1: 3, 2: 9}).of([2, 1, 0]) == 9 + DCG().of([0, 3])
    True
    """

    discount: Discount = discount_choice()

    instead: ClassVar[Mapping[tuple[str, str], str]] = {("discount", "none"): "cg"}

    def per_query(self, ranked: Ranked) -> Floats:
        return self.discounted(ranked, self.discount)

    def list_parts(self, shown: ShownList) -> ListParts:
        return self.discounted_parts(shown, self.discount)
