"""The options of the commands, from ``options.toml`` and conventions; their help and usage errors."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal

import click

from steelyard.arguments import is_one_of
from steelyard.conventions import Align, Average, Labelled, Rank, Undefinable
from steelyard.printable import fitted
from steelyard.text import Message, from_locale, languages, say, term
from steelyard.text.errors import SteelyardError
from steelyard.text.errors.forms import check_language, with_guess

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
    *(
        "truth",
        "profile",
        "columns",
        "scores",
        "by",
        "by_table",
        "where",
        "storage_option",
        "memory",
        "temp_dir",
    ),
    *("classes", "exclude", *SIDE_TABLES),
    *("weights", *CERTAINTY, *CONVENTIONS, "settings"),
)

# what evaluate and partial ask for, and what evaluate and merge write
ASKED = ("truth", "metric", "task", *INPUTS[1:])
SHOWN = (
    format_of("table", "json", "csv", "markdown", "latex", endings=".json, .csv, .md, .tex"),
    *("wide", "least", "verbose", "output", "per_query", "report", "save", "chart"),
)


# --- the language, commands and their help

_OPTION = "--lang"


@dataclass
class Speech:
    """The language of one process; a run file does not change one ``stated`` on the command line.

    It is known before the arguments are parsed, for errors in them.

    >>> Speech.of(["evaluate", "--lang=zh", "--nosuch"])
    Speech(lang='zh', stated=True)
    """

    lang: str = dataclasses.field(default_factory=from_locale)
    stated: bool = False

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Speech:
        split = [text.split("=", 1) if text.startswith(f"{_OPTION}=") else [text] for text in arguments]
        langs = [value for name, value in pairwise(chain(*split)) if name == _OPTION]
        return cls(langs[-1], stated=True) if langs and langs[-1] in languages() else cls()


def lang_option(command: Any) -> Any:
    option = click.option(
        _OPTION,
        metavar=f"[{'|'.join(languages())}]",
        is_eager=True,
        callback=_spoken,
        help="The language of messages, charts and reports.  [default: that of the locale]",
    )
    return option(command)


def speak(context: click.Context, lang: object) -> None:
    """Use the language of a run file, unless the command line states one."""
    speech = context.ensure_object(Speech)
    if not speech.stated and is_one_of(lang, languages()):
        speech.lang = str(lang)


def _spoken(context: click.Context, _option: click.Parameter, value: str | None) -> str:
    speech = context.ensure_object(Speech)
    if value is not None:
        check_language(value)
        speech.lang = speech.lang if speech.stated else value
    return speech.lang


_HEADINGS = {str(heading): heading for heading in (say("Options"), say("Commands"))}
_FLAGS = ("-h", "--help", "--version")  # all others take a value
_AS_IT_IS = "\b"  # begins lines that click leaves alone: examples, the same in every language
_WIDEST_NAME = 30


class Context(click.Context):
    def make_formatter(self) -> click.HelpFormatter:
        speech = self.find_object(Speech) or Speech()
        return _Help(speech.lang, self.terminal_width, self.max_content_width)


class _Helped(click.Command):
    context_class = Context

    def get_help_option_names(self, _ctx: click.Context) -> list[str]:
        """The same whoever asks first: click keeps what it finds then."""
        return ["-h", "--help"]


class Command(_Helped):
    allow_extra_args = True  # they are refused here

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        arguments = list(args)  # which click takes apart
        left = super().parse_args(ctx, args)
        self._refuse_repeated(ctx, arguments)
        if left and not ctx.resilient_parsing:
            extra = say(
                "Got unexpected extra {given:argument|arguments} ({text})", given=left, text=" ".join(left)
            )
            raise click.UsageError(extra, ctx)
        return left

    def _refuse_repeated(self, ctx: click.Context, args: list[str]) -> None:
        """Refuse several values of an option that takes one: click would take the last in silence."""
        *_, order = self.make_parser(ctx).parse_args(args)
        for option in order:
            one_value = isinstance(option, click.Option) and not (option.multiple or option.is_flag)
            n = sum(other is option for other in order)
            if one_value and n > 1 and not ctx.resilient_parsing:
                message = say(
                    "{option} takes one value, and is given {n:,} times", option=option.opts[-1], n=n
                )
                raise click.UsageError(message, ctx)

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 - click's name
        """The first sentence, whole: the help of the group breaks it into lines."""
        return paragraphs(self)[0]


class Group(_Helped, click.Group):
    command_class = Command


def refused(error: click.ClickException) -> SteelyardError:
    context = getattr(error, "ctx", None)
    remedy = say("see `{command} --help`", command=context.command_path) if context else ""
    return SteelyardError(_mistake(error), remedy=remedy)


def paragraphs(command: click.Command) -> list[str]:
    return [_unbroken(text) for text in (command.help or "").split("\n\n") if _AS_IT_IS not in text]


def _mistake(error: click.ClickException) -> Message:
    if isinstance(error, click.NoSuchOption):
        message = say("No such option {name}", name=repr(error.option_name))
        return with_guess(message, *sorted(error.possibilities or ()))
    if name := getattr(error, "command_name", None):  # NoSuchCommand, which older versions of click lack
        message = say("No such command {name}", name=repr(name))
        return with_guess(message, *sorted(getattr(error, "possibilities", None) or ()))
    if isinstance(error, click.BadOptionUsage):
        if error.option_name in _FLAGS:
            return say("Option {name} does not take a value.", name=repr(error.option_name))
        return say("Option {name} requires an argument.", name=repr(error.option_name))
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return say("Missing argument '{name}'.", name=error.param.human_readable_name)
    message = error.message if isinstance(error.message, Message) else say("{said}", said=error.message)
    if isinstance(error, click.BadParameter) and error.param is not None and error.ctx is not None:
        option = error.param.get_error_hint(error.ctx)
        return say("Invalid value for {option}: {said}", option=option, said=message)
    return message


class _Help(click.HelpFormatter):
    """Help in a language; unlike click it measures the width of characters."""

    def __init__(self, lang: str, width: int | None, max_width: int | None) -> None:
        super().__init__(width=width, max_width=max_width)
        self.lang = lang

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, say("Usage: ").render(self.lang) if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        text = say("{heading}:", heading=_HEADINGS.get(heading, heading)).render(self.lang)
        self.write(f"{' ' * self.current_indent}{text}\n")

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        blocks = [
            block.splitlines()[1:]
            if _AS_IT_IS in block
            else self._lines(_unbroken(block), self.width - len(indent))
            for block in text.split("\n\n")
        ]
        self.write("\n\n".join("\n".join(indent + line for line in lines) for lines in blocks) + "\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = _WIDEST_NAME, col_spacing: int = 2
    ) -> None:
        rows = list(rows)
        column = min(max(len(name) for name, _ in rows), col_max) + col_spacing
        indent, before = " " * self.current_indent, " " * column
        for name, text in rows:
            first, *others = self._lines(text, max(self.width - column - 2, 10))
            if len(name) <= column - col_spacing:
                lines = [f"{name:<{column}}{first}"]
            else:
                lines = [name, before + first]
            self.write("".join(f"{indent}{line}\n" for line in [*lines, *(before + line for line in others)]))

    def _lines(self, text: str, width: int) -> list[str]:
        message = term(text)
        if "{formats" in text:
            from steelyard.read.files import FORMATS

            message = Message(text, {"formats": list(FORMATS)})
        return fitted(message.render(self.lang), width)


def _unbroken(text: str) -> str:
    return " ".join(text.split())
