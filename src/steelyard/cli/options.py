"""Options that several commands share."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from steelyard.errors import asking


def key_values(option: str, given: Sequence[str]) -> dict[str, str]:
    """``role=name`` pairs as a mapping."""
    pairs = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise asking.not_key_value(option, text)
        pairs[key.strip()] = value.strip()
    return pairs


def by_run_file(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    """Take the defaults of this command's options from a TOML file."""
    if name is None:
        return
    try:
        data = tomllib.loads(Path(name).read_text("utf-8"))
    except OSError as error:
        raise asking.unreadable_run_file(name, error.strerror or str(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise asking.unreadable_run_file(name, str(error)) from None
    names = {_key(option): option for option in context.command.params if option.name}
    data = {key.replace("-", "_"): value for key, value in data.items()}
    for key in data:
        if key not in names:
            raise asking.unknown_run_key(name, key, sorted(names))
    context.default_map = {str(names[key].name): _as_option(names[key], value) for key, value in data.items()}


def _key(option: click.Parameter) -> str:
    """The key of an option in a run file: its long name without dashes in front."""
    long = [text for text in option.opts if text.startswith("--")]
    return long[0].removeprefix("--").replace("-", "_") if long else str(option.name)


def _as_option(option: click.Parameter, value: Any) -> Any:
    if not getattr(option, "multiple", False):
        return value if not isinstance(value, bool | int | float) else str(value)
    if isinstance(value, dict):
        return [f"{key}={text}" for key, text in value.items()]
    return value if isinstance(value, list) else [value]
