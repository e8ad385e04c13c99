"""Sums of twice the usual precision, so that it does not matter how the rows were split."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.means import segment_sum
from steelyard.kernels.scales import times_power

_Kind = TypeVar("_Kind", bound=np.generic)


class Twofold(NamedTuple):
    """Numbers held as ``value + rest``: the value as near as a float comes, and what it leaves."""

    value: Floats
    rest: Floats

    def __add__(self, other: Twofold) -> Twofold:  # type: ignore[override]
        """The sum, right to about 31 digits.

        >>> (Twofold(np.array([1e16]), np.zeros(1)) + Twofold(np.ones(1), np.zeros(1))).rest
        array([1.])
        """
        with np.errstate(invalid="ignore"):
            total = self.value + other.value
            part = total - self.value
            lost = (self.value - (total - part)) + (other.value - part)
        return settled(total, lost + (self.rest + other.rest))

    def less(self, other: Twofold) -> Floats:
        """The difference, rounded once."""
        return (self + Twofold(-other.value, -other.rest)).value

    def times_power(self, exponent: Ints) -> Twofold:
        """The numbers times ``2^exponent``."""
        return Twofold(*(times_power(part, exponent) for part in self))

    def spread_to(self, at: Ints, n: int) -> Twofold:
        """The same numbers at places ``at`` of ``n`` (last axis), 0 elsewhere."""
        return Twofold(*(placed(part, at, n) for part in self))


def settled(value: Floats, rest: Floats) -> Twofold:
    """``value + rest``, rounded, and what the rounding leaves; beside infinity nothing is left."""
    with np.errstate(invalid="ignore"):
        total = value + rest
        left = rest - (total - value)
    endless = ~np.isfinite(total)
    return Twofold(np.where(endless, value, total), np.where(endless, 0.0, left))


def placed(values: NDArray[_Kind], at: Ints, n: int, empty: float = 0) -> NDArray[_Kind]:
    """Values at places ``at`` of ``n`` (last axis), ``empty`` elsewhere.

    >>> placed(np.array([5.0, 7.0]), np.array([2, 0]), 3)
    array([7., 0., 5.])
    """
    out = np.full((*values.shape[:-1], n), empty, values.dtype)
    out[..., at] = values
    return out


def segment_sums(values: Floats, segment: Ints, n: int) -> Twofold:
    """The sum of each segment in twice the usual precision.

    Values are cut at a place that is coarse enough for the upper parts of the whole segment to be added
    without rounding (Rump, Ogita and Oishi 2008); what is below the cut is added up beside them.

    >>> segment_sums(np.array([1.0, 1e-20, 1e-20]), np.zeros(3, np.int64), 1).rest
    array([2.e-20])
    """
    largest = np.zeros(n)
    np.maximum.at(largest, segment, np.abs(values))
    count = np.bincount(segment, minlength=n)
    with np.errstate(over="ignore", invalid="ignore"):
        cut = np.ldexp(1.5, np.frexp(largest)[1] + np.frexp(count)[1])
        endless = ~(np.isfinite(largest) & np.isfinite(cut))
        cut = np.where(endless, 0.0, cut)[segment]
        upper = (values + cut) - cut
        lower = values - upper
    if endless.any():
        lower[endless[segment]] = 0.0
    return settled(segment_sum(upper, segment, n), segment_sum(lower, segment, n))
