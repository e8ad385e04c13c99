"""A gate: whether predictions keep the rules that stand between them and a release."""

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
from steelyard.certainty import Certainty
from steelyard.engine.protocol import read_once
from steelyard.metrics.base import MetricRequest
from steelyard.read.sources import predictions_first
from steelyard.result.checked import Checked
from steelyard.result.compared import notes_of
from steelyard.result.result import Result
from steelyard.result.results import Results
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
from steelyard.stats.significance import DropLimits, Mode, Slice, drop_limits, replicated
from steelyard.stats.testing import Procedure
from steelyard.text import Message, say
from steelyard.text.errors import MetricError, SteelyardError, comparing
from steelyard.text.errors.comparing import under_profile
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

    ``predictions`` and ``baseline`` are runs, which are evaluated against ``truth`` by the metrics that the
    rules name, or results, also saved ones by the name of their file. Where ``scores`` names two score
    columns of one log, ``baseline`` is the name of one of them. A drop is how much worse a value is: lower
    where high values are good, higher where low ones are, further from 1 for calibration; with a percent
    sign it is one of the baseline's value.

    ``mode`` says when a drop fails: ``point`` where the observed drop is beyond its limit (the default),
    ``harm`` only where the interval of the drop at ``level`` lies beyond the limit (``significant=True`` is
    the same), ``non_inferior`` unless the interval lies within the limit. What cannot be decided fails.
    ``min_coverage`` is the least share of the truth that must have predictions: by default the baseline's
    share, without a baseline all of it. ``paired=False`` compares with a baseline measured on other data.
    Further ``options`` are those of ``sy.evaluate``; with ``by`` every slice is checked too. The result is
    true exactly when every rule passed.

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
        raise comparing.metrics_of_rules()
    given: dict[Kind, Limits | None] = {"max_drop": max_drop, "min": min, "max": max}
    rules = [rule for kind, limits in given.items() for rule in rules_of(kind, limits)]
    certainty = Certainty.of("auto", level, None)
    judgement = Judgement.of(mode, significant, min_coverage, paired, certainty.level)
    options = read_once(options)

    def measure(run: Any, true: Any, metrics: Sequence[MetricRequest]) -> Any:
        given = _EVALUATE.bind(run, true, metrics, level=level, **options)
        given.apply_defaults()
        return run_each(*prepared(given.arguments), given.arguments["progress"], whole=judgement.whole)

    return checked(
        rules,
        predictions,
        truth,
        baseline,
        Weigher(measure, [*options], options.get("profile", spec.EDITION)),
        judgement,
    )


class Weigher(NamedTuple):
    """What evaluates a run against the truth by some metrics, the options that it was told, and a profile."""

    weigh: Callable[[Any, Any, Any], Any]
    stated: Sequence[str]
    profile: str  # whose library's names the rules may use


class Judgement(NamedTuple):
    """How a gate judges: when a drop fails, how much of the truth must be covered, on which samples."""

    mode: Mode
    coverage: Rule | None  # None: as much as the baseline, or all
    paired: bool
    level: float

    @property
    def whole(self) -> bool:
        """Whether results must keep their rows: an interval may have to be made by resampling."""
        return self.mode != "point"

    @classmethod
    def of(cls, mode: Any, significant: Any, min_coverage: Any, paired: Any, level: float) -> Judgement:
        for name, flag in (("significant", significant), ("paired", paired)):
            if not is_flag(flag):
                raise must_be(name, say("True or False"), flag)
        if mode is not None and not is_one_of(mode, MODES):
            raise one_of("mode", mode, MODES)
        if significant and mode not in (None, "harm"):
            raise comparing.two_modes(mode=mode)
        rule = None if min_coverage is None else Rule.of("min_coverage", COVERAGE, min_coverage)
        return cls(mode or ("harm" if significant else "point"), rule, bool(paired), level)


def checked(
    rules: Sequence[Rule],
    predictions: Any,
    truth: Any,
    baseline: Any,
    weigher: Weigher,
    judgement: Judgement,
) -> Checked:
    _check_call(rules, baseline, judgement)
    loaded = _loaded(predictions)
    measured = isinstance(loaded, Result)
    profile = loaded.plan.profile if measured else spec.profile(weigher.profile)
    asked = {rule.metric: spec.metrics(rule.metric, profile) for rule in rules}
    every = list(dict.fromkeys(one for several in asked.values() for one in several))
    mine, base = _measured(predictions, loaded, truth, baseline, weigher, every)
    drops = dict.fromkeys(one for rule in rules if rule.kind == "max_drop" for one in asked[rule.metric])
    values = {one: _values(one, mine.result) for one in every}
    limits: dict[str, dict[Slice, DropLimits]] = {}
    doubts: list[Message] = []
    if base is not None:
        alike = {one.name: _under_labels(one, mine.result, list(drops)) for one in (base, mine)}
        limits, doubts = _drop_limits(alike, mine, base, judgement, one_truth=truth is not None)
    theirs = {one: _values(one, base.result) for one in every if base is not None and _has(base.result, one)}
    gates = {
        one: Gate(
            mine=values[one],
            base=theirs.get(one),
            by=mine.result.by,
            mode=judgement.mode,
            limits=limits.get(values[one].label, {}),
        )
        for one in every
    }
    verdicts = [verdict for rule in rules for one in asked[rule.metric] for verdict in gates[one].judge(rule)]
    results = {one.name: one.result for one in (mine, base) if one is not None}
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
        saved = is_result(given) and not isinstance(given, Result)
        name = os.fspath(given) if saved else result.names.predictions
        return cls(name, result, weighed=not is_result(given), saved=saved)


def _check_call(rules: Sequence[Rule], baseline: object, judgement: Judgement) -> None:
    """Refuse rules that leave nothing to check, before anything is read."""
    if not rules:
        raise comparing.no_rules()
    drops = [rule for rule in rules if rule.kind == "max_drop"]
    if drops and baseline is None:
        raise comparing.no_baseline(metric=drops[0].metric)
    if baseline is not None and not drops:
        raise comparing.idle_baseline()
    if judgement.mode != "point" and not drops:
        raise comparing.idle_mode(mode=judgement.mode)


def _measured(
    predictions: Any,
    loaded: Any,
    truth: Any,
    baseline: Any,
    weigher: Weigher,
    metrics: Sequence[MetricRequest],
) -> tuple[_Named, _Named | None]:
    """What is checked, and what it is compared with; the truth of both is opened once."""
    runs = [one for one in (loaded, baseline) if one is not None and not is_result(one)]
    if not runs:
        for name in (*(["truth"] if truth is not None else []), *weigher.stated):
            raise comparing.measured_already(argument=name)
    read.check_streams(predictions, baseline, truth)
    true = read.opened_truth(truth, runs)

    def measured(given: Any) -> Any:
        return _loaded(given) if is_result(given) else weigher.weigh(given, true, metrics)

    found = measured(loaded)
    if isinstance(found, Results):
        return _of_columns(found, baseline)
    mine = _Named.of(predictions, found)
    if baseline is None:
        return mine, None
    try:
        base = _Named.of(baseline, measured(baseline))
    except SteelyardError as error:  # which names a file, and calls any other table "predictions"
        raise (error if isinstance(baseline, str | os.PathLike) else under_profile(BASELINE, error)) from None
    return mine, replace(base, name=BASELINE) if base.name == mine.name else base


def _loaded(given: Any) -> Any:
    return load(given) if is_result(given) and not isinstance(given, Result) else given


def _of_columns(results: Results, baseline: Any) -> tuple[_Named, _Named | None]:
    """Two score columns of one log, of which one is the baseline."""
    if baseline is None:
        raise comparing.columns_without_baseline(names=list(results))
    if not is_one_of(baseline, results):
        raise comparing.baseline_not_among(str(baseline), list(results))
    others = [name for name in results if name != baseline]
    if len(others) != 1:
        raise comparing.several_checked(n=len(others))
    mine, base = (_Named(name, results[name], one_log=True) for name in (others[0], baseline))
    return mine, base


def _coverage(mine: _Named, base: _Named | None, rule: Rule | None) -> list[Verdict]:
    """How much of the truth the predictions cover, where it is a table of its own; and slices that fail."""
    if mine.result.names.truth is None:
        return []
    theirs = {} if base is None else coverages(base.result.tally)
    counted = coverages(mine.result.tally)
    found = [coverage_verdict(rule, unit, counts, theirs.get(unit)) for unit, counts in counted.items()]
    by, known = mine.result.by, {} if base is None else base.result.slice_coverage
    for unit, frame in mine.result.slice_coverage.items():
        before = {row[: len(by)]: row[len(by) :] for row in known[unit].rows()} if unit in known else {}
        for *names, covered, total in frame.rows():
            at = dict(zip(by, map(str, names), strict=True))
            found.append(coverage_verdict(rule, unit, (covered, total), before.get(tuple(names)), at))
    return [one for one in found if not (one.names and one)]


def _has(result: Result, asked: MetricRequest) -> bool:
    try:
        return bool(result.label(asked))
    except MetricError:
        return False


def _values(asked: MetricRequest, result: Result) -> Values:
    label = result.label(asked)
    one = next(one for one in result.measured if one.label == label)
    return Values.of(label, result.rows, result.by, one.metric.direction, one.metric.unit)


def _under_labels(one: _Named, mine: Result, metrics: Sequence[MetricRequest]) -> Result:
    """A result of these metrics alone, each under the label that it has in what is checked."""
    measured = []
    for metric in metrics:
        try:
            label = one.result.label(metric)
        except MetricError:
            has = [label for label, _ in one.result.metrics]
            raise comparing.baseline_lacks(
                name=one.name, metric=metric.heading or str(metric.metric), labels=has
            ) from None
        found = next(each for each in one.result.measured if each.label == label)
        measured.append(replace(found, label=mine.label(metric)))
    return replace(one.result, measured=tuple(measured))


def _drop_limits(
    alike: Mapping[str, Result], mine: _Named, base: _Named, judgement: Judgement, *, one_truth: bool
) -> tuple[dict[str, dict[Slice, DropLimits]], list[Message]]:
    """The interval of each drop; where units cannot be paired, mode point does without and says so."""
    one_truth = mine.weighed and base.weighed and one_truth
    check_alike(alike, one_truth=one_truth, paired=judgement.paired)
    testing = Procedure(level=judgement.level, seed=base.result.plan.certainty.seed, paired=judgement.paired)
    point = judgement.mode == "point"
    try:
        if judgement.paired:
            check_units(alike, one_log=mine.one_log)
    except SteelyardError as error:
        if not point:
            raise
        return {}, [say("drops have no interval: {why}.", key="drops_without_interval", why=error.said)]
    measured = {name: result.measured for name, result in alike.items()}
    found = contrasts(measured, [(mine.name, base.name)], testing)
    found = found if point else replicated(found, testing)  # the observed drop decides without resampling
    return drop_limits(found, mine.result.by, judgement.mode, judgement.level), []
