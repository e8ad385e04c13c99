"""Sums without error: the same bits in any order of the values, however they cancel."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.kernels.scales import largest

_TOP = 1000  # the binary exponent up to which a cut and sums of values below it are finite


def exact_sums(values: Floats, segment: Ints, n: int) -> Floats:
    """The sum of each segment, rounded once: what ``math.fsum`` gives for its values alone.

    Each round cuts values at a place coarse enough for the upper parts of a segment to be added without
    rounding (Rump, Ogita and Oishi 2008) and goes on with what is below the cut, until nothing is. The few
    sums of a segment are then added as ``fsum`` adds.

    >>> exact_sums(np.array([1e16, 1.0, -1e16, 0.5]), np.array([0, 0, 0, 1]), 2)
    array([1. , 0.5])
    """
    finite = np.isfinite(values)
    if not finite.all():
        endless = _sums(np.where(finite, 0.0, values), segment, n)
        return np.where(endless == 0, exact_sums(values[finite], segment[finite], n), endless)
    count = np.array([len(segment)]) if n == 1 else np.bincount(segment, minlength=n)
    terms: Ints = np.frexp(count.astype(np.float64))[1] + 1

    def room() -> Ints:
        """The binary exponent that the sum of any part of a segment stays below."""
        exponents: Ints = np.frexp(largest(values, segment, n))[1] + terms
        return exponents

    # near the largest number there is a cut would overflow: such segments are added a good deal smaller
    down = np.maximum(room() - _TOP, 0)
    if down.any():
        values = np.ldexp(values, -down[segment])
    parts: list[Floats] = []
    while values.any():
        cut = np.ldexp(1.5, room())
        cut = cut if n == 1 else cut[segment]
        upper = (values + cut) - cut
        parts.append(_sums(upper, segment, n))
        values = values - upper
    with np.errstate(over="ignore"):
        return np.ldexp(_added(parts, n), down)


def _sums(values: Floats, segment: Ints, n: int) -> Floats:
    if n == 1:
        return np.array([values.sum()])
    return np.bincount(segment, values, n).astype(np.float64, copy=False)


def _added(parts: list[Floats], n: int) -> Floats:
    """A few numbers of each of ``n`` segments, added as ``math.fsum`` adds (Shewchuk 1997)."""
    apart: list[Floats] = []
    for part in parts:
        grown = part
        for at, small in enumerate(apart):
            grown, apart[at] = _two_sum(grown, small)
        apart.append(grown)
    total, lost, beyond = np.zeros(n), np.zeros(n), np.zeros(n)
    for small in reversed(apart):
        settled = lost == 0
        beyond = np.where(settled | (beyond != 0), beyond, np.sign(small))
        more, left = _two_sum(total, small)
        total, lost = np.where(settled, more, total), np.where(settled, left, lost)
    # half a unit was rounded to even, and what is left beyond it says which way it should have gone
    twice = 2 * lost
    nearer = total + twice
    half: Flags = (nearer - total == twice) & (lost != 0) & (np.sign(lost) == beyond)
    return np.where(half, nearer, total)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """``a + b`` rounded, and what the rounding lost."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
