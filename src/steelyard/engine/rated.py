"""Rows with a rating and a predicted rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.arrays import Flags, Floats, once
from steelyard.engine.segmented import Segmented
from steelyard.kernels.means import Scaled, scaled


@dataclass(frozen=True, kw_only=True)
class Rated(Segmented):
    """Rows with a true and a predicted number."""

    truth: Floats
    predicted: Floats

    @classmethod
    def of(cls, truth: Floats, predicted: Floats, **fields: Any) -> Rated:
        """True and predicted ratings of one length."""
        return cls(n_rows=len(truth), truth=truth, predicted=predicted, **fields)

    @once
    def miss(self) -> Floats:
        """How far each prediction is from the truth."""
        with np.errstate(over="ignore"):
            return self.truth - self.predicted

    @once
    def scaled_miss(self) -> Scaled:
        """The same, so that squares of it can be added up, however large or small it is."""
        return self._apart(self.truth, self.predicted)

    @once
    def lowest(self) -> Floats:
        """The least true rating of each segment, infinity where there is none."""
        return self._extreme(np.minimum, np.inf)

    @once
    def varies(self) -> Flags:
        """Whether a segment has two rows of different truth."""
        return self._extreme(np.maximum, -np.inf) > self.lowest

    @once
    def off_mean(self) -> Scaled:
        """How far each true rating is from the mean of its segment, scaled like the misses.

        Measured from the lowest rating, so that a large common offset costs no digits.
        """
        origin = np.where(np.isfinite(self.lowest), self.lowest, 0.0)
        above = self._apart(self.truth, origin[self.segments])
        weight = self.total()
        mean = np.divide(self.total(above.values), weight, out=np.zeros(self.n_segments), where=weight > 0)
        return Scaled(above.values - mean[self.segments], above.exponent)

    @property
    def spread(self) -> Scaled:
        """The weighted sum of squares of the true ratings around their mean."""
        off, exponent = self.off_mean
        return Scaled(self.total(off * off), 2 * exponent)

    def _apart(self, some: Floats, others: Floats) -> Scaled:
        """Differences, scaled; where one is beyond the largest number there is, those of the halves."""
        with np.errstate(over="ignore"):
            apart = some - others
        halved = int(not np.isfinite(apart).all())
        if halved:
            apart = some / 2 - others / 2
        # a row of weight 0 is no row, however far off it is
        apart = apart if self.weight is None else np.where(self.weight > 0, apart, 0.0)
        found = scaled(apart, self.segment, self.n_segments)
        return Scaled(found.values, found.exponent + halved)

    def _extreme(self, kind: np.ufunc, empty: float) -> Floats:
        counted = self.weights > 0
        out = np.full(self.n_segments, empty)
        kind.at(out, self.segments[counted], self.truth[counted])
        return out
