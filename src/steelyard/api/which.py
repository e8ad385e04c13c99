"""Where a printed number comes from: which convention gives it, and why two libraries print two numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard import kernels
from steelyard.api.evaluate import opened
from steelyard.arguments import whole_of
from steelyard.conventions import Certainty
from steelyard.engine.columns import Class, class_names
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Call
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.progress import Bar, Tell, reporting
from steelyard.read.sources import predictions_first
from steelyard.result.findings import Differences, Matches
from steelyard.result.result import Result
from steelyard.search.claim import Claim, ClaimTarget, check_bounds, claims_of
from steelyard.search.facts import Facts, Trials
from steelyard.search.profiles import ProfileSide, attributed, both, by_query, notes_of, sides_of
from steelyard.search.search import MOST_CHANGES, Search, searched
from steelyard.spec import EDITION, Plan, profile
from steelyard.stats.measured import Measured
from steelyard.stats.run import measured
from steelyard.stats.run import notes_of as measured_notes
from steelyard.text import say
from steelyard.text.errors import SteelyardError, asking
from steelyard.text.errors.forms import must_be


@predictions_first
def which(
    predictions: Any,
    truth: Any = None,
    claims: Mapping[str, float | str] | Any = None,
    *,
    changes: int | None = None,
    columns: Mapping[str, Any] | None = None,
    scores: str | None = None,
    classes: Sequence[Class] | None = None,
    exclude: Any = None,
    weights: Any = None,
    catalog: Any = None,
    features: Any = None,
    history: Any = None,
    item_groups: Any = None,
    baseline_lists: Any = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Matches:
    """Find the conventions under which predictions have the values that somebody printed.

    ``claims`` are metrics and their values, ``{"map@10": 0.302}``, or a table with the columns metric and
    value. A metric may have the name that a library gives it. A value counts with its printed digits: 0.302
    is anything from 0.3015 to 0.3025, and the text ``"0.3020"`` has one digit more. Several claims must hold
    together.

    Every profile is tried as it is, then with one choice changed, and if nothing fits with two. ``changes``
    sets this number: 0, 1 or 2. What a claim states, ``map(missing=skip)@10``, is never changed.
    ``precision``, ``recall`` and ``f1`` of one log are tried as metrics of rows and of whole lists. The other
    arguments are those of ``sy.evaluate``; ``scores`` names one column.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    >>> truth = {"q1": {"b": 1, "c": 1, "z": 1}, "q2": {"a": 1, "y": 1}}
    >>> found = sy.which(run, truth, {"map@2": "0.333"})
    >>> found.profiles[0], found.profiles[-1]
    ('trec_eval', 'steelyard:2026')
    >>> sy.evaluate(run, truth, found.texts[0])[found.texts[0]]
    0.333...
    """
    call = Call.of(dict(locals()))
    return matched(claims_of(claims), call, changes=changes, classes=classes, progress=progress)


def matched(
    claims: list[Claim],
    call: Call,
    *,
    changes: int | None = None,
    classes: Sequence[Class] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Matches:
    """The matches of claims; all is checked before a table is opened."""
    most = None if changes is None else whole_of(changes)
    if changes is not None and most not in range(MOST_CHANGES + 1):
        raise must_be("changes", say("None, 0, 1 or 2"), changes)
    readings = list(_readings(claims))
    for meant in readings:
        check_bounds(claims, meant)
        profiles = list(dict.fromkeys(target.profile for target in meant if target.profile))
        if len(profiles) > 1:
            raise asking.claims_of_two_profiles(one=profiles[0], other=profiles[1])
    with reporting(progress, steps=3) as tell, kernels.watched():
        engine, fitting = _read(call.of_one_system(), readings, classes, tell)
        tell(say("trying conventions"))
        values = Trials(engine, Facts.of(engine, [target.kind for meant in fitting for target in meant]))
        outcome = searched([Search(claims, meant, values, engine.settled) for meant in fitting], most)
        names = engine.names
        return Matches(outcome=outcome, predictions=names.predictions, truth=names.truth)


def _readings(claims: list[Claim]) -> Iterator[list[ClaimTarget]]:
    """What the claims mean together, the likeliest first: all of lists or all of rows, else as they come."""
    every = [ClaimTarget.every(claim.metric) for claim in claims]
    first = [several[0] for several in every]
    alike = [
        [next((target for target in several if target.of_lists is of_lists), None) for several in every]
        for of_lists in (first[0].of_lists, not first[0].of_lists)
    ]
    whole = [[target for target in targets if target is not None] for targets in alike if None not in targets]
    yield from whole or [first]


def _read(
    call: Call, readings: list[list[ClaimTarget]], classes: Sequence[Class] | None, tell: Tell
) -> tuple[Memory, list[list[ClaimTarget]]]:
    """The tables, and the readings of the claims that they fit: one log fits rows and lists.

    If none fits, the error of the first reading.
    """
    errors: list[SteelyardError] = []
    for fitting in [readings, *([meant] for meant in readings)]:
        plan = Plan(
            asked=tuple(MetricRequest.of(target.metric) for meant in fitting for target in meant),
            profile=profile(EDITION),
            call={},
            classes=None if classes is None else class_names(classes),
            certainty=Certainty(ci="none"),
        )
        try:
            needed, _ = call.needed([metric.need for metric in plan.metrics])
            return opened(plan, needed, tell)[1], fitting
        except SteelyardError as error:
            errors.append(error)
    raise errors[1]


@predictions_first
def differences(
    predictions: Any,
    truth: Any = None,
    metric: str | Metric = "",
    *,
    profiles: Sequence[str] = (),
    columns: Mapping[str, Any] | None = None,
    scores: str | None = None,
    classes: Sequence[Class] | None = None,
    exclude: Any = None,
    weights: Any = None,
    catalog: Any = None,
    features: Any = None,
    history: Any = None,
    item_groups: Any = None,
    baseline_lists: Any = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Differences:
    """Explain why a metric has another value under one profile than under another.

    ``metric`` has our name or either library's own. The conventions in which the two ``profiles`` differ are
    changed one by one, in every order. The part of a convention is the mean of its steps over the orders, so
    the parts add up to the gap. Meaningless combinations are skipped and reported. What the text of the
    metric states, ``map(missing=skip)@10``, holds on both sides. The other arguments are those of
    ``sy.evaluate``; ``scores`` names one column.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    >>> truth = {"q1": {"b": 1, "c": 1, "z": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    >>> found = sy.differences(run, truth, "map", profiles=("steelyard:2026", "trec_eval"))
    >>> found.gap, found.parts["missing"]
    (0.23..., 0.23...)
    """
    call = Call.of(dict(locals()))
    return explained(metric, profiles, call, classes=classes, progress=progress)


def explained(
    metric: str | Metric,
    profiles: Sequence[str],
    call: Call,
    *,
    classes: Sequence[Class] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Differences:
    named = None if classes is None else class_names(classes)
    label, *sides = sides_of(metric, profiles, named)
    plan = both(sides[0], sides[1])
    call, unread = call.of_one_system().needed([metric.need for metric in plan.metrics])
    with reporting(progress, steps=3) as tell, kernels.watched() as missed:
        _, engine = opened(plan, call, tell)
        tell(say("measuring {label}", label=label))
        asked = [side.settled(engine.settled) for side in sides]
        values, results = list[Measured](), dict[str, Result]()
        for side in sides:
            engine.clear_caches()  # the account of a result covers its own lists only
            value = _measured(side, engine, label)
            values.append(value)
            settled = side.plan.settled(engine.settled)
            results[side.profile.name] = Result.of(
                settled, [value], engine, tuple(measured_notes([value], engine))
            )
        tell(say("trying conventions"))
        trials = Trials(engine, Facts.of(engine, [type(metric.metric) for metric in asked]))
        one, other = sides
        gap = attributed(label, (one.profile.name, other.profile.name), asked[0], asked[1], trials)
        gap = replace(
            gap,
            queries=by_query(values[0], values[1], gap.gap),
            notes=(*notes_of(gap), *plan.faults(), *unread, *sorted(missed)),
        )
        return Differences(texts=(one.text, other.text), results=results, found=gap)


def _measured(side: ProfileSide, engine: Memory, label: str) -> Measured:
    try:
        value = measured(side.settled(engine.settled), engine, side.plan.certainty)
    except SteelyardError as error:
        raise asking.under_profile(side.profile.name, error) from None
    if value.entries:
        raise asking.value_of_each_class(metric=label)
    return value
