"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser; every chart by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import polars as pl

from steelyard.arguments import is_one_of
from steelyard.engine.kept import ByScore, DroppedRows
from steelyard.engine.ranked import Ranked
from steelyard.engine.top_lists import TopLists
from steelyard.metrics.curves import Curve, canonical
from steelyard.render.charts.chart import Chart, check_installed, ending_of
from steelyard.render.charts.confusion import confusion
from steelyard.render.charts.curves import (
    at_every_k,
    first_metrics,
    gain,
    has_cutoff,
    lift,
    metric_at_k,
    precision_recall,
    roc,
)
from steelyard.render.charts.differences import forest, slice_differences, waterfall
from steelyard.render.charts.kind import (
    ChartKind,
    Evaluated,
    Results,
    Section,
    are_probabilities,
    has_slice,
    is_defined,
    is_sliced,
    measured_of,
    rows_that,
    whole_of,
)
from steelyard.render.charts.lists import (
    categories,
    coverage_at_k,
    has_catalog,
    has_categories,
    is_beyond,
    long_tail,
    trade_off,
)
from steelyard.render.charts.parts import GRID, INK, MOST_METRICS, MUTED
from steelyard.render.charts.queries import Pairs, PerQuery, difference, per_query, scatter
from steelyard.render.charts.scores import Scale, calibration, score_histogram
from steelyard.render.charts.slices import gauc_by_size, side_by_side, slices
from steelyard.stats.curves import curve_of
from steelyard.stats.measured import Measured, of_state
from steelyard.text import say
from steelyard.text.errors import SteelyardError, showing
from steelyard.text.errors.forms import unknown

__all__ = ["GRID", "INK", "KINDS", "MUTED", "Chart", "Evaluated", "Pairs", "PerQuery"]
__all__ += ["Section", "available", "chart", "check", "check_installed", "chosen", "confusion"]
__all__ += ["difference", "drawable", "ending_of", "forest", "metrics", "names", "of", "of_first_metric"]
__all__ += ["options", "per_query", "roc", "scatter", "score_histogram", "slice_differences", "slices"]
__all__ += ["values", "waterfall"]


def names() -> list[str]:
    return list(KINDS)


def of(*systems: str) -> list[str]:
    """The charts of one result or more (``any``), of ``two``, of ``several``."""
    return [name for name, kind in KINDS.items() if kind.systems in systems]


def options(name: str) -> tuple[str, ...]:
    """The options of a chart; its name may be an alias."""
    if not is_one_of(canonical(name), KINDS):
        raise unknown(say("unknown chart '{name}'", name=str(name)), name, names())
    return KINDS[canonical(name)].options


def metrics(name: str, result: Evaluated) -> list[str]:
    """The metrics of a result that a chart of one metric can show; none for the other charts.

    >>> import steelyard as sy
    >>> metrics("per_query", sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, ["mrr", "hit_rate@1"]))
    ['mrr', 'hit_rate@1']
    """
    return KINDS[name].metrics(result) if "metric" in options(name) else []


def drawable(name: str, result: Evaluated) -> bool:
    """Whether a result has the data of a chart."""
    kind = KINDS[name]
    return bool(kind.data(result) if kind.data else kind.metrics(result))


def available(*results: Evaluated) -> list[str]:
    """The charts that the data of all these results supports; some are of two, or of several.

    >>> import steelyard as sy
    >>> available(sy.evaluate([0.8, 0.2], [1, 0], "auc"))
    ['roc', 'precision_recall', 'calibration', 'gain', 'lift', 'score_histogram']
    """
    supported = [name for name in KINDS if all(drawable(name, result) for result in results)]
    enough = {"any": True, "two": len(results) == 2, "several": len(results) > 1}

    def shared(name: str) -> bool:
        return bool(set.intersection(*(set(metrics(name, result)) for result in results)))

    return [
        name
        for name in supported
        if KINDS[name].systems == "any" or (enough[KINDS[name].systems] and shared(name))
    ]


def chart(name: str, results: Results, **asked: Any) -> Chart:
    name = canonical(name)
    check(name, results, asked)
    draw = KINDS[name].draw
    if draw is None:
        raise showing.needs_two(name=name, n=len(results))
    return draw(results, **asked)


def check(name: str, results: Results, asked: Iterable[str]) -> None:
    """Refuse unknown options, and results without the data of a chart."""
    takes, kind = options(name), KINDS[name]
    for option in asked:
        if option not in takes:
            raise showing.unknown_option(say("the chart '{name}'", name=name), option, takes)
    if not results:
        raise showing.no_systems(name=name)
    for system, result in results.items():
        if not kind.supports(result):
            of = system if len(results) > 1 else ""
            if any(
                isinstance(one.state, DroppedRows) and kind.state_of(one.metric) for one in result.measured
            ):
                raise showing.chart_not_kept(name=name, result=of)
            raise showing.not_supported(name=name, result=of, needs=kind.needs, remedy=kind.remedy)


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
        raise showing.metric_not_there(name, metric or of_each[0][0], shared)
    return [metric]


def values(result: Evaluated, label: str) -> PerQuery:
    measured = measured_of(result, label)
    return PerQuery(
        metric=label,
        queries=measured.unit_names,
        values=measured.values,
        overall=float(whole_of(result, label)["value"][0]),
        bounds=measured.metric.bounds,
        unit=measured.metric.unit,
        direction=measured.metric.direction,
    )


def _pairs(results: Results, label: str) -> Pairs:
    one, other = results
    return Pairs.of((one, other), values(results[one], label), values(results[other], label))


def of_first_metric(
    results: Results, pairs: Iterable[tuple[str, str]], labels: Iterable[str]
) -> Iterable[Pairs]:
    """Of every pair what each query has of the first metric that queries have a value of."""
    for one, other in pairs:
        both = {one: results[one], other: results[other]}
        having = [metrics("difference", side) for side in both.values()]
        label = next((label for label in labels if all(label in some for some in having)), None)
        if label is not None:
            with suppress(SteelyardError):  # ids of two types: no query can be found again
                yield _pairs(both, label)


def _of_two(name: str, draw: Callable[[Pairs], Chart]) -> Callable[..., Chart]:
    """How a chart of the queries of two results is drawn, the first against the second."""

    def drawn(results: Results, metric: str | None = None) -> Chart:
        if len(results) != 2:
            raise showing.needs_two(name=name, n=len(results))
        return draw(_pairs(results, chosen(name, results, metric)))

    return drawn


def _curves(name: str, results: Results, **asked: Any) -> dict[str, Curve]:
    return {system: curve_of(name, result.measured, **asked) for system, result in results.items()}


def _of_curves(name: str, draw: Callable[[Mapping[str, Curve]], Chart]) -> Callable[..., Chart]:
    return lambda results: draw(_curves(name, results))


def _calibration(results: Results, scale: Scale = "auto", **asked: Any) -> Chart:
    return calibration(_curves("calibration", results, **asked), _curves("score_histogram", results), scale)


def _score_histogram(results: Results, scale: Scale = "auto", **asked: Any) -> Chart:
    return score_histogram(_curves("score_histogram", results, **asked), scale)


def _confusion(results: Results, metric: str | None = None) -> Chart:
    label = chosen("confusion", results, metric)
    return confusion({system: whole_of(result, label) for system, result in results.items()})


def _metric_at_k(
    results: Results, metrics: str | Sequence[str] | None = None, ks: Iterable[int] | None = None
) -> Chart:
    wanted = None if ks is None else list(ks)
    asked = [metrics] if isinstance(metrics, str) else metrics
    return metric_at_k(
        {system: at_every_k(result.measured, asked, wanted) for system, result in results.items()}
    )


def _per_query(results: Results, metric: str | None = None) -> Chart:
    label = chosen("per_query", results, metric)
    drawn = per_query({system: values(result, label) for system, result in results.items()})
    measured = [measured_of(result, label) for result in results.values()]
    weighed = any(one.state.weight is not None for one in of_state(measured, Ranked | TopLists))
    told = say("Bars count queries; the overall value is weighted.")
    return drawn.with_notes(told) if weighed else drawn


def _slices(results: Results, metric: str | None = None) -> Chart:
    first = next(iter(results.values()))
    for system, result in results.items():
        if result.by != first.by:
            raise showing.slices_differ(one=first.by, system=system, other=result.by)
    labels = _every("slices", results, metric)
    drawn = {
        label: slices(
            {system: result.rows.filter(pl.col("metric") == label) for system, result in results.items()},
            label,
            first.by,
            measured_of(first, label).metric.unit,
            legend=place == 0,
        )
        for place, label in enumerate(labels[:MOST_METRICS])
    }
    if len(labels) == 1:
        return drawn[labels[0]]
    every = side_by_side(drawn, first.by)
    return every.with_notes(first_metrics(len(drawn), len(labels))) if len(drawn) < len(labels) else every


def _of_metric(name: str, draw: Callable[[Mapping[str, Measured]], Chart]) -> Callable[..., Chart]:
    def drawn(results: Results, metric: str | None = None) -> Chart:
        label = chosen(name, results, metric)
        return draw({system: measured_of(result, label) for system, result in results.items()})

    return drawn


def _trade_off(results: Results, metric: str | None = None, against: Sequence[str] | None = None) -> Chart:
    if len(results) < 2:
        raise showing.needs_several(name="trade_off")
    label = chosen("trade_off", results, metric)
    return trade_off({system: result.measured for system, result in results.items()}, label, against)


_SCORES = say("ask for a metric of labels and scores, such as auc")
_OF_SCORES: dict[str, Any] = {"remedy": _SCORES, "state_of": lambda metric: metric.reads == "scores"}
_POSITIVES: dict[str, Any] = {
    **_OF_SCORES,
    "data": rows_that(lambda state: float(state.positives[0]) > 0),
    "needs": say("rows with a label of 0 or 1 and a score, a positive among them"),
}
_PER_QUERY: dict[str, Any] = {
    "section": "queries",
    "needs": say("values of queries or of groups"),
    "remedy": say("ask for a metric of rankings, such as ndcg@10, or for gauc"),
    "options": ("metric",),
    "fits": lambda _, one: one.units is not None,
    "defined": is_defined,
}
_SLICED: dict[str, Any] = {
    "needs": say("slices"),
    "remedy": say("name a column to slice by: by=[...], --by COLUMN"),
    "options": ("metric",),
    "section": "slices",
    "fits": is_sliced,
    "defined": has_slice,
}
_CATALOG: dict[str, Any] = {
    "section": "lists",
    "needs": say("lists and a catalogue"),
    "remedy": say("give catalog=..., and ask for a metric of lists as a whole, such as coverage@10"),
    "fits": lambda _, one: has_catalog(one),
    "state_of": lambda metric: metric.reads == "lists",
}
KINDS: dict[str, ChartKind] = {
    "roc": ChartKind(
        picture=roc,
        draw=_of_curves("roc", roc),
        data=rows_that(lambda state: min(float(state.positives[0]), float(state.negatives[0])) > 0),
        needs=say("rows with a label of 0 or 1 and a score, of both classes"),
        **_OF_SCORES,
    ),
    "precision_recall": ChartKind(
        picture=precision_recall, draw=_of_curves("precision_recall", precision_recall), **_POSITIVES
    ),
    "calibration": ChartKind(
        picture=calibration,
        draw=_calibration,
        data=rows_that(are_probabilities),
        needs=say("rows with a label of 0 or 1 and a probability"),
        options=("bins", "binning", "scale"),
        **_OF_SCORES
        | {"remedy": say("give scores from 0 to 1, and ask for a metric of them, such as logloss")},
    ),
    "gain": ChartKind(picture=gain, draw=_of_curves("gain", gain), **_POSITIVES),
    "lift": ChartKind(picture=lift, draw=_of_curves("lift", lift), **_POSITIVES),
    "score_histogram": ChartKind(
        picture=score_histogram,
        draw=_score_histogram,
        data=rows_that(lambda state: state.n_rows > 0),
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
        defined=is_defined,
        state_of=lambda metric: metric.reads == "hits",
    ),
    "per_query": ChartKind(picture=per_query, draw=_per_query, **_PER_QUERY),
    "difference": ChartKind(
        picture=difference,
        draw=_of_two("difference", difference),
        systems="two",
        by_colour=False,
        **_PER_QUERY,
    ),
    "scatter": ChartKind(
        picture=scatter, draw=_of_two("scatter", scatter), systems="two", by_colour=False, **_PER_QUERY
    ),
    "forest": ChartKind(
        picture=forest,
        systems="two",
        needs=say("a metric that is one number"),
        remedy=say("ask for one, such as ndcg@10 or auc"),
        options=("metric",),
        fits=lambda _, one: not one.entries,
        defined=is_defined,
    ),
    "slice_differences": ChartKind(picture=slice_differences, systems="two", by_colour=False, **_SLICED),
    "slices": ChartKind(picture=slices, draw=_slices, **_SLICED),
    "gauc_by_size": ChartKind(
        picture=gauc_by_size,
        draw=_of_metric("gauc_by_size", gauc_by_size),
        section="queries",
        needs=say("groups"),
        remedy=say("ask for gauc"),
        options=("metric",),
        fits=lambda _, one: "gauc_by_size" in one.metric.charts and bool(of_state([one], ByScore)),
        defined=is_defined,
        state_of=lambda metric: "gauc_by_size" in metric.charts,
    ),
    "trade_off": ChartKind(
        picture=trade_off,
        systems="several",
        draw=_trade_off,
        section="lists",
        needs=say("a metric of rankings and one of lists as a whole"),
        remedy=say("ask for both, such as ndcg@10 and diversity@10"),
        options=("metric", "against"),
        fits=lambda result, one: one.metric.reads == "hits" and any(map(is_beyond, result.measured)),
        defined=is_defined,
    ),
    "long_tail": ChartKind(
        picture=long_tail, draw=_of_metric("long_tail", long_tail), options=("metric",), **_CATALOG
    ),
    "coverage_at_k": ChartKind(
        picture=coverage_at_k,
        draw=lambda results: coverage_at_k({name: one.measured for name, one in results.items()}),
        **_CATALOG,
    ),
    "categories": ChartKind(
        picture=categories,
        draw=_of_metric("categories", categories),
        section="lists",
        needs=say("lists, categories of items, and a history"),
        remedy=say("give features=... with categories and history=..., and ask for miscalibration@10"),
        options=("metric",),
        fits=lambda _, one: has_categories(one),
        state_of=lambda metric: metric.reads == "lists",
    ),
}
