"""What text formats may spoil, put right or refused: blank lines, spaces after separators, mixed ids."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from steelyard.messages import in_quotes, say
from steelyard.messages.errors import opening, reading
from steelyard.messages.errors.places import at_line, json_reason, short, value_at
from steelyard.read.binary import reason_of
from steelyard.read.table import Tidied

IDS = ("query", "item")
_AT_MOST = 1000


def separated(
    name: str, scan: pl.LazyFrame, raw: pl.LazyFrame, frame: pl.DataFrame, roles: Mapping[str, str]
) -> Tidied:
    """Columns of a csv or tsv file without its blank lines, and without the space after each separator.

    ``raw`` is the same file read without quotes: a space inside of quotes belongs to the value.
    """
    filled = _without_blank(name, scan, frame)
    trimmed = _trimmed(name, scan, raw, filled.frame, roles)
    return Tidied(trimmed.frame, filled.rows, (*filled.notes, *trimmed.notes))


def _without_blank(name: str, scan: pl.LazyFrame, frame: pl.DataFrame) -> Tidied:
    # A blank line has no second field, so that a file without missing values costs nothing here.
    if not any(column.null_count() for column in frame):
        return Tidied(frame)
    if not frame.select(_is_blank()).to_series().any():
        return Tidied(frame)
    blank = scan.select(_is_blank()).collect().to_series()
    if not blank.any():
        return Tidied(frame)
    rows = (~blank).arg_true()
    last = rows.max()
    between = int(blank.head(last).sum()) if isinstance(last, int) else 0
    note = say(
        "{table}: {n:,} {n:blank line is|blank lines are} left out.", key="blank_lines", table=name, n=between
    )
    return Tidied(frame.filter(~blank), rows + 1, (note,) if between else ())


def _is_blank() -> pl.Expr:
    return pl.all_horizontal(pl.all().fill_null("").str.strip_chars() == "").alias("blank")


def _trimmed(
    name: str, scan: pl.LazyFrame, raw: pl.LazyFrame, frame: pl.DataFrame, roles: Mapping[str, str]
) -> Tidied:
    spaced = [column.name for column in frame if _spaced(column)]
    if spaced:
        columns = scan.collect_schema().names()
        spaced = [column for column in spaced if _spaced_outside_quotes(raw, columns.index(column))]
    if not spaced:
        return Tidied(frame)
    trimmed = frame.with_columns(_unquoted(pl.selectors.by_name(*spaced).str.strip_chars(" ")))
    numbers = {column for role, column in roles.items() if role not in IDS}  # may have spaces in any case
    told = [in_quotes(short(column.strip())) for column in spaced if column not in numbers]
    note = say(
        "{table}: every {columns:and} begins with a space, which is left out.",
        key="spaces",
        table=name,
        columns=told,
    )
    return Tidied(trimmed, notes=(note,) if told else ())


def _unquoted(values: pl.Expr) -> pl.Expr:
    """Without the quotes that the reader of the file took for text, as a space stood before them."""
    inside = values.str.slice(1, values.str.len_chars() - 2).str.replace_all('""', '"', literal=True)
    return pl.when(values.str.contains('(?s)^".*"$')).then(inside).otherwise(values)


def _spaced(column: pl.Series) -> bool:
    values = column.drop_nulls()
    return len(values) > 0 and values[0].startswith(" ") and bool(values.str.starts_with(" ").all())


def _spaced_outside_quotes(raw: pl.LazyFrame, place: int) -> bool:
    try:
        return _spaced(raw.select(pl.nth(place)).collect().to_series())
    except pl.exceptions.PolarsError:  # separators inside of quotes
        return False


def jsonl(name: str, data: Path | bytes, frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
    """The columns as they are: ids that are numbers in some lines and text in others are an error.

    The reader makes text of both, which would make one id of 1 and "1".
    """
    for role in IDS:
        column = roles.get(role)
        if column is not None and frame.schema[column] == pl.String:
            _check_quoted(name, data, role, column)
    return Tidied(frame)


def json_trouble(error: ValueError | RecursionError) -> str:
    """Why a line could not be parsed, in a few words."""
    if isinstance(error, RecursionError):
        return say("it is nested too deeply")
    return json_reason(error) if isinstance(error, json.JSONDecodeError) else reason_of(error)


def _check_quoted(name: str, data: Path | bytes, role: str, column: str) -> None:
    key = re.escape(json.dumps(column, ensure_ascii=False))
    lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
    # The key may also stand in an object inside of the object: then the line itself says so.
    suspects = lines.filter(pl.col("line").str.contains(rf'{key}\s*:\s*[^"\sn]')).head(_AT_MOST).collect()
    for number, line in suspects.rows():
        try:
            value = json.loads(line).get(column)
        except (ValueError, RecursionError) as error:
            raise opening.bad_json(name, number, json_trouble(error)) from None
        if value is not None and not isinstance(value, str):
            cell = value_at(at_line(name, number), role, column)
            raise reading.mixed_json(cell=cell, value=short(json.dumps(value)))
