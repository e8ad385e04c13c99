"""What units have in each segment, added up as often as they were drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.arrays import Floats, Frozen, Ints
from steelyard.engine.units import Cells
from steelyard.kernels.drawn_sums import Often, drawn_sums


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnSums(Frozen):
    """Cells in the ``order`` of their segments, with the unit and the segment of each in that order."""

    order: Ints
    unit: Ints
    owner: Ints
    n: int

    @classmethod
    def of(cls, cells: Cells) -> DrawnSums:
        """Cells by their segments."""
        owner = np.zeros(cells.n, np.int64) if cells.owner is None else cells.owner
        order = np.argsort(owner, kind="stable")
        unit = order if cells.unit is None else cells.unit[order]
        return cls(order=order, unit=unit, owner=owner[order], n=cells.n_segments)

    def sums(self, often: Often, values: Floats) -> Floats:
        """The sums of values of cells: a row per segment, a column per draw."""
        return drawn_sums(often, self.unit, self.owner, self.n, values[self.order])
