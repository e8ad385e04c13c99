"""Metrics of lists as a whole against plain double loops over users, items and pairs, on random data."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard import kernels

K = 4
TAGS = ("war", "love", "sf", "crime")
METRICS = {
    "coverage": "coverage@4",
    "user_coverage": "user_coverage@4",
    "diversity": "diversity@4",
    "novelty": "novelty@4",
    "novelty_drop": "novelty(unseen=drop)@4",
    "popularity": "popularity@4",
    "popularity_share": "popularity(scale=share)@4",
    "popularity_lift": "popularity_lift@4",
    "gini": "gini@4",
    "gini_discounted": "gini(exposure=discounted)@4",
    "entropy": "entropy@4",
    "personalization": "personalization@4",
    "repetition": "repetition@4",
    "unexpectedness": "unexpectedness@4",
    "unexpectedness_history": "unexpectedness(against=history)@4",
    "serendipity": "serendipity@4",
    "serendipity_distance": "serendipity(surprise=distance)@4",
    "miscalibration": "miscalibration@4",
    "miscalibration_js": "miscalibration(divergence=js)@4",
}


class Case:
    """Random lists, and everything that is known besides."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        items = [f"i{n:02d}" for n in range(14)]
        self.users = [f"u{n}" for n in range(9)]
        self.catalog = items[:12]  # two items are outside
        self.recs = {
            user: [items[at] for at in random.permutation(14)[: random.integers(0, 8)]]
            for user in self.users[:8]
        }
        self.recs = {user: shown for user, shown in self.recs.items() if shown}
        self.tags = {
            item: sorted(random.choice(TAGS, random.integers(1, 4), replace=False).tolist()) for item in items
        }
        self.history = {
            user: {
                items[at]: int(random.integers(1, 4))
                for at in random.permutation(14)[: random.integers(1, 7)]
            }
            for user in [*self.users[:6], "other", "another"]
        }
        self.truth = {
            user: {items[at]: int(random.integers(0, 3)) for at in random.permutation(14)[:5]}
            for user in self.users[2:]
        }
        self.groups = {item: "xyz"[at % 3] for at, item in enumerate(items)}

    @property
    def tables(self) -> dict[str, object]:
        return {
            "catalog": self.catalog,
            "features": self.tags,
            "history": self.history,
            "item_groups": self.groups,
        }

    def lists(self) -> dict[str, list[str]]:
        """The first K of each list, without items outside the catalogue."""
        everyone = dict.fromkeys([*self.recs, *self.truth])
        return {user: [i for i in self.recs.get(user, [])[:K] if i in self.catalog] for user in everyone}

    def far(self, one: str, other: str) -> float:
        a, b = set(self.tags[one]), set(self.tags[other])
        return 1 - len(a & b) / math.sqrt(len(a) * len(b))

    def interactions(self, item: str) -> int:
        return sum(had.get(item, 0) for had in self.history.values())

    def users_of(self, item: str) -> int:
        return sum(item in had for had in self.history.values())


def mean(values: list[float]) -> float:
    defined = [one for one in values if not math.isnan(one)]
    return sum(defined) / len(defined) if defined else math.nan


def exposure(case: Case, *, discounted: bool = False) -> dict[str, float]:
    found = dict.fromkeys(case.catalog, 0.0)
    for user in case.recs:
        for rank, item in enumerate(case.recs[user][:K], 1):
            if item in found:
                found[item] += 1 / math.log2(rank + 1) if discounted else 1
    return found


def gini(case: Case, *, discounted: bool) -> float:
    """Half the mean absolute difference of all pairs, relative to the mean."""
    e = list(exposure(case, discounted=discounted).values())
    return sum(abs(a - b) for a in e for b in e) / (2 * len(e) * sum(e))


def divergence(case: Case, user: str, shown: list[str], *, js: bool) -> float:
    if not shown or user not in case.history:
        return math.nan
    p, q = dict.fromkeys(TAGS, 0.0), dict.fromkeys(TAGS, 0.0)
    for item, count in case.history[user].items():
        for tag in case.tags[item]:
            p[tag] += count / len(case.tags[item]) / sum(case.history[user].values())
    for item in shown:
        for tag in case.tags[item]:
            q[tag] += 1 / len(case.tags[item]) / len(shown)

    def kl(one: dict[str, float], other: dict[str, float]) -> float:
        return sum(one[tag] * math.log(one[tag] / other[tag]) for tag in TAGS if one[tag])

    if js:
        middle = {tag: (p[tag] + q[tag]) / 2 for tag in TAGS}
        return (kl(p, middle) + kl(q, middle)) / 2
    return kl(p, {tag: 0.99 * q[tag] + 0.01 * p[tag] for tag in TAGS})


def usual(case: Case, user: str) -> list[str]:
    """The most popular items of the catalogue that the user had not; of equal ones the larger id."""
    had = case.history.get(user, {})
    every = {item for one in case.history.values() for item in one if item in case.catalog}
    order = sorted(every, key=lambda item: (case.interactions(item), item), reverse=True)
    return [item for item in order if item not in had][:K]


def per_list(case: Case, name: str, user: str, shown: list[str]) -> float:
    n_users, had = len(case.history), case.history.get(user)
    if not shown:
        return math.nan
    everything = sum(sum(one.values()) for one in case.history.values())
    match name:
        case "diversity":
            return mean([case.far(a, b) for a, b in itertools.combinations(shown, 2)] or [math.nan])
        case "novelty":
            return mean([-math.log2(max(1, case.users_of(item)) / n_users) for item in shown])
        case "novelty_drop":
            known = [case.users_of(item) for item in shown if case.users_of(item)]
            return mean([-math.log2(users / n_users) for users in known] or [math.nan])
        case "popularity" | "popularity_share":
            return mean([case.interactions(item) for item in shown]) / (
                1 if name == "popularity" else everything
            )
        case "popularity_lift":
            own = mean([case.interactions(item) for item in had]) if had else math.nan
            return mean([case.interactions(item) for item in shown]) / own - 1
        case "repetition":
            return mean([item in (had or {}) for item in shown])
        case "unexpectedness":
            return mean([item not in usual(case, user) for item in shown])
        case "unexpectedness_history":
            return (
                mean([mean([case.far(item, other) for other in had]) for item in shown]) if had else math.nan
            )
        case "serendipity" | "serendipity_distance":
            if user not in case.truth or (name == "serendipity_distance" and not had):
                return math.nan
            found = []
            for item in shown:
                relevant = case.truth[user].get(item, 0) >= 1
                above = sum(case.interactions(other) > case.interactions(item) for other in case.catalog)
                surprise = above / len(case.catalog)
                if name == "serendipity_distance":
                    surprise = mean([case.far(item, other) for other in had or {}])
                found.append(surprise if relevant else 0.0)
            return mean(found)
        case "miscalibration" | "miscalibration_js":
            return divergence(case, user, shown, js=name == "miscalibration_js")
    raise AssertionError(name)


def whole(case: Case, name: str) -> float:
    lists = case.lists()
    shown = {user: items for user, items in lists.items() if items}
    match name:
        case "coverage":
            return len({item for items in lists.values() for item in items}) / len(case.catalog)
        case "user_coverage":
            return len(shown) / len(lists)
        case "gini" | "gini_discounted":
            return gini(case, discounted=name == "gini_discounted")
        case "entropy":
            e = [one for one in exposure(case).values() if one]
            return -sum(one / sum(e) * math.log(one / sum(e)) for one in e)
        case "personalization":
            pairs = [
                len(set(a) & set(b)) / math.sqrt(len(a) * len(b))
                for a, b in itertools.combinations(shown.values(), 2)
            ]
            return 1 - mean(pairs)
    return mean([per_list(case, name, user, items) for user, items in lists.items()])


@pytest.mark.parametrize("side", ["kernel", "twin"])
@pytest.mark.parametrize("seed", range(6))
def test_against_double_loops(seed, side):
    case = Case(seed)
    with kernels.forced(side):
        result = sy.evaluate(case.recs, case.truth, list(METRICS.values()), **case.tables)
    for name, (label, value) in zip(METRICS, result.items(), strict=True):
        assert value == pytest.approx(whole(case, name), abs=1e-12), label


@pytest.mark.parametrize("by", ["order", "score"])
@pytest.mark.parametrize("seed", range(3))
def test_usual_lists(seed, by):
    """The first k of a baseline list, best first, whatever the ids of its items are."""
    case, random = Case(seed), np.random.default_rng(seed)
    lists = {user: random.permutation(case.catalog)[:7].tolist() for user in case.users}
    rows = [(user, item, -at) for user, shown in lists.items() for at, item in enumerate(shown)]
    scores = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    scores = scores.sample(fraction=1, shuffle=True, seed=seed)
    given = lists if by == "order" else scores
    result = sy.evaluate(case.recs, metrics="unexpectedness@4", baseline_lists=given)
    for user, _, value in result.per_query().iter_rows():
        new = [item not in lists[user][:K] for item in case.recs[user][:K]]
        assert value == pytest.approx(mean(new), abs=1e-12), user


@pytest.mark.parametrize("seed", range(3))
def test_of_groups(seed):
    case = Case(seed)
    result = sy.evaluate(case.recs, case.truth, ["exposure@4", "exposure_ratio(rel=2)@4"], **case.tables)
    found = {(row["metric"], row["class"]): row["value"] for row in result.table().rows(named=True)}
    worth = exposure(case)
    wanted = [
        item
        for grades in case.truth.values()
        for item, grade in grades.items()
        if grade >= 2 and item in case.catalog
    ]
    for group in "xyz":
        share = sum(worth[item] for item in worth if case.groups[item] == group) / sum(worth.values())
        assert found["exposure@4", group] == pytest.approx(share, abs=1e-12)
        needed = sum(case.groups[item] == group for item in wanted) / len(wanted)
        ratio = share / needed if needed else math.nan
        assert found["exposure_ratio(rel=2)@4", group] == pytest.approx(ratio, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_slices(seed):
    """A slice is the same call with its users alone."""
    case = Case(seed)
    half = {user: "left" if at % 2 else "right" for at, user in enumerate(case.users)}
    by = {"query": list(half), "side": list(half.values())}
    asked = [METRICS[name] for name in METRICS if name != "user_coverage"]
    sliced = sy.evaluate(case.recs, case.truth, asked, by=by, **case.tables)
    for side in ("left", "right"):
        part = Case(seed)
        part.recs = {user: shown for user, shown in case.recs.items() if half[user] == side}
        part.truth = {user: grades for user, grades in case.truth.items() if half[user] == side}
        alone = sy.evaluate(part.recs, part.truth, asked, **case.tables)
        for label, value in alone.items():
            assert sliced[label, {"side": side}] == pytest.approx(value, abs=1e-12, nan_ok=True), label
