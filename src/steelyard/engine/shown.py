"""Lists as they were shown: every item with its place and its grade, hits or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.ranked import Hits, Ranked, best_first


@dataclass(frozen=True, kw_only=True)
class ShownList:
    """The items of one query in ranked order; ``grade`` is NaN where an item has no judgement.

    ``before`` items stand above the tie an item belongs to, ``tied`` are in it: 1 where ties were settled.
    """

    query: str
    items: tuple[str, ...] | None  # None where only grades were given
    grade: Floats
    before: Ints
    tied: Ints
    ranked: Ranked  # the same query alone

    @classmethod
    def of_grades(
        cls,
        grades: Sequence[float],
        judged: Sequence[float] | None = None,
        depth: int | None = None,
        *,
        zeros: bool = False,
    ) -> ShownList:
        """Plain grades in ranked order; with ``zeros`` a 0 that is not among the judged has no judgement.

        >>> ShownList.of_grades([3, 0, 1], depth=2).rank
        ['1', '2']
        """
        ranked = Ranked.of_lists(grades, judged, depth, zeros=zeros)
        grade = np.array(grades, np.float64)[:depth]
        if zeros:
            unjudged = np.ones(len(grade), bool)
            unjudged[ranked.hits.before] = False
            grade[unjudged] = np.nan
        place = np.arange(len(grade))
        return cls(query="", items=None, grade=grade, before=place, tied=np.ones_like(place), ranked=ranked)

    def __len__(self) -> int:
        return len(self.grade)

    @property
    def rank(self) -> list[str]:
        return rank_texts(self.before, self.tied)

    @property
    def known(self) -> Floats:  # 0 where there is no judgement
        return np.nan_to_num(self.grade)

    @property
    def hits(self) -> Hits:
        nowhere = np.zeros(len(self), np.int64)
        return Hits(query=nowhere, grade=self.known, before=self.before, tied=self.tied)

    def within(self, k: int | None) -> Ints:
        return self.hits.within(self.ranked.limit(k))

    def where(self, keep: Flags) -> ShownList:  # ``ranked`` stays that of all
        items = None
        if self.items is not None:
            items = tuple(item for item, kept in zip(self.items, keep.tolist(), strict=True) if kept)
        return replace(
            self, items=items, grade=self.grade[keep], before=self.before[keep], tied=self.tied[keep]
        )


def rank_texts(before: Ints, tied: Ints) -> list[str]:
    """The places of ties as text: one rank, or a range.

    >>> rank_texts(np.array([0, 1]), np.array([1, 3]))
    ['1', '2–4']
    """
    ends = before + tied
    return [
        f"{low + 1}" if high == low + 1 else f"{low + 1}–{high}"
        for low, high in zip(before.tolist(), ends.tolist(), strict=True)
    ]


def alone(ranked: Ranked, at: int) -> Ranked:
    hits = ranked.hits.where(ranked.hits.query == at)
    graded = ranked.judged_query == at
    return replace(
        ranked,
        queries=ranked.queries[at : at + 1],
        retrieved=ranked.retrieved[at : at + 1],
        hits=replace(hits, query=np.zeros_like(hits.query)),
        judged=ranked.judged[at : at + 1],
        judged_query=ranked.judged_query[graded] * 0,
        judged_grade=ranked.judged_grade[graded],
        expected=ranked.expected and bool((hits.tied > 1).any()),
        units=None,
        of_truth={},
        _cache={},
    )


def with_zeros(ranked: Ranked) -> Ranked:
    graded = np.bincount(ranked.judged_query, minlength=ranked.n_queries)
    zero = np.repeat(np.arange(ranked.n_queries), ranked.judged - graded)
    query, grade = best_first(
        np.append(ranked.judged_query, zero), np.append(ranked.judged_grade, np.zeros(len(zero)))
    )
    return replace(ranked, judged_query=query, judged_grade=grade)
