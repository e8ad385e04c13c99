"""One metric under two profiles: in which conventions they differ, and what each contributes to the gap."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard import spec
from steelyard.arrays import Floats
from steelyard.conventions import Certainty, plain
from steelyard.engine.columns import Class
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.render.differences import NOTHING, Attribution, Convention
from steelyard.search.claim import ClaimTarget, starts
from steelyard.search.facts import Trials
from steelyard.search.search import unproven
from steelyard.spec import EDITION, Plan, Profile
from steelyard.spec.libraries import own
from steelyard.stats.measured import Measured
from steelyard.text import Message, say, term
from steelyard.text.errors import SteelyardError, asking

MOST_EXACT = 12  # conventions that act, of which every combination is measured; of more, orders are drawn
SAMPLED, SEED = 100, 0
_TOGETHER = ("k", "depth")  # how far a list is read: one may stand for the other

Change = Mapping[str, Any]  # the fields that become another's


@dataclass(frozen=True, kw_only=True)
class ProfileSide:
    """A metric as one profile has it: the text that asks for it there, and its plan."""

    profile: Profile
    text: str  # with the profile before it
    plan: Plan

    def settled(self, by_data: Mapping[str, Any]) -> MetricRequest:
        (asked,) = self.plan.settled(by_data).metrics
        return asked


def sides_of(
    metric: object, profiles: object, classes: tuple[Class, ...] | None = None
) -> tuple[str, ProfileSide, ProfileSide]:
    """A metric's label, and the metric under each of two profiles; refused if one lacks it.

    >>> label, one, other = sides_of("ndcg_cut_10", ("trec_eval", "ir_measures"))
    >>> label, one.text, other.text
    ('ndcg@10', 'trec_eval:ndcg_cut_10', 'ir_measures:ndcg@10')
    """
    if isinstance(profiles, str) or not isinstance(profiles, Sequence):
        raise asking.not_two_names(profiles)
    if len(profiles) != 2:
        raise asking.not_two(n=len(profiles))
    one, other = (spec.profile(name) for name in profiles)
    if one.name == other.name:
        raise asking.same_twice(name=one.name)
    if not isinstance(metric, str | Metric):
        raise asking.not_a_metric(metric)
    text = str(metric).strip()
    if not text:
        raise asking.no_metrics()
    for library in (one, other):  # their own names come first
        named = own(library, text)
        if len(named) > 1:
            raise asking.several_metrics(text=text, n=len(named))
        if named:
            text = f"{library.name}:{text}"
            break
    target = dataclasses.replace(ClaimTarget.by(text), profile="")
    return str(target.metric), _side(target, one, classes), _side(target, other, classes)


def _side(target: ClaimTarget, chosen: Profile, classes: tuple[Class, ...] | None) -> ProfileSide:
    ways = (way for way in starts(target, chosen, {}) if isinstance(way.asked.metric, target.kind))
    start = next(ways, None)
    if start is None:
        spec.metrics(f"{chosen.name}:{target.metric}")  # says what it lacks or refuses
        raise chosen.lacks(target.metric)
    own_text = start.text.removeprefix(f"{start.profile.name}:")
    plan = spec.ask(own_text, chosen.name, classes=classes, certainty=Certainty(ci="none"))
    label = str(target.metric)
    asked = tuple(dataclasses.replace(request, label=label, called=label) for request in plan.asked)
    return ProfileSide(profile=chosen, text=start.text, plan=dataclasses.replace(plan, asked=asked))


def both(one: ProfileSide, other: ProfileSide) -> Plan:
    """The plan that reads what both sides need."""
    asked = [
        dataclasses.replace(side.plan.asked[0], profile=side.profile.name, label=side.text)
        for side in (one, other)
    ]
    return dataclasses.replace(one.plan, asked=tuple(asked), profile=spec.profile(EDITION))


def attributed(
    label: str, names: tuple[str, str], one: MetricRequest, other: MetricRequest, values: Trials
) -> Attribution:
    """What each convention contributes to the gap between two metrics of the same kind.

    Conventions that nothing in the data depends on contribute nothing. Every combination of the others is
    measured once. A combination that a metric or the data refuses, or that is undefined, has no value.
    """
    changes = _changes(one.metric, other.metric)
    conventions = []
    for change in changes:
        fields = tuple(change)
        mine, theirs = (
            ", ".join(plain(side.metric.values()[name]) for name in fields) for side in (one, other)
        )
        meanings = _meaning(one.metric, fields), _meaning(other.metric, fields)
        conventions.append(Convention(fields=fields, values=(mine, theirs), meanings=meanings))
    values.measure([one, other])
    attribution = Attribution(
        metric=label, names=names, values=(values.of(one), values.of(other)), conventions=tuple(conventions)
    )
    if math.isnan(attribution.gap):
        return attribution
    acting = _acting(one, other, changes, values)
    n = len(acting)
    sampled = n > MOST_EXACT
    orders = drawn_orders(n, SAMPLED, SEED) if sampled else []
    combinations = dict.fromkeys(along(orders) if sampled else range(1 << n))
    value, whys = _combined(one, other, [changes[at] for at in acting], combinations, values)
    gap = parts_of(n, value.get, orders or None)
    parts = dict(zip(acting, [math.nan] * n if gap is None else gap.parts.tolist(), strict=True))
    parted = [
        dataclasses.replace(convention, part=parts.get(at, 0.0)) for at, convention in enumerate(conventions)
    ]
    return dataclasses.replace(
        attribution,
        conventions=tuple(sorted(parted, key=lambda convention: -abs(convention.part))),
        orders=0 if gap is None else gap.orders,
        skipped=0 if gap is None else gap.skipped,
        drawn=sampled,
        combinations=len(value),
        refused=len(whys),
        why=whys[0] if whys else None,
    )


def _combined(
    one: MetricRequest,
    other: MetricRequest,
    changes: Sequence[Change],
    combinations: Iterable[int],
    values: Trials,
) -> tuple[dict[int, float | None], list[Message]]:
    """The value of each combination or None, and the reasons of those that have none.

    Bit n of a combination says that change n is made.
    """
    ends = {0: one, (1 << len(changes)) - 1: other}
    requests: dict[int, MetricRequest] = {}
    whys: list[Message] = []
    of_combination: dict[int, float | None] = dict.fromkeys(combinations)
    for bits in of_combination:
        some = [change for at, change in enumerate(changes) if bits >> at & 1]
        try:
            requests[bits] = ends[bits] if bits in ends else _with(one, other, some)
        except SteelyardError as error:
            whys.append(error.sentence)
    values.measure(requests.values())
    for bits, request in requests.items():
        if not math.isnan(value := values.of(request)):
            of_combination[bits] = value
            continue
        refused = values.why_refused(request)
        whys.append(say("an undefined value") if refused is None else refused.sentence)
    return of_combination, whys


def _with(one: MetricRequest, other: MetricRequest, changes: Iterable[Change]) -> MetricRequest:
    metric = one.metric.replace(**{name: value for change in changes for name, value in change.items()})
    metric.check()
    return dataclasses.replace(one, metric=metric, stated=one.stated | other.stated)


def _changes(one: Metric, other: Metric) -> list[Change]:
    mine, theirs = one.values(), other.values()
    apart = {name: theirs[name] for name in mine if mine[name] != theirs[name]}
    groups = [[name] for name in apart]
    if all(name in apart for name in _TOGETHER):
        groups = [list(_TOGETHER), *([name] for name in apart if name not in _TOGETHER)]
    return [{name: apart[name] for name in group} for group in groups]


def _acting(one: MetricRequest, other: MetricRequest, changes: Sequence[Change], values: Trials) -> list[int]:
    """The changes that anything depends on; all changes if these do not explain the whole gap."""
    every = list(range(len(changes)))
    acting = [at for at in every if _acts(one, other, changes[at], values)]
    try:
        there = _with(one, other, [changes[at] for at in acting])
    except SteelyardError:
        return every
    values.measure([there])
    return acting if abs(values.of(there) - values.of(other)) <= NOTHING else every


def _acts(one: MetricRequest, other: MetricRequest, change: Change, values: Trials) -> bool:
    if set(change) == {"floor"}:
        return "geometric" in (one.metric.values()["mean"], other.metric.values()["mean"])
    try:
        before, after = _with(one, other, []), _with(one, other, [change])
    except SteelyardError:
        return True
    known = values.facts
    return known.settled(before, for_good=True) != known.settled(after, for_good=True)


def _meaning(metric: Metric, fields: Sequence[str]) -> Message:
    parts: list[Message] = []
    metadata = {field.name: field.metadata for field in dataclasses.fields(metric)}
    for name in fields:
        value, words = plain(getattr(metric, name)), metadata[name].get("words", {})
        meaning = metric.meaning(name) or words.get(value) or (words.get("all") if value == "none" else None)
        parts.append(term(meaning) if meaning else say("{name} {value}", name=name, value=value))
    return parts[0] if len(parts) == 1 else say("{parts:;}", parts=parts)


def by_query(one: Measured, other: Measured, gap: float) -> pl.DataFrame | None:
    """What each query contributes to the gap, the greatest parts first; None for values that are no means.

    Its columns: query, one, other (null where the query is skipped) and part. A query of both sides
    contributes its difference, divided by the number of shared queries. A query of one side contributes how
    far it moves the mean of the shared queries.
    """
    if any(side.units is None or side.each is None or side.metric.unit != "queries" for side in (one, other)):
        return None
    mine, theirs = (
        pl.DataFrame({"query": side.units, name: side.each}).filter(pl.col(name).is_not_nan())
        for side, name in ((one, "one"), (other, "other"))
    )
    how: dict[str, Any] = {"how": "full", "coalesce": True, "nulls_equal": True}
    every = mine.join(theirs, on="query", maintain_order="left_right", **how)
    shared = every.drop_nulls(["one", "other"])
    if not shared.height:
        return None
    means = {name: pl.lit(shared[name].mean()) for name in ("one", "other")}
    part = (
        pl.when(pl.col("other").is_null())
        .then((means["one"] - pl.col("one")) / mine.height)
        .when(pl.col("one").is_null())
        .then((pl.col("other") - means["other"]) / theirs.height)
        .otherwise((pl.col("other") - pl.col("one")) / shared.height)
    )
    parted = every.with_columns(part.alias("part"))
    if not math.isclose(float(parted["part"].sum()), gap, rel_tol=1e-9, abs_tol=1e-9):
        return None  # weighted, pooled, or another mean
    return parted.sort(pl.col("part").abs(), descending=True, maintain_order=True)


def notes_of(found: Attribution) -> list[Message]:
    return [*_parting(found), *unproven(map(spec.profile, found.names))]


def _parting(found: Attribution) -> Iterator[Message]:
    undefined = [name for name, value in zip(found.names, found.values, strict=True) if math.isnan(value)]
    if undefined:
        yield say(
            "{metric} is undefined under {profiles:and}: there is no gap to explain.",
            key="gap_undefined",
            metric=found.metric,
            profiles=undefined,
        )
    elif found.refused and not found.orders:
        yield say(
            "the gap cannot be parted: every order in which the conventions could be changed leads "
            "through a combination that means nothing ({why}).",
            key="gap_not_parted",
            why=found.why,
        )
    elif found.refused:
        yield say(
            "{n:,} of {of:,} combinations of conventions {n:means|mean} nothing ({why}); orders that "
            "lead through one are skipped: {skipped:,} of {every:,}.",
            key="combinations_skipped",
            n=found.refused,
            of=found.combinations,
            why=found.why,
            skipped=found.skipped,
            every=found.skipped + found.orders,
        )
    if found.drawn:
        yield say(
            "more than {most} conventions act on this data: the parts are means over {n:,} orders that "
            "were drawn, and would differ a little with others.",
            key="orders_drawn",
            most=MOST_EXACT,
            n=found.orders,
        )


@dataclass(frozen=True)
class GapParts:
    """The part of each change, how many orders they are means over, and how many lead through nothing."""

    parts: Floats
    orders: int
    skipped: int


def parts_of(
    n: int, value: Callable[[int], float | None], orders: Sequence[Sequence[int]] | None = None
) -> GapParts | None:
    """The part of each of ``n`` changes in the gap between none and all of them (Shapley values).

    ``value`` gives the value of a combination of changes, as the bits of a number, or None if it has none.
    The part of a change is the mean of its steps over all orders, or over some ``orders``. Orders that lead
    through a combination without a value are skipped; the result is None if no order is left.

    >>> made = parts_of(2, {0: 0.0, 1: 0.5, 2: 0.25, 3: 1.0}.get)
    >>> made.parts.tolist(), made.orders, made.skipped
    ([0.625, 0.375], 2, 0)
    """
    if orders is not None:
        return _parts_along(n, value, orders)
    whole = (1 << n) - 1
    values = [value(made) for made in range(whole + 1)]
    # how many orders lead from none to each combination, and from each to all
    there, onward = [0] * (whole + 1), [0] * (whole + 1)
    there[0], onward[whole] = int(values[0] is not None), int(values[whole] is not None)
    for made in range(whole + 1):
        for one in _among(made, n):
            if values[made] is not None:
                there[made] += there[made ^ one]
    for made in range(whole, -1, -1):
        for one in _among(whole ^ made, n):
            if values[made] is not None:
                onward[made] += onward[made | one]
    led = there[whole]
    if not led:
        return None
    parts = np.zeros(n)
    for made in range(whole + 1):
        before = values[made]
        for one in _among(whole ^ made, n):
            after = values[made | one]
            if before is not None and after is not None:
                ways = there[made] * onward[made | one]
                parts[one.bit_length() - 1] += ways / led * (after - before)
    return GapParts(parts, led, math.factorial(n) - led)


def _among(bits: int, n: int) -> list[int]:
    return [1 << at for at in range(n) if bits >> at & 1]


def drawn_orders(n: int, count: int, seed: int) -> list[list[int]]:
    """Orders of ``n`` changes, drawn with a seed; half of them are the others reversed.

    >>> [sorted(order) for order in drawn_orders(3, 4, seed=0)]
    [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
    """
    draw = np.random.default_rng(seed)
    half = [draw.permutation(n).tolist() for _ in range(count // 2)]
    return [*half, *(order[::-1] for order in half)]


def along(orders: Sequence[Sequence[int]]) -> Iterator[int]:
    """Every combination in these orders, as the bits of a number.

    >>> list(along([[1, 0]]))
    [0, 2, 3]
    """
    for order in orders:
        made = 0
        yield made
        for one in order:
            made |= 1 << one
            yield made


def _parts_along(
    n: int, value: Callable[[int], float | None], orders: Sequence[Sequence[int]]
) -> GapParts | None:
    steps = np.zeros(n)
    led = 0
    for order in orders:
        values = [value(made) for made in along([order])]
        known = [one for one in values if one is not None]
        if len(known) < len(values):
            continue
        led += 1
        steps[list(order)] += np.diff(known)
    return GapParts(steps / led, led, len(orders) - led) if led else None
