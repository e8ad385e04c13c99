"""What is known of items and users besides the lists, with ids as numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard import kernels
from steelyard.arrays import Flags, Floats, Frozen, Ints, offsets_of, once, parts_of
from steelyard.engine.columns import grouped
from steelyard.kernels.distances import Vectors, inverse_lengths, mean_distances, pair_sums
from steelyard.kernels.group import distinct
from steelyard.kernels.means import ratio, segment_sum
from steelyard.read import Table, background, reconcile
from steelyard.read.background import ItemFeatures
from steelyard.read.table import looked_up
from steelyard.text import Message


@dataclass(frozen=True, kw_only=True, eq=False)
class Features(Frozen):
    """Vectors or tags of items; ``row`` is that of each item that there is, -1 where it has none.

    ``dense`` has a row per vector. Otherwise ``offsets``, ``place`` and ``value`` are those of a sparse
    matrix of ``width`` columns, which of tags are the ``tags``, each with the value 1; ``categories`` says of
    how many columns, each with one category, they were made, and is 0 where tags came as lists.
    """

    name: str
    row: Ints
    dense: NDArray[Any]
    offsets: Ints
    place: Ints
    value: Floats
    width: int
    tags: pl.Series | None = None
    categories: int = 0

    @classmethod
    def of(cls, known: ItemFeatures, codes: Ints, n_items: int) -> Features:
        row = np.full(n_items, -1, np.int64)
        row[codes] = np.arange(len(codes))
        return cls(
            name=known.table.name,
            row=row,
            dense=known.dense,
            offsets=known.offsets,
            place=known.place,
            value=known.value.astype(np.float64),
            width=known.width,
            tags=known.tags,
            categories=known.categories,
        )

    @once
    def vectors(self) -> Vectors:
        compared = -self.categories if self.categories else max(1, self.width)
        return Vectors(
            np.ascontiguousarray(self.dense),
            self.offsets,
            self.place,
            self.value,
            self.scale,
            self.width,
            compared,
        )

    @once
    def scale(self) -> Floats:  # 0 of a vector that is 0 throughout
        if not len(self.offsets):
            return inverse_lengths(self.dense)
        n = len(self.offsets) - 1
        owner, largest = np.repeat(np.arange(n), np.diff(self.offsets)), np.zeros(n)
        np.maximum.at(largest, owner, np.abs(self.value))
        share = ratio(self.value, largest[owner])  # squares of these neither overflow nor vanish
        return np.nan_to_num(ratio(np.ones(n), largest * np.sqrt(segment_sum(share**2, owner, n))))

    def known(self, distance: str) -> Flags:  # that a distance can be taken of
        there = self.row >= 0
        if self.tags is not None or distance == "cosine":
            there[there] = self.scale[self.row[there]] > 0
        if self.categories and distance == "hamming":  # a category that is missing is not compared
            whole = np.diff(self.offsets) == self.categories
            there[there] = whole[self.row[there]]
        return there

    def measured_by(self, distance: str, item: Ints) -> bool:
        """Whether a distance means something here: numbers are alike or not only where they are whole."""
        if self.tags is not None or distance in ("cosine", "euclidean"):
            return True
        values = self.value if len(self.offsets) else self.dense[self.row[item[self.row[item] >= 0]]]
        return bool((values == np.floor(values)).all())

    def pair_sums(self, offsets: Ints, item: Ints, distance: str) -> Floats:  # every item must be known
        return pair_sums(offsets, self.row[item], self.vectors, distance)

    def mean_distances(
        self, offsets: Ints, item: Ints, other_offsets: Ints, others: Ints, distance: str
    ) -> Floats:
        rows, other_rows = self.row[item], self.row[others]
        return mean_distances(offsets, rows, other_offsets, other_rows, self.vectors, distance)

    def tag_parts(self, item: Ints) -> tuple[Ints, Ints, Floats]:
        """Every tag of some items: whose it is, which tag, and its part of the item's tags."""
        row = self.row[item]
        known = np.flatnonzero(row >= 0)
        starts, lengths = self.offsets[row[known]], np.diff(self.offsets)[row[known]]
        ends = np.cumsum(lengths)
        at = np.repeat(starts - ends + lengths, lengths) + np.arange(lengths.sum())
        return np.repeat(known, lengths), self.place[at], np.repeat(1 / np.maximum(lengths, 1), lengths)


_FEW = 100_000  # numbers that a table may have beyond the ids that there are
TABLES = ("catalog", "features", "history", "item_groups", "baseline_lists")


@dataclass(frozen=True, kw_only=True)
class SideTables:
    """The tables given with the lists, as they were read; None where there is none."""

    catalog: Table | None = None
    features: ItemFeatures | None = None
    history: Table | None = None
    item_groups: Table | None = None
    baseline_lists: Table | None = None

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        columns: Mapping[str, Any] | None,
        orders: Collection[str] = ("default",),
    ) -> SideTables:
        readers: dict[str, Any] = {
            "catalog": background.catalog,
            "features": background.features,
            "history": background.history,
            "item_groups": background.item_groups,
            "baseline_lists": partial(background.baseline_lists, orders=orders),
        }
        return cls(**{name: readers[name](table, columns=columns) for name, table in given.items()})

    @property
    def tables(self) -> dict[str, Table]:
        found = {name: getattr(self, name) for name in TABLES}
        return {
            name: one.table if isinstance(one, ItemFeatures) else one
            for name, one in found.items()
            if one is not None
        }

    def inputs(self) -> dict[str, pl.DataFrame]:
        found = {name: table.frame for name, table in self.tables.items()}
        if self.features is not None:
            found["features"] = self.features.frame
        if self.baseline_lists is not None and {"score", "rank"}.isdisjoint(found["baseline_lists"].columns):
            found["baseline_lists"] = found["baseline_lists"].with_columns(
                place=pl.int_range(pl.len()).over("query")
            )
        return found

    @property
    def notes(self) -> list[Message]:
        return [note for table in self.tables.values() for note in table.notes]


NO_SIDE_TABLES = SideTables()


@dataclass(frozen=True, kw_only=True, eq=False)
class History(Frozen):
    """What users had before: the items of each user of the lists, and how popular each item was with all.

    The items of user ``u`` are ``item[offsets[u]:offsets[u + 1]]``, each once, with the ``count`` of his
    interactions. ``users`` and ``interactions`` are those of each item; ``n_users`` had anything at all.
    """

    name: str
    offsets: Ints
    item: Ints
    count: Floats
    users: Ints
    interactions: Floats
    n_users: int

    @once
    def user(self) -> Ints:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @once
    def place(self) -> Ints:  # the most popular at 0; equal ones by id, the last first
        order = np.lexsort((-np.arange(len(self.interactions)), -self.interactions))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return place

    def holds(self, offsets: Ints, item: Ints) -> Flags:
        return _held(offsets, item, self.offsets, self.item)


@dataclass(frozen=True, kw_only=True, eq=False)
class Background(Frozen):
    """What is known of each item, by its number among ``items``, and of each user of the lists."""

    items: pl.Series
    in_catalog: Flags | None = None
    features: Features | None = None
    history: History | None = None
    group: Ints | None = None  # of each item, -1 where it has none
    groups: tuple[str, ...] = ()
    baseline_offsets: Ints | None = None
    baseline_lists: Ints | None = None
    names: Mapping[str, str] = field(default_factory=dict)  # how each table is called

    @property
    def n_items(self) -> int:
        if self.in_catalog is not None:
            return int(self.in_catalog.sum())
        return len(self.items) if self.history is None else int((self.history.users > 0).sum())

    @property
    def numbers(self) -> int:  # about how many it holds
        features, history = self.features, self.history
        held = len(self.items) + (0 if self.baseline_lists is None else len(self.baseline_lists))
        held += 0 if features is None else features.dense.size + len(features.place)
        return held + (0 if history is None else len(history.item))

    def has(self, tables: Sequence[str]) -> bool:
        """Whether some tables were read; of ``one or other`` either will do. A truth is not kept here."""
        known = {*self.names, "truth"}
        return all(known.intersection(name.split(" or ")) for name in tables)

    def only(self, queries: Ints) -> Background:
        history, baseline_lists, offsets = self.history, self.baseline_lists, self.baseline_offsets
        if baseline_lists is not None and offsets is not None:
            entry, offsets = parts_of(offsets, queries)
            baseline_lists = baseline_lists[entry]
        if history is not None:
            entry, ends = parts_of(history.offsets, queries)
            history = replace(history, offsets=ends, item=history.item[entry], count=history.count[entry])
        return replace(self, history=history, baseline_lists=baseline_lists, baseline_offsets=offsets)

    @once
    def more_popular(self) -> Ints:  # of the catalogue, or of the history
        assert self.history is not None
        popular = self.history.interactions
        among = np.sort(popular[self.history.users > 0 if self.in_catalog is None else self.in_catalog])
        return len(among) - np.searchsorted(among, popular, side="right")

    @once
    def popular_place(self) -> Ints:
        """The place of each item by popularity among those that could be shown: of history and catalogue.

        The others stand behind all of these.
        """
        assert self.history is not None
        among = (
            self.history.users > 0 if self.in_catalog is None else (self.history.users > 0) & self.in_catalog
        )
        order = np.empty(len(self.history.place), np.int64)
        order[self.history.place] = np.arange(len(order))
        place = np.full(len(order), len(order))
        place[order[among[order]]] = np.arange(int(among.sum()))
        return place

    @once
    def surprise(self) -> Floats:  # the share of items that are more popular
        return self.more_popular / self.n_items

    def baseline_holds(self, offsets: Ints, item: Ints, k: int | None) -> Flags:
        assert self.baseline_lists is not None
        assert self.baseline_offsets is not None
        place = np.arange(len(self.baseline_lists)) - np.repeat(
            self.baseline_offsets[:-1], np.diff(self.baseline_offsets)
        )
        near = place < (len(place) if k is None else k)
        ends = offsets_of(near)[self.baseline_offsets]
        return _held(offsets, item, ends, self.baseline_lists[near])


def with_background(
    lists: Table, item: pl.Series, further: Sequence[pl.Series], side_tables: SideTables, queries: pl.Series
) -> tuple[Background, Ints, list[Ints]]:
    """The background of lists, and the codes of their items, of further columns and of ``baseline_lists``.

    ``item`` is the item column of ``lists``, ``further`` are columns in the same type; ``queries`` are all
    users, in the order of the lists.
    """
    tables = side_tables.tables
    columns = _same_type(lists, item, further, list(tables.values()))
    items, codes = code_items(columns)
    mine, *others = codes
    of_table = dict(zip(tables, others[len(further) :], strict=True))
    known: dict[str, Any] = {}
    if side_tables.catalog is not None:
        known["in_catalog"] = np.zeros(len(items), bool)
        known["in_catalog"][of_table["catalog"]] = True
    if side_tables.features is not None:
        known["features"] = Features.of(side_tables.features, of_table["features"], len(items))
    if side_tables.history is not None:
        user = users_of(lists, side_tables.history, queries)
        known["history"] = _history(side_tables.history, user, of_table["history"], len(queries), len(items))
    if side_tables.item_groups is not None:
        groups, [place] = code_items([side_tables.item_groups.frame["group"]])
        known["group"] = np.full(len(items), -1, np.int64)
        known["group"][of_table["item_groups"]] = place
        known["groups"] = tuple(groups.to_list())
    names = {name: table.name for name, table in tables.items()}
    further_codes = [
        *others[: len(further)],
        *([of_table["baseline_lists"]] if "baseline_lists" in of_table else []),
    ]
    return Background(items=items, names=names, **known), mine, further_codes


def _same_type(
    lists: Table, item: pl.Series, further: Sequence[pl.Series], tables: Sequence[Table]
) -> list[pl.Series]:
    anchor = replace(lists, frame=item.alias("item").to_frame())
    pairs = [reconcile(anchor, table, "item") for table in tables]
    columns = [item, *further, *(theirs for _, theirs in pairs)]
    kinds = {mine.dtype for mine, _ in pairs} | {item.dtype}
    if len(kinds) > 1:  # some tables have ids as numbers, others as the text of a file without types
        numbers = next((mine for mine, _ in pairs if mine.dtype != pl.String), item)
        shared = pl.String if any(one.dtype == pl.String for one in columns[1:]) else numbers.dtype
        columns = [one.cast(shared) for one in columns]
    return columns


def code_items(columns: Sequence[pl.Series]) -> tuple[pl.Series, list[Ints]]:
    """Every item of some columns once, rising, and the number of each entry among them.

    >>> items, codes = code_items([pl.Series(["b", "a"]), pl.Series(["c", "b"])])
    >>> items.to_list(), [one.tolist() for one in codes]
    (['a', 'b', 'c'], [[1, 0], [2, 1]])
    """
    if columns[0].dtype == pl.Int64:
        return _code_integers([one.to_numpy() for one in columns])
    ends = np.cumsum([len(one) for one in columns])[:-1]
    together = pl.concat([one.alias("item") for one in columns])
    place, items = grouped(together)
    return items, np.split(place, ends)


def _code_integers(columns: Sequence[Ints]) -> tuple[pl.Series, list[Ints]]:
    total = sum(map(len, columns))
    low = min((int(one.min()) for one in columns if len(one)), default=0)
    high = max((int(one.max()) for one in columns if len(one)), default=-1)
    if high - low >= 4 * total + _FEW:
        found, codes = distinct(np.concatenate(columns))
        return pl.Series("item", found), np.split(codes, np.cumsum([len(one) for one in columns])[:-1])
    there = np.zeros(high - low + 1, bool)
    for one in columns:
        there[one - low if low else one] = True
    items = pl.Series("item", np.flatnonzero(there) + low)
    if len(items) == len(there):
        return items, [one - low if low else one for one in columns]
    number = np.cumsum(there) - 1
    return items, [number[one - low if low else one] for one in columns]


def users_of(lists: Table, table: Table, queries: pl.Series) -> Ints:
    """The place of each row's user among those of the lists; -1 where it is none of them."""
    anchor = replace(lists, frame=queries.alias("query").to_frame())
    mine, theirs = reconcile(anchor, table, "query")
    return looked_up(theirs, mine, np.arange(len(mine))).fill_null(-1).to_numpy()


def _history(table: Table, user: Ints, item: Ints, n_queries: int, n_items: int) -> History:
    _, [every] = code_items([table.frame["query"]])
    n_users = int(every.max()) + 1 if len(every) else 0
    count = table.frame["count"].to_numpy()
    pair, which = distinct(every * n_items + item)
    first = np.empty(len(pair), np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]
    summed = segment_sum(count, which, len(pair))
    own = user[first]
    mine = np.flatnonzero(own >= 0)
    order, offsets = kernels.group_rows(own[mine], n_queries)
    mine = mine if order is None else mine[order]
    return History(
        name=table.name,
        offsets=offsets,
        item=pair[mine] % n_items,
        count=summed[mine],
        users=np.bincount(pair % n_items, minlength=n_items),
        interactions=segment_sum(count, item, n_items),
        n_users=n_users,
    )


def _held(offsets: Ints, item: Ints, other_offsets: Ints, others: Ints) -> Flags:
    found = kernels.match_rows(offsets, item.view(np.uint64), other_offsets, others.view(np.uint64))
    return found.judgement >= 0
