"""Why two libraries print two numbers for one metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard import kernels
from steelyard.api.evaluate import opened
from steelyard.engine.class_values import Class, class_names
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Call
from steelyard.metrics import Metric
from steelyard.progress import Bar, told
from steelyard.read.sources import predictions_first
from steelyard.result.findings import Differences
from steelyard.result.result import Result
from steelyard.search.facts import Facts, Trials
from steelyard.search.profiles import ProfileSide, attributed, both, by_query, notes_of, sides_of
from steelyard.stats.measured import Measured
from steelyard.stats.run import measured
from steelyard.stats.run import notes_of as measured_notes
from steelyard.text import say
from steelyard.text.errors import SteelyardError, comparing


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
    usual: Any = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Differences:
    """Explain why a metric has another value under one profile than under another.

    ``metric`` goes by our name or by either library's own. The conventions in which the two ``profiles``
    differ for this metric are changed from the first to the second, one by one, in every order; the part of
    a convention is the mean of its steps over the orders, so that the parts add up to the gap between the
    numbers. Combinations that mean nothing are skipped, and that is said. What the text of the metric states,
    ``map(missing=skip)@10``, holds on both sides. The other arguments are those of
    ``sy.evaluate``; ``scores`` names one column.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    >>> truth = {"q1": {"b": 1, "c": 1, "z": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    >>> found = sy.differences(run, truth, "map", profiles=("steelyard:2026", "trec_eval"))
    >>> found.gap, found.parts["missing"]
    (0.23..., 0.23...)
    """
    given = dict(locals())
    return explained(metric, profiles, Call.of(given), classes=classes, progress=progress)


def explained(
    metric: str | Metric,
    profiles: Sequence[str],
    call: Call,
    *,
    classes: Sequence[Class] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Differences:
    """The same of a call; everything is checked before a table is opened, and tables are read once."""
    named = None if classes is None else class_names(classes)
    label, *sides = sides_of(metric, profiles, named)
    plan = both(sides[0], sides[1])
    call, unread = call.of_one_system().needed([one.need for one in plan.metrics])
    with told(progress, steps=3) as tell, kernels.watched() as missed:
        call.check()
        tell(say("reading"))
        engine = opened(plan, call, tell)
        tell(say("measuring {label}", label=label))
        asked = [side.settled(engine.settled) for side in sides]
        found_of, results = list[Measured](), dict[str, Result]()
        for side in sides:
            engine.clear_caches()  # the account of a result covers its own lists only
            found_of.append(_measured(side, engine, label))
            settled = side.plan.settled(engine.settled)
            results[side.profile.name] = Result.of(
                settled, found_of[-1:], engine, tuple(measured_notes(found_of[-1:], engine))
            )
        tell(say("trying conventions"))
        values = Trials(engine, Facts.of(engine, [type(one.metric) for one in asked]))
        one, other = sides
        found = attributed(label, (one.profile.name, other.profile.name), asked[0], asked[1], values)
        found = replace(
            found,
            queries=by_query(found_of[0], found_of[1], found.gap),
            notes=(*notes_of(found), *plan.faults(), *unread, *sorted(missed)),
        )
        return Differences(texts=(one.text, other.text), results=results, found=found)


def _measured(side: ProfileSide, engine: Memory, label: str) -> Measured:
    try:
        one = measured(side.settled(engine.settled), engine, side.plan.certainty)
    except SteelyardError as error:
        raise comparing.under_profile(side.profile.name, error) from None
    if one.entries:
        raise comparing.value_of_each_class(metric=label)
    return one
