"""How differences are tested: by which test, corrected how, at which level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steelyard.arguments import is_flag, is_one_of
from steelyard.comparison.corrections import Correction
from steelyard.messages import say
from steelyard.messages.errors import comparing
from steelyard.messages.errors.forms import must_be, one_of

MOST_FLIPPED = 50_000  # units above which auto takes t, which gives the same p by then
TESTS = {
    "auto": say(
        "DeLong's test for auc, McNemar's for values of 0 and 1, the bootstrap for metrics without values "
        "per unit; otherwise randomisation, above {most:,} units t",
        most=MOST_FLIPPED,
    ),
    "randomisation": say("randomisation test"),
    "t": say("paired t test"),
    "delong": say("DeLong's test by unit"),
    "wilcoxon": say("Wilcoxon signed-rank test"),
    "bootstrap": say("bootstrap over units"),
    "sign": say("sign test"),
    "mcnemar": say("McNemar's test (mid-p)"),
    "welch": say("Welch's t test of independent samples"),
}
CORRECTIONS = {
    "holm": say("Holm's correction"),
    "bonferroni": say("Bonferroni's correction"),
    "bh": say("Benjamini and Hochberg's correction"),
    "none": say("no correction"),
}
_MOST_DRAWS = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """What a call says of tests; ``draws`` are those of random signs."""

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
        """The same of what a caller gave; ``level`` and ``seed`` were checked with the intervals."""
        if not is_one_of(test, TESTS):
            raise one_of("test", test, tuple(TESTS))
        if not is_one_of(correct, CORRECTIONS):
            raise one_of("correct", correct, tuple(CORRECTIONS))
        if type(draws) is not int or not 1000 <= draws <= _MOST_DRAWS:
            raise must_be("draws", say("a whole number from 1,000 to 10,000,000"), draws)
        if not is_flag(paired):
            raise must_be("paired", say("True or False"), paired)
        if test not in ("auto", "bootstrap") and paired is (test == "welch"):
            raise comparing.test_of_other_samples(test=test)
        return cls(test=test, correct=correct, level=level, seed=seed, draws=draws, paired=bool(paired))

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return dict(vars(self))
