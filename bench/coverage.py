"""How often intervals of 95 % hold the true value: ``python -m bench.coverage [--draws N] [--only NAME]``.

Every draw is a slice of one evaluation, so that what is counted are the library's own intervals. Queries are
drawn from a large population of lists, whose mean is the true value; users of a log click by effects of
their own, and the true value is the mean over all draws (what an interval around the value itself can hold).
Rows of few units are drawn from a population of two million rows, whose value is the true one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import steelyard as sy
from steelyard.arrays import Floats
from steelyard.conventions import Certainty
from steelyard.engine.classified import Classified
from steelyard.engine.influence import Cells, Influence, Units
from steelyard.engine.ranked import Hits, Ranked
from steelyard.engine.scored import Scored
from steelyard.metrics import AUC, GAUC, MAP, MRR, NDCG, Calibration, HitRate, LogLoss, Metric, PrecisionAt
from steelyard.spec.plan import metric as metric_of
from steelyard.stats.intervals import Limits, influence_of, limits, limits_of
from steelyard.stats.run import FEW

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
FEW_SIZES = (50, 200, 1000)
TRUE_ROWS = 2_000_000
ROW_KINDS = {  # the share of positives, and how far their mean score is from that of negatives, in deviations
    "30 % positive": (0.3, 1.2),
    "5 % positive": (0.05, 1.2),
    "30 %, nearly perfect": (0.3, 4.5),
    "5 %, nearly perfect": (0.05, 4.5),
}
ROW_METRICS = (
    "auc",
    "pr_auc",
    "ks",
    "mcc",
    "logloss",
    "ne",
    "brier",
    "calibration",
    "balanced_accuracy",
    "f1(average=macro)",
)
CLASS_KINDS = {"25 % at least": (0.4, 0.35, 0.25), "one of 3 %": (0.7, 0.27, 0.03)}
CLASS_METRICS = (
    "balanced_accuracy",
    "precision(average=macro)",
    "recall(average=macro)",
    "f1(average=macro)",
    "mcc",
)
RIGHT = np.array([0.9, 0.8, 0.6])  # how often each class is predicted right; else any class by its share
LISTS = ("diversity@10", "personalization@10", "novelty@10", "unexpectedness@10")
LIST_SIZES = (50, 200)
ITEMS, GENRES = 100, 8
_VALUES_AT_ONCE = 4_000_000


@dataclass
class Tally:
    """How many intervals were looked at, how many held the true value, and what they rested on."""

    low: list[Floats]
    high: list[Floats]
    value: list[Floats]
    effective: list[Floats]
    fewest: list[Floats]

    @classmethod
    def empty(cls) -> Tally:
        return cls([], [], [], [], [])

    def add(self, value: Floats, found: Limits) -> None:
        for kept, new in zip(
            (self.low, self.high, self.value, self.effective, self.fewest),
            (found.low, found.high, value, found.effective, found.fewest),
            strict=True,
        ):
            kept.append(new)

    def coverage(self, true: float | None = None) -> float:
        """The share of intervals that hold the true value, by default the mean over all draws."""
        value, low, high = (np.concatenate(part) for part in (self.value, self.low, self.high))
        aim = float(np.nanmean(value)) if true is None else true
        known = ~np.isnan(low)
        return float(((low <= aim) & (aim <= high))[known].mean()) if known.any() else np.nan

    def shares(self) -> tuple[float, float]:
        """Of the values the share that has an interval, and the share of those that a note calls rough."""
        value, low, fewest = (np.concatenate(part) for part in (self.value, self.low, self.fewest))
        has = ~np.isnan(low)
        return float(has[~np.isnan(value)].mean()), float((fewest[has] < FEW).mean()) if has.any() else np.nan

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


Draw = Callable[[int, int, np.random.Generator], Scored | Classified]


def drawn_rows(kind: str) -> Draw:
    """What draws logs of ``n`` rows with probabilities that are right."""
    rate, apart = ROW_KINDS[kind]

    def draw(n: int, draws: int, random: np.random.Generator) -> Scored:
        label = random.random(n * draws) < rate
        odds = np.log(rate / (1 - rate)) + apart * (
            random.normal(0, 1, n * draws) + apart * label - apart / 2
        )
        said = 1 / (1 + np.exp(-odds))
        return Scored.of(label.astype(np.uint8), said, **_segments(n, draws))

    return draw


def drawn_classes(kind: str) -> Draw:
    """What draws ``n`` rows of three classes."""
    share = CLASS_KINDS[kind]

    def draw(n: int, draws: int, random: np.random.Generator) -> Classified:
        truth, other = random.choice(len(share), (2, n * draws), p=share)
        called = np.where(random.random(n * draws) < RIGHT[truth], truth, other)
        classes = tuple(range(len(share)))
        fields = {"truth": truth, "predicted": called, **_segments(n, draws)}
        return Classified(n_rows=n * draws, classes=classes, **fields)

    return draw


def _segments(n: int, draws: int) -> dict[str, Any]:
    return {"segment": np.repeat(np.arange(draws), n), "n_segments": draws}


def of_few(metric: Metric, draw: Draw, true: float, n: int, draws: int) -> str:
    """Coverage, then what shares of values have an interval and of intervals are called rough."""
    tally, random = Tally.empty(), np.random.default_rng(SEED)
    for some in _parts(draws, max(1, _VALUES_AT_ONCE // n)):
        state = draw(n, some, random)
        value = metric.measure(state)
        found = limits_of(metric, state, value, None, influence_of(metric, state, value, None), Certainty())
        assert found is not None
        tally.add(value, found)
    given, rough = tally.shares()
    return f"{100 * tally.coverage(true):.1f} ({100 * given:.0f}, {100 * rough:.0f})" if given else "- (0, -)"


def of_lists(n: int, draws: int) -> Iterator[tuple[str, float]]:
    """How often the intervals of metrics of lists of ``n`` users hold the value of all users together."""
    random = np.random.default_rng(SEED)
    genres = random.random((ITEMS, GENRES)) < 0.2
    genres[np.arange(ITEMS), random.integers(0, GENRES, ITEMS)] = True
    popular = -0.8 * np.log(np.arange(1, ITEMS + 1))

    def lists() -> np.ndarray:
        taste = (
            random.dirichlet(np.full(GENRES, 0.5), n * draws) @ (genres / genres.sum(axis=1, keepdims=True)).T
        )
        return np.argsort(-popular - 3 * taste - random.gumbel(size=taste.shape), axis=1)[:, :LISTED]

    user = np.repeat(np.arange(n * draws), LISTED)
    rank = np.tile(np.arange(1, LISTED + 1), n * draws)
    shown = {"user_id": user, "item_id": lists().reshape(-1), "rank": rank, "draw": user // n}
    had = {"user_id": user, "item_id": lists().reshape(-1)}
    features = {item: [f"g{at}" for at in np.flatnonzero(genres[item])] for item in range(ITEMS)}
    result = sy.evaluate(
        pl.DataFrame(shown), metrics=list(LISTS), features=features, history=pl.DataFrame(had), by="draw"
    )
    for name, table in result.table().group_by("metric", maintain_order=True):
        true = table.filter(pl.col("draw") == "(all)")["value"][0]
        held = pl.col("ci_low").le(true) & pl.col("ci_high").ge(true)
        yield str(name[0]), float(table.filter(pl.col("draw") != "(all)").select(held.mean()).item())


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


def few(draws: int) -> Iterator[str]:
    """The table of rows with a rare class or a nearly perfect model, as lines of Markdown."""
    yield "| metric | rows | " + " | ".join(f"{n:,} rows (given, rough)" for n in FEW_SIZES) + " |"
    yield "|---" * (len(FEW_SIZES) + 2) + "|"
    for metrics, kinds, drawn in (
        (ROW_METRICS, ROW_KINDS, drawn_rows),
        (CLASS_METRICS, CLASS_KINDS, drawn_classes),
    ):
        every = {kind: drawn(kind)(TRUE_ROWS, 1, np.random.default_rng(SEED + 1)) for kind in kinds}
        for name in metrics:
            metric = metric_of(name)
            for kind in kinds:
                what = kind if drawn is drawn_rows else f"three classes, {kind}"
                true = float(metric.measure(every[kind])[0])
                cells = [of_few(metric, drawn(kind), true, n, draws) for n in FEW_SIZES]
                yield f"| {name} | {what} | " + " | ".join(cells) + " |"


def lists(draws: int) -> Iterator[str]:
    """The table of metrics of lists, as lines of Markdown."""
    yield "| metric | " + " | ".join(f"{n:,} users" for n in LIST_SIZES) + " |"
    yield "|---" * (len(LIST_SIZES) + 1) + "|"
    found = [dict(of_lists(n, draws)) for n in LIST_SIZES]
    for name in LISTS:
        yield f"| {name} | " + " | ".join(f"{100 * part[name]:.1f}" for part in found) + " |"


def _line(name: str, what: str, shares: list[float]) -> str:
    return f"| {name} | {what} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "rankings": rankings,
    "logs": logs,
    "few": few,
    "lists": lists,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"evaluations per figure ({DRAWS:,})")
    parser.add_argument("--only", choices=list(TABLES), help="one of the tables")
    asked = parser.parse_args()
    for name, table in TABLES.items():
        if asked.only in (None, name):
            print(f"\nCoverage in percent, {asked.draws:,} draws per figure\n", flush=True)
            for line in table(asked.draws):
                print(line, flush=True)


if __name__ == "__main__":
    main()
