"""Cumulative gain: plain, discounted, and of the best order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from steelyard.arrays import Floats
from steelyard.engine.memory import ShownList, with_zeros
from steelyard.engine.ranked import Ranked
from steelyard.metrics.ranking.gains import (
    IDEAL_DCG,
    Discount,
    GainMetric,
    IdealItems,
    discount_choice,
    judged_notes,
)
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, Parts, sum_of
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

    undefined_when = ""

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

    undefined_when = ""
    other_metric: ClassVar[Mapping[tuple[str, str], str]] = {("discount", "none"): "cg"}

    def per_query(self, ranked: Ranked) -> Floats:
        return self.discounted(ranked, self.discount)

    def list_parts(self, shown: ShownList) -> ListParts:
        return self.discounted_parts(shown, self.discount)


@register("idcg", zh="理想折损累计增益")
class IDCG(GainMetric):
    """What the best order of a query's judged items would be worth: the DCG that nDCG divides by.

    ``sum of gain(grade) / log2(rank + 1)`` over the k best judged items, shown or not. Never undefined.

    Examples
    --------
    Grades 0, 2, 1 in their best order: 2/1 + 1/log2(3)

    >>> IDCG(k=3).of([0, 2, 1])
    2.63092975357145...
    """

    direction = "none"  # a property of the truth alone
    discount: Discount = discount_choice()

    undefined_when = ""
    monotone = True  # no order moves it

    def per_query(self, ranked: Ranked) -> Floats:
        return self.best_possible(ranked, self.discount, self.ideal_items(ranked))

    def ideal_items(self, ranked: Ranked) -> IdealItems:
        limit = float("inf") if self.k is None else float(self.k)
        return IdealItems(query=ranked.judged_query, grade=ranked.judged_grade, limit=limit)

    def steps(self, shown: ShownList) -> Parts:
        best = self.best_steps(self.discount, self.ideal_items(with_zeros(shown.ranked)))
        return Parts(steps=(best,), lines=(Line(IDEAL_DCG),), notes=judged_notes(shown))
