"""What a user is told when a result cannot be written."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from steelyard.errors.base import OutputError
from steelyard.errors.forms import unknown
from steelyard.messages import Message, say


def cannot_write(what: Path | Message, why: str, remedy: Message | None = None) -> OutputError:
    said = say("cannot write {what}: {why}", what=what, why=why)
    return OutputError(said, remedy=remedy or say("name a place that can be written"))


def no_such_folder(path: Path) -> OutputError:
    why = say("there is no folder {folder}", folder=path.parent)
    return cannot_write(path, why, say("create it, or name another"))


def is_an_input(path: Path) -> OutputError:
    return cannot_write(path, say("it is one of the inputs"), say("name another file"))


def unknown_ending(what: Path | Message, known: Collection[str]) -> OutputError:
    why = say("its ending does not say in which format")
    return unknown(say("cannot write {what}: {why}", what=what, why=why), None, known, kind=OutputError)


def cannot_encode(encoding: str, character: str) -> OutputError:
    said = say(
        "cannot write standard output: its encoding, {encoding}, has no {character}",
        encoding=encoding,
        character=ascii(character),
    )
    return OutputError(
        said, remedy="name a file with -o or --per-query, which is UTF-8, or set PYTHONIOENCODING=utf-8"
    )


def is_a_folder(path: Path) -> OutputError:
    said = say("{path} is a folder", path=path)
    return OutputError(said, remedy="name a file")


def no_name(option: str) -> OutputError:
    return OutputError(
        "{option} names no file: it is empty",
        remedy="name a file, or leave {option} out; an empty shell variable gives this",
        option=option,
    )


def not_a_path(given: object) -> OutputError:
    said = say("a file is named by text or a path; got a {found}", found=type(given).__name__)
    return OutputError(said, remedy="name it: 'results/run.json'")


def both_written(outputs: Message, what: Path | Message, remedy: Message) -> OutputError:
    return OutputError(
        say("{outputs} would both be written to {what}", outputs=outputs, what=what), remedy=remedy
    )


def not_the_demo_s(path: Path) -> OutputError:
    said = say("{path} is there already, and `steelyard demo` did not write it", path=path)
    return OutputError(said, remedy="name an empty folder")


def not_a_folder(path: Path) -> OutputError:
    said = say("'{path}' is a file, not a folder", path=path)
    return OutputError(said, remedy="name a folder, or one that does not exist yet")


def demo_refused(said: Message) -> OutputError:
    return OutputError(said, remedy=say("name a folder that you may write to"))


def pandas_missing() -> OutputError:
    return OutputError(
        "pandas is not installed", remedy="pip install 'steelyard[pandas]', or use .table() for Polars"
    )


def report_missing() -> OutputError:
    return OutputError(
        "a report is made with jinja2, altair and vl-convert-python, which are not installed",
        remedy="pip install 'steelyard[report]'",
    )


def nothing_to_report() -> OutputError:
    return OutputError(
        "a report was asked for, but no result was given",
        remedy="give at least one: sy.report({'name': result}, 'report.html')",
    )


def not_results(found: str) -> OutputError:
    remedy = say("give what sy.evaluate returned: sy.report({'old': one, 'new': other}, 'report.html')")
    said = say("results are given under their names; got a {found}", found=found)
    return OutputError(said, remedy=remedy)


def not_a_result(name: str, found: str) -> OutputError:
    said = say("'{name}' is not a result; it is a {found}", name=name, found=found)
    return OutputError(said, remedy="give what sy.evaluate returned, under its name")


def bad_title(title: object) -> OutputError:
    said = say("the title of a report is text; got a {found}", found=type(title).__name__)
    return OutputError(said, remedy="give text, or None")


def bad_number(name: str, value: object, allowed: Message, remedy: Message) -> OutputError:
    said = say("{name} is {value}, and must be {allowed}", name=name, value=repr(value), allowed=allowed)
    return OutputError(said, remedy=remedy)
