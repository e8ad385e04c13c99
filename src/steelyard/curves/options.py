"""What a curve may be asked for."""

from __future__ import annotations

import operator
from typing import SupportsIndex

from steelyard.errors import asking


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
