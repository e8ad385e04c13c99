"""Slices and weights of rows: each slice as scikit-learn has the filtered rows."""

from __future__ import annotations

from math import nan

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import steelyard as sy
from steelyard.engine import slices
from steelyard.kernels import forced

from .given import CLICKS, LOG, PEERS, check, drawn, peer, sk

SEEDS = range(6)
METRICS = list(PEERS)


def by_slice(table, metric, *columns):
    """The values of a metric by slice; the whole under None."""
    rows = table.filter(pl.col("metric") == metric)
    names = list(zip(*(rows[column] for column in columns), strict=True))
    return {
        None if name[0] == "(all)" else name: value for name, value in zip(names, rows["value"], strict=True)
    }


def expected(frame, metric, weights, *columns):
    def of(part):
        return peer(metric, part["label"], part["score"], part["w"] if weights else None)

    parts = frame.with_columns(pl.col("new").cast(pl.String)).partition_by(columns, as_dict=True)
    return {None: of(frame)} | {name: of(part) for name, part in parts.items()}


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("columns", [("country",), ("country", "new")])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_slice_is_what_scikit_learn_says_of_its_rows(seed, columns, weights):
    frame = drawn(seed)
    table = sy.evaluate(frame, metrics=METRICS, by=columns, weights=weights).table()
    for metric in METRICS:
        ours, theirs = by_slice(table, metric, *columns), expected(frame, metric, weights, *columns)
        assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12, nan_ok=True), metric


@pytest.mark.parametrize("weights", [None, "w"])
def test_slices_of_classes(weights):
    frame = drawn(9).with_columns(
        label=pl.Series(np.random.default_rng(1).choice(list("abc"), 600)),
        predicted_class=pl.Series(np.random.default_rng(2).choice(list("abcd"), 600, p=[0.4, 0.4, 0.1, 0.1])),
    )
    asked = {
        f"{name}(average={average})": (name, average)
        for name in ("f1", "recall")
        for average in ("macro", "weighted", "micro")
    }
    table = sy.evaluate(frame, metrics=[*asked, "accuracy"], by="country", weights=weights).table()
    for label, (name, average) in asked.items():
        for (country,), part in frame.partition_by(["country"], as_dict=True).items():
            truth, called, weight = part["label"], part["predicted_class"], part["w"] if weights else None
            if weight is not None:
                truth, called, weight = (column.filter(weight > 0) for column in (truth, called, weight))
            score = getattr(sk, f"{name}_score")
            theirs = score(truth, called, average=average, sample_weight=weight, zero_division=0)
            assert by_slice(table, label, "country")[(country,)] == pytest.approx(theirs, rel=1e-10), label


def test_ten_thousand_slices_and_two_hundred_thousand_rows():
    n, slices = 200_000, 10_000
    random = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "label": random.random(n) < 0.4,
            "score": random.integers(1, 99, n) / 100,
            "item": random.integers(0, slices, n),
        }
    )
    metrics = ["auc", "logloss", "pr_auc", "f1", "rmse"]
    table = sy.evaluate(frame, metrics=metrics, by="item").table()
    assert table.height == len(metrics) * (1 + slices)
    sampled = frame.filter(pl.col("item").is_in(random.integers(0, slices, 25)))
    for (item,), part in sampled.partition_by(["item"], as_dict=True).items():
        ours = table.filter(pl.col("item") == str(item))
        theirs = [peer(name, part["label"].to_numpy().astype(int), part["score"]) for name in metrics]
        assert ours["value"].to_list() == pytest.approx(theirs, rel=1e-10, nan_ok=True)
        assert ours["n"].to_list() == [0 if value != value else part.height for value in theirs]


def test_gauc_in_slices():
    """A user of two countries is a group in each: u1 has 1 of 1 pairs in de and 0 of 1 in fr, u2 1 of 1."""
    log = {
        "user": ["u1", "u1", "u1", "u1", "u2", "u2", "u3"],
        "label": [1, 0, 1, 0, 1, 0, 1],
        "score": [0.9, 0.1, 0.2, 0.8, 0.6, 0.5, 0.5],
        "country": ["de", "de", "fr", "fr", "fr", "fr", "de"],
    }
    result = sy.evaluate(log, metrics=["gauc", "gauc(weight=uniform, single_class=half)"], by="country")
    table = result.table()
    # u1 as a whole: 0.9 above both, 0.2 above 0.1 only
    assert by_slice(table, "gauc", "country") == {
        None: (4 * 3 / 4 + 2 * 1) / 6,
        ("de",): 1.0,
        ("fr",): (2 * 0 + 2 * 1) / 4,
    }
    counts = table.filter(pl.col("metric") == "gauc").select("n", "undefined").rows()
    assert counts == [(2, 1), (1, 1), (2, 0)]
    half = "gauc(weight=uniform, single_class=half)"
    assert by_slice(table, half, "country") == {
        None: (3 / 4 + 1 + 1 / 2) / 3,
        ("de",): (1 + 1 / 2) / 2,
        ("fr",): (0 + 1) / 2,
    }


def test_slices_without_a_value_or_without_a_row():
    log = {
        "label": [1, 0, 1, None, 0],
        "score": [0.9, 0.1, 0.5, 0.6, 0.4],
        "country": ["de", "de", "fr", "it", None],
    }
    result = sy.evaluate(log, metrics=["auc", "logloss"], by="country", unlabelled="drop")
    table = result.table()
    auc = table.filter(pl.col("metric") == "auc")
    assert auc["country"].to_list() == ["(all)", "(none)", "de", "fr", "it"]
    assert auc["value"].to_list() == pytest.approx([3 / 4 + 1 / 4, nan, 1.0, nan, nan], nan_ok=True)
    assert auc.select("n", "undefined").rows() == [(4, 0), (0, 1), (2, 0), (0, 1), (0, 0)]
    assert "auc is undefined in 2 slices ((none), fr), where only one class is there." in result.notes
    assert "1 slice (it) has no row with a label and a weight." in result.notes
    assert "1 row without a label: left out." in result.notes


def test_a_slice_of_weight_0_has_no_rows():
    log = {
        "label": [1, 0, 1, 0],
        "score": [0.9, 0.1, 0.5, 0.6],
        "w": [1, 2, 0, 0],
        "b": [True, True, False, False],
    }
    result = sy.evaluate(log, metrics="accuracy", by="b", weights="w")
    assert by_slice(result.table(), "accuracy", "b") == pytest.approx(
        {None: 1.0, ("true",): 1.0, ("false",): nan}, nan_ok=True
    )
    assert result.table()["n"].to_list() == [2, 0, 2]
    assert "1 slice (false) has no row with a label and a weight." in result.notes


WEIGHTED = {**LOG, "times": [2, 1, 1, 3, 1, 0]}
REPEATED = {
    name: [value for value, times in zip(values, WEIGHTED["times"], strict=True) for _ in range(times)]
    for name, values in LOG.items()
}


def test_a_weight_is_as_many_rows():
    metrics = [name for name in CLICKS if name != "gauc"]
    many = sy.evaluate(REPEATED, metrics=metrics)
    check(sy.evaluate(WEIGHTED, metrics=metrics, weights="times"), dict(many))
    check(sy.evaluate(WEIGHTED, metrics=metrics, columns={"weight": "times"}), dict(many))


def test_weights_of_a_file_without_types(tmp_path):
    pl.DataFrame(WEIGHTED).write_csv(tmp_path / "log.csv")
    result = sy.evaluate(tmp_path / "log.csv", metrics="auc", weights="times")
    # 0.8 twice and 0.4 three times, each above 0.3 and 0.1 of three
    assert result["auc"] == pytest.approx((2 * 2 + 3 * 2) / (5 * 3), rel=1e-15)
    assert result.table()["n"].to_list() == [5]


def test_a_weight_without_types_may_be_written_in_any_way(tmp_path):
    (tmp_path / "log.csv").write_text("label,score,w\n1,0.9,1e0\n0,0.2, 2.50\n1,0.1,+1\n")
    assert sy.evaluate(tmp_path / "log.csv", metrics="auc", weights="w")["auc"] == 2.5 / 5


def test_weights_of_rows_and_of_queries_in_one_call():
    log = {"q": [1, 1, 2, 2], "label": [1, 0, 0, 1], "score": [0.9, 0.1, 0.8, 0.3], "w": [1, 1, 2, 2]}
    result = sy.evaluate(log, metrics=["mrr", "auc"], weights="w")
    assert result["mrr"] == pytest.approx((1 * 1 + 2 * 1 / 2) / 3, rel=1e-15)
    # 0.9 (1) above 0.1 (1) and 0.8 (2), 0.3 (2) above 0.1 (1)
    assert result["auc"] == pytest.approx((1 * 3 + 2 * 1) / (3 * 3), rel=1e-15)


def test_slices_of_rankings_and_of_rows_in_one_call():
    log = {
        "q": [1, 1, 2, 2],
        "label": [1, 0, 0, 1],
        "score": [0.9, 0.1, 0.8, 0.3],
        "shop": ["a", "a", "b", "b"],
    }
    table = sy.evaluate(log, metrics=["mrr", "auc"], by="shop").table()
    assert by_slice(table, "mrr", "shop") == {None: 3 / 4, ("a",): 1.0, ("b",): 1 / 2}
    assert by_slice(table, "auc", "shop") == {None: 3 / 4, ("a",): 1.0, ("b",): 0.0}


@pytest.mark.parametrize("name", ["*", "^.*$", "slice", "segment", "by 0", "label"])
def test_a_slice_column_may_have_any_name(name):
    log = {"label": [1, 0, 1, 0], "score": [0.9, 0.1, 0.5, 0.6]}
    table = sy.evaluate(
        log | {name: log["label"]}, metrics=["accuracy", "recall(average=none)"], by=name
    ).table()
    assert table.columns[:2] == [name, "metric"]
    assert by_slice(table, "accuracy", name) == {None: 3 / 4, ("0",): 1 / 2, ("1",): 1.0}


def test_slices_that_are_numbered_in_parts(monkeypatch):
    """The same slices, some of them in later rows only, null among them."""
    random = np.random.default_rng(4)
    log = pl.DataFrame({"label": random.integers(0, 2, 100), "score": random.random(100).round(2)})
    log = log.with_columns(
        a=pl.Series(["x", None, "y", "z"]).gather(np.arange(100) // 25), b=random.integers(0, 2, 100)
    )
    whole = sy.evaluate(log, metrics=["auc", "logloss"], by=["a", "b"])
    monkeypatch.setattr(slices, "_AT_ONCE", 30)
    assert_frame_equal(whole.table(), sy.evaluate(log, metrics=["auc", "logloss"], by=["a", "b"]).table())


@pytest.mark.parametrize("side", ["kernel", "twin"])
def test_gaps_between_the_numbers_of_users_move_nothing(side):
    random = np.random.default_rng(5)
    log = pl.DataFrame({"label": random.integers(0, 2, 900), "score": random.random(900).astype(np.float32)})
    log = log.with_columns(user_id=random.integers(0, 40, 900), country=random.integers(0, 3, 900))
    gaps = log.with_columns(user_id=17 * pl.col("user_id") + 5)
    with forced(side):
        one, other = (
            sy.evaluate(rows, metrics=["auc", "gauc", "logloss"], by="country") for rows in (log, gaps)
        )
    assert_frame_equal(one.table(), other.table(), abs_tol=1e-12, rel_tol=1e-12)
    assert_frame_equal(
        one.table().drop("ci_low", "ci_high"), other.table().drop("ci_low", "ci_high"), check_exact=True
    )
    assert one.certainty()["units"].to_list() == other.certainty()["units"].to_list()
