"""How differences between two systems are tested: p-values, corrections, and detectable differences.

Arrays of differences have a row per unit and a column per test, without undefined values. The randomisation
test is ``kernels.draws.flipped_tails``. A new test is a function and a row of ``STATISTICS``, from which the
choices of the command line, the messages and the table of the guide are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steelyard.arguments import is_flag, is_one_of
from steelyard.arrays import Flags, Floats, Ints, Keys
from steelyard.conventions import alpha_of
from steelyard.kernels.distributions import (
    coin_mass,
    coin_tail,
    normal_quantile,
    normal_tail,
    student_quantile,
    student_tail,
)
from steelyard.kernels.draws import poisson_weights
from steelyard.text import Message, say
from steelyard.text.errors import asking, measuring
from steelyard.text.errors.forms import must_be, one_of

if TYPE_CHECKING:
    from steelyard.stats.pairing import Paired


REPLICATES = 2000
_STEPS = 1e12  # to 1, or to the largest value if it is above
_EXACT = 50  # units up to which ranks have their exact distribution, without zeros and ties
_ENUMERATED = 13  # the same with them
_AT_A_TIME = 1 << 22  # weights
_HALVINGS = 60  # of the range of a limit, to the last digit
GRID = 1e-12  # of the largest value, or of 1: smaller differences are rounding
_NEARLY = 1e-12  # smaller differences are rounding; of sums, times the sum of sizes


def differences(one: Floats, other: Floats) -> Floats:
    """``other`` minus ``one``, unit by unit; differences that are equal but for rounding become equal.

    >>> differences(np.array([0.1, 0.3]), np.array([0.4, 0.6]))
    array([0.3, 0.3])
    """
    largest = np.maximum(np.abs(one).max(axis=0, initial=1.0), np.abs(other).max(axis=0, initial=1.0))
    steps = _STEPS / largest
    return np.asarray(np.rint((other - one) * steps) / steps)


def without_dust(values: Floats, size: Floats | float) -> Floats:
    """The values with 0 for what is only rounding; the others keep all their digits."""
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) <= GRID / 2 * size, 0.0, values)


def sizes(one: Floats, other: Floats) -> Floats:
    sizes = np.maximum(np.maximum(np.abs(one), np.abs(other)), 1.0)
    return np.where(np.isfinite(sizes), sizes, 1.0)


def largest(one: Floats, other: Floats) -> float:
    sizes = np.abs(np.concatenate([one, other]))
    return float(np.max(sizes[np.isfinite(sizes)], initial=1.0))


def t_test(delta: Floats, variance: Floats, df: Floats) -> Floats:
    """The p-value of a difference with this variance, by Student's t.

    If all differences are the same, there is no variance and it is 0, or 1 if they are 0.

    >>> t_test(np.array([0.194]), np.array([0.2508740277066914**2 / 10]), np.array([9]))
    array([0.0370365])
    """
    delta, variance = np.asarray(delta, np.float64), np.asarray(variance, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(delta) / np.sqrt(variance)
    return student_tail(np.where((delta == 0) & (variance == 0), 0.0, t), df)


def effect_size(delta: Floats, variance: Floats, units: Floats) -> Floats:
    """A difference in standard deviations of the units' differences (Cohen's d for pairs).

    >>> effect_size(np.array([0.194]), np.array([0.2508740277066914**2 / 10]), np.array([10]))
    array([0.77329647])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(delta / np.sqrt(variance * units))


def sign_test(d: Floats) -> Floats:
    """The p-value of the sign test; units without a difference are ignored.

    >>> sign_test(np.array([0.17, 0.5, 0, -0.25, 0.5, 0, 0.25, 0.1, 0.5, 0.17]))
    array(0.0703125)
    """
    ahead, behind = np.count_nonzero(d > 0, axis=0), np.count_nonzero(d < 0, axis=0)
    return np.asarray(np.minimum(1.0, 2 * coin_tail(np.minimum(ahead, behind), ahead + behind)))


def mcnemar(ahead: Ints, behind: Ints) -> Floats:
    """McNemar's test, mid-p, from the numbers of units with a hit in only one system.

    >>> mcnemar(np.array([3]), np.array([10]))
    array([0.05737305])
    """
    fewer, both = np.minimum(ahead, behind), ahead + behind
    return np.asarray(np.minimum(1.0, 2 * coin_tail(fewer, both) - coin_mass(fewer, both)))


def tango_limits(ahead: Ints, behind: Ints, n: Ints, level: float) -> tuple[Floats, Floats]:
    """Tango's (1998) score interval of (ahead - behind) / n, the difference between paired shares of hits.

    A difference is inside if the score test does not reject it: if it is at most z standard errors from the
    observed one, with the nuisance share estimated under that difference.

    >>> tango_limits(np.array([7]), np.array([1]), np.array([21]), 0.95)
    (array([0.02...]), array([0.51...]))
    """
    z = normal_quantile((1 + level) / 2)
    difference = (ahead - behind) / n

    def inside(delta: Floats) -> Flags:
        b = (2 * n - ahead + behind) * delta - ahead - behind
        root = np.sqrt(np.maximum(b * b + 8 * n * behind * delta * (1 - delta), 0.0))
        variance = np.maximum((root - b) / (2 * n) + delta * (1 - delta), 0.0) / n
        return np.asarray((difference - delta) ** 2 <= z * z * variance)

    limits = []
    for end in (-1.0, 1.0):
        near, far = difference, np.full(len(difference), end)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            within = inside(middle)
            near, far = np.where(within, middle, near), np.where(within, far, middle)
        limits.append(np.where(inside(np.full(len(difference), end)), end, near))
    low, high = limits
    return low, high


def hit_limits(ahead: Ints, behind: Ints, n: Ints, level: float) -> tuple[Floats, Floats]:
    """Tango's limits, moved so that they contain 0 exactly if McNemar's mid-p does not reject it.

    >>> hit_limits(np.array([4]), np.array([0]), np.array([12]), 0.95)  # mid-p is 1/16
    (array([0.]), array([0.60...]))
    """
    low, high = tango_limits(ahead, behind, n, level)
    certain = mcnemar(ahead, behind) < alpha_of(level)
    low = np.where(certain & (ahead > behind), np.maximum(low, _NEARLY), low)
    high = np.where(certain & (ahead < behind), np.minimum(high, -_NEARLY), high)
    return np.where(certain, low, np.minimum(low, 0.0)), np.where(certain, high, np.maximum(high, 0.0))


def wilcoxon(d: Floats) -> Floats:
    """Wilcoxon's signed-rank test of the differences that are not 0; tied ranks are averaged.

    It is exact up to 50 units without zeros and ties, and up to 13 with them. Beyond, it uses the normal
    distribution with the variance for ties and no continuity correction. If all differences are 0, p is 1.

    >>> wilcoxon(np.array([0.17, 0.5, 0, -0.25, 0.5, 0, 0.25, 0.1, 0.5, 0.17]))
    array(0.0625)
    """
    if d.ndim == 1:
        return wilcoxon(d[:, None])[0, ...]
    n = len(d)
    ranks, tied = _ranks(np.abs(d))
    nonzero = np.count_nonzero(d, axis=0)
    above = np.where(d > 0, ranks, 0.0).sum(axis=0)
    total = nonzero * (nonzero + 1) / 2
    low = np.minimum(above, total - above)
    clean = (nonzero == n) & (tied == 0)
    variance = np.where(nonzero > 0, total * (2 * nonzero + 1) / 12 - tied / 48, 1.0)
    p = normal_tail((low - total / 2) / np.sqrt(variance))
    if n <= _EXACT:
        p[clean] = _exact_tail(tuple(range(2, 2 * n + 1, 2)), low[clean])
    if n <= _ENUMERATED:
        for column in np.flatnonzero(~clean):
            own = np.sort(2 * ranks[d[:, column] != 0, column]).astype(np.int64)
            p[column] = _exact_tail(tuple(own.tolist()), low[column])
    return p


def _ranks(sizes: Floats) -> tuple[Floats, Floats]:
    """The ranks of sizes above 0 by column, and the sum of t³ - t over ties of t in each column."""
    n = len(sizes)
    order = np.argsort(sizes, axis=0, kind="stable")
    inorder = np.take_along_axis(sizes, order, axis=0)
    place = np.arange(n)[:, None]
    with np.errstate(invalid="ignore"):  # two infinite sizes are tied
        differs = inorder[1:] - inorder[:-1] > _NEARLY
    first, last = np.zeros(sizes.shape, np.int64), np.full(sizes.shape, n - 1)
    first[1:] = np.maximum.accumulate(np.where(differs, place[1:], 0), axis=0)
    last[:-1] = np.minimum.accumulate(np.where(differs, place[:-1], n - 1)[::-1], axis=0)[::-1]
    zeros = np.count_nonzero(sizes == 0, axis=0)
    ranks = np.empty(sizes.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1 - zeros, axis=0)
    together = last - first + 1
    return ranks, np.where(inorder > 0, together**2 - 1.0, 0.0).sum(axis=0)


def _exact_tail(twice: tuple[int, ...], low: Floats) -> Floats:
    below = _sums_of_some(twice)
    return np.asarray(np.minimum(1.0, 2 * below[np.rint(2 * low).astype(np.int64)]))


@cache
def _sums_of_some(numbers: tuple[int, ...]) -> Floats:
    """The probability that the sum is at most 0, 1, 2, …, if each number counts with probability ½."""
    chances = np.ones(1)
    for number in numbers:
        chances = (np.pad(chances, (0, number)) + np.pad(chances, (number, 0))) / 2
    return np.cumsum(chances)


def bootstrap_means(
    d: Floats, keys: Keys, weights: Floats | None = None, replicates: int = REPLICATES, seed: int = 0
) -> Floats:
    """The mean differences of replicates in which each unit counts a Poisson number of times.

    A row per replicate, NaN for one without a unit. Sums are in the order of the keys.
    """
    order = np.argsort(keys, kind="stable")
    columns, keys = d[order].reshape(len(d), -1), keys[order]
    weights = np.ones(len(d)) if weights is None else weights[order]
    parts = []
    each = max(1, _AT_A_TIME // max(len(keys), 1))
    for first in range(0, replicates, each):
        counts = poisson_weights(seed, keys, first, min(first + each, replicates)) * weights[:, None]
        # no product of matrices: it would add in an order that depends on the number of threads
        sums, sizes = (np.einsum("ur,uc->rc", counts, values) for values in (columns, np.abs(columns)))
        sums[np.abs(sums) <= _NEARLY * sizes] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(sums / counts.sum(axis=0)[:, None])
    return np.concatenate(parts).reshape(replicates, *d.shape[1:])


def percentile_test(means: Floats) -> Floats:
    """The p-value of replicates: twice the smaller share on one side of 0, or at 0.

    >>> percentile_test(np.array([0.1, 0.2, -0.1, 0.3, 0.2, 0.1, 0.2, 0.1, 0.4]))
    array(0.4)
    """
    n = np.count_nonzero(~np.isnan(means), axis=0)
    fewer: Ints = np.minimum(np.count_nonzero(means <= 0, axis=0), np.count_nonzero(means >= 0, axis=0))
    return np.asarray(np.minimum(1.0, 2 * (fewer + 1) / (n + 1)))


@dataclass(frozen=True)
class Statistic:
    """A test: its name in a result, its row in the guide, its p-values from the units of a metric."""

    title: Message
    about: str
    suits: str
    p_values: Callable[[Paired, str], Floats] | None = None  # None if draws make them
    needs_variance: bool = True
    paired: bool | None = True  # whether it needs pairs; None for both kinds of samples


def _by_variance(units: Paired, _label: str) -> Floats:
    return t_test(units.difference, units.variance, units.freedom)


def _by_value(test: Callable[[Floats], Floats]) -> Callable[[Paired, str], Floats]:
    def p_values(units: Paired, _label: str) -> Floats:
        p = np.full(len(units.value), np.nan)
        for value, cells in units.by_value():
            p[value] = test(units.apart(cells))
        return p

    return p_values


def _of_hits(units: Paired, label: str) -> Floats:
    if not units.hits.all():
        if units.each is None or units.its is None or np.isnan(units.each - units.its).any():
            raise asking.not_per_unit(metric=label, test="mcnemar")
        values = np.concatenate([units.each, units.its])
        others = values[(values != 0) & (values != 1)]
        if len(others):
            raise measuring.not_hits(label=label, value=float(others[0]))
        raise asking.weighted_hits(metric=label)
    return mcnemar(units.ahead, units.behind)


STATISTICS = {
    "randomisation": Statistic(
        say("randomisation test"),
        "the sign of what each unit adds to the difference is drawn by chance, 100,000 times (`draws`); up "
        "to 20 units that differ, every way is gone through. p is (b + 1)/(B + 1)",
        "means over queries; of other metrics the units' influence",
        needs_variance=False,
    ),
    "t": Statistic(
        say("paired t test"),
        "Student's paired t test, by influence",
        "all that have an influence",
        _by_variance,
    ),
    "delong": Statistic(
        say("DeLong's test by unit"), "DeLong's test, clustered by unit", "`auc`", _by_variance
    ),
    "wilcoxon": Statistic(
        say("Wilcoxon signed-rank test"),
        "signed ranks, as SciPy has it",
        "",
        _by_value(wilcoxon),
        needs_variance=False,
    ),
    "bootstrap": Statistic(
        say("bootstrap over units"),
        "2,000 resamples of the units; interval and p by percentiles",
        "finds too much below 200 units, and says so",
        paired=None,
    ),
    "sign": Statistic(
        say("sign test"),
        "how many units got better, how many worse",
        "",
        _by_value(sign_test),
        needs_variance=False,
    ),
    "mcnemar": Statistic(
        say("McNemar's test (mid-p)"),
        "McNemar's test, mid-p, of the units where only one system has a hit",
        "values of 0 and 1: `hit_rate@k`, `recall@k` of one relevant item, `accuracy` of rows",
        _of_hits,
    ),
    "welch": Statistic(
        say("Welch's t test of independent samples"),
        "Welch's t test, by influence",
        "independent samples (`paired=False`)",
        _by_variance,
        paired=False,
    ),
}


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
            raise asking.test_of_other_samples(test=test)
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
