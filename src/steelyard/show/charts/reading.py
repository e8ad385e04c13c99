"""What charts read of results."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import polars as pl

from steelyard.curves import Curve, curve
from steelyard.measure.curves import curve_of
from steelyard.measure.measured import Measured
from steelyard.messages.errors import showing
from steelyard.metrics import GAUC, Confusion
from steelyard.rank import Ranked
from steelyard.show.charts.at_k import cutoffs
from steelyard.show.charts.queries import PerQuery
from steelyard.states import Scored

_CUTOFF = re.compile(r"@(\w+)$")
Fits = Callable[[Measured], bool]


class Evaluated(Protocol):
    """A result, as far as charts know it."""

    @property
    def measured(self) -> tuple[Measured, ...]:
        """Every metric with what it was measured on."""

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that results are sliced by."""

    @property
    def rows(self) -> pl.DataFrame:
        """The tidy table of results."""


Results = Mapping[str, Evaluated]
Shows = Callable[[Evaluated, str], bool]


def scored(result: Evaluated) -> Scored | None:
    """The rows with a label and a score, if any were measured."""
    states = (one.state for one in result.measured)
    return next((state for state in states if isinstance(state, Scored)), None)


def has_rows(result: Evaluated) -> bool:
    """Whether there are rows with a label and a score."""
    state = scored(result)
    return state is not None and state.n_rows > 0


def has_positives(result: Evaluated) -> bool:
    """Whether some of them are positive."""
    state = scored(result)
    return state is not None and float(state.positives[0]) > 0


def has_both(result: Evaluated) -> bool:
    """Whether some are positive and some negative."""
    state = scored(result)
    return state is not None and min(float(state.positives[0]), float(state.negatives[0])) > 0


def has_probabilities(result: Evaluated) -> bool:
    """Whether all scores could be probabilities."""
    state = scored(result)
    return state is not None and state.n_rows > 0 and bool(state.score.min() >= 0 and state.score.max() <= 1)


def curves(name: str, results: Results, **asked: Any) -> dict[str, Curve]:
    """The curve of that name of each result."""
    return {system: curve_of(name, result.measured, **asked) for system, result in results.items()}


def is_confusion(one: Measured) -> bool:
    """Whether a metric is the confusion matrix."""
    return isinstance(one.metric, Confusion)


def is_gauc(one: Measured) -> bool:
    """Whether a metric is AUC within groups."""
    return isinstance(one.metric, GAUC) and isinstance(one.state, Scored)


def is_single(one: Measured) -> bool:
    """Whether a metric is one number."""
    return not one.entries


def has_cutoff(one: Measured) -> bool:
    """Whether a metric of rankings can be cut."""
    return isinstance(one.state, Ranked) and one.metric.at != "never"


def has_values(one: Measured) -> bool:
    """Whether a metric has a value for each query or group."""
    return one.units is not None


def is_defined(one: Measured) -> bool:
    """Whether a metric has a finite value anywhere."""
    found = one.whole if one.each is None or one.metric.unit == "groups" else one.each
    return bool(np.isfinite(found).any())


def has_slice(result: Evaluated, label: str) -> bool:
    """Whether a metric has a finite value in some slice."""
    if not result.by:
        return False
    inside = ~pl.all_horizontal(pl.col(result.by).is_null())
    of_it = (pl.col("metric") == label) & pl.col("value").is_finite()
    return bool(result.rows.select((inside & of_it).any()).item())


def has_values_of(result: Evaluated, label: str) -> bool:
    """Whether a metric of a result has a finite value."""
    return is_defined(measured(result, label))


def has(fits: Fits) -> Callable[[Evaluated], bool]:
    """Whether a result has such a metric."""
    return lambda result: any(map(fits, result.measured))


def labels(result: Evaluated, fits: Fits) -> list[str]:
    """The metrics that fit."""
    return [one.label for one in result.measured if fits(one)]


def chosen(name: str, results: Results, fits: Fits, metric: str | None, shows: Shows | None = None) -> str:
    """The metric asked for, or the first that all results have and the chart can show."""
    return every(name, results, fits, metric, shows)[0]


def every(
    name: str, results: Results, fits: Fits, metric: str | None, shows: Shows | None = None
) -> list[str]:
    """The metric asked for alone, or all that all results have and the chart can show.

    These are the ones with something to draw in the first result, which ``shows`` tells; where none has, the
    first of them, so that the chart itself says what is missing.
    """
    each = [labels(result, fits) for result in results.values()]
    shared = [label for label in each[0] if all(label in other for other in each[1:])]
    if metric is None and shared:
        first = next(iter(results.values()))
        return [label for label in shared if shows is None or shows(first, label)] or shared[:1]
    if metric not in shared:
        raise showing.metric_not_there(name, metric or each[0][0], shared)
    return [metric]


def measured(result: Evaluated, label: str) -> Measured:
    """The metric of that label."""
    return next(one for one in result.measured if one.label == label)


def whole(result: Evaluated, label: str) -> pl.DataFrame:
    """The rows of a metric over everything, without its slices."""
    rows = result.rows.filter(pl.col("metric") == label)
    return rows.filter([pl.col(name).is_null() for name in result.by]) if result.by else rows


def values(result: Evaluated, label: str) -> PerQuery:
    """A metric's value for each query or group."""
    one = measured(result, label)
    assert one.units is not None
    assert one.each is not None
    return PerQuery(
        metric=label,
        queries=one.units,
        values=one.each,
        overall=float(whole(result, label)["value"][0]),
        bounds=one.metric.bounds,
        unit=one.metric.unit,
    )


def at_every_k(result: Evaluated, metrics: Sequence[str] | None, ks: list[int] | None) -> list[Curve]:
    """Each metric once, whatever its cutoffs, on the ranking that it was measured on."""
    ranked = [one for one in result.measured if has_cutoff(one)]
    longest = max(int(one.state.retrieved.max(initial=1)) for one in ranked)
    asked = [getattr(one.metric, "k", None) for one in ranked]
    wanted = ks or cutoffs(longest, [k for k in asked if k])
    if metrics is not None:
        return [_named(name, curve_of(name, result.measured, ks=wanted)) for name in metrics]
    once: dict[str, Measured] = {}
    for one in ranked:
        once.setdefault(str(one.metric.replace(k=1)), one)
    return [_named(one.label, curve(one.metric, one.state, ks=wanted)) for one in once.values()]


def _named(label: str, drawn: Curve) -> Curve:
    """A curve under the name that its metric was asked for by, without the cutoff."""
    return replace(drawn, name=f"{_CUTOFF.sub('', label)}@k")
