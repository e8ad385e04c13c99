"""What several commands read as ``evaluate`` does: the options, what they say, and systems by their names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.evaluate import evaluate
from steelyard.cli.options import (
    BESIDE,
    COMMAND_LINE,
    FLAGS,
    certainty_of,
    files_of,
    key_values,
    named_columns,
    stated_once,
    table_or_column,
)
from steelyard.cli.run_file import RunFile
from steelyard.text.errors import SteelyardError, asking

if TYPE_CHECKING:
    from steelyard.api.check import Weigher
    from steelyard.certainty import Certainty
    from steelyard.engine.protocol import Call
    from steelyard.metrics.base import MetricRequest
    from steelyard.read import Opened
    from steelyard.spec import Plan

_SHARED = {
    *("truth", "profile", "columns", "scores", "by", "by_table", "classes", "exclude", "weights", "settings"),
    *("ci", "level", "unit", "seed", "lang", "run_file"),
    *BESIDE,
    *(field.name for field in FLAGS),
}
_OF_CALL = {"truth", "columns", "scores", "exclude", "weights", "by_table", "classes", *BESIDE}


def inputs_of_evaluate(command: click.Command, without: Sequence[str] = ()) -> click.Command:
    """Give a command the options by which ``evaluate`` reads, after its own; some may mean nothing to it."""
    own = {*without, *(option.name for option in command.params)}
    command.params += [
        option for option in evaluate.params if option.name in _SHARED and option.name not in own
    ]
    return command


def tables_of_evaluate(command: click.Command) -> click.Command:
    """Give a command the tables of ``evaluate`` alone: no conventions, no intervals, no slices."""
    without = ["profile", "settings", "by", "by_table", "ci", "level", "unit", "seed", "run_file"]
    return inputs_of_evaluate(command, [*without, *(field.name for field in FLAGS)])


def call_of(predictions: Any, flags: Mapping[str, Any], columns: Mapping[str, Any] | None = None) -> Call:
    """The tables that the shared options name, with columns that a run file states."""
    from steelyard.engine.protocol import Call

    return Call(
        predictions=predictions,
        truth=flags["truth"],
        columns={**(columns or {}), **named_columns(flags["columns"], flags.get("scores"))},
        exclude=flags["exclude"],
        weights=table_or_column(flags["weights"]),
        by_table=flags.get("by_table"),
        beside={name: table for name in BESIDE if (table := flags[name]) is not None},
    )


def classes_of(flags: Mapping[str, Any]) -> list[str] | None:
    return [name.strip() for name in flags["classes"].split(",")] if flags["classes"] else None


def files_read(call: Call, *others: Any) -> list[Path]:
    weights = call.weights if isinstance(call.weights, Path) else None
    tables = (call.predictions, call.truth, call.exclude, call.by_table, *call.beside.values(), weights)
    return list(files_of(*others, *tables))


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The tables and conventions of a command line, all but the predictions and the metrics."""

    call: Call
    profile: str
    asked: dict[str, Any]  # what it states for every metric
    certainty: Certainty
    run_file: str | None
    stated: Sequence[str]  # the options that were given

    @classmethod
    def of(cls, flags: dict[str, Any]) -> Inputs:
        context = click.get_current_context()
        file = context.find_object(RunFile) or RunFile()
        stated = [
            f"--{'set' if name == 'settings' else name.replace('_', '-')}"
            for name in flags
            if name not in ("truth", "level")
            and context.get_parameter_source(name) not in (None, click.core.ParameterSource.DEFAULT)
        ]
        call, classes = call_of(None, flags, file.columns), classes_of(flags)
        flags = {name: value for name, value in flags.items() if name not in _OF_CALL}
        certainty, settings = certainty_of(flags), flags.pop("settings")
        by, profile = flags.pop("by"), flags.pop("profile")
        given = {name: value for name, value in flags.items() if value is not None}
        given = stated_once(given, key_values("--set", settings), COMMAND_LINE)
        return cls(
            call=call,
            profile=profile,
            asked={"by": by, "classes": classes, "conventions": {**file.conventions, **given}},
            certainty=certainty,
            run_file=file.path,
            stated=[*stated, *file.columns, *file.conventions],
        )

    def files(self, *runs: Any) -> list[Path]:
        return files_read(self.call, *runs, Path(self.run_file) if self.run_file else None)

    def weigher(self, progress: Any, *, whole: bool) -> Weigher:
        """What evaluates a run against the truth by some metrics, and the options that say how."""
        from steelyard.api.check import Weigher
        from steelyard.api.evaluate import run_each

        def weigh(run: Any, truth: Any, metrics: Sequence[MetricRequest]) -> Any:
            call = replace(self.call, predictions=run, truth=truth)
            return run_each(self.request(metrics), call, progress, whole=whole)

        return Weigher(weigh, self.stated, self.profile)

    def request(self, metrics: Sequence[str | MetricRequest]) -> Plan:
        from steelyard.spec import ask

        return ask(metrics, self.profile, certainty=self.certainty, **self.asked)


_COMPRESSED = (".gz", ".zst")


def systems_of(given: Sequence[Any]) -> dict[str, Any]:
    """Runs under their names: NAME=RUN, else that of the file without its ending, or with its folder.

    A run is text, or a list of files that are one table; a run file may give it with its name.

    >>> list(systems_of(["runs/old.run", "new=runs/v2.run"]))
    ['old', 'new']
    >>> list(systems_of(["old/p.run", "new/p.run"]))
    ['old/p.run', 'new/p.run']
    """
    parts = [_named(one) for one in given]
    stems = Counter(name or _stem(run) for name, run in parts)
    found: dict[str, Any] = {}
    for name, run in parts:
        called = name or (_stem(run) if stems[_stem(run)] == 1 else _text(run))
        if called in found:
            raise asking.same_name(name=called) if name else asking.same_run(run=called)
        found[called] = run
    return found


def are_several(given: Sequence[Any]) -> bool:
    """Whether there is more than one run, or a run file gives one its name."""
    return len(given) > 1 or isinstance(given[0], tuple)


def run_and_truth(
    given: Sequence[Any], asked: Sequence[MetricRequest], columns: Mapping[str, Any]
) -> tuple[Opened, Opened] | None:
    """Two files as a run and its truth; None where they are systems.

    They are systems where one has a name, where the first has labels of its own, or where no metric needs the
    truth. Two runs without truth are an error.
    """
    from steelyard import read

    needs = [one.metric.need() for one in asked]
    if all(need.reads == "lists" and "truth" not in need.tables for need in needs):
        return None
    if len(given) != 2 or any(isinstance(one, list | tuple) or _named(one)[0] for one in given):
        return None
    read.check_sources(*given)
    run, truth = map(read.Opened, given)
    if read.may_have(run, "predictions", columns, "label"):
        return None
    ordered = read.may_have(truth, "truth", columns, "score", "rank")
    if ordered and not read.may_have(truth, "truth", columns, "label"):
        raise asking.two_runs(one=_text(given[0]), other=_text(given[1]))
    return run, truth


def _named(given: Any) -> tuple[str | None, Any]:
    """The name that was given, if any, and the run; a path that exists has an = of its own."""
    if isinstance(given, tuple):
        return given
    if not isinstance(given, str):
        return None, given
    name, equals, run = given.partition("=")
    if not equals or not run or not name.isidentifier() or _exists(given):
        return None, given
    return name, run


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
