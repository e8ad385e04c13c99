"""The order of rows, queries and units changes no column of a comparison."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import steelyard as sy
from steelyard.stats.testing import STATISTICS

ROW_METRICS = (
    *("auc", "gauc", "logloss", "ece", "calibration", "ks", "mcc", "f1(average=macro)", "rmse"),
    *("accuracy", "recall", "brier", "mae", "pr_auc", "copc"),
)
RANKING_METRICS = ("ndcg@5", "mrr", "map", "hit_rate@1", "recall@3", "precision@5")
RESAMPLED = ("ece", "calibration", "copc", "mae", "accuracy", "recall", "auc")  # those that are fast
OF_SOME_METRICS = ("delong", "mcnemar", "welch")
TESTS = [test for test in ("auto", *STATISTICS) if test not in OF_SOME_METRICS]


def log(n, users, seed):
    """Scores with one decimal: replicates of two systems often tie."""
    rng = np.random.default_rng(seed)
    chance, user = rng.beta(2, 3, n), rng.integers(0, users, n)
    scores = {name: np.clip(np.round(chance + rng.normal(0, 0.2, n), 1), 0.1, 0.9) for name in ("old", "new")}
    return pl.DataFrame(
        {
            "user": [f"u{one}" for one in user],
            "country": np.where(user % 3 == 0, "JP", "DE"),
            "label": (rng.random(n) < chance).astype(int),
            "weight": np.round(rng.random(n), 1) + 0.1,
            **scores,
        }
    )


def in_another_order(table, seed):
    return table.sample(fraction=1, shuffle=True, seed=seed)


def assert_same(one, other):
    keys = [name for name in ("slice", "country", "metric") if name in one.columns]
    assert_frame_equal(one.sort(keys), other.sort(keys), rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("columns", [{"query": "user"}, {"query": "user", "weight": "weight"}, {}], ids=str)
def test_rows(test, columns):
    metrics = [
        metric
        for metric in (RESAMPLED if test == "bootstrap" else ROW_METRICS)
        if (metric != "ece" or test in ("auto", "bootstrap")) and (metric != "gauc" or columns)
    ]
    for n, users in [(24, 6)] if test == "bootstrap" else [(240, 30), (24, 6)]:
        given = log(n, users, seed=n) if columns else log(n, users, seed=n).drop("user", "weight")

        def compared(rows):
            return sy.compare(
                rows,
                scores=["old", "new"],
                metrics=metrics,
                columns=columns,
                by="country",
                test=test,
                draws=1000,
            ).table()

        assert_same(compared(given), compared(in_another_order(given, 0)))


def test_a_perfect_calibration():
    """Sums of 3 that differ in their last digit: above or below 1 is a matter of rounding."""
    rows = pl.DataFrame(
        {
            "user": list("aabbcc"),
            "label": [0, 0, 1, 1, 0, 1],
            "old": [0.3, 0.2, 0.8, 0.7, 0.3, 0.7],
            "new": [0.9, 0.4, 0.1, 0.7, 0.1, 0.8],
        }
    )
    tables = [
        sy.compare(
            in_another_order(rows, seed),
            scores=["old", "new"],
            metrics="calibration",
            columns={"query": "user"},
        ).table()
        for seed in range(20)
    ]
    for other in tables[1:]:
        assert_same(tables[0], other)


@pytest.mark.parametrize("test", [*TESTS, "mcnemar"])
def test_rankings(test):
    rng = np.random.default_rng(5)
    names = [(f"q{query}", f"d{item}") for query in range(40) for item in range(12)]
    query, item = zip(*names, strict=True)
    runs = {
        name: pl.DataFrame({"query": query, "item": item, "score": np.round(rng.random(len(names)), 1)})
        for name in ("old", "new")
    }
    truth = pl.DataFrame({"query": query, "item": item, "grade": rng.integers(0, 4, len(names))})
    by = pl.DataFrame(
        {"query": [f"q{one}" for one in range(40)], "slice": [str(one % 3) for one in range(40)]}
    )
    metrics = ["hit_rate@1"] if test == "mcnemar" else RANKING_METRICS

    def compared(seed=None):
        given = [*runs.values(), truth, by]
        old, new, judged, slices = given if seed is None else [in_another_order(one, seed) for one in given]
        found = sy.compare({"old": old, "new": new}, judged, metrics, by=slices, test=test, draws=1000)
        return found.table()

    assert_same(compared(), compared(1))
