"""How often intervals of 95 % hold the true value: ``python -m bench.coverage [--draws N] [--only NAME]``.

Every draw is a slice of one evaluation, so that what is counted are the library's own intervals. Queries are
drawn from a large population of lists, whose mean is the true value; users of a log click by effects of
their own, and the true value is the mean over all draws (what an interval around the value itself can hold).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard.align.units import Cells, Units
from steelyard.arrays import Floats
from steelyard.measure.intervals import Limits, limits
from steelyard.metrics import AUC, GAUC, MAP, MRR, NDCG, Calibration, HitRate, LogLoss, Metric, PrecisionAt
from steelyard.rank import Ranked
from steelyard.rank.ranked import Hits
from steelyard.states import Scored
from steelyard.states.influence import Influence

SEED = 2026
LEVEL = 0.95
SIZES = (50, 200, 2000)
DRAWS = 10_000
POPULATION = 50_000
LISTED = 10  # items of a list
MEANS = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
RANKED = {
    "mrr@10": MRR(k=10),
    "ndcg@10": NDCG(k=10),
    "map@10": MAP(k=10),
    "precision@10": PrecisionAt(k=10),
    "hit_rate@10": HitRate(k=10),
}
ROWS_PER_USER = 20
ACTIVITY = 1.2  # the spread of the logarithm of how many rows a user has
HEAVY = 0.1  # of all rows
CLICKED: dict[str, Metric] = {
    "auc": AUC(),
    "gauc": GAUC(),
    "logloss": LogLoss(),
    "calibration": Calibration(),
}
_VALUES_AT_ONCE = 4_000_000


@dataclass
class Tally:
    """How many intervals were looked at, how many held the true value, and what they rested on."""

    low: list[Floats]
    high: list[Floats]
    value: list[Floats]
    effective: list[Floats]

    @classmethod
    def empty(cls) -> Tally:
        return cls([], [], [], [])

    def add(self, value: Floats, found: Limits) -> None:
        for kept, new in zip(
            (self.low, self.high, self.value, self.effective),
            (found.low, found.high, value, found.effective),
            strict=True,
        ):
            kept.append(new)

    def coverage(self, true: float | None = None) -> float:
        """The share of intervals that hold the true value, by default the mean over all draws."""
        value, low, high = (np.concatenate(part) for part in (self.value, self.low, self.high))
        aim = float(np.nanmean(value)) if true is None else true
        known = ~np.isnan(value)
        return float(((low <= aim) & (aim <= high))[known].mean())

    def units(self) -> float:
        """The median of the effective number of units."""
        return float(np.nanmedian(np.concatenate(self.effective)))


def population(metric: Any, mean: float, random: np.random.Generator) -> Floats:
    """The values of many lists whose items are relevant by chance, the first more often, of a given mean."""
    taste, luck = random.normal(0, 1.5, (POPULATION, 1)), random.random((POPULATION, LISTED))
    fall = 0.15 * np.arange(LISTED)
    low, high = -20.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        values = _values(metric, luck < 1 / (1 + np.exp(-(middle + taste - fall))))
        low, high = (middle, high) if np.nanmean(values) < mean else (low, middle)
    return values


def _values(metric: Any, relevant: np.ndarray) -> Floats:
    """The values of lists of hits and misses; a list of misses lacks the one relevant item that there is."""
    n = len(relevant)
    query, place = np.nonzero(relevant)
    every = np.concatenate([query, np.flatnonzero(~relevant.any(axis=1))])
    ones = np.ones(len(query))
    ranked = Ranked(
        queries=pl.Series("query", np.arange(n)),
        retrieved=np.full(n, LISTED),
        hits=Hits(query=query, grade=ones, before=place, tied=np.ones_like(place)),
        judged=np.maximum(relevant.sum(axis=1), 1),
        judged_query=np.sort(every),
        judged_grade=np.ones(len(every)),
        max_grade=1.0,
    )
    found: Floats = metric.each(ranked)
    return found


def of_queries(
    values: Floats, n: int, draws: int, bounds: tuple[float, float], random: np.random.Generator
) -> float:
    """How often the interval of the mean of ``n`` queries holds the mean of all."""
    tally, true = Tally.empty(), float(values.mean())
    for some in _parts(draws, max(1, _VALUES_AT_ONCE // n)):
        each = values[random.integers(0, len(values), some * n)]
        owner = np.repeat(np.arange(some), n)
        cells = Cells(n=some * n, n_segments=some, code=None, owner=owner, unit=None)
        value = cells.totals(each) / n
        found = Influence.of_ratio(cells, each, np.ones(some * n), value)
        tally.add(value, limits("score", value, found, LEVEL, bounds))
    return tally.coverage(true)


def of_log(n: int, draws: int, kind: str, random: np.random.Generator) -> dict[str, Tally]:
    """The intervals of the metrics of clicks for ``n`` users, draw after draw."""
    tallies = {name: Tally.empty() for name in CLICKED}
    for some in _parts(draws, max(1, _VALUES_AT_ONCE // (n * ROWS_PER_USER))):
        scored = drawn_log(n, some, kind, random)
        for name, metric in CLICKED.items():
            value = metric.measure(scored)
            influence = metric.influence(scored, value)
            assert influence is not None
            tallies[name].add(value, limits(metric.interval(), value, influence, LEVEL, metric.bounds))
    return tallies


def drawn_log(n: int, draws: int, kind: str, random: np.random.Generator) -> Scored:
    """Several logs as the segments of one state; a user's clicks and the model's error go together."""
    users = n * draws
    active = np.ones(users) if kind == "equal" else np.exp(random.normal(0, ACTIVITY, users))
    active = active.reshape(draws, n)
    if kind == "one heavy":
        active[:, 0] = HEAVY / (1 - HEAVY) * active[:, 1:].sum(axis=1)
    share = active / active.sum(axis=1, keepdims=True)
    rows = np.maximum(np.rint(share * n * ROWS_PER_USER), 1).astype(np.int64).reshape(-1)
    user = np.repeat(np.arange(users), rows)
    taste, error = random.normal(-1, 1, users), random.normal(0, 0.3, users)
    signal = taste[user] + random.normal(0, 1, len(user))
    label = random.random(len(user)) < 1 / (1 + np.exp(-signal))
    said = 1 / (1 + np.exp(-(signal + error[user] + random.normal(0, 0.5, len(user)))))
    units = Units(n=users, code=user)
    return Scored.of(
        label.astype(np.uint8),
        said,
        segment=user // n,
        n_segments=draws,
        group=units.code,
        n_groups=users,
        units=units,
    )


def _parts(draws: int, at_once: int) -> Iterator[int]:
    while draws > 0:
        yield min(draws, at_once)
        draws -= at_once


def rankings(draws: int) -> Iterator[str]:
    """The table of means over queries, as lines of Markdown."""
    yield "| metric | true value | " + " | ".join(f"{n:,} queries" for n in SIZES) + " |"
    yield "|---" * (len(SIZES) + 2) + "|"
    for name, metric in RANKED.items():
        random = np.random.default_rng(SEED)
        found = []
        for mean in MEANS:
            values = population(metric, mean, random)
            found.append([of_queries(values, n, draws, metric.bounds, random) for n in SIZES])
            yield _line(name, f"{values.mean():.2f}", found[-1])
        yield _line(name, "mean", np.mean(found, axis=0).tolist())


def logs(draws: int) -> Iterator[str]:
    """The table of metrics of clicks, as lines of Markdown; beside coverage the effective units."""
    yield "| metric | users | " + " | ".join(f"{n:,} users (effective)" for n in SIZES) + " |"
    yield "|---" * (len(SIZES) + 2) + "|"
    for kind in ("equal", "log-normal", "one heavy"):
        random = np.random.default_rng(SEED)
        found = [of_log(n, draws, kind, random) for n in SIZES]
        for name in CLICKED:
            cells = [f"{100 * one[name].coverage():.1f} ({one[name].units():,.0f})" for one in found]
            yield f"| {name} | {kind} | " + " | ".join(cells) + " |"


def _line(name: str, what: str, shares: list[float]) -> str:
    return f"| {name} | {what} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {"rankings": rankings, "logs": logs}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"evaluations per figure ({DRAWS:,})")
    parser.add_argument("--only", choices=list(TABLES), help="one of the two tables")
    asked = parser.parse_args()
    for name, table in TABLES.items():
        if asked.only in (None, name):
            print(f"\nCoverage in percent, {asked.draws:,} draws per figure\n", flush=True)
            for line in table(asked.draws):
                print(line, flush=True)


if __name__ == "__main__":
    main()
