"""Errors for the case that systems, claims, gates or profiles cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steelyard.text import Message, say
from steelyard.text.errors.base import (
    SteelyardError,
    quoted,
)
from steelyard.text.errors.forms import Refusal, declared, must_be, unknown

_REMEDY = say("name two: --profiles recbole,trec_eval; in Python profiles=('recbole', 'trec_eval')")


def unknown_system(name: object, systems: Iterable[str], *, baseline: bool = False) -> SteelyardError:
    named = say("there is no system '{name}'", name=str(name))
    said = say("the baseline '{name}' is none of the systems", name=str(name)) if baseline else named
    names = list(systems)
    return unknown(said, name, names, remedy=say("the systems are {names:and}", names=names))


def marked(names: Sequence[str], marks: Sequence[str | None]) -> Message:
    known = [f"{name} {mark[:8]}" if mark else name for name, mark in zip(names, marks, strict=True)]
    return quoted(known)


def bad_limit(kind: str, metric: str, given: object) -> SteelyardError:
    percent = kind in ("max_drop", "min_coverage")
    allowed = say("a number, or a percentage such as 0.5%") if percent else say("a number")
    return must_be(say("{rule} of {metric}", rule=kind, metric=metric), allowed, given)


def not_limits(kind: str, given: object) -> SteelyardError:
    example = "{'ndcg@10': '0.5%'}" if kind == "max_drop" else "{'auc': 0.7}"
    return must_be(kind, say("a mapping of metrics to limits, such as {example}", example=example), given)


def baseline_not_among(name: str, columns: Sequence[str]) -> SteelyardError:
    said = say("the baseline '{name}' is none of the score columns", name=name)
    return unknown(said, name, columns, remedy=say("there are: {names}", names=list(columns)))


def metric_not_text(given: object) -> SteelyardError:
    return must_be(say("the metric of a claim"), say("text such as 'map@10'"), given)


def value_not_number(metric: str, given: object) -> SteelyardError:
    return must_be(say("the value claimed for {metric}", metric=metric), say("a number such as 0.302"), given)


def in_row(name: str, row: int, error: SteelyardError) -> SteelyardError:
    return type(error)(
        say("{name}, row {row:,}: {said}", name=name, row=row, said=error.said), remedy=error.hint
    )


def not_two_names(given: object) -> SteelyardError:
    return must_be("profiles", say("the names of two profiles"), given, remedy=_REMEDY)


def under_profile(profile: str, error: SteelyardError) -> SteelyardError:
    return type(error)(say("{profile}: {said}", profile=profile, said=error.said), remedy=error.hint)


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
