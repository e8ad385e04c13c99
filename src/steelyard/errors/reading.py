"""What a person is told of columns, ids and values: one sentence for the place, one for the remedy.

Each function returns the exception; the reader raises it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from steelyard.errors import headers
from steelyard.errors.base import ColumnError, ValueInDataError, nearest, quoted

_LONG = 60
_NUMBER = r"[+-]?[0-9]+([.][0-9]+)?"


def short(value: object) -> str:
    """A value as a message shows it: an id of thousands of characters would hide the message."""
    try:
        text = str(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        text = "an integer of thousands of digits"
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def shown(value: object) -> str:
    """The same as Python would write it: text in quotes."""
    return repr(short(value)) if isinstance(value, str) else short(value)


def _say(role: str, column: str) -> str:
    return f'--columns {role}={column}, or columns={{"{role}": "{column}"}} in Python'


def _noun(role: str) -> str:
    return "predicted class" if role == "predicted" else role


def _value(role: str, column: str) -> str:
    return role if column == role else f"{role} (column '{short(column)}')"


def ambiguous_column(name: str, role: str, candidates: Sequence[str], *, key: str = "") -> ColumnError:
    number = {2: "two", 3: "three"}.get(len(candidates), str(len(candidates)))
    return ColumnError(
        f"{number} columns of {name} could be the {_noun(role)}: {quoted(map(short, candidates))}",
        remedy=f"say which one: {_say(key or role, candidates[0])}",
    )


def missing_column(
    name: str,
    role: str,
    columns: Sequence[str],
    *,
    near: str | None,
    separator: str = "",
    also: str = "",
    key: str = "",
    table: str = "predictions",
) -> ColumnError:
    """``table`` says as what it was to be read: a file without header is told how to name its columns."""
    has = f"its columns are {_listing(columns)}" if columns else "it has no columns"
    if separator and any(re.fullmatch(_NUMBER, column) for column in columns):
        return _no_header(name, columns, separator, table, _say(key or role, near or "NAME"))
    header = "; the first line must name the columns" if separator else ""
    if separator and len(columns) == 1 and any(sign in columns[0] for sign in ",;|\t"):
        header = "; fields are separated by commas in .csv files and by tabs in .tsv files"
    return ColumnError(
        f"{name} has no column that could be the {_noun(role)}: {has}",
        remedy=f"say which one: {_say(key or role, near or 'NAME')}{also}{header}",
    )


def _no_header(name: str, columns: Sequence[str], separator: str, table: str, say: str) -> ColumnError:
    """Where the first line holds a number, it is hardly a header: MS MARCO's files have none."""
    columns = [re.sub(r"_duplicated_[0-9]+$", "", column) for column in columns]  # as Polars names doubles
    if len(columns) > 3 and columns[1] in ("0", "Q0"):
        remedy = "a TREC file (query 0 item grade, query Q0 item rank score tag) needs the ending .trec"
    else:
        remedy = f"name its columns, such as {headers.command(name, table, columns, separator)}"
    return ColumnError(
        f"{name} seems to have no header: its first line is {_listing(columns)}",
        remedy=f"{remedy}; if that is the header, say which one: {say}",
    )


def _listing(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - 20} more" if len(columns) > 20 else ""
    return quoted(map(short, columns[:20])) + more


def column_taken(name: str, role: str, column: str, other: str) -> ColumnError:
    return ColumnError(
        f"column '{short(column)}' of {name} is named as the {_noun(other)}, "
        f"and no other column could be the {role}",
        remedy=f"name another column for one of the two: {_say(role, 'NAME')}",
    )


def label_used_twice(name: str, column: str, role: str, other: str) -> ColumnError:
    return ColumnError(
        f"column '{short(column)}' of {name} is both the {role} and the {_noun(other)}",
        remedy=f"name another column for one of the two: {_say(other, 'NAME')}",
    )


def column_in_index(name: str, role: str, level: str) -> ColumnError:
    return ColumnError(
        f"{name} has no column that could be the {role}, but its index is called '{short(level)}'",
        remedy="make the index a column: frame.reset_index()",
    )


def columns_not_mapping(what: str) -> ColumnError:
    return ColumnError(
        f"columns is {what}, not a mapping from role to column name",
        remedy='name roles and columns as text: columns={"query": "user_id", "score": "p_v7"}',
    )


def named_column_missing(tables: Sequence[str], key: str, column: str, columns: Sequence[str]) -> ColumnError:
    near = nearest(column, columns)
    hint = f"did you mean '{near}'?" if near else f"the columns are {_listing(columns)}"
    where = f"{tables[0]} has no" if len(tables) == 1 else f"neither {' nor '.join(tables)} has a"
    return ColumnError(f"{where} column '{column}' (asked for as {key})", remedy=hint)


def unknown_role(key: str, roles: Sequence[str]) -> ColumnError:
    near = nearest(key.rpartition(".")[2], roles)
    hint = f"did you mean '{near}'? " if near else ""
    return ColumnError(
        f"unknown role '{key}' in columns",
        remedy=f"{hint}the roles are {quoted(roles)}, alone or as 'predictions.query', 'truth.query'",
    )


def role_named_twice(role: str, names: Sequence[str]) -> ColumnError:
    return ColumnError(f"columns names the {role} twice: {quoted(names)}", remedy="keep one of them")


def repeated_column(name: str, column: str) -> ColumnError:
    return ColumnError(f"{name} has two columns called '{column}'", remedy="rename or drop one of them")


def parts_differ(first: str, other: str, what: str) -> ColumnError:
    return ColumnError(
        f"{first} and {other} do not fit together: {what}",
        remedy="give files with the same columns and types",
    )


def lists_without(name: str, order: str) -> ColumnError:
    return ColumnError(
        f"{name} holds lists of items, which have no {order}",
        remedy="use order=given (the lists are in order), or give {query: {item: score}}",
    )


def lists_of_rows(name: str) -> ColumnError:
    return ColumnError(
        f"{name} holds lists of items, and a metric of rows needs a score for each item",
        remedy="give {query: {item: score}}, or a table with a score column",
    )


def columns_of_lengths(name: str, lengths: Mapping[str, int]) -> ColumnError:
    shown = ", ".join(f"'{short(key)}' {length:,}" for key, length in lengths.items())
    return ColumnError(
        f"the columns of {name} differ in length: {shown}", remedy="give one value per row in each"
    )


def uneven_lists(place: str, role: str, column: str, length: int, first: int) -> ColumnError:
    return ColumnError(
        f"{place}: {_value(role, column)} holds {length} numbers"
        + (f", and the first row holds {first}" if length != first else ""),
        remedy="every row needs one number for each class",
    )


def unordered(name: str, query: object) -> ColumnError:
    return ColumnError(
        f"{name}, query {shown(query)}: a set has no order",
        remedy="give a list, best first, or {item: score}",
    )


def mapping_values(name: str, query: object, what: str, expected: str) -> ColumnError:
    return ColumnError(
        f"{name}, query {shown(query)}: the value is a {what}", remedy=f"every query needs {expected}"
    )


def mapping_of_columns(name: str, columns: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"{name} is a dict whose keys look like column names: {quoted(columns)}",
        remedy="if it is a table, pass pl.DataFrame(…) of it; a dict is read as {query: [item, …]}",
    )


def mapping_without_labels(name: str) -> ColumnError:
    return ColumnError(
        f"{name} is a dict, which holds scores or labels but not both",
        remedy="give predictions and truth as two dicts, or one table with query, label and score",
    )


def wrong_type(place: str, role: str, column: str, value: object, kind: str) -> ColumnError:
    return ColumnError(
        f"{place}: {_value(role, column)} is {kind}: '{short(value)}'",
        remedy="give numbers; if it holds nothing else, cast it to a numeric type first",
    )


def not_a_label(place: str, role: str, column: str, value: object, kind: str) -> ColumnError:
    return ColumnError(
        f"{place}: {_value(role, column)} is {kind}: '{short(value)}'",
        remedy="give text, numbers, or true and false",
    )


def holds_lists(name: str, role: str, column: str) -> ColumnError:
    return ColumnError(
        f"{name}: {_value(role, column)} holds lists, but a row is one item",
        remedy=f'explode it first, together with what belongs to it (frame.explode("{column}")), '
        "or give {query: [item, …]}",
    )


def not_a_number(place: str, role: str, column: str, text: str) -> ValueInDataError:
    return ValueInDataError(
        f"{place}: {_value(role, column)} is '{short(text)}', which is not a number",
        remedy="remove the row, or correct it; a decimal point is '.', and thousands are not separated",
    )


def missing_value(place: str, role: str, column: str, *, written: str | None = None) -> ValueInDataError:
    """``written`` is the text that stands for what is missing."""
    how = f"'{short(written)}', a missing value" if written and written.strip() else "missing"
    return ValueInDataError(f"{place}: {_value(role, column)} is {how}", remedy="remove the row, or fill it")


def missing_class(place: str, role: str, column: str, written: str) -> ValueInDataError:
    return ValueInDataError(
        f"{place}: {_value(role, column)} is '{short(written)}', a missing value",
        remedy=f"remove the row, or fill it; {named_class(written)}",
    )


def named_class(written: str) -> str:
    """How a text that stands for nothing can be a class."""
    text = short(written.strip())
    return f'if it is a class, name it with the others: classes=["{text}", …], --classes {text},…'


def not_finite(place: str, role: str, column: str, text: str) -> ValueInDataError:
    if "nan" in text.lower():
        where = {"rank": " in a ranking", "weight": " in a mean", "relevance": " in a judgement"}
        why = f"has no place{where[role]}" if role in where else "cannot be compared"
        remedy = f"remove the row, or fill it; a NaN {why}"
    elif role == "score":
        remedy = "remove the row, or cap the score; only -inf is allowed, for an item that is not retrieved"
    else:
        remedy = f"remove the row, or give a finite {role}"
    return ValueInDataError(f"{place}: {_value(role, column)} is '{short(text)}'", remedy=remedy)


def inexact_number(place: str, role: str, column: str, value: object) -> ValueInDataError:
    return ValueInDataError(
        f"{place}: {_value(role, column)} is {short(value)}, "
        "too large an integer to be exact as a 64-bit float",
        remedy="subtract a constant or divide first, so that different values stay different",
    )


def missing_id(place: str, role: str, column: str) -> ValueInDataError:
    return ValueInDataError(
        f"{place}: {_value(role, column)} is missing", remedy="remove the row, or fill the id"
    )


def id_type(place: str, role: str, column: str, kind: str, value: object) -> ColumnError:
    if kind.startswith("float"):
        remedy = (
            "pandas turns integers into floats where one is missing: drop those rows, "
            f"then cast: df['{column}'].astype('int64')"
        )
    else:
        remedy = "cast these ids to text first"
    return ColumnError(
        f"{place}: {_value(role, column)} is of type {kind} (as '{short(value)}'), "
        "but ids are text or integers",
        remedy=remedy,
    )


def id_too_large(place: str, role: str, column: str, value: object) -> ColumnError:
    return ColumnError(
        f"{place}: {_value(role, column)} {short(value)} does not fit into 64 bits with the others",
        remedy="give these ids as text",
    )


def mixed_ids(name: str, role: str, kinds: Sequence[str], examples: Sequence[object]) -> ColumnError:
    such = " and ".join(f"{shown(example)} ({kind})" for kind, example in zip(kinds, examples, strict=True))
    return ColumnError(
        f"{name}: {role} ids of several types, such as {such}",
        remedy="use one type: all text or all integers",
    )


def mixed_column(name: str, column: str, kinds: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"{name}: column '{column}' holds values of several types ({', '.join(kinds)})",
        remedy=f"use one type: df['{column}'].astype(str), or a numeric type",
    )


def huge_integers(name: str, column: str) -> ColumnError:
    return ColumnError(
        f"{name}: column '{short(column)}' holds integers of more than 64 bits",
        remedy="give ids as text, and numbers as floats",
    )


def mixed_json(place: str, role: str, column: str, value: str) -> ColumnError:
    return ColumnError(
        f"{place}: {_value(role, column)} is {short(value)} without quotes, but text in other lines",
        remedy='use one type: all text or all integers; "1" and 1 are different ids',
    )


def not_text(name: str, role: str) -> ColumnError:
    return ColumnError(
        f"{name}: one of the {role} ids is not valid Unicode text",
        remedy="decode the ids properly (errors='replace' at worst)",
    )


def text_against_integers(text: str, numbers: str, column: str, value: str, number: int) -> ColumnError:
    return ColumnError(
        f"{column} ids are text in {text} and integers in {numbers}: "
        f"text '{short(value)}' and integer {number} are different ids",
        remedy=f"cast one of them: give the {column} ids of both as text, or of both as integers",
    )


def text_not_integer(place: str, numbers: str, column: str, value: str) -> ColumnError:
    return ColumnError(
        f"{place}: {column} '{short(value)}' is not written as an integer, "
        f"but the {column} ids of {numbers} are integers",
        remedy="cast the integers to text, written as they are here",
    )


def signed_against_unsigned(negative: str, huge: str, column: str) -> ColumnError:
    return ColumnError(
        f"{column} ids: {negative} and {huge} have no 64-bit type in common",
        remedy="if they are the same hashes, signed in one table and unsigned in the other, reinterpret one; "
        "else give both as text",
    )
