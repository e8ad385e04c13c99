"""The values of large slices, which readings look into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Literal

import numpy as np
import polars as pl

from steelyard.aggregate.readings import SLICE_SHARE, SliceFigures
from steelyard.aggregate.slices import RowSlices, in_sentence, slice_value
from steelyard.aggregate.summary import Measured, RowMeasured
from steelyard.arrays import Floats
from steelyard.metrics import NE, LogLoss
from steelyard.states import Scored


def slice_figures(
    measured: Sequence[Measured | RowMeasured],
    table: pl.DataFrame,
    by: Sequence[str],
    slices: RowSlices | None,
) -> list[SliceFigures]:
    """The values of each slice that is large enough; those of rows and those of queries stand apart."""
    of_rows = [one for one in measured if isinstance(one, RowMeasured)]
    of_queries = [one.label for one in measured if isinstance(one, Measured)]
    found = _of_rows(of_rows, slices) if slices is not None else []
    return found + (_of_queries(of_queries, table, by) if by and of_queries else [])


def _of_rows(measured: Sequence[RowMeasured], slices: RowSlices) -> list[SliceFigures]:
    values: dict[str, Floats] = {}
    share = np.zeros(slices.labels.height)
    for one in measured:
        if one.sliced is None or one.entries:
            continue
        state, values[one.label] = one.sliced
        share = state.rows / max(int(state.rows.sum()), 1)
        if isinstance(one.metric, LogLoss) and isinstance(state, Scored):
            values.setdefault("ne", NE().measure(state))
    large = np.flatnonzero(share >= SLICE_SHARE).tolist()
    return [
        _figures(row, share[at], "rows", {label: float(each[at]) for label, each in values.items()})
        for at, row in zip(large, slices.labels[large].to_dicts(), strict=True)
    ]


def _of_queries(labels: Sequence[str], table: pl.DataFrame, by: Sequence[str]) -> list[SliceFigures]:
    part = table.filter(table["metric"].is_in(labels))
    whole = reduce(and_, (part[name].is_null() for name in by))
    queries = part["n"] + part["undefined"]
    share = queries / max(queries.filter(whole).max() or 0, 1)
    large = ~whole & (share >= SLICE_SHARE)
    found: dict[tuple[str, ...], tuple[float, dict[str, float]]] = {}
    for row, held in zip(part.filter(large).to_dicts(), share.filter(large).to_list(), strict=True):
        names = tuple(row[name] for name in by)
        found.setdefault(names, (held, {}))[1][row["metric"]] = row["value"]
    return [
        _figures(dict(zip(by, names, strict=True)), held, "queries", values)
        for names, (held, values) in found.items()
    ]


def _figures(
    names: Mapping[str, str], share: float, unit: Literal["rows", "queries"], values: Mapping[str, float]
) -> SliceFigures:
    return SliceFigures(
        slice=tuple((column, slice_value(name)) for column, name in names.items()),
        name=in_sentence(names.values()),
        share=float(share),
        unit=unit,
        values=values,
    )
