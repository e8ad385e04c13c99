"""What the charts of compared systems draw, and what is said of a difference, from plain frames."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.render import charts
from steelyard.render.charts import PerQuery
from steelyard.render.compared import Compared
from steelyard.stats.comparison_table import with_standing
from steelyard.text import say
from steelyard.text.errors import MetricError
from steelyard.text.errors.base import NothingToDrawError
from steelyard.text.labels import FLOORED, GAIN, STANDING

from ..tables import each_row

HOLM = say("Holm's correction")
EMPTY = {"effect": 0.5, "better": 6, "same": 3, "worse": 1, "n": 10, "detectable": 0.05}


def row(metric, difference, p, *, of=None, system="new", value=0.5):
    limits = {"ci_low": difference - 0.01, "ci_high": difference + 0.01}
    return {
        "country": of,
        "metric": metric,
        "system": system,
        "baseline": "old",
        "value": value,
        "difference": difference,
        **limits,
        "p": p / 2,
        "p_corrected": p,
        FLOORED: False,
        **EMPTY,
    }


def compared(*rows, by=("country",), correction=HOLM):
    frame = pl.DataFrame(list(rows), schema_overrides={"country": pl.String}, orient="row")
    metrics = {label: sy.metric(label) for label in frame["metric"].unique(maintain_order=True)}
    frame = with_standing(frame, {label: metric.direction for label, metric in metrics.items()}, 0.95)
    return Compared(
        title=say(""),
        facts=(),
        conventions=say(""),
        notes=(),
        tested=say(""),
        titles={},
        rows=frame if by else frame.drop("country"),
        metrics=metrics,
        by=by,
        correction=correction,
    )


def drawn(chart, mark, *fields):
    spec = chart.spec()
    panels = spec.get("vconcat", [spec])
    layers = [one for panel in panels for one in panel["layer"] if one["mark"]["type"] == mark]
    return [tuple(values[name] for name in fields) for one in layers for values in one["data"]["values"]]


def test_a_difference_is_told_in_plain_words():
    found = compared(row("ndcg@10", 0.021, 0.002), row("logloss", -0.03, 0.004), row("mrr", 0.004, 0.6))
    said = [str(found.verdict(one)) for one in found.rows.to_dicts()]
    assert said == [
        "new is better than old in ndcg@10 by 0.0210 "
        "(95% interval 0.0110 to 0.0310, p 0.0020 after Holm's correction).",
        "new is better than old in logloss by 0.0300 "
        "(95% interval 0.0200 to 0.0400, p 0.0040 after Holm's correction).",
        "new against old in mrr: +0.0040, not significant "
        "(95% interval -0.0060 to +0.0140, p 0.6000 after Holm's correction). "
        "10 queries can detect differences of 0.0500 or more.",
    ]


def test_worse_apart_and_without_correction():
    found = compared(
        row("ndcg@10", -0.021, 0.002, of="JP"),
        row("calibration", 0.2, 0.01, value=1.3),
        correction=None,
    )
    worse, off = found.rows.to_dicts()
    assert (worse[STANDING], off[STANDING]) == ("worse", "worse")
    assert str(found.verdict(worse)) == (
        "In JP: new is worse than old in ndcg@10 by 0.0210 (95% interval 0.0110 to 0.0310, p 0.0020)."
    )
    assert str(found.verdict(off)) == (
        "new is worse than old in calibration: +0.2000 (95% interval +0.1900 to +0.2100, p 0.0100)."
    )
    assert found.verdict(worse).render("zh").startswith("在 JP 中：new 的 ndcg@10 劣于 old，相差 0.0210")


@each_row(
    ("value", "difference", "direction", "gain"),
    [
        (0.5, 0.1, "higher", 0.1),
        (0.5, 0.1, "lower", -0.1),
        (1.2, 0.1, "nearest_1", -0.1),  # 1.1 was nearer
        (0.9, 0.3, "nearest_1", 0.3),  # from 0.6, 0.4 away, to 0.1 away
        (0.5, 0.1, "none", None),
        (0.5, None, "higher", None),
    ],
)
def test_how_much_better_depends_on_the_direction(value, difference, direction, gain):
    rows = pl.DataFrame({"metric": ["m"], "value": value, "difference": difference, "p_corrected": 0.01})
    rows = rows.with_columns(pl.col("difference").cast(pl.Float64))
    found = with_standing(rows, {"m": direction}, 0.95)[GAIN][0]
    assert found == (None if gain is None else pytest.approx(gain))


def test_a_forest_has_a_row_for_each_metric_and_system():
    rows = [row(label, 0.02, 0.01) for label in ("ndcg@10", "mrr")]
    rows += [row("mrr", -0.01, 0.5, system="newest"), row("logloss", -0.1, 0.001)]
    chart = charts.forest(compared(*rows))
    assert str(chart.title) == "Differences from old"
    points = drawn(chart, "point", "at", "system", "difference", "standing")
    assert sorted(points) == [
        ("logloss ↓", "new", -0.1, "better"),
        ("mrr", "new", 0.02, "better"),
        ("mrr", "newest", -0.01, "open"),
        ("ndcg@10", "new", 0.02, "better"),
    ]
    assert len(chart.spec()["vconcat"]) == 2  # logloss has a scale of its own
    assert drawn(chart, "rule", "difference")[0] == (0,)
    filled = {
        one["mark"]["filled"]
        for panel in chart.spec()["vconcat"]
        for one in panel["layer"]
        if "filled" in one["mark"]
    }
    assert filled == {True, False}
    assert chart.table.columns[-4:] == ["ci_high", "p", "p_corrected", "n"]
    assert str(chart.notes[-1]).startswith("Filled: significant (p below 0.05 after Holm's correction)")


def test_untested_differences_have_a_mark_of_their_own():
    rows = [row("mrr", 0.02, 0.01), row("ndcg@10", 0.01, 0.5), row("map", 0.03, 0.5) | {"p_corrected": None}]
    chart = charts.forest(compared(*rows))
    points = [one for one in chart.spec()["layer"] if one["mark"]["type"] == "point"]
    looks = {
        one["data"]["values"][0]["metric"]: (one["mark"]["filled"], one["mark"].get("shape"))
        for one in points
    }
    assert len(set(looks.values())) == len(looks) == 3
    assert str(chart.notes[-1]).endswith("Hollow: not significant. ×: not tested.")
    assert "×" not in str(charts.forest(compared(*rows[:2])).notes[-1])
    assert compared(*rows).rows[STANDING].to_list()[-1] == "untested"

    sliced = [row("mrr", 0.2, 0.01), row("mrr", 0.1, 0.5, of="DE")]
    sliced += [row("mrr", -0.1, 0.5, of="JP") | {"p_corrected": None}]
    chart = charts.slice_differences(compared(*sliced))
    assert [text for (text,) in drawn(chart, "text", "text")] == ["(-0.100)", "+0.100", "+0.200"]
    assert str(chart.notes[0]).endswith("pale: not significant. In brackets: not tested.")


def test_ticks_are_distinct_and_have_equally_many_decimals():
    rows = [row("mrr", -0.11, 0.01), row("mse", 300.0, 0.01)]
    svg = ElementTree.fromstring(charts.forest(compared(*rows)).svg())
    shown = [one.text or "" for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    ticks = [text for text in shown if re.fullmatch(r"[−+]?\d+(\.\d+)?", text)]
    assert ticks[:7] == ["−0.12", "−0.10", "−0.08", "−0.06", "−0.04", "−0.02", "0.00"]
    assert ticks[7:15] == ["0", "+50", "+100", "+150", "+200", "+250", "+300", "+350"]


def test_a_forest_of_one_metric_has_a_row_for_each_slice():
    rows = [row("mrr", 0.02, 0.01), row("mrr", -0.05, 0.01, of="JP"), row("mrr", 0.3, 0.2, of=None)]
    chart = charts.forest(compared(*rows[:2]), "mrr")
    assert [str(at) for at, _ in drawn(chart, "point", "at", "difference")] == ["(all)", "JP"]
    assert str(chart.title) == "mrr: differences from old, by country"
    many = [row("mrr", n / 1000, 0.01, of=f"c{n:03}") for n in range(200)]
    chart = charts.forest(compared(row("mrr", 0.0, 1.0), *many), "mrr")
    assert chart.table.height == 40
    assert chart.table["country"][0] == "(all)"
    assert chart.table["difference"][1:].min() == pytest.approx(0.161)  # the 39 furthest of 0 to 0.199
    assert str(chart.notes[0]) == "The 40 of 201 slices with the largest differences are drawn."


def test_nothing_to_draw():
    with pytest.raises(NothingToDrawError, match="no difference has a value"):
        charts.forest(compared(row("mrr", float("nan"), 1.0)))
    with pytest.raises(NothingToDrawError, match="no slice has a difference"):
        charts.slice_differences(compared(row("mrr", 0.1, 0.01)))


def test_the_sides_of_slices_go_by_the_direction():
    rows = [row("mrr", 0.2, 0.01), row("logloss", 0.1, 0.01)]
    rows += [row("mrr", -0.1, 0.01, of="JP"), row("logloss", -0.05, 0.5, of="JP")]
    chart = charts.slice_differences(compared(*rows))
    cells = drawn(chart, "rect", "slice", "metric", "side", "standing", "shade")
    assert cells == [
        ("(all)", "mrr", "better", "better", pytest.approx(0.60)),  # the greatest of its metric
        ("(all)", "logloss", "worse", "worse", pytest.approx(0.60)),
        ("JP", "mrr", "worse", "worse", pytest.approx(0.25 + 0.35 / 2)),
        ("JP", "logloss", "better", "open", pytest.approx(0.04 + 0.08 / 2)),
    ]
    assert str(chart.title) == "new minus old, by country"
    assert [text for (text,) in drawn(chart, "text", "text")] == ["-0.050", "+0.200", "+0.100", "-0.100"]
    assert chart.svg("zh").count("蓝：new 更好") == 1


def values(found, metric="mrr", direction="higher"):
    queries = pl.Series([f"q{n}" for n in range(len(found))])
    found = np.array(found, float)
    return PerQuery(metric=metric, queries=queries, values=found, overall=found.mean(), direction=direction)


def test_a_scatter_counts_queries_of_the_same_values():
    one, other = values([1, 1, 0.5, 0.25]), values([0.5, 0.5, 0.5, 1])
    chart = charts.scatter(charts.Pairs.of(("new", "old"), one, other))
    assert sorted(drawn(chart, "point", "x", "y", "n")) == [(0.5, 0.5, 1), (0.5, 1.0, 2), (1.0, 0.25, 1)]
    assert str(chart.notes[0]) == "Higher for 2 queries, equal for 1, lower for 1."
    (diagonal,) = [one for one in chart.spec()["layer"] if one["mark"]["type"] == "line"]
    assert [(at["x"], at["y"]) for at in diagonal["data"]["values"]] == [(0, 0), (1, 1)]


def test_a_scatter_of_thousands_is_squares_that_count_them_all():
    rng = np.random.default_rng(0)
    one, other = values(rng.random(5000)), values(rng.random(5000))
    chart = charts.scatter(charts.Pairs.of(("new", "old"), one, other))
    assert chart.table["n"].sum() == 5000
    assert chart.table.height == 400
    assert len(chart.svg()) < 100_000
    low = chart.table.row(0, named=True)
    inside = (other.values < low["other_high"]) & (one.values < low["value_high"])
    assert (low["other_low"], low["value_low"], low["n"]) == (0.0, 0.0, int(inside.sum()))


def test_less_is_better_where_the_metric_says_so():
    fills = []
    for direction in ("higher", "lower"):
        one, other = values([0.1], direction=direction), values([0.2])
        chart = charts.difference(charts.Pairs.of(("new", "old"), one, other))
        (bars,) = [part for part in chart.spec()["layer"] if part["mark"]["type"] == "rect"]
        fills.append(bars["encoding"]["fill"]["condition"]["value"])
    assert fills == [charts.parts.WORSE, charts.parts.BETTER]


TRUTH = {"q1": ["a"], "q2": ["b"], "q3": ["c"]}
OLD = {"q1": ["b", "a"], "q2": ["a", "b"], "q3": ["c", "a"]}
NEW = {"q1": ["a", "b"], "q2": ["b", "a"], "q3": ["c", "b"]}


def test_charts_of_two_results_set_the_first_against_the_other():
    old, new = (sy.evaluate(run, TRUTH, ["mrr", "hit_rate@1"]) for run in (OLD, NEW))
    chart = new.chart("forest", other={"old": old})
    assert chart.table.select("metric", "difference").rows() == [
        ("mrr", pytest.approx(1 / 3)),
        ("hit_rate@1", pytest.approx(2 / 3)),
    ]
    assert new.chart("scatter", other={"old": old}, metric="mrr").table.select(
        "value", "other", "n"
    ).rows() == [
        (1.0, 0.5, 2),
        (1.0, 1.0, 1),
    ]
    with pytest.raises(MetricError, match="shows two results; got 1"):
        new.chart("forest")


def test_charts_of_a_comparison():
    cmp = sy.compare({"old": OLD, "new": NEW, "same": OLD}, TRUTH, "mrr", baseline="old")
    assert cmp.chart("forest").table["system"].to_list() == ["new", "same"]
    assert cmp.chart("difference", system="new").table["difference"].to_list() == [0.5, 0.5, 0.0]
    with pytest.raises(MetricError, match="a comparison has no chart 'roc'"):
        cmp.chart("roc")
