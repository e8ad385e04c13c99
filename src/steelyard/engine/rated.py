"""Rows with a rating and a predicted rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.arrays import Flags, Floats, once
from steelyard.engine.segmented import Segmented


@dataclass(frozen=True, kw_only=True)
class Rated(Segmented):
    """Rows with a true and a predicted number."""

    truth: Floats
    predicted: Floats

    @classmethod
    def of(cls, truth: Floats, predicted: Floats, **fields: Any) -> Rated:
        return cls(n_rows=len(truth), truth=truth, predicted=predicted, **fields)

    @once
    def miss(self) -> Floats:
        return self.truth - self.predicted

    @once
    def lowest(self) -> Floats:  # infinity where there is no row
        return self._extreme(np.minimum, np.inf)

    @once
    def varies(self) -> Flags:
        return self._extreme(np.maximum, -np.inf) > self.lowest

    @once
    def off_mean(self) -> Floats:
        """How far each true rating is from the mean of its segment.

        Measured from the lowest rating, so that a large common offset costs no digits.
        """
        origin = np.where(np.isfinite(self.lowest), self.lowest, 0.0)
        above = self.truth - origin[self.segments]
        weight = self.total()
        mean = np.divide(self.total(above), weight, out=np.zeros(self.n_segments), where=weight > 0)
        return above - mean[self.segments]

    @property
    def spread(self) -> Floats:
        return self.total(self.off_mean**2)

    def _extreme(self, kind: np.ufunc, empty: float) -> Floats:
        counted = self.weights > 0
        out = np.full(self.n_segments, empty)
        kind.at(out, self.segments[counted], self.truth[counted])
        return out
