"""Anything people keep predictions and truth in, as canonical Polars columns."""

from __future__ import annotations

from steelyard.read.load import (
    check_columns,
    check_weight,
    column_not_found,
    labelled,
    matrices,
    matrix_alone,
    may_have,
    pairs,
    predictions,
    query_weights,
    segments,
    truth,
    weight_column,
)
from steelyard.read.matrix import Grid, grid
from steelyard.read.remote import check_options
from steelyard.read.roles import ALIASES, folded
from steelyard.read.rows import Wants, row_arrays, row_table, series_of
from steelyard.read.schema import reconcile
from steelyard.read.sources import (
    Opened,
    are_columns,
    check_sources,
    check_streams,
    given,
    is_array,
    is_column,
    is_matrix,
    is_table,
    once,
    open_sources,
    opened,
    opened_truth,
)
from steelyard.read.table import Table

# what other folders find here though it is written in another module
__all__ = ["ALIASES", "Grid", "Opened", "Table", "Wants", "are_columns", "check_columns", "check_sources"]
__all__ += [
    "check_options",
    "check_streams",
    "check_weight",
    "column_not_found",
    "folded",
    "given",
    "grid",
    "is_array",
]
__all__ += ["is_column", "is_matrix", "is_table", "labelled", "matrices", "matrix_alone"]
__all__ += ["may_have", "once", "open_sources", "opened", "opened_truth", "pairs", "row_table"]
__all__ += ["predictions", "query_weights", "reconcile", "row_arrays", "segments", "series_of"]
__all__ += ["truth", "weight_column"]
