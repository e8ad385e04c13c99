"""Matrices whose rows are queries and whose columns are items: NumPy arrays and SciPy sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints, numpy_of
from steelyard.read import schema
from steelyard.read.frames import of_frame
from steelyard.read.sources import is_matrix, is_sparse
from steelyard.read.table import Part, Source, Table
from steelyard.text import say
from steelyard.text.errors import reading
from steelyard.text.errors.forms import word

_LOWEST = float(np.finfo(np.float32).min)
_SMALL = 2  # bytes of an integer that single precision holds exactly
_MATRICES = {"score": say("the score matrix"), "relevance": say("the relevance matrix")}


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
        return self.scores.shape[0], self.scores.shape[1]

    @property
    def n_judgements(self) -> int:
        return self.scores.size if self.whole else len(self.cell)

    @cached_property
    def starts(self) -> Ints:
        """The number of each query's first cell, and at the end the number of cells."""
        rows, columns = self.shape
        return np.arange(rows + 1) * columns

    def only(self, queries: Ints) -> Grid:
        columns = self.shape[1]
        row = self.cell // columns
        kept = np.flatnonzero(np.isin(row, queries))
        cell = np.searchsorted(queries, row[kept]) * columns + self.cell[kept] % columns
        return Grid(scores=self.scores[queries], cell=cell, grade=self.grade[kept], whole=self.whole)

    def without_rows(self) -> tuple[Table, Table]:
        nothing = np.empty(0, np.int64)
        return self.predictions(nothing), self.truth(nothing)

    def predictions(self, queries: Ints) -> Table:
        return self._table(
            word("predictions"), "score", self._cells(queries), self.scores[queries].reshape(-1)
        )

    def truth(self, queries: Ints) -> Table:
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
            name=name,
            columns=tuple(frame.columns),
            parts=(Part(name=name, height=frame.height, keys=keys),),
        )


def grid(scores: Any, labels: Any) -> Grid | None:
    """Two matrices as they are, or None where they must be read cell by cell, or be refused there."""
    check_shapes(scores, labels)
    if is_sparse(scores) or np.ma.is_masked(scores) or np.ma.is_masked(labels):
        return None
    kept = _scores(numpy_of("predictions", scores))
    judged = None if kept is None else _judged(labels)
    if kept is None or judged is None:
        return None
    cell, values = judged
    row, column = np.divmod(cell, kept.shape[1])
    part = Part(name=word("truth"), height=len(cell), keys=pl.DataFrame({"row": row, "column": column}))
    grade = schema.number(pl.Series("relevance", values), "relevance", part, untyped=False).to_numpy()
    return Grid(scores=kept, cell=cell, grade=grade, whole=not is_sparse(labels))


def _scores(given: NDArray[Any]) -> NDArray[Any] | None:
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
    columns = int(labels.shape[1])
    if is_sparse(labels):
        ids, values = stored(labels, keep_rows=True)
        cell = ids["query"].to_numpy() * columns + ids["item"].to_numpy()
        order = np.argsort(cell)
        return (cell[order], values[order]) if _is_number(values) else None
    given = numpy_of("truth", labels)
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


def source(data: Any, name: str) -> Source:
    shape = _shape(data, name)
    if 0 in shape:
        raise reading.no_rows(name=name)
    return _source(data, "score", name, pl.DataFrame() if is_sparse(data) else _cells(shape))


def cells(data: Any, name: str) -> tuple[pl.DataFrame, NDArray[Any]]:
    """The row and the column of each cell other than 0, as query and item, and what stands there."""
    _shape(data, name)
    if is_sparse(data):
        ids, values = stored(data, keep_rows=False)
        return ids.filter(values != 0), values[values != 0]
    given = numpy_of(name, data)
    row, column = np.nonzero(given)
    return _ids(row, column), given[row, column]


def sources(scores: Any, labels: Any) -> tuple[Source, Source]:
    """Scores and labels as two sources of (query, item, number): the row and column numbers are the ids.

    Of a dense matrix every cell is a row. Of a sparse one only the stored cells are; a sparse label row
    without any is kept as one judgement of grade 0, so that its query counts as it does in the dense matrix.
    A masked cell of a masked array is not retrieved among the scores and not judged among the labels.
    """
    shape = check_shapes(scores, labels)
    cells = pl.DataFrame() if is_sparse(scores) and is_sparse(labels) else _cells(shape)
    return (
        _source(scores, "score", word("predictions"), cells),
        _source(labels, "relevance", word("truth"), cells),
    )


def check_shapes(scores: Any, labels: Any) -> tuple[int, ...]:
    shapes = _shape(scores, _MATRICES["score"]), _shape(labels, say("the label matrix"))
    if shapes[0] != shapes[1]:
        raise reading.shapes_differ(scores=shapes[0], labels=shapes[1])
    if 0 in shapes[0]:
        raise reading.no_rows(name=_MATRICES["score"])
    return shapes[0]


def _shape(data: Any, name: str) -> tuple[int, ...]:
    if not is_matrix(data):
        raise reading.not_matrix(name=name, what=say("a {type}", type=type(data).__name__))
    shape = tuple(map(int, data.shape))
    if len(shape) != 2:
        what = say("an array of {n} {n:dimension|dimensions}", n=len(shape))
        raise reading.not_matrix(name=name, what=what)
    return shape


def _cells(shape: tuple[int, ...]) -> pl.DataFrame:
    rows, columns = shape
    return _ids(np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows))


def _ids(rows: Ints, columns: Ints) -> pl.DataFrame:
    return pl.DataFrame(
        {"query": rows.astype(np.int64, copy=False), "item": columns.astype(np.int64, copy=False)}
    )


def _source(data: Any, role: str, name: str, cells: pl.DataFrame) -> Source:
    if is_sparse(data):
        ids, values = stored(data, keep_rows=role == "relevance")
    else:
        ids, values = cells, numpy_of(name, data).reshape(-1)
    mask = np.ma.getmaskarray(data).reshape(-1) if np.ma.is_masked(data) else None
    if values.dtype.kind not in "iufb" or (values.dtype.kind == "b" and role == "score"):
        raise reading.not_matrix(name=_MATRICES[role], what=say("of type {type}", type=str(values.dtype)))
    numbers = pl.Series(role, values)
    if mask is not None and role == "relevance":
        ids, numbers = ids.filter(~mask), numbers.filter(~mask)
    keys = ids.rename({"query": "row", "item": "column"})
    if mask is not None and role == "score":  # what stands under the mask is not looked at
        hidden, part = pl.Series(mask), Part(name=name, height=ids.height, keys=keys)
        seen = schema.number(numbers.set(hidden, 0), "score", part, untyped=False)
        numbers = seen.set(hidden, float("-inf"))
    return of_frame(ids.with_columns(numbers), name, keys=keys)


def stored(data: Any, *, keep_rows: bool) -> tuple[pl.DataFrame, np.ndarray[Any, Any]]:
    """The stored cells of a sparse matrix; doubled entries are added up, as SciPy does."""
    matrix = data.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    lengths = np.diff(matrix.indptr)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    if not keep_rows or lengths.all():
        return _ids(rows, matrix.indices), matrix.data
    empty = np.flatnonzero(lengths == 0)
    values = np.concatenate([matrix.data, np.zeros(len(empty), matrix.data.dtype)])
    return _ids(
        np.concatenate([rows, empty]), np.concatenate([matrix.indices, np.zeros(len(empty), np.int64)])
    ), values
