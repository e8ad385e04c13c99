"""What a user is told when something that was given as an array is none."""

from __future__ import annotations

from steelyard.errors.base import RowError, ValueInDataError
from steelyard.errors.places import short


def not_an_array(role: str, kind: str) -> ValueInDataError:
    return ValueInDataError(
        f"{role} is of type {kind}, not one value per row",
        remedy="give a list, an array or a column of a frame",
    )


def uneven(
    role: str, row: int | None = None, length: int | None = None, first: int | None = None
) -> ValueInDataError:
    """The row and its length are named where they are known; None is the length of a single value."""
    this, other = ("a single value" if n is None else f"a list of {n}" for n in (length, first))
    where = "" if row is None else f": row {row + 1:,} holds {this}, and the first row {other}"
    return ValueInDataError(
        f"{role} mixes single values and lists, or lists of different lengths{where}",
        remedy="give one value per row, or a matrix whose rows are of one length",
    )


def unreadable(role: str, reason: str) -> ValueInDataError:
    return ValueInDataError(
        f"{role} cannot be read as an array: {reason}", remedy="give a list or an array of plain values"
    )


def not_numbers(role: str, kind: str) -> ValueInDataError:
    return ValueInDataError(f"{role} has values of type {kind}", remedy="give real numbers")


def not_a_number(role: str, row: int, value: object) -> RowError:
    shown = f"'{short(value)}'" if isinstance(value, str) else short(value)
    return RowError(row, f"{role} is {shown}, which is not a number", remedy="remove the row, or correct it")


def unlike_groups() -> ValueInDataError:
    return ValueInDataError(
        "the groups are of several types, and cannot be told apart for sure",
        remedy="give them all as text, or all as whole numbers",
    )
