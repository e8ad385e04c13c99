"""Where a search starts: the metric that a claim means, by the defaults and by each library."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from steelyard import spec
from steelyard.conventions import plain
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.registry import parse, split_profile
from steelyard.spec import EDITION, Plan, Profile
from steelyard.spec.own_names import form_in, names_for, offered_by, own, with_fields
from steelyard.text.errors import MetricError, asking

Change = tuple[str, Any]  # a field and the value that it gets


@dataclass(frozen=True)
class Meant:
    """The metric that a text means: its class, and the fields that the text leaves no choice about.

    A text without profile holds what it states. The name of another library holds the metric's own fields
    (f1_macro is a macro average, whoever computes it) and its figures; the stages are the library's.
    """

    kind: type[Metric]
    fixed: Mapping[str, Any]
    written: str  # without a profile
    profile: str = ""  # the only one to be tried

    @classmethod
    def by(cls, text: str) -> Meant:
        """What a text means; it may be any library's own name."""
        return cls.every(text)[0]

    @classmethod
    def every(cls, text: str) -> list[Meant]:
        """All that a text may mean, the default first: recall is of rows there, elsewhere of lists."""
        name, written = split_profile(text)
        if name is not None:
            chosen = spec.profile(name)
            found = own(chosen, written)
            if found:
                return [replace(cls._of_library(chosen, written, found), profile=name)]
            spec.metrics(text)  # it has the metric by our name, or says which it has
            return [replace(cls._without_profile(written), profile=name)]
        others = {
            (one.kind, tuple(one.fixed.items())): one
            for name, meant in offered_by(written).items()
            for one in [cls._of_library(spec.profile(name), written, parse(meant))]
        }
        try:
            return [cls._without_profile(written), *others.values()]
        except MetricError:
            if not others:
                _refuse_fields(written)
                raise
            return list(others.values())

    @classmethod
    def _without_profile(cls, text: str) -> Meant:
        one = _alone(text, parse(text))
        return cls(type(one.metric), {name: getattr(one.metric, name) for name in one.stated}, text)

    @classmethod
    def _of_library(cls, chosen: Profile, text: str, found: Sequence[MetricRequest]) -> Meant:
        one = _alone(text, found)
        own_fields = {field.name for field in one.metric.own_fields()}
        fixed = {name: getattr(one.metric, name) for name in one.stated & own_fields}
        k = form_in(chosen, text)[1].get("k")
        if k and not k.isdecimal():
            raise asking.several_metrics(text=text, n=len(k.split(",")))
        if k and "k" in own_fields:
            fixed.setdefault("k", int(k))
        return cls(type(one.metric), fixed, text)

    @property
    def of_lists(self) -> bool:
        return self.kind.reads in ("hits", "lists")

    @property
    def metric(self) -> Metric:
        return self.kind(**self.fixed)


@dataclass(frozen=True)
class Start:
    """A metric as one library has it: the text that asks for it, and what it becomes with changes."""

    profile: Profile
    text: str
    asked: MetricRequest  # every field filled
    usual: Mapping[str, Any]  # what the profile fills where a text says nothing

    def changed(self, changes: Mapping[str, Any]) -> tuple[str, Metric]:
        """The text that asks for the same with some fields changed, and the metric; refused with an error."""
        if not changes:
            return self.text, self.asked.metric
        metric = self.asked.metric.replace(**changes)
        metric.check()
        text = metric.text(self.usual)
        return (text if self.profile.is_edition else f"{self.profile.name}:{text}"), metric


def starts(meant: Meant, chosen: Profile, by_data: Mapping[str, Any]) -> list[Start]:
    """Every way in which a library has a metric: by our name, and by names of its own that mean it."""
    if meant.profile not in ("", chosen.name):
        return []
    found: dict[Metric, Start] = {}
    for text in _texts(meant, chosen):
        try:
            start = _start(text, chosen, by_data)
        except MetricError:  # it lacks the metric, or refuses it
            continue
        by_another_name = start.asked.metric.reads != meant.kind.reads  # that means something else there
        if not by_another_name and _holds(start, meant):
            found.setdefault(start.asked.metric, start)
    return list(found.values())


def _texts(meant: Meant, chosen: Profile) -> Iterator[str]:
    if chosen.is_edition:
        yield str(meant.metric)
        return
    if _is_own(chosen, meant.written):
        yield f"{chosen.name}:{meant.written}"
    with suppress(MetricError):  # it lacks the metric, or has it not so
        yield f"{chosen.name}:{_by_our_name(meant, chosen)}"
    figures = {name: plain(value) for name, value in meant.fixed.items() if value is not None}
    for name in names_for(chosen, meant.kind.key(), figures):
        try:
            (one,) = own(chosen, name)
        except (MetricError, ValueError):
            continue
        if _keeps(one, meant, name_has_cutoff="k" in form_in(chosen, name)[1]):
            yield f"{chosen.name}:{name}"


def _by_our_name(meant: Meant, chosen: Profile) -> str:
    """Our text for a metric as a profile has it, with what is fixed and is not so there."""
    metric = meant.metric
    usual = {**spec.profile(chosen.edition).fields(metric), **chosen.fields(metric)}
    made = metric.replace(**{**usual, **meant.fixed})
    return made.text(made.normalised(usual))


def _keeps(one: MetricRequest, meant: Meant, *, name_has_cutoff: bool) -> bool:
    fixed = {name: value for name, value in meant.fixed.items() if not (name == "k" and name_has_cutoff)}
    if "k" not in fixed and not name_has_cutoff and "k" not in meant.fixed:
        fixed["k"] = None
    values = one.metric.values()
    return all(values[name] == value for name, value in fixed.items() if name in values)


def _holds(start: Start, meant: Meant) -> bool:
    values = start.asked.metric.values()
    fixed = {name: value for name, value in meant.fixed.items() if name in values and name != "k"}
    return all(plain(values[name]) == plain(value) for name, value in fixed.items())


def _is_own(chosen: Profile, text: str) -> bool:
    try:
        return len(own(chosen, text)) == 1
    except MetricError:
        return False


def _start(text: str, chosen: Profile, by_data: Mapping[str, Any]) -> Start:
    asked = spec.metrics(text)
    (one,) = Plan(asked=tuple(asked), profile=spec.profile(EDITION), call={}).settled(by_data).metrics
    one.metric.check()
    known = {field.name for field in dataclasses.fields(one.metric)}
    fields = {**spec.profile(chosen.edition).fields(one.metric), **by_data}
    if not chosen.is_edition:
        fields |= chosen.fields(one.metric)
    usual = one.metric.normalised({name: value for name, value in fields.items() if name in known})
    return Start(chosen, text, one, usual)


def _refuse_fields(text: str) -> None:
    """Refuse a library's own name with fields of ours after it, by the text that means it."""
    for chosen in sorted(spec.profiles().values(), key=lambda one: (one.place, one.name)):
        found = with_fields(chosen, text)
        if found is not None:
            raise asking.name_takes_no_fields(name=found[0], profile=chosen.name, ours=found[1]) from None


def _alone(text: str, found: Sequence[MetricRequest]) -> MetricRequest:
    if len(found) != 1:
        raise asking.several_metrics(text=text, n=len(found))
    return found[0]
