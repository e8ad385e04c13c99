"""How far numbers lie about their mean, in parts that can be put together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.kernels.means import ratio
from steelyard.kernels.scales import common_exponent, scaled, times_power
from steelyard.states.twofold import Twofold, placed, segment_sums, settled


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Per segment: the weight, the mean, the weighted squares about it, and the extremes.

    The mean is to be multiplied by 2 to the ``exponent``, the squares by that twice.
    The mean has twice the usual precision: of a large common offset nothing is left in the differences of
    means, from which the squares about the common mean are made.
    """

    weight: Twofold
    mean: Twofold
    squares: Twofold
    exponent: Ints
    lowest: Floats
    highest: Floats

    @property
    def varies(self) -> Flags:
        """Whether a segment has two different numbers."""
        more: Flags = self.highest > self.lowest
        return more

    @classmethod
    def of(cls, values: Floats, weight: Floats, segment: Ints, n: int) -> Spread:
        """The spread of each segment's values; every segment has one at least, and every weight is above 0.

        >>> spread = Spread.of(np.array([1e9 + 1, 1e9 + 3]), np.ones(2), np.zeros(2, np.int64), 1)
        >>> spread.mean.value - 1e9, spread.squares.value
        (array([2.]), array([2.]))
        """
        lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
        np.minimum.at(lowest, segment, values)
        np.maximum.at(highest, segment, values)
        total = segment_sums(weight, segment, n)
        values, exponent = scaled(values, segment, n)
        least = times_power(lowest, -exponent)
        above = segment_sums(weight * (values - least[segment]), segment, n)
        # near enough to the mean that a difference from it is rounded in its own last digit only
        origin = least + above.value / total.value
        off = values - origin[segment]
        first = segment_sums(weight * off, segment, n).value
        squares = segment_sums(weight * off * off, segment, n)
        return cls(
            weight=total,
            mean=settled(origin, first / total.value),
            squares=settled(squares.value, squares.rest - first * first / total.value),
            exponent=exponent,
            lowest=lowest,
            highest=highest,
        )

    def merge(self, other: Spread) -> Spread:
        """Both together, segment by segment."""
        exponent = common_exponent(self.exponent, other.exponent, self._zeros, other._zeros)
        return self._at(exponent)._with(other._at(exponent))

    @property
    def _zeros(self) -> Flags:
        """Which segments have no number but 0, or none at all."""
        none: Flags = (self.lowest >= 0) & (self.highest <= 0)
        return none

    def _at(self, exponent: Ints) -> Spread:
        """The same numbers with another exponent."""
        by = self.exponent - exponent
        mean, squares = self.mean.times_power(by), self.squares.times_power(2 * by)
        return replace(self, mean=mean, squares=squares, exponent=exponent)

    def _with(self, other: Spread) -> Spread:
        """Both together, where their exponents are the same (Chan, Golub and LeVeque 1979)."""
        weight = self.weight + other.weight
        share = np.nan_to_num(ratio(other.weight.value, weight.value))
        # a segment that one side lacks has the mean of the other
        apart = np.where(self.weight.value > 0, other.mean.less(self.mean), other.mean.value)
        apart = np.where(other.weight.value > 0, apart, 0.0)
        moved = Twofold(apart * share, np.where(self.weight.value > 0, 0.0, other.mean.rest))
        both = self.weight.value * share * apart * apart
        return Spread(
            weight=weight,
            mean=self.mean + moved,
            squares=self.squares + other.squares + Twofold(both, np.zeros_like(both)),
            exponent=self.exponent,
            lowest=np.minimum(self.lowest, other.lowest),
            highest=np.maximum(self.highest, other.highest),
        )

    def spread_to(self, at: Ints, n: int) -> Spread:
        """The same segments at places ``at`` of ``n``; the others have nothing."""
        return Spread(
            weight=self.weight.spread_to(at, n),
            mean=self.mean.spread_to(at, n),
            squares=self.squares.spread_to(at, n),
            exponent=placed(self.exponent, at, n),
            lowest=placed(self.lowest, at, n, np.inf),
            highest=placed(self.highest, at, n, -np.inf),
        )

    def stacked(self) -> Floats:
        """All numbers as one matrix with a column per segment."""
        return np.stack([*self.weight, *self.mean, *self.squares, self.exponent, self.lowest, self.highest])

    @classmethod
    def unstacked(cls, matrix: Floats) -> Spread:
        """The spread whose numbers ``stacked`` gave."""
        weight, mean, squares = (Twofold(*matrix[at : at + 2]) for at in (0, 2, 4))
        exponent, lowest, highest = matrix[6].astype(np.int64), matrix[7], matrix[8]
        return cls(
            weight=weight, mean=mean, squares=squares, exponent=exponent, lowest=lowest, highest=highest
        )
