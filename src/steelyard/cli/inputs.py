"""What the arguments of a command say: tables, conventions, and systems by their names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import CERTAINTY, CONVENTIONS, SIDE_TABLES
from steelyard.text import say
from steelyard.text.errors import SteelyardError, asking

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


def _number(text: str) -> int | float | str:
    try:
        return float(text) if "." in text else int(text)
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
    from steelyard.read.files import paths

    for table in tables:
        for _, path in paths(table)[1] if table else []:
            if isinstance(path, Path):
                yield path


def files_read(call: Call, *others: Any) -> list[Path]:
    weights = call.weights if isinstance(call.weights, Path) else None
    tables = (call.predictions, call.truth, call.exclude, call.by_table, *call.side_tables.values(), weights)
    return list(files_of(*others, *tables))


# --- everything that evaluate, compare and check read in the same way


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
            if name not in ("truth", "level")
            and context.get_parameter_source(name) not in (None, click.core.ParameterSource.DEFAULT)
        ]
        intervals = {name: flags[name] for name in CERTAINTY if flags[name] is not None}
        conventions = {name: flags[name] for name in CONVENTIONS if flags[name] is not None}
        conventions = stated_once(conventions, key_values("--set", flags["settings"]), COMMAND_LINE)
        return cls(
            call=call_of(None, flags, file.columns),
            profile=flags["profile"],
            for_every_metric={
                "by": flags["by"],
                "classes": texts_of(flags["classes"]),
                "conventions": {**file.conventions, **conventions},
            },
            certainty=Certainty.of(
                **{
                    name: _number(text) if name in ("level", "seed") else text
                    for name, text in intervals.items()
                }
            ),
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
        name = stated or (_stem(run) if stems[_stem(run)] == 1 else _text(run))
        if name in systems:
            raise asking.same_name(name=name) if stated else asking.same_run(run=name)
        systems[name] = run
    return systems


def are_several(runs: Sequence[Any]) -> bool:
    """Whether there is more than one run, or a run file gives one its name."""
    return len(runs) > 1 or isinstance(runs[0], tuple)


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
        raise asking.two_runs(one=_text(runs[0]), other=_text(runs[1]))
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
    from steelyard.read.files import paths

    try:
        return any(Path(path).exists() for _, path in paths(text)[1])
    except (SteelyardError, OSError, ValueError):  # a pattern that finds nothing, a name that no file has
        return False


def _text(run: Any) -> str:
    return os.fspath(run) if isinstance(run, str | os.PathLike) else ", ".join(run)


def _stem(run: Any) -> str:
    path = Path(run[0] if isinstance(run, list) else run)
    return Path(path.stem).stem if path.suffix.lower() in _COMPRESSED else path.stem
