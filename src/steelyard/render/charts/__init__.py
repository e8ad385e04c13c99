"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser; every chart by its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from steelyard.arguments import is_one_of
from steelyard.engine.kept import DroppedRows
from steelyard.metrics.curves import canonical
from steelyard.render.charts.chart import Chart, check_installed, ending_of
from steelyard.render.charts.confusion import confusion
from steelyard.render.charts.curves import roc
from steelyard.render.charts.differences import forest, slice_differences, waterfall
from steelyard.render.charts.kinds import KINDS, Evaluated, Results, Section, chosen, pairs_of, values
from steelyard.render.charts.parts import GRID, INK, MUTED
from steelyard.render.charts.queries import Pairs, PerQuery, difference, per_query, scatter
from steelyard.render.charts.scores import score_histogram
from steelyard.render.charts.slices import slices
from steelyard.text import say
from steelyard.text.errors import SteelyardError, writing
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
    enough = {"any": True, "two": len(results) == 2, "several": len(results) > 1}

    def shared(name: str) -> bool:
        return bool(set.intersection(*(set(metrics(name, result)) for result in results)))

    return [
        name
        for name, kind in KINDS.items()
        if all(drawable(name, result) for result in results)
        if kind.systems == "any" or (enough[kind.systems] and shared(name))
    ]


def chart(name: str, results: Results, **asked: Any) -> Chart:
    name = canonical(name)
    check(name, results, asked)
    draw = KINDS[name].draw
    if draw is None:
        raise writing.needs_two(name=name, n=len(results))
    return draw(name, results, **asked)


def check(name: str, results: Results, asked: Iterable[str]) -> None:
    """Refuse unknown options, and results without the data of a chart."""
    takes, kind = options(name), KINDS[name]
    for option in asked:
        if option not in takes:
            raise writing.unknown_option(say("the chart '{name}'", name=name), option, takes)
    if not results:
        raise writing.no_systems(name=name)
    for system, result in results.items():
        if kind.data(result) if kind.data else kind.labels(result):
            continue
        of = system if len(results) > 1 else ""
        if any(isinstance(one.state, DroppedRows) and kind.state_of(one.metric) for one in result.measured):
            raise writing.chart_not_kept(name=name, result=of)
        raise writing.not_supported(name=name, result=of, needs=kind.needs, remedy=kind.remedy)


def of_first_metric(
    results: Results, pairs: Iterable[tuple[str, str]], labels: Iterable[str]
) -> Iterator[Pairs]:
    """Of every pair what each query has of the first metric that queries have a value of."""
    for one, other in pairs:
        both = {one: results[one], other: results[other]}
        having = [metrics("difference", side) for side in both.values()]
        label = next((label for label in labels if all(label in some for some in having)), None)
        if label is not None:
            with suppress(SteelyardError):  # ids of two types: no query can be found again
                yield pairs_of(both, label)
