"""Every chart by its name, drawn from results; only what their data supports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard.arguments import is_one_of
from steelyard.curves import Curve
from steelyard.messages import Message, say
from steelyard.messages.errors import showing
from steelyard.messages.errors.forms import unknown
from steelyard.metrics import GAUC
from steelyard.rank import Ranked
from steelyard.show.charts import reading
from steelyard.show.charts.at_k import first_metrics, metric_at_k
from steelyard.show.charts.calibration import calibration
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.confusion import confusion
from steelyard.show.charts.difference import difference
from steelyard.show.charts.groups import by_size, gauc_by_size
from steelyard.show.charts.histogram import score_histogram
from steelyard.show.charts.lines import gain, lift, precision_recall, roc
from steelyard.show.charts.queries import per_query
from steelyard.show.charts.reading import Evaluated, Results
from steelyard.show.charts.score_axis import Scale
from steelyard.show.charts.slices import side_by_side, slices
from steelyard.show.charts.style import MOST_METRICS


@dataclass(frozen=True)
class _Kind:
    """How a chart is drawn, which results it can be drawn from, and what it takes otherwise."""

    draw: Callable[..., Chart]
    supports: Callable[[Evaluated], bool]
    needs: Message
    remedy: Message
    options: tuple[str, ...] = ()
    fits: reading.Fits | None = None  # of one metric: which of them it can show
    shows: reading.Shows | None = None  # and whether there is anything to draw of it

    def metrics(self, result: Evaluated) -> list[str]:
        """The metrics of a result that it can show, with something to draw."""
        found = reading.labels(result, self.fits) if self.fits else []
        return [label for label in found if self.shows is None or self.shows(result, label)]

    def draws(self, result: Evaluated) -> bool:
        return self.supports(result) and (self.fits is None or bool(self.metrics(result)))


def names() -> list[str]:
    """The charts there are.

    >>> "roc" in names()
    True
    """
    return list(_KINDS)


def options(name: str) -> tuple[str, ...]:
    """What a chart may be asked for beside its name."""
    if not is_one_of(name, _KINDS):
        raise unknown(say("unknown chart '{name}'", name=str(name)), name, names())
    return _KINDS[name].options


def metrics(name: str, result: Evaluated) -> list[str]:
    """The metrics of a result that a chart of one metric can show; none for the other charts.

    >>> import steelyard as sy
    >>> metrics("per_query", sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, ["mrr", "hit_rate@1"]))
    ['mrr', 'hit_rate@1']
    """
    return _KINDS[name].metrics(result) if "metric" in options(name) else []


def available(*results: Evaluated) -> list[str]:
    """The charts that the data of all these results supports; ``difference`` is one of two.

    >>> import steelyard as sy
    >>> available(sy.evaluate([0.8, 0.2], [1, 0], "auc"))
    ['roc', 'precision_recall', 'calibration', 'gain', 'lift', 'score_histogram']
    """
    return [
        name
        for name, kind in _KINDS.items()
        if all(map(kind.draws, results)) and (name != "difference" or _comparable(results))
    ]


def chart(name: str, results: Results, **asked: Any) -> Chart:
    """A chart by its name, of one result or of several under their names."""
    takes = options(name)
    kind = _KINDS[name]
    for option in asked:
        if option not in takes:
            raise showing.unknown_option(say("the chart '{name}'", name=name), option, takes)
    if not results:
        raise showing.no_systems(name=name)
    for system, result in results.items():
        if not kind.supports(result):
            raise showing.not_supported(name, system if len(results) > 1 else "", kind.needs, kind.remedy)
    return kind.draw(results, **asked)


def _comparable(results: Sequence[Evaluated]) -> bool:
    each = [set(_KINDS["difference"].metrics(result)) for result in results]
    return len(each) == 2 and bool(each[0] & each[1])


def _of_curves(name: str, draw: Callable[[Mapping[str, Curve]], Chart]) -> Callable[..., Chart]:
    return lambda results: draw(reading.curves(name, results))


def _calibration(results: Results, scale: Scale = "auto", **asked: Any) -> Chart:
    bins = reading.curves("calibration", results, **asked)
    return calibration(bins, reading.curves("score_histogram", results), scale)


def _score_histogram(results: Results, scale: Scale = "auto", **asked: Any) -> Chart:
    return score_histogram(reading.curves("score_histogram", results, **asked), scale)


def _confusion(results: Results, metric: str | None = None) -> Chart:
    label = reading.chosen("confusion", results, reading.is_confusion, metric)
    return confusion({system: reading.whole(result, label) for system, result in results.items()})


def _metric_at_k(
    results: Results, metrics: str | Sequence[str] | None = None, ks: Iterable[int] | None = None
) -> Chart:
    wanted = None if ks is None else list(ks)
    asked = [metrics] if isinstance(metrics, str) else metrics
    return metric_at_k(
        {system: reading.at_every_k(result, asked, wanted) for system, result in results.items()}
    )


def _per_query(results: Results, metric: str | None = None) -> Chart:
    label = reading.chosen("per_query", results, reading.has_values, metric, reading.has_values_of)
    drawn = per_query({system: reading.values(result, label) for system, result in results.items()})
    found = [reading.measured(result, label) for result in results.values()]
    weighed = any(isinstance(one.state, Ranked) and one.state.weight is not None for one in found)
    told = say("Bars count queries; the overall value weighs them.")
    return drawn.with_notes(told) if weighed else drawn


def _difference(results: Results, metric: str | None = None) -> Chart:
    if len(results) != 2:
        raise showing.needs_two(name="difference", n=len(results))
    label = reading.chosen("difference", results, reading.has_values, metric, reading.has_values_of)
    one, other = ((system, reading.values(result, label)) for system, result in results.items())
    return difference(one, other)


def _slices(results: Results, metric: str | None = None) -> Chart:
    first = next(iter(results.values()))
    for system, result in results.items():
        if result.by != first.by:
            raise showing.slices_differ(one=first.by, system=system, other=result.by)
    labels = reading.every("slices", results, reading.is_single, metric, reading.has_slice)
    drawn = {
        label: slices(
            {system: result.rows.filter(pl.col("metric") == label) for system, result in results.items()},
            label,
            first.by,
            reading.measured(first, label).metric.unit,
            legend=place == 0,
        )
        for place, label in enumerate(labels[:MOST_METRICS])
    }
    if len(labels) == 1:
        return drawn[labels[0]]
    every = side_by_side(drawn, first.by)
    return every.with_notes(first_metrics(len(drawn), len(labels))) if len(drawn) < len(labels) else every


def _gauc_by_size(results: Results, metric: str | None = None) -> Chart:
    label = reading.chosen("gauc_by_size", results, reading.is_gauc, metric, reading.has_values_of)
    frames = {}
    for system, result in results.items():
        one = reading.measured(result, label)
        assert isinstance(one.metric, GAUC)
        frames[system] = by_size(one.metric, one.state)
    return gauc_by_size(frames, label)


def _is_sliced(result: Evaluated) -> bool:
    return bool(result.by) and any(map(reading.is_single, result.measured))


_ROWS = say("rows with a label of 0 or 1 and a score")
_POSITIVES = say("rows with a label of 0 or 1 and a score, a positive among them")
_BOTH = say("rows with a label of 0 or 1 and a score, of both classes")
_SCORES = say("ask for a metric of labels and scores, such as auc")
_PER_QUERY = (
    reading.has(reading.has_values),
    say("values of queries or of groups"),
    say("ask for a metric of rankings, such as ndcg@10, or for gauc"),
    ("metric",),
    reading.has_values,
    reading.has_values_of,
)
_KINDS = {
    "roc": _Kind(_of_curves("roc", roc), reading.has_both, _BOTH, _SCORES),
    "precision_recall": _Kind(
        _of_curves("precision_recall", precision_recall), reading.has_positives, _POSITIVES, _SCORES
    ),
    "calibration": _Kind(
        _calibration,
        reading.has_probabilities,
        say("rows with a label of 0 or 1 and a probability"),
        say("give scores from 0 to 1, and ask for a metric of them, such as logloss"),
        ("bins", "binning", "scale"),
    ),
    "gain": _Kind(_of_curves("gain", gain), reading.has_positives, _POSITIVES, _SCORES),
    "lift": _Kind(_of_curves("lift", lift), reading.has_positives, _POSITIVES, _SCORES),
    "score_histogram": _Kind(_score_histogram, reading.has_rows, _ROWS, _SCORES, ("bins", "scale")),
    "confusion": _Kind(
        _confusion,
        reading.has(reading.is_confusion),
        say("a confusion matrix"),
        say("ask for the metric confusion"),
        ("metric",),
        reading.is_confusion,
    ),
    "metric_at_k": _Kind(
        _metric_at_k,
        reading.has(reading.has_cutoff),
        say("rankings"),
        say("ask for a metric of rankings, such as ndcg@10"),
        ("metrics", "ks"),
        reading.has_cutoff,
        reading.has_values_of,
    ),
    "per_query": _Kind(_per_query, *_PER_QUERY),
    "difference": _Kind(_difference, *_PER_QUERY),
    "slices": _Kind(
        _slices,
        _is_sliced,
        say("slices"),
        say("name a column to slice by: by=[...], --by COLUMN"),
        ("metric",),
        reading.is_single,
        reading.has_slice,
    ),
    "gauc_by_size": _Kind(
        _gauc_by_size,
        reading.has(reading.is_gauc),
        say("groups"),
        say("ask for gauc"),
        ("metric",),
        reading.is_gauc,
        reading.has_values_of,
    ),
}
