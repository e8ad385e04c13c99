"""What a caller may have given: arguments of public functions hold anything, whatever their types say."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from decimal import Decimal
from numbers import Real


def is_one_of(given: object, words: Collection[str]) -> bool:
    """Whether an argument is one of a few words; a list, an array or a table is none.

    >>> is_one_of("en", ("en", "zh")), is_one_of(["en"], {"en": 1})
    (True, False)
    """
    return isinstance(given, str) and given in words


def is_flag(given: object) -> bool:
    """Whether an argument is a truth value, Python's or NumPy's."""
    numpy = sys.modules.get(
        "numpy"
    )  # not imported here: it takes long, and until it is there is no such value
    return isinstance(given, bool) or (numpy is not None and isinstance(given, numpy.bool_))


def number_of(given: object) -> float | None:
    """The number that an argument is; None for text, a truth value, an array, and what no float can hold.

    >>> number_of(0.5), number_of(True), number_of("1"), number_of(10**400)
    (0.5, None, None, None)
    """
    if is_flag(given) or not isinstance(given, Real | Decimal):
        return None
    try:
        return float(given)
    except (OverflowError, TypeError, ValueError):  # NumPy counts spans of time among the whole numbers
        return None


def whole_of(given: object) -> int | None:
    """The whole number that an argument is, of whatever type.

    >>> whole_of(3), whole_of(3.0), whole_of(2.5), whole_of(True)
    (3, 3, None, None)
    """
    number = number_of(given)
    if number is None or not math.isfinite(number):
        return None
    whole = int(given)  # type: ignore[call-overload]
    return whole if whole == given else None
