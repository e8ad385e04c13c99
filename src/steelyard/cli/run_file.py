"""``--run-file``: the options of a command as TOML keys."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from steelyard.cli.inputs import RunFile, key_values, stated_once
from steelyard.cli.options import PARAMETERS, Kind
from steelyard.cli.usage import speak
from steelyard.text import Message, say
from steelyard.text.errors import SteelyardError, asking
from steelyard.text.errors.forms import must_be, reason_of, toml_reason, unknown

_SEVERAL = say("text or a list of text")


def _by_run_file(context: click.Context, _option: click.Parameter, file: str | None) -> None:
    if file is None:
        return
    data = _read(file)
    speak(context, data.get("lang"))
    by_option = {_key(option): option for option in context.command.params}
    defaults: dict[str, Any] = {}
    flags: dict[str, str] = {}
    pairs: dict[str, dict[str, str]] = {"columns": {}, "settings": {}}
    rules: dict[str, list[str]] = {}
    for key, value in data.items():
        folded = key.replace("-", "_")
        if folded == "run_file":
            raise asking.run_file_inside(file=file)
        if folded not in by_option:
            message = say("{file} has a key '{name}' that is no option", file=file, name=folded)
            raise unknown(message, folded, sorted(set(by_option) - {"run_file"}))
        option = by_option[folded]
        name = str(option.name)
        kind = _kind(name)
        if option.nargs == -1:
            defaults[name] = _systems(file, key, value)
        elif kind == "pairs":
            pairs[name] = _pairs(file, key, value)
        elif kind == "rules":
            rules[name] = _rules(file, key, value)
        elif kind == "convention":
            flags[name] = _scalar(file, key, value)
        else:
            defaults[name] = _default(file, key, kind, value)
    context.default_map = defaults
    context.obj = RunFile(
        path=file,
        columns=pairs["columns"],
        conventions=stated_once(flags, pairs["settings"], say("in {file}", file=file)),
        rules=rules,
    )


run_file_option = click.option(
    "--run-file",
    metavar="FILE.toml",
    is_eager=True,
    expose_value=False,
    callback=_by_run_file,
    help="These options as TOML keys; flags win. Paths are relative to the current folder.",
)


def _read(file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(file).read_text("utf-8-sig"))
    except OSError as error:
        raise asking.unreadable_run_file(file=file, why=reason_of(error)) from None
    except RecursionError:
        raise asking.unreadable_run_file(file=file, why=say("it is nested too deeply")) from None
    except UnicodeDecodeError:
        raise asking.unreadable_run_file(file=file, why=say("it is not UTF-8 text")) from None
    except ValueError as error:  # of TOML, or of an integer with thousands of digits
        raise asking.unreadable_run_file(file=file, why=toml_reason(error)) from None


def _key(option: click.Parameter) -> str:
    long = [text for text in option.opts if text.startswith("--")]
    return long[0].removeprefix("--").replace("-", "_") if long else str(option.name)


def _kind(name: str) -> Kind:
    if name in ("predictions", "baseline"):
        return "table"
    return PARAMETERS[name].kind if name in PARAMETERS else "text"


def _default(file: str, key: str, kind: Kind, value: Any) -> str | list[str] | bool:
    if kind == "flag":
        if not isinstance(value, bool):
            raise _wrong(file, key, say("true or false"), value)
        return value
    if kind == "number":
        return _scalar(file, key, value)
    if kind == "texts" or (kind == "table" and isinstance(value, list)):
        return _texts(file, key, value)
    return _text(file, key, value, _SEVERAL if kind == "table" else say("text"))


def _texts(file: str, key: str, value: Any) -> list[str]:
    return [_text(file, key, one, _SEVERAL) for one in (value if isinstance(value, list) else [value])]


def _rules(file: str, key: str, value: Any) -> list[str]:
    """The rules of a gate: a table of metrics with their limits, or METRIC=VALUE as text."""
    if isinstance(value, dict):
        return [f"{metric}={_scalar(file, f'{key}.{metric}', limit)}" for metric, limit in value.items()]
    return _texts(file, key, value)


def _systems(file: str, key: str, value: Any) -> list[Any]:
    """One run, or a table of several with their names; a list is of files that are one table."""
    if not isinstance(value, dict):
        return [_default(file, key, "table", value)]
    return [(name, _default(file, f"{key}.{name}", "table", run)) for name, run in value.items()]


def _pairs(file: str, key: str, value: Any) -> dict[str, str]:
    """A table, or a list of ``name=value``; ``truth.query = "user_id"`` is a table inside a table."""
    where = say("in {file}", file=file)
    if isinstance(value, list):
        return key_values(f"{file}: {key}", [_text(file, key, one, say("text")) for one in value], where)
    if not isinstance(value, dict):
        raise _wrong(file, key, say("a table or a list of text"), value)
    flat: dict[str, str] = {}
    for name, one in value.items():
        nests = key == "columns" and isinstance(one, dict)
        inner = {f"{name}.{part}": each for part, each in one.items()} if nests else {name: one}
        flat = stated_once(flat, {role: _named(file, key, role, each) for role, each in inner.items()}, where)
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
