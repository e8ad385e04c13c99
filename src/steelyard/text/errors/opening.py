"""Errors for the case that a file or an object cannot be read as a table, or as one of items."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.text import Message, say
from steelyard.text.errors.base import (
    ReadError,
    SteelyardError,
    nearest,
)
from steelyard.text.errors.forms import Refusal, at_line, declared, short, unknown, word

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
        return declared(__name__, "not_on_this_machine")(name=name)
    alike = [one for one in siblings if nearest(_stem(wanted), [_stem(one)])]
    where = say("the current folder") if folder == "." else folder
    check = say("check the spelling, and that the file is in {folder}", folder=where)
    return unknown(say("{name} does not exist", name=name), wanted, alike, kind=ReadError, remedy=check)


def _stem(name: str) -> str:
    """A file's name without its endings, which most files of a folder have in common."""
    return name.lstrip(".").partition(".")[0]


def not_utf8(name: str, line: int | None) -> SteelyardError:
    return declared(__name__, "not_utf8")(place=at_line(name, line))


def nul_byte(name: str, line: int | None, *, unpack: str = "") -> SteelyardError:
    return declared(__name__, "nul_byte")(place=at_line(name, line), command=_piped("tr -d '\\000'", unpack))


def lone_return(name: str, line: int | None, *, unpack: str = "") -> SteelyardError:
    """``unpack`` is the command that unpacks the file, if it is compressed."""
    return declared(__name__, "lone_return")(
        place=at_line(name, line), end=_piped("tr '\\r' '\\n'", unpack), remove=_piped("tr -d '\\r'", unpack)
    )


def _piped(command: str, unpack: str) -> str:
    return f"{unpack} < OLD | {command} > NEW" if unpack else f"{command} < OLD > NEW"


def unsupported_format(name: str, ending: str, *, formats: Message) -> SteelyardError:
    if ending == "json":
        return declared(__name__, "one_json_document")(name=name)
    return declared(__name__, "unsupported_format")(name=name, ending=ending, formats=formats)


def trec_width(place: str, line: str, found: int, needed: Message, other: Message | None) -> SteelyardError:
    """``other`` says what the line may be instead."""
    return declared(__name__, "trec_width")(
        remedy=say("{other} {table}", other=other, table=_A_TABLE) if other else _A_TABLE,
        place=place,
        needed=needed,
        found=found,
        line=short(line),
    )


def trec_kind(name: str, table: str, *, formats: Message) -> SteelyardError:
    return declared(__name__, "trec_kind")(
        name=name,
        what=say("scores and labels in one table") if table == "labelled" else word(table),
        formats=formats,
    )


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
