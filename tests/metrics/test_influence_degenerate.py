"""Intervals where there is little to make them of: one unit, one class, equal values, the ends of a scale."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import steelyard as sy
from steelyard.engine.influence import Influence
from steelyard.metrics import by_name
from steelyard.stats.intervals import limits

ROWS = [
    name
    for name, cls in by_name().items()
    if cls.reads in ("scores", "classes") and name not in ("top_accuracy@k", "confusion")
]
BOUNDED = ("auc", "pr_auc", "accuracy", "precision", "recall", "specificity", "f1", "balanced_accuracy")
LOG = ("logloss", "calibration", "copc", "ne")
SCORE_AT_5 = 5 / (5 + 2.7764451051977934**2)  # of five units, with Student's t of four degrees


def evaluated(text, users, label, score, **options):
    rows = pl.DataFrame({"user_id": list(users), "label": label, "score": [float(one) for one in score]})
    return sy.evaluate(rows, metrics=text, columns={"query": "user_id"}, **options)


def interval(*given, **options):
    table = evaluated(*given, **options).table()
    return table.select("value", "ci_low", "ci_high").row(0)


def keys(result):
    return {note.key for note in result.notes}


@pytest.mark.parametrize("ci", ["auto", "t", "score", "influence", "bootstrap", "bca"])
@pytest.mark.parametrize("name", ROWS)
def test_one_unit_says_nothing_of_chance(name, ci):
    result = evaluated(name, "aaaa", [1, 0, 1, 0], [0.9, 0.6, 0.4, 0.2], ci=ci)
    value, low, high = result.table().select("value", "ci_low", "ci_high").row(0)
    assert math.isfinite(value)
    assert math.isnan(low)
    assert math.isnan(high)
    assert "one_unit" in keys(result)


@pytest.mark.parametrize("name", ["auc", "ne", "rig", "ks", "gauc", "mcc"])
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_neither_value_nor_interval(name, label):
    found = interval(name, "abcd", [label] * 4, [0.9, 0.6, 0.4, 0.2])
    assert all(math.isnan(one) for one in found)


def test_without_a_click_calibration_is_undefined_and_its_reciprocal_0():
    assert all(math.isnan(one) for one in interval("calibration", "abc", [0, 0, 0], [0.9, 0.6, 0.4]))
    value, low, high = interval("copc", "abc", [0, 0, 0], [0.9, 0.6, 0.4])
    assert value == 0
    assert math.isnan(low)  # every user has 0, and nothing says how far they could differ
    assert math.isnan(high)


@pytest.mark.parametrize("name", ["auc", "ks"])
def test_a_class_that_one_unit_holds_leaves_no_interval(name):
    value, low, high = interval(name, "aabbcc", [1, 0, 0, 0, 0, 0], [0.9, 0.6, 0.4, 0.2, 0.7, 0.1])
    assert math.isfinite(value)
    assert math.isnan(low)
    assert math.isnan(high)


@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("mcc", "balanced_accuracy")])
def test_two_units_have_one_degree_of_freedom(name):
    result = evaluated(name, "aabb", [1, 0, 1, 0], [0.9, 0.2, 0.45, 0.6])
    value, low, high = result.table().select("value", "ci_low", "ci_high").row(0)
    assert low <= value <= high
    assert "few_units" in keys(result)


@pytest.mark.parametrize("ci", ["auto", "t", "bootstrap", "bca"])
@pytest.mark.parametrize("name", [*LOG, "auc", "pr_auc", "accuracy", "precision", "brier", "rig"])
def test_units_that_are_all_alike_have_no_interval(name, ci):
    result = evaluated(name, "aabbccdd", [1, 0] * 4, [0.6, 0.6] * 4, ci=ci)
    value, low, high = result.table().select("value", "ci_low", "ci_high").row(0)
    assert math.isfinite(value)
    assert math.isnan(low)
    assert math.isnan(high)
    notes = {note.key: str(note) for note in result.notes}
    assert notes["equal_units"] == f"{name}: all units have the same value, so there is no interval."
    assert "few_units" not in notes
    assert result.certainty()["units"][0] == 4


MACRO = [
    "balanced_accuracy",
    "mcc",
    *(f"{name}(average=macro)" for name in ("precision", "recall", "f1", "jaccard")),
]


@pytest.mark.parametrize("name", MACRO)
def test_a_class_of_fewer_than_five_units_leaves_no_interval(name):
    """Four rows of the second class, one of them wrong; a fifth makes it enough."""
    label, predicted = [0] * 30 + [1] * 5, [0] * 28 + [1] * 2 + [1] * 4 + [0]

    def measured(kept):
        rows = pl.DataFrame({"label": label, "predicted": predicted})[kept]
        result = sy.evaluate(rows, metrics=name)
        return result, result.table().select("value", "ci_low", "ci_high").row(0)

    few = [*range(28), *range(31, 35)]  # four are of the class, and four were called so
    result, (value, low, high) = measured(few[1:])
    assert math.isfinite(value)
    assert math.isnan(low)
    assert math.isnan(high)
    notes = {note.key: str(note) for note in result.notes}
    assert notes["rare_class"] == f"{name}: no interval, since a class has fewer than 5 effective units."
    assert {"equal_units", "one_unit"}.isdisjoint(notes)
    result, (value, low, high) = measured(list(range(35)))
    assert low < value < high
    assert "rare_class" not in keys(result)
    assert "few_units" in keys(result)  # 5 units of the class


@pytest.mark.parametrize("ci", ["bootstrap", "bca"])
def test_a_rare_class_leaves_no_resampled_interval_either(ci):
    rows = pl.DataFrame({"label": [0] * 30 + [1] * 2, "predicted": [0] * 28 + [1] * 3 + [0]})
    result = sy.evaluate(rows, metrics="f1(average=macro)", ci=ci)
    assert math.isnan(result.table()["ci_low"][0])
    assert "rare_class" in keys(result)
    # of tp, fp, fp, fn with 2, 1, 1, 1 in the denominator
    assert result.certainty()["effective_units"][0] == pytest.approx(5**2 / (2**2 + 3))


def test_rounding_of_weights_moves_no_interval():
    """A perfect order: nothing but one unit more of either class moves ks, whatever the weights add up to."""
    for seed in range(10):
        weight = np.random.default_rng(seed).random(50)
        rows = pl.DataFrame({"label": [1] * 20 + [0] * 30, "score": np.linspace(0.9, 0.1, 50), "w": weight})
        units = [part.sum() ** 2 / (part**2).sum() for part in (weight[:20], weight[20:])]
        error = math.hypot(*(1 / (n + 1) for n in units))
        low = sy.evaluate(rows, metrics="ks", weights="w").table()["ci_low"][0]
        assert low == pytest.approx(1 - error * stats.t.ppf(0.975, min(units) - 1))


def test_a_value_at_its_end_but_for_rounding_has_the_interval_of_the_end():
    alone = np.full((1, 10), 0.1)
    equal = Influence(moves=0 * alone, share=alone, added=np.array([1 / 121]))
    low = [limits("logit", np.array([v]), equal, 0.95, (0.0, 1.0)).low[0] for v in (1.0, 1 - 1e-15)]
    assert low[1] == pytest.approx(low[0])


def test_a_class_without_an_error_has_the_spread_of_one_unit_more():
    """Recall 1 of ten rows and 1/2 of twenty: an eleventh row that is wrong moves the mean by 1/2 · 1/11."""
    rows = pl.DataFrame({"label": [1] * 10 + [0] * 20, "score": [0.9] * 10 + [0.9, 0.1] * 10})
    result = sy.evaluate(rows, metrics=["balanced_accuracy", "ks"])
    certain = result.certainty()
    shown = (0.5**2 / 20) * (30 / 29)  # of the twenty, whose shares are those among all thirty rows
    assert certain["standard_error"][0] == pytest.approx(math.sqrt(shown / 4 + (1 / 22) ** 2))
    wide = certain["standard_error"][0] * stats.t.ppf(0.975, 9)  # the rarer class has ten rows
    assert (certain["ci_low"][0], certain["ci_high"][0]) == pytest.approx((0.75 - wide, 0.75 + wide))
    # ks: TPR 1, FPR 1/2, whose twenty rows have 1/20 each; an eleventh positive moves TPR by 1/11
    assert certain["standard_error"][1] == pytest.approx(math.sqrt(0.25 / 19 + (1 / 11) ** 2))


def test_a_value_of_1_but_for_rounding_is_at_its_end():
    """pr_auc adds up what positives add to recall: of seven the sum is not quite 1."""
    for positives in range(5, 30):
        rows = pl.DataFrame({"label": [1] * positives + [0] * 40, "score": [0.9] * positives + [0.1] * 40})
        rows = rows.with_columns(score=pl.col("score") + pl.int_range(pl.len()) / 1000)
        table = sy.evaluate(rows, metrics="pr_auc").table()
        quantile = stats.t.ppf(0.975, positives - 1)
        assert table["ci_low"][0] == pytest.approx(positives / (positives + quantile**2), rel=1e-9)


def test_an_open_end_is_infinite():
    """Two positives: Student's t of one degree makes a limit more than a hundred times the value."""
    log = {"label": [1, 1] + [0] * 48, "score": [0.01, 0.8] + [0.02] * 48, "side": ["a"] * 25 + ["b"] * 25}
    result = sy.evaluate(log, metrics=["calibration", "rig"], by="side")
    assert result.table().select("ci_low", "ci_high").row(0) == (0.0, math.inf)
    assert "0.0000 – ∞" in str(result)
    assert "0.0000 – ∞" in result.render("markdown")
    first = json.loads(result.to_json())["results"][0]
    assert (first["ci_low"], first["ci_high"]) == (0.0, None)
    drawing = json.dumps(
        result.chart("slices", metric="calibration").drawing, allow_nan=False, ensure_ascii=False
    )
    assert "0 to ∞" in drawing


def test_a_slice_of_equal_units_has_no_interval_of_its_own():
    """Lists of one item: dcg@1 is 1 or 0. In the first slice all have 1, in the second one of two."""
    run = {f"q{at}": ["a"] for at in range(4)}
    truth = {f"q{at}": {"a" if at < 3 else "b": 1} for at in range(4)}
    by = {f"q{at}": "same" if at < 2 else "mixed" for at in range(4)}
    result = sy.evaluate(run, truth, "dcg@1", by=by)
    found = {row[0]: row[1:] for row in result.table().select("slice", "value", "ci_low", "ci_high").rows()}
    wide = 12.706204736432095 * math.sqrt(0.5 / 2)  # Student's t of one degree, the variance of 1 and 0
    assert found["mixed"] == pytest.approx((0.5, max(0.5 - wide, 0), 0.5 + wide))
    assert found["same"][0] == 1
    assert math.isnan(found["same"][1])
    assert "equal_units" not in keys(result)  # of the whole, where units differ


@pytest.mark.parametrize("name", [*BOUNDED, "gauc"])
def test_at_1_the_score_interval_tells_how_many_units_there_are(name):
    found = interval(name, "aabbccddee", [1, 0] * 5, [0.9, 0.1] * 5)
    assert found == pytest.approx((1.0, SCORE_AT_5, 1.0), rel=1e-12)


@pytest.mark.parametrize("name", ["auc", "gauc", "accuracy", "precision", "recall", "specificity", "f1"])
def test_at_0_it_is_the_mirror_image(name):
    found = interval(name, "aabbccddee", [1, 0] * 5, [0.1, 0.9] * 5)
    assert found == pytest.approx((0.0, 0.0, 1 - SCORE_AT_5), rel=1e-12)


@pytest.mark.parametrize("name", ["mse", "mae", "rmse"])
def test_ratings_without_an_error_have_no_interval(name):
    result = sy.evaluate(predictions=np.array([1.0, 2, 3]), truth=np.array([1.0, 2, 3]), metrics=name)
    assert result.table()["value"][0] == 0
    assert result.table()["ci_low"].is_nan().all()
    assert "equal_units" in keys(result)


def test_infinite_values_have_no_interval():
    result = evaluated("logloss(clip=none)", "abcd", [1, 0, 1, 0], [0.0, 0.2, 0.9, 0.4])
    value, low, high = result.table().select("value", "ci_low", "ci_high").row(0)
    assert value == math.inf
    assert math.isnan(low)
    assert math.isnan(high)


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_weight_0_are_as_if_absent(name):
    rng = np.random.default_rng(0)
    users, label = list("aabbccddeeff"), [1, 0] * 6
    score = rng.random(12).round(2)
    rows = pl.DataFrame({"user_id": users, "label": label, "score": score, "w": [1.0] * 10 + [0.0] * 2})
    options = {"metrics": name, "columns": {"query": "user_id"}}
    weighed = sy.evaluate(rows, weights="w", **options).table()
    absent = sy.evaluate(rows.head(10), **options).table()
    columns = ["value", "ci_low", "ci_high"]
    expected = pytest.approx(absent.select(columns).row(0), rel=1e-9, abs=1e-12, nan_ok=True)
    assert weighed.select(columns).row(0) == expected


@pytest.mark.parametrize("ci", ["auto", "bootstrap"])
@pytest.mark.parametrize("name", ["coverage@2", "gini@2", "entropy@2", "entropy(normalise=true)@2"])
def test_what_depends_on_the_number_of_users_has_no_interval(name, ci):
    lists, other = {"u": ["a", "b"], "v": ["c"]}, {"u": ["a", "b"], "v": ["a"]}
    result = sy.evaluate(lists, metrics=name, catalog=["a", "b", "c"], ci=ci)
    assert result.table()["ci_low"].null_count() == 1
    [note] = [note for note in result.notes if note.key == "no_interval"]
    assert str(note) == f"{name}: no interval, since the value depends on the number of users."
    compared = sy.compare({"one": lists, "other": other}, metrics=name, catalog=["a", "b", "c"])
    assert "not_tested" in {note.key for note in compared.notes}


@pytest.mark.parametrize("name", ["coverage@2", "confusion"])
def test_what_resampling_says_nothing_of_has_no_interval(name):
    if name == "confusion":
        table = evaluated(name, "aabb", [1, 0, 1, 0], [0.9, 0.2, 0.45, 0.6], ci="bootstrap").table()
    else:
        table = sy.evaluate({"u": ["a", "b"], "v": ["c"]}, metrics=name, catalog=["a", "b", "c"]).table()
    assert table["ci_low"].null_count() == len(table)


def test_the_share_of_users_served_has_the_interval_of_hits():
    """47 of 50: Wilson's interval."""
    lists = {f"u{at}": ["a"] for at in range(47)}
    truth = {f"u{at}": ["a"] for at in range(50)}
    table = sy.evaluate(lists, truth, "user_coverage@1").table()
    expected = (0.94, 0.8378290831116182, 0.979385029651026)
    assert table.select("value", "ci_low", "ci_high").row(0) == pytest.approx(expected, rel=1e-9)
