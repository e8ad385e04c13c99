"""How F-beta weighs recall against precision."""

from __future__ import annotations

import math
from typing import Any

from steelyard.conventions import number

SMALLEST = math.ulp(0.0)


def beta_field() -> Any:
    """The field ``beta``: beyond its bound F-beta is recall to every digit."""
    return number(
        default=1.0,
        meaning="how many times recall weighs as much as precision",
        above=0,
        at_most=1e100,
        tries=(0.5, 1.0, 2.0),
    )


def beta_weights(beta: float) -> tuple[float, float]:
    """The weights of precision and recall, 1 and β², both divided by a power of two that β² is below.

    >>> beta_weights(1.0), beta_weights(3.0)
    ((0.25, 0.25), (0.0625, 0.5625))
    """
    fraction, exponent = math.frexp(beta)
    down = max(2 * exponent, 0)
    return math.ldexp(1.0, -down), max(math.ldexp(fraction * fraction, 2 * exponent - down), SMALLEST)
