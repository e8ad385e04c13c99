"""Sums over rows, one for each number that some metric adds up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.segmented import Segmented
from steelyard.kernels.means import Scaled, times_power


@dataclass(frozen=True)
class Term:
    """A number of each row that a metric adds up; metrics that share a term, by its name, share its sum.

    Where the numbers may be of any size, ``each`` gives them divided by 2 to an ``exponent`` of their
    segment.
    """

    name: str
    each: Callable[[Any], Floats] = field(compare=False)
    exponent: Callable[[Any], Ints] | None = field(default=None, compare=False)

    def total(self, rows: Segmented) -> Floats:
        """The weighted sum in each segment."""
        return times_power(*self.scaled(rows))

    def scaled(self, rows: Segmented) -> Scaled:
        """The same, also where it is too large or too small for a number."""
        if self not in rows.shared:
            rows.shared[self] = Scaled(rows.total(self.each(rows)), self.exponents(rows))
        found: Scaled = rows.shared[self]
        return found

    def exponents(self, rows: Segmented) -> Ints:
        """The exponent of each segment."""
        return np.zeros(rows.n_segments, np.int64) if self.exponent is None else self.exponent(rows)
