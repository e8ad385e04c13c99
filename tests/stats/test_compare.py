"""`sy.compare`: worked examples, SciPy, definitions written out, and what must hold for any two systems."""

from __future__ import annotations

import itertools
import os

import numpy as np
import polars as pl
import pytest
from scipy import stats

import steelyard as sy

from ..tables import each_row

A = [0.5, 1.0, 0.33, 0.25, 1.0, 0.0, 0.5, 0.2, 1.0, 0.5]
B = [0.33, 0.5, 0.33, 0.5, 0.5, 0.0, 0.25, 0.1, 0.5, 0.33]

CLICKS = pl.DataFrame(
    {
        "user": list("aaabbcccdd"),
        "label": [1, 0, 0, 1, 0, 1, 1, 0, 0, 1],
        "p_old": [0.9, 0.4, 0.5, 0.5, 0.2, 0.7, 0.3, 0.6, 0.1, 0.5],
        "p_new": [0.8, 0.1, 0.3, 0.6, 0.4, 0.9, 0.5, 0.2, 0.5, 0.7],
    }
)


def lists(**systems):
    """Runs and a truth under which cg@1 of each query is the number that stands there."""
    n = len(next(iter(systems.values())))
    truth = {
        f"q{i}": {name: float(values[i]) for name, values in systems.items()} | {"unseen": 1.0}
        for i in range(n)
    }
    return {name: {f"q{i}": [name] for i in range(n)} for name in systems}, truth


def compared(metric="cg@1", *, baseline=None, test="auto", systems, **options):
    runs, truth = lists(**systems)
    return sy.compare(runs, truth, metric, baseline=baseline, test=test, **options)


def the_row(comparison):
    return comparison.table().row(0, named=True)


def random_systems(n, seed=0, steps=20):
    rng = np.random.default_rng(seed)
    one = rng.integers(0, steps, n) / steps
    return {"old": one, "new": np.clip(one + rng.integers(-3, 5, n) / steps, 0, 1)}


class TestWorked:
    def test_ten_queries(self):
        row = the_row(compared(systems={"b": B, "a": A}, baseline="b"))
        assert row["difference"] == pytest.approx(0.194, abs=1e-12)
        assert row["p"] == 12 / 256
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((0.014535531751342534, 0.3734644682486575))
        assert row["effect"] == pytest.approx(0.7732964698394945)
        assert (row["better"], row["same"], row["worse"], row["n"]) == (7, 2, 1, 10)
        assert row["value"] - row["difference"] == pytest.approx(np.mean(B))

    @each_row(
        ("test", "p"),
        [("t", 0.03703645561788752), ("wilcoxon", 0.0625), ("sign", 0.0703125), ("randomisation", 12 / 256)],
    )
    def test_ten_queries_by_every_test(self, test, p):
        row = the_row(compared(systems={"b": B, "a": A}, test=test))
        assert row["p"] == pytest.approx(p, rel=1e-12)

    def test_auc_by_user(self):
        comparison = sy.compare(
            CLICKS, scores=["p_old", "p_new"], metrics="auc", columns={"query": "user"}, baseline="p_old"
        )
        row = the_row(comparison)
        assert row["difference"] == pytest.approx(11 / 50, abs=1e-12)
        assert row["p"] == pytest.approx(0.17522276033938405)
        assert comparison.tests == {"auc": "delong"}
        assert row["ci_high"] - row["difference"] == pytest.approx(
            stats.t.ppf(0.975, 2.5714285714285716) * 0.014014837999076395**0.5
        )

    def test_auc_by_flips(self):
        comparison = sy.compare(
            CLICKS, scores=["p_old", "p_new"], metrics="auc", columns={"query": "user"}, test="randomisation"
        )
        assert the_row(comparison)["p"] == 4 / 16

    def test_mcnemar(self):
        old = [1] * 10 + [0] * 3 + [1] * 4
        new = [0] * 10 + [1] * 3 + [1] * 4
        row = the_row(compared(systems={"old": old, "new": new}, test="mcnemar"))
        assert row["p"] == pytest.approx(0.057373046875, rel=1e-12)
        assert (row["better"], row["same"], row["worse"]) == (3, 4, 10)

    def test_what_could_have_been_seen(self):
        rng = np.random.default_rng(3)
        d = rng.normal(size=200)
        d = 0.3 * (d - d.mean()) / d.std(ddof=1)
        comparison = compared(systems={"old": np.full(200, 2.0), "new": 2 + d})
        row = the_row(comparison)
        assert row["detectable"] == pytest.approx(0.05972339296756726, rel=1e-9)
        assert comparison.needed("cg@1", 0.02) == comparison.needed("cg@1", -0.02) == 1766

    def test_four_tests_corrected(self):
        systems = {"a": B, "b": A, "c": A[::-1]}
        plain = compared(systems=systems, correct="none").table()
        assert plain["p"].to_list() == plain["p_corrected"].to_list()
        p = plain["p"].to_numpy()
        bonferroni = compared(systems=systems, correct="bonferroni").table()["p_corrected"]
        assert bonferroni.to_list() == pytest.approx(np.minimum(1, 3 * p).tolist())
        bh = compared(systems=systems, correct="bh").table()["p_corrected"]
        assert bh.to_list() == pytest.approx(stats.false_discovery_control(p).tolist())
        holm = compared(systems=systems).table()
        rising = np.sort(p)
        wanted = np.minimum(1, np.maximum.accumulate(rising * [3, 2, 1]))
        assert np.sort(holm["p_corrected"]) == pytest.approx(wanted)
        assert holm["detectable_corrected"][0] > holm["detectable"][0]


class TestSciPy:
    @pytest.mark.parametrize("seed", range(5))
    def test_t(self, seed):
        systems = random_systems(40, seed)
        row = the_row(compared(systems=systems, test="t"))
        found = stats.ttest_rel(systems["new"], systems["old"])
        assert row["p"] == pytest.approx(found.pvalue, rel=1e-9)
        interval = found.confidence_interval(0.95)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((interval.low, interval.high))

    @each_row(("n", "seed"), [(9, 0), (13, 1), (40, 2), (300, 3)])
    def test_wilcoxon(self, n, seed):
        systems = random_systems(n, seed)
        d = np.round(systems["new"] - systems["old"], 12)
        row = the_row(compared(systems=systems, test="wilcoxon"))
        assert row["p"] == pytest.approx(stats.wilcoxon(d).pvalue, rel=1e-9)

    def test_randomisation(self):
        systems = random_systems(14, 4)
        found = stats.permutation_test(
            (systems["new"], systems["old"]),
            lambda one, other, axis: np.mean(one - other, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
        )
        assert the_row(compared(systems=systems))["p"] == pytest.approx(found.pvalue, rel=1e-12)

    def test_many_draws_come_near_the_t_test(self):
        systems = random_systems(400, 5)
        drawn, t = (the_row(compared(systems=systems, test=test))["p"] for test in ("randomisation", "t"))
        assert drawn == pytest.approx(t, abs=0.01)


def placements(label, score):
    """Every pair of a positive and a negative, one by one."""
    won = np.zeros(len(label))
    positive, negative = np.flatnonzero(label == 1), np.flatnonzero(label == 0)
    for i, j in itertools.product(positive, negative):
        share = 1.0 if score[i] > score[j] else 0.5 if score[i] == score[j] else 0.0
        won[i] += share / len(negative)
        won[j] += share / len(positive)
    return won


def test_delong_written_out():
    rng = np.random.default_rng(1)
    label = rng.integers(0, 2, 60)
    scores = {name: np.round(rng.random(60) + 0.2 * label, 1) for name in ("old", "new")}
    won = {name: placements(label, score) for name, score in scores.items()}
    variance = sum(
        np.cov(won["new"][of] - won["old"][of]) / np.count_nonzero(of) for of in (label == 1, label == 0)
    )
    difference = won["new"][label == 1].mean() - won["old"][label == 1].mean()
    freedom = min(np.count_nonzero(label == 1), np.count_nonzero(label == 0)) - 1
    log = pl.DataFrame({"clicked": label, **scores})
    row = the_row(sy.compare(log, scores=["old", "new"], metrics="auc"))
    assert row["difference"] == pytest.approx(difference, abs=1e-12)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(difference) / variance**0.5, freedom), rel=1e-9)


class TestProperties:
    @pytest.mark.parametrize("test", ["auto", "t", "wilcoxon", "sign", "randomisation", "bootstrap"])
    @pytest.mark.parametrize("n", [12, 60])
    def test_swapping_turns_the_sign_and_keeps_p(self, n, test):
        one = the_row(compared(systems=random_systems(n), baseline="old", test=test))
        other = the_row(compared(systems=random_systems(n), baseline="new", test=test))
        assert other["difference"] == -one["difference"]
        assert other["p"] == one["p"]
        assert (other["ci_low"], other["ci_high"]) == pytest.approx((-one["ci_high"], -one["ci_low"]))
        assert (other["better"], other["worse"]) == (one["worse"], one["better"])
        assert other["effect"] == pytest.approx(-one["effect"])

    @pytest.mark.parametrize("metric", ["auc", "logloss", "calibration", "gauc", "rmse"])
    def test_swapping_columns_too(self, metric):
        rng = np.random.default_rng(7)
        label = rng.integers(0, 2, 300)
        log = {
            "label": label,
            "user": rng.integers(0, 40, 300),
            "p": np.clip(rng.random(300), 0.01, 0.99),
            "q": np.clip(0.7 * rng.random(300) + 0.3 * label, 0.01, 0.99),
        }
        one, other = (
            the_row(
                sy.compare(
                    log, scores=["p", "q"], metrics=metric, columns={"query": "user"}, baseline=baseline
                )
            )
            for baseline in ("p", "q")
        )
        assert other["difference"] == pytest.approx(-one["difference"], abs=1e-15)
        assert other["p"] == pytest.approx(one["p"], rel=1e-12)
        assert (other["better"], other["worse"]) == (one["worse"], one["better"])

    @pytest.mark.parametrize("test", ["auto", "t", "wilcoxon", "sign", "randomisation", "bootstrap"])
    def test_a_system_against_itself(self, test):
        values = random_systems(50)["new"]
        row = the_row(compared(systems={"one": values, "other": values}, test=test))
        assert (row["difference"], row["p"], row["ci_low"], row["ci_high"]) == (0, 1, 0, 0)
        assert (row["better"], row["same"], row["worse"]) == (0, 50, 0)

    def test_a_column_against_itself(self):
        log = CLICKS.with_columns(pl.col("p_old").alias("again"))
        rows = sy.compare(
            log, scores=["p_old", "again"], metrics=["auc", "logloss", "gauc"], columns={"query": "user"}
        ).table()
        assert rows["difference"].to_list() == [0, 0, 0]
        assert rows["p"].to_list() == [1, 1, 1]

    @pytest.mark.parametrize("test", ["auto", "t", "wilcoxon", "sign"])
    def test_the_same_added_to_both(self, test):
        systems = random_systems(60)
        added = np.random.default_rng(9).random(60) * 3
        more = {name: values + added for name, values in systems.items()}
        one, other = (the_row(compared(systems=each, test=test)) for each in (systems, more))
        for name in ("difference", "p", "ci_low", "ci_high", "effect"):
            assert other[name] == pytest.approx(one[name], abs=1e-9)
        assert (other["better"], other["same"], other["worse"]) == (one["better"], one["same"], one["worse"])

    def test_threads_change_no_byte(self, monkeypatch):
        runs, truth = lists(**random_systems(500))
        found = set()
        for threads in (1, 2):
            monkeypatch.setattr(os, "cpu_count", lambda threads=threads: threads)
            found.add(sy.compare(runs, truth, ["cg@1", "hit_rate@1"], test="randomisation").to_json())
        assert len(found) == 1

    def test_the_seed_makes_the_draws(self):
        systems = random_systems(60)
        one, same, other = (the_row(compared(systems=systems, seed=seed))["p"] for seed in (0, 0, 1))
        assert one == same != other

    def test_the_order_of_rows_does_not_matter(self):
        rng = np.random.default_rng(2)
        log = pl.DataFrame(
            {
                "user": [f"u{i}" for i in rng.integers(0, 60, 600)],
                "label": rng.integers(0, 2, 600),
                "p": rng.random(600),
                "q": rng.random(600),
                "country": rng.choice(["DE", "JP"], 600),
            }
        )
        tables = [
            sy.compare(
                each,
                scores=["p", "q"],
                metrics=["auc", "logloss", "gauc"],
                columns={"query": "user"},
                by="country",
            ).table()
            for each in (log, log[rng.permutation(600).tolist()])
        ]
        one, other = (table.select(pl.selectors.numeric()).to_numpy() for table in tables)
        assert np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)
        assert tables[0]["metric"].to_list() == tables[1]["metric"].to_list()


class TestUnits:
    def test_queries_that_one_lacks_follow_the_missing_policy(self):
        runs, truth = lists(old=A, new=B)
        runs["new"] = {query: items for query, items in runs["new"].items() if query not in ("q0", "q1")}
        kept = sy.compare(runs, truth, "cg@1").table().row(0, named=True)
        assert kept["n"] == 10
        assert kept["value"] == pytest.approx(sum(B[2:]) / 10)
        skipped = sy.compare(runs, truth, "cg@1", missing="skip")
        row = skipped.table().row(0, named=True)
        assert row["n"] == 8
        assert row["value"] == pytest.approx(np.mean(B[2:]))
        assert row["difference"] == pytest.approx(np.mean(B[2:]) - np.mean(A[2:]))
        assert row["p"] == pytest.approx(the_row(compared(systems={"old": A[2:], "new": B[2:]}))["p"])
        (note,) = (note for note in skipped.notes if note.key == "compared_on_common_units")
        assert note == (
            "cg@1: new and old share 8 units; 2 units have a value in only one of them and are left out."
        )

    def test_weights_of_queries(self):
        weights = {f"q{i}": float(1 + i % 3) for i in range(10)}
        row = the_row(compared(systems={"b": B, "a": A}, weights=weights))
        w = np.array([1 + i % 3 for i in range(10)]) / 19
        d = np.array(A) - np.array(B)
        assert row["difference"] == pytest.approx(w @ d)
        moves = w * (d - w @ d)
        error = np.sqrt(np.sum(moves**2 / (1 - w)))
        reach = stats.t.ppf(0.975, 1 / np.sum(w**2) - 1)
        assert row["ci_high"] == pytest.approx(w @ d + reach * error)

    def test_users_that_have_several_queries_are_one(self):
        runs, truth = lists(old=A, new=B)
        team = pl.DataFrame(
            {"query": [f"q{i}" for i in range(10)], "team": [f"u{i // 2}" for i in range(10)]}
        )
        row = sy.compare(runs, truth, "cg@1", by=team, unit="team").table().row(0, named=True)
        assert row["n"] == 5
        d = (np.array(B) - np.array(A)).reshape(5, 2).mean(axis=1)
        assert row["ci_high"] - row["difference"] == pytest.approx(
            stats.t.ppf(0.975, 4) * d.std(ddof=1) / 5**0.5
        )

    def test_ids_as_text_meet_ids_as_numbers(self):
        truth = pl.DataFrame({"query": [1, 2, 3], "item": ["a", "b", "c"], "relevance": [1, 1, 1]})
        one = pl.DataFrame({"query": [1, 2, 3], "item": ["a", "b", "x"], "score": [1.0] * 3})
        text = pl.col("query").cast(pl.String)
        numbers = sy.evaluate(one, truth, "mrr")
        texts = sy.evaluate(one.with_columns(text), truth.with_columns(text), "mrr")
        assert numbers.measured[0].units.dtype != texts.measured[0].units.dtype
        assert sy.compare({"one": numbers, "other": texts}).table()["n"].to_list() == [3]

    def test_a_ratio_with_denominators_of_its_own(self):
        """The parts of the units add up to the difference, whatever the shares are."""
        rng = np.random.default_rng(6)
        queries = [f"q{i}" for i in range(30)]
        truth = {query: {f"d{j}": 1 for j in rng.choice(9, 3, replace=False)} for query in queries}
        runs = {
            name: {query: [f"d{j}" for j in rng.permutation(9)[: rng.integers(1, 6)]] for query in queries}
            for name in ("old", "new")
        }
        metric = "precision(pooling=pooled, denominator=retrieved)@5"
        one, other = (sy.evaluate(runs[name], truth, metric) for name in ("old", "new"))
        row = sy.compare({"old": one, "new": other}).table().row(0, named=True)
        assert row["difference"] == pytest.approx(other[metric] - one[metric])
        assert 0 < row["p"] <= 1

    def test_a_median_is_resampled(self):
        comparison = compared("cg(mean=median)@1", systems=random_systems(250))
        row = the_row(comparison)
        assert comparison.tests == {"cg(mean=median)@1": "bootstrap"}
        assert row["ci_low"] <= row["difference"] <= row["ci_high"]
        assert 0 < row["p"] <= 1
        assert row["effect"] is None

    def test_slices(self):
        systems = random_systems(60)
        runs, truth = lists(**systems)
        country = {f"q{i}": "JP" if i % 3 else "DE" for i in range(60)}
        table = sy.compare(runs, truth, "cg@1", by=country, correct="none").table()
        assert table["slice"].to_list() == ["(all)", "DE", "JP"]
        for name, of in (("DE", 0), ("JP", 1)):
            part = {key: values[(np.arange(60) % 3 > 0) == of] for key, values in systems.items()}
            alone = stats.ttest_rel(part["new"], part["old"])
            row = table.row(by_predicate=pl.col("slice") == name, named=True)
            assert row["n"] == len(part["old"])
            assert row["difference"] == pytest.approx(np.mean(part["new"] - part["old"]))
            interval = alone.confidence_interval(0.95)
            assert (row["ci_low"], row["ci_high"]) == pytest.approx((interval.low, interval.high))

    def test_where_the_winner_loses(self):
        runs, truth = lists(old=[0.5, 0.5, 0.5, 0.5], new=[1.0, 0.9, 1.0, 0.25])
        comparison = sy.compare(
            runs, truth, "cg@1", by={"q0": "DE", "q1": "DE", "q2": "JP", "q3": "FR"}, baseline="old"
        )
        (lost,) = comparison.lost_slices().to_dicts()
        assert (lost["slice"], lost["system"], lost["difference"]) == ("FR", "new", -0.25)
        assert lost["overall"] == pytest.approx(1.15 / 4)

    @pytest.mark.parametrize(("metric", "better", "worse"), [("logloss", 1, 1), ("calibration", 2, 0)])
    def test_better_is_by_the_direction(self, metric, better, worse):
        log = {
            "user": ["a", "a", "b", "b"],
            "label": [1, 0, 1, 0],
            "old": [0.6, 0.2, 0.5, 0.1],  # a: 0.8 of 1 clicks; b: 0.6 of 1
            "new": [0.7, 0.2, 0.4, 0.5],  # a: 0.9; b: 0.9
        }
        row = sy.compare(log, scores=["old", "new"], metrics=metric, columns={"query": "user"}).table()
        assert (row["better"][0], row["worse"][0]) == (better, worse)


def test_runs_results_and_saved_results_give_the_same(tmp_path):
    runs, truth = lists(**random_systems(30))
    metrics = ["cg@1", "mrr"]
    from_runs = sy.compare(runs, truth, metrics)
    results = {name: sy.evaluate(run, truth, metrics) for name, run in runs.items()}
    for name, result in results.items():
        result.save(tmp_path / f"{name}.steelyard")
    from_files = sy.compare([tmp_path / "old.steelyard", str(tmp_path / "new.steelyard")])
    for other in (
        sy.compare(results),
        from_files,
        sy.compare({"old": results["old"], "new": runs["new"]}, truth, metrics),
        sy.compare({name: result.slim() for name, result in results.items()}),
    ):
        assert other.table().equals(from_runs.table())
    assert from_files.systems == ("old", "new")
    assert sy.compare(list(results.values())).systems == ("predictions", "predictions (2)")
    assert sy.compare(results, metrics="mrr").table()["metric"].to_list() == ["mrr"]


def test_columns_of_scores_in_either_way():
    one = sy.compare(CLICKS, scores=["p_old", "p_new"], metrics="auc")
    other = sy.compare(CLICKS, metrics="auc", columns={"score": ["p_old", "p_new"]})
    assert one.table().equals(other.table())


def test_a_log_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "log.parquet"
    CLICKS.write_parquet(path)
    opened = []
    from steelyard.read import folders

    real = folders.open_file
    monkeypatch.setattr(folders, "open_file", lambda *given: opened.append(given[0]) or real(*given))
    sy.compare(path, scores=["p_old", "p_new"], metrics="auc")
    assert len(opened) == 1


def test_all_pairs_and_against_a_baseline():
    systems = {"a": A, "b": B, "c": A}
    every = compared(systems=systems).table().select("system", "baseline").rows()
    assert every == [("b", "a"), ("c", "a"), ("c", "b")]
    some = compared(systems=systems, baseline="b").table().select("system", "baseline").rows()
    assert some == [("a", "b"), ("c", "b")]
