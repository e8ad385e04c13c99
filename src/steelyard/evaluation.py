"""The pipeline: read, align, rank, measure, aggregate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from steelyard import inputs, profiles
from steelyard.aggregate import Measured, all_notes, summarise
from steelyard.engines import Local
from steelyard.errors import asking
from steelyard.metrics import Metric, RankingMetric, by_name
from steelyard.result import Result


def evaluate(
    predictions: Any,
    truth: Any = None,
    metrics: str | Metric | Iterable[str | Metric] = (),
    *,
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    exclude: Any = None,
    weights: Any = None,
    profile: str = profiles.HOUSE,
    conventions: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] = lambda _: None,
    **further: Any,
) -> Result:
    """Weigh predictions against truth: one pass, many metrics, every convention stated.

    Tables are files, frames, mappings or arrays (see the guide). Without ``truth``, ``predictions`` is one
    table with the labels inside. ``by`` names columns to slice by, ``exclude`` a table of (query, item) that
    is removed before ranking, ``weights`` the weight of each query in the mean (a table, a mapping, or the
    name of a column). Further keywords are conventions: ``ties="expected"``, ``missing="skip"``; the mapping
    ``conventions`` takes the same, and ``truth`` too, whose name the table has here.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 0.3, "b": 0.2}}
    >>> qrels = {"q1": {"b": 1}, "q2": {"a": 2, "z": 1}}
    >>> result = sy.evaluate(run, qrels, ["mrr", "recall@2"])
    >>> result["mrr"], result["recall@2"]
    (0.75, 0.75)
    """
    asked = profiles.metrics(metrics)
    call = inputs.stated(conventions, further)
    if not asked:
        raise asking.no_metrics()

    progress("reading")
    tables = inputs.read_tables(
        predictions,
        truth,
        columns=columns,
        by=inputs.texts("by", by),
        exclude=exclude,
        weights=weights,
        orders=inputs.orders_needed(asked, call),
    )
    resolved = profiles.resolve(asked, profile, call, tables.settled_by_data())

    progress("matching predictions and truth")
    engine = Local.of(tables.predictions, tables.truth, tables.exclude)
    slices = tables.slices(engine.encoded)
    weights_given = tables.query_weights(engine.encoded)
    measured = []
    for one in resolved:
        progress(f"measuring {one.label}")
        metric = _ranking_metric(one.metric).for_truth(engine.max_grade)
        ranked = engine.ranked(metric)
        values = metric.measure(ranked)
        weight = None if weights_given is None else weights_given.for_queries(ranked.queries)
        measured.append(
            Measured(label=one.label, metric=metric, ranked=ranked, values=values, weights=weight)
        )

    progress("averaging")
    return Result(
        profile=profile,
        conventions=call,
        predictions=tables.predictions.name,
        truth=None if tables.truth is tables.predictions else tables.truth.name,
        by=tables.by,
        metrics=tuple((one.label, one.metric) for one in measured),
        rankings=engine.rankings(),
        max_grade=engine.max_grade,
        rows=summarise(measured, slices),
        values=tuple((one.ranked.queries, one.values) for one in measured),
        weights=None if weights_given is None else weights_given.name,
        exclude=None if tables.exclude is None else tables.exclude.name,
        notes=(*tables.notes, *engine.notes(), *all_notes(measured, engine.counted)),
    )


def _ranking_metric(metric: Metric) -> RankingMetric:
    if isinstance(metric, RankingMetric):
        return metric
    if f"{metric.name}@k" in by_name():  # precision, recall, f1 and fbeta name two families
        raise asking.needs_cutoff(metric.text().partition("(")[0])
    raise asking.from_arrays(str(metric), type(metric).__name__)
