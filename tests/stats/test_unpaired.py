"""Systems on different data: independent samples of units."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import scipy.stats

import steelyard as sy

RNG = np.random.default_rng(11)


def day(n, rate, segment="x"):
    """A log of n rows, one user each."""
    label = RNG.integers(0, 2, n)
    score = np.clip(0.5 + rate * (label - 0.5) + RNG.normal(0, 0.2, n), 0.01, 0.99)
    users = RNG.permutation(10_000)[:n]
    return pl.DataFrame({"user": users, "label": label, "score": score, "segment": segment})


MONDAY, TUESDAY = day(300, 0.6), day(200, 0.2)
COLUMNS = {"columns": {"query": "user"}}


def compared(metric, **options):
    return sy.compare(
        {"monday": MONDAY, "tuesday": TUESDAY}, metrics=metric, paired=False, **COLUMNS, **options
    )


def test_a_mean_is_compared_as_by_welch():
    row = compared("brier")["brier"]
    squares = [((log["score"] - log["label"]) ** 2).to_numpy() for log in (TUESDAY, MONDAY)]
    welch = scipy.stats.ttest_ind(*squares, equal_var=False)
    ends = welch.confidence_interval(0.95)
    assert row["difference"] == pytest.approx(squares[0].mean() - squares[1].mean())
    assert (row["p"], row["ci_low"], row["ci_high"]) == pytest.approx((welch.pvalue, ends.low, ends.high))
    assert (row["n"], row["better"], row["effect"]) == (500, None, None)


def test_auc_has_the_variance_of_two_samples():
    """DeLong's variance of one AUC: that of the placements of either class, added for both days."""
    row = compared("auc")["auc"]

    def variance(log):
        positive, negative = (log.filter(log["label"] == one)["score"].to_numpy() for one in (1, 0))
        above = (positive[:, None] > negative).astype(float)
        return above.mean(axis=1).var(ddof=1) / len(positive) + above.mean(axis=0).var(ddof=1) / len(negative)

    error = np.sqrt(variance(MONDAY) + variance(TUESDAY))
    assert (row["ci_high"] - row["ci_low"]) / 2 == pytest.approx(1.965 * error, rel=0.01)


def test_a_bootstrap_has_about_the_interval_of_welch():
    welch, drawn = (compared("brier", test=test)["brier"] for test in ("welch", "bootstrap"))
    assert drawn["ci_high"] - drawn["ci_low"] == pytest.approx(welch["ci_high"] - welch["ci_low"], rel=0.1)


def test_resampled_metrics_draw_the_days_apart():
    """Were one user of both days drawn alike, equal logs would have a difference without a spread."""
    same = sy.compare({"one": MONDAY, "other": MONDAY}, metrics="ece", paired=False, **COLUMNS)["ece"]
    assert same["difference"] == 0
    assert same["ci_low"] < -0.01 < 0.01 < same["ci_high"]


def test_slices_and_what_needs_pairs():
    logs = [pl.concat([log, day(100, 0.4, "y")]) for log in (MONDAY, TUESDAY)]
    found = sy.compare(
        dict(zip(("a", "b"), logs, strict=True)), metrics="brier", by="segment", paired=False, **COLUMNS
    )
    assert found["brier", {"segment": "x"}]["difference"] == pytest.approx(
        compared("brier")["brier"]["difference"]
    )
    assert "Welch's t test of independent samples" in found.to_text() + repr(found)
    for fails in (lambda: found.moved("brier"), lambda: found.chart("scatter")):
        with pytest.raises(sy.SteelyardError, match="independent samples have no queries in common"):
            fails()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcoxon"}, "test wilcoxon does not suit these samples"),
        ({"test": "welch", "paired": True}, "test welch does not suit these samples"),
        ({"paired": None}, "paired must be True or False; got None"),
    ],
)
def test_what_is_refused(options, message):
    options = {"paired": False, **options}
    with pytest.raises(sy.SteelyardError, match=message):
        sy.compare([MONDAY, TUESDAY], metrics="brier", **options)


def test_on_the_command_line(steelyard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    MONDAY.write_parquet("monday.parquet")
    TUESDAY.write_parquet("tuesday.parquet")
    done = steelyard("compare", "monday.parquet", "tuesday.parquet", "-m", "auc", "--unpaired")
    assert done.code == 0
    assert "Welch's t test of independent samples" in done.out + done.err
    gate = (
        "check",
        "tuesday.parquet",
        "--baseline",
        "monday.parquet",
        "--max-drop",
        "auc=0.01",
        "--unpaired",
    )
    assert steelyard(*gate, "--mode", "harm").code == 1


def test_slices_that_only_one_day_has():
    """Each value keeps what its own slice adds, where the days have other slices: x, y, z and w, y, z."""
    places = pl.Series("segment", np.resize(["x", "y", "z"], 300))
    logs = {"a": MONDAY.with_columns(places), "b": MONDAY.with_columns(places.replace({"x": "w"}))}
    metrics = ["ks", "balanced_accuracy", "f1(average=macro)"]
    found = sy.compare(logs, metrics=metrics, by="segment", paired=False)
    days = {name: log.filter(log["segment"] == "y") for name, log in logs.items()}
    alone = sy.compare(days, metrics=metrics, paired=False)
    for metric in metrics:
        mine, its = found[metric, {"segment": "y"}], alone[metric]
        assert (mine["ci_low"], mine["ci_high"]) == pytest.approx((its["ci_low"], its["ci_high"]))


@pytest.mark.parametrize("paired", [True, False])
def test_a_rare_class_leaves_no_interval_of_the_difference(paired):
    """Two rows of the second class; what no interval bounds, no gate lets pass."""
    label = [0] * 30 + [1] * 2
    called = {"a": [0] * 28 + [1, 1, 1, 0], "b": [0] * 29 + [1, 1, 1]}
    logs = {name: pl.DataFrame({"label": label, "predicted": one}) for name, one in called.items()}
    name = "f1(average=macro)"
    found = sy.compare(logs, metrics=name, paired=paired)
    row = found[name]
    assert (row["ci_low"], row["ci_high"], row["detectable"]) == (None, None, None)
    assert (row["p"] is None) is not paired  # flipped signs need no variance
    assert [note.key for note in found.notes] == ["rare_class"]
    options = {"baseline": logs["a"], "max_drop": {name: 0.5}, "mode": "non_inferior", "paired": paired}
    gate = sy.check(logs["b"], **options)
    assert not gate
    assert "cannot be decided: the difference has no interval" in gate.to_text()
