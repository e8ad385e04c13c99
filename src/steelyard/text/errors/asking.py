"""Errors for the case that what was asked for does not exist, or cannot be understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from steelyard.text import listed, say, term
from steelyard.text.errors.base import (
    SteelyardError,
    brief,
)
from steelyard.text.errors.forms import Refusal, declared, must_be, one_of, unknown

_SLICES = 20  # how many are named
_OWN_NAMES = 10  # likewise, of those that a library has
# Fields that had another name once.
_RENAMED = {"truth": "judgements"}
# Metrics of other libraries whose names are no slips of ours.
_ELSEWHERE = frozenset({"mape", "smape", "wape", "mase", "medae", "msle", "rmsle", "mpe", "mbe", "r2"})
_EXAMPLES = {"--set": "rel=2", "--columns": "query=user_id"}


def unknown_metric(name: str, known: Iterable[str], *, suffix: str = "") -> SteelyardError:
    names, asked = sorted(known), f"{name}{suffix}"
    slip = None if name.casefold() in _ELSEWHERE else name
    return unknown(say("unknown metric '{name}'", name=asked), slip, names, suffix=suffix)


def metrics_in_one_text(text: str, parts: Sequence[str]) -> SteelyardError:
    return declared(__name__, "metrics_in_one_text")(
        text=text,
        options=" ".join(f'-m "{part}"' if "(" in part else f"-m {part}" for part in parts),
        parts=str(list(parts)),
    )


def not_a_metric(value: object) -> SteelyardError:
    shown = say("the class {name}", name=value.__name__) if isinstance(value, type) else repr(value)
    return declared(__name__, "not_a_metric")(value=shown)


def unknown_field(owner: str, field: str, known: Iterable[str]) -> SteelyardError:
    names = sorted(known)
    said = say("{owner} has no field '{field}'", owner=owner, field=field)
    return unknown(said, _RENAMED.get(field, field), names, remedy=say("it has: {names}", names=names))


def no_metric_has(field: str, labels: Sequence[str], known: Sequence[str]) -> SteelyardError:
    if len(labels) == 1:
        said = say("{label} has no convention '{field}'", label=labels[0], field=field)
        remedy = say("it has: {names}", names=list(known))
    else:
        said = say("none of {labels} has a convention '{field}'", labels=list(labels), field=field)
        remedy = say("they have: {names}", names=list(known))
    return unknown(said, _RENAMED.get(field, field), known, remedy=remedy)


def bad_value(owner: str, field: str, value: object, allowed: str) -> SteelyardError:
    return must_be(say("{owner}: {field}", owner=owner, field=field), allowed, value)


def bad_choice(owner: str, field: str, value: object, choices: Sequence[str]) -> SteelyardError:
    return one_of(say("{owner}: {field}", owner=owner, field=field), value, choices, field=field)


def not_in_profile(
    profile: str, label: str, metrics: Sequence[str], own: Sequence[str], *, further: str = ""
) -> SteelyardError:
    """``metrics`` are those that the library has by our names; of its own the nearest are told."""
    by_letters = {one.lower(): one for one in own}
    near = get_close_matches(label.lower(), by_letters, n=_OWN_NAMES, cutoff=0.0)
    has = say(
        "profile {profile} has: {names}; the nearest of its own names: {own}; "
        "steelyard profiles {profile} lists all",
        profile=profile,
        names=list(metrics),
        own=[by_letters[one] for one in near],
    )
    if further:
        has = say("{has}; {further}", has=has, further=term(further))
    return declared(__name__, "not_in_profile")(profile=profile, label=label, remedy=has)


def not_in_result(text: str, labels: Sequence[str]) -> SteelyardError:
    said = say("this result has no '{label}'", label=text)
    return unknown(said, text, labels, remedy=say("it has: {names}", names=list(labels)))


def not_slice_columns(asked: object, by: Sequence[str]) -> SteelyardError:
    said = say("{column} is no column that this result is sliced by", column=brief(asked))
    return unknown(said, asked, by)


def not_a_slice(at: object, by: Sequence[str]) -> SteelyardError:
    if not by:
        return declared(__name__, "not_a_slice")(at=brief(at))
    allowed = say("a mapping of {columns:and} to {columns:its value|their values}", columns=list(by))
    return must_be(say("the slice"), allowed, at)


def no_such_slice(column: str, value: str | None, names: Sequence[str]) -> SteelyardError:
    said = say("there is no slice {column}={value}", column=column, value=str(value))
    remedy = say("there are: {names}", names=listed(sorted(names), _SLICES))
    return unknown(said, value, names, remedy=remedy)


def bad_progress(value: object) -> SteelyardError:
    allowed = say("True, False or a function that is told of each stage")
    remedy = say("pass progress=True for a bar, or for example progress=print")
    return must_be("progress", allowed, value, remedy=remedy)


def task_not_in_profile(
    task: str, profile: str, missing: Sequence[str], others: Sequence[str]
) -> SteelyardError:
    remedy = say("leave out the profile {profile}", profile=profile)
    if others:
        remedy = say(
            "name metrics instead of the task: {others}; or leave out the profile {profile}",
            others=others,
            profile=profile,
        )
    return declared(__name__, "task_not_in_profile")(
        task=task, missing=missing, profile=profile, remedy=remedy
    )


def not_key_value(option: str, text: str) -> SteelyardError:
    example = _EXAMPLES.get(option, "NAME=VALUE")
    return declared(__name__, "not_taken")(
        option=option, wanted="NAME=VALUE", text=text, example=f"{option} {example}"
    )


def not_chart_and_file(text: str) -> SteelyardError:
    example = say("--chart roc=roc.svg, or --chart 'slices(auc)=slices.png'")
    return declared(__name__, "not_taken")(option="--chart", wanted="NAME=FILE", text=text, example=example)


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
