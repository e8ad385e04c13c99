"""Interpolated precision: at one recall, and at eleven."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any, Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice, number
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.metrics.ranking.base import RankingMetric, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, Of, Steps, sum_of
from steelyard.metrics.steps.lists import LIST, ListParts, read
from steelyard.text import say

Rounding = Literal["exact", "trec9", "trec10"]
_WITHOUT_EXPECTED = say("a highest precision over several ranks has no short mean over the orders of ties")


def rounding_choice() -> Any:
    return choice(
        default="exact",
        meaning={
            "exact": "the fewest relevant items whose share is at least the recall",
            "trec9": "recall · rel_n + 0.9, cut to a whole number, as in trec_eval 9",
            "trec10": "recall · rel_n, rounded to the nearest whole number, as in trec_eval 10",
        },
    )


def hits_needed(recall: float, relevant: Floats, rounding: Rounding) -> Floats:
    """How many relevant items of each query must be shown to reach a recall.

    >>> hits_needed(0.55, np.array([100.0, 9.0]), "exact")
    array([55.,  5.])
    """
    if rounding == "trec9":
        return np.floor(recall * relevant + 0.9)
    if rounding == "trec10":
        return np.floor(recall * relevant + 0.5)
    # the share decides: a product such as 0.55 * 100 = 55.000000000000007 lies beside the whole number
    near = np.rint(recall * relevant)
    needed: Floats = near + (near / np.maximum(relevant, 1) < recall)
    return needed


def best_precision(ranked: Ranked, needed: Floats, rel: float) -> Floats:
    """The highest precision from the ``needed``-th hit of each query on; 0 without such a hit."""
    groups = ranked.groups(rel)
    hits = groups.relevant_before + 1
    reached = hits >= needed[groups.query]
    best = np.zeros(ranked.n_queries)
    np.maximum.at(best, groups.query[reached], (hits / (groups.before + 1))[reached])
    return best


def precisions(shown: ShownList, rel: float, *lines: Line, needed: float = 0) -> ListParts:
    """Each position with the hits so far and, from the ``needed``-th hit on, the precision."""
    some = read(shown, None)
    hit = some.known >= rel
    hits = np.cumsum(hit)
    precision, counts = hits / (some.before + 1), hit & (hits >= needed)
    columns = (
        Column.of(say("hit"), hit.astype(np.int64)),
        Column.of(say("hits so far"), hits),
        Column.of(say("precision here", key="precision_here"), precision, "decimal", counts),
    )
    return ListParts(columns=columns, lines=lines, relevant=bool(shown.ranked.n_relevant(rel)[0]))


@register("iprecision", zh="插值精确率")
class IPrecision(RankingMetric):
    """The best precision that a list still reaches once it has shown a given share of the relevant items.

    The highest precision at or after the rank where ``recall`` is reached; 0 where it is never reached.
    Undefined for a query without a relevant item.

    Examples
    --------
    Half of the four relevant items are shown at rank 3; 3/4 at rank 4 is the best from there on:

    >>> IPrecision(recall=0.5).of([1, 0, 1, 1, 0, 0, 1])
    0.75
    """

    recall: float = number(
        default=0.5,
        meaning="the share of the relevant items that must be reached",
        at_least=0,
        at_most=1,
        tries=(0, 0.1, 0.25, 0.5, 0.75, 1),
    )
    rounding: Rounding = rounding_choice()
    rel: float = relevance_level()

    at = "never"
    decimal_at = "recall"
    monotone = True
    without_expected = _WITHOUT_EXPECTED

    def per_query(self, ranked: Ranked) -> Floats:
        best = best_precision(ranked, self.needed(ranked), self.rel)
        return np.where(ranked.n_relevant(self.rel) > 0, best, np.nan)

    def needed(self, ranked: Ranked) -> Floats:
        return hits_needed(self.recall, ranked.n_relevant(self.rel), self.rounding)

    def list_parts(self, shown: ShownList) -> ListParts:
        needed, relevant = self.needed(shown.ranked)[0], shown.ranked.n_relevant(self.rel)[0]
        reached = bool(self.per_query(shown.ranked)[0])
        best = Of(LIST, "precision_here", "max", named=say("highest precision"))
        counted = say(
            "a recall of {recall:g} is reached at hit {needed:g} of {relevant:g}; "
            "precision counts from there on.",
            key="recall_reached",
            recall=self.recall,
            needed=max(needed, 1),
            relevant=relevant,
        )
        parts = precisions(shown, self.rel, Line(best if reached else 0), needed=needed)
        never = say("it is never reached: the value is 0.", key="recall_not_reached")
        return replace(parts, notes=(counted,) if reached else (counted, never))


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
    without_expected = _WITHOUT_EXPECTED

    def per_query(self, ranked: Ranked) -> Floats:
        # one after the other: of a single query NumPy adds in another order than of several
        total = reduce(np.add, [best for _, best in self.levels(ranked)])
        return np.where(ranked.n_relevant(self.rel) > 0, total / len(RECALLS), np.nan)

    def levels(self, ranked: Ranked) -> list[tuple[Floats, Floats]]:
        """For each recall: the hits that reach it, and the highest precision from there on."""
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
