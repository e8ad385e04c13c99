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


def is_one_of(given: object, words: Collection[str]) -> bool:
    """Whether an argument is one of a few words; a list, an array or a table is not.

    >>> is_one_of("en", ("en", "zh")), is_one_of(["en"], {"en": 1})
    (True, False)
    """
    return isinstance(given, str) and given in words


def is_flag(given: object) -> bool:
    if isinstance(given, bool):
        return True
    numpy = sys.modules.get("numpy")  # without an import no value is NumPy's
    return numpy is not None and isinstance(given, numpy.bool_)


def is_scalar(given: object) -> bool:
    """Whether an argument is a text, or a number of any type.

    >>> is_scalar("a"), is_scalar(0.5), is_scalar(["a"]), is_scalar({"a": 1})
    (True, True, False, False)
    """
    return isinstance(given, str) or number_of(given) is not None


def number_of(given: object) -> float | None:
    """The argument as a float; None for text, a truth value, an array, and a number too large.

    >>> number_of(0.5), number_of(True), number_of("1"), number_of(10**400)
    (0.5, None, None, None)
    """
    if isinstance(given, bool) or not isinstance(given, Real | Decimal):  # NumPy's truth values are not Real
        return None
    try:
        return float(given)
    except (OverflowError, TypeError, ValueError):  # NumPy has spans of time as whole numbers
        return None


def whole_of(given: object) -> int | None:
    """The argument as a whole number, of any type; else None.

    >>> whole_of(3), whole_of(3.0), whole_of(2.5), whole_of(True)
    (3, 3, None, None)
    """
    if type(given) is int and abs(given) < 2**53:
        return given
    number = number_of(given)
    if number is None or not math.isfinite(number):
        return None
    whole = int(given)  # type: ignore[call-overload]
    return whole if whole == given else None


def slice_value(name: str) -> str | None:
    """The value that names a slice; None for the slice without one.

    >>> slice_value("JP"), slice_value("(none)"), slice_value('"(none)"'), slice_value('""')
    ('JP', None, '(none)', '')
    """
    if name == NONE:
        return None
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def is_of_slice(given: object, name: str) -> bool:
    """Whether the name of a slice means a value: a text, a number, a truth value, a date or a time.

    >>> is_of_slice(3.0, "3"), is_of_slice(True, "true"), is_of_slice(None, "(none)")
    (True, True, True)
    >>> is_of_slice(datetime(2026, 1, 2), "2026-01-02 00:00:00.000000")
    True
    """
    value, given = slice_value(name), None if _is_nan(given) else given
    if value is None or given is None:
        return value is given or (isinstance(given, str) and name == given)
    if str(given) in (name, value):
        return True
    if is_flag(given):
        return value == str(given).lower()
    number = number_of(given)
    try:
        return float(value) == number if number is not None else _is_moment(given, value)
    except ValueError:
        return False


def _is_nan(given: object) -> bool:
    """Whether an argument is NaN or NaT, which do not equal themselves."""
    try:
        return bool(given != given)
    except (TypeError, ValueError):
        return False


def _is_moment(given: object, text: str) -> bool:
    """Whether a text is this date, time or span of time as Polars writes it, in any precision."""
    if isinstance(given, timedelta):
        import polars as pl

        return bool(pl.Series([given]).dt.to_string("polars")[0] == text)
    if isinstance(given, time):
        same = time.fromisoformat(str(given)) == time.fromisoformat(text)
    else:
        if not isinstance(given, date) and type(given).__name__ != "datetime64":
            return False
        same = datetime.fromisoformat(str(given)) == datetime.fromisoformat(text)
    return same and _nanoseconds(str(given)) == _nanoseconds(text)


def _nanoseconds(text: str) -> str:
    """The digits of a second after the sixth, which Python ignores; NumPy and pandas have them."""
    match = re.search(r"\.\d{6}(\d+)", text)
    return match[1].rstrip("0") if match else ""
