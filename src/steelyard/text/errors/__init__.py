"""Every exception, and every message a user can meet."""

from __future__ import annotations

from steelyard.text.errors.base import (
    AlignError,
    ColumnError,
    MergeError,
    MetricError,
    OutputError,
    ReadError,
    RowError,
    SteelyardError,
    ValueInDataError,
)

__all__ = [
    "AlignError",
    "ColumnError",
    "MergeError",
    "MetricError",
    "OutputError",
    "ReadError",
    "RowError",
    "SteelyardError",
    "ValueInDataError",
]
