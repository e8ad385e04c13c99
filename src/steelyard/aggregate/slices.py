"""Groups of queries: the whole, and one slice per value of the columns asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.errors import aligning, reading
from steelyard.read import Table

NONE = "(none)"
RESULT_COLUMNS = ("metric", "value", "ci_low", "ci_high", "n", "undefined")


@dataclass(frozen=True, kw_only=True)
class Slices:
    """The slice of each query; ``labels`` has one row per slice and a column per slice column."""

    columns: tuple[str, ...]
    labels: pl.DataFrame
    of_query: pl.DataFrame  # query, slice

    def codes(self, queries: pl.Series) -> Ints:
        """The slice number of each query."""
        found = (
            queries.alias("query")
            .to_frame()
            .join(self.of_query, on="query", how="left", maintain_order="left")
        )
        return found["slice"].to_numpy().astype(np.int64)


def slice_queries(
    by: Sequence[str], queries: pl.Series, tables: Sequence[tuple[Table, pl.Series]]
) -> Slices | None:
    """Give every query its slice; ``tables`` come with their query columns in the type of ``queries``."""
    if not by:
        return None
    _check_unique([*by, *RESULT_COLUMNS])
    frame = queries.alias("query").to_frame()
    # numbered, so that a column may have any name: 'query', 'slice'
    places = [f"by {place}" for place in range(len(by))]
    for column, place in zip(by, places, strict=True):
        values = _values(column, tables).rename({"value": place})
        frame = frame.join(values, on="query", how="left", maintain_order="left")
    labels = frame.select(places).unique().sort(places).with_row_index("slice")
    coded = frame.join(labels, on=places, how="left", maintain_order="left", nulls_equal=True)
    texts = labels.drop("slice").with_columns(pl.col(places).cast(pl.String).fill_null(NONE))
    return Slices(
        columns=tuple(by),
        labels=texts.rename(dict(zip(places, by, strict=True))),
        of_query=coded.select("query", pl.col("slice").cast(pl.Int64)),
    )


def constant_column(column: str, table: Table, query: pl.Series) -> pl.DataFrame:
    """A column's value for each query, as (query, value), or an error where it varies within one."""
    pairs = pl.DataFrame({"query": query, "value": table.extra[column]}).unique(maintain_order=True)
    doubled = pairs.filter(pl.col("query").is_duplicated())
    if doubled.height:
        first = doubled["query"][0]
        shown = doubled.filter(pl.col("query") == first)["value"].head(3).to_list()
        raise aligning.column_varies(column, table.name, first, shown)
    return pairs


def table_with(
    column: str, purpose: str, tables: Sequence[tuple[Table, pl.Series]]
) -> tuple[Table, pl.Series]:
    """The one table that holds a column; ``purpose`` is what it is wanted for."""
    holding = [pair for pair in tables if column in pair[0].extra.columns]
    names = [table.name for table, _ in tables]
    if not holding:
        available = sorted({name for table, _ in tables for name in table.columns})
        raise aligning.column_not_found(column, purpose, names, available)
    if len(holding) > 1:
        raise aligning.column_in_both(column, purpose, *names)
    return holding[0]


def _values(column: str, tables: Sequence[tuple[Table, pl.Series]]) -> pl.DataFrame:
    table, query = table_with(column, "slice", tables)
    kind = table.extra[column].dtype
    if kind.is_nested():
        raise aligning.column_nested(column, table.name, str(kind))
    values = constant_column(column, table, query)
    return values.with_columns(pl.selectors.float().fill_nan(None))


def _check_unique(columns: Sequence[str]) -> None:
    """Refuse a slice column that is named twice, or as the table of results names its own columns."""
    twice = next((name for place, name in enumerate(columns) if name in columns[:place]), None)
    if twice is not None:
        raise reading.repeated_column("the table of results", twice)
