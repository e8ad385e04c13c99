"""A claim is as exact as it was printed, and nothing else than a metric and a number."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.search.claim import Claim, claims_of

from ..tables import each_row


@each_row(
    ("given", "low", "high"),
    [
        (0.302, 0.3015, 0.3025),
        ("0.302", 0.3015, 0.3025),
        ("0.3020", 0.30195, 0.30205),
        (Decimal("0.3020"), 0.30195, 0.30205),
        ("30.2%", 0.3015, 0.3025),
        ("30 %", 0.295, 0.305),
        (".5", 0.45, 0.55),
        ("2e-1", 0.15, 0.25),
        (np.float64(0.25), 0.245, 0.255),
        (np.float32(0.1), 0.05, 0.15),
        (1, 0.5, 1.5),
    ],
)
def test_a_value_counts_with_the_digits_that_are_printed(given, low, high):
    claim = Claim.of("map@10", given)
    assert (claim.low, claim.high) == pytest.approx((low, high), abs=1e-12)
    assert claim.fits(low)
    assert claim.fits(high)
    assert not claim.fits(low - (high - low) / 100)
    assert not claim.fits(high + (high - low) / 100)


def test_a_float_has_the_fifteen_digits_that_can_be_told_apart():
    third = 1 / 3
    claim = Claim.of("map", third)
    assert claim.fits(third)
    assert claim.fits(third + 4e-16)
    assert not claim.fits(third + 1e-11)


def test_a_library_of_single_precision_is_off_by_its_rounding():
    claim = Claim.of("map", 0.302105)
    assert claim.fits(0.302106, "float32")
    assert not claim.fits(0.302106)


@each_row(
    "given", ["", "abc", "nan", "inf", "-inf", "0,302", "0.3.2", "1_0", None, True, [0.3], float("nan"), "%"]
)
def test_what_is_no_number_is_refused(given):
    with pytest.raises(
        sy.SteelyardError, match="the value claimed for map@10 must be a number such as 0.302"
    ):
        Claim.of("map@10", given)


def test_more_digits_than_can_be_met():
    with pytest.raises(sy.SteelyardError) as refused:
        Claim.of("map@10", "0.30210526315789476")
    assert str(refused.value) == (
        "the claim for map@10 has 17 digits; at most 15 are significant\nwrite 0.302105263157895"
    )


@each_row("given", ["1e400", "-1e400", "1e9999999", "1e-400", "0e-400", "1e-9999999", "1e-322%"])
def test_what_no_float_is_or_has_the_digits_of(given):
    with pytest.raises(sy.SteelyardError) as refused:
        Claim.of("map@10", given)
    assert str(refused.value) == (
        f"{given}, claimed for map@10, is too large or has too many decimals"
        "\nwrite the value as it was printed: 0.302"
    )


@pytest.mark.parametrize(("given", "half"), [("1e-300", 5e-301), ("1e300", 5e299), ("2e-300%", 5e-303)])
def test_the_half_digit_of_numbers_that_floats_can_be(given, half):
    assert Claim.of("mse", given).half == half


@pytest.mark.parametrize("given", [None, {}])
def test_nothing_claimed(given):
    with pytest.raises(sy.SteelyardError, match="nothing is claimed"):
        claims_of(given)


def test_claims_of_a_table(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("Metric,note,Value\nmap@10,a,0.3020\nNDCG@10,b,45.1%\n", "utf-8")
    claims = claims_of(str(file))
    assert [(one.metric, one.printed, one.half) for one in claims] == [
        ("map@10", "0.3020", 5e-05),
        ("NDCG@10", "45.1%", 5e-04),
    ]
    frame = pl.DataFrame({"metric": ["map@10"], "value": [0.302]})
    assert [(one.metric, one.half) for one in claims_of(frame)] == [("map@10", 5e-04)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "table.csv is empty"),
        ("metric,value\n", "table.csv claims nothing: it has no row"),
        ("metric,score\nmap,0.3\n", "table.csv has no column 'value'; it has metric, score"),
        ("metric,value\nmap,0.3\nmrr,x\n", "table.csv, row 2: the value claimed for mrr must be a number"),
        ("metric,value\nmap,\n", "table.csv, row 1: the value claimed for map must be a number"),
        ("metric,value\nmapp@10,0.3\n", "table.csv, row 1: unknown metric 'mapp@10'; did you mean 'map@10'?"),
        ("metric,value\nmap,0.3\nmap,0.4\n", "two values are claimed for map: 0.3 and 0.4"),
        ("metric,value\nnobody:map,0.3\n", "table.csv, row 1: unknown profile 'nobody'"),
    ],
)
def test_a_table_of_claims_that_cannot_be_read(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(text, "utf-8")
    with pytest.raises(sy.SteelyardError) as refused:
        claims_of("table.csv")
    assert str(refused.value).startswith(said)


def test_a_table_that_is_not_there():
    with pytest.raises(sy.SteelyardError, match="nowhere.csv"):
        claims_of("nowhere.csv")


def test_a_table_of_semicolons_is_told_so(tmp_path):
    (tmp_path / "table.csv").write_text("metric;value\nmap;0,9\n", encoding="utf-8-sig")
    with pytest.raises(sy.SteelyardError) as caught:
        claims_of(tmp_path / "table.csv")
    assert str(caught.value).splitlines() == [
        f"{tmp_path / 'table.csv'} has its columns separated by semicolons",
        "separate them by commas: metric,value",
    ]
