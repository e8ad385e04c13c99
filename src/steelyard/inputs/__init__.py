"""The tables of one call, read once for the rankings and once for the rows that it asks for."""

from __future__ import annotations

from steelyard.inputs.rankings import (
    Inputs,
    Names,
    QueryWeights,
    named_columns,
    orders_needed,
    read_tables,
    stated,
    texts,
)
from steelyard.inputs.rows import RowInputs, class_names, read_rows

__all__ = [
    "Inputs",
    "Names",
    "QueryWeights",
    "RowInputs",
    "class_names",
    "named_columns",
    "orders_needed",
    "read_rows",
    "read_tables",
    "stated",
    "texts",
]
