"""Ids become numbers once: queries become codes, items become 64-bit keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard import kernels, read
from steelyard.arrays import Flags, Floats, Ints, Keys
from steelyard.read import Grid, Table


@dataclass(frozen=True, kw_only=True)
class Side:
    """One table grouped by query: ``row`` says where each entry stands in the table."""

    table: Table
    row: Ints | None
    offsets: Ints
    key: Keys
    queries: pl.Series  # in the order of the table, in the type shared by all tables
    items: pl.Series | None  # the same

    @property
    def has_items(self) -> bool:
        return self.items is not None

    def rows(self, at: Ints) -> Ints:
        return at if self.row is None else self.row[at]

    def item_ids(self, rows: Ints) -> pl.Series | None:
        """The items of some rows of the table; None where there are no ids.

        They have the type that this table gives them, whatever the others have: it decides ties.
        """
        return None if self.items is None else self.table.frame["item"].gather(rows)

    def column(self, name: str) -> Floats:  # in the order of this side
        values = self.table.frame[name].to_numpy()
        return values if self.row is None else values[self.row]


@dataclass(frozen=True)
class Doubled:
    """Entries whose query and item stood before, and the first entry with the same."""

    again: Ints
    first: Ints


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """Both tables in numbers, before any convention is applied."""

    queries: pl.Series  # every id of either table, as they are met
    predictions: Side
    truth: Side
    judgement: Ints  # per prediction: the first truth entry with its query and item, or -1
    doubled: Doubled
    doubled_truth: Doubled
    excluded: Flags | None  # per prediction: whether the exclude table names it


def encode(predictions: Table, truth: Table, exclude: Table | None = None) -> Encoded:
    """Put two tables (and what is to be excluded) into numbers."""
    tables = [predictions, truth] + ([exclude] if exclude is not None else [])
    query_columns, item_columns = _same_types(tables, "query"), _same_types(tables, "item")
    queries, codes = code_queries(query_columns)
    if item_columns[0].dtype.is_integer():
        keys = [column.to_numpy().view(np.uint64) for column in item_columns]
    else:
        keys = [hashed(column) for column in item_columns]
    columns = list(zip(tables, codes, query_columns, item_columns, strict=True))
    sides = [_side(*column, key, len(queries)) for column, key in zip(columns, keys, strict=True)]
    encoded, verified = _encoded(queries, *sides)
    if verified:
        return encoded
    # two different texts share a 64-bit hash: number the texts themselves
    numbers = pl.concat(item_columns).rank("dense").to_numpy().astype(np.uint64)
    keys = np.split(numbers, np.cumsum([len(column) for column in item_columns])[:-1])
    sides = [_side(*column, key, len(queries)) for column, key in zip(columns, keys, strict=True)]
    return _encoded(queries, *sides)[0]


def encode_labelled(table: Table) -> Encoded:  # each row is its own judgement
    queries, codes = code_queries([table.frame["query"]])
    order, offsets = kernels.group_rows(codes[0], len(queries))
    own = np.arange(table.frame.height)
    side = Side(
        table=table,
        row=order,
        offsets=offsets,
        key=own.view(np.uint64),
        queries=table.frame["query"],
        items=None,
    )
    none = Doubled(own[:0], own[:0])
    return Encoded(
        queries=queries,
        predictions=side,
        truth=side,
        judgement=own,
        doubled=none,
        doubled_truth=none,
        excluded=None,
    )


def code_queries(columns: list[pl.Series]) -> tuple[pl.Series, list[Ints]]:
    """Number the queries of several columns as they are met.

    Rows of one query usually stand together, so only the head of each run is looked up, and the first
    column's rows need not be moved to be grouped.
    """
    runs = [column.rle().struct.unnest() for column in columns]
    heads = pl.concat([run["value"].alias("id") for run in runs])
    ids = heads.unique(maintain_order=True)
    numbered = pl.DataFrame([ids, pl.Series("code", np.arange(len(ids)))])
    code = heads.to_frame().join(numbered, on="id", how="left", maintain_order="left")["code"].to_numpy()
    ends = np.cumsum([run.height for run in runs])[:-1]
    return ids, [
        np.repeat(part, run["len"].to_numpy()) for part, run in zip(np.split(code, ends), runs, strict=True)
    ]


def _encoded(
    queries: pl.Series, predictions: Side, truth: Side, exclude: Side | None = None
) -> tuple[Encoded, bool]:
    """Match the sides; also say whether every pair with one key really names one item."""
    doubled_truth = _doubled(truth)
    judgement, doubled = _match(predictions, truth, doubled_truth)
    hits = np.flatnonzero(judgement >= 0)
    verified = (
        _same_items(predictions, hits, truth, judgement[hits])
        and (not len(doubled.again) or _same_items(predictions, doubled.again, predictions, doubled.first))
        and (
            not len(doubled_truth.again)
            or _same_items(truth, doubled_truth.again, truth, doubled_truth.first)
        )
    )
    excluded = None
    if exclude is not None:
        seen, _ = _match(predictions, exclude, _doubled(exclude))
        excluded = seen >= 0
        at = np.flatnonzero(excluded)
        verified = verified and _same_items(predictions, at, exclude, seen[at])
    encoded = Encoded(
        queries=queries,
        predictions=predictions,
        truth=truth,
        judgement=judgement,
        doubled=doubled,
        doubled_truth=doubled_truth,
        excluded=excluded,
    )
    return encoded, verified


def _doubled(side: Side) -> Doubled:
    nothing = np.zeros_like(side.offsets)
    found = kernels.match_rows(side.offsets, side.key, nothing, np.empty(0, np.uint64))
    return Doubled(found.again, found.first)


def _match(rows: Side, others: Side, doubled: Doubled) -> tuple[Ints, Doubled]:
    """Per row the first entry of ``others`` with its query and item; and the rows that stand twice."""
    offsets, key = others.offsets, others.key
    once = None
    if len(doubled.again):
        once = np.delete(np.arange(len(key)), doubled.again)
        offsets, key = np.searchsorted(once, offsets), key[once]
    found = kernels.match_rows(rows.offsets, rows.key, offsets, key)
    judgement = found.judgement if once is None else np.where(found.judgement >= 0, once[found.judgement], -1)
    return judgement, Doubled(found.again, found.first)


def _side(table: Table, code: Ints, queries: pl.Series, items: pl.Series, key: Keys, n_queries: int) -> Side:
    order, offsets = kernels.group_rows(code, n_queries)
    grouped = key if order is None else key[order]
    return Side(table=table, row=order, offsets=offsets, key=grouped, queries=queries, items=items)


def _same_types(tables: list[Table], column: str) -> list[pl.Series]:
    first, second = read.reconcile(tables[0], tables[1], column)
    if len(tables) == 2:
        return [first, second]
    third = tables[2]
    _, shared = read.reconcile(tables[0], third, column)
    if shared.dtype == first.dtype:
        return [first, second, shared]
    meeting = tables[1] if tables[1].frame[column].dtype == first.dtype else tables[0]
    _, shared = read.reconcile(meeting, third, column)
    return [first.cast(shared.dtype), second.cast(shared.dtype), shared]


def hashed(column: pl.Series) -> Keys:
    """A 64-bit hash of each id; equal hashes are compared by the ids themselves before they count."""
    return cast("Keys", column.hash(seed=2026).to_numpy())


def _same_items(left: Side, left_at: Ints, right: Side, right_at: Ints) -> bool:
    if left.items is None or right.items is None:
        return True
    return bool((left.items[left.rows(left_at)] == right.items[right.rows(right_at)]).all())


@dataclass(frozen=True, kw_only=True)
class GridSide:
    """Cells as rows: their number gives the query and the item."""

    table: Table
    queries: pl.Series
    columns: int

    @property
    def has_items(self) -> bool:
        return True

    def rows(self, at: Ints) -> Ints:
        return at

    def item_ids(self, rows: Ints) -> pl.Series:
        return pl.Series(rows % self.columns)


@dataclass(frozen=True, kw_only=True)
class EncodedGrid:
    """Two matrices before any convention is applied; a cell that is excluded has a score of -inf."""

    grid: Grid
    n_masked: int
    n_excluded: int
    numbers: pl.Series | None = None  # of the rows, where others were let go

    @classmethod
    def of(cls, grid: Grid, exclude: Table | None) -> EncodedGrid:
        n_masked = int(np.count_nonzero(grid.scores == -np.inf))
        if exclude is None:
            return cls(grid=grid, n_masked=n_masked, n_excluded=0)
        row, column = (_numbers(exclude, *axis) for axis in zip(("query", "item"), grid.shape, strict=True))
        inside = (row >= 0) & (column >= 0)
        cells = np.unique(row[inside] * grid.shape[1] + column[inside])
        scores, n_excluded = masked(grid.scores, cells)
        return cls(grid=replace(grid, scores=scores), n_masked=n_masked, n_excluded=n_excluded)

    @cached_property
    def queries(self) -> pl.Series:
        return pl.Series("id", np.arange(self.grid.shape[0])) if self.numbers is None else self.numbers

    def only(self, queries: Ints) -> EncodedGrid:  # by their places, ascending
        return replace(self, grid=self.grid.only(queries), numbers=self.queries.gather(queries))

    @property
    def predictions(self) -> GridSide:  # a table without rows
        return self._side(self.grid.without_rows()[0])

    @property
    def truth(self) -> GridSide:  # a table without rows
        return self._side(self.grid.without_rows()[1])

    def _side(self, table: Table) -> GridSide:
        return GridSide(table=table, queries=self.queries, columns=self.grid.shape[1])

    def encoded(self, queries: Ints) -> Encoded:
        return encode(*map(self._numbered, (self.grid.predictions(queries), self.grid.truth(queries))))

    def _numbered(self, table: Table) -> Table:
        if self.numbers is None:
            return table
        numbers = self.numbers.gather(table.frame["query"]).alias("query")
        return replace(table, frame=table.frame.with_columns(numbers))


def masked(scores: NDArray[Any], cells: Ints) -> tuple[NDArray[Any], int]:
    """A copy with -inf in these cells, and how many of them were above it."""
    flat = scores.reshape(-1).copy()
    cells = cells[flat[cells] > -np.inf]
    flat[cells] = -np.inf
    return flat.reshape(scores.shape), len(cells)


def _numbers(pairs: Table, role: str, size: int) -> Ints:  # -1 where there is none
    known = pl.DataFrame({role: np.arange(size)})
    _, ids = read.reconcile(Table(frame=known, name="predictions"), pairs, role)
    numbers = ids.cast(pl.Int64, strict=False).fill_null(-1).to_numpy()
    return np.where((numbers >= 0) & (numbers < size), numbers, -1)
