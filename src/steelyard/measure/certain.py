"""The interval of a metric's values, of the kind that suits it or that was asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.engine.influence import Influence
from steelyard.engine.top_lists import TopLists
from steelyard.engine.units import Cells
from steelyard.kernels.means import ratio
from steelyard.measure.certainty import Certainty
from steelyard.measure.intervals import Limits, limits, order_limits
from steelyard.metrics import Metric
from steelyard.metrics.base import Interval

MOST_RESAMPLED = 1_000_000  # rows above which units are resampled only when asked for
_BY_INFLUENCE = ("score", "t", "log", "log_rest", "logit")


def influence_of(metric: Metric, state: Any, values: Floats, each: Floats | None) -> Influence | None:
    """How much each unit moves the values, under the names of the units."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = metric.influence(state, values, each)
    return None if found is None else replace(found, names=state.drawn.names)


def limits_of(
    metric: Metric,
    state: Any,
    values: Floats,
    each: Floats | None,
    influence: Influence | None,
    certainty: Certainty,
) -> Limits | None:
    """The limits of some values; None where none were asked for."""
    if certainty.ci == "none":
        return None
    flat = values.reshape(-1)
    found = _limits_of(metric, state, flat, each, influence, certainty)
    # that of a median is right without a width too: it rests on the order of values, not on their spread
    return found if metric.interval() == "order" else found.with_width(flat, metric.within())


def _limits_of(
    metric: Metric,
    state: Any,
    flat: Floats,
    each: Floats | None,
    influence: Influence | None,
    certainty: Certainty,
) -> Limits:
    kind = kind_of(metric, influence, certainty)
    if kind == "order" and (state.weight is not None or state.units is not None):
        kind = "percentile"
    if kind in _BY_INFLUENCE:
        assert influence is not None
        counts = metric.reads == "classes"
        return limits(kind, flat, influence, certainty.level, metric.within(), counts=counts)
    if kind == "order":
        assert each is not None
        low, high, n = order_limits(each, state.segments, state.n_segments, certainty.level)
        count = n.astype(np.float64)
        blank = Limits.unknown(len(flat))
        return replace(blank, kind=kind, low=low, high=high, units=n, effective=count, fewest=count)
    if kind == "none":
        return Limits.unknown(len(flat))
    if left_out(state, certainty):
        return replace(Limits.unknown(len(flat)), left_out=True)
    from steelyard.measure.resample import resampled, resampled_limits  # which few metrics need

    draws = resampled(metric, state, flat, influence, each, certainty)
    counted = None if each is None or metric.unit != "queries" else ~np.isnan(each)
    weighed = _by_weight(state, counted)
    return resampled_limits(kind, flat, draws, influence, certainty.level, metric.within(), weighed)


def _by_weight(state: Any, counted: Flags | None) -> Influence:
    """The share of each unit in the weight of its segment, of what has a value where that is known."""
    cells: Cells = state.cells
    weight = cells.sums(state.weights if counted is None else np.where(counted, state.weights, 0.0))
    share = np.nan_to_num(ratio(weight, cells.spread(cells.totals(weight))))
    return Influence.of_cells(cells, (np.zeros(len(share)),), (share,))


def left_out(state: Any, certainty: Certainty) -> bool:
    """Whether resampling would take too long for what was not asked for."""
    size = len(state.item) if isinstance(state, TopLists) else state.size
    return certainty.ci not in ("bootstrap", "bca") and size > MOST_RESAMPLED


def kind_of(metric: Metric, influence: Influence | None, certainty: Certainty) -> Interval:
    """The kind that was asked for, where the metric has it; else its own."""
    own = metric.interval()
    if own == "none":
        return "none"
    if certainty.ci == "bca" and influence is not None:  # which tells how skewed the draws are
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
