"""Averages of many segments at once: one pass for any number of slices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.kernels.choose import compiled, pick
from steelyard.kernels.exact import exact_sums
from steelyard.kernels.group import read_only
from steelyard.kernels.scales import scaled, scaled_weights, times_power

_EXACT = 2.0**53  # whole numbers below this add up without rounding


def segment_mean(
    values: Floats, segment: Ints, n: int, weights: Floats | None, kind: str, floor: float
) -> Floats:
    """The mean of each segment, NaN for one without values; undefined (NaN) values are left out.

    Sums are exact, so that the order of the values makes no difference, and weights of any size serve.

    >>> values, segment = np.array([1.0, 0.0, np.nan, 0.25]), np.array([0, 0, 0, 1])
    >>> segment_mean(values, segment, 3, None, "arithmetic", 1e-5)
    array([0.5 , 0.25,  nan])
    >>> segment_mean(values, segment, 3, None, "median", 1e-5)
    array([0.5 , 0.25,  nan])
    """
    defined = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    if not defined.all():
        values, segment = values[defined], segment[defined]
    weight = None if weights is None else scaled_weights(weights[defined], segment, n).values
    if kind == "median":
        return _median(values, segment, n, np.ones(len(values)) if weight is None else weight)
    total = np.bincount(segment, minlength=n) if weight is None else exact_sums(weight, segment, n)

    def mean(each: Floats) -> Floats:
        return ratio(exact_sums(each if weight is None else each * weight, segment, n), total)

    if kind == "geometric":
        return np.exp(mean(np.log(np.maximum(values, floor))))
    made = scaled(values, segment, n)
    return times_power(mean(made.values), made.exponent)


def segment_sum(values: Floats | Ints | Flags, segment: Ints, n: int) -> Floats:
    """The sum of each segment, in order, so that the same data gives the same bits.

    >>> segment_sum(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 3)
    array([5., 0., 2.])
    """
    return np.bincount(segment, weights=values, minlength=n).astype(np.float64, copy=False)


def class_sums(weight: Floats, label: NDArray[np.uint8], segment: Ints, n: int) -> tuple[Floats, Floats]:
    """The weight of rows labelled 0 and of those labelled 1 in each segment, in order as ``segment_sum``.

    >>> class_sums(np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1], np.uint8), np.array([0, 0, 1]), 2)
    (array([2., 0.]), array([1., 4.]))
    """
    found: Floats = pick(len(weight), _class_sums, _class_sums_twin)(weight, label, segment, n)
    return found[0], found[1]


def _class_sums_twin(weight: Floats, label: NDArray[np.uint8], segment: Ints, n: int) -> Floats:
    return np.stack([segment_sum(weight * (label == side), segment, n) for side in (0, 1)])


def _class_sums(weight: Floats, label: NDArray[np.uint8], segment: Ints, n: int) -> Floats:
    sums = np.zeros((2, n))
    compiled(_class_sums_loop)(read_only(weight), read_only(label), read_only(segment), sums)
    return sums


def _class_sums_loop(weight: Floats, label: NDArray[np.uint8], segment: Ints, sums: Floats) -> None:
    for row in range(weight.size):
        sums[label[row], segment[row]] += weight[row]


def ratio(numerator: Floats | Ints, denominator: Floats | Ints) -> Floats:
    """``numerator / denominator``, NaN where the denominator is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def running_sums(part: Floats, place: Ints) -> Floats:
    """The running sum within each segment; ``place`` counts from 0 at the first entry of each.

    Counts are exact in one sum over all, less what stood before the segment. Other weights are added within
    the segment only, in steps of 1, 2, 4, ...: beside a heavy segment a light one would lose its digits.
    """
    if not len(part):
        return part
    one = np.cumsum(part)
    if place[-1] == len(part) - 1:
        return one
    if one[-1] < _EXACT and bool(np.all(part == np.floor(part))):
        first = np.arange(len(part)) - place
        before: Floats = (one - part)[first]
        return one - before
    running = part.copy()
    step = 1
    while step <= int(place.max()):
        running[step:] += np.where(place[step:] >= step, running[:-step], 0.0)
        step *= 2
    return running


def _median(values: Floats, segment: Ints, n: int, weight: Floats) -> Floats:
    """The middle of each segment by weight; where half the weight is met exactly, the mean of two."""
    out = np.full(n, np.nan)
    if not len(values):
        return out
    order = np.lexsort((values, segment))
    values, segment, weight = values[order], segment[order], weight[order]
    within = running_sums(weight, np.arange(len(segment)) - np.searchsorted(segment, segment))
    half = segment_sum(weight, segment, n)[segment] / 2
    # weights are added up in floating point: what differs by their last digits is the same
    reached = within >= half * (1 - 1e-12)
    past = within > half * (1 + 1e-12)
    for least in (reached, past):
        owner, first = np.unique(segment[least], return_index=True)
        middle = values[least][first]
        out[owner] = middle if least is reached else (out[owner] + middle) / 2
    return out
