"""Compare systems: which is better, by how much, and whether that is statistically significant."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from steelyard import read
from steelyard.api.evaluate import prepared, run, run_each
from steelyard.api.load import is_result, load
from steelyard.arguments import is_scalar
from steelyard.conventions import Certainty
from steelyard.engine.bound import is_larger
from steelyard.engine.columns import Class
from steelyard.engine.protocol import Call
from steelyard.metrics import Metric
from steelyard.progress import Bar, Progress
from steelyard.result.compared import Comparison
from steelyard.result.result import Result
from steelyard.spec import EDITION, Plan
from steelyard.spec.plan import mapping_of
from steelyard.stats.testing import Procedure
from steelyard.text import say
from steelyard.text.errors import asking
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
    baseline_lists: Any = None,
    where: str | None = None,
    storage_options: Mapping[str, str] | None = None,
    memory: str | int | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    profile: str = EDITION,
    conventions: Mapping[str, Any] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
    **further: Any,
) -> Comparison:
    """Compare systems on the same queries, users or rows: which is better, by how much, is it significant.

    ``systems`` is ``{name: run}``, a list of runs or paths, or the same of results. It may also be one log
    whose columns ``scores`` are the systems. All others are compared with ``baseline``; without one every
    pair is.

    ``test`` is the test of significance. ``correct`` is the correction of p-values: over all metrics and
    pairs of the whole as one family of tests, and over all slices as another. Random signs and replicates are
    hashes of ``seed`` and the unit, so the same call gives the same bytes. ``paired=False`` is for systems
    measured on different data, such as the logs of two days. All other arguments are those of
    ``sy.evaluate``.

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
        raise asking.own_intervals()
    certainty = Certainty.of("auto", level, unit, seed)
    testing = Procedure.of(test, correct, certainty.level, certainty.seed, draws, paired=paired)
    table = by if read.is_table(by) else None
    call = Call.of({**tables, "predictions": systems, "scores": None, "by_table": table})
    options = {"by": by, "unit": unit, "classes": classes, **mapping_of(conventions), **further}
    asked = {**tables, "predictions": systems, "scores": None, "ci": certainty.ci}
    columns_of_log = call.with_scores(list(scores)) if isinstance(scores, list | tuple) else call
    if is_read_once(columns_of_log):
        return compared(prepared(asked)[0], columns_of_log, baseline, testing, progress)
    named = systems_of(systems, scores, call)
    files = dict(zip(named, systems, strict=True)) if isinstance(systems, list | tuple) else {}
    baseline = name_of(baseline, files)
    check_names(list(named), baseline)
    results = measured(named, call, options)
    if results is not None:
        return Comparison.of(results, baseline, testing, labels_of(results, metrics))
    if isinstance(metrics, list | tuple) and not metrics:
        raise asking.nothing_asked()
    return compared(prepared(asked)[0], named, baseline, testing, progress)


def _result(plan: Plan, call: Call, progress: Progress) -> Result:
    if is_larger(call):
        return cast("Result", run_each(plan, call, progress))  # it is one system
    return run(plan, call, progress, whole=True)


Systems = dict[str, Call | Result]  # calls are still to be measured
SAVED = say("values come from a saved result; nothing was measured anew.", key="saved_result")


def compared(
    plan: Plan, systems: Systems | Call, baseline: str | None, testing: Procedure, progress: Progress = None
) -> Comparison:
    """``systems`` is one call where all are columns of a log that is read once for all of them."""
    if isinstance(systems, Call):
        check_names(names_of_scores(systems), baseline)
        results = cast("Mapping[str, Result]", run_each(plan, systems, progress))
        labels = [metric.label for metric in plan.metrics]
        return Comparison.of(dict(results), baseline, testing, labels, one_truth=True, one_log=True)
    calls = [system for system in systems.values() if isinstance(system, Call)]
    every = len(calls) == len(systems)
    one_log = every and all(
        read.given(call.predictions) is read.given(calls[0].predictions) for call in calls
    )
    results = {
        name: _result(plan, system, progress) if isinstance(system, Call) else system
        for name, system in systems.items()
    }
    return Comparison.of(
        results,
        baseline,
        testing,
        [metric.label for metric in plan.metrics],
        one_truth=one_log or (every and calls[0].truth is not None),
        one_log=one_log,
    )


def is_read_once(call: Call) -> bool:
    """Whether a call names several score columns of a log that is larger than memory."""
    return len(names_of_scores(call)) > 1 and is_larger(call)


def names_of_scores(call: Call) -> list[str]:
    """The score columns that a call names, which may be text with commas."""
    named = (call.columns or {}).get("score", ())
    if isinstance(named, str):
        return [name.strip() for name in named.split(",")]
    return list(named) if isinstance(named, list | tuple) else []


def systems_of(systems: Any, scores: Any, call: Call) -> Systems:
    """The systems by name; a log is opened once for all its score columns, the truth once for all runs."""
    if scores is not None:
        return _columns_of(scores, call)
    if isinstance(systems, Mapping):
        _check_not_one_run(systems, call.truth)
        named = [(str(name), system) for name, system in systems.items()]
        for name, n in Counter(name for name, _ in named).items():
            if n > 1:
                raise asking.same_name(name=name)
    elif isinstance(systems, list | tuple):
        named = list(zip(_names(systems), systems, strict=True))
    else:
        columns = call.systems()
        if columns is None and "score" in (call.columns or {}):
            raise asking.columns_of_scores(value=repr((call.columns or {})["score"]))
        if columns is None:
            raise asking.not_systems(type=type(systems).__name__)
        return dict(columns)
    read.check_streams(*(system for _, system in named), call.truth)
    truth = read.opened_truth(call.truth, [system for _, system in named if not is_result(system)])
    by_name: Systems = {}
    for name, system in named:
        if not is_result(system):
            system = replace(call, predictions=system, truth=truth)
        elif not isinstance(system, Result):
            system = load(system).noting(SAVED)
        by_name[free_name(name, by_name)] = system
    return by_name


def _check_not_one_run(systems: Mapping[Any, Any], truth: Any) -> None:
    """Refuse {query: items} in place of {name: run}; with an array of labels a list is a system."""
    for name, system in systems.items():
        scored = isinstance(system, Mapping) and is_scalar(next(iter(system.values()), None))
        listed = isinstance(system, list | tuple) and bool(system) and is_scalar(system[0])
        files = listed and all(isinstance(file, str | os.PathLike) and Path(file).suffix for file in system)
        if scored or (listed and not files and not read.are_columns(system, truth)):
            raise asking.one_run(name=str(name))


def _columns_of(scores: Any, call: Call) -> Systems:
    if not isinstance(scores, list | tuple) or len(scores) < 2:
        raise asking.columns_of_scores(value=repr(scores))
    columns = call.with_scores(list(scores)).systems()
    if columns is None:
        raise asking.scores_of_arrays()
    return dict(columns)


def _names(systems: Sequence[Any]) -> list[str]:
    """Results by what was read, paths by their stems if these differ, others by their place."""
    paths = [Path(system) for system in systems if isinstance(system, str | os.PathLike)]
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise asking.same_file(run=str(path))
    stems = len({path.stem for path in paths}) == len(paths)
    names = []
    for place, system in enumerate(systems, 1):
        if isinstance(system, Result):
            names.append(system.names.predictions)
        elif isinstance(system, str | os.PathLike):
            names.append(Path(system).stem if stems else str(system))
        else:
            names.append(say("system {place}", place=place))
    return names


def name_of(baseline: Any, files: Mapping[str, Any]) -> Any:
    """The name of the baseline, which may be stated by its file."""
    if not isinstance(baseline, str | os.PathLike) or baseline in files:
        return baseline
    paths = {name: file for name, file in files.items() if isinstance(file, str | os.PathLike)}
    same = [name for name, path in paths.items() if Path(path) == Path(baseline)]
    return same[0] if len(same) == 1 else baseline


def check_names(names: Sequence[str], baseline: Any) -> None:
    if not names:
        raise asking.no_system()
    if not isinstance(baseline, str | os.PathLike | None):
        remedy = say("the systems are {names:and}", names=names)
        raise must_be("baseline", say("the name of a system"), baseline, remedy=remedy)
    if baseline is not None and baseline not in names:
        raise asking.unknown_system(baseline, names, baseline=True)
    if len(names) < 2:
        raise asking.one_system(name=names[0])


def measured(systems: Systems, call: Call, options: Mapping[str, Any]) -> dict[str, Result] | None:
    """The systems if all are results; options that would need a new measurement are refused then."""
    results = {name: system for name, system in systems.items() if isinstance(system, Result)}
    if len(results) < len(systems):
        return None
    tables = {"truth": call.truth, "columns": call.columns, "exclude": call.exclude, "weights": call.weights}
    tables["where"] = call.where
    for argument, value in {**tables, **call.side_tables, **options}.items():
        if value is not None and not (isinstance(value, str | Sequence | Mapping) and not len(value)):
            raise asking.already_measured(argument=argument)
    return results


def labels_of(results: Mapping[str, Result], metrics: Any) -> list[str] | None:
    """The labels that some metrics have in the first result; None for all."""
    several = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    first = next(iter(results.values()))
    return [first.label(metric) for metric in several] or None
