"""Binary preference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.kernels.count import hypergeometric
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.base import RankingMetric, relevance_level
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, Number, sum_of
from steelyard.metrics.steps.lists import LIST, RELEVANT, ListParts, read
from steelyard.text import say

_SKIPPED = say("items without a judgement, or with a grade below 0, do not count.", key="unjudged_skipped")


class Credits(NamedTuple):
    """Each relevant hit, by query and place, with its credit."""

    query: Ints
    before: Ints
    above: Floats  # judged items that are not relevant, at most as many as count
    credit: Floats


@register("bpref", zh="二元偏好")
class Bpref(RankingMetric):
    """How seldom an item judged not relevant stands above a relevant one, whatever was not judged.

    Each relevant item that was retrieved adds ``1 - min(above, rel_n) / min(judged, rel_n)``: ``above`` are
    the items judged not relevant above it, ``judged`` all of them, ``rel_n`` the relevant items, by which the
    sum is divided. It adds 1 where none stands above. Items without judgement, and those with a grade below 0
    (pooled, but not judged), count nowhere. Undefined for a query without a relevant item.

    Examples
    --------
    Two relevant items, below none and below one of the two judged not relevant: (1 + 1/2) / 2

    >>> Bpref().of([1, 0, 1, 0])
    0.75

    The same with an item that nobody judged at the top:

    >>> Bpref().of([-1, 1, 0, 1, 0])
    0.75
    """

    rel: float = relevance_level()

    at = "never"
    needs_judged_zeros = True
    monotone = True

    def per_query(self, ranked: Ranked) -> Floats:
        hits = self.preferences(ranked)
        return ratio(ranked.sum_by_query(hits.query, hits.credit), ranked.n_relevant(self.rel))

    def most(self, ranked: Ranked) -> Floats:
        """How many items judged not relevant count: those there are, at most ``rel_n``."""
        relevant = ranked.n_relevant(self.rel)
        negative = ranked.sum_by_query(ranked.judged_query, ranked.judged_grade < 0)
        return np.minimum(ranked.judged - relevant - negative, relevant)

    def preferences(self, ranked: Ranked) -> Credits:
        hits, most = ranked.hits, self.most(ranked)
        not_relevant = (hits.grade >= 0) & (hits.grade < self.rel)
        start, sizes = hits.ties()
        tie = np.repeat(np.arange(len(start)), sizes)
        so_far: Ints = np.cumsum(not_relevant) - not_relevant
        above: Ints = so_far[start[tie]] - so_far[np.searchsorted(hits.query, hits.query)]
        beside = np.bincount(tie, not_relevant, minlength=len(start)).astype(np.int64)[tie]

        chosen = hits.grade >= self.rel
        query, tied = hits.query[chosen], hits.tied[chosen]
        above, beside, limit = above[chosen], beside[chosen], most[query]
        within = hits.within(ranked.depth)[chosen]
        counted = _mean_least(above, beside, limit)
        cut = np.flatnonzero(within < tied)
        if len(cut):  # above the depth stand some of the tie's other items only
            owner, others, chance = hypergeometric(tied[cut] - 1, beside[cut], within[cut] - 1)
            each = _mean_least(above[cut][owner], others, limit[cut][owner])
            counted[cut] = np.bincount(owner, chance * each, minlength=len(cut))
        credit = within / tied * (1 - counted / np.maximum(limit, 1))
        return Credits(query, hits.before[chosen], counted, credit)

    def list_parts(self, shown: ShownList) -> ListParts:
        some, ranked = read(shown, None), shown.ranked
        hits, hit = self.preferences(ranked), some.known >= self.rel
        at = np.searchsorted(hits.before, some.before[hit])
        above, credit = np.zeros(len(some)), np.zeros(len(some))
        above[hit], credit[hit] = hits.above[at], hits.credit[at]
        columns = (
            Column.of(say("judged not relevant above", key="above"), above, where=hit),
            Column.of(say("credit"), credit, "decimal", hit),
        )
        counted = say(
            "each item adds 1 - (judged not relevant above) / {most:g}; "
            "more than {most:g} above count as {most:g}.",
            key="preferences",
            most=float(self.most(ranked)[0]),
        )
        relevant = Number(ranked.n_relevant(self.rel)[0], RELEVANT)
        return ListParts(
            columns=columns,
            lines=(Line(sum_of(LIST, "credit") / relevant),),
            total=("credit",),
            notes=(counted, _SKIPPED) if self.most(ranked)[0] else (_SKIPPED,),
        )


def _mean_least(above: Ints, beside: Ints, limit: Floats) -> Floats:
    """The mean of ``min(above + u, limit)`` over u = 0 … beside: the chance places of a tie."""
    free = np.clip(limit - above, 0, beside)
    total = (free + 1) * above + free * (free + 1) / 2 + (beside - free) * limit
    return np.where(above >= limit, limit, total / (beside + 1))
