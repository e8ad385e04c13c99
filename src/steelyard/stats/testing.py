"""How differences are tested: the test, its level and correction, and the detectable difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from steelyard.arguments import is_flag, is_one_of
from steelyard.arrays import Floats
from steelyard.kernels.distributions import normal_quantile, student_quantile
from steelyard.stats.p_values import STATISTICS
from steelyard.text import say
from steelyard.text.errors import comparing
from steelyard.text.errors.forms import must_be, one_of

MOST_FLIPPED = 50_000  # units above which auto takes t, which gives the same p by then
TESTS = ("auto", *STATISTICS)
CORRECTIONS = {
    "holm": say("Holm's correction"),
    "bonferroni": say("Bonferroni's correction"),
    "bh": say("Benjamini and Hochberg's correction"),
    "none": say("no correction"),
}
_MOST_DRAWS = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """The options of tests; ``draws`` are those of random signs."""

    test: str = "auto"
    correct: Correction = "holm"
    level: float = 0.95
    seed: int = 0
    draws: int = 100_000
    paired: bool = True  # whether the systems were measured on the same units

    @classmethod
    def of(
        cls, test: Any, correct: Any, level: float, seed: int, draws: Any, *, paired: Any = True
    ) -> Procedure:
        """The options of a call; ``level`` and ``seed`` were checked with the intervals."""
        if not is_one_of(test, TESTS):
            raise one_of("test", test, TESTS)
        if not is_one_of(correct, CORRECTIONS):
            raise one_of("correct", correct, tuple(CORRECTIONS))
        if type(draws) is not int or not 1000 <= draws <= _MOST_DRAWS:
            raise must_be("draws", say("a whole number from 1,000 to 10,000,000"), draws)
        if not is_flag(paired):
            raise must_be("paired", say("True or False"), paired)
        if test != "auto" and STATISTICS[test].paired not in (None, paired):
            raise comparing.test_of_other_samples(test=test)
        return cls(test=test, correct=correct, level=level, seed=seed, draws=draws, paired=bool(paired))

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


Correction = Literal["holm", "bonferroni", "bh", "none"]


def corrected(p: Floats, correction: Correction) -> Floats:
    """The p-values of one family of tests, corrected; NaN stays NaN and is not counted.

    ``holm`` and ``bonferroni`` bound the probability of any false positive, ``bh`` (Benjamini and Hochberg)
    the share of false positives.

    >>> p = np.array([0.01, 0.04, np.nan, 0.03, 0.005])
    >>> corrected(p, "holm")
    array([0.03, 0.06,  nan, 0.06, 0.02])
    >>> corrected(p, "bh")
    array([0.02, 0.04,  nan, 0.04, 0.02])
    """
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    rising, n = p[order], len(order)
    rank = np.arange(1, n + 1)
    if correction == "bonferroni":
        rising = n * rising
    elif correction == "holm":
        rising = np.maximum.accumulate((n - rank + 1) * rising)
    elif correction == "bh":
        rising = np.minimum.accumulate((n * rising / rank)[::-1])[::-1]
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(rising, 1.0)
    return adjusted


POWER = 0.8


def detectable(
    variance: Floats, df: Floats, level: float = 0.95, tests: int = 1, power: float = POWER
) -> Floats:
    """The minimum detectable difference of a test, from the variance of the difference.

    With several ``tests`` in its family, it is that of Holm's first step.

    >>> detectable(np.array([0.3**2 / 200]), np.array([199]))
    array([0.05972339])
    """
    alpha = (1 - level) / tests
    return (student_quantile(1 - alpha / 2, df) + student_quantile(power, df)) * np.sqrt(variance)


def units_needed(
    deviation: Floats, delta: float, level: float = 0.95, tests: int = 1, power: float = POWER
) -> Floats:
    """How many units a test needs to find the difference ``delta`` with this power.

    ``deviation`` is the standard deviation of a unit's difference.

    >>> units_needed(np.array([0.3]), 0.02)
    array([1766.])
    """
    alpha = (1 - level) / tests
    reach = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.ceil((reach * np.asarray(deviation) / delta) ** 2))
