"""What is kept of lists as a whole to be looked at: how much items are shown, from which rank on, of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Frozen, Ints, once
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.kernels.list_sums import first_ranks
from steelyard.kernels.means import ratio, segment_sum

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
