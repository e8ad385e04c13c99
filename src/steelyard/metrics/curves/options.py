"""What a curve may be asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable

from steelyard.arguments import number_of, whole_of
from steelyard.text import say
from steelyard.text.errors import asking
from steelyard.text.errors.forms import number_in

_LONGEST = 10**15  # of a list


def whole(owner: str, name: str, value: float, *, above: int, at_most: int | None = None) -> int:
    """A whole number greater than ``above`` and not beyond ``at_most``, or an error that says so.

    >>> whole("calibration", "bins", 15, above=0)
    15
    """
    number = whole_of(value)
    if number is None or number <= above or (at_most is not None and number > at_most):
        raise asking.bad_value(owner, name, value, number_in(whole=True, above=above, at_most=at_most))
    return number


def not_negative(owner: str, name: str, value: float) -> float:
    number = number_of(value)
    if number is None or not 0 <= number < math.inf:
        raise asking.bad_value(owner, name, value, say("0 or more"))
    return number


def cutoffs(owner: str, ks: Iterable[float]) -> list[int]:
    try:
        several = None if isinstance(ks, str | bytes) else list(ks)
    except TypeError:
        several = None
    if several is None:
        raise asking.bad_value(owner, "ks", ks, say("a list of whole numbers above 0"))
    return [whole(owner, "k", k, above=0, at_most=_LONGEST) for k in several]
