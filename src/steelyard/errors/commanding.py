"""What a user is told when the command line or a run file cannot be understood."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors.base import MetricError
from steelyard.messages import Message, say

_EXAMPLES = {"--set": "rel=2", "--columns": "query=user_id"}


def not_taken(option: str, wanted: str, text: str, example: str) -> MetricError:
    """An option with a text of another form than it takes."""
    return MetricError(
        "{option} takes {wanted}; got '{text}'",
        remedy="write for example {example}",
        option=option,
        wanted=wanted,
        text=text,
        example=example,
    )


def not_key_value(option: str, text: str) -> MetricError:
    """An option that wants ``name=value`` got something else."""
    example = _EXAMPLES.get(option, "NAME=VALUE")
    return not_taken(option, "NAME=VALUE", text, f"{option} {example}")


def not_chart_and_file(text: str) -> MetricError:
    """``--chart`` got something else than a chart and a file."""
    example = say("--chart roc=roc.svg, or --chart 'slices(auc)=slices.png'")
    return not_taken("--chart", "NAME=FILE", text, example)


def chart_of_two(name: str) -> MetricError:
    """A chart of two results, of a command that has one."""
    return MetricError(
        "the chart '{name}' shows two results, and `steelyard evaluate` has one",
        remedy="in Python: result.chart('{name}', other=...)",
        name=name,
    )


def takes_no_metric(name: str) -> MetricError:
    """A metric for a chart that shows none by itself."""
    return MetricError("the chart '{name}' shows no single metric", remedy="write {name}=FILE", name=name)


def task_not_in_profile(
    task: str, profile: str, missing: Sequence[str], others: Sequence[str]
) -> MetricError:
    """A task one of whose metrics the profile's library does not have."""
    said = say(
        "--task {task} asks for {missing}, which {profile} does not have",
        task=task,
        missing=list(missing),
        profile=profile,
    )
    if not others:
        return MetricError(said, remedy=say("leave out --profile {profile}", profile=profile))
    options = " ".join(f"-m {one}" for one in others)
    remedy = say(
        "name metrics in place of --task: {options}; or leave out --profile {profile}",
        options=options,
        profile=profile,
    )
    return MetricError(said, remedy=remedy)


def stated_twice(name: str, where: str, one: object, other: object) -> MetricError:
    """Two values for one name, and nothing says which is meant."""
    said = say(
        "{name} is stated twice {where}, as '{one}' and as '{other}'",
        name=name,
        where=where,
        one=one,
        other=other,
    )
    return MetricError(said, remedy="state it once")


def unreadable_run_file(name: str, why: str) -> MetricError:
    """A run file that is not there, or no TOML."""
    said = say("cannot read the run file {file}: {why}", file=name, why=why)
    return MetricError(said, remedy="a run file is TOML, with the flags as keys")


def run_file_inside(file: str) -> MetricError:
    """A run file that names another one."""
    said = say("{file} names a run file itself", file=file)
    return MetricError(said, remedy="write the keys of both into one file")


def wrong_type(file: str, key: str, wanted: Message, value: object) -> MetricError:
    """A key of a run file with a value of another type."""
    return MetricError(
        "{file}: {name} must be {wanted}; it is {found}",
        remedy="correct {name} in {file}",
        file=file,
        name=key,
        wanted=wanted,
        found=_kind(value),
    )


def _kind(value: object) -> Message:
    if isinstance(value, bool):
        return say("a truth value: {value}", value=str(value).lower())
    if isinstance(value, int | float):
        return say("a number: {value}", value=value)
    if isinstance(value, str):
        return say("text: '{value}'", value=value)
    if isinstance(value, list | dict):
        return say("a list") if isinstance(value, list) else say("a table")
    return say("a {found}", found=type(value).__name__)
