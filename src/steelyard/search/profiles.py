"""One metric under two profiles: in which conventions they differ, and what each carries of the gap."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard import spec
from steelyard.certainty import Certainty
from steelyard.conventions import plain
from steelyard.engine.class_values import Class
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.render.differences import NOTHING, Attribution, Convention
from steelyard.search.attribution import along, drawn_orders, parts_of
from steelyard.search.facts import Trials
from steelyard.search.outcome import unproven
from steelyard.search.starts import Meant, starts
from steelyard.spec import EDITION, Plan, Profile
from steelyard.spec.own_names import own
from steelyard.stats.measured import Measured
from steelyard.text import Message, say, term
from steelyard.text.errors import SteelyardError, asking, comparing

MOST_EXACT = 12  # conventions that act, of which every combination is measured; of more, orders are drawn
DRAWN, SEED = 100, 0
_TOGETHER = ("k", "depth")  # how far a list is read: one may stand for the other

Change = Mapping[str, Any]  # the fields that become another's


@dataclass(frozen=True, kw_only=True)
class ProfileSide:
    """A metric as one profile has it: the text that asks for it there, and its plan."""

    profile: Profile
    text: str  # with the profile before it
    plan: Plan

    def settled(self, by_data: Mapping[str, Any]) -> MetricRequest:
        (one,) = self.plan.settled(by_data).metrics
        return one


def sides_of(
    metric: object, profiles: object, classes: tuple[Class, ...] | None = None
) -> tuple[str, ProfileSide, ProfileSide]:
    """What a metric is called here, and the metric under each of two profiles; refused if one lacks it.

    >>> label, one, other = sides_of("ndcg_cut_10", ("trec_eval", "ir_measures"))
    >>> label, one.text, other.text
    ('ndcg@10', 'trec_eval:ndcg_cut_10', 'ir_measures:ndcg@10')
    """
    one, other = _two(profiles)
    if not isinstance(metric, str | Metric):
        raise asking.not_a_metric(metric)
    text = str(metric).strip()
    if not text:
        raise asking.no_metrics()
    meant = _meant(text, (one, other))
    return str(meant.metric), _side(meant, one, classes), _side(meant, other, classes)


def _two(profiles: object) -> tuple[Profile, Profile]:
    if isinstance(profiles, str) or not isinstance(profiles, Sequence):
        raise comparing.not_two_names(profiles)
    if len(profiles) != 2:
        raise comparing.not_two(n=len(profiles))
    one, other = (spec.profile(name) for name in profiles)
    if one.name == other.name:
        raise comparing.same_twice(name=one.name)
    return one, other


def _meant(text: str, profiles: Iterable[Profile]) -> Meant:
    """The metric that a text means: one of these libraries' own name first, as under its profile."""
    for one in profiles:
        found = own(one, text)
        if len(found) > 1:
            raise asking.several_metrics(text=text, n=len(found))
        if found:
            text = f"{one.name}:{text}"
            break
    return dataclasses.replace(Meant.by(text), profile="")


def _side(meant: Meant, chosen: Profile, classes: tuple[Class, ...] | None) -> ProfileSide:
    start = next((one for one in starts(meant, chosen, {}) if isinstance(one.asked.metric, meant.kind)), None)
    if start is None:
        spec.metrics(f"{chosen.name}:{meant.metric}")  # says what it lacks or refuses
        raise chosen.lacks(meant.metric)
    own_text = start.text.removeprefix(f"{start.profile.name}:")
    plan = spec.ask(own_text, chosen.name, classes=classes, certainty=Certainty(ci="none"))
    label = str(meant.metric)
    asked = tuple(dataclasses.replace(one, label=label, called=label) for one in plan.asked)
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
    """What each convention carries of the way from one metric to another of the same kind.

    Conventions that nothing in the data depends on carry nothing. Of the others every combination is
    measured, each once; one that a metric or the data refuses, or that is undefined, means nothing.
    """
    changes = _changes(one.metric, other.metric)
    told = [_told(one.metric, other.metric, change) for change in changes]
    values.measure([one, other])
    known = Attribution(
        metric=label, names=names, values=(values.of(one), values.of(other)), conventions=tuple(told)
    )
    if math.isnan(known.gap):
        return known
    acting = _acting(one, other, changes, values)
    n = len(acting)
    drawn = n > MOST_EXACT
    orders = drawn_orders(n, DRAWN, SEED) if drawn else []
    combinations = dict.fromkeys(along(orders) if drawn else range(1 << n))
    value, whys = _combined(one, other, [changes[at] for at in acting], combinations, values)
    found = parts_of(n, value.get, orders or None)
    parts = dict(zip(acting, [math.nan] * n if found is None else found.parts.tolist(), strict=True))
    carried = [dataclasses.replace(one, part=parts.get(at, 0.0)) for at, one in enumerate(told)]
    return dataclasses.replace(
        known,
        conventions=tuple(sorted(carried, key=lambda one: -abs(one.part))),  # what carries nothing last
        orders=0 if found is None else found.orders,
        skipped=0 if found is None else found.skipped,
        drawn=drawn,
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
    """The value of each combination, None where it means nothing, and why it does not.

    Bit n of a number says that change n is made.
    """
    ends = {0: one, (1 << len(changes)) - 1: other}
    asked: dict[int, MetricRequest] = {}
    whys: list[Message] = []
    found: dict[int, float | None] = dict.fromkeys(combinations)
    for made in found:
        some = [change for at, change in enumerate(changes) if made >> at & 1]
        try:
            asked[made] = ends[made] if made in ends else _with(one, other, some)
        except SteelyardError as error:
            whys.append(error.said)
    values.measure(asked.values())
    for made, each in asked.items():
        if not math.isnan(value := values.of(each)):
            found[made] = value
            continue
        refused = values.why_refused(each)
        whys.append(say("an undefined value") if refused is None else refused.said)
    return found, whys


def _with(one: MetricRequest, other: MetricRequest, changes: Iterable[Change]) -> MetricRequest:
    metric = one.metric.replace(**{name: value for change in changes for name, value in change.items()})
    metric.check()
    return dataclasses.replace(one, metric=metric, stated=one.stated | other.stated)


def _changes(one: Metric, other: Metric) -> list[Change]:
    mine, its = one.values(), other.values()
    apart = {name: its[name] for name in mine if mine[name] != its[name]}
    groups = [[name] for name in apart]
    if all(name in apart for name in _TOGETHER):
        groups = [list(_TOGETHER), *([name] for name in apart if name not in _TOGETHER)]
    return [{name: apart[name] for name in group} for group in groups]


def _acting(one: MetricRequest, other: MetricRequest, changes: Sequence[Change], values: Trials) -> list[int]:
    """The changes that anything depends on; all of them, should these not make up the whole way."""
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


def _told(one: Metric, other: Metric, change: Change) -> Convention:
    fields = tuple(change)
    mine, its = (", ".join(plain(side.values()[name]) for name in fields) for side in (one, other))
    meanings = _meaning(one, fields), _meaning(other, fields)
    return Convention(fields=fields, values=(mine, its), meanings=meanings)


def _meaning(metric: Metric, fields: Sequence[str]) -> Message:
    said = [_in_words(metric, name) for name in fields]
    return said[0] if len(said) == 1 else say("{parts:;}", parts=said)


def _in_words(metric: Metric, name: str) -> Message:
    said = metric.meaning(name)
    field = next(field for field in dataclasses.fields(metric) if field.name == name)
    value = plain(getattr(metric, name))
    words: Mapping[str, str] = field.metadata.get("words", {})
    said = said or words.get(value) or (words.get("all") if value == "none" else None)
    return term(said) if said else say("{name} {value}", name=name, value=value)


def by_query(one: Measured, other: Measured, gap: float) -> pl.DataFrame | None:
    """What each query carries of the gap, the greatest parts first; None where values are no plain means.

    Its columns: query, one, other (null where the query is left out) and part. A query of both sides carries
    its difference over as many as both have; one of a single side, how far it moves the mean of these.
    """
    if any(side.units is None or side.each is None or side.metric.unit != "queries" for side in (one, other)):
        return None
    mine, its = (
        pl.DataFrame({"query": side.units, name: side.each}).filter(pl.col(name).is_not_nan())
        for side, name in ((one, "one"), (other, "other"))
    )
    how: dict[str, Any] = {"how": "full", "coalesce": True, "nulls_equal": True}
    every = mine.join(its, on="query", maintain_order="left_right", **how)
    shared = every.drop_nulls(["one", "other"])
    if not shared.height:
        return None
    means = {name: pl.lit(shared[name].mean()) for name in ("one", "other")}
    part = (
        pl.when(pl.col("other").is_null())
        .then((means["one"] - pl.col("one")) / mine.height)
        .when(pl.col("one").is_null())
        .then((pl.col("other") - means["other"]) / its.height)
        .otherwise((pl.col("other") - pl.col("one")) / shared.height)
    )
    parted = every.with_columns(part.alias("part"))
    if not math.isclose(float(parted["part"].sum()), gap, rel_tol=1e-9, abs_tol=1e-9):
        return None  # weighted, pooled, or another mean
    return parted.sort(pl.col("part").abs(), descending=True, maintain_order=True)


def notes_of(found: Attribution) -> list[Message]:
    """What a reader must know of the two numbers, and of how the gap between them was parted."""
    return [*_parting(found), *unproven(map(spec.profile, found.names))]


def _parting(found: Attribution) -> Iterator[Message]:
    undefined = [name for name, value in zip(found.names, found.values, strict=True) if math.isnan(value)]
    if undefined:
        yield say(
            "{metric} is undefined under {profiles:and}: there is no gap to be explained.",
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
