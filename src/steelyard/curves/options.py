"""What a curve may be asked for."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import SupportsIndex

from steelyard.arguments import is_number
from steelyard.errors import asking

_LONGEST = 10**15  # of a list


def whole(owner: str, name: str, value: SupportsIndex, *, above: int, at_most: int | None = None) -> int:
    """A whole number greater than ``above`` and not beyond ``at_most``, or an error that says so.

    >>> whole("calibration", "bins", 15, above=0)
    15
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = above
    if number <= above or (at_most is not None and number > at_most) or isinstance(value, bool):
        bounds = f"above {above}" + (f" and at most {at_most}" if at_most is not None else "")
        raise asking.bad_value(owner, name, value, f"a whole number {bounds}")
    return number


def not_negative(owner: str, name: str, value: float) -> float:
    """A number of 0 or more, or an error that says so."""
    if not is_number(value) or not 0 <= value < math.inf:
        raise asking.bad_value(owner, name, value, "0 or more")
    return float(value)


def cutoffs(owner: str, ks: Iterable[SupportsIndex]) -> list[int]:
    """Whole numbers above 0, or an error that says so."""
    try:
        several = None if isinstance(ks, str | bytes) else list(ks)
    except TypeError:
        several = None
    if several is None:
        raise asking.bad_value(owner, "ks", ks, "a list of whole numbers above 0")
    return [whole(owner, "k", k, above=0, at_most=_LONGEST) for k in several]
