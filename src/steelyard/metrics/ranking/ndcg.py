"""Normalised discounted cumulative gain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self, cast

import numpy as np

from steelyard.arrays import Floats, read_only
from steelyard.conventions import choice, number
from steelyard.engine.memory import ShownList, with_zeros
from steelyard.engine.ranked import Ranked, best_first
from steelyard.kernels.count import discount_sum
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.gains import (
    DCG_OF_LIST,
    IDEAL_DCG,
    Discount,
    GainMetric,
    IdealItems,
    discount_choice,
    ideal_steps,
    judged_notes,
    summed_discounts,
    with_highest_grade,
)
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Line, Steps
from steelyard.metrics.steps.lists import ListParts
from steelyard.text import say
from steelyard.text.errors import asking

_FULL_ROWS = 1000  # of an ideal of equal items; the others are one row


@register("ndcg", zh="归一化折损累计增益")
class NDCG(GainMetric):
    """How close a ranking comes to the best order of its query's graded items.

    DCG adds up ``gain(grade) / log2(rank + 1)`` over the first k; nDCG divides that by the DCG of the
    best order of the items that ``ideal`` names. Undefined where that is 0.

    Examples
    --------
    Grades 0, 2, 1 were shown; the best order would have been 2, 1, 0:

    >>> NDCG(k=3).of([0, 2, 1])
    0.669...
    >>> NDCG(k=3, gain="exp2").of([0, 2, 1])
    0.659...

    A judged item that was not shown lowers the value, unless the ideal is built from what was shown:

    >>> NDCG(k=3).of([2, 1, 0], judged=[3, 2, 1, 0])
    0.552...
    >>> NDCG(k=3, ideal="retrieved").of([2, 1, 0], judged=[3, 2, 1, 0])
    1.0

    A query without a relevant item has no best order:

    >>> NDCG().of([0, 0])
    nan
    """

    discount: Discount = discount_choice()
    ideal: Literal["judged", "judged_uncut", "judged_shown", "retrieved", "topk", "full"] = choice(
        default="judged",
        meaning={
            "judged": "all judged items, best first, cut at k",
            "judged_uncut": "all judged items, best first, not cut",
            "judged_shown": "all judged items, best first, cut at the number shown",
            "retrieved": "all items shown, best first, cut at k",
            "topk": "only the k items shown, reordered",
            "full": "k items of max_grade",
        },
    )
    max_grade: float | Literal["truth"] = number(
        default="truth",
        meaning="the highest grade there is, for ideal=full",
        above=0,
        words={"truth": "the highest grade in the whole truth"},
        tries=(),  # it says nothing without the ideal it belongs to
    )

    bounds = (0.0, 1.0)
    undefined_when = "the best order is worth 0"

    @property
    def monotone(self) -> bool:
        return super().monotone and not self.without_expected

    @property
    def without_expected(self) -> str:
        if self.ideal == "topk":
            return say("with ideal=topk the ideal depends on the order of ties")
        if self.ideal == "retrieved" and self.depth is not None:
            return say("with ideal=retrieved and a depth the ideal depends on the order of ties")
        return ""

    def _check(self) -> None:
        if self.ideal == "full" and self.k is None:
            raise asking.choice_needs_cutoff(name="ndcg", field="ideal", value="full")

    def for_truth(self, max_grade: float) -> Self:
        return with_highest_grade(self, max_grade) if self.ideal == "full" else self

    def per_query(self, ranked: Ranked) -> Floats:
        return ratio(self.discounted(ranked, self.discount), self._ideal(ranked))

    def _ideal(self, ranked: Ranked) -> Floats:
        if self.ideal == "full":
            highest = self.highest(ranked)
            gain = self.gains(np.array([highest]))
            with np.errstate(over="ignore"):
                whole = gain * discount_sum(np.zeros(1, np.int64), np.array([self.k]), self.discount)
            return np.repeat(self.finite(whole, highest), ranked.n_queries)
        items = self.ideal_items(ranked)
        if self.ideal not in ("judged", "judged_uncut"):
            return self.best_possible(ranked, self.discount, items)
        key = ("ideal", self.gain, self.discount, items.limit)
        known = ranked.of_truth  # the same for every order of ties
        if key not in known:
            known[key] = read_only(self.best_possible(ranked, self.discount, items))
        return cast("Floats", known[key])

    def highest(self, ranked: Ranked) -> float:
        return ranked.max_grade if self.max_grade == "truth" else float(self.max_grade)

    def ideal_items(self, ranked: Ranked) -> IdealItems:
        k = np.inf if self.k is None else float(self.k)
        if self.ideal in ("retrieved", "topk"):
            hits = ranked.hits
            if self.ideal == "topk":
                hits = hits.where(hits.before < k)
            query, grade = best_first(hits.query, hits.grade)
            return IdealItems(query=query, grade=grade, limit=k)
        limit = (
            ranked.shown(self.k) if self.ideal == "judged_shown" else k if self.ideal == "judged" else np.inf
        )
        return IdealItems(query=ranked.judged_query, grade=ranked.judged_grade, limit=limit)

    def idle(self, state: Any) -> set[str]:
        return set() if self.ideal == "full" else {"max_grade"}

    def list_parts(self, shown: ShownList) -> ListParts:
        ideal = self._ideal_steps(shown)
        notes = [*judged_notes(shown)] if self.ideal in ("judged", "judged_uncut", "judged_shown") else []
        lines = (Line(DCG_OF_LIST / IDEAL_DCG),)
        return replace(
            self.discounted_parts(shown, self.discount), lines=lines, further=(ideal,), notes=notes
        )

    def _ideal_steps(self, shown: ShownList) -> Steps:
        if self.ideal != "full":
            return self.best_steps(self.discount, self.ideal_items(with_zeros(shown.ranked)))
        assert self.k is not None
        before = np.arange(min(self.k, _FULL_ROWS))
        tied = np.ones_like(before)
        if self.k > _FULL_ROWS:
            before, tied = np.append(before, _FULL_ROWS), np.append(tied, self.k - _FULL_ROWS)
        grade = np.full(len(before), self.highest(shown.ranked))
        discount = summed_discounts(before, tied, self.discount)
        return ideal_steps(before, tied, grade, self.gains(grade), discount)
