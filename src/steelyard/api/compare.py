"""Compare systems: which is better, by how much, and whether that is statistically significant."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard import read
from steelyard.api.evaluate import prepared, run
from steelyard.api.load import is_result, load
from steelyard.arguments import is_scalar
from steelyard.certainty import Certainty
from steelyard.engine.class_values import Class
from steelyard.engine.protocol import Call
from steelyard.metrics import Metric
from steelyard.progress import Bar, Progress
from steelyard.result import saved as storage
from steelyard.result.compared import Comparison
from steelyard.result.result import Result
from steelyard.spec import EDITION, Plan
from steelyard.spec.plan import mapping_of
from steelyard.stats.testing import Procedure
from steelyard.text import say
from steelyard.text.errors import asking, comparing
from steelyard.text.errors.forms import must_be
from steelyard.text.names import free_name


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
    paired: bool = True,
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
    profile: str = EDITION,
    conventions: Mapping[str, Any] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
    **further: Any,
) -> Comparison:
    """Compare systems on the same queries, users or rows: which is better, by how much, is it chance.

    ``systems`` is ``{name: run}``, a list of runs or paths, results of ``evaluate`` or ``load`` in the same
    ways, or one log whose columns ``scores`` are the systems. All others are compared with ``baseline``;
    without one every pair is.

    ``test`` says how a p-value is made, ``correct`` how p-values are corrected: over all metrics and pairs of
    the whole as one family of tests, and over all slices as another. Intervals have the ``level``. Signs and
    replicates are drawn by a hash of ``seed`` and the unit, so that the same call gives the same bytes.
    ``paired=False`` is for systems measured on different data, such as the logs of two days: they are
    independent samples of units. All else is as in ``evaluate``.

    >>> import steelyard as sy
    >>> truth = {"q1": ["a"], "q2": ["b"], "q3": ["c"]}
    >>> old = {"q1": ["b", "a"], "q2": ["a", "b"], "q3": ["c", "a"]}
    >>> new = {"q1": ["a", "b"], "q2": ["b", "a"], "q3": ["c", "b"]}
    >>> cmp = sy.compare({"old": old, "new": new}, truth, "mrr", baseline="old")
    >>> cmp.table().select("system", "baseline", "difference", "p", "better", "same", "worse").rows()
    [('new', 'old', 0.333..., 0.5, 2, 1, 0)]
    """
    tables = dict(locals())
    if "ci" in further:
        raise comparing.own_intervals()
    certainty = Certainty.of("auto", level, unit, seed)
    testing = Procedure.of(test, correct, certainty.level, certainty.seed, draws, paired=paired)
    table = by if read.is_table(by) else None
    call = Call.of({**tables, "predictions": systems, "scores": None, "by_table": table})
    options = {"by": by, "unit": unit, "classes": classes, **mapping_of(conventions), **further}
    given = systems_of(systems, scores, call)
    files = dict(zip(given, systems, strict=True)) if isinstance(systems, list | tuple) else {}
    baseline = name_of(baseline, files)
    check_names(list(given), baseline)
    results = measured(given, call, options)
    if results is not None:
        return Comparison.of(results, baseline, testing, labels_of(results, metrics))
    if isinstance(metrics, list | tuple) and not metrics:
        raise comparing.nothing_asked()
    plan, _ = prepared({**tables, "predictions": systems, "scores": None, "ci": certainty.ci})
    return compared(plan, given, baseline, testing, progress)


Systems = dict[str, Call | Result]  # what is to be measured, and what is
SAVED = say("values come from a saved result; nothing was measured anew.", key="saved_result")


def compared(
    plan: Plan, systems: Systems, baseline: str | None, testing: Procedure, progress: Progress = None
) -> Comparison:
    calls = [one for one in systems.values() if isinstance(one, Call)]
    every = len(calls) == len(systems)
    one_log = every and all(read.given(one.predictions) is read.given(calls[0].predictions) for one in calls)
    results = {
        name: one if isinstance(one, Result) else run(plan, one, progress, whole=True)
        for name, one in systems.items()
    }
    return Comparison.of(
        results,
        baseline,
        testing,
        [one.label for one in plan.metrics],
        one_truth=one_log or (every and calls[0].truth is not None),
        one_log=one_log,
    )


def systems_of(systems: Any, scores: Any, call: Call) -> Systems:
    """What a caller compares, each under its name: results, or calls that measure them.

    A log is opened once for all its columns of scores, and the truth once for all runs.
    """
    if scores is not None:
        return _columns_of(scores, call)
    if isinstance(systems, Mapping):
        _check_not_one_run(systems, call.truth)
        named = [(str(name), one) for name, one in systems.items()]
        for place, (name, _) in enumerate(named):
            if any(name == other for other, _ in named[:place]):
                raise asking.same_name(name=name)
    elif isinstance(systems, list | tuple):
        named = list(zip(_names(systems), systems, strict=True))
    else:
        columns = call.systems()
        if columns is None and "score" in (call.columns or {}):
            raise comparing.columns_of_scores(value=repr((call.columns or {})["score"]))
        if columns is None:
            raise comparing.not_systems(type=type(systems).__name__)
        return dict(columns)
    found: Systems = {}
    read.check_streams(*(one for _, one in named), call.truth)
    true = read.opened_truth(call.truth, [one for _, one in named if not is_result(one)])
    for name, one in named:
        made = one if isinstance(one, Result) else replace(call, predictions=one, truth=true)
        saved = isinstance(one, str | os.PathLike) and storage.is_saved(one)
        found[free_name(name, found)] = load(Path(one)).noting(SAVED) if saved else made
    return found


def _check_not_one_run(systems: Mapping[Any, Any], truth: Any) -> None:
    """Refuse {query: items} in place of {name: run}; beside an array of labels a list is a system."""
    for name, one in systems.items():
        scored = isinstance(one, Mapping) and is_scalar(next(iter(one.values()), None))
        listed = isinstance(one, list | tuple) and bool(one) and is_scalar(one[0])
        if scored or (listed and not read.are_columns(one, truth) and not _are_files(one)):
            raise comparing.one_run(name=str(name))


def _are_files(given: Sequence[Any]) -> bool:
    return all(isinstance(one, str | os.PathLike) and Path(one).suffix for one in given)


def _columns_of(scores: Any, call: Call) -> Systems:
    if not isinstance(scores, list | tuple) or len(scores) < 2:
        raise comparing.columns_of_scores(value=repr(scores))
    found = call.with_scores(list(scores)).systems()
    if found is None:
        raise comparing.scores_of_arrays()
    return dict(found)


def _names(systems: Sequence[Any]) -> list[str]:
    """Results by what was read, paths by their stems where these differ, others by their place."""
    paths = [Path(one) for one in systems if isinstance(one, str | os.PathLike)]
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise asking.same_file(run=str(path))
    stems = len({path.stem for path in paths}) == len(paths)
    names = []
    for place, one in enumerate(systems, 1):
        if isinstance(one, Result):
            names.append(one.names.predictions)
        elif isinstance(one, str | os.PathLike):
            names.append(Path(one).stem if stems else str(one))
        else:
            names.append(say("system {place}", place=place))
    return names


def name_of(baseline: Any, files: Mapping[str, Any]) -> Any:
    """The name of the system that a baseline means: its own, or that of the file that was given for it."""
    if not isinstance(baseline, str | os.PathLike) or baseline in files:
        return baseline
    paths = {name: one for name, one in files.items() if isinstance(one, str | os.PathLike)}
    same = [name for name, one in paths.items() if Path(one) == Path(baseline)]
    return same[0] if len(same) == 1 else baseline


def check_names(names: Sequence[str], baseline: Any) -> None:
    if not names:
        raise comparing.no_system()
    if not isinstance(baseline, str | os.PathLike | None):
        remedy = say("the systems are {names:and}", names=names)
        raise must_be("baseline", say("the name of a system"), baseline, remedy=remedy)
    if baseline is not None and baseline not in names:
        raise comparing.unknown_system(baseline, names, baseline=True)
    if len(names) < 2:
        raise comparing.one_system(name=names[0])


def measured(systems: Systems, call: Call, options: Mapping[str, Any]) -> dict[str, Result] | None:
    """The systems, where all are measured; then no option may be given that would have to be heeded."""
    found = {name: one for name, one in systems.items() if isinstance(one, Result)}
    if len(found) < len(systems):
        return None
    tables = {"truth": call.truth, "columns": call.columns, "exclude": call.exclude, "weights": call.weights}
    for argument, value in {**tables, **call.beside, **options}.items():
        if value is not None and not (isinstance(value, str | Sequence | Mapping) and not len(value)):
            raise comparing.already_measured(argument=argument)
    return found


def labels_of(results: Mapping[str, Result], metrics: Any) -> list[str] | None:
    """The labels that some metrics have in the first result; None for all."""
    several = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    first = next(iter(results.values()))
    return [first.label(one) for one in several] or None
