"""What is kept of lists as a whole to be looked at: how much items are shown, from which rank on, of what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Frozen, Ints, once
from steelyard.engine.classified import Classified
from steelyard.engine.columns import KEPT
from steelyard.engine.influence import Segmented
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.engine.scored_parts import GroupValues
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.kernels.means import first_ranks, ratio, segment_sum
from steelyard.kernels.rows import ordered_bits, prefix_counts, prefix_edges

TOP = 1  # percent of the catalogue: the items shown most
MOST_CATEGORIES = 1000
_MOST_EXPOSURES = 10_000  # that are kept as they are; of more the leading digits
_LEADING = 4096


@dataclass(frozen=True, kw_only=True, eq=False)
class ListSummary(Frozen):
    """The first k items of all lists without the lists, as small for many of them as for few.

    Of the ``n_items`` of the catalogue ``items[i]`` are shown as much as ``exposure[i]`` says, which ascends;
    the others are never shown. ``first[r]`` of them stand at rank ``r`` of some list and higher in none, so
    that their running sum is how many are shown at every cutoff. ``outside`` of all ``places`` show an item
    that is not in the catalogue. Without one ``n_items`` is 0 and none of this is counted.
    """

    n_queries: int
    k: int | None
    places: int
    outside: int
    n_items: int
    exposure: Floats
    items: Ints
    first: Ints
    categories: pl.DataFrame | None  # the share of each in what users had, and in their lists

    @classmethod
    def of(cls, lists: TopLists, k: int | None) -> ListSummary:
        """The summary of the first k of all lists, whatever their slices.

        >>> import steelyard as sy
        >>> recs = {"u": ["a", "b"], "v": ["a", "c"]}
        >>> result = sy.evaluate(recs, metrics="coverage@2", catalog=["a", "b", "c", "d"])
        >>> summary = ListSummary.of(result.measured[0].state, 2)
        >>> summary.exposure.tolist(), summary.items.tolist()  # two items once, one twice
        ([1.0, 2.0], [2, 1])
        >>> summary.covered.tolist()  # a alone at rank 1, then b and c
        [1, 3]
        """
        return lists.once(("summary", k), lambda: cls._made(lists, k))

    @classmethod
    def _made(cls, lists: TopLists, k: int | None) -> ListSummary:
        shown, outside = lists.first(k), lists.outside(k)
        listed = lists.background.in_catalog is not None
        none = np.zeros(0, np.int64)
        exposure, items, first = _exposed(lists, shown, k) if listed else (np.zeros(0), none, none)
        return cls(
            n_queries=lists.n_queries,
            k=k,
            places=len(shown.item) + outside,
            outside=outside,
            n_items=lists.background.n_items if listed else 0,
            exposure=exposure,
            items=items,
            first=first,
            categories=_categories(lists, shown),
        )

    @property
    def size(self) -> int:
        return self.n_queries

    @property
    def covered(self) -> Ints:  # items among the first 1, 2, … of some list
        return np.cumsum(self.first[1:])

    @once
    def lorenz(self) -> tuple[Floats, Floats]:
        """Shares of the catalogue, the items shown least first, and of the exposure that they take.

        These are the corners, joined by straight lines; there is none where nothing is shown.
        """
        if not len(self.items):
            return np.zeros(0), np.zeros(0)
        unseen = self.n_items - int(self.items.sum())
        items = np.concatenate([[0, unseen], self.items])
        taken = np.cumsum(items * np.concatenate([[0.0, 0.0], self.exposure]))
        corner = np.append(True, items[1:] > 0)
        return (np.cumsum(items) / self.n_items)[corner], (taken / taken[-1])[corner]

    @property
    def top_exposure(self) -> float:
        """The share of exposure that the ``TOP`` percent of items take that are shown most.

        NaN where that is not one whole item, or nothing is shown.
        """
        whole, (share, taken) = TOP * self.n_items // 100, self.lorenz
        if not whole or not len(share):
            return np.nan
        return float(1 - np.interp(1 - whole / self.n_items, share, taken))


def _exposed(lists: TopLists, shown: ShownItems, k: int | None) -> tuple[Floats, Ints, Ints]:
    """Each exposure with how many items have it, and how many items are first shown at each rank."""
    n = len(lists.background.items)
    if lists.weight is None and shown.at is None:
        every = lists.times(k).astype(np.float64)
        highest = first_ranks(shown.offsets, shown.item, n)
    else:
        counts = lists.counts[shown.query]
        item, rank, weight = shown.item[counts], shown.rank[counts], lists.weights[shown.query[counts]]
        every = segment_sum(weight, item, n)
        highest = np.full(n, np.iinfo(np.int64).max)
        np.minimum.at(highest, item, rank)
        highest[every == 0] = 0
    found, items = np.unique(every[every > 0], return_counts=True)
    if len(found) > _MOST_EXPOSURES:
        digits, power = np.frexp(found)
        found, at = np.unique(np.ldexp(np.round(digits * _LEADING) / _LEADING, power), return_inverse=True)
        items = np.bincount(at, items).astype(np.int64)
    longest = int(shown.rank.max(initial=0)) if shown.at is not None else int(shown.lengths.max(initial=0))
    ranks = np.bincount(highest, minlength=longest + 1)
    ranks[0] = 0  # those in no list
    return found, items, ranks


def _categories(lists: TopLists, shown: ShownItems) -> pl.DataFrame | None:
    """The mean share of each category over users: in what each had, and in the list of who had anything."""
    history, features = lists.background.history, lists.background.features
    if history is None or features is None or features.tags is None or not len(features.tags):
        return None
    n, tags = lists.n_queries, features.tags
    had = np.repeat(np.arange(n), np.diff(history.offsets))
    sides = ((had, history.item, history.count), (shown.query, shown.item, np.ones(len(shown.item))))
    weight, means = lists.weights, []
    for user, item, worth in sides:
        entry, tag, part = features.tag_parts(item)
        owner, each = user[entry], part * worth[entry]
        total = segment_sum(each, owner, n)
        weight = np.where(total > 0, weight, 0.0)  # who had nothing is no measure of his list
        share = ratio(each, total[owner]) * weight[owner]
        means.append(ratio(segment_sum(share, tag, len(tags)), np.asarray(weight.sum())))
    found = pl.DataFrame({"category": tags.cast(pl.String), "history": means[0], "lists": means[1]})
    order = ["history", "lists", "category"]
    return found.sort(order, descending=[True, True, False]).head(MOST_CATEGORIES)


def summary_of(state: Any, k: int | None) -> ListSummary | None:
    """The summary of the first k of lists, or the one that was kept of them; None of any other state."""
    if isinstance(state, TopLists):
        return ListSummary.of(state, k)
    return state if isinstance(state, ListSummary) else None


_BITS = 20  # of a score in single precision: a bin is as wide as a two-thousandth of its scores
_SLICED_BITS = 18  # a five-hundredth
_MOST_BINS = 1 << 24


@dataclass(frozen=True, kw_only=True)
class DroppedRows:
    """In the place of a state that was let go: how many rows or queries it had."""

    n_rows: int

    @property
    def size(self) -> int:
        return self.n_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class Binned(Frozen):
    """Rows by the leading bits of their score, under the names that curves read of rows.

    The scores of the ``table`` are the lowest of each bin; ``count`` and ``squares`` are the rows in it and
    the sum of their squared weights.
    """

    n_rows: int
    table: ScoreTable
    count: Floats
    squares: Floats
    weighted: bool
    sliced: bool
    inner: GroupValues | None = None

    @property
    def n_segments(self) -> int:
        return self.table.n_segments

    @property
    def score(self) -> Floats:
        return self.table.score

    @property
    def positives(self) -> Floats:
        return self.table.total_positives

    @property
    def negatives(self) -> Floats:
        return self.table.total_negatives

    def in_bins(self, of_entry: Ints, n: int) -> tuple[Floats, Floats]:
        return segment_sum(self.count, of_entry, n), segment_sum(self.squares, of_entry, n)

    @property
    def by_group(self) -> tuple[GroupValues, Ints]:
        assert self.inner is not None
        return self.inner, np.zeros(self.inner.n_segments, np.int64)


ByScore = Scored | Binned  # what curves read


def kept(state: Any, k: int | None = None) -> Any:
    """A state as a result keeps it: as it is, or, where rows are very many, without them.

    Of lists the first k are summed up; in slices nothing is shown of them.
    """
    if isinstance(state, TopLists) and state.numbers > KEPT:
        return ListSummary.of(state, k) if state.segment is None else DroppedRows(n_rows=state.n_queries)
    if isinstance(state, Segmented) and state.condensed is not None:
        return DroppedRows(n_rows=state.condensed.n_rows)
    if not isinstance(state, Segmented) or state.n_rows <= KEPT:
        return state
    return state.made_once("kept", lambda: _kept(state))


def _kept(state: Segmented) -> Binned | DroppedRows:
    scored = binary_scores(state)
    return _binned(scored) if isinstance(scored, Scored) else DroppedRows(n_rows=state.n_rows)


def binary_scores(state: Any) -> ByScore | None:
    """Labels of 0 and 1 with scores, if there are any; of two classes the second is the positive one."""
    if isinstance(state, Classified) and state.probability is not None and len(state.classes) == 2:
        return state.one_against_rest(1) if state.one_label else None
    return state if isinstance(state, ByScore) else None


def _binned(given: Scored) -> Binned | DroppedRows:
    with np.errstate(over="ignore"):  # beyond single precision a score is infinite
        scored = replace(given, score=given.score.astype(np.float32, copy=False))
    bits = _SLICED_BITS if scored.sliced else _BITS
    if scored.n_segments << bits > _MOST_BINS:
        return DroppedRows(n_rows=scored.n_rows)
    entry, positives, negatives, count, squares = _counted(scored, bits)
    table = ScoreTable(
        owner=entry >> bits,
        score=prefix_edges(entry & ((1 << bits) - 1), bits, scored.score.dtype),
        positives=positives,
        negatives=negatives,
        n_segments=scored.n_segments,
        counted=not scored.weighted,
        precision=scored.precision,
    )
    inner = None
    if given.group is not None and not given.sliced:
        groups, _ = given.by_group
        inner = GroupValues(
            rows=groups.rows, positives=groups.positives, negatives=groups.negatives, auc=groups.auc
        )
    return Binned(
        n_rows=scored.n_rows,
        table=table,
        count=count,
        squares=squares,
        weighted=scored.weighted,
        sliced=scored.sliced,
        inner=inner,
    )


def _counted(scored: Scored, bits: int) -> tuple[Ints, Floats, Floats, Floats, Floats]:
    if scored.weight is None:
        counts = prefix_counts(scored.score, scored.label, bits, scored.segment, scored.n_segments)
        entry = np.flatnonzero(counts.positives + counts.negatives)
        positives: Floats = counts.positives[entry].astype(np.float64)
        negatives: Floats = counts.negatives[entry].astype(np.float64)
        return entry, positives, negatives, positives + negatives, positives + negatives
    place = ordered_bits(scored.score)
    place >>= place.dtype.type(place.dtype.itemsize * 8 - bits)
    n = scored.n_segments << bits
    code = place.astype(np.int64)
    code += scored.segments << bits
    label, weight = scored.label == 1, scored.weights
    every = [weight * label, weight * ~label, weight > 0, weight * weight]
    sums = [np.bincount(code, part, n) for part in every]
    entry = np.flatnonzero(sums[2])
    over, under, count, squares = (part[entry].astype(np.float64) for part in sums)
    return entry, over, under, count, squares
