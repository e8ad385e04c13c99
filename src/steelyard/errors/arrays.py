"""What a user is told when something that was given as an array is none."""

from __future__ import annotations

from steelyard.errors.base import Refusal, RowError, ValueInDataError
from steelyard.errors.places import short, word
from steelyard.messages import Message, say

not_an_array = Refusal(
    ValueInDataError,
    "{role} is of type {type}, not one value per row",
    remedy="give a list, an array or a column of a frame",
)
unreadable = Refusal(
    ValueInDataError,
    "{role} cannot be read as an array: {reason}",
    remedy="give a list or an array of plain values",
)
not_numbers = Refusal(ValueInDataError, "{role} has values of type {type}", remedy="give real numbers")
unlike_groups = Refusal(
    ValueInDataError,
    "the groups are of several types, and cannot be told apart for sure",
    remedy="give them all as text, or all as whole numbers",
)


def uneven(
    role: str, row: int | None = None, length: int | None = None, first: int | None = None
) -> ValueInDataError:
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


def not_a_number(role: str, row: int, value: object) -> RowError:
    return RowError(
        row,
        "{role} is {value}, which is not a number",
        remedy="remove the row, or correct it",
        column="label" if role in ("label", "truth") else "",
        role=word(role),
        value=f"'{short(value)}'" if isinstance(value, str) else short(value),
    )
