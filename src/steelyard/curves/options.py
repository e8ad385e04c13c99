"""What a curve may be asked for."""

from __future__ import annotations

import operator
from typing import SupportsIndex

from steelyard.errors import asking


def whole(owner: str, name: str, value: SupportsIndex, *, above: int) -> int:
    """A whole number greater than ``above``, or an error that says so.

    >>> whole("calibration", "bins", 15, above=0)
    15
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = above
    if number <= above or isinstance(value, bool):
        raise asking.bad_value(owner, name, value, f"a whole number above {above}")
    return number
