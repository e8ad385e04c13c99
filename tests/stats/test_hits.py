"""Metrics of 0 and 1 per unit: McNemar's mid-p, Tango's interval, and no contradiction between them."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.conventions import alpha_of
from steelyard.stats.compare import contrasts, pairs_of
from steelyard.stats.significance import limits
from steelyard.stats.testing import Procedure, mcnemar, tango_limits
from steelyard.text.errors import MetricError


def runs(old, new):
    """Runs in which the good document of each query stands first or not at all."""
    made = {
        name: {f"q{i}": ["good" if hit else "bad"] for i, hit in enumerate(hits)}
        for name, hits in (("old", old), ("new", new))
    }
    return made, {f"q{i}": ["good"] for i in range(len(old))}


def random_hits(n, seed):
    rng = np.random.default_rng(seed)
    easy = rng.random(n)
    return rng.random(n) < easy, rng.random(n) < easy


def row(comparison):
    return comparison.table().row(0, named=True)


def test_auto_takes_mcnemar_for_hits():
    old, new = [1] * 10 + [0] * 3 + [1] * 4, [0] * 10 + [1] * 3 + [1] * 4
    found = sy.compare(*runs(old, new), ["hit_rate@1", "recall@1", "precision@1", "mrr"])
    assert set(found.tests.values()) == {"mcnemar"}
    assert found["hit_rate@1"]["p"] == pytest.approx(0.057373046875, rel=1e-12)
    low, high = tango_limits(np.array([3]), np.array([10]), np.array([17]), 0.95)
    assert found["hit_rate@1"]["ci_low"] == pytest.approx(low[0])
    assert found["hit_rate@1"]["ci_high"] == pytest.approx(high[0])


def test_the_data_decides():
    """A query with two relevant documents has a recall of one half, and weights are no shares of hits."""
    given, truth = runs(*random_hits(30, 0))
    assert sy.compare(given, truth, "recall@1").tests == {"recall@1": "mcnemar"}
    halves = truth | {"q0": ["good", "other"], "q1": ["good", "other"]}
    assert sy.compare(given, halves, "recall@1").tests == {"recall@1": "randomisation"}
    weights = {query: 1.0 + (query == "q3") for query in truth}
    assert sy.compare(given, truth, "hit_rate@1", weights=weights).tests == {"hit_rate@1": "randomisation"}
    with pytest.raises(MetricError, match="different weights"):
        sy.compare(given, truth, "hit_rate@1", weights=weights, test="mcnemar")
    with pytest.raises(MetricError, match=r"has 0.5"):
        sy.compare(given, halves, "recall@1", test="mcnemar")


def test_accuracy_of_rows():
    rng = np.random.default_rng(2)
    log = {name: rng.integers(0, 2, 200) for name in ("label", "old", "new")}
    found = sy.compare(log, scores=["old", "new"], metrics=["accuracy", "recall", "precision", "f1"])
    assert [found.tests[name] for name in ("accuracy", "recall")] == ["mcnemar", "mcnemar"]
    assert [found.tests[name] for name in ("precision", "f1")] == ["randomisation", "randomisation"]
    right = [log[name] == log["label"] for name in ("old", "new")]
    wanted = mcnemar(np.sum(right[1] & ~right[0]), np.sum(right[0] & ~right[1]))
    assert found["accuracy"]["p"] == pytest.approx(wanted)
    assert found["recall"]["n"] == log["label"].sum()


def test_rows_of_users_are_no_hits():
    rng = np.random.default_rng(3)
    log = {name: rng.integers(0, 2, 200) for name in ("label", "old", "new")} | {"user": np.arange(200) % 20}
    found = sy.compare(log, scores=["old", "new"], metrics="accuracy", columns={"query": "user"})
    assert found.tests == {"accuracy": "randomisation"}


@pytest.mark.parametrize("level", [0.9, 0.95, 0.999, 1 - 1e-6])
def test_the_interval_holds_0_unless_the_test_rejects(level):
    """In every slice, also in those of two or three units."""
    n = 4000
    old, new = random_hits(n, 5)
    new = new | (np.arange(n) % 40 < 20) & (np.arange(n) % 3 > 0)
    given, truth = runs(old, new)
    by = {f"q{i}": str(i % 40) if i > 100 else f"tiny {i // 2}" for i in range(n)}
    results = {name: sy.evaluate(run, truth, "hit_rate@1", by=by) for name, run in given.items()}
    found = contrasts(
        {name: one.measured for name, one in results.items()}, pairs_of(["old", "new"], "old"), Procedure()
    )
    rejected = set()
    for one in found:
        low, high = limits(one, level)
        p = mcnemar(one.units.ahead, one.units.behind)
        known = one.units.n > 1
        assert ((low <= one.difference) & (one.difference <= high))[known].all()
        assert np.array_equal(((low > 0) | (high < 0))[known], (p < alpha_of(level))[known])
        rejected |= set((p < alpha_of(level)).tolist())
    assert rejected == {True, False}


def test_systems_that_never_differ():
    old, _ = random_hits(50, 6)
    found = row(sy.compare(*runs(old, old), "hit_rate@1"))
    assert (found["difference"], found["p"]) == (0, 1)
    assert found["ci_high"] == -found["ci_low"] == pytest.approx(1.959964**2 / (50 + 1.959964**2))


def test_many_units_keep_mcnemar():
    old, new = random_hits(60_000, 7)
    log = {"label": np.ones(60_000, int), "old": old.astype(int), "new": new.astype(int)}
    assert sy.compare(log, scores=["old", "new"], metrics="accuracy").tests == {"accuracy": "mcnemar"}


def test_many_units_take_t_and_auc_keeps_delong():
    rng = np.random.default_rng(8)
    log = {"label": rng.integers(0, 2, 50_001)} | {name: rng.random(50_001) for name in ("old", "new")}
    found = sy.compare(log, scores=["old", "new"], metrics=["auc", "logloss"])
    assert found.tests == {"auc": "delong", "logloss": "t"}
