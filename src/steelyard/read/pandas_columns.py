"""pandas columns as Polars columns, with PyArrow where it is installed and without it where not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

from steelyard.messages.errors import reading
from steelyard.messages.errors.places import word
from steelyard.read import objects
from steelyard.read.table import Source, check_unique

_FIRST_ROWS = 100


def source_of(data: Any, name: str) -> Source:
    """A pandas DataFrame as a source of columns; its index is not a column."""
    labels = list(data.columns)
    columns = tuple(map(str, labels))
    check_unique(columns, name)
    label = dict(zip(columns, labels, strict=True))

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        if not wanted:
            return pl.DataFrame(height=len(data))
        return pl.DataFrame({column: as_polars(data[label[column]], column, name) for column in wanted})

    def peek(wanted: Sequence[str], rows: int) -> pl.DataFrame:
        return pl.DataFrame(
            {column: as_polars(data[label[column]].head(rows), column, name) for column in wanted}
        )

    index = tuple(str(level) for level in data.index.names if level is not None)
    lists = tuple(column for column in columns if _holds_lists(data[label[column]]))
    return Source(name=name, columns=columns, load=load, peek=peek, index=index, lists=lists)


def _holds_lists(series: Any) -> bool:
    """Whether a column is of lists by its type, or by a value among its first rows."""
    if series.dtype != object:
        return "list" in str(series.dtype).partition("<")[0]
    return any(isinstance(value, list | tuple | np.ndarray) for value in series.head(_FIRST_ROWS))


def as_series(data: Any) -> Any:
    """A column, an index or an array of pandas as a pandas Series; None for anything else."""
    pandas = sys.modules.get("pandas")
    if pandas is None or isinstance(data, pandas.Series):
        return None if pandas is None else data
    columns = (pandas.Index, pandas.api.extensions.ExtensionArray)
    return pandas.Series(data) if isinstance(data, columns) else None


def as_polars(series: Any, column: str, name: str) -> pl.Series:
    """A pandas Series as a Polars one, nulls and categories kept."""
    if getattr(series.dtype, "kind", "") == "c":
        raise reading.not_numbers(role=word(column), type=str(series.dtype))
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufbM":
        return pl.Series(column, series.to_numpy())
    if find_spec("pyarrow") is not None:
        try:
            converted: pl.Series = pl.from_pandas(series, nan_to_null=False)  # type: ignore[assignment]
        except Exception:  # PyArrow's own errors say little; the way below names the trouble.
            pass
        else:
            return converted.alias(column)
    return _without_arrow(series, column, name)


def _without_arrow(series: Any, column: str, name: str) -> pl.Series:
    if hasattr(series, "cat"):
        categories = as_polars(series.cat.categories.to_series(), column, name)
        codes = pl.Series(series.cat.codes.to_numpy().astype(np.int64))
        return categories.gather(codes.set(codes < 0, None)).alias(column)
    missing = series.isna().to_numpy()
    plain = getattr(series.dtype, "numpy_dtype", None)
    if isinstance(plain, np.dtype) and plain.kind in "iufb":
        values = series.to_numpy(dtype=plain, na_value=plain.type(0))
        return pl.Series(column, values).set(pl.Series(missing), None)
    values = series.to_numpy(dtype=object, copy=True)
    values[missing] = None
    plain_values = values.tolist()
    kinds = objects.kinds_of(plain_values)
    try:
        return pl.Series(column, plain_values, dtype=pl.String if kinds == ["str"] else None)
    except objects.REFUSALS:
        if kinds == ["int"]:
            raise reading.huge_integers(name, column) from None
        raise reading.mixed_column(name=name, column=column, types=kinds) from None
