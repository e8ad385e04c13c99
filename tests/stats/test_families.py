"""The whole and its slices are two families of tests; and a p at the floor of its draws is an upper bound."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.stats.testing import detectable


def log(n=600, seed=0, better=0.0):
    rng = np.random.default_rng(seed)
    chance = rng.beta(2, 3, n)
    return pl.DataFrame(
        {
            "user": np.arange(n) % 300,
            "country": [f"c{one % 15}" for one in np.arange(n) % 300],
            "label": (rng.random(n) < chance).astype(int),
            "old": np.clip(chance + rng.normal(0, 0.2 + better, n), 0.01, 0.99),
            "new": np.clip(chance + rng.normal(0, 0.2, n), 0.01, 0.99),
        }
    )


def compared(rows, metrics=("logloss", "rmse", "auc"), **options):
    return sy.compare(rows, scores=["old", "new"], metrics=metrics, columns={"query": "user"}, **options)


def test_slices_do_not_change_the_corrected_p_of_the_whole():
    alone, sliced = compared(log()), compared(log(), by="country")
    of_whole = sliced.table().filter(pl.col("country") == "(all)")
    for column in ("p_corrected", "detectable_corrected"):
        assert of_whole[column].to_list() == alone.table()[column].to_list()


def test_slices_are_corrected_among_themselves():
    rows = compared(log(), by="country", correct="bonferroni").table().filter(pl.col("country") != "(all)")
    assert rows.height == 45
    assert rows["p_corrected"].to_list() == pytest.approx((rows["p"] * 45).clip(0, 1).to_list())
    one = rows.row(0, named=True)
    variance = (one["difference"] / one["effect"]) ** 2 / one["n"]
    assert one["detectable_corrected"] > detectable(variance, one["n"] - 1.0, 0.95, 1)


def test_both_families_are_counted():
    sliced = compared(log(), by="country")
    assert str(sliced.tested).endswith("Holm's correction over 3 tests, and over 45 tests in slices")
    assert str(compared(log()).tested).endswith("Holm's correction over 3 tests")
    testing = json.loads(sliced.to_json())["testing"]
    assert (testing["tests"], testing["tests_in_slices"]) == (3, 45)


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
@pytest.mark.parametrize(("test", "floor"), [("randomisation", 1 / 1001), ("bootstrap", 2 / 2001)])
def test_a_p_at_its_floor_is_an_upper_bound(form, test, floor):
    found = compared(log(better=0.3), metrics="logloss", test=test, draws=1000)
    assert found["logloss"]["p"] == floor
    assert "<0.001 " in found.render(form, wide=False).replace("&", " ")


def test_a_corrected_p_of_a_floor_is_one_too(tmp_path):
    found = compared(log(better=0.3), test="randomisation", draws=1000)
    assert found["rmse"]["p_corrected"] == 3 / 1001
    assert "<0.003 " in found.to_text()
    found.report(tmp_path / "page.html")
    assert "&lt;0.003" in (tmp_path / "page.html").read_text()


def test_the_bootstrap_is_doubted_below_200_units():
    def doubted(n):
        rows = log(n).with_columns(user=pl.int_range(n))
        return [note.key for note in compared(rows, metrics=["ece", "logloss"], test="bootstrap").notes]

    assert "bootstrap_of_few_units" in doubted(199)
    assert "bootstrap_of_few_units" not in doubted(200)
