"""What a chart declares of itself: what it shows, how it is drawn, and which results it can be drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import polars as pl

from steelyard.engine.kept import ByScore
from steelyard.engine.slices import is_whole
from steelyard.metrics import Metric
from steelyard.render.charts.chart import Chart
from steelyard.stats.measured import Measured, of_state
from steelyard.text import Message


class Evaluated(Protocol):
    """A result, as far as charts know it."""

    @property
    def measured(self) -> tuple[Measured, ...]: ...

    @property
    def by(self) -> tuple[str, ...]: ...

    @property
    def rows(self) -> pl.DataFrame: ...


Results = Mapping[str, Evaluated]
Section = Literal["slices", "classes", "curves", "lists", "queries"]


@dataclass(frozen=True, kw_only=True)
class ChartKind:
    """One chart: how it is drawn, which results it needs, and its options.

    All that names charts is made of these: the command line, the guide, the sections of the page.
    """

    picture: Callable[..., Chart]  # draws plain values; its first sentence is what the guide says
    draw: Callable[..., Chart] | None = None  # of results; None where whoever compares two results draws it
    needs: Message
    remedy: Message
    options: tuple[str, ...] = ()
    systems: Literal["any", "two", "several"] = "any"
    data: Callable[[Evaluated], bool] | None = None  # of rows: whether they hold what it shows
    fits: Callable[[Evaluated, Measured], bool] | None = None  # of a metric: which it can show
    defined: Callable[[Evaluated, str], bool] | None = None  # and whether there is anything to draw of it
    state_of: Callable[[Metric], bool] = lambda _: False  # the metrics whose state it needs, too
    section: Section = "curves"  # of the page
    by_colour: bool = True  # whether each system has a colour

    def supports(self, result: Evaluated) -> bool:
        return self.data(result) if self.data else bool(self.labels(result))

    def labels(self, result: Evaluated) -> list[str]:
        return [one.label for one in result.measured if self.fits and self.fits(result, one)]

    def metrics(self, result: Evaluated) -> list[str]:
        return [label for label in self.labels(result) if self.defined is None or self.defined(result, label)]


def measured_of(result: Evaluated, label: str) -> Measured:
    return next(one for one in result.measured if one.label == label)


def whole_of(result: Evaluated, label: str) -> pl.DataFrame:
    rows = result.rows.filter(pl.col("metric") == label)
    return rows.filter(is_whole(rows, result.by))


def rows_that(hold: Callable[[ByScore], bool]) -> Callable[[Evaluated], bool]:
    return lambda result: any(hold(one.state) for one in of_state(result.measured, ByScore)[:1])


def are_probabilities(state: ByScore) -> bool:
    return state.n_rows > 0 and bool(state.score.min() >= 0 and state.score.max() <= 1)


def is_sliced(result: Evaluated, measured: Measured) -> bool:
    if not result.by or "class" not in result.rows.columns:
        return bool(result.by)
    return bool(result.rows.filter(pl.col("metric") == measured.label)["class"].is_null().all())


def has_slice(result: Evaluated, label: str) -> bool:
    inside = result.rows.filter(~is_whole(result.rows, result.by))
    return inside.filter(pl.col("metric") == label, pl.col("value").is_finite()).height > 0


def is_defined(result: Evaluated, label: str) -> bool:
    measured = measured_of(result, label)
    values = measured.whole if measured.each is None or measured.metric.unit == "groups" else measured.each
    return bool(np.isfinite(values).any())
