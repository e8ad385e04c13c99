"""The tables of rankings: predictions, truth, what to exclude, slices and weights."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from steelyard import kernels, read
from steelyard.align import Encoded, EncodedGrid
from steelyard.arrays import Floats
from steelyard.inputs.order_notes import order_notes
from steelyard.inputs.same_source import read_from_one
from steelyard.inputs.system_notes import system_notes
from steelyard.measure import Slices, constant_column, slice_queries, table_with
from steelyard.messages import Message, say
from steelyard.messages.errors import aligning, reading
from steelyard.messages.errors.places import column_of
from steelyard.read import Grid, Table

_LARGE_FILE = 8 * kernels.LARGE  # bytes: a row of parquet takes about 8, a row of text more


@dataclass(frozen=True, kw_only=True)
class Names:
    """Where everything was read; ``truth`` is None where the labels are inside the predictions."""

    predictions: str
    truth: str | None = None
    weights: str | None = None
    exclude: str | None = None


@dataclass(frozen=True)
class QueryWeights:
    """How much each query counts in a mean; ``name`` is where that was said."""

    frame: pl.DataFrame
    name: str

    @classmethod
    def of(cls, frame: pl.DataFrame, name: str) -> QueryWeights:
        """Weights that are numbers of 0 or more."""
        weight = frame["weight"].fill_null(np.nan)
        bad = frame.filter((weight < 0) | ~weight.is_finite())
        if bad.height:
            place = say("{name}, query {query}", name=name, query=bad["query"][0])
            raise aligning.weight_negative(place=place, value=bad["weight"][0])
        return cls(frame, name)

    def for_queries(self, queries: pl.Series) -> Floats:
        """The weight of each of these queries; each must have one, and one of them must count."""
        asked = queries.alias("query").to_frame()
        found = asked.join(self.frame, on="query", how="left", maintain_order="left")["weight"]
        if found.null_count():
            raise aligning.weight_missing(
                n=found.null_count(), name=self.name, query=queries.filter(found.is_null())[0]
            )
        if not found.sum():
            raise aligning.weights_all_zero(self.name)
        return found.to_numpy()


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Everything that was read; ``truth`` is ``predictions`` where the labels are inside."""

    predictions: Table
    truth: Table
    exclude: Table | None
    by: tuple[str, ...]
    weights: Table | str | None
    grid: Grid | None = None  # matrices that stay as they are; the two tables then have no rows
    told: tuple[Message, ...] = ()  # what is to be said of the tables together

    @property
    def tables(self) -> list[Table]:
        """Predictions and truth, or the one table that is both."""
        return [self.predictions] if self.truth is self.predictions else [self.predictions, self.truth]

    @property
    def notes(self) -> list[Message]:
        """What reading had to decide."""
        return [*self.told, *(note for table in self.tables for note in table.notes)]

    def settled_by_data(self) -> dict[str, str]:
        """The conventions that the data leaves no choice about."""
        columns = self.predictions.frame.columns
        order = next((name for name in ("score", "rank") if name in columns), "given")
        return {"order": order} | ({} if "item" in columns else {"ties": "expected"})

    def slices(self, encoded: Encoded | EncodedGrid) -> Slices | None:
        """The slice of each query, or None where no column was asked for."""
        return slice_queries(self.by, encoded.queries, self._with_queries(encoded))

    def query_weights(self, encoded: Encoded | EncodedGrid) -> QueryWeights | None:
        """The weight of every query that has one, or None where all count the same."""
        if self.weights is None:
            return None
        if isinstance(self.weights, str):
            table, query = table_with(self.weights, "weigh", self._with_queries(encoded))
            found = constant_column(self.weights, table, query).rename({"value": "weight"})
            found = found.with_columns(_as_weights(found["weight"], self.weights, table))
            return QueryWeights.of(found, column_of(self.weights, table.name))
        query = _in_type_of(encoded, self.weights)
        found = pl.DataFrame({"query": query, "weight": self.weights.frame["weight"]})
        if found["query"].is_duplicated().any():
            twice = found["query"].filter(found["query"].is_duplicated())[0]
            raise aligning.weight_doubled(name=self.weights.name, query=twice)
        return QueryWeights.of(found, self.weights.name)

    def _with_queries(self, encoded: Encoded | EncodedGrid) -> list[tuple[Table, pl.Series]]:
        sides = [(self.predictions, encoded.predictions.queries), (self.truth, encoded.truth.queries)]
        return sides[: len(self.tables)]


def read_tables(
    predictions: Any,
    truth: Any,
    *,
    columns: Mapping[str, str] | None,
    by: Sequence[str],
    exclude: Any,
    weights: Any,
    orders: frozenset[str],
) -> Inputs:
    """Read every table of a call, only the columns it needs."""
    warm_up_for(predictions, truth, exclude)
    grid = None
    weights = read.weight_column(columns) if weights is None else weights
    extra = [*by, *([weights] if isinstance(weights, str) else [])]
    if truth is not None and (read.is_matrix(predictions) or read.is_matrix(truth)):
        grid = read.grid(predictions, truth)
        said, true = read.matrices(predictions, truth) if grid is None else grid.without_rows()
    elif truth is None:
        said = true = read.labelled(predictions, columns=columns, extra=extra, orders=orders)
    else:
        said = read.predictions(predictions, columns=columns, extra=extra, orders=orders)
        true = read.truth(truth, columns=columns, extra=extra)
    if exclude is not None and "item" not in said.frame.columns:
        raise reading.missing_column(said.name, "item", said.columns, near=None)
    removed = None if exclude is None else read.pairs(exclude, columns=columns)
    if isinstance(weights, str):
        read.check_weight(weights, true)
    elif weights is not None:
        weights = read.query_weights(weights, columns=columns)
    further = [table for table in (removed, weights) if isinstance(table, Table)]
    read.check_columns(columns, *([said] if said is true else [said, true]), *further)
    told = read_from_one(predictions, truth, said, true)
    if not read.is_matrix(predictions):
        told += system_notes(said) + order_notes(said, orders, columns, alone=truth is None)
    return Inputs(
        predictions=said, truth=true, exclude=removed, by=tuple(by), weights=weights, grid=grid, told=told
    )


def named_columns(columns: object) -> dict[str, Any] | None:
    """Which column is which, as a call names them; what the names mean is settled with the tables."""
    if not isinstance(columns, Mapping | None):
        raise reading.columns_not_mapping(columns)
    return None if columns is None else dict(columns)


def warm_up_for(*sources: object) -> None:
    """Load the compiled kernels while large tables are being read."""
    if any(_is_large_file(read.given(source)) for source in sources):
        kernels.warm_up()


def _is_large_file(source: object) -> bool:
    """Whether a source will most likely have enough rows for compiled kernels."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(source)
    return path.is_file() and path.stat().st_size >= _LARGE_FILE


def _in_type_of(encoded: Encoded | EncodedGrid, table: Table) -> pl.Series:
    """The query ids of a further table in the type of the encoded ones."""
    every = Table(
        frame=encoded.queries.alias("query").to_frame(),
        extra=pl.DataFrame(),
        name=encoded.predictions.table.name,
        untyped=encoded.predictions.table.untyped,
        listed=False,
    )
    ids, mine = read.reconcile(every, table, "query")
    return mine if ids.dtype == encoded.queries.dtype else mine.cast(encoded.queries.dtype)


def _as_weights(values: pl.Series, column: str, table: Table) -> pl.Series:
    """A column as weights; files without types hold them as text."""
    readable = table.untyped or values.dtype.is_numeric()
    weights = (values if readable else pl.repeat(None, len(values), eager=True)).cast(
        pl.Float64, strict=False
    )
    wrong = values.filter(weights.is_null() & values.is_not_null())
    if len(wrong):
        raise aligning.weight_not_number(column=column_of(column, table.name), value=repr(wrong[0]))
    return weights
