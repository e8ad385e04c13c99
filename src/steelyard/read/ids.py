"""Ids of two tables are compared only when they are of one type, and never by guessing."""

from __future__ import annotations

import polars as pl

from steelyard.messages.errors import reading
from steelyard.messages.errors.places import short, word
from steelyard.read.schema import first
from steelyard.read.table import Table


def reconcile(left: Table, right: Table, column: str) -> tuple[pl.Series, pl.Series]:
    """One column of both tables, in one type, so that equal ids are equal.

    Text from a file without types meets integers only when every value survives the way to an integer and
    back ('007' does not); typed text and integers are never taken for each other.
    """
    mine, theirs = left.frame[column], right.frame[column]
    if mine.dtype == theirs.dtype:
        return mine, theirs
    if not len(mine) or not len(theirs):
        # no id at all: it has no type to insist on
        shared = mine.dtype if len(mine) else theirs.dtype
        return mine.cast(shared), theirs.cast(shared)
    if mine.dtype == pl.String:
        mine = _integers(left, right, column)
    elif theirs.dtype == pl.String:
        theirs = _integers(right, left, column)
    return together(mine, theirs, left.name, right.name)


def together(
    left: pl.Series, right: pl.Series, left_name: str, right_name: str
) -> tuple[pl.Series, pl.Series]:
    """Signed and unsigned ids in one type, exactly: floats would merge neighbours above 2**53."""
    if left.dtype == right.dtype:
        return left, right
    signed, unsigned = (left_name, right_name) if left.dtype == pl.Int64 else (right_name, left_name)
    try:
        return left.cast(pl.UInt64), right.cast(pl.UInt64)
    except pl.exceptions.InvalidOperationError:
        pass
    try:
        return left.cast(pl.Int64), right.cast(pl.Int64)
    except pl.exceptions.InvalidOperationError:
        raise reading.signed_against_unsigned(signed, unsigned, left.name) from None


def _integers(texts: Table, numbers: Table, column: str) -> pl.Series:
    text = texts.frame[column]
    if not texts.untyped:
        value, number = _twins(text, numbers.frame[column])
        raise reading.text_against_integers(
            role=word(column), text=texts.name, numbers=numbers.name, value=short(value), number=number
        )
    signed, lost = _survivors(text, pl.Int64)
    if not lost.any():
        return signed
    unsigned, lost_too = _survivors(text, pl.UInt64)
    if not lost_too.any():
        return unsigned
    if not (lost & lost_too).any():
        raise reading.signed_against_unsigned(texts.name, texts.name, column)
    row = first(lost & lost_too)
    raise reading.text_not_integer(
        place=texts.place(row), role=word(column), value=short(text[row]), numbers=numbers.name
    )


def _survivors(text: pl.Series, kind: type[pl.DataType]) -> tuple[pl.Series, pl.Series]:
    """Text as integers, and where the integer is not written as the text was."""
    values = text.cast(kind, strict=False)
    return values, values.cast(pl.String).ne_missing(text)


def _twins(text: pl.Series, numbers: pl.Series) -> tuple[str, int]:
    """A pair of ids for the message, ones that look alike if there are such."""
    alike = text.head(1000).cast(numbers.dtype, strict=False)
    rows = (alike.is_not_null() & alike.is_in(numbers.head(1000).implode())).arg_true()
    if len(rows):
        return text[rows[0]], int(alike[rows[0]])
    return text[0], int(numbers[0])
