"""A matrix of scores meets its judgements where it stands: ranks are counts, and no cell is moved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard import read
from steelyard.arrays import Ints
from steelyard.conventions import Align, Order
from steelyard.engine.align import Aligned, align, check_grades
from steelyard.engine.coding import Encoded, encode
from steelyard.engine.protocol import Tally
from steelyard.read import Grid, Table


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
        scores, n_excluded = _without(grid.scores, _cells_of(exclude, grid))
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


def align_grid(matrices: EncodedGrid, convention: Align, order: Order) -> Aligned:
    grid = matrices.grid
    n_queries, _ = grid.shape
    as_rows = {("unjudged", "drop_negative"), ("judgements", "mixed"), ("grades", "relevant")}
    if order != "score" or any(getattr(convention, name) == word for name, word in as_rows):
        long = align(matrices.encoded(np.arange(n_queries)), convention, order)
        tally = long.tally.also(masked=matrices.n_masked, excluded=matrices.n_excluded)
        return replace(long, tally=tally)

    check_grades(grid.grade, convention, matrices.truth.table.name)
    scores, n_matched = grid.scores, 0
    if convention.self_match == "drop":
        scores, n_matched = _without(scores, np.arange(min(grid.shape)) * (grid.shape[1] + 1))
    retrieved = np.count_nonzero(scores > -np.inf, axis=1).astype(np.int64)
    emptied = int((retrieved == 0).sum())
    strength, cell, grade = scores.reshape(-1), grid.cell, grid.grade
    shown = strength[cell] > -np.inf
    of_query = np.diff(np.searchsorted(cell, grid.starts))
    shown_of_query = np.diff(np.searchsorted(cell[shown], grid.starts))
    # a whole grid has judged all other cells with 0; of another one they have no judgement
    others = retrieved - shown_of_query
    zeros = grid.shape[1] - of_query if grid.whole else np.zeros_like(retrieved)
    entry, row = None, cell[shown]
    offsets = grid.starts
    if convention.unjudged == "drop" and not grid.whole:
        entry, row = row, np.arange(len(row))
        strength, retrieved = strength[entry], shown_of_query
        offsets = np.searchsorted(entry, grid.starts)
    hit_grade = grade[shown]
    if convention.judgements == "retrieved":
        cell, grade = cell[shown], grade[shown]
        zeros = others if grid.whole else zeros
    judged_offsets = np.searchsorted(cell, grid.starts)
    relevant = np.concatenate(([0], np.cumsum(grade > 0)))
    tally = Tally.of(
        predictions=grid.scores.size,
        judgements=grid.n_judgements,
        queries=n_queries,
        queries_predicted=n_queries,
        queries_judged=n_queries,
        queries_missing=0,
        queries_unexpected=0,
        queries_without_relevant=int((np.diff(relevant[judged_offsets]) == 0).sum()),
        doubled_predictions=0,
        doubled_judgements=0,
        masked=matrices.n_masked,
        excluded=matrices.n_excluded,
        self_matched=n_matched,
        unjudged=0 if grid.whole else int(others.sum()),
        retrieved=int(retrieved.sum()),
        hits=int(np.count_nonzero(hit_grade)),
    )
    if emptied:
        tally = tally.also(queries_emptied=emptied)
    return Aligned(
        queries=matrices.queries,
        offsets=offsets,
        retrieved=retrieved,
        entry=entry,
        strength=strength,
        hit_row=row[hit_grade != 0],
        hit_grade=hit_grade[hit_grade != 0],
        judgement=None,
        judged_offsets=judged_offsets,
        grade=grade,
        zeros=zeros,
        predictions=matrices.predictions,
        tally=tally,
    )


def _without(scores: NDArray[Any], cells: Ints) -> tuple[NDArray[Any], int]:
    flat = scores.reshape(-1)
    cells = cells[flat[cells] > -np.inf]
    flat = flat.copy()
    flat[cells] = -np.inf
    return flat.reshape(scores.shape), len(cells)


def _cells_of(pairs: Table, grid: Grid) -> Ints:  # each once; others are left out
    rows, columns = grid.shape
    row, column = (_numbers(pairs, role, size) for role, size in (("query", rows), ("item", columns)))
    inside = (row >= 0) & (column >= 0)
    return np.unique(row[inside] * columns + column[inside])


def _numbers(pairs: Table, role: str, size: int) -> Ints:  # -1 where there is none
    known = pl.DataFrame({role: np.arange(size)})
    mine = Table(frame=known, extra=pl.DataFrame(), name="predictions", untyped=False, listed=False)
    _, ids = read.reconcile(mine, pairs, role)
    numbers = ids.cast(pl.Int64, strict=False).fill_null(-1).to_numpy()
    return np.where((numbers >= 0) & (numbers < size), numbers, -1)
