"""Values of queries and of rows become one value per slice, with the notes that belong to it."""

from __future__ import annotations

from steelyard.measure.curves import curve_of
from steelyard.measure.notes import all_notes
from steelyard.measure.readings import Reading, readings
from steelyard.measure.row_notes import base_figures, majority, row_facts, row_notes
from steelyard.measure.slices import (
    RowSlices,
    Slices,
    constant_column,
    has_slices,
    slice_queries,
    slice_rows,
    table_with,
)
from steelyard.measure.summary import Measured, RowMeasured, summarise

__all__ = [
    "Measured",
    "Reading",
    "RowMeasured",
    "RowSlices",
    "Slices",
    "all_notes",
    "base_figures",
    "constant_column",
    "curve_of",
    "has_slices",
    "majority",
    "readings",
    "row_facts",
    "row_notes",
    "slice_queries",
    "slice_rows",
    "summarise",
    "table_with",
]
