"""Errors for tables that cannot be opened, read or aligned; a ``cell`` is a value by place and role."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from steelyard.text import Message, say
from steelyard.text.errors.base import (
    ColumnError,
    ReadError,
    SteelyardError,
    ValueInDataError,
    nearest,
    quoted,
)
from steelyard.text.errors.forms import (
    Refusal,
    at_line,
    column_of,
    declared,
    short,
    shown,
    unknown,
    value_at,
    word,
)

_MOST_COLUMNS = 20
FILL = say("remove the row, or fill it")
FILL_ID = say("remove the row, or fill the id")
_NUMBER = r"[+-]?[0-9]+([.][0-9]+)?"
_NO_NAN = {
    "rank": say("remove the row, or fill it; a NaN has no place in a ranking"),
    "weight": say("remove the row, or fill it; a NaN has no place in a mean"),
    "relevance": say("remove the row, or fill it; a NaN has no place in a judgement"),
}
# What a table holds, by what it is read as; of several the longest that its columns suffice for.
_HEADERS = {
    "predictions": ("query item", "query item score"),
    "truth": ("query item", "query item relevance"),
    "exclude": ("query item",),
    "weights": ("query weight",),
    "labelled": ("query relevance score", "query item relevance score"),
    "rows": ("label score",),
    "grouped rows": ("query label score",),
    "predicted rows": ("query score", "query item score"),
    "true rows": ("query label", "query item label"),
}
_COMMANDS = {
    "truth": "… --truth -",
    "true rows": "… --truth -",
    "exclude": "… --exclude -",
    "weights": "… --weights /dev/stdin",
}
_SHOWN = {".gz": "gunzip -c < FILE", ".zst": "zstd -dc < FILE"}


def _choice(role: str, column: str) -> Message:
    return say(
        '--columns {role}={column}, or columns={{"{role}": "{column}"}} in Python', role=role, column=column
    )


def _noun(role: str) -> str:
    return word("predicted class" if role == "predicted" else role)


def ambiguous_column(name: str, role: str, candidates: Sequence[str], *, key: str = "") -> SteelyardError:
    numbers = {2: say("two"), 3: say("three")}
    return declared(__name__, "ambiguous_column")(
        number=numbers.get(len(candidates), len(candidates)),
        name=name,
        role=_noun(role),
        candidates=quoted(map(short, candidates)),
        choice=_choice(key or role, candidates[0]),
    )


def missing_column(
    name: str,
    role: str,
    columns: Sequence[str],
    *,
    near: str | None,
    separator: str = "",
    also: Message | None = None,
    key: str = "",
    table: str = "predictions",
) -> SteelyardError:
    """``table`` says as what it was to be read: a file without header is told how to name its columns."""
    choice = _choice(key or role, near or "NAME")
    if separator and any(re.fullmatch(_NUMBER, column) for column in columns):
        return _no_header(name, columns, separator, table, choice)
    remedies = [say("say which one: {choice}", choice=choice), *([also] if also else [])]
    if separator and len(columns) == 1 and any(sign in columns[0] for sign in ",;|\t"):
        remedies.append(say("fields are separated by commas in .csv files and by tabs in .tsv files"))
    elif separator:
        remedies.append(say("the first line must name the columns"))
    has = say("its columns are {columns}", columns=_listing(columns)) if columns else say("it has no columns")
    return declared(__name__, "missing_column")(remedies=remedies, name=name, role=_noun(role), has=has)


def _no_header(
    name: str, columns: Sequence[str], separator: str, table: str, choice: Message
) -> SteelyardError:
    """Where the first line holds a number, it is hardly a header: MS MARCO's files have none."""
    columns = [re.sub(r"_duplicated_[0-9]+$", "", column) for column in columns]  # as Polars names doubles
    if len(columns) > 3 and columns[1] in ("0", "Q0"):
        first = say("a TREC file (query 0 item grade, query Q0 item rank score tag) needs the ending .trec")
    else:
        command = _command(name, table, columns, separator)
        first = say("name its columns, such as {command}", command=command)
    return declared(__name__, "no_header")(name=name, columns=_listing(columns), first=first, choice=choice)


def _listing(columns: Sequence[str]) -> Message:
    return quoted(map(short, columns), _MOST_COLUMNS)


def column_taken(name: str, role: str, column: str, other: str) -> SteelyardError:
    return declared(__name__, "column_taken")(
        column=column_of(column, name), other=_noun(other), role=word(role), choice=_choice(role, "NAME")
    )


def label_used_twice(name: str, column: str, role: str, other: str) -> SteelyardError:
    return declared(__name__, "label_used_twice")(
        column=column_of(column, name), role=word(role), other=_noun(other), choice=_choice(other, "NAME")
    )


def columns_not_mapping(columns: object, odd: object = None) -> SteelyardError:
    """``odd`` is what a mapping holds that is no text."""
    what = say("a {type}", type=type(columns).__name__)
    if isinstance(columns, Mapping):
        what = say("a mapping with {odd} in it", odd=shown(odd))
    return declared(__name__, "columns_not_mapping")(what=what)


def named_column_missing(
    tables: Sequence[str], role: str, column: str, columns: Sequence[str]
) -> SteelyardError:
    """``role`` is what the column was named for."""
    where = say("{name} has no column '{column}'", name=tables[0], column=column)
    if len(tables) > 1:
        where = say("neither {tables:nor} has a column '{column}'", tables=tables, column=column)
    said = say("{where} (asked for as {role})", where=where, role=role)
    remedy = say("the columns are {columns}", columns=_listing(columns))
    return unknown(said, column, columns, kind=ColumnError, remedy=remedy)


def where_column_missing(name: str, column: str, columns: Sequence[str]) -> SteelyardError:
    said = say("{name} has no column '{column}' (named in where)", name=name, column=column)
    remedy = say("the columns are {columns}", columns=_listing(columns))
    return unknown(said, column, columns, kind=ColumnError, remedy=remedy)


def unknown_role(role: str, roles: Sequence[str]) -> SteelyardError:
    said = say("unknown role '{role}' in columns", role=role)
    known = say("the roles are {roles}, alone or as 'predictions.query', 'truth.query'", roles=quoted(roles))
    return unknown(said, role.rpartition(".")[2], roles, kind=ColumnError, remedy=known)


def holds_lists(name: str, role: str, column: str) -> SteelyardError:
    return declared(__name__, "holds_lists")(cell=value_at(name, role, column), column=column)


def numbers_without_role(name: str, column: str, items: str) -> SteelyardError:
    return declared(__name__, "numbers_without_role")(
        choice=_choice("score", column), name=name, column=column, items=items
    )


def named_class(remedy: Message, written: str) -> Message:
    """A remedy for a text that stands for nothing, and how that can be a class."""
    return say(
        '{fill}; if it is a class, name it with the others: classes=["{text}", …], --classes {text},…',
        fill=remedy,
        text=short(written.strip()),
    )


def not_finite(cell: Message, role: str, text: str) -> SteelyardError:
    remedy = say("remove the row, or give a finite {role}", role=word(role))
    if "nan" in text.lower():
        remedy = _NO_NAN.get(role, say("remove the row, or fill it; a NaN cannot be compared"))
    elif role == "score":
        remedy = say(
            "remove the row, or cap the score; only -inf is allowed, for an item that is not retrieved"
        )
    return declared(__name__, "not_finite")(remedy=remedy, cell=cell, text=short(text))


def id_type(cell: Message, column: str, kind: str, value: object) -> SteelyardError:
    remedy = say("cast these ids to text first")
    if kind.startswith("float"):
        remedy = say(
            "pandas turns integers into floats where one is missing: drop those rows, "
            "then cast: df['{column}'].astype('int64')",
            column=column,
        )
    return declared(__name__, "id_type")(remedy=remedy, cell=cell, type=kind, value=short(value))


def mixed_ids(name: str, role: str, kinds: Sequence[str], examples: Sequence[object]) -> SteelyardError:
    such = [
        say("{value} ({type})", value=shown(example), type=kind)
        for kind, example in zip(kinds, examples, strict=True)
    ]
    return declared(__name__, "mixed_ids")(name=name, role=word(role), such=such)


def uneven(
    role: str, row: int | None = None, length: int | None = None, first: int | None = None
) -> SteelyardError:
    """The row and its length are named where they are known; None is the length of a single value."""
    said = say("{role} mixes single values and lists, or lists of different lengths", role=word(role))
    if row is not None:
        this, other = _held(length), _held(first)
        where = say(
            "row {row:,} holds {this}, and the first row {other}", row=row + 1, this=this, other=other
        )
        said = say("{said}: {where}", said=said, where=where)
    remedy = say("give one value per row, or a matrix whose rows are of one length")
    return ValueInDataError(said, remedy=remedy)


def _held(length: int | None) -> Message:
    return say("a single value") if length is None else say("a list of {n}", n=length)


def _command(name: str, table: str, first: Sequence[str], separator: str) -> str:
    r"""The command that evaluates a file under a header; ``first`` are the fields of its first line.

    >>> print(_command("run.csv", "predictions", ["7", "21", "0.5"], ","))
    (printf 'query,item,score\n'; cat FILE) | steelyard evaluate - …
    """
    names = separator.join(_header(table, first)).replace("\t", "\\t")
    show = next((text for ending, text in _SHOWN.items() if name.endswith(ending)), "cat FILE")
    return f"(printf '{names}\\n'; {show}) | steelyard evaluate {_COMMANDS.get(table, '- …')}"


def _header(table: str, first: Sequence[str]) -> list[str]:
    width = len(first)
    fitting = [names.split() for names in _HEADERS[table] if len(names.split()) <= width]
    names = fitting[-1] if fitting else _HEADERS[table][0].split()[:width]
    if table == "predictions" and width > 2 and re.fullmatch("[0-9]+", first[2]):
        names[2] = "rank"  # as MS MARCO has it
    return [*names, *(f"column_{place + 1}" for place in range(len(names), width))]


Told = tuple[str, Sequence[object]] | None  # the column that tells doubled rows apart, and some of its values
PURPOSES = {"slice": say("slice // a verb"), "weigh": say("weigh"), "draw": say("draw units")}


def column_not_found(
    column: str, tables: Sequence[str], purpose: str, available: Sequence[str], *, like_path: bool
) -> SteelyardError:
    """``like_path``: the column is named as a file is."""
    remedy = say("the columns are: {available}", available=available)
    if like_path and purpose == "slice":
        remedy = say(
            "{known}; to slice by a table of its own: by=Path('{column}'), --by-table {column}",
            known=remedy,
            column=column,
        )
    return declared(__name__, "column_not_found")(
        remedy=remedy, column=column, tables=tables, purpose=PURPOSES[purpose]
    )


def told_apart(error: SteelyardError, told: Told) -> SteelyardError:
    """The error of duplicate rows; it names a column that tells them apart, with some of its values."""
    if told is None:
        return error
    column, values = told
    return declared(__name__, "told_apart")(
        said=error.sentence, column=column, values=quoted(values), value=repr(values[0])
    )


ACCEPTED = say(
    "a table is a path, a folder, a glob, a URL or a list of these; a Polars, pandas or PyArrow table; "
    "anything with __arrow_c_stream__ (such as a DuckDB relation); {query: {item: score}} or "
    "{query: [item, …]}"
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
    alone = table == "labelled"  # a run whose judgements were not given
    return declared(__name__, "trec_kind")(
        remedy=say("give the judgements too: --truth FILE, in Python truth=…") if alone else None,
        name=name,
        what=say("scores and labels in one table") if alone else word(table),
        formats=formats,
    )


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
