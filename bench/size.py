"""How often paired tests find a difference where there is none: ``python -m bench.size`` prints Markdown.

20,000 comparisons for each kind of values and each number of queries, at 0.05. Systems are exchangeable
within each query: given the query, their values are drawn alike. Beside them differences of mean 0 that are
skewed, so that systems are not exchangeable, where tests of ranks and signs test something else. The
randomisation test draws 9,999 signs here whatever the number of queries, the bootstrap 999 replicates for
4,000 comparisons. A second table is of hits: McNemar's mid-p, Tango's interval and whether they agree.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.report import Report, Target
from steelyard.arrays import Flags, Floats, Ints, Keys
from steelyard.kernels.choose import forced
from steelyard.kernels.distributions import coin_tail
from steelyard.kernels.draws import flipped_tails
from steelyard.stats.testing import (
    bootstrap_means,
    differences,
    hit_limits,
    mcnemar,
    percentile_test,
    sign_test,
    t_test,
    wilcoxon,
)

SEED = 2026
QUERIES = (20, 50, 200)
COMPARISONS = {"full": 20_000, "quick": 2_000}
BOOTSTRAPPED = {"full": 4_000, "quick": 1_000}
SIGNS, REPLICATES = 9_999, 999
PER_SEED = 500  # comparisons that share their signs
ALPHA = 0.05

Pair = tuple[Floats, Floats]
Random = np.random.Generator


def twice(draw: Callable[[], Floats]) -> Pair:
    return draw(), draw()


def mrr(random: Random, shape: tuple[int, int]) -> Pair:
    """The first hit is at a geometric rank, by how hard the query is; beyond 10 there is none."""
    easy = random.beta(1, 2, shape)

    def draw() -> Floats:
        rank = random.geometric(np.maximum(easy, 0.01))
        return np.where(rank <= 10, 1 / rank, 0.0)

    return twice(draw)


def ndcg(random: Random, shape: tuple[int, int]) -> Pair:
    easy = 4 * random.beta(1, 1.5, shape)
    return twice(lambda: random.beta(easy + 0.1, 4.1 - easy))


def hits(random: Random, shape: tuple[int, int]) -> Pair:
    easy = random.random(shape)
    return twice(lambda: (random.random(shape) < easy).astype(np.float64))


def lognormal(random: Random, shape: tuple[int, int]) -> Pair:
    size = random.normal(0, 0.5, shape)
    return twice(lambda: np.exp(size + random.normal(0, 1, shape)))


def skewed(random: Random, shape: tuple[int, int]) -> Pair:
    return np.zeros(shape), np.exp(random.normal(0, 1, shape)) - np.exp(0.5)


VALUES = {
    "mrr": mrr,
    "ndcg": ndcg,
    "hits": hits,
    "log-normal, exchangeable": lognormal,
    "skewed, mean 0, not exchangeable": skewed,
}
HEADER = ("values", "t", "randomisation", "Wilcoxon", "sign", "McNemar mid-p", "percentile bootstrap")
# the smallest and largest share in percent that is wanted, by values and test
WANTED = {
    ("mrr", "t"): (3, 6),
    ("ndcg", "t"): (3, 6),
    ("mrr", "randomisation"): (4, 6),
    ("ndcg", "randomisation"): (4, 6),
    ("mrr", "Wilcoxon"): (4, 6),
    ("ndcg", "Wilcoxon"): (4, 6),
    ("hits", "McNemar mid-p"): (0, 5.5),
}


def found(name: str, n: int, size: str) -> list[float]:
    """The percentage of comparisons that each test calls significant, NaN where there is no such test."""
    random = np.random.default_rng([SEED, n, list(VALUES).index(name)])
    one, other = VALUES[name](random, (n, COMPARISONS[size]))
    d = differences(one, other)
    keys = random.integers(0, 2**64, n, dtype=np.uint64)
    tails = [
        t_test(d.mean(axis=0), d.var(axis=0, ddof=1) / n, np.array(n - 1.0)),
        by_seeds(lambda part, seed: flipped_tails(part / n, keys, SIGNS, seed, exact=0), d),
        wilcoxon(d),
        sign_test(d),
        mcnemar((other > one).sum(axis=0), (other < one).sum(axis=0))
        if name == "hits"
        else np.full(d.shape[1], np.nan),
        by_seeds(lambda part, seed: bootstrapped(part, keys, seed), d[:, : BOOTSTRAPPED[size]]),
    ]
    return [float(np.mean(p <= ALPHA) * 100) if not np.isnan(p).all() else np.nan for p in tails]


def by_seeds(test: Callable[[Floats, int], Floats], d: Floats) -> Floats:
    """Some comparisons at a time with a seed of their own: chance must not fall on all of them alike."""
    parts = range(0, d.shape[1], PER_SEED)
    return np.concatenate([test(d[:, at : at + PER_SEED], seed) for seed, at in enumerate(parts)])


def bootstrapped(d: Floats, keys: Keys, seed: int) -> Floats:
    return percentile_test(bootstrap_means(d, keys, None, REPLICATES, seed))


def shares(size: str) -> dict[str, list[list[float]]]:
    """For each kind of values a list per test, of a percentage per number of queries."""
    with forced("kernel"):
        by_values = {name: [found(name, n, size) for n in QUERIES] for name in VALUES}
    return {name: [list(of_test) for of_test in zip(*rows, strict=True)] for name, rows in by_values.items()}


def under_the_null(size: str, _rounds: int = 1) -> Report:
    measured = shares(size)
    targets = []
    for (name, test), (low, high) in WANTED.items():
        of_test = measured[name][HEADER.index(test) - 1]
        met = all(low <= share <= high for share in of_test)
        targets.append(Target(f"{test} of {name} {low:g} to {high:g} %", told(of_test), met))
    about = f"{COMPARISONS[size]:,} comparisons, {'/'.join(map(str, QUERIES))} queries"
    return Report(
        name="size",
        about=f"% significant at {ALPHA} without a difference, {about}",
        header=HEADER,
        rows=[(name, *map(told, tests)) for name, tests in measured.items()],
        targets=targets if size == "full" else [],
        figures=dict[str, Any](measured),
    )


def of_hits(size: str, _rounds: int = 1) -> Report:
    """McNemar's mid-p and its interval, for units that are hits with this share in both systems."""
    rows, contradictions = [], 0
    for share in (0.05, 0.3, 0.5):
        for n in (50, 200, 1000):
            random = np.random.default_rng([SEED, n, int(100 * share)])
            # half of the units are hits of both or of none, so that systems are alike as they mostly are
            chances = np.array([share - share * (1 - share) / 2, *[share * (1 - share) / 2] * 2])
            counts = random.multinomial(n, [*chances, 1 - chances.sum()], COMPARISONS[size])
            ahead, behind = counts[:, 1], counts[:, 2]
            rejected = mcnemar(ahead, behind) < ALPHA
            # the sign test is what randomisation comes to
            both = ahead + behind
            signs = np.minimum(1.0, 2 * coin_tail(np.minimum(ahead, behind), both)) < ALPHA
            low, high = hit_limits(ahead, behind, np.full(len(ahead), n), 1 - ALPHA)
            held = [(low <= 0) & (high >= 0)]
            for moved in (0.5, 0.9):  # the system loses part of the hits that it alone has
                fewer = random.binomial(ahead, 1 - moved)
                ends = hit_limits(fewer, behind, np.full(len(ahead), n), 1 - ALPHA)
                true = -moved * chances[1]
                held.append((ends[0] <= true) & (true <= ends[1]))
                contradictions += int((~_agree(fewer, behind, ends)).sum())
            contradictions += int((~_agree(ahead, behind, (low, high))).sum())
            shares = [np.mean(one) * 100 for one in (rejected, signs, *held)]
            rows.append((f"{share:g}", f"{n:,}", *(f"{one:.1f}" for one in shares)))
    target = Target("test and interval never contradict", f"{contradictions:,}", contradictions == 0)
    return Report(
        name="hits",
        about=f"% significant at {ALPHA} without a difference, % of intervals that hold the true difference, "
        f"{COMPARISONS[size]:,} comparisons",
        header=("share", "units", "mid-p", "randomisation", "holds 0", "holds half", "holds 0.9"),
        rows=rows,
        targets=[target],
        figures={"contradictions": contradictions},
    )


def _agree(ahead: Ints, behind: Ints, ends: tuple[Floats, Floats]) -> Flags:
    return ((ends[0] > 0) | (ends[1] < 0)) == (mcnemar(ahead, behind) < ALPHA)


def told(percentages: list[float]) -> str:
    return "-" if np.isnan(percentages).all() else "/".join(f"{one:.1f}" for one in percentages)


def main(size: str = "full") -> None:
    for report in (under_the_null(size), of_hits(size)):
        print(report.markdown(), "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
