"""What several commands read as ``evaluate`` does: the same options, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.evaluate import evaluate, table_or_column
from steelyard.cli.options import (
    BESIDE,
    COMMAND_LINE,
    FLAGS,
    certainty_of,
    files_of,
    key_values,
    stated_once,
)
from steelyard.cli.run_file import RunFile

if TYPE_CHECKING:
    from steelyard.api.check import Weigher
    from steelyard.ask import Request
    from steelyard.engines.call import Call
    from steelyard.measure.certainty import Certainty
    from steelyard.metrics.asked import Asked

_SHARED = {
    *("truth", "profile", "columns", "by", "by_table", "classes", "exclude", "weights", "settings"),
    *("ci", "level", "unit", "seed", "lang", "run_file"),
    *BESIDE,
    *(field.name for field in FLAGS),
}


def inputs_of_evaluate(command: click.Command, without: Sequence[str] = ()) -> click.Command:
    """Give a command the options by which ``evaluate`` reads, after its own; some may mean nothing to it."""
    own = {*without, *(option.name for option in command.params)}
    command.params += [
        option for option in evaluate.params if option.name in _SHARED and option.name not in own
    ]
    return command


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The tables and conventions of a command line, all but the predictions and the metrics."""

    call: Call
    by: Sequence[str]
    classes: Sequence[str] | None
    profile: str
    conventions: dict[str, str]
    certainty: Certainty
    run_file: str | None
    stated: Sequence[str]  # the options that were given

    @classmethod
    def of(cls, flags: dict[str, Any]) -> Inputs:
        """What the shared options say, with what a run file states name by name."""
        from steelyard.engines.call import Call

        context = click.get_current_context()
        file = context.find_object(RunFile) or RunFile()
        stated = [
            f"--{name.replace('_', '-')}"
            for name in flags
            if name not in ("truth", "level")
            and context.get_parameter_source(name) not in (None, click.core.ParameterSource.DEFAULT)
        ]
        beside = {name: table for name in BESIDE if (table := flags.pop(name)) is not None}
        certainty = certainty_of(flags)
        classes, weights, settings = (flags.pop(name) for name in ("classes", "weights", "settings"))
        call = Call(
            predictions=None,
            truth=flags.pop("truth"),
            columns={**file.columns, **key_values("--columns", flags.pop("columns"))},
            exclude=flags.pop("exclude"),
            weights=table_or_column(weights),
            by_table=flags.pop("by_table"),
            beside=beside,
        )
        by, profile = flags.pop("by"), flags.pop("profile")
        given = {name: value for name, value in flags.items() if value is not None}
        return cls(
            call=call,
            by=by,
            classes=[name.strip() for name in classes.split(",")] if classes else None,
            profile=profile,
            conventions={
                **file.conventions,
                **stated_once(given, key_values("--set", settings), COMMAND_LINE),
            },
            certainty=certainty,
            run_file=file.path,
            stated=[*stated, *file.columns, *file.conventions],
        )

    def files(self, *runs: Any) -> list[Path]:
        """Every file that will be read, with those of the runs."""
        call = self.call
        weights = call.weights if isinstance(call.weights, Path) else None
        run_file = Path(self.run_file) if self.run_file else None
        tables = (*runs, call.truth, call.exclude, call.by_table, *call.beside.values(), weights, run_file)
        return list(files_of(*tables))

    def weigher(self, progress: Any) -> Weigher:
        """What evaluates a run against the truth by some metrics, and the options that say how."""
        from steelyard.api.check import Weigher
        from steelyard.api.evaluate import weighed_each

        def weigh(run: Any, truth: Any, metrics: Sequence[Asked]) -> Any:
            call = replace(self.call, predictions=run, truth=truth)
            return weighed_each(self.request(metrics), call, progress)

        return Weigher(weigh, self.stated, self.profile)

    def request(self, metrics: Sequence[str] | Sequence[Asked]) -> Request:
        """Some metrics under the conventions of the command line."""
        from steelyard.ask import ask

        return ask(
            metrics,
            self.profile,
            self.conventions,
            by=self.by,
            classes=self.classes,
            certainty=self.certainty,
        )
