"""Errors for a request that names what does not exist, or for systems that cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from steelyard.text import Message, listed, say, term
from steelyard.text.errors.base import (
    SteelyardError,
    brief,
    quoted,
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
        say("{name}, row {row:,}: {said}", name=name, row=row, said=error.sentence), remedy=error.hint
    )


def not_two_names(given: object) -> SteelyardError:
    return must_be("profiles", say("the names of two profiles"), given, remedy=_REMEDY)


def under_profile(profile: str, error: SteelyardError) -> SteelyardError:
    return type(error)(say("{profile}: {said}", profile=profile, said=error.sentence), remedy=error.hint)


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
