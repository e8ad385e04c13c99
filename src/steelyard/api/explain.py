"""The arithmetic of a value: of a small example, or of one query of the user's data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from steelyard import processes, read
from steelyard.api.evaluate import opened, run
from steelyard.arrays import array_of, numbers_of
from steelyard.conventions import Certainty
from steelyard.engine.columns import Class
from steelyard.engine.memory import ShownList
from steelyard.engine.protocol import Call
from steelyard.metrics import Metric
from steelyard.read.frames import of_frame
from steelyard.read.sources import predictions_first
from steelyard.render.explanation import ROC, Explanation, explain_list, explain_row_measured, near
from steelyard.spec import EDITION, Plan, ask
from steelyard.spec import metric as metric_of
from steelyard.stats.run import measured
from steelyard.text import say
from steelyard.text.errors import SteelyardError, asking, measuring, writing
from steelyard.text.errors.forms import check_language

_COUNTED: dict[str, measuring.Counted] = {
    "score": "scores",
    "probability": "scores",
    "predicted": "predictions",
    "query": "groups",
    "weight": "weights",
}


@predictions_first
def explain(
    metric: str | Metric,
    predictions: Any = None,
    truth: Any = None,
    *,
    query: object = None,
    grades: Sequence[float] | None = None,
    judged: Sequence[float] | None = None,
    labels: Sequence[Any] | None = None,
    scores: Sequence[Any] | None = None,
    predicted: Sequence[Any] | None = None,
    groups: Sequence[Any] | None = None,
    weights: Any = None,
    classes: Sequence[Class] | None = None,
    columns: Mapping[str, Any] | None = None,
    exclude: Any = None,
    catalog: Any = None,
    features: Any = None,
    history: Any = None,
    item_groups: Any = None,
    baseline_lists: Any = None,
    profile: str = EDITION,
    conventions: Mapping[str, Any] | None = None,
    lang: str = "en",
    **further: Any,
) -> Explanation:
    """The arithmetic of a metric, step by step, and what every other choice would have given.

    A small example is ``grades`` in ranked order, with ``judged`` as the grades of all judged items if some
    were not retrieved. For rows it is ``labels`` with ``scores`` or ``predicted`` classes, and perhaps
    ``groups`` and ``weights``. Without an example the tables are those of ``sy.evaluate``, and ``query`` is
    the query to explain; for a metric of rows, only the rows of that query.

    >>> import steelyard as sy
    >>> made = sy.explain("ndcg(gain=exp2)@5", grades=[3, 2, 3, 0, 1])
    >>> made.value
    0.957...
    >>> run = {"q1": {"a": 0.9, "b": 0.8}, "q2": {"a": 0.3}}
    >>> sy.explain("mrr", run, {"q1": {"b": 1}, "q2": {"z": 1}}, query="q1").value
    0.5
    """
    tables = dict(locals())
    check_language(lang)
    named = ROC() if isinstance(metric, str) and metric == ROC.name else metric
    # an explanation is of the value alone
    plan = ask(named, profile, conventions, further, classes=classes, certainty=Certainty(ci="none"))
    if len(plan.asked) > 1:
        raise asking.several_metrics(text=str(metric), n=len(plan.asked))
    asked = plan.asked[0].metric
    arrays = {"labels": labels, "scores": scores, "predicted": predicted, "groups": groups}
    example = [name for name, value in arrays.items() if value is not None]
    _check(asked, query, grades, judged, example, predictions)
    if grades is not None:
        return _of_grades(plan, grades, judged, lang)
    call = Call.of(tables | {"scores": None})
    processes.check()
    if example:
        frame, roles, weight = _table(arrays, weights)
        call = Call(predictions=frame, columns=roles, weights=weight, exclude=exclude)
    if query is not None and asked.reads not in ("hits", "lists"):
        return _of_group(plan, call, query, lang)
    result = run(plan, call, whole=asked.reads == "lists")
    return result.explain(result.measured[0].label, query, lang=lang)


def _check(
    asked: Metric, query: object, grades: Any, judged: Any, arrays: Sequence[str], predictions: Any
) -> None:
    ranking = asked.reads == "hits"
    possible = {"grades": grades, "labels": arrays or None, "predictions": predictions}
    sources = [name for name, value in possible.items() if value is not None]
    if asked.reads == "lists" and predictions is None:
        raise writing.not_of_an_example(label=str(asked))
    if len(sources) > 1:
        raise writing.both_given(one=sources[0], other=sources[1])
    if not sources:
        raise writing.nothing_to_explain(str(asked), ranking=ranking)
    if grades is None and judged is not None:
        raise writing.needs_other(given="judged", missing="grades")
    if grades is not None and not ranking:
        raise writing.not_of_grades(str(asked), _of_lists(asked))
    if grades is not None and query is not None:
        raise writing.both_given(one="grades", other="query")
    if arrays:
        if ranking:
            raise writing.not_of_rows(label=str(asked))
        if "labels" not in arrays:
            raise writing.needs_other(given=arrays[0], missing="labels")
        if not {"scores", "predicted"} & set(arrays):
            raise writing.needs_other(given="labels", missing=say("scores or predicted"))


def _of_lists(asked: Metric) -> str | None:
    label = f"{str(asked).partition('(')[0]}@3"
    try:
        return label if metric_of(label).reads == "hits" else None
    except SteelyardError:
        return None


def _of_grades(plan: Plan, grades: Any, judged: Any, lang: str) -> Explanation:
    (asked,) = plan.metrics
    metric, shown, known = asked.metric, _list(grades), None if judged is None else _list(judged)
    depth, zeros = getattr(metric, "depth", None), metric.needs_judged_zeros
    explanation = explain_list(metric, ShownList.of_grades(shown, known, depth, zeros=zeros), lang=lang)
    return replace(explanation, label=asked.heading)


def _list(grades: Any) -> list[float]:
    try:
        numbers = numbers_of("grades", grades)
    except SteelyardError:
        raise writing.one_list_only() from None
    if numbers.ndim != 1:
        raise writing.one_list_only()
    return [float(grade) for grade in numbers]


def _table(arrays: Mapping[str, Any], weights: Any) -> tuple[Any, dict[str, str], str | None]:
    roles = {"labels": "label", "scores": "score", "predicted": "predicted", "groups": "query"}
    columns = {roles[name]: array_of(name, values) for name, values in arrays.items() if values is not None}
    if "score" in columns and columns["score"].ndim == 2:
        columns["probability"] = columns.pop("score")
    named = {name: name for name in columns}
    if weights is not None:
        columns["weight"] = array_of("weights", weights)
    for name, values in columns.items():
        if len(values) != len(columns["label"]):
            raise measuring.counts_differ(_COUNTED[name], len(columns["label"]), len(values))
    frame = pl.DataFrame([read.series_of(name, values) for name, values in columns.items()])
    return of_frame(frame, say("the arrays", key="arrays")), named, None if weights is None else "weight"


def _of_group(plan: Plan, call: Call, query: object, lang: str) -> Explanation:
    (asked,) = plan.metrics
    _, engine = opened(plan, call, lambda _: None, groups=True)
    assert engine.rows is not None
    frame = engine.rows.states.frame
    if "query" not in frame.columns:
        raise writing.no_group_column()
    queries = frame["query"].cast(pl.String)
    kept = (queries == str(query)).arg_true().to_numpy().astype(np.int64)
    if not len(kept):
        every = queries.unique(maintain_order=True)
        raise writing.unknown_query(query, near(every, str(query)), len(every), every.head(3).to_list())
    engine.rows = engine.rows.only(kept)
    value = measured(asked, engine, plan.certainty)
    return replace(explain_row_measured(value, of=str(query), lang=lang), label=asked.heading)
