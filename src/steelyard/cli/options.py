"""Options that several parts of the command line share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from steelyard.certainty import KINDS, Certainty
from steelyard.conventions import Align, Average, Labelled, Rank, Undefinable
from steelyard.text import Message, say
from steelyard.text.errors import asking

Option = Callable[[Any], Any]  # what gives a command an option
Names = Callable[[], Sequence[str]]
_STATED_OTHERWISE = {"mean", "floor", "scores"}  # --set mean=median; --scores names columns
FLAGS = [
    field
    for stage in (Align, Rank, Labelled, Undefinable, Average)
    for field in dataclasses.fields(stage)
    if field.name not in _STATED_OTHERWISE
]
COMMAND_LINE = say("on the command line")
BESIDE = {
    "catalog": "The items that could have been shown, for coverage@10, gini@10, …: an item column.",
    "features": "What is known of each item, for diversity@10, …: numbers, a vector, categories or tags.",
    "history": "What users had before, for novelty@10, …: query, item and perhaps a count.",
    "item_groups": "The group of each item, such as its provider, for exposure@10: item and group.",
    "usual": "A plain recommender's lists, for unexpectedness@10.",
}
_CERTAINTY = (
    (
        "--ci",
        f"[{'|'.join(KINDS)}]",
        "How the interval of each value is made; auto suits each metric.  [default: auto]",
    ),
    ("--level", "SHARE", "How often intervals are to hold the true value.  [default: 0.95]"),
    ("--unit", "COLUMN", "What is drawn as one for intervals, if not the query or the user: a column."),
    ("--seed", "N", "Another resampling, where intervals are made by one.  [default: 0]"),
)
_NUMBERS = ("level", "seed")


def taking(flags: str, metavar: str, about: str, **more: Any) -> Option:
    return click.option(*flags.split(", "), metavar=metavar, help=about, type=click.UNPROCESSED, **more)


def choosing(flags: str, words: Names | Sequence[str], about: str, **more: Any) -> Option:
    names = words if callable(words) else lambda: words

    def checked(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
        if value is None or value in names():
            return value
        said = say("{value} is not one of {known}.", value=repr(value), known=list(map(repr, names())))
        raise click.BadParameter(said, context, option)

    return taking(flags, "[NAMES]", about, cls=Naming, names=names, callback=checked, **more)


class Naming(click.Option):
    """An option whose help names what may stand in a heavy module, imported when that is printed."""

    def __init__(self, *given: Any, names: Names, **more: Any) -> None:
        super().__init__(*given, **more)
        self.names = names

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.metavar = str(self.metavar).replace("NAMES", "|".join(self.names()))
        option, about = super().get_help_record(ctx) or ("", "")
        return option, Message(about, {"names": self.names()})


def form_option(forms: Sequence[str], endings: str = ".json, .csv, .md") -> Option:
    return choosing("--format, form", forms, f"Without it the ending of -o says it ({endings}), else table.")


def all_of(options: Sequence[tuple[str, str, str]]) -> Option:

    def added(command: Any) -> Any:
        for option in reversed(options):
            command = taking(*option)(command)
        return command

    return added


output_option = taking("-o, --output", "FILE", "Write there; `-` is standard output, as without it.")
verbose_option = click.option(
    "--verbose", is_flag=True, help="Print also notes that say that nothing changes."
)
beside_options = all_of([(f"--{name.replace('_', '-')}", "TABLE", about) for name, about in BESIDE.items()])
certainty_options = all_of(_CERTAINTY)
convention_options = all_of(
    [
        (
            f"--{field.name.replace('_', '-')}",
            f"[{'|'.join(words)}]" if (words := field.metadata.get("meaning")) else "N",
            field.metadata["about"] if words else "Only the first N of each list.",
        )
        for field in FLAGS
    ]
)


def certainty_of(flags: dict[str, Any]) -> Certainty:
    """What the options say of intervals; they are taken out of the others."""
    names = [flag.removeprefix("--") for flag, _, _ in _CERTAINTY]
    texts = {flag: text for flag in names if (text := flags.pop(flag)) is not None}
    return Certainty.of(**{flag: _number(text) if flag in _NUMBERS else text for flag, text in texts.items()})


def _number(text: str) -> int | float | str:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def files_of(*tables: Any) -> Iterator[Path]:
    from steelyard.read.files import paths

    for table in tables:
        for _, path in paths(table)[1] if table else []:
            if isinstance(path, Path):
                yield path


def table_or_column(weights: str | None) -> Path | str | None:
    """A file that exists is a table, and so is what looks like a file; anything else names a column."""
    from steelyard.read.files import KINDS, is_there

    if not weights:
        return None
    path = Path(weights)
    endings = {*KINDS, "gz", "zst", "txt", "json"}
    is_path = is_there(path) or "/" in weights or path.suffix.lstrip(".").lower() in endings
    return path if is_path else weights


def key_values(option: str, given: Sequence[str], where: str = COMMAND_LINE) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise asking.not_key_value(option, text)
        pairs = stated_once(pairs, {key: value}, where)
    return pairs


def metric_and_value(option: str, text: str, example: str) -> tuple[str, str]:
    """What the last ``=`` parts: a metric may have others in brackets, a value has none."""
    metric, _, value = (part.strip() for part in text.rpartition("="))
    if not metric or not value:
        raise asking.not_taken(option=option, wanted="METRIC=VALUE", text=text, example=f"{option} {example}")
    return metric, value


def named_columns(columns: Sequence[str], scores: str | None) -> dict[str, str]:
    return key_values("--columns", [*columns, *([f"score={scores}"] if scores else [])])


def stated_once(one: Mapping[str, str], other: Mapping[str, str], where: str) -> dict[str, str]:
    """Both mappings together; they may not give two values for one name.

    >>> stated_once({"ties": "given"}, {"ties": "given", "rel": "2"}, "in run.toml")
    {'ties': 'given', 'rel': '2'}
    """
    for name in one:
        if other.get(name, one[name]) != one[name]:
            raise asking.stated_twice(name=name, where=where, one=one[name], other=other[name])
    return {**one, **other}
