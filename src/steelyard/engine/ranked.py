"""What every ranking metric is computed from: the hits, ties settled as stated, never the whole list."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import polars as pl

from steelyard import kernels
from steelyard.arrays import UNSTORED, Flags, Floats, Frozen, Ints, numbers_of, read_only
from steelyard.conventions import Rank, Ties
from steelyard.engine.align import Aligned
from steelyard.engine.influence import OfQueries
from steelyard.engine.protocol import Tally
from steelyard.kernels.means import segment_sum
from steelyard.read.table import looked_up
from steelyard.text import say
from steelyard.text.errors import AlignError, reading
from steelyard.text.errors.forms import dimensions, lengths_differ


@dataclass(frozen=True, kw_only=True)
class Hits(Frozen):
    """Judged items that were retrieved, by query and then by place.

    ``before`` items of the query stand above the tie a hit belongs to and ``tied`` items are in it. Where
    ties have been put in order, ``tied`` is 1 and the rank is ``before + 1``, which several hits may share.
    """

    query: Ints
    grade: Floats
    before: Ints
    tied: Ints

    def where(self, keep: Flags | Ints) -> Hits:
        return Hits(
            query=self.query[keep], grade=self.grade[keep], before=self.before[keep], tied=self.tied[keep]
        )

    def within(self, k: int | None) -> Ints:  # how many places of each hit's tie
        return self.tied if k is None else np.clip(k - self.before, 0, self.tied)

    def ties(self) -> tuple[Ints, Ints]:
        """Where the hits of each tie begin and how many they are; they stand together."""
        new = np.ones(len(self.query), bool)
        new[1:] = (self.query[1:] != self.query[:-1]) | (self.before[1:] != self.before[:-1])
        starts = np.flatnonzero(new)
        return starts, np.diff(np.append(starts, len(new)))


@dataclass(frozen=True, kw_only=True)
class TieGroups(Frozen):
    """The relevant hits, one entry per tie: how many are in it and how many stand before it."""

    query: Ints
    before: Ints
    tied: Ints
    relevant: Ints
    relevant_before: Ints

    def within(self, k: int | None) -> Ints:  # how many places of each tie
        return self.tied if k is None else np.clip(k - self.before, 0, self.tied)


@dataclass(frozen=True, kw_only=True)
class Ranked(OfQueries):
    """The hits of every query with the counts around them; all metrics of one convention share it."""

    retrieved: Ints  # per query, after depth
    hits: Hits
    judged: Ints  # per query, how many judgements there are
    judged_query: Ints  # those with a grade other than 0, by query and then best grade first
    judged_grade: Floats
    max_grade: float  # of the whole truth
    expected: bool = False  # ties stand open: a value is the mean over their orders
    depth: int | None = None
    # what depends on the truth alone is worked out once for all orders of ties
    of_truth: dict[object, object] = field(default_factory=dict, repr=False, compare=False, metadata=UNSTORED)
    _cache: dict[object, object] = field(default_factory=dict, repr=False, compare=False, metadata=UNSTORED)

    def __getstate__(self) -> dict[str, Any]:
        """The hits without what was worked out of them: it can be worked out again."""
        return {**self.__dict__, "of_truth": {}, "_cache": {}}

    @classmethod
    def of_lists(
        cls,
        grades: Sequence[float] | Sequence[Sequence[float]],
        judged: Sequence[float] | Sequence[Sequence[float]] | None = None,
        depth: int | None = None,
        *,
        zeros: bool = False,
    ) -> Ranked:
        """Grades in ranked order, one list or several, as if they had been ranked to a depth.

        With ``zeros`` a judged 0 is a hit too: the first zeros of a list, as many as are among its judged
        grades; the others are items without judgement.
        """
        shown, lengths = _flat(grades)
        known, known_lengths = (shown, lengths) if judged is None else _flat(judged)
        if len(lengths) != len(known_lengths):
            raise lengths_differ(
                say("ranked lists"),
                say("lists of judged grades"),
                (len(lengths), len(known_lengths)),
                remedy=say("give one for each ranked list"),
                kind=AlignError,
            )
        largest = np.abs(np.append(shown, known)).max(initial=0.0)
        if not np.isfinite(largest):
            raise reading.grade_not_finite()
        if largest > 1e60:
            raise reading.grade_too_large(cell=say("a grade"), value=largest)
        query = np.repeat(np.arange(len(lengths)), lengths)
        known_query = np.repeat(np.arange(len(lengths)), known_lengths)
        _check_contained(query, shown, known_query, known)
        place = np.arange(len(shown)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        hits = Hits(query=query, grade=shown, before=place, tied=np.ones_like(place))
        kept = shown != 0
        if zeros:
            n_zeros = np.bincount(known_query[known == 0], minlength=len(lengths))
            kept[~kept] = places(query[~kept]) < n_zeros[query[~kept]]
        judged_query, judged_grade = best_first(known_query, known)
        graded = judged_grade != 0
        return cls(
            queries=pl.Series("query", np.arange(len(lengths))),
            retrieved=lengths if depth is None else np.minimum(lengths, depth),
            hits=hits.where(kept & (place < (np.inf if depth is None else depth))),
            judged=known_lengths,
            judged_query=judged_query[graded],
            judged_grade=judged_grade[graded],
            max_grade=float(known.max(initial=0.0)),
            depth=depth,
        )

    def limit(self, k: int | None) -> int | None:
        """The cutoff that acts: k, but never beyond the depth that was ranked."""
        if k is None or self.depth is None:
            return self.depth if k is None else k
        return min(k, self.depth)

    def sum_by_query(self, query: Ints, values: Floats | Ints | Flags) -> Floats:
        """Add up values by query."""
        return segment_sum(values, query, self.n_queries)

    def n_relevant(self, rel: float) -> Floats:
        """How many judged items of each query are relevant."""
        key = ("relevant", rel)
        if key not in self.of_truth:
            self.of_truth[key] = read_only(self.sum_by_query(self.judged_query, self.judged_grade >= rel))
        return cast("Floats", self.of_truth[key])

    def relevant_in(self, k: int | None, rel: float) -> Floats:
        """How many relevant items each query has in its first k, in expectation where ties stand open."""
        groups = self.groups(rel)
        share = groups.within(self.limit(k)) / groups.tied
        return self.sum_by_query(groups.query, groups.relevant * share)

    def groups(self, rel: float) -> TieGroups:
        """The relevant hits gathered by tie."""
        key = ("groups", rel)
        if key not in self._cache:
            self._cache[key] = self._groups(rel)
        return cast("TieGroups", self._cache[key])

    def shown(self, k: int | None) -> Floats:
        """How many items each query shows in its first k."""
        return (self.retrieved if k is None else np.minimum(self.retrieved, k)).astype(np.float64)

    def first_groups(self, rel: float) -> TieGroups:
        """Of each query with a relevant hit, the tie that holds the first."""
        groups = self.groups(rel)
        first = np.ones(len(groups.query), bool)
        first[1:] = groups.query[1:] != groups.query[:-1]
        return TieGroups(
            query=groups.query[first],
            before=groups.before[first],
            tied=groups.tied[first],
            relevant=np.minimum(groups.relevant, groups.tied)[first],  # fewer places where they share one
            relevant_before=groups.relevant_before[first],
        )

    def _groups(self, rel: float) -> TieGroups:
        hits = self.hits.where(self.hits.grade >= rel)
        starts, relevant = hits.ties()
        query = hits.query[starts]
        total = np.cumsum(relevant) - relevant
        first_of_query = np.searchsorted(query, query, side="left")
        return TieGroups(
            query=query,
            before=hits.before[starts],
            tied=hits.tied[starts],
            relevant=relevant,
            relevant_before=total - total[first_of_query],
        )


def _check_contained(query: Ints, shown: Floats, judged_query: Ints, judged: Floats) -> None:
    kept = shown != 0
    pairs = np.stack((np.append(query[kept], judged_query), np.append(shown[kept], judged)))
    kinds, kind = np.unique(pairs, axis=1, return_inverse=True)
    kind, n_kinds = kind.reshape(-1), kinds.shape[1]
    n_shown = int(kept.sum())
    counts = [np.bincount(part, minlength=n_kinds) for part in (kind[:n_shown], kind[n_shown:])]
    if (counts[0] > counts[1]).any():
        raise reading.shown_not_judged(grade=float(kinds[1][np.argmax(counts[0] > counts[1])]))


def _flat(lists: Any) -> tuple[Floats, Ints]:  # with the lengths
    several = lists if _are_several(lists) else [lists]
    rows = [numbers_of("grade", row).astype(np.float64) for row in several]
    for row in rows:
        if row.ndim != 1:
            raise reading.grades_not_lists(shape=dimensions(row.shape))
    lengths = np.array([len(row) for row in rows], np.int64)
    return np.concatenate(rows), lengths


def _are_several(lists: Any) -> bool:
    """Whether these are lists of grades, by the first of them, or one list of grades."""
    if not isinstance(lists, Collection) or isinstance(lists, str | bytes | Mapping | Set):
        return False
    if getattr(lists, "ndim", 1) == 0:
        return False
    first = next(iter(lists), None)
    return isinstance(first, Collection) and not isinstance(first, str | bytes)


def best_first(query: Ints, value: Floats) -> tuple[Ints, Floats]:
    order = np.lexsort((-value, query))
    return query[order], value[order]


def places(query: Ints) -> Ints:
    """The place of each entry within its query, counted from 0; ``query`` is ascending."""
    return np.arange(len(query)) - np.searchsorted(query, query, side="left")


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Every hit with its counts, ties still open: what each tie convention starts from.

    ``settled`` says how many items stand before each hit where ties are in an order of items or rows, by
    ``ties`` and ``item_order``: what is kept of the rows where these are gone.
    """

    ranked: Ranked
    tally: Tally
    aligned: Aligned | None = None  # None where the rows are gone
    had_items: bool = False  # whether these had items
    strength: Floats = field(default_factory=lambda: np.zeros(0))
    hit_row: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # of each hit of ``ranked``
    settled: Mapping[tuple[str, str], Ints] = field(default_factory=dict)

    @property
    def has_items(self) -> bool:
        return self.had_items if self.aligned is None else self.aligned.predictions.has_items


def count(aligned: Aligned, convention: Rank, max_grade: float, *, zeros: bool = False) -> Counted:
    """Count what stands before each hit and what is tied with it; with ``zeros`` a judged 0 is a hit too."""
    strength = aligned.strength if convention.scores == "as_given" else strength_of(aligned, convention)
    hit_row, grade = aligned.judged_rows() if zeros else (aligned.hit_row, aligned.hit_grade)
    hit_offsets = np.searchsorted(hit_row, aligned.offsets)
    query = np.repeat(np.arange(len(aligned.queries)), np.diff(hit_offsets))
    order = np.lexsort((-grade, -strength[hit_row], query))
    hit_row, grade = hit_row[order], grade[order]
    counts = kernels.count_before(aligned.offsets, strength, hit_offsets, hit_row)

    by_id = np.arange(len(aligned.queries))
    if not aligned.queries.is_sorted():
        by_id = aligned.queries.arg_sort().to_numpy().astype(np.int64)
    moved, query = blocks(hit_offsets, by_id)
    hits = Hits(query=query, grade=grade[moved], before=counts.before[moved], tied=counts.tied[moved])
    judged_moved, judged_query = blocks(aligned.judged_offsets, by_id)
    judged_grade = aligned.grade[judged_moved]
    judged = (np.diff(aligned.judged_offsets) + aligned.zeros)[by_id]
    graded = judged_grade != 0
    judged_query, judged_grade = best_first(judged_query[graded], judged_grade[graded])
    tied_rows = 0 if convention.order == "given" else kernels.tied_and_distinct(aligned.offsets, strength)[0]
    unranked = np.diff(aligned.offsets) - aligned.retrieved  # all at -inf, tied with each other alone
    tied_rows -= int(unranked[unranked > 1].sum())
    ranked = Ranked(
        queries=aligned.queries[by_id],
        retrieved=aligned.retrieved[by_id],
        hits=hits,
        judged=judged,
        judged_query=judged_query,
        judged_grade=judged_grade,
        max_grade=max_grade,
    )
    return Counted(
        aligned=aligned,
        strength=strength,
        hit_row=hit_row[moved],
        ranked=ranked,
        tally=aligned.tally.also(tied=tied_rows, tied_hits=int(((hits.tied > 1) & (hits.grade != 0)).sum())),
    )


def strength_of(aligned: Aligned, convention: Rank) -> Floats:
    if convention.order != "score" or convention.scores == "as_given":
        return aligned.strength
    shown = aligned.strength[aligned.strength > -np.inf]  # of a matrix what is masked is still there
    if convention.scores == "positive" and not (shown > 0).all():
        raise reading.score_not_positive(score=float(shown.min()))
    with np.errstate(over="ignore"):  # beyond single precision a score is infinite, there as here
        strength: Any = aligned.strength.astype(np.float32)
    strength += 0.0  # -0.0 is 0.0
    return strength  # type: ignore[no-any-return]  # the kernels read either precision


def blocks(offsets: Ints, by_id: Ints) -> tuple[Ints, Ints]:
    """The entries of each query moved as one block, queries by ascending id, and the query of each."""
    lengths = np.diff(offsets)[by_id]
    ends = np.cumsum(lengths)
    moved = np.repeat(offsets[:-1][by_id] - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
    return moved, np.repeat(np.arange(len(by_id)), lengths)


def settle(counted: Counted, convention: Rank, ties: Ties | None = None) -> Ranked:
    """Put tied hits in their places, or leave them open for ``expected``."""
    policy = ties or convention.ties
    ranked, hits = counted.ranked, counted.ranked.hits
    tied = policy if (hits.tied > 1).any() else None
    if tied == "error":
        _refuse_ties(counted, convention.depth)
    elif tied in ("optimistic", "pessimistic"):
        hits = _by_grade(hits, best=tied == "optimistic")
    elif tied in ("item_desc", "item_asc", "given"):
        hits = by_row(counted, convention, policy)
    elif tied == "last":
        hits = _at(hits, hits.before + hits.tied - 1)
    if tied in ("pessimistic", "item_desc", "item_asc", "given"):
        # all but tied hits stand right already, which a stable sort makes use of
        span = int(hits.before.max(initial=0)) + 1
        hits = hits.where(np.argsort(hits.query * span + hits.before, kind="stable"))
    depth = convention.depth
    if depth is not None:
        hits = hits.where(hits.before < depth)
    return replace(
        ranked,
        retrieved=ranked.retrieved if depth is None else np.minimum(ranked.retrieved, depth),
        hits=hits,
        expected=policy == "expected" and bool((hits.tied > 1).any()),
        depth=depth,
        _cache={},
    )


def touched_by_ties(counted: Counted, convention: Rank) -> Flags:
    """The queries with a tie, as far as lists are read, that holds items of different grades."""
    hits = counted.ranked.hits
    starts, sizes = hits.ties()  # each with its best grade first
    first, last = hits.grade[starts], hits.grade[starts + sizes - 1]
    mixed = (first != last) | (sizes < hits.tied[starts])
    depth = np.inf if convention.depth is None else convention.depth
    within = starts[mixed & (hits.before[starts] < depth)]
    touched = np.zeros(len(counted.ranked.queries), bool)
    touched[hits.query[within]] = True
    return touched


def _at(hits: Hits, before: Ints) -> Hits:
    return Hits(query=hits.query, grade=hits.grade, before=before, tied=np.ones_like(before))


def _by_grade(hits: Hits, *, best: bool) -> Hits:
    """Tied hits by grade; tied items without a grade stand between positive and negative ones."""
    starts, sizes = hits.ties()
    size = np.repeat(sizes, sizes)
    place = np.arange(len(size)) - np.repeat(starts, sizes)
    if not best:
        place = size - 1 - place
    above_the_others = hits.grade > 0 if best else hits.grade < 0
    return _at(hits, hits.before + np.where(above_the_others, place, hits.tied - size + place))


def by_row(counted: Counted, convention: Rank, policy: Ties) -> Hits:
    """Tied hits by item or by row: only rows that are tied with a hit are looked at, and counted again."""
    hits = counted.ranked.hits
    open_ties = np.flatnonzero(hits.tied > 1)
    if not len(open_ties):
        return hits
    if (policy, convention.item_order) in counted.settled:
        return _at(hits, counted.settled[policy, convention.item_order])
    aligned = counted.aligned
    assert aligned is not None
    query, before = hits.query[open_ties], hits.before[open_ties]
    first = np.ones(len(open_ties), bool)  # of its tie, whose rows count once
    first[1:] = (query[1:] != query[:-1]) | (before[1:] != before[:-1])
    n_rows = int(hits.tied[open_ties[first]].sum())
    open_ties = open_ties[np.argsort(counted.hit_row[open_ties])]
    tied_hits = counted.hit_row[open_ties]
    hit_offsets = np.searchsorted(tied_hits, aligned.offsets)
    rows, tie = kernels.rows_tied_with_hits(aligned.offsets, counted.strength, hit_offsets, tied_hits, n_rows)
    if policy == "given":
        strength = -aligned.rows(rows).astype(np.float64)
    else:
        strength = _item_ranks(aligned, convention, rows)
        strength = strength if policy == "item_desc" else -strength
    n_ties = int(tie.max()) + 1
    order, offsets = kernels.group_rows(tie, n_ties)
    order = np.arange(len(rows)) if order is None else order
    at = np.empty(len(rows), np.int64)
    at[order] = np.arange(len(rows))
    place_of_hit = at[np.searchsorted(rows, tied_hits)]
    by_tie = np.argsort(place_of_hit)
    inside = np.searchsorted(place_of_hit[by_tie], offsets)
    counts = kernels.count_before(offsets, strength[order], inside, place_of_hit[by_tie])
    before = hits.before.copy()
    before[open_ties[by_tie]] += counts.before
    return _at(hits, before)


def _item_ranks(aligned: Aligned, convention: Rank, rows: Ints) -> Floats:
    side = aligned.predictions
    items = side.item_ids(aligned.rows(rows))
    if items is None:
        raise reading.ties_need_items(name=side.table.name, ties=convention.ties)
    if convention.item_order == "text":
        items = items.cast(pl.String)
    if items.dtype != pl.String:
        return items.rank("dense").to_numpy().astype(np.float64)
    # sorting each text once is several times faster than ranking them all
    known = items.unique().sort()
    return looked_up(items, known, np.arange(len(known))).to_numpy().astype(np.float64)


def _refuse_ties(counted: Counted, depth: int | None) -> None:
    hits = counted.ranked.hits
    read = hits.before < (np.inf if depth is None else depth)
    tied = np.flatnonzero((hits.tied > 1) & (hits.grade != 0) & read)
    aligned = counted.aligned
    if not len(tied) or aligned is None:
        return
    side = aligned.predictions
    row = aligned.rows(counted.hit_row[tied[:1]])
    items = side.item_ids(row)
    item = side.table.place(int(row[0])) if items is None else items[0]
    raise reading.tied_rows(n=len(tied), query=counted.ranked.queries[int(hits.query[tied[0]])], item=item)
