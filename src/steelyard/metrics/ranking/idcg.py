"""Ideal discounted cumulative gain."""

from __future__ import annotations

from steelyard.arrays import Floats
from steelyard.engine.ranked import Ranked
from steelyard.engine.shown import ShownList, with_zeros
from steelyard.metrics.ranking.gains import (
    IDEAL_DCG,
    Discount,
    GainMetric,
    IdealItems,
    discount_choice,
    judged_notes,
)
from steelyard.metrics.registry import register
from steelyard.metrics.steps.arithmetic import Line, Parts


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

    monotone = True  # no order moves it

    def per_query(self, ranked: Ranked) -> Floats:
        return self.best_possible(ranked, self.discount, self.ideal_items(ranked))

    def ideal_items(self, ranked: Ranked) -> IdealItems:
        limit = float("inf") if self.k is None else float(self.k)
        return IdealItems(query=ranked.judged_query, grade=ranked.judged_grade, limit=limit)

    def steps(self, shown: ShownList) -> Parts:
        best = self.best_steps(self.discount, self.ideal_items(with_zeros(shown.ranked)))
        return Parts(steps=(best,), lines=(Line(IDEAL_DCG),), notes=judged_notes(shown))
