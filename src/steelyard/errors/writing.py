"""What a user is told when a result cannot be written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.errors.base import OutputError


def is_a_folder(path: Path) -> OutputError:
    return OutputError(f"{path} is a folder", remedy="name a file")


def no_such_folder(path: Path) -> OutputError:
    return OutputError(
        f"cannot write {path}: there is no folder {path.parent}", remedy="create it, or name another"
    )


def cannot_write(path: Path, why: str) -> OutputError:
    return OutputError(f"cannot write {path}: {why}", remedy="name a place that can be written")


def no_name(option: str) -> OutputError:
    return OutputError(
        f"{option} names no file: it is empty",
        remedy=f"name a file, or leave {option} out; an empty shell variable gives this",
    )


def not_a_path(given: object) -> OutputError:
    return OutputError(
        f"a file is named by text or a path; got a {type(given).__name__}",
        remedy="name it: 'results/run.json'",
    )


def not_open(path: Path) -> OutputError:
    return OutputError(f"cannot write {path}: nothing is open there", remedy="open it, or name a file")


def cannot_encode(encoding: str, character: str) -> OutputError:
    return OutputError(
        f"cannot write standard output: its encoding, {encoding}, has no {character!a}",
        remedy="name a file with -o or --per-query, which is UTF-8, or set PYTHONIOENCODING=utf-8",
    )


def is_an_input(path: Path) -> OutputError:
    return OutputError(f"cannot write {path}: it is one of the inputs", remedy="name another file")


def same_output(name: str) -> OutputError:
    return OutputError(
        f"the result and the values per query would both be written to {name}",
        remedy="give -o and --per-query a file each",
    )


def report_over_output(name: str) -> OutputError:
    return OutputError(
        f"the report and another output would both be written to {name}",
        remedy="give --report a file of its own",
    )


def unknown_ending(path: Path, known: Sequence[str]) -> OutputError:
    return OutputError(
        f"cannot write {path}: its ending does not say in which format",
        remedy=f"known: {', '.join(known)}",
    )


def not_the_demo_s(path: Path) -> OutputError:
    return OutputError(
        f"{path} is there already, and `steelyard demo` did not write it", remedy="name an empty folder"
    )


def unknown_format(name: object, known: list[str]) -> OutputError:
    return OutputError(f"unknown format '{name}'", remedy=f"known: {', '.join(known)}")


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
    return OutputError(
        f"results are given under their names; got a {found}",
        remedy="give what sy.evaluate returned: sy.report({'old': one, 'new': other}, 'report.html')",
    )


def bad_title(title: object) -> OutputError:
    return OutputError(
        f"the title of a report is text; got a {type(title).__name__}", remedy="give text, or None"
    )


def bad_indent(indent: object, most: int) -> OutputError:
    return OutputError(
        f"indent is {indent!r}, and must be None or a whole number", remedy=f"give one from 0 to {most}"
    )


def not_a_result(name: str, found: str) -> OutputError:
    return OutputError(
        f"'{name}' is not a result; it is a {found}", remedy="give what sy.evaluate returned, under its name"
    )
