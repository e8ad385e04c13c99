"""The plan of a call: every name and field is checked before a table is opened."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from steelyard.arrays import Copied
from steelyard.conventions import Certainty, plain
from steelyard.engine.columns import Class, class_names
from steelyard.engine.protocol import Wanted
from steelyard.engine.slices import check_slicing
from steelyard.metrics import Metric, by_name, registry
from steelyard.metrics.base import EDITION, MetricRequest
from steelyard.spec.libraries import (
    Profile,
    forms_of,
    offered_by,
    own,
    profile,
    profiles,
    spelt_as_theirs,
    with_fields,
)
from steelyard.text import Message, say, sentences, term
from steelyard.text.errors import MetricError, asking, measuring
from steelyard.text.errors.forms import must_be

_THRESHOLD = {"threshold", "strict"}
_note = sentences(
    known_fault="{profile}: {fault}",
    own_name_means="{profile}: {name} is {metric} there.",
    profile_keeps="{labels}: {name}={own}, as the profile in the text has it, and not {name}={value} of the "
    "call; to change it, write it in the text.",
)
_LEFT_TO_DATA = {"order": "score"}  # which no edition states, with its default


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a call evaluates: its metrics, with every field filled once the tables are known."""

    asked: tuple[MetricRequest, ...]
    profile: Profile
    call: Copied[dict[str, Any]] = Copied()  # what it states for every metric
    by: tuple[str, ...] = ()
    classes: tuple[Class, ...] | None = None
    certainty: Certainty = Certainty()  # how intervals are made
    by_data: tuple[tuple[str, Any], ...] = ()  # conventions that only the tables settle

    @property
    def edition(self) -> Profile:
        return profile(self.profile.edition)

    @cached_property
    def metrics(self) -> tuple[MetricRequest, ...]:
        """Each metric once, with every field filled."""
        call = self.call
        settled = [self._settled(asked, call) for asked in self.asked]
        if len(settled) == 1:
            return tuple(settled)
        return tuple({(asked.metric, asked.profile, asked.called): asked for asked in settled}.values())

    def settled(self, by_data: Mapping[str, Any]) -> Plan:
        """The same with what the tables settle: lists without scores keep their order, for example."""
        return dataclasses.replace(self, by_data=tuple(by_data.items()))

    @cached_property
    def baseline(self) -> frozenset[tuple[str, Any]]:
        """The conventions of metrics without those of the call and of the tables."""
        return frozenset({**_LEFT_TO_DATA, **self.edition.conventions}.items())

    def _settled(self, asked: MetricRequest, call: Mapping[str, Any]) -> MetricRequest:
        metric = asked.metric
        known = vars(metric).keys()
        chosen = profile(asked.profile) if asked.profile else self.profile
        edition = chosen if chosen.is_edition else profile(chosen.edition)
        # defaults follow what the tables settle; the rules of another library do not
        fields = {**edition.fields(metric), **dict(self.by_data)}
        if edition is not chosen:
            fields |= chosen.fields(metric)
        baseline = {name: value for name, value in {**fields, **call}.items() if name in known}
        kept = {name: getattr(metric, name) for name in asked.stated | ({"k"} & known)}
        unstated = {field.name: field.default for field in dataclasses.fields(metric)}
        filled = metric.replace(**{**unstated, **baseline, **kept})
        label = asked.label
        if not asked.profile and not asked.called:
            label = filled.text(filled.normalised(baseline))
        stated = asked.stated | (call.keys() & known)
        return dataclasses.replace(asked, metric=filled, stated=stated, label=label)

    @cached_property
    def wanted(self) -> Wanted:
        orders = [
            asked.need.rank.order if "order" in asked.stated else "default"
            for asked in self.metrics
            if asked.need.rank is not None
        ]
        return Wanted(
            needs=tuple([asked.need for asked in self.metrics]),
            by=self.by,
            unit=self.certainty.unit,
            intervals=self.certainty.ci != "none",
            classes=self.classes,
            orders=frozenset(orders),
        )

    @cached_property
    def notes(self) -> tuple[Message, ...]:
        return (*self.own_names_meant(), *self.overruled(), *self.faults())

    def check_cutoffs(self) -> None:
        """Refuse threshold metrics where tables hold a ranking: recall is not recall@k."""
        for asked in self.asked:
            metric, plain = asked.metric, not asked.stated - {"beta"}  # a threshold says what is meant
            if f"{metric.name}@k" in by_name() and metric.at == "never" and plain:
                raise asking.ranking_needs_cutoff(name=metric.text().partition("(")[0])

    def faults(self) -> list[Message]:
        """The known faults of the metrics in the libraries of their profiles."""
        notes: dict[tuple[str, str], Message] = {}
        for asked in self.asked:
            chosen = profile(asked.profile) if asked.profile else self.profile
            for fault in filter(None, map(chosen.faults.get, (asked.metric.key(), "all"))):
                notes[chosen.name, fault] = _note("known_fault", profile=chosen.name, fault=term(fault))
        return list(notes.values())

    def own_names_meant(self) -> list[Message]:
        """The libraries' names that have a cutoff without saying so: map of recommenders is map@10."""
        notes: dict[tuple[str, str], Message] = {}
        for asked in self.asked:
            k = getattr(asked.metric, "k", None)
            if asked.called and k is not None and str(k) not in re.findall(r"[0-9.]+", asked.called):
                name = asked.profile or self.profile.name
                metric = f"{asked.metric.name}@{k}"
                notes[name, asked.called] = _note(
                    "own_name_means", profile=name, name=asked.called, metric=metric
                )
        return list(notes.values())

    def overruled(self) -> list[Message]:
        """Conventions of the call that the profile in the text of a metric overrules."""
        kept: dict[tuple[str, str], list[str]] = {}
        for asked in self.asked:
            fields = profile(asked.profile).fields(asked.metric) if asked.profile else {}
            for name in self.call.keys() & fields.keys():
                own = plain(fields[name])
                if own == plain(getattr(asked.metric, name)) != plain(self.call[name]):
                    kept.setdefault((name, own), []).append(asked.label)
        return [
            _note("profile_keeps", labels=labels, name=name, own=own, value=plain(self.call[name]))
            for (name, own), labels in sorted(kept.items())
        ]

    def sliced_by(self, columns: Sequence[str]) -> Plan:
        return dataclasses.replace(self, by=_slicing([*dict.fromkeys([*self.by, *columns])]))

    def again(self, given: str | Metric | MetricRequest) -> Plan:
        """The same call for one metric alone, with its conventions."""
        several = metrics(given, self.profile)
        if len(several) > 1:
            raise asking.several_metrics(text=str(given), n=len(several))
        known = vars(several[0].metric)
        call = {name: value for name, value in self.call.items() if name in known}
        return dataclasses.replace(self, asked=tuple(several), call=call)

    @property
    def of_queries(self) -> bool:
        """Whether there are values of single queries or groups."""
        return any(asked.metric.unit != "rows" for asked in self.asked)

    def check_asked(self, given: str | Metric) -> None:
        """Refuse a metric that the call does not have; whether its fields fit is known with the result."""
        labels = [asked.label for asked in self.metrics]
        if given not in labels and metric(given).key() not in {asked.metric.key() for asked in self.asked}:
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
    """The plan of a call, with every name, profile, convention and class checked.

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
        classes=None if classes is None else _class_names(classes, asked),
        certainty=certainty or Certainty(),
    )
    for settled in plan.metrics:
        settled.metric.check()
    return plan


@registry.kept_for_texts
def ask_in_words(
    text: str, profile_name: str, certainty: tuple[str, float, str | None, int], _folders: tuple[Path, ...]
) -> Plan:
    """The plan of a call that states nothing else, kept while the folders of profiles are the same."""
    return ask(text, profile_name, certainty=Certainty.of(*certainty))


def metrics(
    given: str | Metric | MetricRequest | Iterable[str | Metric | MetricRequest],
    within: Profile | None = None,
) -> list[MetricRequest]:
    """Metrics from text or objects, with the stated fields of each; ``ndcg@5,10`` gives two.

    ``within`` is the profile of the call; the names of its library are known too.

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
    several = _each(text)
    if len(several) > 1:
        raise asking.several_metrics(text=str(text), n=len(several))
    return several[0].metric


def _check_call(call: Mapping[str, Any], several: Sequence[MetricRequest]) -> None:
    """Refuse conventions that no metric has, and those that the name of a metric fixes."""
    known = set().union(*(vars(one.metric) for one in several)) - {"k"}
    for name, value in call.items():
        if name not in known:
            raise asking.no_metric_has(name, [str(one.metric) for one in several], sorted(known))
        for one in several:
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
            where = say("in the call")
            raise asking.stated_twice(name=name, where=where, one=plain(held[name]), other=plain(value))
    return {**held, **further}


def _slicing(by: object) -> tuple[str, ...]:
    several = [by] if isinstance(by, str) else by
    if not isinstance(several, Sequence) or not all(isinstance(one, str) for one in several):
        raise must_be("by", say("text or a list of texts"), by)
    check_slicing(several)
    return tuple(several)


def _class_names(classes: Any, several: Sequence[MetricRequest]) -> tuple[Class, ...]:
    if not any(one.metric.reads in ("scores", "classes") for one in several):
        raise measuring.no_metric_of_classes(metrics=[str(one.metric) for one in several])
    names = class_names(classes)
    if not names:
        raise measuring.bad_classes(classes)
    return names


def _each(given: str | Metric | MetricRequest, within: Profile | None = None) -> Sequence[MetricRequest]:
    if isinstance(given, MetricRequest):
        return [given]
    if isinstance(given, Metric):
        return [MetricRequest.of(given)]
    if not isinstance(given, str):
        raise asking.not_a_metric(given)
    alone = given.strip().rstrip(":").rstrip()
    if alone.casefold() in profiles():
        raise asking.only_a_profile(profile=alone)
    name, rest = registry.split_profile(given)
    if name is not None:
        chosen = profile(name)
        return [_with_profile(asked, chosen) for asked in own(chosen, rest) or _parsed(rest, chosen)]
    return (own(within, rest) if within else []) or _parsed(rest, within, in_front=False)


def _parsed(text: str, chosen: Profile | None, *, in_front: bool = True) -> Sequence[MetricRequest]:
    """The metrics that a text names by our names; the error says what else it may mean.

    It may be a name of the chosen profile's library in an unknown form, or a name of another library.
    """
    if chosen and spelt_as_theirs(chosen, text):
        _check_form(chosen, text)
    try:
        return registry.parse(text)
    except MetricError:
        if chosen and not chosen.is_edition:
            _check_form(chosen, text)
        ours = text.partition("(")[0] in registry.names()
        for name, meant in () if ours or in_front else offered_by(text).items():
            raise asking.name_of_a_library(text=text, profile=name, meant=meant) from None
        slip = get_close_matches(text.partition("(")[0].partition("@")[0], registry.names(), n=1, cutoff=0.7)
        if chosen and not chosen.is_edition and not registry.is_name(text) and not slip:
            raise chosen.lacks(text.strip()) from None
        raise


def _check_form(chosen: Profile, text: str) -> None:
    """Refuse a name of the profile's library in a form that the profile does not know."""
    second, rest = registry.split_profile(text)
    if second is not None and second.casefold() in profiles():
        raise asking.two_profiles(text=rest, one=chosen.name, other=second.casefold()) from None
    with_ours = with_fields(chosen, text)
    if with_ours is not None:
        name, ours = with_ours
        raise asking.name_takes_no_fields(name=name, profile=chosen.name, ours=ours) from None
    forms = forms_of(chosen, text)
    as_ours = (
        registry.is_name(text) and ("(" in text or len(forms) == 1) and not spelt_as_theirs(chosen, text)
    )
    if forms and not as_ours:
        raise asking.written_otherwise(text=text.strip(), profile=chosen.name, forms=forms) from None


def _with_profile(asked: MetricRequest, chosen: Profile) -> MetricRequest:
    fields = chosen.fields(asked.metric)
    if chosen.is_edition:
        fields.pop("ties", None)  # without item ids the tables settle them
    fields |= {name: getattr(asked.metric, name) for name in asked.stated}
    metric = type(asked.metric)(**fields)
    baseline = {**profile(chosen.edition).fields(asked.metric), **chosen.fields(asked.metric)}
    label = f"{chosen.name}:{asked.called or metric.text(metric.normalised(baseline))}"
    # the threshold of a library is not stated by the caller, and does not ask for scores
    stated = frozenset(fields) - (_THRESHOLD - asked.stated)
    return dataclasses.replace(asked, metric=metric, stated=stated, label=label, profile=chosen.name)


def with_task(
    given: str | Metric | Iterable[str | Metric | MetricRequest],
    task: str,
    profile_name: str,
    tables: Mapping[str, Any],
) -> tuple[list[MetricRequest], Message | None]:
    """The given metrics and those of the task, and a note on metrics that lack a table and are skipped.

    Only recommendation skips any: the truth of other tasks may be in the predictions.

    >>> asked, note = with_task("mrr", "recommendation", "steelyard:2026", {"truth": {}, "catalog": []})
    >>> [one.label for one in asked]
    ['mrr', 'ndcg@10', 'recall@10', 'coverage@10']
    >>> print(note)
    task 'recommendation' skips diversity@10 (needs features); novelty@10 (needs history).
    """
    labels, chosen, note = registry.task_metrics(task), profile(profile_name), None
    if task == "recommendation":
        lacking = registry.missing_tables([metric(label) for label in labels], tables)
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
