"""What a user is told when the command line or a run file cannot be understood."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors.base import MetricError

_EXAMPLES = {"--set": "rel=2", "--columns": "query=user_id"}


def not_key_value(option: str, text: str) -> MetricError:
    """An option that wants ``name=value`` got something else."""
    return MetricError(
        f"{option} takes NAME=VALUE; got '{text}'",
        remedy=f"write for example {option} {_EXAMPLES.get(option, 'NAME=VALUE')}",
    )


def task_not_in_profile(
    task: str, profile: str, missing: Sequence[str], others: Sequence[str]
) -> MetricError:
    """A task one of whose metrics the profile's library does not have."""
    instead = (
        f"name metrics in place of --task: {' '.join(f'-m {one}' for one in others)}; " if others else ""
    )
    return MetricError(
        f"--task {task} asks for {', '.join(missing)}, which {profile} does not have",
        remedy=f"{instead}or leave out --profile {profile}".removeprefix("or "),
    )


def stated_twice(name: str, where: str, one: object, other: object) -> MetricError:
    """Two values for one name, and nothing says which is meant."""
    return MetricError(f"{name} is stated twice {where}, as '{one}' and as '{other}'", remedy="state it once")


def wrong_type(file: str, key: str, wanted: str, value: object) -> MetricError:
    """A key of a run file with a value of another type."""
    return MetricError(
        f"{file}: {key} must be {wanted}; it is {_type(value)}", remedy=f"correct {key} in {file}"
    )


def run_file_inside(file: str) -> MetricError:
    """A run file that names another one."""
    return MetricError(f"{file} names a run file itself", remedy="write the keys of both into one file")


def _type(value: object) -> str:
    if isinstance(value, bool):
        return f"a truth value: {str(value).lower()}"
    if isinstance(value, int | float):
        return f"a number: {value}"
    if isinstance(value, str):
        return f"text: '{value}'"
    return {"list": "a list", "dict": "a table"}.get(type(value).__name__, f"a {type(value).__name__}")
