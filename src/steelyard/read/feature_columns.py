"""Columns of features: numbers and vectors, or categories and tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.read import schema
from steelyard.read.table import Table
from steelyard.text import Message, say
from steelyard.text.errors import opening
from steelyard.text.errors.places import short

_FEW, _OWN = 20, 0.9  # items, and the share of different texts among them, from which they are no categories
_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_JOINED = 0.1  # the share of texts with a separator in them from which they look like several tags in one
_SEPARATOR = r"\||/|; |, "


def one_number(vectors: NDArray[Any], table: Table) -> Iterator[Message]:
    if vectors.shape[1] != 1:
        return
    yield say(
        "{table} has one number for each item, and by cosine all numbers above 0 are the same: choose "
        "distance=euclidean, or cast numbers that stand for categories to text.",
        key="one_number",
        table=table.name,
    )


def of_texts(series: pl.Series, table: Table) -> Iterator[Message]:
    if series.dtype not in _TEXTS:
        return
    several = series.cast(pl.String).str.contains(_SEPARATOR)
    if several.any() and several.sum() >= _JOINED * len(series):
        yield say(
            "{table}: '{column}' holds texts such as '{text}', each of them one category; make lists of them "
            "if they are several tags.",
            key="joined_tags",
            table=table.name,
            column=series.name,
            text=series.filter(several)[0],
        )
    if len(series) >= _FEW and series.n_unique() >= _OWN * len(series):
        yield say(
            "{table}: '{column}' has another text for nearly each item, so that all of them differ in it; "
            "name the columns that count: --columns feature=NAME.",
            key="texts_of_their_own",
            table=table.name,
            column=series.name,
        )


def check_not_written(series: pl.Series, table: Table) -> None:
    """Refuse a list that a csv file has as text, which would be one category."""
    if series.dtype in _TEXTS:
        written = series.cast(pl.String).str.contains(r"(?s)^\s*\[.*\]\s*$")
        if written.any():
            row = schema.first(written)
            raise opening.list_as_text(place=table.place(row), column=series.name, text=short(series[row]))


def typed(series: pl.Series, table: Table) -> pl.Series:
    """A column of features as numbers or text; a file without types holds both as text."""
    kind = series.dtype
    if isinstance(kind, pl.List | pl.Array) and kind.inner.is_nested():
        raise opening.not_a_feature(column=series.name, name=table.name, type=schema.type_name(kind))
    if isinstance(kind, pl.List) and (series.list.len() == 0).all(ignore_nulls=False):  # of anything
        return pl.Series(series.name, [[]] * len(series), dtype=pl.List(pl.String))
    if kind == pl.Boolean:
        return series.cast(pl.Float64)
    if table.untyped and kind == pl.String:
        found = schema.typed(series, frozenset())
        if found.dtype.is_numeric():
            return found
        if schema.typed(series, schema.MISSING).dtype.is_numeric():  # but for words for what is missing
            row = schema.first(series.str.strip_chars().is_in(list(schema.MISSING)))
            raise opening.feature_written_missing(
                place=table.place(row), column=series.name, text=series[row]
            )
        return series
    return series


def is_number(series: pl.Series) -> bool:
    inner = series.dtype
    while isinstance(inner, pl.List | pl.Array):
        inner = inner.inner  # type: ignore[assignment]  # Polars lets a type stand for its class here
    return inner.is_numeric() or inner == pl.Boolean or (inner == pl.Null and inner != series.dtype)


def numbers(series: pl.Series, table: Table) -> NDArray[Any]:
    """Numbers as columns of a matrix, one row per item; vectors must be of one width."""
    if series.null_count():
        raise opening.feature_missing(place=table.place(schema.first(series.is_null())), column=series.name)
    inner = series
    if isinstance(series.dtype, pl.List):
        widths = series.list.len()
        odd = schema.first(widths != widths[0]) if widths.n_unique() > 1 else None
        if odd is not None:
            raise opening.widths_differ(
                place=table.place(odd), column=series.name, found=widths[odd], wanted=widths[0]
            )
        series = series.list.to_array(int(widths[0]))
    if isinstance(series.dtype, pl.Array):
        inner = series.explode()
        if inner.null_count():
            row = schema.first(inner.is_null()) // (len(inner) // len(series))
            raise opening.feature_missing(place=table.place(row), column=series.name)
    flat = inner.to_numpy() if inner.dtype == pl.Float32 else inner.cast(pl.Float64).to_numpy()
    return finite(flat.reshape(len(series), -1), table, series.name)


def finite(values: NDArray[Any], table: Table, column: str) -> NDArray[Any]:
    with np.errstate(invalid="ignore", over="ignore"):
        total = values.sum(dtype=np.float64)
    if not np.isfinite(total):  # or only their sum is too large
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            row = int(wrong[0][0])
            raise opening.feature_not_finite(
                place=table.place(row), column=column, value=float(values[tuple(wrong[0])])
            )
    return values


def tags(series: pl.Series, table: Table, *, several: bool) -> pl.Series:
    """Tags of each item as a list of texts; of several columns each tag tells its column."""
    kind = series.dtype
    if isinstance(kind, pl.List | pl.Array):
        series = series.cast(pl.List(kind.inner)) if isinstance(kind, pl.Array) else series
        lists = series.cast(pl.List(pl.String)).fill_null(pl.Series([[]], dtype=pl.List(pl.String)))
    elif kind in _TEXTS:
        one = series.cast(pl.String)
        lists = one.to_frame().select(pl.concat_list(pl.first())).to_series()
        lists = lists.list.drop_nulls()
    else:
        raise opening.not_a_feature(column=series.name, name=table.name, type=schema.type_name(kind))
    if several:
        lists = lists.list.eval(pl.concat_str(pl.lit(f"{series.name}="), pl.element()))
    return lists.list.drop_nulls().alias(series.name)
