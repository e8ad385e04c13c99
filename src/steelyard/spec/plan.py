"""The plan of a call: every name and field is settled before a table is opened."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from steelyard.arrays import Copied
from steelyard.certainty import Certainty
from steelyard.conventions import plain
from steelyard.engine import class_values
from steelyard.engine.class_values import Class
from steelyard.engine.protocol import Wanted
from steelyard.engine.slices import check_slicing
from steelyard.metrics import Metric, by_name
from steelyard.metrics.base import EDITION, MetricRequest
from steelyard.metrics.registry import is_name, kept_for_texts, names, parse, split_profile
from steelyard.metrics.tasks import missing_tables, task_metrics
from steelyard.spec.data import Profile, profile, profiles
from steelyard.spec.own_names import forms_of, offered_by, own, spelt_as_theirs, with_fields
from steelyard.text import Message, say, term
from steelyard.text.errors import MetricError, asking, measuring
from steelyard.text.errors.forms import must_be

_THRESHOLD = {"threshold", "strict"}
_LEFT_TO_DATA = {"order": "score"}  # what no edition states, with its default


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a call evaluates: each metric with its fields filled, its label and what it reads."""

    asked: tuple[MetricRequest, ...]
    profile: Profile
    call: Copied[dict[str, Any]] = Copied()  # what it states for every metric
    by: tuple[str, ...] = ()
    classes: tuple[Class, ...] | None = None
    certainty: Certainty = Certainty()  # how intervals are made
    by_data: Mapping[str, Any] = field(default_factory=dict)  # conventions that only the tables settle

    @property
    def edition(self) -> Profile:
        return profile(self.profile.edition)

    @cached_property
    def metrics(self) -> tuple[MetricRequest, ...]:
        """Each metric once, with every field filled, and under its label."""
        call = self.call
        settled = [self._settled(one, call) for one in self.asked]
        if len(settled) == 1:
            return tuple(settled)
        return tuple({(one.metric, one.profile, one.called): one for one in settled}.values())

    def settled(self, by_data: Mapping[str, Any]) -> Plan:
        """The same once the tables are known.

        Lists without scores keep the order given; without item ids, ties are averaged.
        """
        return dataclasses.replace(self, by_data=by_data)

    @cached_property
    def usual(self) -> dict[str, Any]:
        """The conventions that the metrics have where neither the call nor the tables say otherwise."""
        return {**_LEFT_TO_DATA, **self.edition.conventions}

    def _settled(self, one: MetricRequest, call: Mapping[str, Any]) -> MetricRequest:
        metric = one.metric
        known = vars(metric).keys()
        chosen = profile(one.profile) if one.profile else self.profile
        edition = chosen if chosen.is_edition else profile(chosen.edition)
        # where the data leaves one choice, the default follows it; another library's own rule stands
        fields = {**edition.fields(metric), **self.by_data}
        if edition is not chosen:
            fields |= chosen.fields(metric)
        baseline = {name: value for name, value in {**fields, **call}.items() if name in known}
        kept = {name: getattr(metric, name) for name in one.stated | ({"k"} & known)}
        unstated = {field.name: field.default for field in dataclasses.fields(metric)}
        made = metric.replace(**{**unstated, **baseline, **kept})
        label = one.label if one.profile or one.called else made.text(made.normalised(baseline))
        return dataclasses.replace(one, metric=made, stated=one.stated | (call.keys() & known), label=label)

    @cached_property
    def wanted(self) -> Wanted:
        metrics = self.metrics
        return Wanted(
            needs=tuple([one.need for one in metrics]),
            by=self.by,
            unit=self.certainty.unit,
            intervals=self.certainty.ci != "none",
            classes=self.classes,
            # what lists are ordered by where a metric states it
            orders=frozenset(
                [
                    one.need.rank.order if "order" in one.stated else "default"
                    for one in metrics
                    if one.need.rank is not None
                ]
            ),
        )

    @cached_property
    def notes(self) -> tuple[Message, ...]:
        return (*self.own_names_meant(), *self.overruled(), *self.faults())

    def check_cutoffs(self) -> None:
        """Refuse threshold metrics where tables hold a ranking: recall is not recall@k."""
        for one in self.asked:
            metric, plain = one.metric, not one.stated - {"beta"}  # a threshold says what is meant
            if f"{metric.name}@k" in by_name() and metric.at == "never" and plain:
                raise asking.ranking_needs_cutoff(name=metric.text().partition("(")[0])

    def faults(self) -> list[Message]:
        """What is known to be wrong with the metrics asked for in the libraries whose profile they have."""
        found: dict[tuple[str, str], Message] = {}
        for one in self.asked:
            chosen = profile(one.profile) if one.profile else self.profile
            for said in filter(None, map(chosen.faults.get, (one.metric.key(), "all"))):
                found[chosen.name, said] = say(
                    "{profile}: {fault}", key="known_fault", profile=chosen.name, fault=term(said)
                )
        return list(found.values())

    def own_names_meant(self) -> list[Message]:
        """The libraries' own names that say no cutoff and mean one: map of recommenders is map@10."""
        found: dict[tuple[str, str], Message] = {}
        for one in self.asked:
            k = getattr(one.metric, "k", None)
            if one.called and k is not None and str(k) not in re.findall(r"[0-9.]+", one.called):
                name = one.profile or self.profile.name
                found[name, one.called] = say(
                    "{profile}: {name} is {metric} there.",
                    key="own_name_means",
                    profile=name,
                    name=one.called,
                    metric=f"{one.metric.name}@{k}",
                )
        return list(found.values())

    def overruled(self) -> list[Message]:
        """What the call states for every metric, and the profile in a metric's own text states otherwise."""
        kept: dict[tuple[str, str], list[str]] = {}
        for one in self.asked:
            fields = profile(one.profile).fields(one.metric) if one.profile else {}
            for name in self.call.keys() & fields.keys():
                own = plain(fields[name])
                if own == plain(getattr(one.metric, name)) != plain(self.call[name]):
                    kept.setdefault((name, own), []).append(one.label)
        return [
            say(
                "{labels}: {name}={own}, as the profile in the text has it, and not {name}={value} of the "
                "call; to change it, write it in the text.",
                key="profile_keeps",
                labels=labels,
                name=name,
                own=own,
                value=plain(self.call[name]),
            )
            for (name, own), labels in sorted(kept.items())
        ]

    def sliced_by(self, columns: Sequence[str]) -> Plan:
        return dataclasses.replace(self, by=_slicing([*dict.fromkeys([*self.by, *columns])]))

    def again(self, given: str | Metric | MetricRequest) -> Plan:
        """The same call for one metric alone, with what the call states of it."""
        several = metrics(given, self.profile)
        if len(several) > 1:
            raise asking.several_metrics(text=str(given), n=len(several))
        known = vars(several[0].metric)
        call = {name: value for name, value in self.call.items() if name in known}
        return dataclasses.replace(self, asked=tuple(several), call=call)

    @property
    def of_queries(self) -> bool:
        """Whether there will be values of single queries or groups."""
        return any(one.metric.unit != "rows" for one in self.asked)

    def check_asked(self, given: str | Metric) -> None:
        """Refuse a metric that the call does not have; whether its fields fit is known with the result."""
        labels = [one.label for one in self.metrics]
        if given not in labels and metric(given).key() not in {one.metric.key() for one in self.asked}:
            raise asking.not_in_result(str(given), labels)


def ask(
    given: str | Metric | Iterable[str | Metric | MetricRequest],
    profile_name: str = EDITION,
    conventions: object = None,
    further: Mapping[str, Any] | None = None,
    *,
    by: object = (),
    classes: object = None,
    certainty: Certainty | None = None,
) -> Plan:
    """A call whose every name, profile, convention and class is checked, before any table is opened.

    >>> [(one.label, one.metric.ties) for one in ask("ndcg@5,10", conventions={"ties": "given"}).metrics]
    [('ndcg@5', 'given'), ('ndcg@10', 'given')]
    """
    chosen = profile(profile_name)
    asked = tuple(metrics(given, chosen))
    if not asked:
        raise asking.no_metrics()
    call = _stated(conventions, further or {}) if further or conventions is not None else {}
    if call:
        _check_call(call, asked)
    plan = Plan(
        asked=asked,
        profile=chosen,
        call=call,
        by=() if isinstance(by, tuple) and not by else _slicing(by),
        classes=None if classes is None else _class_names(classes, [one.metric for one in asked]),
        certainty=certainty or Certainty(),
    )
    for one in plan.metrics:
        one.metric.check()
    return plan


@kept_for_texts
def ask_in_words(
    text: str, profile_name: str, certainty: tuple[str, float, str | None, int], _folders: tuple[Path, ...]
) -> Plan:
    """The plan of a call that states nothing else: the same whenever it comes, as long as profiles are."""
    return ask(text, profile_name, certainty=Certainty.of(*certainty))


def metrics(
    given: str | Metric | MetricRequest | Iterable[str | Metric | MetricRequest],
    within: Profile | None = None,
) -> list[MetricRequest]:
    """Metrics from text or objects, with what was stated of each; ``ndcg@5,10`` gives two.

    ``within`` is the profile of the call, whose library's own names are taken too.

    >>> [one.label for one in metrics(["ndcg@5,10", "mrr"])]
    ['ndcg@5', 'ndcg@10', 'mrr']
    >>> [(one.label, str(one.metric)) for one in metrics("P_5", profile("trec_eval"))]
    [('P_5', 'precision@5')]
    """
    if within is not None and within.is_edition:
        within = None  # it has no names of its own
    try:
        several: list[Any] = [given] if isinstance(given, str | Metric | MetricRequest) else list(given)
    except TypeError:
        raise asking.not_a_metric(given) from None
    return [one for part in several for one in _each(part, within)]


def metric(text: str | Metric) -> Metric:
    """The one metric that a text names.

    >>> metric("ndcg(gain=exp2)@10")
    NDCG(k=10, gain='exp2')
    >>> metric("trec_eval:map").missing
    'skip'
    """
    found = _each(text)
    if len(found) > 1:
        raise asking.several_metrics(text=str(text), n=len(found))
    return found[0].metric


def _check_call(call: Mapping[str, Any], asked: Sequence[MetricRequest]) -> None:
    """Refuse conventions that no metric has, and those that the name of a metric means otherwise."""
    known = set().union(*(vars(one.metric) for one in asked)) - {"k"}
    for name, value in call.items():
        if name not in known:
            raise asking.no_metric_has(name, [str(one.metric) for one in asked], sorted(known))
        for one in asked:
            if name in one.fixed and one.metric.normalised({name: value})[name] != getattr(one.metric, name):
                raise asking.field_is_fixed(
                    owner=one.label, field=name, value=plain(one.fixed[name]), general=one.metric.name
                )


def mapping_of(conventions: object) -> dict[str, Any]:
    if conventions is not None and not isinstance(conventions, Mapping):
        raise must_be("conventions", say("a mapping such as {'ties': 'expected'}"), conventions)
    return {} if conventions is None else dict(conventions)


def _stated(conventions: object, further: Mapping[str, Any]) -> dict[str, Any]:
    held = mapping_of(conventions)
    for name, value in further.items():
        if name in held and plain(held[name]) != plain(value):
            one, other = plain(held[name]), plain(value)
            raise asking.stated_twice(name=name, where=say("in the call"), one=one, other=other)
    return {**held, **further}


def _slicing(by: object) -> tuple[str, ...]:
    several = [by] if isinstance(by, str) else by
    if not isinstance(several, Sequence) or not all(isinstance(one, str) for one in several):
        raise must_be("by", say("text or a list of texts"), by)
    check_slicing(several)
    return tuple(several)


def _class_names(named: Any, asked: Sequence[Metric]) -> tuple[Class, ...]:
    """The classes that the caller named: texts or whole numbers, for a metric that reads them."""
    if not any(one.reads in ("scores", "classes") for one in asked):
        raise measuring.no_metric_of_classes(metrics=[str(one) for one in asked])
    names = class_values.class_names(named)
    if not names:
        raise measuring.bad_classes(named)
    return names


def _each(one: str | Metric | MetricRequest, within: Profile | None = None) -> Sequence[MetricRequest]:
    if isinstance(one, MetricRequest):
        return [one]
    if isinstance(one, Metric):
        return [MetricRequest.of(one)]
    if not isinstance(one, str):
        raise asking.not_a_metric(one)
    alone = one.strip().rstrip(":").rstrip()
    if alone.casefold() in profiles():
        raise asking.only_a_profile(profile=alone)
    name, rest = split_profile(one)
    if name is not None:
        chosen = profile(name)
        return [_with_profile(asked, chosen) for asked in own(chosen, rest) or _parsed(rest, chosen)]
    return (own(within, rest) if within else []) or _parsed(rest, within, in_front=False)


def _parsed(text: str, chosen: Profile | None, *, in_front: bool = True) -> Sequence[MetricRequest]:
    """The metrics that a text names by our names; what else it may have meant is told.

    It may be a name of the chosen profile's library, written in a way that the profile does not know; or a
    name of another library. What is called as a metric of ours is taken for it: ``ndcg(k=5)`` is no name of
    a library.
    """
    if chosen and spelt_as_theirs(chosen, text):
        _check_form(chosen, text)
    try:
        return parse(text)
    except MetricError:
        if chosen and not chosen.is_edition:
            _check_form(chosen, text)
        ours = text.partition("(")[0] in names()
        for name, meant in () if ours or in_front else offered_by(text).items():
            raise asking.name_of_a_library(text=text, profile=name, meant=meant) from None
        slip = get_close_matches(text.partition("(")[0].partition("@")[0], names(), n=1, cutoff=0.7)
        if chosen and not chosen.is_edition and not is_name(text) and not slip:
            raise chosen.lacks(text.strip()) from None
        raise


def _check_form(chosen: Profile, text: str) -> None:
    """Refuse a name of the profile's library that is written as the profile does not know it."""
    second, rest = split_profile(text)
    if second is not None and second.casefold() in profiles():
        raise asking.two_profiles(text=rest, one=chosen.name, other=second.casefold()) from None
    found = with_fields(chosen, text)
    if found is not None:
        name, ours = found
        raise asking.name_takes_no_fields(name=name, profile=chosen.name, ours=ours) from None
    forms = forms_of(chosen, text)
    as_ours = is_name(text) and ("(" in text or len(forms) == 1) and not spelt_as_theirs(chosen, text)
    if forms and not as_ours:
        raise asking.written_otherwise(text=text.strip(), profile=chosen.name, forms=forms) from None


def _with_profile(asked: MetricRequest, chosen: Profile) -> MetricRequest:
    fields = chosen.fields(asked.metric)
    if chosen.is_edition:
        fields.pop("ties", None)  # the default leaves them to the data where there are no item ids
    fields |= {name: getattr(asked.metric, name) for name in asked.stated}
    made = type(asked.metric)(**fields)
    usual = {**profile(chosen.edition).fields(asked.metric), **chosen.fields(asked.metric)}
    label = f"{chosen.name}:{asked.called or made.text(made.normalised(usual))}"
    # a threshold that the library has is none that the caller stated, which would want scores
    stated = frozenset(fields) - (_THRESHOLD - asked.stated)
    return dataclasses.replace(asked, metric=made, stated=stated, label=label, profile=chosen.name)


def with_task(
    given: str | Metric | Iterable[str | Metric | MetricRequest],
    task: str,
    profile_name: str,
    tables: Mapping[str, Any],
) -> tuple[list[MetricRequest], Message | None]:
    """The given metrics and those of the task; and a note on metrics without their tables, which are skipped.

    Only recommendation skips any: the truth of other tasks may be in the predictions.

    >>> asked, note = with_task("mrr", "recommendation", "steelyard:2026", {"truth": {}, "catalog": []})
    >>> [one.label for one in asked]
    ['mrr', 'ndcg@10', 'recall@10', 'coverage@10']
    >>> print(note)
    task 'recommendation' skips diversity@10 (needs features); novelty@10 (needs history).
    """
    labels, chosen, note = task_metrics(task), profile(profile_name), None
    if task == "recommendation":
        lacking = missing_tables([metric(label) for label in labels], tables)
        skipped = {label for several in lacking.values() for label in several}
        labels = [label for label in labels if label not in skipped]
        if not labels:
            raise asking.task_without_tables(task=task, tables=list(lacking))
        parts = [
            say("{labels} ({labels:needs|need} {table})", labels=several, table=table)
            for table, several in lacking.items()
        ]
        if parts:
            note = say("task '{task}' skips {parts:;}.", key="left_out_of_task", task=task, parts=parts)
    missing = [label for label in labels if not chosen.has(metric(label))]
    if missing:
        others = [label for label in labels if label not in missing]
        raise asking.task_not_in_profile(task, profile_name, missing, others)
    return [*metrics(given, chosen), *metrics(labels, chosen)], note
