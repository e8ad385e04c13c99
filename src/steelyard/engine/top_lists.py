"""The first items of each query: what metrics of lists as a whole are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl

from steelyard import kernels, read
from steelyard.arrays import (
    UNSTORED,
    Flags,
    Floats,
    Frozen,
    Ints,
    numpy_of,
    offsets_of,
    once,
    parts_of,
    read_only,
)
from steelyard.conventions import Order, Rank
from steelyard.engine.align import Aligned, align
from steelyard.engine.background import Background, SideTables, users_of, with_background
from steelyard.engine.coding import Encoded, encode
from steelyard.engine.influence import OfQueries
from steelyard.engine.protocol import Need, Tally, wanted_tables
from steelyard.engine.ranked import blocks, strength_of
from steelyard.kernels.means import list_sums, ratio, segment_sum
from steelyard.read import Table
from steelyard.text import Message, say
from steelyard.text.errors import reading
from steelyard.text.errors.reading import no_baseline_lists

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
class TopLists(OfQueries):
    """Per query the first items, best first, with what is known of items and users besides.

    The list of query ``q`` is ``item[offsets[q]:offsets[q + 1]]``, numbers among ``background.items``, which
    are values, so that lists made anywhere go together. ``graded`` are the entries with a judgement, rising,
    ``grade`` what it says, and ``judged`` which queries are in the truth; they are None where there is none.
    """

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


_COUNTS = ("predictions", "queries", "doubled_predictions", "masked", "excluded", "self_matched", "retrieved")


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Encoded rows with what is known besides: where the lists of each convention come from."""

    encoded: Encoded
    side_tables: SideTables
    judged: bool  # whether there is a truth
    queries: pl.Series
    background: Background
    item: Ints  # of each row of the predictions
    true_item: Ints | None
    baseline_item: Ints | None = None  # of each row of the baseline lists
    exclude: Table | None = None
    _aligned: dict[Need, Aligned] = field(default_factory=dict)
    _tied: dict[Need, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, encoded: Encoded, side_tables: SideTables, *, judged: bool, exclude: Table | None = None
    ) -> Listing:
        side = encoded.predictions
        if side.items is None:
            raise reading.lists_need_items(name=side.table.name)
        true = [encoded.truth.items] if judged and encoded.truth.items is not None else []
        somewhere = (np.diff(side.offsets) > 0) | (np.diff(encoded.truth.offsets) > 0)  # not in exclude alone
        queries = encoded.queries.filter(pl.Series(somewhere)).sort()
        background, item, further = with_background(side.table, side.items, true, side_tables, queries)
        return cls(
            encoded=encoded,
            side_tables=side_tables,
            judged=judged,
            queries=queries,
            background=background,
            item=item,
            true_item=further[0] if true else None,
            baseline_item=further[-1] if side_tables.baseline_lists is not None else None,
            exclude=exclude,
        )

    def aligned(self, need: Need) -> Aligned:
        if need not in self._aligned:
            meeting, rank = need.convention
            self._aligned[need] = align(self.encoded, meeting, rank.order, alone=True)
        return self._aligned[need]

    def lists(self, need: Need, k: int | None) -> TopLists:
        aligned, rank = self.aligned(need), need.convention[1]
        strength = strength_of(aligned, rank)
        most = min((n for n in (k, rank.depth) if n is not None), default=None)
        self._tied[need] = (
            0 if rank.order == "given" else kernels.tied_and_distinct(aligned.offsets, strength)[0]
        )
        second = self._second(aligned, rank, self._tied[need])
        row, offsets = kernels.first_rows(aligned.offsets, strength, second, most)
        by_id = aligned.queries.arg_sort().to_numpy().astype(np.int64)
        if bool(np.any(np.diff(by_id) < 0)):
            row = row[blocks(offsets, by_id)[0]]
            offsets = offsets_of(np.diff(offsets)[by_id])
        every = len(row) == len(strength) and bool((row == np.arange(len(row))).all())
        known: dict[str, Any] = {}
        if self.judged and aligned.judgement is not None:
            at = aligned.judgement if every else aligned.judgement[row]
            graded = np.flatnonzero(at >= 0)
            known = {"graded": graded, "grade": aligned.grade[at[graded]]}
            known["judged"] = np.diff(aligned.judged_offsets)[by_id] > 0
            known |= self._relevant(aligned, by_id)
        return TopLists(
            queries=self.queries,
            offsets=offsets,
            item=self._items(aligned, None if every else row),
            strength=(strength if every else strength[row]).astype(np.float64, copy=False),
            background=self._with_baseline_lists(need),
            k=most,
            **known,
        )

    def _with_baseline_lists(self, need: Need) -> Background:
        table = self.side_tables.baseline_lists
        if table is None or self.baseline_item is None:
            return self.background
        meeting, rank = need.convention
        columns, own = table.frame.columns, self.encoded.predictions.table.frame.columns
        order: Order = "score" if "score" in columns else "rank" if "rank" in columns else "given"
        chosen = {"score", "rank"} & set(own)  # else the lists have no order but that of their rows
        if chosen and (rank.order == "given" or rank.order in columns):
            order = rank.order
        encoded = encode(table, no_truth(table), self.exclude)
        there = pl.Series(np.diff(encoded.predictions.offsets) > 0)
        alone = Listing(
            encoded=encoded,
            side_tables=SideTables(),
            judged=False,
            queries=encoded.queries.filter(there).sort(),
            background=self.background,
            item=self.baseline_item,
            true_item=None,
        )
        lists = alone.lists(replace(need, align=meeting, rank=replace(rank, order=order)), None)
        named = replace(table, frame=lists.queries.alias("query").to_frame())
        user = users_of(self.encoded.predictions.table, named, self.queries)
        mine = np.flatnonzero(user >= 0)
        if not len(mine) and not table.part:
            raise no_baseline_lists(name=table.name)
        mine = mine[np.argsort(user[mine])]
        entry, _ = parts_of(lists.offsets, mine)
        lengths = np.zeros(len(self.queries), np.int64)
        lengths[user[mine]] = np.diff(lists.offsets)[mine]
        return replace(
            self.background, baseline_lists=lists.item[entry], baseline_offsets=offsets_of(lengths)
        )

    def _items(self, aligned: Aligned, row: Ints | None) -> Ints:  # None are all of them
        if row is not None:
            return self.item[aligned.rows(row)]
        if aligned.entry is None and self.encoded.predictions.row is None:
            return self.item
        return self.item[aligned.rows(np.arange(len(aligned.strength)))]

    def tally(self, need: Need, lists: TopLists) -> Tally:
        found = self.aligned(need).tally
        if not self.judged:
            counts = found.to_dict()
            found = Tally.of(**{name: counts[name] for name in _COUNTS})
        found = found.also(tied=self._tied[need])
        inside = self.background.in_catalog
        return found if inside is None else found.also(outside_catalog=int((~inside[lists.item]).sum()))

    def _relevant(self, aligned: Aligned, by_id: Ints) -> dict[str, Any]:  # by query
        if self.true_item is None:
            return {}
        truth = self.encoded.truth
        kept = np.ones(len(truth.key), bool)
        kept[self.encoded.doubled_truth.again] = False
        moved, query = blocks(aligned.judged_offsets, by_id)
        entry = np.flatnonzero(kept)[moved]
        return {
            "relevant_query": query,
            "relevant_item": self.true_item[truth.rows(entry)],
            "relevant_grade": aligned.grade[moved],
        }

    def _second(self, aligned: Aligned, rank: Rank, tied: int) -> Ints | None:
        """What orders rows of equal strength, the higher first; None where they stay as they are."""
        if not tied or rank.ties == "given":
            return None
        if rank.ties == "error":
            raise reading.tied_lists(n=tied)
        items, own = self.background.items, self.encoded.predictions.table.frame["item"].dtype
        if rank.item_order == "text" or own == pl.String:
            items = items.cast(pl.String)
        place = np.empty(len(items), np.int64)
        place[items.arg_sort().to_numpy()] = np.arange(len(items))
        second = place[self.item[aligned.rows(np.arange(int(aligned.offsets[-1])))]]
        if rank.ties == "item_asc":
            return -second
        if rank.ties not in ("optimistic", "pessimistic") or aligned.judgement is None:
            return second
        at = aligned.judgement
        grade = np.where(at >= 0, aligned.grade[at], 0.0) if len(aligned.grade) else np.zeros(len(at))
        _, level = np.unique(grade, return_inverse=True)
        level = level.reshape(-1) if rank.ties == "optimistic" else -level.reshape(-1)
        return level * len(items) + second


def no_truth(predictions: Table) -> Table:
    columns = {name: predictions.frame.schema[name] for name in ("query", "item")}
    frame = pl.DataFrame(schema={**columns, "relevance": pl.Float64})
    return Table(frame=frame, name="truth")


def lists_of(need: Need, lists: Any, given: Mapping[str, Any]) -> TopLists:
    """The state of lists that are plain values: one for each user, or ``{user: [item, …]}``."""
    if read.is_matrix(lists) and not hasattr(lists, "tocsr"):  # the items themselves, a list in each row
        lists = numpy_of("predictions", lists).tolist()
    if isinstance(lists, list | tuple):
        lists = dict(enumerate(lists))
    predicted = read.predictions(lists)
    true = given.get("truth")
    side_tables = SideTables.read({name: given[name] for name in wanted_tables([need], given)}, None)
    encoded = encode(predicted, no_truth(predicted) if true is None else read.truth(true))
    order: Order = "score" if "score" in predicted.frame.columns else "given"
    need = replace(need, rank=replace(need.convention[1], order=order))
    return Listing.of(encoded, side_tables, judged=true is not None).lists(need, need.top)
