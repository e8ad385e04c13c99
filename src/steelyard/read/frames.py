"""Tables that are in memory already: Polars, PyArrow, pandas, whatever speaks Arrow, and plain objects."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

from steelyard.messages.errors import opening, reading
from steelyard.messages.errors.places import word
from steelyard.read.table import Source, check_unique, exactly, of_lists

_FIRST_ROWS = 100
# what Polars says of objects that it cannot hold; a panic prints its own words besides
REFUSALS = (
    TypeError,
    ValueError,
    OverflowError,
    ArithmeticError,
    AttributeError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)


def source_of(data: Any, name: str) -> Source | None:
    """A table in memory as a source of columns, or None when it is not one."""
    if isinstance(data, pl.DataFrame):
        return Source.of(data, name)
    if isinstance(data, pl.LazyFrame):
        return _lazy(data, name)
    if is_of(data, "pandas", "DataFrame"):
        return _pandas(data, name)
    if is_of(data, "pyarrow", "Table"):
        return _arrow(data, name)
    if hasattr(data, "__arrow_c_stream__") and not isinstance(data, pl.Series):
        return Source.of(_attempt(name, lambda: pl.DataFrame(data)), name)
    return None


def is_of(data: object, module: str, kind: str) -> bool:
    """Whether ``data`` is of a library's class, without importing the library."""
    return module in sys.modules and isinstance(data, getattr(sys.modules[module], kind, ()))


def _attempt(name: str, collect: Callable[[], Any]) -> Any:
    try:
        return collect()
    except (Exception, pl.exceptions.PanicException) as error:  # a function of the user may raise anything
        text = str(error).strip().split("\n")[0]
        if not (isinstance(error, pl.exceptions.PolarsError) and text):
            text = f"{type(error).__name__}: {text}".rstrip(": ")
        raise opening.query_failed(name=name, reason=text) from error


def _lazy(data: pl.LazyFrame, name: str) -> Source:
    columns = _attempt(name, data.collect_schema)

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        frame: pl.DataFrame = _attempt(name, lambda: data.select(exactly(wanted)).collect())
        return frame

    return Source(name=name, columns=tuple(columns), load=load, lists=of_lists(columns))


def _arrow(data: Any, name: str) -> Source:
    columns = tuple(data.column_names)
    check_unique(columns, name)

    def load(wanted: Sequence[str], rows: int = data.num_rows) -> pl.DataFrame:
        some = data.select(list(wanted)).slice(0, rows)
        frame: pl.DataFrame = _attempt(name, lambda: pl.DataFrame(some))
        frame.columns = list(wanted)  # Polars gives a name to a column whose name is empty
        return frame

    lists = tuple(field.name for field in data.schema if "list" in str(field.type).partition("<")[0])
    return Source(name=name, columns=columns, load=load, peek=load, lists=lists)


def _pandas(data: Any, name: str) -> Source:
    labels = list(data.columns)
    columns = tuple(map(str, labels))
    check_unique(columns, name)
    label = dict(zip(columns, labels, strict=True))

    def load(wanted: Sequence[str], rows: int = len(data)) -> pl.DataFrame:
        if not wanted:
            return pl.DataFrame(height=rows)
        return pl.DataFrame(
            {column: as_polars(data[label[column]].head(rows), column, name) for column in wanted}
        )

    index = tuple(str(level) for level in data.index.names if level is not None)
    lists = tuple(column for column in columns if holds_lists(data[label[column]]))
    return Source(name=name, columns=columns, load=load, peek=load, index=index, lists=lists)


def holds_lists(series: Any) -> bool:
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
    kinds = kinds_of(plain_values)
    try:
        return pl.Series(column, plain_values, dtype=pl.String if kinds == ["str"] else None)
    except REFUSALS:
        if kinds == ["int"]:
            raise reading.huge_integers(name=name, column=column) from None
        raise reading.mixed_column(name=name, column=column, types=kinds) from None


def series_of(column: str, values: Any, name: str) -> pl.Series:
    """Values as a column of the table ``name``, numbers of several types as one."""
    if not isinstance(values, list | tuple):
        try:
            return pl.Series(column, values, strict=False)
        except REFUSALS:
            raise reading.not_numbers(
                role=word(column), type=str(getattr(values, "dtype", type(values)))
            ) from None
    plain = _with_nulls(values)
    if _differ(set(map(type, plain)) - {type(None)}):
        raise reading.mixed_column(name=name, column=column, types=kinds_of(plain))
    try:
        found = pl.Series(column, plain, strict=False)
    except REFUSALS:
        raise reading.mixed_column(name=name, column=column, types=kinds_of(plain)) from None
    # Polars makes null of a whole number that no type of it can hold
    lost = found.is_null().arg_true() if found.null_count() else ()
    if any(isinstance(plain[row], int) for row in lost):
        raise reading.huge_integers(name=name, column=column)
    return found


def _with_nulls(values: Sequence[Any]) -> Sequence[Any]:
    """Values with null for what pandas has instead of it: NA, NaT, and NaN beside text."""
    kinds = set(map(type, values))
    of_pandas = {kind for kind in kinds if kind.__name__ in ("NAType", "NaTType")}
    floats = {kind for kind in kinds if issubclass(kind, float)}
    if not (of_pandas or (floats and any(issubclass(kind, str) for kind in kinds))):
        return values
    return [
        None if type(value) in of_pandas or (type(value) in floats and math.isnan(value)) else value
        for value in values
    ]


def _differ(kinds: set[type]) -> bool:
    """Whether a part of some number would be lost, or text would become one with a number."""
    texts = {kind for kind in kinds if issubclass(kind, str)}
    is_complex = any(issubclass(kind, complex | np.complexfloating) for kind in kinds)
    return is_complex or bool(texts and texts != kinds)


def kinds_of(values: Iterable[Any]) -> list[str]:
    """The types of values by name, nulls apart."""
    return sorted({kind.__name__ for kind in set(map(type, values))} - {"NoneType"})
