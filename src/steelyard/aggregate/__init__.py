"""One value per query becomes one value per slice, with the notes that belong to it."""

from __future__ import annotations

from steelyard.aggregate.notes import all_notes
from steelyard.aggregate.slices import Slices, constant_column, slice_queries, table_with
from steelyard.aggregate.summary import Measured, summarise

__all__ = [
    "Measured",
    "Slices",
    "all_notes",
    "constant_column",
    "slice_queries",
    "summarise",
    "table_with",
]
