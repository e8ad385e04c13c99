"""Everything is settled before anything is read: what a text states, then call, profile, edition."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from steelyard.arrays import Copied
from steelyard.ask.data import HOUSE, Profile, profile, profiles
from steelyard.ask.own_names import forms_of, offered_by, own, spelt_as_theirs, with_fields
from steelyard.conventions import plain
from steelyard.engine import class_values
from steelyard.engine.class_values import Class
from steelyard.measure.certainty import Certainty
from steelyard.measure.slices import check_slicing
from steelyard.messages import Message, say, term
from steelyard.messages.errors import MetricError, asking, measuring
from steelyard.messages.errors.forms import must_be
from steelyard.metrics import Metric
from steelyard.metrics.asked import Asked
from steelyard.metrics.grammar import is_name, parse, split_profile
from steelyard.metrics.registry import names

_THRESHOLD = {"threshold", "strict"}


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call: the metrics it asks for, under which conventions, sliced by which columns."""

    asked: tuple[Asked, ...]
    profile: Profile
    call: Copied[dict[str, Any]] = Copied()  # what it states for every metric
    by: tuple[str, ...] = ()
    classes: tuple[Class, ...] | None = None
    certainty: Certainty = Certainty()  # how intervals are made

    @property
    def edition(self) -> Profile:
        """The edition of the house that fills what nothing else states."""
        return profile(self.profile.edition)

    def settle(self, by_data: Mapping[str, Any] | None = None) -> list[Asked]:
        """Each metric once, with every field filled, and under its label.

        ``by_data`` are the house's choices where the data leaves only one (lists without scores stand in the
        order given; without item ids, ties are averaged).
        """
        return self._each_once(by_data) if by_data else list(self._before_data)

    @cached_property
    def _before_data(self) -> list[Asked]:
        return self._each_once({})

    def _each_once(self, by_data: Mapping[str, Any]) -> list[Asked]:
        settled = [self._settled(one, by_data) for one in self.asked]
        return list({(one.metric, one.profile, one.called): one for one in settled}.values())

    def _settled(self, one: Asked, by_data: Mapping[str, Any]) -> Asked:
        metric, known = one.metric, _field_names(one.metric)
        chosen = profile(one.profile) if one.profile else self.profile
        # where the data leaves one choice, it is the house's; another library's own rule stands
        fields = {**profile(chosen.edition).fields(metric), **by_data}
        if not chosen.is_edition:
            fields |= chosen.fields(metric)
        baseline = {name: value for name, value in {**fields, **self.call}.items() if name in known}
        kept = {name: getattr(metric, name) for name in one.stated | ({"k"} & known)}
        unstated = {field.name: field.default for field in dataclasses.fields(metric)}
        made = metric.replace(**{**unstated, **baseline, **kept})
        label = one.label if one.profile or one.called else made.text(made.normalised(baseline))
        return dataclasses.replace(
            one, metric=made, stated=one.stated | (set(self.call) & known), label=label
        )

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

    def sliced_by(self, columns: Sequence[str]) -> Request:
        """The same call, sliced by these columns too."""
        return dataclasses.replace(self, by=_slicing([*dict.fromkeys([*self.by, *columns])]))

    def again(self, given: str | Metric | Asked) -> Request:
        """The same call for one metric alone, with what the call states of it."""
        several = metrics(given, self.profile)
        if len(several) > 1:
            raise asking.several_metrics(text=str(given), n=len(several))
        known = _field_names(several[0].metric)
        call = {name: value for name, value in self.call.items() if name in known}
        return dataclasses.replace(self, asked=tuple(several), call=call)

    @property
    def of_queries(self) -> bool:
        """Whether there will be values of single queries or groups."""
        return any(one.metric.unit != "rows" for one in self.asked)

    def check_asked(self, given: str | Metric) -> None:
        """Refuse a metric of which nothing was asked; whether its fields fit is known with the result."""
        labels = [one.label for one in self.settle()]
        if given not in labels and metric(given).key() not in {one.metric.key() for one in self.asked}:
            raise asking.not_in_result(str(given), labels)


def ask(
    given: str | Metric | Iterable[str | Metric | Asked],
    profile_name: str = HOUSE,
    conventions: object = None,
    further: Mapping[str, Any] | None = None,
    *,
    by: object = (),
    classes: object = None,
    certainty: Certainty | None = None,
) -> Request:
    """A call whose every name, profile, convention and class is checked, before any table is opened.

    >>> [(one.label, one.metric.ties) for one in ask("ndcg@5,10", conventions={"ties": "given"}).settle()]
    [('ndcg@5', 'given'), ('ndcg@10', 'given')]
    """
    chosen = profile(profile_name)
    asked = tuple(metrics(given, chosen))
    if not asked:
        raise asking.no_metrics()
    request = Request(
        asked=asked,
        profile=chosen,
        call=_stated(conventions, further or {}),
        by=_slicing(by),
        classes=_class_names(classes, [one.metric for one in asked]),
        certainty=certainty or Certainty(),
    )
    _check_call(request)
    for one in request.settle():
        one.metric.check()
    return request


def metrics(
    given: str | Metric | Asked | Iterable[str | Metric | Asked], within: Profile | None = None
) -> list[Asked]:
    """Metrics from text or objects, with what was stated of each; ``ndcg@5,10`` gives two.

    ``within`` is the profile of the call, whose library's own names are taken too.

    >>> [one.label for one in metrics(["ndcg@5,10", "mrr"])]
    ['ndcg@5', 'ndcg@10', 'mrr']
    >>> [(one.label, str(one.metric)) for one in metrics("P_5", profile("trec_eval"))]
    [('P_5', 'precision@5')]
    """
    try:
        several: list[Any] = [given] if isinstance(given, str | Metric | Asked) else list(given)
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


def _check_call(request: Request) -> None:
    """Refuse conventions that no metric has, and those that the name of a metric means otherwise."""
    known = set().union(*(_field_names(one.metric) for one in request.asked)) - {"k"}
    for name, value in request.call.items():
        if name not in known:
            raise asking.no_metric_has(name, [str(one.metric) for one in request.asked], sorted(known))
        for one in request.asked:
            if name in one.fixed and one.metric.normalised({name: value})[name] != getattr(one.metric, name):
                raise asking.field_is_fixed(
                    owner=one.label, field=name, value=plain(one.fixed[name]), general=one.metric.name
                )


def mapping_of(conventions: object) -> dict[str, Any]:
    """The conventions that a caller gave as one argument."""
    if conventions is not None and not isinstance(conventions, Mapping):
        raise must_be("conventions", say("a mapping such as {'ties': 'expected'}"), conventions)
    return {} if conventions is None else dict(conventions)


def _stated(conventions: object, further: Mapping[str, Any]) -> dict[str, Any]:
    """The conventions of a call, from the mapping and from its keywords."""
    held = mapping_of(conventions)
    for name, value in further.items():
        if name in held and plain(held[name]) != plain(value):
            one, other = plain(held[name]), plain(value)
            raise asking.stated_twice(name=name, where=say("in the call"), one=one, other=other)
    return {**held, **further}


def _slicing(by: object) -> tuple[str, ...]:
    """The names of the columns to slice by: one text or several."""
    several = [by] if isinstance(by, str) else by
    if not isinstance(several, Sequence) or not all(isinstance(one, str) for one in several):
        raise must_be("by", say("text or a list of texts"), by)
    check_slicing(several)
    return tuple(several)


def _class_names(named: Any, asked: Sequence[Metric]) -> tuple[Class, ...] | None:
    """The classes that the caller named, if any: texts or whole numbers, for a metric that reads them."""
    if named is None:
        return None
    if not any(one.reads in ("scores", "classes") for one in asked):
        raise measuring.no_metric_of_classes(metrics=[str(one) for one in asked])
    names = class_values.class_names(named)
    if not names:
        raise measuring.bad_classes(named)
    return names


def _field_names(one: Metric) -> set[str]:
    return {field.name for field in dataclasses.fields(one)}


def _each(one: str | Metric | Asked, within: Profile | None = None) -> list[Asked]:
    if isinstance(one, Asked):
        return [one]
    if isinstance(one, Metric):
        return [Asked.of(one)]
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


def _parsed(text: str, chosen: Profile | None, *, in_front: bool = True) -> list[Asked]:
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


def _with_profile(asked: Asked, chosen: Profile) -> Asked:
    fields = chosen.fields(asked.metric)
    if chosen.is_edition:
        fields.pop("ties", None)  # the house leaves them to the data where there are no item ids
    fields |= {name: getattr(asked.metric, name) for name in asked.stated}
    made = type(asked.metric)(**fields)
    usual = {**profile(chosen.edition).fields(asked.metric), **chosen.fields(asked.metric)}
    label = f"{chosen.name}:{asked.called or made.text(made.normalised(usual))}"
    # a threshold that the library has is none that the caller stated, which would want scores
    stated = frozenset(fields) - (_THRESHOLD - asked.stated)
    return dataclasses.replace(asked, metric=made, stated=stated, label=label, profile=chosen.name)
