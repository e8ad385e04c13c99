"""A gate: whether predictions keep the rules that stand between them and a release."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from steelyard import ask, read
from steelyard.api.evaluate import evaluate
from steelyard.api.load import is_result, load
from steelyard.arguments import is_flag, is_one_of
from steelyard.comparison import Procedure
from steelyard.comparison.comparable import check_alike
from steelyard.comparison.gates import Gate, Kind, Rule, Slice, Values, in_order, rules_of
from steelyard.engines.call import read_once
from steelyard.measure.certainty import Certainty, alpha_of
from steelyard.messages import say
from steelyard.messages.errors import MetricError, gating
from steelyard.messages.errors.forms import must_be
from steelyard.metrics.asked import Asked
from steelyard.read.table import exactly
from steelyard.result.checked import Checked
from steelyard.result.compared import Comparison
from steelyard.result.result import Result
from steelyard.result.results import Results

Limits = Mapping[Any, float | str]
BASELINE = say("the baseline")


def check(
    predictions: Any,
    truth: Any = None,
    *,
    baseline: Any = None,
    max_drop: Limits | None = None,
    min: Limits | None = None,
    max: Limits | None = None,
    significant: bool = False,
    level: float = 0.95,
    **options: Any,
) -> Checked:
    """Check predictions against rules: the largest drop from a baseline, the least and the greatest value.

    ``predictions`` and ``baseline`` are runs, which are evaluated against ``truth`` by the metrics that the
    rules name, or results, also saved ones by the name of their file. Where ``columns`` names two score
    columns of one log, ``baseline`` is the name of one of them. A drop is how much worse a value is: lower
    where high values are good, higher where low ones are, further from 1 for calibration; with a percent
    sign it is one of the baseline's value. With ``significant`` a drop fails only where a paired test finds
    it: where its p, corrected for all tests of the gate, is below 1 − ``level``. Further ``options`` are
    those of ``sy.evaluate``; with ``by`` every slice is checked as the whole is.

    >>> import steelyard as sy
    >>> truth = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old = {"q1": ["a", "b"], "q2": ["b", "a"]}
    >>> new = {"q1": ["a", "b"], "q2": ["a", "b"]}
    >>> sy.check(new, truth, baseline=old, max_drop={"mrr": "5%"}, min={"hit_rate@2": 0.9})
    1 of 2 checks failed · predictions against the baseline
    failed  mrr is 0.7500, 25.0 % below the baseline's 1.0000; at most 5 % is allowed
    passed  hit_rate@2 is 1.0000; at least 0.9 is wanted
    """
    if "metrics" in options:
        raise gating.metrics_of_rules()
    given: dict[Kind, Limits | None] = {"max_drop": max_drop, "min": min, "max": max}
    rules = [rule for kind, limits in given.items() for rule in rules_of(kind, limits)]
    options = read_once(options)
    return checked(
        rules,
        predictions,
        truth,
        baseline,
        Weigher(
            lambda run, true, metrics: evaluate(run, true, metrics, level=level, **options),
            [*options],
            options.get("profile", ask.HOUSE),
        ),
        significant=significant,
        level=Certainty.of("auto", level, None).level,
    )


class Weigher(NamedTuple):
    """What evaluates a run against the truth by some metrics, the options that it was told, and a profile."""

    weigh: Callable[[Any, Any, Any], Any]
    stated: Sequence[str]
    profile: str  # whose library's names the rules may use


def checked(
    rules: Sequence[Rule],
    predictions: Any,
    truth: Any,
    baseline: Any,
    weigher: Weigher,
    *,
    significant: bool = False,
    level: float = 0.95,
) -> Checked:
    """The same of rules as values."""
    _check_call(rules, baseline, significant)
    loaded = _loaded(predictions)
    measured = isinstance(loaded, Result)
    profile = loaded.request.profile if measured else ask.profile(weigher.profile)
    asked = {rule.metric: ask.metrics(rule.metric, profile) for rule in rules}
    every = list(dict.fromkeys(one for several in asked.values() for one in several))
    mine, base = _measured(predictions, loaded, truth, baseline, weigher, every)
    drops = [one for rule in rules if rule.kind == "max_drop" for one in asked[rule.metric]]
    p: dict[str, dict[Slice, float]] = {}
    if base is not None:
        alike = {one.name: _under_labels(one, mine.result, drops) for one in (base, mine)}
        one_truth = mine.weighed and base.weighed and truth is not None
        check_alike(alike, one_truth=one_truth)
        if significant:
            p = _p_values(alike, base.name, level, one_truth=one_truth, one_log=mine.one_log)
    gates = {one: _gate(one, mine.result, base, p, level) for one in every}
    verdicts = [verdict for rule in rules for one in asked[rule.metric] for verdict in gates[one].judge(rule)]
    return Checked(
        verdicts=tuple(in_order(verdicts)),
        predictions=mine.name,
        baseline=None if base is None else base.name,
        truth=mine.result.names.truth,
        by=mine.result.by,
        significant=bool(significant),
        level=level,
    )


@dataclass(frozen=True)
class _Named:
    """A result under its name; ``weighed`` here, or ``saved`` in a file; perhaps of a column of one log."""

    name: str
    result: Result
    weighed: bool = False
    one_log: bool = False
    saved: bool = False

    @classmethod
    def of(cls, given: Any, result: Result) -> _Named:
        """Under the name of its file where one keeps it, else of what it was measured from."""
        saved = is_result(given) and not isinstance(given, Result)
        name = os.fspath(given) if saved else result.names.predictions
        return cls(name, result, weighed=not is_result(given), saved=saved)


def _check_call(rules: Sequence[Rule], baseline: object, significant: object) -> None:
    """Refuse rules that leave nothing to check, before anything is read."""
    if not rules:
        raise gating.no_rules()
    drops = [rule for rule in rules if rule.kind == "max_drop"]
    if drops and baseline is None:
        raise gating.no_baseline(metric=drops[0].metric)
    if baseline is not None and not drops:
        raise gating.idle_baseline()
    if not is_flag(significant):
        raise must_be("significant", say("True or False"), significant)
    if significant and not drops:
        raise gating.nothing_significant()


def _measured(
    predictions: Any, loaded: Any, truth: Any, baseline: Any, weigher: Weigher, metrics: Sequence[Asked]
) -> tuple[_Named, _Named | None]:
    """What is checked, and what it is compared with; the truth of both is opened once."""
    runs = [one for one in (loaded, baseline) if one is not None and not is_result(one)]
    if not runs:
        for name in (*(["truth"] if truth is not None else []), *weigher.stated):
            raise gating.measured_already(argument=name)
    read.check_one_stdin(predictions, baseline, truth)
    true = read.opened_truth(truth, runs)

    def measured(given: Any) -> Any:
        return _loaded(given) if is_result(given) else weigher.weigh(given, true, metrics)

    found = measured(loaded)
    if isinstance(found, Results):
        return _of_columns(found, baseline)
    mine = _Named.of(predictions, found)
    if baseline is None:
        return mine, None
    base = _Named.of(baseline, measured(baseline))
    return mine, replace(base, name=BASELINE) if base.name == mine.name else base


def _loaded(given: Any) -> Any:
    """The result that a file keeps; anything else as it is."""
    return load(given) if is_result(given) and not isinstance(given, Result) else given


def _of_columns(results: Results, baseline: Any) -> tuple[_Named, _Named | None]:
    """Two score columns of one log, of which one is the baseline."""
    if not is_one_of(baseline, results):
        raise gating.baseline_not_among(str(baseline), list(results))
    others = [name for name in results if name != baseline]
    if len(others) != 1:
        raise gating.several_checked(n=len(others))
    mine, base = (_Named(name, results[name], one_log=True) for name in (others[0], baseline))
    return mine, base


def _gate(
    asked: Asked, mine: Result, base: _Named | None, p: Mapping[str, Mapping[Slice, float]], level: float
) -> Gate:
    values = _values(asked, mine)
    theirs = None if base is None or not _has(base.result, asked) else _values(asked, base.result)
    return Gate(mine=values, base=theirs, by=mine.by, p=p.get(values.label), alpha=alpha_of(level))


def _has(result: Result, asked: Asked) -> bool:
    try:
        return bool(result.label(asked))
    except MetricError:
        return False


def _values(asked: Asked, result: Result) -> Values:
    label = result.label(asked)
    one = next(one for one in result.measured if one.label == label)
    return Values.of(label, result.rows, result.by, one.metric.direction, one.metric.unit)


def _under_labels(one: _Named, mine: Result, metrics: Sequence[Asked]) -> Result:
    """A result of these metrics alone, each under the label that it has in what is checked."""
    measured = []
    for metric in metrics:
        try:
            label = one.result.label(metric)
        except MetricError:
            has = [label for label, _ in one.result.metrics]
            raise gating.baseline_lacks(
                name=one.name, metric=metric.heading or str(metric.metric), labels=has
            ) from None
        found = next(each for each in one.result.measured if each.label == label)
        measured.append(replace(found, label=mine.label(metric)))
    return replace(one.result, measured=tuple(measured))


def _p_values(
    results: Mapping[str, Result], baseline: str, level: float, *, one_truth: bool, one_log: bool
) -> dict[str, dict[Slice, float]]:
    """The corrected p of each difference from the baseline, by metric and slice."""
    seed = results[baseline].request.certainty.seed
    testing = Procedure(level=level, seed=seed)
    found = Comparison.of(results, baseline, testing, one_truth=one_truth, one_log=one_log, from_best=True)
    p: dict[str, dict[Slice, float]] = {}
    for *at, label, value in found.rows.select(exactly([*found.by, "metric", "p_corrected"])).rows():
        p.setdefault(label, {})[tuple(at)] = math.nan if value is None else value
    return p
