"""Every chart by its name: what it shows, which results it needs, and how it is drawn of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import polars as pl

from steelyard.engine.kept import ByScore
from steelyard.engine.ranked import Ranked
from steelyard.engine.slices import is_whole
from steelyard.engine.top_lists import TopLists
from steelyard.metrics import Metric
from steelyard.metrics.curves import Curve
from steelyard.render.charts import lists
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.confusion import confusion
from steelyard.render.charts.curves import (
    at_every_k,
    gain,
    has_cutoff,
    lift,
    metric_at_k,
    precision_recall,
    roc,
)
from steelyard.render.charts.differences import forest, slice_differences
from steelyard.render.charts.parts import MOST_METRICS, first_metrics
from steelyard.render.charts.queries import Pairs, PerQuery, difference, per_query, scatter
from steelyard.render.charts.scores import Scale, calibration, score_histogram
from steelyard.render.charts.slices import gauc_by_size, side_by_side, slices
from steelyard.stats.curves import curve_of
from steelyard.stats.measured import Measured, of_state
from steelyard.text import Message, say
from steelyard.text.errors import writing


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
    draw: Callable[..., Chart] | None = (
        None  # by its name, of results; None where two compared results draw it
    )
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

    def labels(self, result: Evaluated) -> list[str]:
        return [one.label for one in result.measured if self.fits and self.fits(result, one)]

    def metrics(self, result: Evaluated) -> list[str]:
        return [label for label in self.labels(result) if self.defined is None or self.defined(result, label)]


def chosen(name: str, results: Results, metric: str | None) -> str:
    """The requested metric, or the first that all results have and the chart can show."""
    return _every(name, results, metric)[0]


def _every(name: str, results: Results, metric: str | None) -> list[str]:
    """The requested metric alone, or all that all results have and the chart can show.

    These are the ones with something to draw in the first result; where none has, the first of them, so that
    the chart itself says what is missing.
    """
    kind = KINDS[name]
    of_each = [kind.labels(result) for result in results.values()]
    shared = [label for label in of_each[0] if all(label in other for other in of_each[1:])]
    if metric is None and shared:
        drawn = kind.metrics(next(iter(results.values())))
        return [label for label in shared if label in drawn] or shared[:1]
    if metric not in shared:
        raise writing.metric_not_there(name, metric or of_each[0][0], shared)
    return [metric]


def _measured(result: Evaluated, label: str) -> Measured:
    return next(one for one in result.measured if one.label == label)


def _whole(result: Evaluated, label: str) -> pl.DataFrame:
    rows = result.rows.filter(pl.col("metric") == label)
    return rows.filter(is_whole(rows, result.by))


def values(result: Evaluated, label: str) -> PerQuery:
    measured = _measured(result, label)
    return PerQuery(
        metric=label,
        queries=measured.unit_names,
        values=measured.values,
        overall=float(_whole(result, label)["value"][0]),
        bounds=measured.metric.bounds,
        unit=measured.metric.unit,
        direction=measured.metric.direction,
    )


def pairs_of(results: Results, label: str) -> Pairs:
    one, other = results
    return Pairs.of((one, other), values(results[one], label), values(results[other], label))


def _curves(name: str, results: Results, **asked: Any) -> dict[str, Curve]:
    return {system: curve_of(name, result.measured, **asked) for system, result in results.items()}


def _rows_that(hold: Callable[[ByScore], bool]) -> Callable[[Evaluated], bool]:
    return lambda result: any(hold(one.state) for one in of_state(result.measured, ByScore)[:1])


def _is_sliced(result: Evaluated, measured: Measured) -> bool:
    if not result.by or "class" not in result.rows.columns:
        return bool(result.by)
    return bool(result.rows.filter(pl.col("metric") == measured.label)["class"].is_null().all())


def _has_slice(result: Evaluated, label: str) -> bool:
    inside = result.rows.filter(~is_whole(result.rows, result.by))
    return inside.filter(pl.col("metric") == label, pl.col("value").is_finite()).height > 0


def _is_defined(result: Evaluated, label: str) -> bool:
    measured = _measured(result, label)
    values = measured.whole if measured.each is None or measured.metric.unit == "groups" else measured.each
    return bool(np.isfinite(values).any())


# --- how a chart is drawn of results


def _of_curves(name: str, results: Results) -> Chart:
    return KINDS[name].picture(_curves(name, results))


def _of_metric(name: str, results: Results, metric: str | None = None) -> Chart:
    label = chosen(name, results, metric)
    return KINDS[name].picture({system: _measured(result, label) for system, result in results.items()})


def _of_two(name: str, results: Results, metric: str | None = None) -> Chart:
    if len(results) != 2:
        raise writing.needs_two(name=name, n=len(results))
    return KINDS[name].picture(pairs_of(results, chosen(name, results, metric)))


def _calibration(name: str, results: Results, scale: Scale = "auto", **asked: Any) -> Chart:
    return calibration(_curves(name, results, **asked), _curves("score_histogram", results), scale)


def _score_histogram(name: str, results: Results, scale: Scale = "auto", **asked: Any) -> Chart:
    return score_histogram(_curves(name, results, **asked), scale)


def _confusion(name: str, results: Results, metric: str | None = None) -> Chart:
    label = chosen(name, results, metric)
    return confusion({system: _whole(result, label) for system, result in results.items()})


def _metric_at_k(
    _: str, results: Results, metrics: str | Sequence[str] | None = None, ks: Iterable[int] | None = None
) -> Chart:
    wanted = None if ks is None else list(ks)
    asked = [metrics] if isinstance(metrics, str) else metrics
    every = {system: at_every_k(result.measured, asked, wanted) for system, result in results.items()}
    return metric_at_k(every)


def _per_query(name: str, results: Results, metric: str | None = None) -> Chart:
    label = chosen(name, results, metric)
    drawn = per_query({system: values(result, label) for system, result in results.items()})
    measured = [_measured(result, label) for result in results.values()]
    weighted = any(one.state.weight is not None for one in of_state(measured, Ranked | TopLists))
    note = say("Bars count queries; the overall value is weighted.")
    return drawn.with_notes(note) if weighted else drawn


def _slices(name: str, results: Results, metric: str | None = None) -> Chart:
    first = next(iter(results.values()))
    for system, result in results.items():
        if result.by != first.by:
            raise writing.slices_differ(one=first.by, system=system, other=result.by)
    labels = _every(name, results, metric)
    drawn = {}
    for place, label in enumerate(labels[:MOST_METRICS]):
        rows = {system: result.rows.filter(pl.col("metric") == label) for system, result in results.items()}
        unit = _measured(first, label).metric.unit
        drawn[label] = slices(rows, label, first.by, unit, legend=place == 0)
    if len(labels) == 1:
        return drawn[labels[0]]
    every = side_by_side(drawn, first.by)
    return every.with_notes(first_metrics(len(drawn), len(labels))) if len(drawn) < len(labels) else every


def _trade_off(
    name: str, results: Results, metric: str | None = None, against: Sequence[str] | None = None
) -> Chart:
    if len(results) < 2:
        raise writing.needs_several(name=name)
    label = chosen(name, results, metric)
    return lists.trade_off({system: result.measured for system, result in results.items()}, label, against)


def _coverage_at_k(_: str, results: Results) -> Chart:
    return lists.coverage_at_k({system: result.measured for system, result in results.items()})


_OF_SCORES: dict[str, Any] = {
    "remedy": say("ask for a metric of labels and scores, such as auc"),
    "state_of": lambda metric: metric.reads == "scores",
}
_POSITIVES: dict[str, Any] = {
    **_OF_SCORES,
    "data": _rows_that(lambda state: float(state.positives[0]) > 0),
    "needs": say("rows with a label of 0 or 1 and a score, a positive among them"),
}
_PER_QUERY: dict[str, Any] = {
    "section": "queries",
    "needs": say("values of queries or of groups"),
    "remedy": say("ask for a metric of rankings, such as ndcg@10, or for gauc"),
    "options": ("metric",),
    "fits": lambda _, one: one.units is not None,
    "defined": _is_defined,
}
_SLICED: dict[str, Any] = {
    "needs": say("slices"),
    "remedy": say("name a column to slice by: by=[...], --by COLUMN"),
    "options": ("metric",),
    "section": "slices",
    "fits": _is_sliced,
    "defined": _has_slice,
}
_CATALOG: dict[str, Any] = {
    "section": "lists",
    "needs": say("lists and a catalogue"),
    "remedy": say("give catalog=..., and ask for a metric of lists as a whole, such as coverage@10"),
    "fits": lambda _, one: lists.has_catalog(one),
    "state_of": lambda metric: metric.reads == "lists",
}
KINDS: dict[str, ChartKind] = {
    "roc": ChartKind(
        picture=roc,
        draw=_of_curves,
        data=_rows_that(lambda state: min(float(state.positives[0]), float(state.negatives[0])) > 0),
        needs=say("rows with a label of 0 or 1 and a score, of both classes"),
        **_OF_SCORES,
    ),
    "precision_recall": ChartKind(picture=precision_recall, draw=_of_curves, **_POSITIVES),
    "calibration": ChartKind(
        picture=calibration,
        draw=_calibration,
        data=_rows_that(
            lambda state: state.n_rows > 0 and bool(state.score.min() >= 0 and state.score.max() <= 1)
        ),
        needs=say("rows with a label of 0 or 1 and a probability"),
        options=("bins", "binning", "scale"),
        **_OF_SCORES
        | {"remedy": say("give scores from 0 to 1, and ask for a metric of them, such as logloss")},
    ),
    "gain": ChartKind(picture=gain, draw=_of_curves, **_POSITIVES),
    "lift": ChartKind(picture=lift, draw=_of_curves, **_POSITIVES),
    "score_histogram": ChartKind(
        picture=score_histogram,
        draw=_score_histogram,
        data=_rows_that(lambda state: state.n_rows > 0),
        needs=say("rows with a label of 0 or 1 and a score"),
        options=("bins", "scale"),
        by_colour=False,
        **_OF_SCORES,
    ),
    "confusion": ChartKind(
        picture=confusion,
        draw=_confusion,
        needs=say("a confusion matrix"),
        remedy=say("ask for the metric confusion"),
        section="classes",
        by_colour=False,
        options=("metric",),
        fits=lambda _, one: "confusion" in one.metric.charts,
    ),
    "metric_at_k": ChartKind(
        picture=metric_at_k,
        draw=_metric_at_k,
        needs=say("rankings"),
        remedy=say("ask for a metric of rankings, such as ndcg@10"),
        options=("metrics", "ks"),
        fits=lambda _, one: has_cutoff(one),
        defined=_is_defined,
        state_of=lambda metric: metric.reads == "hits",
    ),
    "per_query": ChartKind(picture=per_query, draw=_per_query, **_PER_QUERY),
    "difference": ChartKind(picture=difference, draw=_of_two, systems="two", by_colour=False, **_PER_QUERY),
    "scatter": ChartKind(picture=scatter, draw=_of_two, systems="two", by_colour=False, **_PER_QUERY),
    "forest": ChartKind(
        picture=forest,
        systems="two",
        needs=say("a metric that is one number"),
        remedy=say("ask for one, such as ndcg@10 or auc"),
        options=("metric",),
        fits=lambda _, one: not one.entries,
        defined=_is_defined,
    ),
    "slice_differences": ChartKind(picture=slice_differences, systems="two", by_colour=False, **_SLICED),
    "slices": ChartKind(picture=slices, draw=_slices, **_SLICED),
    "gauc_by_size": ChartKind(
        picture=gauc_by_size,
        draw=_of_metric,
        section="queries",
        needs=say("groups"),
        remedy=say("ask for gauc"),
        options=("metric",),
        fits=lambda _, one: "gauc_by_size" in one.metric.charts and bool(of_state([one], ByScore)),
        defined=_is_defined,
        state_of=lambda metric: "gauc_by_size" in metric.charts,
    ),
    "trade_off": ChartKind(
        picture=lists.trade_off,
        systems="several",
        draw=_trade_off,
        section="lists",
        needs=say("a metric of rankings and one of lists as a whole"),
        remedy=say("ask for both, such as ndcg@10 and diversity@10"),
        options=("metric", "against"),
        fits=lambda result, one: one.metric.reads == "hits" and any(map(lists.is_beyond, result.measured)),
        defined=_is_defined,
    ),
    "long_tail": ChartKind(picture=lists.long_tail, draw=_of_metric, options=("metric",), **_CATALOG),
    "coverage_at_k": ChartKind(picture=lists.coverage_at_k, draw=_coverage_at_k, **_CATALOG),
    "categories": ChartKind(
        picture=lists.categories,
        draw=_of_metric,
        section="lists",
        needs=say("lists, categories of items, and a history"),
        remedy=say("give features=... with categories and history=..., and ask for miscalibration@10"),
        options=("metric",),
        fits=lambda _, one: lists.has_categories(one),
        state_of=lambda metric: metric.reads == "lists",
    ),
}
