"""The tables of labelled rows: one with the labels inside, or predictions and truth apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard import read
from steelyard.align import LabelledRows, match, rows_of
from steelyard.arrays import Floats
from steelyard.inputs.rankings import warm_up_for
from steelyard.inputs.same_source import ONE_OBJECT, read_from_one
from steelyard.measure import RowSlices, has_slices, slice_rows
from steelyard.messages import Message
from steelyard.messages.errors import aligning, measuring, opening, reading
from steelyard.messages.errors.places import column_of, word
from steelyard.metrics import ClassMetric, RatingMetric, RowMetric, ThresholdMetric
from steelyard.metrics.asked import Asked
from steelyard.metrics.row import weights_of
from steelyard.read import Table, Wants
from steelyard.read.row_arrays import Matrices
from steelyard.states import Class


@dataclass(frozen=True, kw_only=True)
class RowInputs:
    """Labelled rows as they were read, with the columns to slice and to weigh by."""

    rows: LabelledRows | Matrices
    by: tuple[str, ...]
    weights: str | None
    weight: Floats | None = None  # one for each row of plain arrays
    told: tuple[Message, ...] = ()  # what is to be said of the tables together

    @property
    def notes(self) -> list[Message]:
        """What reading had to decide."""
        tables = () if isinstance(self.rows, Matrices) else self.rows.tables
        return [*self.told, *(note for table in tables for note in table.notes)]

    def slices(self) -> RowSlices | None:
        """The slice of each row, or None where no column was asked for."""
        if not self.by or isinstance(self.rows, Matrices):
            return None
        columns = {column: self.rows.beside(column, "slice") for column in dict.fromkeys(self.by)}
        for column, values in columns.items():
            if not has_slices(values.dtype):
                where = column_of(column, self.rows.holder(column).name)
                raise aligning.column_nested(column=where, type=str(values.dtype))
        return slice_rows(self.by, [columns[column] for column in self.by])

    def row_weights(self) -> Floats | None:
        """The weight of each row, or None where all count the same."""
        if self.weights is None or isinstance(self.rows, Matrices):
            return self.weight
        values = self.rows.beside(self.weights, "weigh")
        untyped = self.rows.holder(self.weights).untyped
        readable = values.str.strip_chars() if untyped and values.dtype == pl.String else values
        if not (untyped or values.dtype.is_numeric()):
            readable = values.clear(len(values))
        weight = readable.cast(pl.Float64, strict=False)
        bad = ~((weight >= 0) & weight.is_finite()).fill_null(value=False)
        if bad.any():
            row = int(bad.arg_true()[0])
            raise measuring.bad_row_weight(
                self.rows.place_beside(row, self.weights), self.weights, values[row]
            )
        if not (weight > 0).any():
            where = column_of(self.weights, self.rows.holder(self.weights).name)
            raise aligning.weights_all_zero(where, rows=True)
        return weight.to_numpy()


def wants_of(asked: Sequence[Asked]) -> Wants:
    """What metrics read of each row."""
    metrics = [one.metric for one in asked]
    return Wants(
        scores=any(isinstance(metric, RowMetric | RatingMetric) for metric in metrics),
        classes=any(isinstance(metric, ClassMetric) for metric in metrics),
        ratings=any(isinstance(metric, RatingMetric) for metric in metrics),
        groups=any(isinstance(metric, RowMetric) and metric.needs_groups for metric in metrics),
        thresholds=any(
            isinstance(one.metric, ThresholdMetric) and one.states("threshold", "strict") for one in asked
        ),
    )


def read_rows(
    predictions: Any,
    truth: Any,
    asked: Sequence[Asked],
    *,
    columns: Mapping[str, Any] | None,
    by: Sequence[str],
    exclude: Any,
    weights: Any,
    classes: Sequence[Class] | None = None,
    groups: bool = False,
) -> RowInputs:
    """Read the rows of a call, only the columns its metrics need, and with ``groups`` the query of each.

    ``classes`` are those that the caller named.
    """
    if exclude is not None:
        raise measuring.exclude_of_rows()
    warm_up_for(predictions, truth)
    wants = wants_of(asked)
    wants = replace(wants, groups=wants.groups or groups, named=frozenset(map(str, classes or ())))
    for name, table in (("predictions", predictions), ("truth", truth)):
        if read.is_sparse(table):
            raise opening.sparse_rows(name=word(name))
    if truth is None and read.is_column(predictions):
        raise opening.array_without_labels(name=word("predictions"))
    if truth is not None and read.are_columns(predictions, truth):
        named = {"columns": columns, "by": by, "weights": isinstance(weights, str)}
        for argument in (name for name, value in named.items() if value):
            raise opening.arrays_without_columns(argument=argument)
        arrays = _arrays(predictions, truth, wants, weights)
        return replace(arrays, told=(ONE_OBJECT,)) if predictions is truth else arrays
    weights = read.weight_column(columns) if weights is None else weights
    if weights is not None and not isinstance(weights, str):
        raise measuring.table_of_weights()
    extra = [*by, *([weights] if weights else [])]
    if truth is None:
        table = read.labelled_rows(predictions, wants, columns=columns, extra=extra)
        read.check_columns(columns, table)
        read.check_weight(weights, table)
        return RowInputs(rows=_some(rows_of(table), table), by=tuple(by), weights=weights)
    said = read.predicted_rows(predictions, wants, columns=columns, extra=extra)
    true = read.true_rows(truth, wants, columns=columns, extra=extra)
    read.check_columns(columns, said, true)
    read.check_weight(weights, true)
    told = read_from_one(predictions, truth, said, true)
    matched = match(said, true)
    if wants.groups and "query" not in matched.frame.columns:
        raise reading.missing_column(said.name, "query", said.columns, near=None)
    return RowInputs(rows=_some(matched, true), by=tuple(by), weights=weights, told=told)


def _arrays(predictions: Any, truth: Any, wants: Wants, weights: Any) -> RowInputs:
    """Plain arrays; weights are an array too, one for each row."""
    if weights is not None and not read.is_column(weights):
        raise measuring.table_of_weights()
    found = read.row_arrays(predictions, truth, numbers=wants.scores, named=wants.named)
    n = len(found.truth) if isinstance(found, Matrices) else found.frame.height
    return RowInputs(
        rows=found if isinstance(found, Matrices) else rows_of(found),
        by=(),
        weights=None,
        weight=weights_of(weights, n),
    )


def _some(found: LabelledRows, table: Table) -> LabelledRows:
    if not np.any(~found.unlabelled()):
        raise measuring.no_labelled_row(table.name, found.tally.rows)
    return found
