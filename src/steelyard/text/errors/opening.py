"""Errors for the case that a file or an object cannot be read as a table, or as one of items."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.text import Message, say
from steelyard.text.errors.base import (
    ReadError,
    Refusal,
    Show,
    SteelyardError,
    declared,
    nearest,
)
from steelyard.text.errors.forms import at_line, short, unknown, word

ACCEPTED = say(
    "a table is a path, a glob or a list of paths; a Polars, pandas or PyArrow table; anything with "
    "__arrow_c_stream__ (such as a DuckDB relation); {query: {item: score}} or {query: [item, …]}"
)
_A_TABLE = say(
    "a table begins with the names of its columns (query, item, score), "
    "and as a file it needs the ending .csv or .tsv"
)


def file_not_found(name: str, *, folder: str, siblings: Iterable[str], wanted: str) -> SteelyardError:
    if "://" in name:
        return ReadError.of("""{name} is not a file on this machine
            open it first and pass it on: pl.scan_parquet(…)""")(name=name)
    alike = [one for one in siblings if nearest(_stem(wanted), [_stem(one)])]
    check = say("check the spelling, and that it lies in {folder}", folder=folder)
    return unknown(say("{name} does not exist", name=name), wanted, alike, kind=ReadError, remedy=check)


def _stem(name: str) -> str:
    """A file's name without its endings, which most files of a folder have in common."""
    return name.lstrip(".").partition(".")[0]


def not_utf8(name: str, line: int | None) -> SteelyardError:
    return ReadError.of("""{place}: the bytes are not UTF-8 text
        save the file as UTF-8 (iconv -f latin1 -t utf-8); if it is not text, give it its own ending""")(
        place=at_line(name, line)
    )


def nul_byte(name: str, line: int | None, *, unpack: str = "") -> SteelyardError:
    return ReadError.of("""{place}: a NUL byte, which text does not have
        remove it ({command}); if the file is not text, give it its own ending""")(
        place=at_line(name, line), command=_piped("tr -d '\\000'", unpack)
    )


def lone_return(name: str, line: int | None, *, unpack: str = "") -> SteelyardError:
    """``unpack`` is the command that unpacks the file, if it is compressed."""
    return ReadError.of("""{place}: a carriage return without a line feed, \
        which may be the end of a line or a part of it
        if lines end so, as on old Macs: {end}; else remove it: {remove}""")(
        place=at_line(name, line), end=_piped("tr '\\r' '\\n'", unpack), remove=_piped("tr -d '\\r'", unpack)
    )


def _piped(command: str, unpack: str) -> str:
    return f"{unpack} < OLD | {command} > NEW" if unpack else f"{command} < OLD > NEW"


def bad_json(name: str, line: int | None, reason: str) -> SteelyardError:
    return ReadError.of("""{place}: not a JSON object ({reason})
        write one object per line; JSON has neither NaN nor Infinity""")(
        place=at_line(name, line), reason=reason
    )


def unsupported_format(name: str, ending: str, *, formats: Message) -> SteelyardError:
    if ending == "json":
        return ReadError.of("""{name} is one JSON document, not a table
            write one object per line (.jsonl), or pass the dict of json.load in Python""")(name=name)
    return ReadError.of("""{name}: .{ending} files are not read
        convert it to one of {formats}""")(name=name, ending=ending, formats=formats)


def trec_width(place: str, line: str, found: int, needed: Message, other: Message | None) -> SteelyardError:
    """``other`` says what the line may be instead."""
    return ReadError.of("{place}: {needed}, this line has {found}: '{line}'")(
        remedy=say("{other} {table}", other=other, table=_A_TABLE) if other else _A_TABLE,
        place=place,
        needed=needed,
        found=found,
        line=short(line),
    )


def trec_kind(name: str, table: str, *, formats: Message) -> SteelyardError:
    return ReadError.of("""{name}: a TREC file cannot hold {what}
        give one of the other kinds ({formats}); for csv and tsv the ending says so""")(
        name=name,
        what=say("scores and labels in one table") if table == "labelled" else word(table),
        formats=formats,
    )


# figures that are shown in a form of their own
_FORMS: dict[str, dict[str, Show]] = {
    "shapes_differ": {"scores": str, "labels": str},
}


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name, _FORMS)
