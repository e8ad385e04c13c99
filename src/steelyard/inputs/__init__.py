"""The tables of one call, read once for the rankings and once for the rows that it asks for."""

from __future__ import annotations

from steelyard.inputs.rankings import (
    Inputs,
    Names,
    QueryWeights,
    named_columns,
    read_tables,
)
from steelyard.inputs.rows import RowInputs, read_rows

__all__ = [
    "Inputs",
    "Names",
    "QueryWeights",
    "RowInputs",
    "named_columns",
    "read_rows",
    "read_tables",
]
