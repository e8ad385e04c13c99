"""A gate: whether predictions keep the rules for a release."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, NamedTuple

from steelyard import read, spec
from steelyard.api.compare import SAVED
from steelyard.api.evaluate import evaluate, prepared, run_each
from steelyard.api.load import is_result, load
from steelyard.arguments import is_flag, is_one_of
from steelyard.conventions import Certainty
from steelyard.engine.protocol import read_once
from steelyard.metrics.base import MetricRequest
from steelyard.read.sources import once, predictions_first
from steelyard.result.checked import Checked
from steelyard.result.compared import notes_of
from steelyard.result.result import Result, Results
from steelyard.stats.comparable import check_alike, check_units
from steelyard.stats.compare import contrasts
from steelyard.stats.gates import (
    COVERAGE,
    MODES,
    Gate,
    Kind,
    Rule,
    Values,
    Verdict,
    coverage_verdict,
    coverages,
    in_order,
    rules_of,
)
from steelyard.stats.measured import Measured
from steelyard.stats.significance import DropLimits, Mode, Slice, drop_limits, replicated
from steelyard.stats.testing import Procedure
from steelyard.text import Message, say
from steelyard.text.errors import MetricError, SteelyardError, asking
from steelyard.text.errors.asking import under_profile
from steelyard.text.errors.forms import must_be, one_of
from steelyard.text.labels import named

Limits = Mapping[Any, float | str]
_EVALUATE = signature(evaluate)
BASELINE = say("the baseline")


@predictions_first
def check(
    predictions: Any,
    truth: Any = None,
    *,
    baseline: Any = None,
    max_drop: Limits | None = None,
    min: Limits | None = None,
    max: Limits | None = None,
    min_coverage: float | str | None = None,
    mode: str | None = None,
    significant: bool = False,
    paired: bool = True,
    level: float = 0.95,
    **options: Any,
) -> Checked:
    """Check predictions against rules: the largest drop from a baseline, the least and the greatest value.

    ``predictions`` and ``baseline`` are runs, results, or the files of saved results. Runs are evaluated
    against ``truth`` by the metrics of the rules. If ``scores`` names two score columns of one log,
    ``baseline`` is one of the names. A drop is how much worse a value is in the direction of its metric:
    further from 1 for calibration. With a percent sign it is a share of the baseline's value.

    ``mode`` says when a drop fails. ``point``, the default: the observed drop is beyond the limit. ``harm``,
    also ``significant=True``: its whole interval is. ``non_inferior``: any part of its interval is. What
    cannot be decided fails. ``min_coverage`` is the least share of the truth with predictions, by default the
    baseline's share or all. ``paired=False`` is for a baseline measured on other data. Other ``options`` are
    those of ``sy.evaluate``; with ``by`` every slice is checked too. The result is true if every rule passed.

    >>> import steelyard as sy
    >>> truth = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old = {"q1": ["a", "b"], "q2": ["b", "a"]}
    >>> new = {"q1": ["a", "b"], "q2": ["a", "b"]}
    >>> sy.check(new, truth, baseline=old, max_drop={"mrr": "5%"}, min={"hit_rate@2": 0.9})
    1 of 3 checks failed · predictions against the baseline · mode point
    failed  mrr is 0.7500, 25.0 % below the baseline's 1.0000; at most 5 % is allowed
    passed  hit_rate@2 is 1.0000; at least 0.9 is wanted
    passed  2 of 2 queries in the truth have predictions (100.0 %); the baseline has 100.0 %
    ! mrr, hit_rate@2: effective sample size below 10; the interval is approximate.
    """
    if "metrics" in options or options.get("task") is not None:
        raise asking.metrics_of_rules()
    kinds: dict[Kind, Limits | None] = {"max_drop": max_drop, "min": min, "max": max}
    rules = [rule for kind, limits in kinds.items() for rule in rules_of(kind, limits)]
    certainty = Certainty.of("auto", level, None)
    judgement = Judgement.of(mode, significant, min_coverage, paired, certainty.level)
    store = options.get("storage_options")
    options, truth = read_once(options, store), once(truth, store)

    def run(predictions: Any, truth: Any, metrics: Sequence[MetricRequest]) -> Any:
        call = _EVALUATE.bind(predictions, truth, metrics, level=level, **options)
        call.apply_defaults()
        return run_each(*prepared(call.arguments), call.arguments["progress"], whole=judgement.whole)

    evaluator = Evaluator(run, [*options], options.get("profile", spec.EDITION))
    return checked(rules, predictions, truth, baseline, evaluator, judgement)


class Evaluator(NamedTuple):
    """How runs are evaluated: by ``run`` with a run, the truth and metrics."""

    run: Callable[[Any, Any, Any], Any]
    stated: Sequence[str]  # the options of the call
    profile: str  # the rules may use the names of its library


class Judgement(NamedTuple):
    """How a gate judges: when a drop fails, how much of the truth must be covered, on which samples."""

    mode: Mode
    coverage: Rule | None  # None: as much as the baseline, or all
    paired: bool
    level: float

    @property
    def whole(self) -> bool:
        """Whether results must keep their rows: an interval may need resampling."""
        return self.mode != "point"

    @classmethod
    def of(cls, mode: Any, significant: Any, min_coverage: Any, paired: Any, level: float) -> Judgement:
        for name, flag in (("significant", significant), ("paired", paired)):
            if not is_flag(flag):
                raise must_be(name, say("True or False"), flag)
        if mode is not None and not is_one_of(mode, MODES):
            raise one_of("mode", mode, MODES)
        if significant and mode not in (None, "harm"):
            raise asking.two_modes(mode=mode)
        rule = None if min_coverage is None else Rule.of("min_coverage", COVERAGE, min_coverage)
        return cls(mode or ("harm" if significant else "point"), rule, bool(paired), level)


@dataclass(frozen=True)
class _System:
    """A result and its name: evaluated here, saved in a file, or one score column of a log."""

    name: str
    result: Result
    evaluated: bool = False
    saved: bool = False
    one_log: bool = False

    def has(self, metric: MetricRequest) -> bool:
        try:
            return bool(self.result.label(metric))
        except MetricError:
            return False

    def measured(self, metric: MetricRequest) -> Measured:
        label = self.result.label(metric)
        return next(measured for measured in self.result.measured if measured.label == label)

    def values(self, metric: MetricRequest) -> Values:
        measured = self.measured(metric)
        direction, unit = measured.metric.direction, measured.metric.unit
        return Values.of(measured.label, self.result.rows, self.result.by, direction, unit)


def checked(
    rules: Sequence[Rule],
    predictions: Any,
    truth: Any,
    baseline: Any,
    evaluator: Evaluator,
    judgement: Judgement,
) -> Checked:
    _check_rules(rules, baseline, judgement)
    loaded = _loaded(predictions)
    profile = loaded.plan.profile if isinstance(loaded, Result) else spec.profile(evaluator.profile)
    asked = {rule.metric: spec.metrics(rule.metric, profile) for rule in rules}
    metrics = list(dict.fromkeys(metric for several in asked.values() for metric in several))
    mine, base = _systems(predictions, loaded, truth, baseline, evaluator, metrics)
    dropping = dict.fromkeys(
        metric for rule in rules if rule.kind == "max_drop" for metric in asked[rule.metric]
    )
    limits: dict[str, dict[Slice, DropLimits]] = {}
    doubts: list[Message] = []
    values = {metric: mine.values(metric) for metric in metrics}
    if base is not None:
        limits, doubts = _drop_limits(mine, base, list(dropping), judgement, one_truth=truth is not None)
    gates = {
        metric: Gate(
            mine=values[metric],
            base=base.values(metric) if base is not None and base.has(metric) else None,
            by=mine.result.by,
            mode=judgement.mode,
            limits=limits.get(values[metric].label, {}),
        )
        for metric in metrics
    }
    verdicts = [
        verdict for rule in rules for metric in asked[rule.metric] for verdict in gates[metric].judge(rule)
    ]
    results = {system.name: system.result for system in (mine, base) if system is not None}
    return Checked(
        verdicts=tuple(in_order([*verdicts, *_coverage(mine, base, judgement.coverage)])),
        predictions=mine.name,
        baseline=None if base is None else base.name,
        truth=mine.result.names.truth,
        by=mine.result.by,
        mode=judgement.mode,
        paired=judgement.paired,
        level=judgement.level,
        notes=(*([named(mine.name, SAVED)] if mine.saved else []), *doubts, *notes_of(results)),
    )


def _check_rules(rules: Sequence[Rule], baseline: object, judgement: Judgement) -> None:
    """Refuse rules that leave nothing to check, before anything is read."""
    if not rules:
        raise asking.no_rules()
    drops = [rule for rule in rules if rule.kind == "max_drop"]
    if drops and baseline is None:
        raise asking.no_baseline(metric=drops[0].metric)
    if baseline is not None and not drops:
        raise asking.idle_baseline()
    if judgement.mode != "point" and not drops:
        raise asking.idle_mode(mode=judgement.mode)


def _loaded(predictions: Any) -> Any:
    saved = is_result(predictions) and not isinstance(predictions, Result)
    return load(predictions) if saved else predictions


def _systems(
    predictions: Any,
    loaded: Any,
    truth: Any,
    baseline: Any,
    evaluator: Evaluator,
    metrics: Sequence[MetricRequest],
) -> tuple[_System, _System | None]:
    """What is checked and the baseline; their truth is opened once."""
    runs = [run for run in (loaded, baseline) if run is not None and not is_result(run)]
    if not runs:
        for argument in (*(["truth"] if truth is not None else []), *evaluator.stated):
            raise asking.measured_already(argument=argument)
    read.check_streams(predictions, baseline, truth)
    opened = read.opened_truth(truth, runs)

    def result_of(given: Any) -> Any:
        return _loaded(given) if is_result(given) else evaluator.run(given, opened, metrics)

    def system(given: Any, result: Result) -> _System:
        saved = is_result(given) and not isinstance(given, Result)
        name = os.fspath(given) if saved else result.names.predictions
        return _System(name, result, evaluated=not is_result(given), saved=saved)

    result = result_of(loaded)
    if isinstance(result, Results):
        return _columns(result, baseline)
    mine = system(predictions, result)
    if baseline is None:
        return mine, None
    try:
        base = system(baseline, result_of(baseline))
    except SteelyardError as error:  # which names a file, and calls any other table "predictions"
        raise (error if isinstance(baseline, str | os.PathLike) else under_profile(BASELINE, error)) from None
    return mine, replace(base, name=BASELINE) if base.name == mine.name else base


def _columns(results: Results, baseline: Any) -> tuple[_System, _System | None]:
    """Two score columns of one log; one is the baseline."""
    if baseline is None:
        raise asking.columns_without_baseline(names=list(results))
    if not is_one_of(baseline, results):
        raise asking.baseline_not_among(str(baseline), list(results))
    others = [name for name in results if name != baseline]
    if len(others) != 1:
        raise asking.several_checked(n=len(others))
    mine, base = (_System(name, results[name], one_log=True) for name in (others[0], baseline))
    return mine, base


def _coverage(mine: _System, base: _System | None, rule: Rule | None) -> list[Verdict]:
    """How much of the truth has predictions, if it is a table of its own; of slices only those that fail."""
    if mine.result.names.truth is None:
        return []
    of_base = {} if base is None else coverages(base.result.tally)
    verdicts = [
        coverage_verdict(rule, unit, counts, of_base.get(unit))
        for unit, counts in coverages(mine.result.tally).items()
    ]
    by, slices = mine.result.by, {} if base is None else base.result.slice_coverage
    for unit, frame in mine.result.slice_coverage.items():
        before = {row[: len(by)]: row[len(by) :] for row in slices[unit].rows()} if unit in slices else {}
        for *names, covered, total in frame.rows():
            at = dict(zip(by, map(str, names), strict=True))
            verdicts.append(coverage_verdict(rule, unit, (covered, total), before.get(tuple(names)), at))
    return [verdict for verdict in verdicts if not (verdict.names and verdict)]


def _drop_limits(
    mine: _System, base: _System, metrics: Sequence[MetricRequest], judgement: Judgement, *, one_truth: bool
) -> tuple[dict[str, dict[Slice, DropLimits]], list[Message]]:
    """The interval of each drop; if units cannot be paired, mode point does without and notes it."""
    alike = {system.name: _under_labels(system, mine, metrics) for system in (base, mine)}
    one_truth = mine.evaluated and base.evaluated and one_truth
    check_alike(alike, one_truth=one_truth, paired=judgement.paired)
    testing = Procedure(level=judgement.level, seed=base.result.plan.certainty.seed, paired=judgement.paired)
    point = judgement.mode == "point"
    try:
        if judgement.paired:
            check_units(alike, one_log=mine.one_log)
    except SteelyardError as error:
        if not point:
            raise
        return {}, [say("drops have no interval: {why}.", key="drops_without_interval", why=error.sentence)]
    measured = {name: result.measured for name, result in alike.items()}
    drops = contrasts(measured, [(mine.name, base.name)], testing)
    drops = drops if point else replicated(drops, testing)  # the observed drop decides without resampling
    return drop_limits(drops, mine.result.by, judgement.mode, judgement.level), []


def _under_labels(system: _System, mine: _System, metrics: Sequence[MetricRequest]) -> Result:
    """The result with these metrics alone, under the labels of what is checked."""
    for metric in metrics:
        if not system.has(metric):
            labels = [label for label, _ in system.result.metrics]
            name = metric.heading or str(metric.metric)
            raise asking.baseline_lacks(name=system.name, metric=name, labels=labels)
    measured = [replace(system.measured(metric), label=mine.result.label(metric)) for metric in metrics]
    return replace(system.result, measured=tuple(measured))
