"""Checks of arguments: public functions may get anything, whatever their types say."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real

from steelyard.printable import NONE


def is_one_of(argument: object, words: Collection[str]) -> bool:
    """Whether an argument is one of a few words; a list, an array or a table is not.

    >>> is_one_of("en", ("en", "zh")), is_one_of(["en"], {"en": 1})
    (True, False)
    """
    return isinstance(argument, str) and argument in words


def is_flag(argument: object) -> bool:
    if isinstance(argument, bool):
        return True
    numpy = sys.modules.get("numpy")  # without an import no value is NumPy's
    return numpy is not None and isinstance(argument, numpy.bool_)


def is_scalar(argument: object) -> bool:
    """Whether an argument is a text, or a number of any type.

    >>> is_scalar("a"), is_scalar(0.5), is_scalar(["a"]), is_scalar({"a": 1})
    (True, True, False, False)
    """
    return isinstance(argument, str) or number_of(argument) is not None


def number_of(argument: object) -> float | None:
    """The argument as a float; None for text, a truth value, an array, and a number too large.

    >>> number_of(0.5), number_of(True), number_of("1"), number_of(10**400)
    (0.5, None, None, None)
    """
    if isinstance(argument, bool) or not isinstance(
        argument, Real | Decimal
    ):  # NumPy's truth values are not Real
        return None
    try:
        return float(argument)
    except (OverflowError, TypeError, ValueError):  # NumPy has spans of time as whole numbers
        return None


def whole_of(argument: object) -> int | None:
    """The argument as a whole number, of any type; else None.

    >>> whole_of(3), whole_of(3.0), whole_of(2.5), whole_of(True)
    (3, 3, None, None)
    """
    if type(argument) is int and abs(argument) < 2**53:
        return argument
    number = number_of(argument)
    if number is None or not math.isfinite(number):
        return None
    whole = int(argument)  # type: ignore[call-overload]
    return whole if whole == argument else None


def slice_value(name: str) -> str | None:
    """The value that names a slice; None for the slice without one.

    >>> slice_value("JP"), slice_value("(none)"), slice_value('"(none)"'), slice_value('""')
    ('JP', None, '(none)', '')
    """
    if name == NONE:
        return None
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def is_of_slice(argument: object, name: str) -> bool:
    """Whether the name of a slice means a value: a text, a number, a truth value, a date or a time.

    >>> is_of_slice(3.0, "3"), is_of_slice(True, "true"), is_of_slice(None, "(none)")
    (True, True, True)
    >>> is_of_slice(datetime(2026, 1, 2), "2026-01-02 00:00:00.000000")
    True
    """
    value, argument = slice_value(name), None if _is_nan(argument) else argument
    if value is None or argument is None:
        return value is argument or (isinstance(argument, str) and name == argument)
    if str(argument) in (name, value):
        return True
    if is_flag(argument):
        return value == str(argument).lower()
    number = number_of(argument)
    try:
        return float(value) == number if number is not None else _is_moment(argument, value)
    except ValueError:
        return False


def _is_nan(argument: object) -> bool:
    """Whether an argument is NaN or NaT, which do not equal themselves."""
    try:
        return bool(argument != argument)
    except (TypeError, ValueError):
        return False


def _is_moment(argument: object, text: str) -> bool:
    """Whether a text is this date, time or span of time as Polars writes it, in any precision."""
    if isinstance(argument, timedelta):
        import polars as pl

        return bool(pl.Series([argument]).dt.to_string("polars")[0] == text)
    if isinstance(argument, time):
        same = time.fromisoformat(str(argument)) == time.fromisoformat(text)
    else:
        if not isinstance(argument, date) and type(argument).__name__ != "datetime64":
            return False
        same = datetime.fromisoformat(str(argument)) == datetime.fromisoformat(text)
    return same and _nanoseconds(str(argument)) == _nanoseconds(text)


def _nanoseconds(text: str) -> str:
    """The digits of a second after the sixth, which Python ignores; NumPy and pandas have them."""
    match = re.search(r"\.\d{6}(\d+)", text)
    return match[1].rstrip("0") if match else ""
