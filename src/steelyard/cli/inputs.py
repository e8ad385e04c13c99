"""What the arguments and the run file of a command say: tables, conventions, and systems by their names."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import CERTAINTY, CONVENTIONS, INPUTS, PARAMETERS, SIDE_TABLES, Kind, speak
from steelyard.text import Message, say
from steelyard.text.errors import SteelyardError, asking
from steelyard.text.errors.forms import must_be, reason_of, toml_reason, unknown

if TYPE_CHECKING:
    from steelyard.api.check import Evaluator
    from steelyard.conventions import Certainty
    from steelyard.engine.protocol import Call
    from steelyard.metrics.base import MetricRequest
    from steelyard.read import Opened
    from steelyard.spec import Plan

COMMAND_LINE = say("on the command line")
_COMPRESSED = (".gz", ".zst")


# --- texts


def key_values(option: str, texts: Sequence[str], where: str = COMMAND_LINE) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise asking.not_key_value(option, text)
        pairs = stated_once(pairs, {key: value}, where)
    return pairs


def stated_once(one: Mapping[str, str], other: Mapping[str, str], where: str) -> dict[str, str]:
    """Both mappings together; they may not give two values for one name.

    >>> stated_once({"ties": "given"}, {"ties": "given", "rel": "2"}, "in run.toml")
    {'ties': 'given', 'rel': '2'}
    """
    for name in one:
        if other.get(name, one[name]) != one[name]:
            raise asking.stated_twice(name=name, where=where, one=one[name], other=other[name])
    return {**one, **other}


def metric_and_value(option: str, text: str, example: str) -> tuple[str, str]:
    """The parts around the last ``=``: a metric may have others in brackets."""
    metric, _, value = (part.strip() for part in text.rpartition("="))
    if not metric or not value:
        raise asking.not_taken(option=option, wanted="METRIC=VALUE", text=text, example=f"{option} {example}")
    return metric, value


def named_columns(columns: Sequence[str], scores: str | None) -> dict[str, str]:
    return key_values("--columns", [*columns, *([f"score={scores}"] if scores else [])])


def texts_of(text: str | None) -> list[str] | None:
    return None if not text else [part.strip() for part in text.split(",")]


def to_number(text: str) -> Any:
    """A number; other text stays, for the error of the function that takes it."""
    try:
        return float(text) if "." in text or "e-" in text else int(text)
    except ValueError:
        return text


def required(arguments: Any, what: str) -> None:
    if not arguments:
        raise click.UsageError(what, click.get_current_context())


# --- tables


def call_of(predictions: Any, flags: Mapping[str, Any], columns: Mapping[str, Any] | None = None) -> Call:
    """The tables that options name, with the columns of a run file."""
    from steelyard.engine.protocol import Call

    return Call(
        predictions=predictions,
        truth=flags["truth"],
        columns={**(columns or {}), **named_columns(flags["columns"], flags.get("scores"))},
        exclude=flags["exclude"],
        weights=_table_or_column(flags["weights"]),
        by_table=flags.get("by_table"),
        where=flags.get("where"),
        memory=flags.get("memory"),
        temp_dir=flags.get("temp_dir"),
        storage_options=key_values("--storage-option", flags.get("storage_option") or ()) or None,
        side_tables={name: table for name in SIDE_TABLES if (table := flags[name]) is not None},
    )


def _table_or_column(weights: str | None) -> Path | str | None:
    """A file that exists or looks like one is a table; anything else names a column."""
    from steelyard.read.files import KINDS, is_there

    if not weights:
        return None
    path = Path(weights)
    endings = {*KINDS, "gz", "zst", "txt", "json"}
    is_path = is_there(path) or "/" in weights or path.suffix.lstrip(".").lower() in endings
    return path if is_path else weights


def files_of(*tables: Any) -> Iterator[Path]:
    from steelyard.read.files import is_folder
    from steelyard.read.folders import paths, walk

    for table in tables:
        for _, path in paths(table)[1] if table else []:
            if isinstance(path, Path):
                yield from walk(path) if is_folder(path) else [path]


def files_read(call: Call, *others: Any) -> list[Path]:
    weights = call.weights if isinstance(call.weights, Path) else None
    tables = (call.predictions, call.truth, call.exclude, call.by_table, *call.side_tables.values(), weights)
    return list(files_of(*others, *tables))


# --- everything that evaluate, compare and check read in the same way


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The tables and conventions of a command line, without the predictions and the metrics."""

    call: Call
    profile: str
    for_every_metric: dict[str, Any]
    certainty: Certainty
    run_file: str | None
    stated: Sequence[str]  # the options that the command line or the run file has

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> Inputs:
        from steelyard.conventions import Certainty

        context, file = click.get_current_context(), RunFile.current()
        stated = [
            f"--{'set' if name == 'settings' else name.replace('_', '-')}"
            for name in flags
            if name in INPUTS
            and name not in ("truth", "level")
            and context.get_parameter_source(name) not in (None, click.core.ParameterSource.DEFAULT)
        ]
        given = {name: flags[name] for name in (*CERTAINTY, *CONVENTIONS) if flags[name] is not None}
        numbers = {name: to_number(given[name]) for name in ("level", "seed") if name in given}
        intervals: dict[str, Any] = {name: given.pop(name) for name in CERTAINTY if name in given}
        conventions = stated_once(given, key_values("--set", flags["settings"]), COMMAND_LINE)
        return cls(
            call=call_of(None, flags, file.columns),
            profile=flags["profile"],
            for_every_metric={
                "by": flags["by"],
                "classes": texts_of(flags["classes"]),
                "conventions": {**file.conventions, **conventions},
            },
            certainty=Certainty.of(**(intervals | numbers)),
            run_file=file.path,
            stated=[*stated, *file.columns, *file.conventions],
        )

    def files(self, *runs: Any) -> list[Path]:
        return files_read(self.call, *runs, Path(self.run_file) if self.run_file else None)

    def evaluator(self, progress: Any, *, whole: bool) -> Evaluator:
        from steelyard.api.check import Evaluator
        from steelyard.api.evaluate import run_each

        def run(predictions: Any, truth: Any, metrics: Sequence[MetricRequest]) -> Any:
            call = replace(self.call, predictions=predictions, truth=truth)
            return run_each(self.plan(metrics), call, progress, whole=whole)

        return Evaluator(run, self.stated, self.profile)

    def plan(self, metrics: Sequence[str | MetricRequest]) -> Plan:
        from steelyard.spec import ask

        return ask(metrics, self.profile, certainty=self.certainty, **self.for_every_metric)


# --- systems


def systems_of(runs: Sequence[Any]) -> dict[str, Any]:
    """Runs by their names: NAME=RUN, else the file without its ending, or with its folder.

    A run is text, or a list of files that are one table; a run file may give it with its name.

    >>> list(systems_of(["runs/old.run", "new=runs/v2.run"]))
    ['old', 'new']
    >>> list(systems_of(["old/p.run", "new/p.run"]))
    ['old/p.run', 'new/p.run']
    """
    parts = [_named(run) for run in runs]
    stems = Counter(name or _stem(run) for name, run in parts)
    systems: dict[str, Any] = {}
    for stated, run in parts:
        name = stated or (_stem(run) if stems[_stem(run)] == 1 else _written(run))
        if name in systems:
            raise asking.same_name(name=name) if stated else asking.same_run(run=name)
        systems[name] = run
    return systems


def run_and_truth(
    runs: Sequence[Any], asked: Sequence[MetricRequest], columns: Mapping[str, Any]
) -> tuple[Opened, Opened] | None:
    """Two files as a run and its truth; None if they are systems.

    They are systems if one has a name, if the first has labels of its own, or if no metric needs the truth.
    Two runs without truth are an error.
    """
    from steelyard import read

    needs = [metric.metric.need() for metric in asked]
    if all(need.reads == "lists" and "truth" not in need.tables for need in needs):
        return None
    if len(runs) != 2 or any(isinstance(run, list | tuple) or _named(run)[0] for run in runs):
        return None
    read.check_sources(*runs)
    run, truth = map(read.Opened, runs)
    if read.may_have(run, "predictions", columns, "label"):
        return None
    ordered = read.may_have(truth, "truth", columns, "score", "rank")
    if ordered and not read.may_have(truth, "truth", columns, "label"):
        raise asking.two_runs(one=_written(runs[0]), other=_written(runs[1]))
    return run, truth


def _named(run: Any) -> tuple[str | None, Any]:
    """The name of a run, if it has one, and the run; a path that exists may have an = of its own."""
    if isinstance(run, tuple):
        return run
    if not isinstance(run, str):
        return None, run
    name, equals, path = run.partition("=")
    if not equals or not path or not name.isidentifier() or _exists(run):
        return None, run
    return name, path


def _exists(text: str) -> bool:
    from steelyard.read.folders import paths

    try:
        return any(Path(path).exists() for _, path in paths(text)[1])
    except (SteelyardError, OSError, ValueError):  # a pattern that finds nothing, a name that no file has
        return False


def _written(run: Any) -> str:
    return os.fspath(run) if isinstance(run, str | os.PathLike) else ", ".join(run)


def _stem(run: Any) -> str:
    path = Path(run[0] if isinstance(run, list) else run)
    return Path(path.stem).stem if path.suffix.lower() in _COMPRESSED else path.stem


# --- a run file: the options of a command as TOML keys

_SEVERAL = say("text or a list of text")


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """What a run file states by name; its other keys are the defaults of the options."""

    path: str | None = None
    columns: Mapping[str, str]
    conventions: Mapping[str, str]
    rules: Mapping[str, Sequence[str]]  # by their options

    @classmethod
    def current(cls) -> RunFile:
        file = click.get_current_context().find_object(cls)
        return file or cls(columns={}, conventions={}, rules={})


def _by_run_file(context: click.Context, _option: click.Parameter, file: str | None) -> None:
    if file is None:
        return
    data = _read(file)
    speak(context, data.get("lang"))
    by_option = {_key(option): option for option in context.command.params}
    flags: dict[str, str] = {}
    pairs: dict[str, dict[str, str]] = {"columns": {}, "settings": {}}
    rules: dict[str, list[str]] = {}
    context.default_map = defaults = dict[str, Any]()
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
            defaults[name] = (_systems if name == "predictions" else _texts)(file, key, value)
        elif kind == "pairs":
            pairs[name] = _pairs(file, key, value)
        elif kind == "rules":
            rules[name] = _rules(file, key, value)
        elif kind == "convention":
            flags[name] = _scalar(file, key, value)
        else:
            defaults[name] = _default(file, key, kind, value)
    conventions = stated_once(flags, pairs["settings"], say("in {file}", file=file))
    context.obj = RunFile(path=file, columns=pairs["columns"], conventions=conventions, rules=rules)


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
        remedy = say("check the path and the file")
        raise asking.unreadable_run_file(file=file, why=reason_of(error), remedy=remedy) from None
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
        flat = stated_once(
            flat, {role: _value_of(file, key, role, each) for role, each in inner.items()}, where
        )
    return flat


def _value_of(file: str, key: str, name: str, value: Any) -> str:
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
