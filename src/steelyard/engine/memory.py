"""The engine of one machine: it reads tables once, gives each need its state, and keeps lists to be shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints, parts_of
from steelyard.conventions import Rank
from steelyard.engine.align import Aligned, align
from steelyard.engine.coding import Doubled, Encoded, EncodedGrid, Side
from steelyard.engine.columns import KEPT
from steelyard.engine.protocol import OF_LISTS, Account, Call, Names, Need, Wanted
from steelyard.engine.ranked import Hits, Ranked, best_first, count, settle
from steelyard.engine.rankings import OpenedTables, Rankings
from steelyard.engine.rows import Rows
from steelyard.engine.slices import Segments
from steelyard.progress import Tell
from steelyard.text.errors import writing


class Memory:
    """Tables that fit in memory: those that lists are read from, those of rows, or both."""

    def __init__(
        self, lists: Rankings | None, rows: Rows | None, fingerprints: Mapping[str, str] | None = None
    ) -> None:
        self.lists, self.rows = lists, rows
        self.names: Names = (lists or rows).names  # type: ignore[union-attr]  # one of them is there
        # the conventions that the data leaves no choice about
        self.settled: dict[str, Any] = {} if lists is None else lists.settled
        self.max_grade = 0.0 if lists is None else lists.max_grade  # the highest of the whole truth
        self.fingerprints = fingerprints  # of tables that are gone

    @classmethod
    def read(cls, call: Call, wanted: Wanted, tell: Tell, segments: Segments | None = None) -> Memory:
        of_lists = tuple([need for need in wanted.needs if need.reads in OF_LISTS])
        of_rows = tuple([need for need in wanted.needs if need.reads not in OF_LISTS])
        if of_lists and of_rows:
            call = call.opened()
        lists = None
        if of_lists:
            wanted_lists = replace(wanted, needs=of_lists)
            opened = OpenedTables.read(call, wanted_lists, segments)
            lists = Rankings.of(opened, wanted_lists, tell, segments)
        rows = Rows.read(call, replace(wanted, needs=of_rows), tell, segments) if of_rows else None
        return cls(lists, rows)

    def reader(self, need: Need) -> Any:
        return self.lists if need.reads in OF_LISTS else self.rows

    def clear_caches(self, *, aligned: bool = True) -> None:
        if self.lists is not None:
            self.lists.clear_caches(aligned=aligned)

    def account(self) -> Account:
        if self.lists is None or self.rows is None:
            account: Account = (self.lists or self.rows).account()  # type: ignore[union-attr]
            return account
        lists, rows = self.lists.account(), self.rows.account()
        return Account(
            tally=lists.tally.also(**rows.tally.to_dict()),
            rankings=lists.rankings,
            slice_coverage={**lists.slice_coverage, **rows.slice_coverage},
            inputs={**lists.inputs, **rows.inputs},
        )


@dataclass(frozen=True, kw_only=True)
class Lists:
    """Lists that were ranked, and can be ranked again, a few at a time, to be shown."""

    encoded: Encoded | EncodedGrid
    max_grade: float
    some: bool = False  # whether those of the other queries were let go

    def kept(self, queries: Callable[[], Sequence[object]]) -> Lists:
        if isinstance(self.encoded, EncodedGrid):
            if self.encoded.grid.scores.size <= KEPT:
                return self
            return replace(self, encoded=self.encoded.only(_places(self.encoded, queries())), some=True)
        if len(self.encoded.predictions.key) <= KEPT:
            return replace(self, encoded=_both(self.encoded, bare))
        return replace(
            self, encoded=_both(_both(only_queries(self.encoded, queries()), _only_rows), bare), some=True
        )

    def check(self, query: object) -> None:
        if self.some and str(query) not in self.encoded.queries.cast(pl.String):
            raise writing.list_not_kept(query=query)

    def shown(self, need: Need, queries: Sequence[object]) -> list[ShownList]:  # in ranked order
        meeting, convention = need.convention
        aligned = align(only_queries(self.encoded, queries), meeting, convention.order)
        counted = count(aligned, convention, self.max_grade, zeros=need.judged_zeros)
        ranked = settle(counted, convention)
        grade = _grades(aligned)
        hits, row = in_order(aligned, convention, self.max_grade)
        names = counted.ranked.queries.cast(pl.String).to_list()
        lists = []
        for query in map(str, queries):
            at = names.index(query)
            mine = hits.query == at
            items = aligned.predictions.item_ids(aligned.rows(row[mine]))
            ids = None if items is None else items.cast(pl.String).to_list()
            lists.append(
                ShownList(
                    query=query,
                    items=None if ids is None else tuple(ids),
                    grade=grade[row[mine]],
                    before=hits.before[mine],
                    tied=hits.tied[mine],
                    ranked=alone(ranked, at),
                )
            )
        return lists


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


def in_order(aligned: Aligned, convention: Rank, max_grade: float) -> tuple[Hits, Ints]:
    """Every row in its place, hit or not, and which row it is.

    Each is taken for a hit: its grade is then a number of its own, in the order of the real grades, so that
    ties are settled as they were.
    """
    grade = _grades(aligned)
    judged = ~np.isnan(grade)
    # where the best or the worst stand first, a judged 0 stands below what has no judgement
    by_grade = np.lexsort((judged if convention.ties == "pessimistic" else ~judged, np.nan_to_num(grade)))
    own = np.empty(len(by_grade))
    own[by_grade] = np.arange(1.0, len(own) + 1)
    every = replace(
        aligned, hit_row=np.arange(len(own)), hit_grade=own, judged_offsets=aligned.offsets, grade=own
    )
    # ties with a graded item were refused before this; the others may stand in any order
    ties = "given" if convention.ties == "error" else convention.ties
    hits = settle(count(every, convention, max_grade), convention, ties).hits
    return hits, by_grade[hits.grade.astype(np.int64) - 1]


def _only_rows(side: Side) -> Side:
    rows = side.rows(np.arange(len(side.key)))
    used, place = np.unique(rows, return_inverse=True)
    at = used.tolist()
    return replace(
        side,
        table=replace(side.table, frame=side.table.frame[at], extra=pl.DataFrame(), parts=()),
        row=place.reshape(-1).astype(np.int64),
        queries=side.queries.gather(used),
        items=None if side.items is None else side.items.gather(used),
    )


def _both(encoded: Encoded, made: Callable[[Side], Side]) -> Encoded:
    predictions = made(encoded.predictions)
    same = encoded.truth is encoded.predictions
    return replace(encoded, predictions=predictions, truth=predictions if same else made(encoded.truth))


def bare(side: Side) -> Side:
    """The same with a table of its own values, and without what only reading needs."""
    # numbers may lie in the caller's own array
    mine = [
        pl.Series(one.name, one.to_numpy().copy()) if one.dtype.is_float() else one
        for one in side.table.frame
    ]
    table = replace(
        side.table,
        frame=pl.DataFrame(mine),
        extra=pl.DataFrame(),
        parts=(),
        notes=(),
        roles={},
        sources=(),
    )
    return replace(side, table=table)


def _grades(aligned: Aligned) -> Floats:  # NaN without a judgement
    assert aligned.judgement is not None
    known = aligned.judgement >= 0
    grade = np.full(len(known), np.nan)
    grade[known] = aligned.grade[aligned.judgement[known]]
    return grade


def only_queries(encoded: Encoded | EncodedGrid, queries: Sequence[object]) -> Encoded:
    """The entries of a few queries alone.

    Two tables without a common query cannot be aligned: where these have none, one that has stays.
    """
    wanted = _places(encoded, queries)
    if isinstance(encoded, EncodedGrid):
        return encoded.encoded(wanted)
    common = (np.diff(encoded.predictions.offsets) > 0) & (np.diff(encoded.truth.offsets) > 0)
    if not common[wanted].any():
        wanted = np.union1d(wanted, np.flatnonzero(common)[:1])
    (predicted, predicted_offsets), (true, true_offsets) = (
        parts_of(side.offsets, wanted) for side in (encoded.predictions, encoded.truth)
    )
    judgement = encoded.judgement[predicted]
    return Encoded(
        queries=encoded.queries.gather(wanted),
        predictions=_side(encoded.predictions, predicted, predicted_offsets),
        truth=_side(encoded.truth, true, true_offsets),
        judgement=np.where(judgement >= 0, np.searchsorted(true, judgement), -1),
        doubled=_doubled(encoded.doubled, predicted),
        doubled_truth=_doubled(encoded.doubled_truth, true),
        excluded=None if encoded.excluded is None else encoded.excluded[predicted],
    )


def _places(encoded: Encoded | EncodedGrid, queries: Sequence[object]) -> Ints:  # ascending
    asked = pl.Series([str(query) for query in queries], dtype=pl.String).cast(encoded.queries.dtype)
    return np.flatnonzero(encoded.queries.is_in(asked.implode()).to_numpy())


def _side(side: Side, entries: Ints, offsets: Ints) -> Side:
    return replace(side, row=side.rows(entries), offsets=offsets, key=side.key[entries])


def _doubled(doubled: Doubled, entries: Ints) -> Doubled:
    kept = np.isin(doubled.again, entries)
    return Doubled(
        np.searchsorted(entries, doubled.again[kept]), np.searchsorted(entries, doubled.first[kept])
    )
