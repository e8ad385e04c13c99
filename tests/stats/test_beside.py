"""What one part of a comparison leaves alone: other slices, the order of systems, metrics without a side."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

import steelyard as sy

TRUTH = {f"q{i}": ["a"] for i in range(12)}
OLD = {f"q{i}": ["b", "a"] if i % 3 else ["a", "b"] for i in range(12)}
NEW = {f"q{i}": ["a", "b"] if i % 2 else ["b", "a"] for i in range(12)}


def test_a_slice_of_one_class_does_not_change_the_others():
    rng = np.random.default_rng(5)
    n = 60
    log = {
        "user": np.arange(n) % 20,
        "site": np.array(["x", "y", "z"])[np.arange(n) // 20],
        "label": np.where(np.arange(n) < 40, rng.integers(0, 2, n), 1),
        "old": rng.random(n),
        "new": rng.random(n),
    }
    some = {name: column[:40] for name, column in log.items()}
    every, fewer = (
        sy.compare(
            one, scores=["old", "new"], metrics="auc", columns={"query": "user"}, by="site", baseline="old"
        )
        .table()
        .select("site", "value", "difference", "ci_low", "ci_high", "p")
        for one in (log, some)
    )
    alone = every.filter(every["site"] == "z").row(0, named=True)
    assert np.isnan(alone["value"])
    assert alone["p"] is None
    for site in ("x", "y"):
        found = every.filter(every["site"] == site)
        assert found["p"][0] is not None
        assert found.equals(fewer.filter(fewer["site"] == site))


def test_swapped_systems_keep_p_by_class_with_weights():
    rng = np.random.default_rng(6)
    n = 12
    log = {
        "user": np.arange(n),
        "label": rng.integers(0, 2, n),
        "old": rng.random(n),
        "new": rng.random(n),
        "weight": rng.integers(1, 5, n).astype(float),
    }
    columns = {"query": "user", "weight": "weight"}
    found = {
        baseline: sy.compare(
            log,
            scores=["old", "new"],
            metrics="precision(average=none)",
            columns=columns,
            baseline=baseline,
        ).table()
        for baseline in ("old", "new")
    }
    assert found["old"].height == 2
    assert found["old"]["p"].to_list() == pytest.approx(found["new"]["p"].to_list())
    assert found["old"]["p"].null_count() == 0
    assert found["old"]["difference"].to_list() == pytest.approx((-found["new"]["difference"]).to_list())


@pytest.mark.parametrize("metric", ["logloss", "auc", "precision"])
def test_the_bootstrap_of_one_unit_says_nothing(metric):
    log = {
        "user": ["u"] * 6,
        "label": [1, 0] * 3,
        "old": [0.9, 0.2, 0.8, 0.7, 0.6, 0.1],
        "new": [0.5, 0.6] * 3,
    }
    found = sy.compare(
        log,
        scores=["old", "new"],
        metrics=metric,
        columns={"query": "user"},
        baseline="old",
        test="bootstrap",
    )
    row = found.table().row(0, named=True)
    assert (row["p"], row["ci_low"], row["ci_high"]) == (None,) * 3


def test_without_a_direction_nothing_is_better():
    lists = {
        name: {f"u{i}": pair for i in range(20)} for name, pair in (("x", ["a", "b"]), ("y", ["c", "d"]))
    }
    truth = {f"u{i}": ["a"] for i in range(20)}
    history = {f"h{i}": ["a", "b", "c"] if i else ["a", "b", "c", "d"] for i in range(10)}
    found = sy.compare(lists, truth, ["popularity@2", "mrr"], history=history)
    assert found["popularity@2", "y"]["p"] < 0.001
    assert found["popularity@2", "y"]["better"] is None
    table = found.to_text(wide=True)
    rows = [line.split() for line in table.splitlines() if line.split()[:1] in (["x"], ["y"])]
    marked = dict.fromkeys("ᵃᵇ")
    assert len(rows) == 2
    for _, _, popularity, _ in rows:
        assert popularity[-1] not in marked
    assert rows[0][3].endswith("ᵇ")  # x has the better mrr


def test_a_gate_fails_what_cannot_be_tested():
    narrow, catalog = {query: ["a"] for query in NEW}, ["a", "b", "c"]
    found = sy.check(
        narrow, TRUTH, baseline=NEW, max_drop={"coverage@5": 0}, significant=True, catalog=catalog
    )
    assert str(found.failed[0].sentence).endswith("cannot be decided: the difference has no interval")


def test_a_gate_fails_an_infinite_loss():
    log = {
        "user": list(range(8)),
        "label": [1, 0] * 4,
        "old": [0.6, 0.4] * 4,
        "new": [0.0, *[0.4, 0.6] * 3, 0.4],
    }
    checked = sy.check(
        log,
        baseline="old",
        max_drop={"logloss(clip=none)": 0},
        significant=True,
        columns={"query": "user", "score": ["old", "new"]},
    )
    assert [one.outcome for one in checked.verdicts] == ["failed"]


def test_mcnemar_knows_no_weights():
    weights = {f"q{i}": 1.0 + i % 2 for i in range(12)}
    asked = {"metrics": "hit_rate@1", "baseline": "old", "test": "mcnemar"}
    with pytest.raises(sy.SteelyardError, match="different weights"):
        sy.compare({"old": OLD, "new": NEW}, TRUTH, weights=weights, **asked)
    equal = sy.compare({"old": OLD, "new": NEW}, TRUTH, weights=dict.fromkeys(TRUTH, 2.0), **asked)
    assert equal.table()["p"][0] == sy.compare({"old": OLD, "new": NEW}, TRUTH, **asked).table()["p"][0]


class TestCommonUnits:
    """x has six queries, y the first four of them and z the last four."""

    TRUTH: ClassVar = {f"q{i}": ["a"] for i in range(6)}
    X: ClassVar = {
        f"q{i}": ["a"] if i < 4 else ["b", "c", "d", "a"] for i in range(6)
    }  # 1, 1, 1, 1, 1/4, 1/4
    Y: ClassVar = {f"q{i}": ["a"] if i else ["b", "a"] for i in range(4)}  # 1/2, 1, 1, 1
    Z: ClassVar = {f"q{i}": ["b", "a"] for i in range(2, 6)}

    def rows(self, baseline, **systems):
        found = sy.compare(systems, self.TRUTH, "mrr", baseline=baseline, missing="skip")
        lines = [line.split() for line in found.to_text(wide=True).splitlines()]
        marked = [line for line in found.to_latex().splitlines() if "textbf" in line]
        return found, {line[0]: line[-1] for line in lines if line[:1] and line[0] in systems}, marked

    @pytest.mark.parametrize("baseline", ["x", "y", None])
    def test_two_systems_show_what_they_are_compared_by(self, baseline):
        """On its own six queries x has 0.75, less than y; on the four that both have it is better."""
        found, values, marked = self.rows(baseline, x=self.X, y=self.Y)
        assert values == {"x": "1.0000", "y": "0.8750"}
        assert len(marked) == 1
        assert marked[0].startswith("x")
        assert "each value is of all units" not in found.to_text(wide=True)

    @pytest.mark.parametrize("baseline", ["x", None])
    def test_where_each_pair_shares_others_it_is_said(self, baseline):
        found, values, marked = self.rows(baseline, x=self.X, y=self.Y, z=self.Z)
        assert values == {"x": "0.7500", "y": "0.8750", "z": "0.5000"}
        assert len(marked) == 1
        assert marked[0].startswith("y")
        assert "mrr: each value is of all units of its system" in found.to_text(wide=True)
        assert "each value is of all units" not in found.to_text()
