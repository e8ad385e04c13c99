"""What compares results and slices: which may be compared, how they differ, and which is best."""

from __future__ import annotations

from steelyard.comparison.comparable import check_comparable
from steelyard.comparison.gap import Gap, SliceValue, gap
from steelyard.comparison.side_by_side import free_name, side_by_side, with_best
from steelyard.comparison.testing import Procedure

__all__ = [
    "Gap",
    "Procedure",
    "SliceValue",
    "check_comparable",
    "free_name",
    "gap",
    "side_by_side",
    "with_best",
]
