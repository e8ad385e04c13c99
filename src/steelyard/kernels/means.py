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
    total = np.bincount(segment, weight, minlength=n)
    ends = np.cumsum(np.bincount(segment, minlength=n))
    starts = np.concatenate(([0], ends[:-1]))
    running = np.cumsum(weight)
    base = np.concatenate(([0.0], running))[starts]
    middle = base + total / 2
    low = np.searchsorted(running, middle, side="left")
    high = np.searchsorted(running, middle, side="right")
    filled = ends > starts
    low, high = (np.clip(at, starts, np.maximum(ends - 1, 0)) for at in (low, high))
    out[filled] = (values[low[filled]] + values[high[filled]]) / 2
    return out
