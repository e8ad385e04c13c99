"""Rank-biased precision."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.conventions import number
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Hits, Ranked
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.gains import GainMetric, max_grade_field, with_highest_grade
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, Number, sum_of
from steelyard.metrics.steps.lists import LIST, ListParts, read
from steelyard.text import say

_NO_GRADE = say("there is no grade above 0: the value is 0.", key="no_grade_zero")


@register("rbp", zh="排名偏置精度")
class RBP(GainMetric):
    """What a reader gains per item looked at, who goes on to each next item with chance p.

    ``(1 - p) * sum of p^(rank - 1) * gain(grade) / gain(max_grade)``; then the mean over queries. Never
    undefined: without a grade above 0 it is 0.

    Examples
    --------
    Relevant items at ranks 1 and 3, with p = 0.8: 0.2 * (1 + 0.64)

    >>> RBP().of([1, 0, 1])
    0.328...
    >>> RBP(p=0.5).of([1, 0, 1])
    0.625

    A grade counts as a share of the highest there is:

    >>> RBP(p=0.5).of([1, 0, 2]) == 0.5 * (1 / 2 + 0.25)
    True
    """

    p: float = number(
        default=0.8,
        meaning="the chance that a reader goes on to the next item",
        above=0,
        below=1,
        tries=(0.5, 0.8, 0.95),
    )
    max_grade: float | Literal["truth", "query"] = max_grade_field(query="the highest grade of the query")

    bounds = (0.0, 1.0)
    undefined_when = ""

    def for_truth(self, max_grade: float) -> Self:
        return with_highest_grade(self, max_grade)

    def per_query(self, ranked: Ranked) -> Floats:
        hits = ranked.hits
        weight = self.gains(hits.grade) * self.weights(hits, hits.within(ranked.limit(self.k)))
        return np.nan_to_num(ratio(ranked.sum_by_query(hits.query, weight), self.largest(ranked)))

    def weights(self, hits: Hits, within: Ints) -> Floats:
        """The chance that an item is the last one viewed, averaged over the places of an open tie."""
        stop = np.where(within == 1, 1 - self.p, -np.expm1(within * np.log(self.p)))
        weight: Floats = self.p**hits.before * stop / hits.tied
        return weight

    def largest(self, ranked: Ranked) -> Floats:
        if self.max_grade != "query":
            highest = ranked.max_grade if self.max_grade == "truth" else float(self.max_grade)
            return np.repeat(self.gains(np.array([max(highest, 0.0)])), ranked.n_queries)
        best = np.zeros(ranked.n_queries)
        np.maximum.at(best, ranked.judged_query, ranked.judged_grade)
        return self.gains(best)

    def idle(self, state: Any) -> set[str]:
        return {"max_grade"} if self.gain == "binary" else set()

    def list_parts(self, shown: ShownList) -> ListParts:
        some, largest = read(shown, self.k), float(self.largest(shown.ranked)[0])
        gain, weight = self.gains(some.known), self.weights(some.hits, some.within(self.k))
        columns = (
            Column.of(say("gain"), gain),
            Column.of(say("weight // of a rank"), weight, "decimal"),
            Column.of(say("gain × weight", key="contribution"), gain * weight, "decimal"),
        )
        line = Line(sum_of(LIST, "contribution") / Number(largest, say("largest gain")) if largest else 0)
        notes = () if largest else (_NO_GRADE,)
        return ListParts(columns=columns, lines=(line,), total=("contribution",), notes=notes)
