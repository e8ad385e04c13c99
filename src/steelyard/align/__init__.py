"""Predictions meet truth: ids become numbers, conventions are applied, and all they decide is tallied."""

from __future__ import annotations

from steelyard.align.aligned import Aligned, align
from steelyard.align.coding import Encoded, encode, encode_labelled
from steelyard.align.grid import EncodedGrid, align_grid
from steelyard.align.rows import LabelledRows, match, rows_of
from steelyard.align.tally import Tally

__all__ = [
    "Aligned",
    "Encoded",
    "EncodedGrid",
    "LabelledRows",
    "Tally",
    "align",
    "align_grid",
    "encode",
    "encode_labelled",
    "match",
    "rows_of",
]
