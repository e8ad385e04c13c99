"""Errors for the case that predictions and truth do not fit together."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.text import say
from steelyard.text.errors.base import (
    SteelyardError,
    quoted,
)
from steelyard.text.errors.forms import Refusal, declared

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
        said=error.said, column=column, values=quoted(values), value=repr(values[0])
    )


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
