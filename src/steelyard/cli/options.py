"""The options of the commands, also for help texts and run files: from ``options.toml`` and conventions."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import click

from steelyard.conventions import Align, Average, Labelled, Rank, Undefinable
from steelyard.text import Message, say

Kind = Literal["text", "texts", "number", "flag", "table", "pairs", "rules", "convention"]
_REPEATED = ("texts", "pairs", "rules")


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """An option; one that takes nothing else takes one of its words."""

    name: str
    about: str
    takes: str = ""
    kind: Kind = "text"
    flags: str = ""
    words: str | Sequence[str] = ()
    default: str | None = None

    def __call__(self, command: Any) -> Any:
        flags = (self.flags or f"--{self.name.replace('_', '-')}").split(", ")
        if self.kind == "flag":
            return click.option(*flags, is_flag=True, help=self.about)(command)
        more: dict[str, Any] = {"type": click.UNPROCESSED, "multiple": self.kind in _REPEATED}
        if self.default is not None:
            more["default"] = self.default
        if self.words:
            more |= {"cls": _Naming, "names": self.names}
        if not self.takes:
            more["callback"] = self._checked
        return click.option(*flags, metavar=self.takes or "[NAMES]", help=self.about, **more)(command)

    def names(self) -> list[str]:
        if not isinstance(self.words, str):
            return list(self.words)
        module, _, name = self.words.partition(":")  # a heavy one, perhaps
        return list(getattr(import_module(module), name))

    def _checked(self, context: click.Context, option: click.Parameter, value: str | None) -> str | None:
        if value is None or value in self.names():
            return value
        known = list(map(repr, self.names()))
        message = say("{value} is not one of {known}.", value=repr(value), known=known)
        raise click.BadParameter(message, context, option)


class _Naming(click.Option):
    """An option whose help has names of a heavy module, which is imported when they are printed."""

    def __init__(self, *arguments: Any, names: Callable[[], list[str]], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.names = names

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.metavar = str(self.metavar).replace("NAMES", "|".join(self.names()))
        option, about = super().get_help_record(ctx) or ("", "")
        return option, Message(about, {"names": self.names()})


def options(*parameters: str | Parameter) -> Callable[[Any], Any]:
    """Give a command options by their names: ``truth``, or ``check.baseline`` for that of one command."""

    def added(command: Any) -> Any:
        for parameter in reversed(parameters):
            command = (PARAMETERS[parameter] if isinstance(parameter, str) else parameter)(command)
        return command

    return added


def format_of(*words: str, endings: str = ".json, .csv, .md") -> Parameter:
    about = f"The form of the output.  [default: by the ending of -o ({endings}), else table]"
    return Parameter(name="form", flags="--format, form", about=about, words=words)


_STATED_OTHERWISE = {"mean", "floor", "scores"}  # --set mean=median; --scores names columns
FLAGS = [
    field
    for stage in (Align, Rank, Labelled, Undefinable, Average)
    for field in dataclasses.fields(stage)
    if field.name not in _STATED_OTHERWISE
]


def _declared() -> dict[str, Parameter]:
    parameters: dict[str, Parameter] = {}
    for field in FLAGS:
        words = field.metadata.get("meaning")
        takes = f"[{'|'.join(words)}]" if words else "N"
        about = field.metadata["about"] if words else "Only the first N of each list."
        parameters[field.name] = Parameter(name=field.name, about=about, takes=takes, kind="convention")
    tables = tomllib.loads(Path(__file__).with_name("options.toml").read_text("utf-8"))
    for name, entry in tables.items():
        if "about" in entry:
            parameters[name] = Parameter(name=name, **entry)
        else:  # the options of one command
            parameters |= {f"{name}.{own}": Parameter(name=own, **one) for own, one in entry.items()}
    return parameters


PARAMETERS = _declared()
SIDE_TABLES = ("catalog", "features", "history", "item_groups", "baseline_lists")
TABLES = ("columns", "classes", "exclude", *SIDE_TABLES, "weights")
CERTAINTY = ("ci", "level", "unit", "seed")
CONVENTIONS = tuple(field.name for field in FLAGS)
# what evaluate, compare and check read in the same way
INPUTS = (
    *("truth", "profile", "columns", "scores", "by", "by_table", "classes", "exclude", *SIDE_TABLES),
    *("weights", *CERTAINTY, *CONVENTIONS, "settings"),
)
