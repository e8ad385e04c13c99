"""The pipeline: read, align, rank, measure, aggregate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from steelyard import inputs, kernels, processes, read
from steelyard.ask import HOUSE, Request, ask
from steelyard.measure import Measured, RowMeasured, summarise
from steelyard.messages import say
from steelyard.metrics import LabelledMetric, Metric, RankingMetric
from steelyard.progress import Bar, Tell, told
from steelyard.result import Result
from steelyard.runs import RankingRun, RowRun
from steelyard.states import Class


def evaluate(
    predictions: Any,
    truth: Any = None,
    metrics: str | Metric | Iterable[str | Metric] = (),
    *,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    classes: Sequence[Class] | None = None,
    exclude: Any = None,
    weights: Any = None,
    profile: str = HOUSE,
    conventions: Mapping[str, Any] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
    **further: Any,
) -> Result:
    """Weigh predictions against truth: one pass, many metrics, every convention stated.

    Tables are files, frames, mappings or arrays (see the guide). Without ``truth``, ``predictions`` is one
    table with the labels inside. ``by`` names columns to slice by, ``exclude`` a table of (query, item) that
    is removed before ranking, ``weights`` the weight of each query in the mean (a table, a mapping, or the
    name of a column) or of each row (the name of a column), ``classes`` the classes of the labels in order.
    ``progress=True`` shows a bar on a terminal or in a notebook; a function is told the name of each stage.
    Further keywords are conventions: ``ties="expected"``, ``missing="skip"``; the mapping ``conventions``
    takes the same.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 0.3, "b": 0.2}}
    >>> qrels = {"q1": {"b": 1}, "q2": {"a": 2, "z": 1}}
    >>> result = sy.evaluate(run, qrels, ["mrr", "recall@2"])
    >>> result["mrr"], result["recall@2"]
    (0.75, 0.75)

    One table of rows with labels and scores:

    >>> log = {"clicked": [1, 0, 1, 0], "p": [0.8, 0.3, 0.4, 0.6]}
    >>> sy.evaluate(log, metrics=["auc", "logloss"])["auc"]
    0.75
    """
    request = ask(metrics, profile, conventions, further, by=by, classes=classes)
    return weighed(
        request, predictions, truth, columns=columns, exclude=exclude, weights=weights, progress=progress
    )


def weighed(
    request: Request,
    predictions: Any,
    truth: Any,
    *,
    columns: Mapping[str, Any] | None,
    exclude: Any,
    weights: Any,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Result:
    """The result of a call that was asked in full."""
    columns = inputs.named_columns(columns)
    processes.check()
    with told(progress, steps=len(request.asked) + 3) as tell, kernels.watched():
        return _weighed(request, predictions, truth, columns, exclude, weights, tell)


def _weighed(
    request: Request,
    predictions: Any,
    truth: Any,
    columns: Mapping[str, Any] | None,
    exclude: Any,
    weights: Any,
    tell: Tell,
) -> Result:
    """Read, align, rank, measure and average."""
    read.check_sources(predictions, truth, exclude, *([] if isinstance(weights, str) else [weights]))
    tell(say("reading"))
    rankings = rows = None
    wanted = request.settle()
    of_rows = [one for one in wanted if isinstance(one.metric, LabelledMetric)]
    if of_rows and len(of_rows) < len(wanted):
        predictions, truth = read.opened(predictions, truth)
    if len(of_rows) < len(wanted):
        tables = inputs.read_tables(
            predictions,
            truth,
            columns=columns,
            by=request.by,
            exclude=exclude,
            weights=weights,
            orders=request.orders(),
        )
        tell(say("matching predictions and truth"))
        rankings = RankingRun.of(tables)
    if of_rows:
        found = inputs.read_rows(
            predictions,
            truth,
            of_rows,
            columns=columns,
            by=request.by,
            exclude=exclude,
            weights=weights,
            classes=request.classes,
        )
        rows = RowRun.of(found, request.classes, of_rows)
        rows.check(request.asked)

    by_data = rankings.tables.settled_by_data() if rankings else {}
    of_queries, of_labels = [], []
    measured: list[Measured | RowMeasured] = []
    for one in request.settle(by_data):
        tell(say("measuring {label}", label=one.label))
        if rankings is not None and isinstance(one.metric, RankingMetric):
            of_queries.append(rankings.measure(one.label, one.metric))
            measured.append(of_queries[-1])
        elif rows is not None and isinstance(one.metric, LabelledMetric):
            of_labels.append(rows.measure(one.label, one.metric))
            measured.append(of_labels[-1])

    tell(say("averaging"))
    first = rankings or rows
    assert first is not None  # a request asks for one metric at least
    return Result(
        request=request,
        by_data=by_data,
        names=first.names,
        measured=tuple(measured),
        rankings=rankings.engine.rankings() if rankings else (),
        row_tally=rows.tally if rows else None,
        row_slices=rows.slices if rows else None,
        max_grade=rankings.engine.max_grade if rankings else 0.0,
        rows=summarise(measured, rankings.slices if rankings else None, rows.slices if rows else None),
        notes=(
            *(rankings.notes(of_queries, every=not of_labels) if rankings else ()),
            *(rows.notes(of_labels) if rows else ()),
            *kernels.notes(),
        ),
        lists=rankings.shown if rankings else None,
    )
