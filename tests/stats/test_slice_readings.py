"""Readings look into slices: good news says where it fails, a warning where alone it holds."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.render import text
from steelyard.stats.readings import SliceFigures, readings

GOOD = {"auc": 0.74, "ne": 0.87, "calibration": 1.02}
WHOLE = "auc 0.7400 ≥ 0.7; ne 0.8700 < 1; calibration 1.0200 in 0.9–1.1"


def part(name, share=0.1, unit="rows", **values) -> SliceFigures:
    known = {label: GOOD[label] for label in GOOD if unit == "rows"} | values
    return SliceFigures(slice=(("country", name),), name=name, share=share, unit=unit, values=known)


def test_a_slice_in_which_good_news_does_not_hold():
    [reading] = readings(GOOD, slices=[part("DE", 0.9), part("JP", calibration=1.68)])
    assert reading.text == "ranking and calibration are both good, but not in 1 slice"
    assert reading.kind == "warning"
    assert str(reading) == (
        f"{reading.text} ({WHOLE}; JP, 10.0% of rows: calibration 1.6800 outside 0.9–1.1)."
    )
    assert reading.render("zh") == (
        "排序与概率都好，但有 1 个分组除外（"
        "auc 0.7400 ≥ 0.7；ne 0.8700 < 1；calibration 1.0200 在 0.9–1.1 之内；"
        "JP，占行数的 10.0%：calibration 1.6800 在 0.9–1.1 之外）。"
    )


def test_slices_in_which_it_holds_leave_it_as_it_is():
    assert readings(GOOD, slices=[part("DE"), part("JP")]) == readings(GOOD)
    assert readings(GOOD)[0].kind == "good"


def test_the_worst_first_three_named_and_the_others_counted():
    # as factors of the nearest limit: a 1.65/1.1 = 1.5, b 0.7/0.35 = 2, c 0.9/0.45 = 2 and larger, d 1.2
    slices = [
        part("a", 0.05, calibration=1.65),
        part("b", 0.1, auc=0.35),
        part("c", 0.2, calibration=0.45),
        part("d", 0.3, ne=1.2),
        part("e", 0.3, auc=0.69, calibration=1.11),
    ]
    [reading] = readings(GOOD, slices=slices)
    assert [one.name for one in reading.slices] == ["c", "b", "a", "d", "e"]
    assert reading.text.endswith("but not in 5 slices")
    assert str(reading).endswith(
        "c, 20.0% of rows: calibration 0.4500 outside 0.9–1.1; b, 10.0% of rows: auc 0.3500 < 0.7; "
        "a, 5.0% of rows: calibration 1.6500 outside 0.9–1.1; and 2 more)."
    )
    assert reading.render("zh").endswith("；另有 2 个分组）。")
    assert reading.slices[-1].figures == ("auc 0.6900 < 0.7", "calibration 1.1100 outside 0.9–1.1")


@pytest.mark.parametrize(("share", "named"), [(0.05, 1), (math.nextafter(0.05, 0), 0)])
def test_small_slices_are_left_aside(share, named):
    [reading] = readings(GOOD, slices=[part("JP", share, calibration=3)])
    assert len(reading.slices) == named


def test_what_is_undefined_in_a_slice_is_held_against_nothing():
    assert readings(GOOD, slices=[part("JP", auc=math.nan, ne=math.nan)])[0].slices == ()
    assert len(readings(GOOD, slices=[part("JP", auc=math.nan, calibration=2)])[0].slices) == 1


def test_a_figure_at_its_threshold_shows_on_which_side_it_is():
    [reading] = readings(GOOD, slices=[part("JP", auc=0.69999)])
    assert reading.slices[0].figures == ("auc 0.69999 < 0.7",)


CALIBRATE = "the order is good, the probabilities are off: calibrate"
WEAK = "candidates are there, ranking is weak"


def test_a_warning_that_holds_in_a_slice_alone():
    # between good and bad on the whole: nothing is said of it
    whole = GOOD | {"calibration": 1.2}
    assert readings(whole) == ()
    [reading] = readings(whole, slices=[part("DE"), part("JP", calibration=1.68)])
    assert str(reading) == (
        f"in 1 slice: {CALIBRATE} (JP, 10.0% of rows: auc 0.7400 ≥ 0.7, calibration 1.6800 outside 0.8–1.25)."
    )
    assert reading.render("zh") == (
        "在 1 个分组中：排序良好，但概率有偏差：需要校准"
        "（JP，占行数的 10.0%：auc 0.7400 ≥ 0.7、calibration 1.6800 在 0.8–1.25 之外）。"
    )


def test_a_warning_of_the_whole_is_not_told_again_of_its_slices():
    whole = GOOD | {"calibration": 1.5}
    assert readings(whole, slices=[part("JP", calibration=1.68)]) == readings(whole)


def test_rankings_too():
    slices = [
        part("DE", 0.9, "queries", **{"recall@1000": 0.9, "mrr@10": 0.5}),
        part("JP", 0.1, "queries", **{"recall@1000": 0.95, "mrr@10": 0.21}),
    ]
    [reading] = readings({"recall@1000": 0.9, "mrr@10": 0.47}, slices=slices)
    assert str(reading) == (
        f"in 1 slice: {WEAK} (JP, 10.0% of queries: recall@1000 0.9500 ≥ 0.8, mrr@10 0.2100 < 0.3)."
    )


# eighteen rows of DE, and two without a country, each of them a hundred times
LOG = pl.DataFrame(
    {
        "country": (["DE"] * 18 + [None] * 2) * 100,
        "clicked": ([1, 0, 0] * 6 + [1, 0]) * 100,
        "pctr": ([0.75, 0.1, 0.1] * 6 + [0.9, 0.8]) * 100,
    }
)


def test_from_data_to_every_form():
    result = sy.evaluate(LOG, metrics=["auc", "logloss", "calibration"], by="country")
    # DE: 6 · (0.75 + 0.1 + 0.1) / 6 clicks = 0.95; the others: (0.9 + 0.8) / 1 = 1.7; all: (5.7 + 1.7) / 7
    assert result["calibration"] == pytest.approx(7.4 / 7, abs=1e-12)
    [reading] = result.to_dict()["readings"]
    assert reading["text"] == "ranking and calibration are both good, but not in 1 slice"
    assert (reading["key"], reading["kind"]) == ("both_serve", "warning")
    [told] = reading["slices"]
    # of the two rows one is a click: always saying 1/2 costs ln 2, and this (−ln 0.9 − ln 0.2) / 2
    ne = (-math.log(0.9) - math.log(0.2)) / 2 / math.log(2)
    assert told == {
        "slice": {"country": None},
        "share": 0.1,
        "unit": "rows",
        "figures": [
            {
                "key": "ne",
                "figures": {
                    "name": "ne",
                    "value": pytest.approx(ne, abs=1e-12),
                    "relation": "at_least",
                    "limit": 1,
                },
                "text": f"ne {ne:.4f} ≥ 1",
            },
            {
                "key": "calibration",
                "figures": {
                    "name": "calibration",
                    "value": pytest.approx(1.7, abs=1e-12),
                    "relation": "outside",
                    "low": 0.9,
                    "high": 1.1,
                },
                "text": "calibration 1.7000 outside 0.9–1.1",
            },
        ],
    }
    said = f"(none), 10.0% of rows: ne {ne:.4f} ≥ 1, calibration 1.7000 outside 0.9–1.1"
    assert said in repr(result)
    assert "占行数的 10.0%" in text.talk(result.system(lang="zh"))
    page = result.to_html()
    assert "10.0% of rows: ne" in page
    assert "calibration 1.7000 在 0.9–1.1 之外" in page
    assert sy.evaluate(LOG, metrics=["auc", "logloss", "calibration"]).readings()[0].slices == ()


def calibrated(seed, *shape):
    """Clicks that happen as often as is said, in twenty shops."""
    rng = np.random.default_rng(seed)
    score = rng.beta(*shape, 20_000)
    clicked = rng.random(20_000) < score
    return pl.DataFrame({"label": clicked, "score": score, "shop": rng.integers(0, 20, 20_000)})


@pytest.mark.parametrize("seed", range(5))
def test_slices_of_calibrated_noise_are_not_named(seed):
    result = sy.evaluate(calibrated(seed, 2, 10), metrics=["auc", "ne", "calibration"], by="shop")
    # of twenty slices beyond two standard errors, one side: 0.5 by chance, were they all at a threshold
    assert sum(len(reading.slices) for reading in result.readings()) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_a_tenth_of_the_rows_that_is_off_is_named(seed):
    log = calibrated(seed, 0.5, 4).with_columns(country=pl.col("shop") < 2)
    off = pl.when("country").then((pl.col("score") * 1.68).clip(0, 1)).otherwise("score")
    log = log.with_columns(score=off)
    [reading] = sy.evaluate(log, metrics=["auc", "ne", "calibration"], by="country").readings()
    assert [one.name for one in reading.slices] == ["true"]


def test_a_slice_of_few_rows_is_not_named():
    log = {"label": [1, 0, 1, 0], "score": [0.9, 0.1, 0.2, 0.8], "shop": ["a", "a", "b", "b"]}
    readings = sy.evaluate(log, metrics=["auc", "ne", "calibration"], by="shop").readings()
    assert [one.slices for one in readings if one.slices] == []


def test_a_long_name_is_cut_in_the_sentence_and_whole_in_json():
    name = "long" * 1000
    result = sy.evaluate(
        LOG.with_columns(country=pl.col("country").fill_null(name)),
        metrics=["auc", "logloss", "calibration"],
        by="country",
    )
    [reading] = result.readings()
    assert len(str(reading)) < 400
    assert reading.slices[0].slice == (("country", name),)


def test_from_lists_to_a_reading():
    # of twenty queries two are from JP, whose item stands at rank 11
    queries = [f"q{n:02d}" for n in range(20)]
    run = {query: [f"i{n:02d}" for n in range(11)] for query in queries}
    truth = pl.DataFrame(
        {
            "query": queries,
            "item": ["i10" if query in ("q00", "q01") else "i00" for query in queries],
            "relevance": [1] * 20,
            "country": ["JP", "JP"] + ["DE"] * 18,
        }
    )
    result = sy.evaluate(run, truth, ["recall@1000", "mrr@10"], by="country")
    assert [str(reading) for reading in result.readings()] == [
        f"in 1 slice: {WEAK} (JP, 10.0% of queries: recall@1000 1.0000 ≥ 0.8, mrr@10 0.0000 < 0.3)."
    ]
