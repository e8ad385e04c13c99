"""Compare systems: which is better, by how much, and whether that is more than chance."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard import read
from steelyard.api.evaluate import weighed
from steelyard.api.load import load
from steelyard.arguments import is_flag
from steelyard.ask import HOUSE, Request, ask
from steelyard.comparison import Testing, free_name
from steelyard.engines.call import Call, given_beside
from steelyard.measure.certainty import Certainty
from steelyard.messages.errors import comparing
from steelyard.metrics import Metric
from steelyard.progress import Bar
from steelyard.result.compared import Comparison
from steelyard.result.result import Result
from steelyard.states import Class

SAVED = ".steelyard"  # the ending of a result that was saved


def compare(
    systems: Any,
    truth: Any = None,
    metrics: str | Metric | Iterable[str | Metric] = (),
    *,
    scores: Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "auto",
    correct: str = "holm",
    level: float = 0.95,
    seed: int = 0,
    draws: int = 100_000,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] | Any = (),
    unit: str | None = None,
    classes: Sequence[Class] | None = None,
    exclude: Any = None,
    weights: Any = None,
    catalog: Any = None,
    features: Any = None,
    history: Any = None,
    item_groups: Any = None,
    usual: Any = None,
    profile: str = HOUSE,
    conventions: Mapping[str, Any] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
    **further: Any,
) -> Comparison:
    """Compare systems on the same queries, users or rows: which is better, by how much, is it chance.

    ``systems`` is ``{name: run}``, a list of runs or paths, results of ``evaluate`` or ``load`` in the same
    ways, or one log whose columns ``scores`` are the systems. All others are compared with ``baseline``;
    without one every pair is.

    ``test`` says how a p-value is made, ``correct`` how p-values are corrected for all tests of the table;
    intervals have the ``level``. Signs and replicates are drawn by a hash of ``seed`` and the unit, so that
    the same call gives the same bytes. All else is as in ``evaluate``.

    >>> import steelyard as sy
    >>> truth = {"q1": ["a"], "q2": ["b"], "q3": ["c"]}
    >>> old = {"q1": ["b", "a"], "q2": ["a", "b"], "q3": ["c", "a"]}
    >>> new = {"q1": ["a", "b"], "q2": ["b", "a"], "q3": ["c", "b"]}
    >>> cmp = sy.compare({"old": old, "new": new}, truth, "mrr", baseline="old")
    >>> cmp.table().select("system", "baseline", "difference", "p", "better", "same", "worse").rows()
    [('new', 'old', 0.333..., 0.5, 2, 1, 0)]
    """
    certainty = Certainty.of("auto", level, unit, seed)
    testing = Testing.of(test, correct, certainty.level, certainty.seed, draws)
    table = by if read.is_table(by) else None
    call = Call(
        predictions=None,
        truth=truth,
        columns=columns,
        exclude=exclude,
        weights=weights,
        by_table=table,
        beside=given_beside(catalog, features, history, item_groups, usual),
    )
    given = _calls(systems, call) if scores is None else _columns_of(systems, scores, call)
    _check_names(list(given), baseline)
    results = {name: one for name, one in given.items() if isinstance(one, Result)}
    if len(results) == len(given):
        _check_measured(call, by)
        return Comparison.of(results, baseline, testing, _labels(results, metrics))
    request = ask(
        metrics,
        profile,
        conventions,
        further,
        by=() if table is not None else by,
        classes=classes,
        certainty=certainty,
    )
    return compared(request, given, baseline, testing, progress, one_log=scores is not None)


def compared(
    request: Request,
    given: Mapping[str, Call | Result],
    baseline: str | None,
    testing: Testing,
    progress: bool | Callable[[str], object] | Bar | None = None,
    *,
    one_log: bool = False,
) -> Comparison:
    """The comparison of systems that are yet to be measured, or some of them, as a request says."""
    results = {
        name: one if isinstance(one, Result) else weighed(request, one, progress, whole=True)
        for name, one in given.items()
    }
    calls = [one for one in given.values() if isinstance(one, Call)]
    one_truth = one_log or (len(calls) == len(given) and calls[0].truth is not None)
    labels = [one.label for one in request.settle()]
    return Comparison.of(results, baseline, testing, labels, one_truth=one_truth, one_log=one_log)


def _columns_of(log: Any, scores: Any, call: Call) -> dict[str, Call | Result]:
    """Each column of scores as a system; the log is opened once."""
    names = list(scores) if isinstance(scores, list | tuple) else []
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        raise comparing.columns_of_scores(value=repr(scores))
    chosen = dict(call.columns or {})
    if "score" in chosen:
        raise comparing.score_column_named()
    for place, name in enumerate(names):
        if name in names[:place]:
            raise comparing.same_name(name=name)
    said, true = read.opened(log, call.truth)
    return {
        name: replace(call, predictions=said, truth=true, columns={**chosen, "score": name}) for name in names
    }


def _calls(systems: Any, call: Call) -> dict[str, Call | Result]:
    """Each system under its name: a result, or a call that measures it; the truth is opened once."""
    if isinstance(systems, Mapping):
        named = [(str(name), one) for name, one in systems.items()]
    elif isinstance(systems, list | tuple):
        named = list(zip(_names(systems), systems, strict=True))
    else:
        raise comparing.not_systems(type=type(systems).__name__)
    found: dict[str, Call | Result] = {}
    for name, one in named:
        if isinstance(one, str | os.PathLike) and os.fspath(one).endswith(SAVED):
            one = load(Path(one))
        made = one if isinstance(one, Result) else replace(call, predictions=one)
        found[free_name(name, found)] = made
    return found


def _names(systems: Sequence[Any]) -> list[str]:
    """Results by what was read, paths by their stems where these differ, others by their place."""
    paths = [Path(one) for one in systems if isinstance(one, str | os.PathLike)]
    stems = len({path.stem for path in paths}) == len(paths)
    names = []
    for place, one in enumerate(systems, 1):
        if isinstance(one, Result):
            names.append(one.names.predictions)
        elif isinstance(one, str | os.PathLike):
            names.append(Path(one).stem if stems else str(one))
        else:
            names.append(f"system {place}")
    return names


def _check_names(names: Sequence[str], baseline: Any) -> None:
    if not names:
        raise comparing.no_system()
    if baseline is not None and baseline not in names:
        raise comparing.unknown_baseline(baseline, names)
    if len(names) < 2:
        raise comparing.one_system(name=names[0])


def _check_measured(call: Call, by: Any) -> None:
    """Refuse what would have to be measured, where everything is."""
    given = {
        "truth": call.truth,
        "columns": call.columns,
        "exclude": call.exclude,
        "weights": call.weights,
        **call.beside,
    }
    for argument, value in given.items():
        if value is not None:
            raise comparing.already_measured(argument=argument)
    if call.by_table is not None or (is_flag(by) is False and len(by)):
        raise comparing.already_measured(argument="by")


def _labels(results: Mapping[str, Result], metrics: Any) -> list[str] | None:
    """The labels that some metrics have in the first result; None for all."""
    several = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    first = next(iter(results.values()))
    return [first.label(one) for one in several] or None
