"""Two matrices held as they are: no cell becomes a row of a long table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.messages.errors.places import word
from steelyard.read import arrays, schema
from steelyard.read.table import Part, Table

_LOWEST = float(np.finfo(np.float32).min)
_SMALL = 2  # bytes of an integer that single precision holds exactly


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """Dense scores, a query in each row and an item in each column, and the judgements of their cells.

    ``cell`` numbers the judged cells row by row, ascending. Of dense labels only those with a grade other
    than 0 are there, and all others are judged with 0; of sparse labels, all that are stored.
    """

    scores: NDArray[Any]  # a copy in single or double precision, without -0.0
    cell: Ints
    grade: Floats
    whole: bool  # whether every cell is judged

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of queries and of items."""
        return self.scores.shape[0], self.scores.shape[1]

    @property
    def n_judgements(self) -> int:
        """How many judgements there are, those of grade 0 included."""
        return self.scores.size if self.whole else len(self.cell)

    @cached_property
    def starts(self) -> Ints:
        """The number of each query's first cell, and at the end the number of cells."""
        rows, columns = self.shape
        return np.arange(rows + 1) * columns

    def without_rows(self) -> tuple[Table, Table]:
        """Predictions and truth by name and columns alone."""
        nothing = np.empty(0, np.int64)
        return self.predictions(nothing), self.truth(nothing)

    def predictions(self, queries: Ints) -> Table:
        """The scores of some queries as a long table."""
        return self._table(
            word("predictions"), "score", self._cells(queries), self.scores[queries].reshape(-1)
        )

    def truth(self, queries: Ints) -> Table:
        """The judgements of some queries as a long table."""
        wanted = self._cells(queries)
        at = np.minimum(np.searchsorted(self.cell, wanted), len(self.cell) - 1)
        stored = self.cell[at] == wanted if len(self.cell) else np.zeros(len(wanted), bool)
        grade = np.zeros(len(wanted))
        grade[stored] = self.grade[at[stored]]
        kept = np.ones(len(wanted), bool) if self.whole else stored
        return self._table(word("truth"), "relevance", wanted[kept], grade[kept])

    def _cells(self, queries: Ints) -> Ints:
        columns = self.shape[1]
        return (queries[:, None] * columns + np.arange(columns)).reshape(-1)

    def _table(self, name: str, role: str, cells: Ints, values: NDArray[Any]) -> Table:
        row, column = np.divmod(cells, self.shape[1])
        frame = pl.DataFrame({"query": row, "item": column, role: values.astype(np.float64)})
        keys = pl.DataFrame({"row": row, "column": column})
        return Table(
            frame=frame,
            extra=pl.DataFrame(height=frame.height),
            name=name,
            untyped=False,
            listed=False,
            columns=tuple(frame.columns),
            parts=(Part(name=name, height=frame.height, keys=keys),),
        )


def grid(scores: Any, labels: Any) -> Grid | None:
    """Two matrices as they are, or None where they must be read cell by cell, or be refused there."""
    arrays.check_shapes(scores, labels)
    if arrays.is_sparse(scores) or np.ma.is_masked(scores) or np.ma.is_masked(labels):
        return None
    kept = _scores(np.asarray(scores))
    judged = None if kept is None else _judged(labels)
    if kept is None or judged is None:
        return None
    cell, values = judged
    row, column = np.divmod(cell, kept.shape[1])
    part = Part(name=word("truth"), height=len(cell), keys=pl.DataFrame({"row": row, "column": column}))
    grade = schema.number(pl.Series("relevance", values), "relevance", part, untyped=False).to_numpy()
    return Grid(scores=kept, cell=cell, grade=grade, whole=not arrays.is_sparse(labels))


def _scores(given: NDArray[Any]) -> NDArray[Any] | None:
    """A copy of the scores, None where one of them needs a closer look."""
    kind, size = given.dtype.kind, given.dtype.itemsize
    if not given.dtype.isnative or kind not in "iuf" or (kind == "f" and size not in (4, 8)):
        return None
    low, high = given.min(), given.max()  # NaN where there is one
    if kind == "f":
        if not high < np.inf or np.isnan(low):
            return None
        if low < _LOWEST and np.count_nonzero(given < _LOWEST) > np.count_nonzero(given == -np.inf):
            return None  # in single precision these would not be told from what is masked
        kept = np.array(given, order="C")
        kept += 0.0  # -0.0 is 0.0
        return kept
    if max(abs(int(low)), abs(int(high))) > schema.EXACT:
        return None
    return np.array(given, dtype=np.float32 if size <= _SMALL else np.float64, order="C")


def _judged(labels: Any) -> tuple[Ints, NDArray[Any]] | None:
    """The judged cells and their labels; of dense labels, those other than 0."""
    columns = int(labels.shape[1])
    if arrays.is_sparse(labels):
        ids, values = arrays.stored(labels, keep_rows=True)
        cell = ids["query"].to_numpy() * columns + ids["item"].to_numpy()
        order = np.argsort(cell)
        return (cell[order], values[order]) if _is_number(values) else None
    given = np.asarray(labels)
    if not _is_number(given):
        return None
    if given.flags.c_contiguous:
        cell = np.flatnonzero(given)
        return cell, given.reshape(-1)[cell]
    row, column = np.nonzero(given)
    return row * columns + column, given[row, column]


def _is_number(values: NDArray[Any]) -> bool:
    kind, size = values.dtype.kind, values.dtype.itemsize
    return values.dtype.isnative and kind in "iufb" and not (kind == "f" and size not in (4, 8))
