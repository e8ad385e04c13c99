"""Values of resampled units, whose counts are hashes of their name, the seed and the draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Keys
from steelyard.conventions import Certainty
from steelyard.engine.influence import Influence
from steelyard.kernels.distributions import normal_quantile, normal_tail
from steelyard.kernels.draws import poisson_weights, unit_keys
from steelyard.kernels.means import DrawCounts, ratio
from steelyard.metrics import Metric
from steelyard.metrics.base import Interval
from steelyard.stats.intervals import Limits, largest_shares, no_width

_AT_ONCE = 1 << 25  # weights that are held at a time


def resampled(
    metric: Metric,
    state: Any,
    value: Floats,
    influence: Influence | None,
    each: Floats | None,
    certainty: Certainty,
    keys: Keys | None = None,
) -> Floats:
    """The values for each draw of the units: a row for each draw, NaN where a draw leaves nothing.

    ``keys`` are those of the units, by default made of their names, or of their places.
    """
    redrawn = metric.redrawn(state) if hasattr(metric, "redrawn") else None
    if influence is not None and influence.each is not None:
        redrawn = partial(influence.redrawn, value)
    if redrawn is not None:
        return np.concatenate([redrawn(counts).T for counts in _draws(state, certainty, keys)])
    lenient = metric if metric.undefined == "nan" else metric.replace(undefined="nan")
    return np.stack(
        [
            np.asarray(lenient.measure(_drawn(state, draw.astype(np.float64)), each)).reshape(-1)
            for counts in _draws(state, certainty, keys)
            for draw in counts.T
        ]
    )


def _draws(state: Any, certainty: Certainty, keys: Keys | None) -> Iterator[DrawCounts]:
    """The count of each unit, some draws at a time."""
    units = state.drawn
    if keys is None:
        keys = unit_keys(pl.Series(np.arange(units.n)) if units.names is None else units.names)
    step = max(1, min(certainty.replicates, _AT_ONCE // max(units.n, state.size, 1)))
    for first in range(0, certainty.replicates, step):
        yield poisson_weights(certainty.seed, keys, first, min(first + step, certainty.replicates))


def _drawn(state: Any, counts: Floats) -> Any:
    """The state with each row or query weighted by the count of its unit."""
    code = state.drawn.code
    weight = counts if code is None else counts[code]
    if state.weight is not None:
        weight = weight * (state.weight / (state.weight.max(initial=0.0) or 1.0))  # of any size
    if hasattr(state, "_cache"):  # which holds results of other weights
        return replace(state, weight=weight, _cache={})
    return replace(state, weight=weight)


def resampled_limits(
    kind: Interval,
    metric: Metric,
    state: Any,
    value: Floats,
    influence: Influence | None,
    each: Floats | None,
    certainty: Certainty,
) -> Limits:
    """The limits of resampled values; draws without a value are skipped."""
    bounds, draws = metric.within(), resampled(metric, state, value, influence, each, certainty)
    tail = (1 - certainty.level) / 2
    shares = np.array([[tail], [1 - tail]]).repeat(len(value), axis=1)
    if kind == "bca":
        shares = _corrected(shares, value, draws, influence)
    low, high = _quantiles(draws, shares)
    if kind == "basic":
        low, high = 2 * value - high, 2 * value - low
    with np.errstate(invalid="ignore"):
        error = spread(draws)
    cells, weight = state.cells, state.weights
    if each is not None and metric.unit == "queries":  # undefined queries have no share
        weight = np.where(np.isnan(each), 0.0, weight)
    weight = cells.sums(weight)
    share = np.nan_to_num(ratio(weight, cells.spread(cells.totals(weight))))
    by_weight = Influence.of_cells(cells, (np.zeros(len(share)),), (share,))
    rests = influence or by_weight
    times = len(value) // max(rests.n_values, 1)  # a segment may have several values
    units = by_weight.units.repeat(len(value) // max(by_weight.n_values, 1))
    largest_share, equal, largest = largest_shares(rests)
    fewest = rests.effective if rests.rarest is None else np.minimum(rests.effective, rests.rarest)
    alone = ~np.isfinite(value) | (units < 2)
    scarce = rests.scarce.repeat(times) & ~alone
    low, high = (np.where(alone | scarce, np.nan, np.clip(limit, *bounds)) for limit in (low, high))
    if metric.interval() != "order":  # the interval of a median may have no width
        flat = no_width(low, high, value, bounds)
        low, high = np.where(flat, np.nan, low), np.where(flat, np.nan, high)
    return Limits(
        kind=kind,
        low=low,
        high=high,
        error=np.where(alone, np.nan, error),
        units=units,
        effective=rests.effective.repeat(times),
        fewest=fewest.repeat(times),
        scarce=scarce,
        share=largest_share.repeat(times),
        equal=equal.repeat(times),
        largest=largest.repeat(times),
        draws=len(draws),
        empty=np.isnan(draws).sum(axis=0),
    )


def spread(draws: Floats) -> Floats:
    """The standard deviation of each column; draws without a value are skipped."""
    kept = ~np.isnan(draws)
    n = kept.sum(axis=0)
    mean = ratio(np.where(kept, draws, 0.0).sum(axis=0), n)
    squares = (np.where(kept, draws - mean, 0.0) ** 2).sum(axis=0)
    return np.sqrt(ratio(squares, np.maximum(n - 1, 0)))


def _quantiles(draws: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Two quantiles of each column, interpolated; NaN are skipped."""
    ordered = np.sort(draws, axis=0)  # NaN come last
    n = (~np.isnan(ordered)).sum(axis=0)
    place = shares * np.maximum(n - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(n - 1, 0))
    column = np.arange(draws.shape[1])
    low, high = ordered[below, column], ordered[above, column]
    lower, upper = np.where(n > 0, low + (place - below) * (high - low), np.nan)
    return lower, upper


def _corrected(shares: Floats, value: Floats, draws: Floats, known: Influence | None) -> Floats:
    """The shares of BCa: corrected for bias by the draws, for skewness by influence."""
    less = ((draws < value).sum(axis=0) + 0.5 * (draws == value).sum(axis=0)) / np.maximum(
        (~np.isnan(draws)).sum(axis=0), 1
    )
    bias = normal_quantile(np.clip(less, 1e-9, 1 - 1e-9))
    skew = np.zeros(len(value))
    if known is not None:
        moves = known.total
        skew = np.nan_to_num(ratio(known.per_value(moves**3), 6 * known.per_value(moves**2) ** 1.5))
    at = bias + normal_quantile(shares)
    moved = bias + at / (1 - skew * at)
    return np.where(moved < 0, normal_tail(moved) / 2, 1 - normal_tail(moved) / 2)
