"""``--run-file``: the options of a command as TOML keys."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from steelyard.cli.options import BESIDE, FLAGS, key_values, stated_once
from steelyard.cli.usage import speak
from steelyard.text import Message, say
from steelyard.text.errors import SteelyardError, asking
from steelyard.text.errors.forms import must_be, unknown
from steelyard.text.errors.places import reason_of, toml_reason

# one file, or several that are one table
_TABLES = {"predictions", "baseline", "truth", "exclude", "by_table", *BESIDE}
_RULES = {"max_drop": "max_drop", "min_": "min", "max_": "max"}  # options, with the kinds of their rules
_CONVENTIONS = {flag.name for flag in FLAGS}


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """What a run file states name by name; its other keys are the defaults of the options."""

    path: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    conventions: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of a gate, by their kind


def by_run_file(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name is None:
        return
    found = _read(name)
    speak(context, found.get("lang"))
    data = _by_option(name, found, context.command.params)
    several = {option.name for option in context.command.params if option.nargs == -1}
    context.default_map = {
        option: (_systems if option in several else _default)(name, key, option, value)
        for option, (key, value) in data.items()
        if option not in {"columns", "settings", *_CONVENTIONS, *_RULES}
    }
    flags = {
        option: _scalar(name, key, value) for option, (key, value) in data.items() if option in _CONVENTIONS
    }
    context.obj = RunFile(
        path=name,
        columns=_pairs(name, *data.get("columns", ("columns", {}))),
        conventions=stated_once(
            flags, _pairs(name, *data.get("settings", ("set", {}))), say("in {file}", file=name)
        ),
        rules={
            _RULES[option]: _rules(name, key, value)
            for option, (key, value) in data.items()
            if option in _RULES
        },
    )


def _read(name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(name).read_text("utf-8-sig"))
    except OSError as error:
        raise asking.unreadable_run_file(file=name, why=reason_of(error)) from None
    except RecursionError:
        raise asking.unreadable_run_file(file=name, why=say("it is nested too deeply")) from None
    except UnicodeDecodeError:
        raise asking.unreadable_run_file(file=name, why=say("it is not UTF-8 text")) from None
    except ValueError as error:  # of TOML, or of an integer with thousands of digits
        raise asking.unreadable_run_file(file=name, why=toml_reason(error)) from None


def _by_option(name: str, data: dict[str, Any], options: list[click.Parameter]) -> dict[str, tuple[str, Any]]:
    names = {_key(option): str(option.name) for option in options}
    found = {}
    for key, value in data.items():
        folded = key.replace("-", "_")
        if folded == "run_file":
            raise asking.run_file_inside(file=name)
        if folded not in names:
            said = say("{file} has a key '{name}' that is no option", file=name, name=folded)
            raise unknown(said, folded, sorted(set(names) - {"run_file"}))
        found[names[folded]] = (key, value)
    return found


def _key(option: click.Parameter) -> str:
    long = [text for text in option.opts if text.startswith("--")]
    return long[0].removeprefix("--").replace("-", "_") if long else str(option.name)


def _default(file: str, key: str, option: str, value: Any) -> str | list[str] | bool:
    if option in ("wide", "verbose", "significant", "unpaired"):
        if not isinstance(value, bool):
            raise _wrong(file, key, say("true or false"), value)
        return value
    if option in ("least", "level", "seed", "draws", "min_coverage"):
        return _scalar(file, key, value)
    if option not in {*_TABLES, "metric", "by", "chart"}:
        return _text(file, key, value, say("text"))
    if option in _TABLES and not isinstance(value, list):
        return _text(file, key, value, _SEVERAL)
    return _texts(file, key, value)


_SEVERAL = say("text or a list of text")


def _texts(file: str, key: str, value: Any) -> list[str]:
    return [_text(file, key, one, _SEVERAL) for one in (value if isinstance(value, list) else [value])]


def _rules(file: str, key: str, value: Any) -> list[str]:
    """The rules of a gate: a table of metrics with their limits, or METRIC=VALUE as text."""
    if isinstance(value, dict):
        return [f"{metric}={_scalar(file, f'{key}.{metric}', limit)}" for metric, limit in value.items()]
    return _texts(file, key, value)


def _systems(file: str, key: str, option: str, value: Any) -> list[Any]:
    """One run, or a table of several under their names; a list is of files that are one table."""
    if not isinstance(value, dict):
        return [_default(file, key, option, value)]
    return [(name, _default(file, f"{key}.{name}", option, run)) for name, run in value.items()]


def _pairs(file: str, key: str, value: Any) -> dict[str, str]:
    """A table, or a list of ``name=value``; ``truth.query = "user_id"`` is a table inside a table."""
    if isinstance(value, list):
        return key_values(
            f"{file}: {key}",
            [_text(file, key, one, say("text")) for one in value],
            say("in {file}", file=file),
        )
    if not isinstance(value, dict):
        raise _wrong(file, key, say("a table or a list of text"), value)
    flat: dict[str, str] = {}
    for name, one in value.items():
        nests = key == "columns" and isinstance(one, dict)
        inner = {f"{name}.{part}": each for part, each in one.items()} if nests else {name: one}
        said = {short: _named(file, key, short, each) for short, each in inner.items()}
        flat = stated_once(flat, said, say("in {file}", file=file))
    return flat


def _named(file: str, key: str, name: str, value: Any) -> str:
    """The value of a name; several columns are text with commas between, as for ``--columns``."""
    from steelyard.read.roles import SEVERAL

    if key == "columns" and isinstance(value, list) and name.rpartition(".")[2] in SEVERAL:
        return ",".join(_texts(file, f"{key}.{name}", value))
    return _scalar(file, f"{key}.{name}", value)


def _text(file: str, key: str, value: Any, wanted: Message) -> str:
    if not isinstance(value, str):
        raise _wrong(file, key, wanted, value)
    return value


def _scalar(file: str, key: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _wrong(file, key, say("text or a number"), value)
    return str(value)


def _wrong(file: str, key: str, wanted: Message, value: Any) -> SteelyardError:
    remedy = say("correct {name} in {file}", name=key, file=file)
    return must_be(say("{owner}: {field}", owner=file, field=key), wanted, value, remedy=remedy)
