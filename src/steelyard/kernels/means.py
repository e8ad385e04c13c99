"""Averages of many segments at once: one pass for any number of slices."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Flags, Floats, Ints


def segment_mean(
    values: Floats, segment: Ints, n: int, weights: Floats | None, kind: str, floor: float
) -> Floats:
    """The mean of each segment, NaN for one without values; undefined (NaN) values are left out.

    >>> values, segment = np.array([1.0, 0.0, np.nan, 0.25]), np.array([0, 0, 0, 1])
    >>> segment_mean(values, segment, 3, None, "arithmetic", 1e-5)
    array([0.5 , 0.25,  nan])
    >>> segment_mean(values, segment, 3, None, "median", 1e-5)
    array([0.5 , 0.25,  nan])
    """
    weight = np.ones(len(values)) if weights is None else weights
    defined = ~np.isnan(values) & (weight > 0)
    values, segment, weight = values[defined], segment[defined], weight[defined]
    if kind == "median":
        return _median(values, segment, n, weight)
    total = segment_sum(weight, segment, n)
    logged = np.log(np.maximum(values, floor)) if kind == "geometric" else values
    mean = ratio(segment_sum(logged * weight, segment, n), total)
    return np.exp(mean) if kind == "geometric" else mean


def segment_sum(values: Floats | Ints | Flags, segment: Ints, n: int) -> Floats:
    """The sum of each segment, in order, so that the same data gives the same bits.

    >>> segment_sum(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 3)
    array([5., 0., 2.])
    """
    return np.bincount(segment, weights=values, minlength=n).astype(np.float64, copy=False)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """``numerator / denominator``, NaN where the denominator is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def _median(values: Floats, segment: Ints, n: int, weight: Floats) -> Floats:
    """The middle of each segment by weight; where half the weight is met exactly, the mean of two."""
    out = np.full(n, np.nan)
    if not len(values):
        return out
    order = np.lexsort((values, segment))
    values, segment, weight = values[order], segment[order], weight[order]
    running = np.cumsum(weight)
    starts = np.searchsorted(segment, segment)
    within = running - (running[starts] - weight[starts])
    half = segment_sum(weight, segment, n)[segment] / 2
    # weights are added up in floating point: what differs by their last digits is the same
    reached = within >= half * (1 - 1e-12)
    past = within > half * (1 + 1e-12)
    for least in (reached, past):
        owner, first = np.unique(segment[least], return_index=True)
        middle = values[least][first]
        out[owner] = middle if least is reached else (out[owner] + middle) / 2
    return out
