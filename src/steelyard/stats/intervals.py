"""From the influence of each unit to an interval: plain, on the log or the logit scale, or by score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.arrays import Flags, Floats, Frozen, Ints
from steelyard.conventions import Certainty
from steelyard.engine.influence import Influence
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.distributions import coin_tail, normal_quantile, student_quantile
from steelyard.metrics import Metric
from steelyard.metrics.base import Interval

_NO_WIDTH = 1e-12  # relative to the value: a narrower interval comes from rounding alone
_OPEN = 100.0  # times the value: a limit on the log scale that is farther off says nothing
MOST_RESAMPLED = 1_000_000  # rows above which units are resampled only when asked for
_BY_INFLUENCE = ("score", "t", "log", "log_rest", "logit")


@dataclass(frozen=True, kw_only=True, eq=False)
class Limits(Frozen):
    """The limits of some values, with their standard errors and sample sizes."""

    kind: Interval
    low: Floats
    high: Floats
    error: Floats
    units: Ints
    effective: Floats  # Kish's effective number of units
    fewest: Floats  # the least of that, of the rarest class, and of the units that the variance comes from
    scarce: Flags  # whether a class has too few units for an interval
    share: Floats  # the largest share of one unit in a denominator
    equal: Floats  # the share that each would have if all were equal
    largest: Ints  # the number of the unit with the largest share
    left_out: bool = False  # whether resampling would have taken too long
    draws: int = 0  # of resampled units
    empty: Ints | None = None  # draws that left nothing to measure

    @classmethod
    def unknown(cls, n: int) -> Limits:
        nothing, none = np.full(n, np.nan), np.zeros(n, np.int64)
        return cls(
            kind="none",
            low=nothing,
            high=nothing,
            error=nothing,
            units=none,
            effective=nothing,
            fewest=nothing,
            scarce=none > 0,
            share=nothing,
            equal=nothing,
            largest=none,
        )


def influence_of(metric: Metric, state: Any, values: Floats, each: Floats | None) -> Influence | None:
    """How much each unit moves the values, under the names of the units."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        influence = metric.influence(state, values, each)
    names = state.drawn.names
    return influence if influence is None or influence.names is names else replace(influence, names=names)


def influence_by_moves(metric: Any, rows: Any, moves: Floats) -> Influence:
    """The same where it is known how much the rows of each unit move a value."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        influence: Influence = metric.by_moves(rows, moves)
    return replace(influence, names=rows.drawn.names)


def limits_of(
    metric: Metric,
    state: Any,
    values: Floats,
    each: Floats | None,
    influence: Influence | None,
    certainty: Certainty,
) -> Limits | None:
    """The limits of some values; None without intervals."""
    if certainty.ci == "none":
        return None
    flat, own = values.reshape(-1), metric.interval()
    kind = own
    if certainty.ci != "auto" or influence is None:
        kind = _kind(own, metric, influence, certainty)
    if kind == "none":
        return Limits.unknown(len(flat))
    if influence is not None and kind in _BY_INFLUENCE:
        counts = metric.reads == "classes"
        return limits(kind, flat, influence, certainty.level, metric.within(), counts=counts)
    if kind == "order" and state.weight is None and state.units is None:
        assert each is not None
        return _order_limits(each, state.segments, state.n_segments, certainty.level)
    size = len(state.item) if isinstance(state, TopLists) else state.size
    if size > MOST_RESAMPLED and certainty.ci not in ("bootstrap", "bca"):
        return replace(Limits.unknown(len(flat)), left_out=True)
    from steelyard.stats.resample import resampled_limits  # which few metrics need

    kind = "percentile" if kind == "order" else kind
    return resampled_limits(kind, metric, state, flat, influence, each, certainty)


def _kind(own: Interval, metric: Metric, influence: Influence | None, certainty: Certainty) -> Interval:
    """The requested kind if the metric has it; else its own."""
    if own == "none":
        return "none"
    if certainty.ci == "bca" and influence is not None:
        return "bca"
    if certainty.ci in ("bootstrap", "bca"):
        return "basic" if own == "basic" else "percentile"
    if influence is None:
        return "percentile" if own in _BY_INFLUENCE else own
    if certainty.ci == "t" or (certainty.ci == "influence" and own not in ("log", "log_rest", "logit")):
        return "t"
    means = influence.each is not None and metric.unit == "queries"
    if certainty.ci == "score" and means and bool(np.isfinite(metric.within()).all()):
        return "score"
    return own


def limits(
    kind: Interval,
    value: Floats,
    influence: Influence,
    level: float,
    bounds: tuple[float, float],
    *,
    counts: bool = False,
) -> Limits:
    """Limits by influence, within the bounds of the metric.

    For ``counts`` of rows, such as accuracy, the logit scale already allows for few rows that differ.

    >>> from steelyard.engine.influence import Cells
    >>> each = np.array([0.2, 0.5, 1.0, 0.0, 0.8])
    >>> cells = Cells(n=5, n_segments=1, code=None, owner=None, unit=None)
    >>> of_mean = Influence.of_ratio(cells, each, np.ones(5), np.array([0.5]))
    >>> found = limits("score", np.array([0.5]), of_mean, 0.95, (0.0, 1.0))
    >>> round(float(found.low[0]), 6), round(float(found.high[0]), 6)
    (0.150458, 0.849542)
    """
    fewest = effective = influence.effective
    error = np.where(np.isfinite(value), influence.error, np.nan)
    if kind != "score" and not (counts and kind == "logit"):
        spread = error > _NO_WIDTH * np.abs(value)  # more than rounding
        fewest = np.where(spread, np.minimum(effective, 1 + 2 * influence.carriers), effective)
    if influence.rarest is not None and influence.least:
        fewest = np.minimum(fewest, influence.rarest)
    student = student_quantile((1 + level) / 2, np.maximum(fewest - 1, 1.0))
    if kind == "score":
        low, high = _score(value, error, student, influence, level, bounds)
    else:
        low, high = _between(kind, value, error, student, influence, bounds)
    if influence.added is not None:  # other scales exaggerate it near the bounds
        there = influence.added > 0
        if kind == "logit":
            there &= ~_at_end(value, bounds)
        plain = _between("t", value, error, student, influence, bounds)
        low, high = np.where(there, plain, (low, high))
    share, equal, largest = largest_shares(influence)
    scarce = np.zeros(len(value), bool)
    if influence.rarest is not None:
        fewest, scarce = np.minimum(fewest, influence.rarest), influence.scarce
    # rounding alone may move a limit past the value
    low, high = np.clip(np.minimum(low, value), *bounds), np.clip(np.maximum(high, value), *bounds)
    unknown = ~np.isfinite(error) | scarce | no_width(low, high, value, bounds)
    return Limits(
        kind=kind,
        low=np.where(unknown, np.nan, low),
        high=np.where(unknown, np.nan, high),
        error=error,
        units=influence.units,
        effective=effective,
        fewest=fewest,
        scarce=scarce & np.isfinite(value),
        share=share,
        equal=equal,
        largest=largest,
    )


def no_width(low: Floats, high: Floats, value: Floats, bounds: tuple[float, float]) -> Flags:
    """Which intervals have no width, since all units are equal."""
    size = np.maximum(np.abs(value), 1.0 if bounds[0] < 0 else 0.0)
    with np.errstate(invalid="ignore"):  # of infinite limits
        flat: Flags = high - low <= _NO_WIDTH * size
    return flat


def _between(
    kind: Interval,
    value: Floats,
    error: Floats,
    student: Floats,
    influence: Influence,
    bounds: tuple[float, float],
) -> tuple[Floats, Floats]:
    """Student's t limits on the scale of the kind."""
    wide = student * error
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if kind == "log":
            factor = np.where(value > 0, np.exp(wide / value), 1.0)
            factor = np.where(factor > _OPEN, np.inf, factor)
            return value / factor, value * factor
        if kind == "log_rest":  # log of the distance from the best value
            low, high = _between("log", bounds[1] - value, error, student, influence, bounds)
            return bounds[1] - high, bounds[1] - low
        if kind == "logit":  # at its ends, the score interval of as many units
            units = influence.effective
            if influence.rarest is not None and influence.least:
                units = np.minimum(units, influence.rarest)
            least, size = bounds[0], bounds[1] - bounds[0]
            share = (value - least) / size
            away = wide / size / (share * (1 - share))
            odds = np.log(share / (1 - share))
            low, high = (1 / (1 + np.exp(-(odds + side * away))) for side in (-1, 1))
            ends = _at_end(value, bounds)
            at_low, at_high = _wilson(np.rint(share), units, student)
            return least + size * np.where(ends, at_low, low), least + size * np.where(ends, at_high, high)
    return value - wide, value + wide


def _at_end(value: Floats, bounds: tuple[float, float]) -> Flags:
    """Which values are at a bound, but for rounding."""
    return np.asarray(np.any(np.abs(np.subtract.outer(value, bounds)) <= _NO_WIDTH, axis=1))


def _score(
    value: Floats,
    error: Floats,
    student: Floats,
    influence: Influence,
    level: float,
    bounds: tuple[float, float],
) -> tuple[Floats, Floats]:
    """Wilson's interval with as many units as hits of the same spread would need."""
    assert influence.each is not None
    least, size = bounds[0], bounds[1] - bounds[0]
    share, effective = (value - least) / size, influence.effective
    counts = influence.share[0] > 0
    # the spread of one further unit, which is 1 + 10/n times as far from the mean as the farthest one, at
    # most that of a hit; a hit or miss would make the interval too wide for values in a part of their bounds
    owner = np.zeros(len(counts), np.int64) if influence.owner is None else influence.owner
    farthest = np.zeros(len(value))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        np.maximum.at(farthest, owner, np.where(counts, np.abs(influence.each - value[owner]) / size, 0.0))
        spread = share * (1 - share)
        added = np.fmin((farthest * (1 + 10 / effective)) ** 2 / spread, 1.0)
        added = np.where(farthest > _NO_WIDTH, added, 1.0)
        design = np.where(spread > 0, (error / size) ** 2 * (effective - 1) / spread, 1.0)
        design = (effective * design + added) / (effective + 1)
        # where every unit is at a bound
        hits = influence.per_value(counts & ~np.isin(influence.each, bounds)) == 0
        design = np.where(hits, np.maximum(design, 1.0), design)
        quantile = np.where(hits, normal_quantile((1 + level) / 2), student)
        low, high = _wilson(share, effective / design, quantile)
    return least + size * low, least + size * high


def _wilson(share: Floats, n: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    squared = quantile**2 / n
    centre = (share + squared / 2) / (1 + squared)
    half = quantile / (1 + squared) * np.sqrt(share * (1 - share) / n + squared / (4 * n))
    return np.where(share <= 0, 0.0, centre - half), np.where(share >= 1, 1.0, centre + half)


def largest_shares(influence: Influence) -> tuple[Floats, Floats, Ints]:
    """The largest share of a unit in each value, what an equal share would be, and the unit."""
    n = influence.n_values
    best, equal, cell = np.zeros(n), np.ones(n), np.zeros(n, np.int64)
    if not influence.share.size:
        return best, equal, cell
    share, part = influence.share.max(axis=0), influence.share.argmax(axis=0)
    owned = np.zeros(1, np.int64)
    if influence.owner is None:
        cell[0] = share.argmax()
    else:
        np.fmax.at(best, influence.owner, share)
        first = np.flatnonzero(share == best[influence.owner])
        owned, at = np.unique(influence.owner[first], return_index=True)
        cell[owned] = first[at]
    best[owned] = share[cell[owned]]
    sharing = np.stack([influence.per_value(of_part > 0) for of_part in influence.share])
    equal[owned] = 1.0 / np.maximum(sharing[part[cell[owned]], owned], 1.0)
    return best, equal, cell if influence.unit is None else influence.unit[cell]


def _order_limits(each: Floats, segment: Ints, n: int, level: float) -> Limits:
    """The limits of medians, by order statistics; NaN for fewer than six values."""
    kept = ~np.isnan(each)
    each, segment = each[kept], segment[kept]
    counts = np.bincount(segment, minlength=n)
    order = np.lexsort((each, segment))
    starts = np.cumsum(counts) - counts
    place = order_places(counts, level)
    low, high = np.full(n, np.nan), np.full(n, np.nan)
    known = place > 0
    low[known] = each[order[(starts + place - 1)[known]]]
    high[known] = each[order[(starts + counts - place)[known]]]
    count = counts.astype(np.float64)
    blank = Limits.unknown(n)
    return replace(blank, kind="order", low=low, high=high, units=counts, effective=count, fewest=count)


def order_places(counts: Ints, level: float) -> Ints:
    """The place from both ends of the values that enclose a median; 0 if none do.

    >>> order_places(np.array([5, 20, 50, 200]), 0.95)
    array([ 0,  6, 18, 86])
    """
    places = {}
    for n in np.unique(counts).tolist():  # the largest l with P(Bin(n, ½) ≤ l - 1) ≤ tail
        low, high = 0, n // 2 + 1
        while low + 1 < high:  # the tail rises with the place
            middle = (low + high) // 2
            fits = coin_tail(middle - 1, n) <= (1 - level) / 2
            low, high = (middle, high) if fits else (low, middle)
        places[n] = low
    return np.array([places[n] for n in counts.tolist()], np.int64)
