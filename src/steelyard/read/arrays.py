"""Matrices whose rows are queries and whose columns are items: NumPy arrays and SciPy sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Ints
from steelyard.messages import say
from steelyard.messages.errors import opening
from steelyard.messages.errors.places import word
from steelyard.read import schema
from steelyard.read.table import Part, Source

_MATRICES = {"score": say("the score matrix"), "relevance": say("the relevance matrix")}


def is_matrix(data: object) -> bool:
    """Whether ``data`` is an array or a sparse matrix, to be given together with another one."""
    return isinstance(data, np.ndarray) or is_sparse(data) or _is_tensor(data)


def is_sparse(data: object) -> bool:
    """Whether ``data`` is a SciPy sparse matrix."""
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def _is_tensor(data: object) -> bool:
    return hasattr(data, "__array__") and hasattr(data, "ndim") and not hasattr(data, "columns")


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
    """The shape that both matrices have."""
    shapes = _shape(scores, _MATRICES["score"]), _shape(labels, say("the label matrix"))
    if shapes[0] != shapes[1]:
        raise opening.shapes_differ(*shapes)
    if 0 in shapes[0]:
        raise opening.no_rows(name=_MATRICES["score"])
    return shapes[0]


def _shape(data: Any, name: str) -> tuple[int, ...]:
    if not is_matrix(data):
        raise opening.not_matrix(name=name, what=say("a {type}", type=type(data).__name__))
    shape = tuple(map(int, data.shape))
    if len(shape) != 2:
        what = say("an array of {n} {n:dimension|dimensions}", n=len(shape))
        raise opening.not_matrix(name=name, what=what)
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
        ids, values = cells, np.asarray(data).reshape(-1)
    mask = np.ma.getmaskarray(data).reshape(-1) if np.ma.is_masked(data) else None
    if values.dtype.kind not in "iufb" or (values.dtype.kind == "b" and role == "score"):
        raise opening.not_matrix(name=_MATRICES[role], what=say("of type {type}", type=str(values.dtype)))
    numbers = pl.Series(role, values)
    if mask is not None and role == "relevance":
        ids, numbers = ids.filter(~mask), numbers.filter(~mask)
    keys = ids.rename({"query": "row", "item": "column"})
    if mask is not None and role == "score":
        numbers = _not_retrieved(numbers, mask, Part(name=name, height=ids.height, keys=keys))
    return Source.of(ids.with_columns(numbers), name, keys=keys)


def _not_retrieved(scores: pl.Series, mask: Flags, part: Part) -> pl.Series:
    """Scores with -inf in the masked cells; what stands under the mask is not looked at."""
    hidden = pl.Series(mask)
    seen = schema.number(scores.set(hidden, 0), "score", part, untyped=False)
    return seen.set(hidden, float("-inf"))


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
