"""Which convention gives a number that somebody printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from steelyard import kernels
from steelyard.api.evaluate import opened
from steelyard.arguments import whole_of
from steelyard.certainty import Certainty
from steelyard.engine.class_values import Class, class_names
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Call
from steelyard.metrics.base import MetricRequest
from steelyard.progress import Bar, Tell, told
from steelyard.read.sources import predictions_first
from steelyard.result.findings import Matches
from steelyard.search.claim import Claim, ClaimTarget, claims_of
from steelyard.search.facts import Facts, Trials
from steelyard.search.outcome import MOST_CHANGES, check_bounds, searched
from steelyard.search.search import Search
from steelyard.spec import EDITION, Plan, profile
from steelyard.text import say
from steelyard.text.errors import SteelyardError, comparing
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
    usual: Any = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Matches:
    """Find the conventions under which predictions have the values that somebody printed.

    ``claims`` are metrics and their values, ``{"map@10": 0.302}``, or a table with the columns metric and
    value. A metric may go by the name that some library has for it. A value counts as it is printed: 0.302 is
    anything from 0.3015 to 0.3025, and ``"0.3020"``, as text, has one digit more. Every profile that has the
    metrics is tried as it is; then with one choice of the metric or of its stages changed; then, where
    nothing fits, with two. ``changes`` says how many instead: 0, 1 or 2. Several claims must all be met by
    one profile with the same changes. ``precision``, ``recall`` and ``f1`` of one log are tried both as
    metrics of rows and as metrics of whole lists. What a claim states, ``map(missing=skip)@10``, is never
    changed. The other arguments are those of ``sy.evaluate``; ``scores`` names one column.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    >>> truth = {"q1": {"b": 1, "c": 1, "z": 1}, "q2": {"a": 1, "y": 1}}
    >>> found = sy.which(run, truth, {"map@2": "0.333"})
    >>> found.profiles[0], found.profiles[-1]
    ('trec_eval', 'steelyard:2026')
    >>> sy.evaluate(run, truth, found.texts[0])[found.texts[0]]
    0.333...
    """
    given = dict(locals())
    return matched(claims_of(claims), Call.of(given), changes=changes, classes=classes, progress=progress)


def matched(
    claims: list[Claim],
    call: Call,
    *,
    changes: int | None = None,
    classes: Sequence[Class] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
) -> Matches:
    """The same of claims as values; everything is checked before a table is opened."""
    most = None if changes is None else whole_of(changes)
    if changes is not None and most not in range(MOST_CHANGES + 1):
        raise must_be("changes", say("None, 0, 1 or 2"), changes)
    readings = list(_readings(claims))
    for meant in readings:
        check_bounds(claims, meant)
        named = list(dict.fromkeys(one.profile for one in meant if one.profile))
        if len(named) > 1:
            raise comparing.claims_of_two_profiles(one=named[0], other=named[1])
    with told(progress, steps=3) as tell, kernels.watched():
        engine, fitting = _read(call.of_one_system(), readings, classes, tell)
        tell(say("trying conventions"))
        values = Trials(engine, Facts.of(engine, [one.kind for meant in fitting for one in meant]))
        outcome = searched([Search(claims, meant, values, engine.settled) for meant in fitting], most)
        names = engine.names
        return Matches(outcome=outcome, predictions=names.predictions, truth=names.truth)


def _readings(claims: list[Claim]) -> Iterator[list[ClaimTarget]]:
    """What the claims mean together, the likeliest first: all of lists or all of rows, else as they come."""
    every = [ClaimTarget.every(claim.metric) for claim in claims]
    first = [several[0] for several in every]
    alike = [
        [next((one for one in several if one.of_lists is of_lists), None) for several in every]
        for of_lists in (first[0].of_lists, not first[0].of_lists)
    ]
    whole = [[one for one in some if one is not None] for some in alike if None not in some]
    yield from whole or [first]


def _read(
    call: Call, readings: list[list[ClaimTarget]], classes: Sequence[Class] | None, tell: Tell
) -> tuple[Memory, list[list[ClaimTarget]]]:
    """The tables, and every meaning of the claims that they fit; else what the first is refused for.

    One log fits both: precision is of its rows, and of its lists.
    """
    errors: list[SteelyardError] = []
    for fitting in [readings, *([meant] for meant in readings)]:
        plan = Plan(
            asked=tuple(MetricRequest.of(one.metric) for meant in fitting for one in meant),
            profile=profile(EDITION),
            call={},
            classes=None if classes is None else class_names(classes),
            certainty=Certainty(ci="none"),
        )
        try:
            needed, _ = call.needed([one.need for one in plan.metrics])
            needed.check()
            tell(say("reading"))
            return opened(plan, needed, tell), fitting
        except SteelyardError as error:
            errors.append(error)
    raise errors[1]
