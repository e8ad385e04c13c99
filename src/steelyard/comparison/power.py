"""What a comparison could have seen: the smallest difference, and how many units a wanted one needs."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats
from steelyard.kernels.distributions import normal_quantile, student_quantile

POWER = 0.8


def detectable(
    variance: Floats, df: Floats, level: float = 0.95, tests: int = 1, power: float = POWER
) -> Floats:
    """The difference that a test at this level finds with this power, from the variance of the difference.

    ``tests`` are those of its family; with more than one it is the difference at the first step of Holm.

    >>> detectable(np.array([0.3**2 / 200]), np.array([199]))
    array([0.05972339])
    """
    alpha = (1 - level) / tests
    return (student_quantile(1 - alpha / 2, df) + student_quantile(power, df)) * np.sqrt(variance)


def units_needed(
    deviation: Floats, delta: float, level: float = 0.95, tests: int = 1, power: float = POWER
) -> Floats:
    """How many units a test needs to find the difference ``delta`` with this power.

    ``deviation`` is that of a unit's difference: the root of the number of units times the variance.

    >>> units_needed(np.array([0.3]), 0.02)
    array([1766.])
    """
    alpha = (1 - level) / tests
    reach = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.ceil((reach * np.asarray(deviation) / delta) ** 2))
