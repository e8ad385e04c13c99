"""What a caller may have given: arguments of public functions hold anything, whatever their types say."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Real


def is_one_of(given: object, words: Collection[str]) -> bool:
    """Whether an argument is one of a few words; a list, an array or a table is none.

    >>> is_one_of("en", ("en", "zh")), is_one_of(["en"], {"en": 1})
    (True, False)
    """
    return isinstance(given, str) and given in words


def is_number(given: object) -> bool:
    """Whether an argument is a number that a float can hold: no text, no truth value, no array.

    >>> is_number(0.5), is_number(True), is_number("1"), is_number(10**400)
    (True, False, False, False)
    """
    if isinstance(given, bool) or not isinstance(given, Real):
        return False
    try:
        float(given)
    except (OverflowError, TypeError):  # NumPy counts spans of time among the whole numbers
        return False
    return True
