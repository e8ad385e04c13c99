"""Tables that are in memory already: Polars, PyArrow, pandas, and whatever speaks Arrow."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from steelyard.messages.errors import opening
from steelyard.read import pandas_columns
from steelyard.read.table import Source, check_unique, exactly, of_lists


def source_of(data: Any, name: str) -> Source | None:
    """A table in memory as a source of columns, or None when it is not one."""
    if isinstance(data, pl.DataFrame):
        return Source.of(data, name)
    if isinstance(data, pl.LazyFrame):
        return _lazy(data, name)
    if is_of(data, "pandas", "DataFrame"):
        return pandas_columns.source_of(data, name)
    if is_of(data, "pyarrow", "Table"):
        return _arrow(data, name)
    if hasattr(data, "__arrow_c_stream__") and not isinstance(data, pl.Series):
        return _stream(data, name)
    return None


def is_of(data: object, module: str, kind: str) -> bool:
    """Whether ``data`` is of a library's class, without importing the library."""
    return module in sys.modules and isinstance(data, getattr(sys.modules[module], kind, ()))


def _attempt(name: str, collect: Callable[[], Any]) -> Any:
    try:
        return collect()
    except (Exception, pl.exceptions.PanicException) as error:  # a function of the user may raise anything
        raise opening.query_failed(name=name, reason=_reason(error)) from error


def _reason(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    kind = type(error).__name__
    return text if isinstance(error, pl.exceptions.PolarsError) and text else f"{kind}: {text}".rstrip(": ")


def _lazy(data: pl.LazyFrame, name: str) -> Source:
    columns = _attempt(name, data.collect_schema)

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        frame: pl.DataFrame = _attempt(name, lambda: data.select(exactly(wanted)).collect())
        return frame

    return Source(name=name, columns=tuple(columns), load=load, lists=of_lists(columns))


def _arrow(data: Any, name: str) -> Source:
    columns = tuple(data.column_names)
    check_unique(columns, name)

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        return peek(wanted, data.num_rows)

    def peek(wanted: Sequence[str], rows: int) -> pl.DataFrame:
        some = data.select(list(wanted)).slice(0, rows)
        frame: pl.DataFrame = _attempt(name, lambda: pl.DataFrame(some))
        frame.columns = list(wanted)  # Polars gives a name to a column whose name is empty
        return frame

    lists = tuple(field.name for field in data.schema if "list" in str(field.type).partition("<")[0])
    return Source(name=name, columns=columns, load=load, peek=peek, lists=lists)


def _stream(data: Any, name: str) -> Source:
    frame = _attempt(name, lambda: pl.DataFrame(data))
    return Source.of(frame, name)
