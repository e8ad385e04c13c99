"""The hot loops and nothing else, each with a plain NumPy twin.

A kernel is compiled by Numba the first time an input is large enough to pay for it; smaller inputs
go to the twin, which gives the same results and never waits for a compiler.
"""

from __future__ import annotations

from steelyard.kernels.choose import LARGE, forced, watched
from steelyard.kernels.count import RowsBefore, count_before, rows_tied_with_hits, tied_and_distinct
from steelyard.kernels.rows import RowMatches, first_rows, group_rows, match_rows, warm_up

__all__ = ["LARGE", "RowMatches", "RowsBefore", "count_before", "first_rows", "forced", "group_rows"]
__all__ += ["match_rows", "rows_tied_with_hits", "tied_and_distinct", "warm_up", "watched"]
