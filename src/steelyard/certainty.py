"""The confidence intervals of a call: their kind, level and units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steelyard.arguments import is_one_of, number_of, whole_of
from steelyard.text import say
from steelyard.text.errors.forms import must_be, one_of

KINDS = ("auto", "none", "influence", "score", "t", "bootstrap", "bca")


def alpha_of(level: float) -> float:
    """The significance level of a confidence level, without the rounding error of the subtraction.

    >>> alpha_of(0.95)
    0.05
    """
    return round(1 - level, 12)


@dataclass(frozen=True, kw_only=True)
class Certainty:
    ci: str = "auto"
    level: float = 0.95
    unit: str | None = None  # the column of resampling units
    seed: int = 0
    replicates: int = 1000

    @classmethod
    def of(
        cls, ci: Any = "auto", level: Any = 0.95, unit: Any = None, seed: Any = 0, replicates: Any = 1000
    ) -> Certainty:
        if not is_one_of(ci, KINDS):
            raise one_of("ci", ci, KINDS)
        share = number_of(level)
        if share is None or not 0 < share < 1:
            remedy: str = ""
            if share is not None and 1 < share < 100:
                remedy = say("write {share:g} for {percent:g} %", share=share / 100, percent=share)
            raise must_be("level", say("a number between 0 and 1, such as 0.95"), level, remedy=remedy)
        if unit is not None and (not isinstance(unit, str) or not unit):
            raise must_be("unit", say("the name of a column"), unit)
        start = whole_of(seed)
        if start is None or not 0 <= start < 2**64:
            raise must_be("seed", say("a whole number from 0 to 2**64 - 1"), seed)
        draws = whole_of(replicates)
        if draws is None or not 100 <= draws <= 1_000_000:
            raise must_be("replicates", say("a whole number from 100 to 1,000,000"), replicates)
        return cls(ci=ci, level=share, unit=unit, seed=start, replicates=draws)

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))
