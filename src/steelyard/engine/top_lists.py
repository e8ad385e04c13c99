"""The first items of each query: what metrics of lists as a whole are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl

from steelyard.arrays import UNSTORED, Flags, Floats, Frozen, Ints, offsets_of, once, parts_of, read_only
from steelyard.engine.background import Background
from steelyard.engine.influence import OfQueries, Units
from steelyard.kernels.list_sums import list_sums
from steelyard.kernels.means import ratio, segment_sum
from steelyard.text import Message, say

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class ShownItems(Frozen):
    """The first items of all lists, by query and then best first; those outside the catalogue are not.

    ``begin`` is where the whole list of each query begins, and ``at`` where each item stands among all
    entries, None where all are shown.
    """

    offsets: Ints
    item: Ints  # its number in the background
    begin: Ints
    at: Ints | None = None

    @once
    def query(self) -> Ints:
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    @once
    def entry(self) -> Ints:  # its place among all entries
        return np.arange(len(self.item)) if self.at is None else self.at

    @once
    def rank(self) -> Ints:  # from 1
        rank = np.arange(1, len(self.item) + 1) if self.at is None else self.at + 1
        rank -= np.repeat(self.begin, self.lengths)
        return rank

    def query_of(self, at: Ints) -> Ints:
        """The queries of some items, by their places: of a few, quicker than those of all."""
        return np.searchsorted(self.offsets, at, side="right") - 1

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)

    def only(self, kept: Flags) -> ShownItems:
        counts = np.bincount(self.query[kept], minlength=len(self.begin))
        return ShownItems(offsets_of(counts), self.item[kept], self.begin, self.entry[kept])


@dataclass(frozen=True, kw_only=True, eq=False)
class TopLists(OfQueries, Frozen):
    """Per query the first items, best first, with what is known of items and users besides.

    The list of query ``q`` is ``item[offsets[q]:offsets[q + 1]]``, numbers among ``background.items``, which
    are values, so that lists made anywhere go together. ``graded`` are the entries with a judgement, rising,
    ``grade`` what it says, and ``judged`` which queries are in the truth; they are None where there is none.
    ``segment`` is the slice of each query.
    """

    queries: pl.Series
    offsets: Ints
    item: Ints
    strength: Floats  # the higher stands first
    background: Background
    k: int | None = None  # how many of each list there are at most
    graded: Ints | None = None
    grade: Floats | None = None
    judged: Flags | None = None
    relevant_query: Ints | None = None  # of each judgement: its query, its item and its grade
    relevant_item: Ints | None = None
    relevant_grade: Floats | None = None
    weight: Floats | None = None
    segment: Ints | None = None
    n_segments: int = 1
    units: Units | None = None  # what queries belong together when chance is weighed
    expected: bool = False  # no tie stands open in a list that is shown
    _cache: dict[object, object] = field(default_factory=dict, repr=False, metadata=UNSTORED)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}

    @property
    def numbers(self) -> int:  # about how many it holds
        return len(self.item) + self.background.numbers

    def sizes(self) -> Message:
        return say(
            "lists {lists:,} · items shown {items:,}",
            key="list_sizes",
            lists=self.n_queries,
            items=len(self.item),
        )

    def only(self, queries: Ints) -> TopLists:  # by their places, ascending
        entry, offsets = parts_of(self.offsets, queries)
        known: dict[str, Any] = {}
        for name in ("judged", "weight", "segment"):
            values = getattr(self, name)
            known[name] = None if values is None else values[queries]
        if self.graded is not None and self.grade is not None:
            mine = np.isin(self.graded, entry)
            known |= {"graded": np.searchsorted(entry, self.graded[mine]), "grade": self.grade[mine]}
        if self.relevant_query is not None and self.relevant_item is not None:
            mine = np.isin(self.relevant_query, queries)
            known["relevant_query"] = np.searchsorted(queries, self.relevant_query[mine])
            known["relevant_item"] = self.relevant_item[mine]
            known["relevant_grade"] = None if self.relevant_grade is None else self.relevant_grade[mine]
        return replace(
            self,
            queries=self.queries.gather(queries),
            offsets=offsets,
            item=self.item[entry],
            strength=self.strength[entry],
            background=self.background.only(queries),
            units=None,
            _cache={},
            **known,
        )

    @property
    def retrieved(self) -> Ints:  # those outside the catalogue too
        return np.diff(self.offsets)

    @property
    def frame(self) -> pl.DataFrame:  # best first
        query = np.repeat(np.arange(self.n_queries), np.diff(self.offsets))
        return pl.DataFrame(
            {
                "query": self.queries.gather(query),
                "item": self.background.items.gather(self.item),
                "strength": self.strength,
            }
        )

    def first(self, k: int | None) -> ShownItems:  # without what is outside the catalogue
        return self.once(("first", k), lambda: self._first(k))

    def _first(self, k: int | None) -> ShownItems:
        every = ShownItems(self.offsets, self.item, self.offsets[:-1])
        inside = self.background.in_catalog
        shorter = k is None or int(every.lengths.max(initial=0)) <= k
        if shorter and (inside is None or inside.all() or inside[self.item].all()):
            return every
        kept = np.ones(len(self.item), bool) if k is None else every.rank <= k
        return every.only(kept if inside is None else kept & inside[self.item])

    def times(self, k: int | None) -> Ints:
        n = len(self.background.items)
        return self.once(("times", k), lambda: np.bincount(self.first(k).item, minlength=n))

    def outside(self, k: int | None) -> int:
        lengths = np.diff(self.offsets)
        every = int((lengths if k is None else np.minimum(lengths, k)).sum())
        return every - len(self.first(k).item)

    def n_known(self, k: int | None, distance: str) -> int:
        features = self.background.features
        assert features is not None
        known, item = features.known(distance), self.first(k).item
        return len(item) if known.all() else int(known[item].sum())

    def once(self, key: object, make: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = read_only(make())
        return cast("T", self._cache[key])

    def mean(self, shown: ShownItems, values: Floats, kept: Flags | None = None) -> Floats:
        query = shown.query
        if kept is not None:
            values, query = values[kept], query[kept]
        total, n = segment_sum(values, query, self.n_queries), np.bincount(query, minlength=self.n_queries)
        return ratio(total, n)

    def mean_worth(self, shown: ShownItems, worth: Floats) -> Floats:  # NaN of an empty list
        return ratio(list_sums(shown.offsets, shown.item, worth), shown.lengths)

    def had(self, k: int | None) -> Ints:  # places among the items shown
        history, shown = self.background.history, self.first(k)
        assert history is not None
        return self.once(("had", k), lambda: np.flatnonzero(history.holds(shown.offsets, shown.item)))

    @property
    def in_truth(self) -> Flags:
        assert self.judged is not None
        return self.judged

    def grades(self, shown: ShownItems) -> Floats:  # NaN without a judgement
        assert self.graded is not None
        assert self.grade is not None
        found = np.full(len(self.item), np.nan)
        found[self.graded] = self.grade
        return found[shown.entry]

    def relevant(self, shown: ShownItems, rel: float) -> Ints:  # places among the items shown
        assert self.graded is not None
        assert self.grade is not None
        found = self.graded[self.grade >= rel]
        if shown.at is None:
            return found
        place = np.minimum(np.searchsorted(shown.at, found), max(0, len(shown.at) - 1))
        return place[shown.at[place] == found] if len(shown.at) else place[:0]
