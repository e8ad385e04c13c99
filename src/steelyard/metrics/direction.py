"""Which of two values is better, by the direction of their metric."""

from __future__ import annotations

from typing import Any

from steelyard.metrics.base import Direction


def gained(value: Any, against: Any, way: Direction) -> Any:
    """By how much a value is better than another; NaN where the metric has no better side.

    Numbers, arrays and columns of frames are all taken.

    >>> gained(0.5, 0.25, "higher"), gained(0.5, 0.25, "lower"), gained(1.5, 0.75, "nearest_1")
    (0.25, -0.25, -0.25)
    >>> gained(0.5, 0.25, "none")
    nan
    """
    if way == "nearest_1":
        return abs(against - 1) - abs(value - 1)
    gain = against - value if way == "lower" else value - against
    return gain * float("nan") if way == "none" else gain
