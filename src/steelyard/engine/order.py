"""Put aligned rows in order, once per stated convention."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from steelyard import kernels
from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import Rank, Ties
from steelyard.engine.align import Aligned
from steelyard.engine.protocol import Tally
from steelyard.engine.ranked import Hits, Ranked, best_first
from steelyard.messages.errors import aligning


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Every hit with its counts, ties still open: what each tie convention starts from."""

    aligned: Aligned
    queries: pl.Series  # by ascending id, as all that follows
    retrieved: Ints
    strength: Floats
    hit_row: Ints
    hits: Hits
    judged: Ints
    judged_query: Ints
    judged_grade: Floats
    max_grade: float
    tally: Tally
    of_truth: dict[object, object] = field(default_factory=dict, repr=False, compare=False)


def count(aligned: Aligned, convention: Rank, max_grade: float, *, zeros: bool = False) -> Counted:
    """Count what stands before each hit and what is tied with it; with ``zeros`` a judged 0 is a hit too."""
    strength = aligned.strength if convention.scores == "as_given" else strength_of(aligned, convention)
    hit_row, grade = aligned.judged_rows() if zeros else (aligned.hit_row, aligned.hit_grade)
    hit_offsets = np.searchsorted(hit_row, aligned.offsets)
    query = np.repeat(np.arange(len(aligned.queries)), np.diff(hit_offsets))
    order = np.lexsort((-grade, -strength[hit_row], query))
    hit_row, grade = hit_row[order], grade[order]
    counts = kernels.count_before(aligned.offsets, strength, hit_offsets, hit_row)

    by_id = aligned.queries.arg_sort().to_numpy().astype(np.int64)
    moved, query = blocks(hit_offsets, by_id)
    hits = Hits(query=query, grade=grade[moved], before=counts.before[moved], tied=counts.tied[moved])
    judged_moved, judged_query = blocks(aligned.judged_offsets, by_id)
    judged_grade = aligned.grade[judged_moved]
    judged = (np.diff(aligned.judged_offsets) + aligned.zeros)[by_id]
    graded = judged_grade != 0
    judged_query, judged_grade = best_first(judged_query[graded], judged_grade[graded])
    tied_rows = 0 if convention.order == "given" else kernels.count_tied_rows(aligned.offsets, strength)
    unranked = np.diff(aligned.offsets) - aligned.retrieved  # all at -inf, tied with each other alone
    tied_rows -= int(unranked[unranked > 1].sum())
    return Counted(
        aligned=aligned,
        queries=aligned.queries[by_id],
        retrieved=aligned.retrieved[by_id],
        strength=strength,
        hit_row=hit_row[moved],
        hits=hits,
        judged=judged,
        judged_query=judged_query,
        judged_grade=judged_grade,
        max_grade=max_grade,
        tally=aligned.tally.also(tied=tied_rows, tied_hits=int(((hits.tied > 1) & (hits.grade != 0)).sum())),
    )


def strength_of(aligned: Aligned, convention: Rank) -> Floats:
    """What rows are ordered by, in the precision that the convention says."""
    if convention.order != "score" or convention.scores == "as_given":
        return aligned.strength
    shown = aligned.strength[aligned.strength > -np.inf]  # of a matrix what is masked is still there
    if convention.scores == "positive" and not (shown > 0).all():
        raise aligning.score_not_positive(score=float(shown.min()))
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
    hits = counted.hits
    tied = bool((hits.tied > 1).any())
    if tied and policy == "error":
        _refuse_ties(counted, convention.depth)
    elif tied and policy in ("optimistic", "pessimistic"):
        hits = _by_grade(hits, best=policy == "optimistic")
    elif tied and policy in ("item_desc", "item_asc", "given"):
        hits = _by_row(counted, convention, policy)
    elif tied and policy == "last":
        hits = _at(hits, hits.before + hits.tied - 1)
    if tied and policy in ("pessimistic", "item_desc", "item_asc", "given"):
        hits = _sorted(hits)
    depth = convention.depth
    if depth is not None:
        hits = hits.where(hits.before < depth)
    retrieved = counted.retrieved
    return Ranked(
        queries=counted.queries,
        retrieved=retrieved if depth is None else np.minimum(retrieved, depth),
        hits=hits,
        judged=counted.judged,
        judged_query=counted.judged_query,
        judged_grade=counted.judged_grade,
        max_grade=counted.max_grade,
        expected=policy == "expected" and bool((hits.tied > 1).any()),
        depth=depth,
        of_truth=counted.of_truth,
    )


def order_matters(counted: Counted, convention: Rank) -> bool:
    """Whether a tie, as far as lists are read, holds items of different grades."""
    return bool(touched_by_ties(counted, convention).any())


def touched_by_ties(counted: Counted, convention: Rank) -> Flags:
    """The queries of which that is so."""
    hits = counted.hits
    starts, sizes = hits.ties()  # each with its best grade first
    first, last = hits.grade[starts], hits.grade[starts + sizes - 1]
    mixed = (first != last) | (sizes < hits.tied[starts])
    depth = np.inf if convention.depth is None else convention.depth
    within = starts[mixed & (hits.before[starts] < depth)]
    touched = np.zeros(len(counted.queries), bool)
    touched[hits.query[within]] = True
    return touched


def _sorted(hits: Hits) -> Hits:
    """Hits by query and place; all but tied ones stand right already, which a stable sort makes use of."""
    span = int(hits.before.max(initial=0)) + 1
    order = np.argsort(hits.query * span + hits.before, kind="stable")
    return Hits(query=hits.query, grade=hits.grade[order], before=hits.before[order], tied=hits.tied[order])


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


def _by_row(counted: Counted, convention: Rank, policy: Ties) -> Hits:
    """Tied hits by item or by row: only rows that are tied with a hit are looked at, and counted again."""
    hits = counted.hits
    open_ties = np.flatnonzero(hits.tied > 1)
    if not len(open_ties):
        return hits
    aligned = counted.aligned
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
        strength = _item_ranks(counted, convention, rows)
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


def _item_ranks(counted: Counted, convention: Rank, rows: Ints) -> Floats:
    """Numbers in the order of the rows' items."""
    side = counted.aligned.predictions
    items = side.item_ids(counted.aligned.rows(rows))
    if items is None:
        raise aligning.ties_need_items(name=side.table.name, ties=convention.ties)
    if convention.item_order == "text":
        items = items.cast(pl.String)
    if items.dtype != pl.String:
        return items.rank("dense").to_numpy().astype(np.float64)
    # sorting each text once is several times faster than ranking them all
    known = items.unique().sort().to_frame("item").with_row_index("place")
    placed = items.to_frame("item").join(known, on="item", how="left", maintain_order="left")
    return placed["place"].to_numpy().astype(np.float64)


def _refuse_ties(counted: Counted, depth: int | None) -> None:
    """Refuse ties of graded items, as far as lists are read."""
    hits = counted.hits
    read = hits.before < (np.inf if depth is None else depth)
    tied = np.flatnonzero((hits.tied > 1) & (hits.grade != 0) & read)
    if not len(tied):
        return
    aligned, side = counted.aligned, counted.aligned.predictions
    row = aligned.rows(counted.hit_row[tied[:1]])
    items = side.item_ids(row)
    item = side.table.place(int(row[0])) if items is None else items[0]
    raise aligning.tied_rows(n=len(tied), query=counted.queries[int(hits.query[tied[0]])], item=item)
