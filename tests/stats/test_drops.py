"""What comparisons say where values are best at 1, equal, infinite or undefined for a unit."""

from __future__ import annotations

import itertools
import warnings
from typing import ClassVar

import numpy as np
import pytest

import steelyard as sy
from steelyard.stats.compare import contrasts, pairs_of
from steelyard.stats.significance import verdicts
from steelyard.stats.testing import Procedure

from ..tables import each_row

TRUTH = {f"q{i}": ["a"] for i in range(12)}
OLD = {f"q{i}": ["b", "a"] if i % 3 else ["a", "b"] for i in range(12)}
NEW = {f"q{i}": ["a", "b"] if i % 2 else ["b", "a"] for i in range(12)}
COUNTS = ("better", "same", "worse", "n")


def of_log(metric, baseline="old", test="auto", **columns):
    """The row that compares two columns of scores, one user each row unless it says otherwise."""
    log = {"user": list(range(len(columns["label"]))), **columns}
    names = [name for name in columns if name not in ("user", "label")]
    found = sy.compare(
        log, scores=names, metrics=metric, columns={"query": "user"}, baseline=baseline, test=test
    )
    return found.table().row(0, named=True)


def of_runs(*, test="auto", metric="mrr", **systems):
    return sy.compare(systems, TRUTH, metric, baseline="old", test=test)


class TestDistancesFrom1:
    LABEL: ClassVar = [1, 0] * 10

    def log(self, old, new):
        """A log whose calibration is ``old`` and ``new``, with noise that moves neither."""
        rng = np.random.default_rng(3)
        label = np.array(self.LABEL)
        noise = rng.normal(0, 0.05, (2, 20))
        noise -= noise.mean(axis=1, keepdims=True)
        return {
            "user": list(range(20)),
            "label": label,
            "old": 0.5 * old + noise[0],
            "new": 0.5 * new + noise[1],
        }

    def test_a_gate_tests_the_drop_and_not_the_way_across(self):
        log = self.log(0.95, 1.0501)
        checked = sy.check(
            log,
            baseline="old",
            max_drop={"calibration": 0},
            significant=True,
            columns={"query": "user", "score": ["old", "new"]},
        )
        (verdict,) = checked.verdicts
        assert verdict.drop == pytest.approx(0.0001)
        assert verdict.drop_low < 0 < verdict.drop_high
        assert verdict.outcome == "passed"

    def test_the_p_of_a_drop_by_enumeration(self):
        log = self.log(0.9, 1.3)
        log = {name: column[:12] for name, column in log.items()}
        label, old, new = (np.asarray(log[name], float) for name in ("label", "old", "new"))
        results = sy.evaluate(log, metrics="calibration", columns={"query": "user", "score": ["old", "new"]})
        found = contrasts(
            {name: one.measured for name, one in results.items()},
            pairs_of(["old", "new"], "old"),
            Procedure(),
        )
        folded = found[0].from_best
        (verdict,) = verdicts([folded], Procedure())
        theta_old, theta_new = old.sum() / label.sum(), new.sum() / label.sum()
        assert theta_old < 1 < theta_new
        drop = (theta_new - 1) - (1 - theta_old)
        assert folded.difference == pytest.approx(drop)
        moves = (new - theta_new * label) / label.sum() + (old - theta_old * label) / label.sum()
        adds = moves + drop * label / label.sum()
        assert adds.sum() == pytest.approx(drop)
        sums = np.array([np.dot(signs, adds) for signs in itertools.product((1, -1), repeat=12)])
        assert verdict.p[0] == pytest.approx(np.mean(np.abs(sums) >= abs(drop) - 1e-12), abs=1e-12)
        of_unit = moves / np.sqrt(1 - label / label.sum())
        assert folded.units.variance == pytest.approx(np.sum(of_unit**2))

    def test_on_one_side_it_is_the_difference(self):
        log = self.log(1.1, 1.3)
        results = sy.evaluate(log, metrics="calibration", columns={"query": "user", "score": ["old", "new"]})
        found = contrasts(
            {name: one.measured for name, one in results.items()},
            pairs_of(["old", "new"], "old"),
            Procedure(),
        )
        plain, folded = verdicts([found[0], found[0].from_best], Procedure())
        assert folded.p == plain.p
        assert folded.low == pytest.approx(plain.low)
        assert folded.high == pytest.approx(plain.high)


class TestUnitsThatMoved:
    LOG: ClassVar = {
        "label": [1, 0, 0, 1, 0, 1],
        "old": [0.9, 0.8, 0.7, 0.9, 0.1, 0.2],
        "new": [0.9, 0.1, 0.2, 0.9, 0.1, 0.2],
    }

    @each_row(
        ("metric", "better"), [("precision", 2), ("f1", 2), ("calibration", 2), ("accuracy", 2), ("brier", 2)]
    )
    def test_a_unit_without_a_value_of_its_own(self, metric, better):
        """Two false positives are gone, of units that then have no precision and never had a calibration."""
        row = of_log(metric, **self.LOG)
        assert [row[name] for name in COUNTS] == [better, 6 - better, 0, 6]

    def test_swapped(self):
        row = of_log("precision", baseline="new", **self.LOG)
        assert [row[name] for name in COUNTS] == [0, 4, 2, 6]

    def test_shares_are_of_all_rows(self):
        """Precision goes from 2/4 to 2/2: what both denominators give, and a sixth of 1/2 for each."""
        tp, fp_old, fp_new = (np.array(x, float) for x in ([1, 0, 0, 1, 0, 0], [0, 1, 1, 0, 0, 0], [0] * 6))
        adds = (tp - 1.0 * (tp + fp_new)) / 2 - (tp - 0.5 * (tp + fp_old)) / 4 + 0.5 / 6
        sums = np.array([np.dot(signs, adds) for signs in itertools.product((1, -1), repeat=6)])
        assert np.mean(np.abs(sums) >= 0.5 - 1e-12) == 0.1875
        assert of_log("precision", **self.LOG)["p"] == 0.1875

    def test_a_class_alone_is_as_the_binary_metric(self):
        log = {"user": list(range(6)), **self.LOG}
        asked = {"scores": ["old", "new"], "columns": {"query": "user"}, "baseline": "old"}
        for name in ("precision", "f1", "recall"):
            every, one = (
                sy.compare(log, metrics=metric, **asked).table() for metric in (f"{name}(average=none)", name)
            )
            of_class = every.filter(every["class"] == "1").row(0, named=True)
            for column in ("value", "difference", "p", "ci_low", *COUNTS):
                assert of_class[column] == pytest.approx(one[column][0]), (name, column)


class TestEqualDifferences:
    WORST: ClassVar = {f"q{i}": ["b", "c", "a"] for i in range(12)}  # 1/3 each
    BEST: ClassVar = {f"q{i}": ["a", "b"] for i in range(12)}

    @pytest.mark.parametrize(
        ("test", "p"), [("t", 0.0), ("randomisation", 2.0**-11), ("bootstrap", 2 / 2001)]
    )
    def test_all_the_same(self, test, p):
        found = of_runs(old=self.WORST, new=self.BEST, test=test)
        row = found.table().row(0, named=True)
        assert row["difference"] == row["ci_low"] == row["ci_high"] == pytest.approx(2 / 3)
        assert row["p"] == pytest.approx(p)
        assert (row["effect"], row["detectable"], row["detectable_corrected"]) == (None,) * 3
        assert found.needed("mrr", 0.01) is None
        assert "equal_differences" in [note.key for note in found.notes]

    def test_a_system_against_itself(self):
        found = of_runs(old=OLD, new=dict(OLD))
        row = found.table().row(0, named=True)
        assert (row["difference"], row["ci_low"], row["ci_high"], row["p"]) == (0, 0, 0, 1)
        assert (row["effect"], row["detectable"], row["detectable_corrected"]) == (None,) * 3
        assert found.needed("mrr", 0.01) is None
        assert "equal_differences" not in [note.key for note in found.notes]

    def test_sums_that_differ_by_rounding_are_equal(self):
        p = [0.1, 0.2, 0.3, 0.4, 0.7, 0.15]
        row = of_log("calibration", label=[1, 0, 1, 0, 1, 0], old=p, new=p[::-1])
        assert row["difference"] == 0
        assert row["p"] == 1

    @pytest.mark.parametrize("metric", ["brier", "logloss", "rmse", "accuracy"])
    def test_rounding_makes_no_interval_of_equal_units(self, metric):
        for p in np.linspace(0.05, 0.95, 19):
            log = {"user": list(range(7)), "label": [1] * 7, "score": [p] * 7}
            row = sy.evaluate(log, metrics=metric, columns={"query": "user"}).table().row(0, named=True)
            if metric == "accuracy":  # 0 or 1, which has a score interval
                assert row["ci_low"] <= row["value"] <= row["ci_high"]
            else:
                assert np.isnan([row["ci_low"], row["ci_high"]]).all()


class TestWithoutEnd:
    LOG: ClassVar = {
        "label": [1, 0, 1, 0],
        "one": [0.0, 0.5, 0.5, 0.5],
        "other": [0.5, 0.5, 0.5, 0.6],
        "third": [0.0, 0.5, 0.7, 0.5],
    }

    @pytest.mark.parametrize("test", ["auto", "t", "wilcoxon", "sign", "bootstrap"])
    @pytest.mark.parametrize(
        ("old", "new", "counts"),
        [("one", "other", [1, 2, 1, 4]), ("other", "one", [1, 2, 1, 4]), ("one", "third", [1, 3, 0, 4])],
    )
    def test_infinite_losses(self, old, new, counts, test):
        log = {"user": list("abcd"), "label": self.LOG["label"], old: self.LOG[old], new: self.LOG[new]}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = sy.compare(
                log,
                scores=[old, new],
                metrics="logloss(clip=none)",
                columns={"query": "user"},
                baseline=old,
                test=test,
            )
        row = found.table().row(0, named=True)
        assert (row["p"], row["ci_low"], row["ci_high"], row["detectable"]) == (None,) * 4
        assert [row[name] for name in COUNTS] == counts
        assert "infinite_difference" in [note.key for note in found.notes]

    def test_ks_of_one_user(self):
        rng = np.random.default_rng(0)
        for n in range(4, 30):
            log = {"user": ["u"] * n, "label": [1, 0] * (n // 2) + [1] * (n % 2), "score": rng.random(n)}
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = sy.evaluate(log, metrics=["ks", "auc"], columns={"query": "user"}, unit="user")
            assert found.table()["ci_low"].is_nan().all()

    def test_no_number_of_units_shows_almost_nothing(self):
        found = of_runs(old=OLD, new=NEW)
        assert found.needed("mrr", 1e-200) is None
        assert found.needed("mrr", 1e-6) > 10**9

    def test_ten_units_are_ten(self):
        systems = {name: {q: run[q] for q in list(run)[:10]} for name, run in (("old", OLD), ("new", NEW))}
        truth = {q: TRUTH[q] for q in list(TRUTH)[:10]}
        log = {
            "user": list(range(10)),
            "label": [1, 0] * 5,
            "old": np.linspace(0.1, 0.9, 10),
            "new": np.linspace(0.2, 0.8, 10),
        }
        for found in (
            sy.compare(systems, truth, "mrr", baseline="old"),
            sy.compare(
                log, scores=["old", "new"], metrics="brier", columns={"query": "user"}, baseline="old"
            ),
        ):
            assert "compared_on_few_units" not in [note.key for note in found.notes]
