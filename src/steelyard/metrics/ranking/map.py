"""Mean average precision."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.kernels.count import harmonic_sums, hypergeometric
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.base import RankingMetric, cutoff, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, Number, Steps, sum_of
from steelyard.metrics.steps.lists import (
    ACHIEVABLE,
    HITS,
    LIST,
    NO_HIT,
    RELEVANT,
    ListParts,
    inside,
    limited,
    read,
)
from steelyard.text import say
from steelyard.text.errors import asking

_CUT = say("how many hits there may be", key="cut")
_CUT_TIE = say(
    "the cutoff divides a tie, so that the number of hits depends on its order.", key="uncertain_hits"
)
_DIVISORS = {
    "relevant": RELEVANT,
    "achievable": ACHIEVABLE,
    "k": "k",
    "shown": say("relevant items, at most those shown"),
}


@register("map", zh="平均精度均值", aliases=("ap",))
class MAP(RankingMetric):
    """How early and how completely the relevant items appear.

    The precision at the rank of each relevant item among the first k, added up and divided by
    ``denominator``; then the mean over queries. Undefined for a query without a relevant item.

    Examples
    --------
    Relevant items at ranks 1, 4 and 6: (1/1 + 2/4 + 3/6) / 3

    >>> MAP().of([1, 0, 0, 1, 0, 1])
    0.6666666666666666

    Three are relevant and two were shown, at the top. Over the hits alone that is perfect:

    >>> MAP(k=5).of([1, 1, 0, 0, 0], judged=[1, 1, 1])
    0.6666666666666666
    >>> MAP(k=5, denominator="hits").of([1, 1, 0, 0, 0], judged=[1, 1, 1])
    1.0
    """

    k: int | None = cutoff()
    denominator: Literal["relevant", "achievable", "hits", "k", "shown"] = choice(
        default="relevant",
        meaning={
            "relevant": "the relevant items there are",
            "achievable": "the relevant items there are, at most k",
            "hits": "the relevant items among the first k",
            "k": "k",
            "shown": "the relevant items there are, at most the items shown",
        },
    )
    rel: float = relevance_level()

    shares_places = True

    @property
    def monotone(self) -> bool:
        return self.denominator != "hits"

    def _check(self) -> None:
        if self.denominator == "k" and self.k is None:
            raise asking.choice_needs_cutoff(name="map", field="denominator", value="k")

    def per_query(self, ranked: Ranked) -> Floats:
        relevant = ranked.n_relevant(self.rel)
        if self.denominator == "hits":
            value = self._over_hits(ranked)
        else:
            groups, terms = ranked.groups(self.rel), self.terms(ranked)
            value = ranked.sum_by_query(groups.query, terms) / self.divisor(ranked)
        return np.where(relevant > 0, value, np.nan)

    def divisor(self, ranked: Ranked) -> Floats:
        """The denominator, at least 1; for all choices but ``hits``."""
        divisor = ranked.n_relevant(self.rel)
        if self.denominator == "shown":
            divisor = np.minimum(divisor, ranked.shown(self.k))
        elif self.denominator == "achievable" and self.k is not None:
            divisor = np.minimum(divisor, float(self.k))
        elif self.denominator == "k":
            divisor = np.full(len(divisor), float(self.k or 0))
        return np.maximum(divisor, 1)

    def terms(self, ranked: Ranked) -> Floats:
        """The sum of precisions of each tie's relevant items, in expectation where it is open."""
        groups = ranked.groups(self.rel)
        direct, weighted = harmonic_sums(groups.before, groups.within(ranked.limit(self.k)))
        others = (groups.relevant - 1) / np.maximum(groups.tied - 1, 1)
        share = groups.relevant / groups.tied
        # at a shared place all relevant items count
        first = groups.relevant_before + np.where(groups.tied == 1, groups.relevant, 1)
        return share * (first * direct + others * weighted)

    def _over_hits(self, ranked: Ranked) -> Floats:
        """The number of hits is uncertain only for the tie that the cutoff divides."""
        value = np.nan_to_num(ratio(*self.uncut(ranked)))
        cut = self._is_cut(ranked)
        if cut.any():
            owner, chance, total, hits = self.cut(ranked)
            mean = chance * np.nan_to_num(ratio(total, hits))
            value[ranked.groups(self.rel).query[cut]] = np.bincount(owner, mean, minlength=int(cut.sum()))
        return value

    def _is_cut(self, ranked: Ranked) -> Flags:
        groups = ranked.groups(self.rel)
        within = groups.within(ranked.limit(self.k))
        return (within > 0) & (within < groups.tied)

    def uncut(self, ranked: Ranked) -> tuple[Floats, Floats]:
        """The sums of precisions and of hits per query, without ties that the cutoff divides."""
        groups, kept = ranked.groups(self.rel), ~self._is_cut(ranked)
        inside = np.where(groups.within(ranked.limit(self.k)) > 0, groups.relevant, 0)
        return (
            ranked.sum_by_query(groups.query[kept], self.terms(ranked)[kept]),
            ranked.sum_by_query(groups.query[kept], inside[kept]),
        )

    def cut(self, ranked: Ranked) -> tuple[Ints, Floats, Floats, Floats]:
        """For each divided tie and number of hits above the cutoff: the tie, the chance and both sums.

        The sums are those of the query: of precisions, and of hits.
        """
        groups, cut = ranked.groups(self.rel), self._is_cut(ranked)
        before, query = groups.relevant_before[cut], groups.query[cut]
        m = groups.within(ranked.limit(self.k))[cut]
        direct, weighted = harmonic_sums(groups.before[cut], m)
        owner, h, chance = hypergeometric(groups.tied[cut], groups.relevant[cut], m)
        alpha = (before + 1)[owner] * direct[owner] / m[owner]
        beta = weighted[owner] / np.maximum(m[owner] * (m[owner] - 1), 1)
        whole, _ = self.uncut(ranked)
        total = whole[query][owner] + h * alpha + h * (h - 1) * beta
        return owner, chance, total, (before[owner] + h).astype(np.float64)

    def list_parts(self, shown: ShownList) -> ListParts:
        parts, ranked = self._precisions(shown), shown.ranked
        precisions = sum_of(LIST, "precision_here")
        if self.denominator != "hits":
            uncut = self.k is None and self.denominator == "achievable"
            named = RELEVANT if uncut else _DIVISORS[self.denominator]
            return replace(parts, lines=(Line(precisions / Number(self.divisor(ranked)[0], named)),))
        if self._is_cut(ranked).any():
            further = (_cut_steps(*self.cut(ranked)[1:]),)
            return replace(
                parts, lines=(Line(sum_of(_CUT, "chance_mean")),), further=further, notes=(_CUT_TIE,)
            )
        if self.uncut(ranked)[1][0] > 0:
            return replace(parts, lines=(Line(precisions / HITS),))
        return replace(parts, lines=(Line(0),), notes=(NO_HIT,))

    def _precisions(self, shown: ShownList) -> ListParts:
        some = read(shown, self.k)
        relevant = some.known >= self.rel
        hit = relevant * inside(some, self.k)
        groups = shown.ranked.groups(self.rel)
        each = self.terms(shown.ranked) / groups.relevant
        # the relevant items of one tie share its sum of precisions
        added = np.zeros(len(some))
        added[relevant] = each[np.searchsorted(groups.before, some.before[relevant])]
        columns = (
            Column.of(say("hit"), hit),
            Column.of(say("hits so far"), np.cumsum(hit)),
            Column.of(say("precision here", key="precision_here"), added, "decimal", relevant),
            Column.of(say("running"), np.cumsum(added), "decimal"),
        )
        there = bool(shown.ranked.n_relevant(self.rel)[0])
        return ListParts(columns=columns, lines=(), total=("hit", "precision_here"), relevant=there)


def _cut_steps(chance: Floats, total: Floats, hits: Floats) -> Steps:
    mean = np.nan_to_num(ratio(total, hits))
    table = Steps(
        name=_CUT,
        columns=(
            Column.of(say("hits"), hits),
            Column.of(say("sum of precisions"), total, "decimal"),
            Column.of(say("average precision"), mean, "decimal"),
            Column.of(say("chance // a probability"), chance, "decimal"),
            Column.of(say("chance × average precision", key="chance_mean"), chance * mean, "decimal"),
        ),
        total=("chance_mean",),
    )
    return limited(table, chance > 0)
