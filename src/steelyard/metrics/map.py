"""Mean average precision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.arrays import Floats
from steelyard.conventions import choice
from steelyard.errors import asking
from steelyard.kernels.means import ratio
from steelyard.kernels.ties import harmonic_sums, hypergeometric
from steelyard.metrics.base import RankingMetric, cutoff, relevance_level
from steelyard.metrics.registry import register
from steelyard.rank import Ranked


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

    @property
    def monotone(self) -> bool:
        return self.denominator != "hits"

    def _check(self) -> None:
        if self.denominator == "k" and self.k is None:
            raise asking.choice_needs_cutoff("map", "denominator", "k")

    def per_query(self, ranked: Ranked) -> Floats:
        relevant = ranked.n_relevant(self.rel)
        if self.denominator == "hits":
            value = self._over_hits(ranked)
        else:
            value = self._precisions(ranked) / np.maximum(self._divisor(ranked, relevant), 1)
        return np.where(relevant > 0, value, np.nan)

    def _divisor(self, ranked: Ranked, relevant: Floats) -> Floats:
        if self.denominator == "shown":
            return np.minimum(relevant, ranked.shown(self.k))
        if self.denominator == "relevant" or (self.k is None and self.denominator == "achievable"):
            return relevant
        if self.denominator == "achievable":
            return np.minimum(relevant, float(self.k or 0))
        return np.full(len(relevant), float(self.k or 0))

    def _terms(self, ranked: Ranked) -> tuple[Floats, Floats, Floats]:
        """Per tie: its expected sum of precisions, and the two sums that it is made of."""
        groups = ranked.groups(self.rel)
        direct, weighted = harmonic_sums(groups.before, groups.within(ranked.limit(self.k)))
        others = (groups.relevant - 1) / np.maximum(groups.tied - 1, 1)
        share = groups.relevant / groups.tied
        return share * ((groups.relevant_before + 1) * direct + others * weighted), direct, weighted

    def _precisions(self, ranked: Ranked) -> Floats:
        return ranked.sum_by_query(ranked.groups(self.rel).query, self._terms(ranked)[0])

    def _over_hits(self, ranked: Ranked) -> Floats:
        """Only the tie that the cutoff divides has an uncertain number of hits."""
        groups = ranked.groups(self.rel)
        m = groups.within(ranked.limit(self.k))
        cut = (m > 0) & (m < groups.tied)
        terms, direct, weighted = self._terms(ranked)
        whole = ranked.sum_by_query(groups.query[~cut], terms[~cut])
        hits = ranked.sum_by_query(groups.query[~cut], np.where(m[~cut] > 0, groups.relevant[~cut], 0))
        value = np.nan_to_num(ratio(whole, hits))
        if cut.any():
            owner, h, chance = hypergeometric(groups.tied[cut], groups.relevant[cut], m[cut])
            places = m[cut][owner]
            alpha = (groups.relevant_before[cut] + 1)[owner] * direct[cut][owner] / places
            beta = weighted[cut][owner] / np.maximum(places * (places - 1), 1)
            total = whole[groups.query[cut]][owner] + h * alpha + h * (h - 1) * beta
            mean = np.nan_to_num(ratio(total, (groups.relevant_before[cut][owner] + h).astype(np.float64)))
            value[groups.query[cut]] = np.bincount(owner, chance * mean, minlength=int(cut.sum()))
        return value
