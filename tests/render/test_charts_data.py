"""What each chart draws, against values worked by hand."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine.scored import Scored
from steelyard.metrics import curves
from steelyard.render import charts
from steelyard.text.errors import MetricError

LOG = {"label": [1, 1, 0, 0], "score": [0.8, 0.5, 0.5, 0.1]}  # 0.5 is a tie of one each


def layers(chart):
    """Every layer of a chart with data, the parts of several panels one after the other."""
    found = []

    def walk(part):
        for key in ("layer", "vconcat", "concat"):
            for inner in part.get(key, []):
                walk({"data": part.get("data")} | inner if part.get("data") else inner)
        if "mark" in part:
            found.append(part)

    walk(chart.spec())
    return found


def drawn(chart, mark, *fields, nth=0):
    """What the nth layer with a kind of mark holds."""
    those = [part for part in layers(chart) if part["mark"]["type"] == mark]
    return [tuple(row[field] for field in fields) for row in those[nth]["data"]["values"]]


def scored(**metrics):
    return sy.evaluate(LOG, metrics=["auc", "logloss"], **metrics)


def approx(pairs):
    return [pytest.approx(pair) for pair in pairs]


def test_roc():
    chart = scored().chart("roc")
    points = [(0, 0), (0, 0.5), (0.5, 1), (1, 1)]
    assert drawn(chart, "line", "x", "y", nth=1) == points
    assert drawn(chart, "line", "x", "y", nth=0) == [(0, 0), (1, 1)]  # chance
    assert chart.table.select("fpr", "tpr").rows() == points
    assert [str(fact) for fact in chart.facts] == [
        "area 0.8750"
    ]  # three pairs in order and half a tie: 3.5 / 4
    says = [row["says"] for row in layers(chart)[-1]["data"]["values"]]
    assert says[1] == "false positive rate 0, true positive rate 0.5, threshold 0.8"


def test_precision_recall_has_steps_and_the_base_rate():
    log = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.1]}
    chart = sy.evaluate(log, metrics="pr_auc").chart("precision_recall")
    steps = [(0, 1), (0.5, 1), (0.5, 0.5), (0.5, 2 / 3), (1, 2 / 3), (1, 0.5)]
    assert drawn(chart, "line", "x", "y", nth=1) == approx(steps)
    assert drawn(chart, "line", "x", "y", nth=0) == [(0, 0.5), (1, 0.5)]
    assert drawn(chart, "text", "text") == [("base rate 0.5",)]
    # corners of steps were never measured: no point says that they were
    assert drawn(chart, "point", "x", "y") == approx([(0.5, 1), (1, 2 / 3)])


def test_gain_and_lift():
    result = sy.evaluate({"label": [0, 1, 0, 0], "score": [0.9, 0.8, 0.7, 0.1]}, metrics="auc")
    assert drawn(result.chart("gain"), "line", "x", "y", nth=1) == [
        (0, 0),
        (0.25, 0),
        (0.5, 1),
        (0.75, 1),
        (1, 1),
    ]
    lift = drawn(result.chart("lift"), "line", "x", "y", nth=1)
    assert lift == approx([(0.25, 0), (0.5, 2), (0.75, 4 / 3), (1, 1)])


def test_the_first_hundredth_of_the_rows_is_left_out_of_lift_and_told():
    label = np.arange(1000) % 10 == 0
    result = sy.evaluate({"label": label.astype(int), "score": np.linspace(1, 0, 1000)}, metrics="auc")
    chart = result.chart("lift")
    assert chart.table["taken"].min() == 0.01
    assert [str(note) for note in chart.notes] == ["Lift of less than 1% of the rows is not shown."]


def test_calibration_has_bins_bands_and_the_scores_below():
    log = {"label": [0, 1, 1, 1], "score": [0.1, 0.3, 0.7, 0.9]}
    chart = sy.evaluate(log, metrics="logloss").chart("calibration", bins=2)
    z = 1.959963984540054
    half = z / (1 + z**2 / 2) * math.sqrt(1 / 8 + z**2 / 16)
    points = drawn(chart, "point", "x", "y", "low", "high")
    assert points[0] == pytest.approx((0.2, 0.5, 0.5 - half, 0.5 + half))
    assert points[1] == pytest.approx((0.8, 1, 2 / (2 + z**2), 1))
    assert drawn(chart, "line", "x", "y") == [(0, 0), (1, 1)]
    bars = drawn(chart, "rect", "low", "high", "count")
    assert len(bars) == 4
    assert {count for _, _, count in bars} == {1}
    assert bars[0][0] == pytest.approx(0.1)
    assert bars[-1][1] == pytest.approx(0.9)


def test_calibration_of_small_probabilities_is_logarithmic_unless_a_bin_has_no_positive():
    rng = np.random.default_rng(1)
    score = 10 ** rng.uniform(-3, -0.5, 40_000)
    label = rng.random(40_000) < score
    clicks = sy.evaluate({"label": label.astype(int), "score": score}, metrics="logloss")
    few = clicks.chart("calibration", bins=5)
    assert drawn_scale(few) == "log"
    assert drawn_scale(clicks.chart("calibration", bins=5, scale="linear")) is None
    rare = sy.evaluate({"label": (label & (score > 0.01)).astype(int), "score": score}, metrics="logloss")
    assert drawn_scale(rare.chart("calibration", bins=5)) is None
    forced = rare.chart("calibration", bins=5, scale="log")
    assert any("edge of the logarithmic axis" in str(note) for note in forced.notes)


def drawn_scale(chart):
    return layers(chart)[0]["encoding"]["x"]["scale"].get("type")


def test_the_bars_of_a_logarithmic_axis_hold_every_row():
    score = np.concatenate([np.zeros(5), np.full(5, 1e-9), np.geomspace(0.001, 0.5, 4990)])
    label = np.arange(5000) % 2
    chart = sy.evaluate({"label": label, "score": score}, metrics="auc").chart("score_histogram")
    assert drawn_scale(chart) == "log"
    assert chart.table["positives"].sum() + chart.table["negatives"].sum() == 5000
    assert any("0.2% of the rows" in str(note) for note in chart.notes)  # ten of 5,000


def test_score_histogram_is_in_shares_of_each_class():
    log = {"label": [0, 0, 0, 1], "score": [-1.0, 0.0, 3.0, 3.0]}
    chart = sy.evaluate(log, metrics="auc").chart("score_histogram", bins=2)
    shares = drawn(chart, "rect", "class", "low", "high", "share")
    assert shares == [
        ("positive", 1, 3, 1),
        ("negative", -1, 1, pytest.approx(2 / 3)),
        ("negative", 1, 3, pytest.approx(1 / 3)),
    ]


def test_infinite_scores_stand_in_outer_bars():
    rows = Scored.of(np.array([0, 1, 0, 1], np.uint8), np.array([-math.inf, 1.0, 2.0, math.inf]))
    chart = charts.score_histogram({"a": curves.curve("score_histogram", rows, bins=4)})
    assert chart.table["low"].is_finite().all()
    assert chart.table["positives"].sum() == 2
    assert [str(note) for note in chart.notes] == ["The outermost bars include infinite scores."]


def test_confusion_has_counts_and_shares_of_the_true_class():
    labels, called = ["cat", "dog", "dog"], ["cat", "cat", "dog"]
    result = sy.evaluate({"label": labels, "predicted": called}, metrics="confusion")
    chart = result.chart("confusion")
    cells = drawn(chart, "rect", "truth", "called", "count", "at")
    assert cells == [
        ("cat", "cat", "1", 1),
        ("cat", "dog", "0", 0),
        ("dog", "cat", "1", 0.5),
        ("dog", "dog", "1", 0.5),
    ]
    assert chart.table["count"].to_list() == [1, 0, 1, 1]


RUN = {"q1": ["a", "b", "c"], "q2": ["a", "b"], "q3": ["z"]}
TRUTH = {"q1": ["a", "c"], "q2": ["b"], "q3": ["x"]}


def ranked(**run):
    return sy.evaluate({**RUN, **run}, TRUTH, ["mrr", "hit_rate@1", "hit_rate@3", "recall@2"])


def test_metric_at_k_draws_each_metric_once_at_every_cutoff():
    chart = ranked().chart("metric_at_k")
    lines = drawn(chart, "line", "metric", "k", "y")
    assert [(k, y) for metric, k, y in lines if metric == "hit_rate@k"] == approx(
        [(1, 1 / 3), (2, 2 / 3), (3, 2 / 3)]
    )
    assert [(k, y) for metric, k, y in lines if metric == "recall@k"] == approx(
        [(1, (1 / 2 + 0 + 0) / 3), (2, (1 / 2 + 1 + 0) / 3), (3, (1 + 1 + 0) / 3)]
    )
    only = ranked().chart("metric_at_k", metrics="precision", ks=[1, 2])
    assert drawn(only, "line", "metric", "k", "y") == [
        ("precision@k", 1, pytest.approx(1 / 3)),
        ("precision@k", 2, pytest.approx(2 / 6)),
    ]


def test_metric_at_k_of_several_systems_says_how_many_metrics_are_left_out():
    names = ["mrr", "hit_rate@1", "recall@2", "precision@1", "map", "ndcg@3", "dcg@3"]
    results = [sy.evaluate(run, TRUTH, names) for run in (RUN, {**RUN, "q3": ["x"]})]
    chart = results[0].chart("metric_at_k", other=results[1])
    assert [panel["layer"][0]["encoding"]["y"]["title"] for panel in chart.drawing["concat"]] == [
        *("mrr@k", "hit_rate@k", "recall@k", "precision@k", "map@k", "ndcg@k")
    ]
    assert [str(note) for note in chart.notes] == ["The first 6 of 7 metrics are drawn."]


def test_per_query_counts_values_and_marks_the_overall_one():
    chart = ranked().chart("per_query", metric="mrr")
    bars = drawn(chart, "rect", "low", "count")
    assert bars == [(0, 1), (0.5, 1), (pytest.approx(0.95), 1)]  # reciprocal ranks 0, 1/2, 1
    assert drawn(chart, "rule", "mean") == [(pytest.approx(1 / 2),)]
    assert drawn(chart, "tick", "low", "says") == [(1, "q1: 1"), (0.5, "q2: 0.5"), (0, "q3: 0")]


def test_undefined_queries_are_counted_in_a_note():
    result = sy.evaluate({"q1": ["a"], "q2": ["a"]}, {"q1": {"a": 1}, "q2": {"a": 0}}, "recall@1")
    chart = result.chart("per_query")
    assert [str(note) for note in chart.notes] == ["Undefined for 1 of 2 queries, which are not shown."]
    assert chart.table["count"].sum() == 1


def test_difference_of_two_systems_is_sorted():
    better = ranked(q2=["b", "a"], q1=["b", "a", "c"])  # reciprocal ranks 1/2, 1, 0 against 1, 1/2, 0
    chart = better.chart("difference", other=ranked(), metric="mrr")
    assert drawn(chart, "rect", "query", "difference") == [("q2", 0.5), ("q3", 0), ("q1", -0.5)]
    assert str(chart.notes[0]) == "Higher for 1 query, equal for 1, lower for 1."
    assert [str(fact) for fact in chart.facts] == ["mean +0.0000"]
    with pytest.raises(MetricError, match="the chart 'difference' shows two results; got 1"):
        better.chart("difference")


def test_queries_of_one_system_only_are_told():
    one = charts.PerQuery(
        metric="mrr", queries=pl.Series(["a", "b", "c"]), values=np.array([1, 0.5, np.nan]), overall=0.75
    )
    other = charts.PerQuery(
        metric="mrr", queries=pl.Series(["b", "c", "d"]), values=np.array([0.25, 1, 1]), overall=0.75
    )
    chart = charts.difference(charts.Pairs.of(("one", "other"), one, other))
    assert chart.table.select("query", "difference").rows() == [("b", 0.25)]
    assert [str(note) for note in chart.notes[1:]] == [
        "Undefined for 1 of 2 queries, which are not shown.",
        "Not shown, since only one of the two systems has them: 2 queries.",
    ]
    numbers = charts.PerQuery(metric="mrr", queries=pl.Series([1, 2]), values=np.ones(2), overall=1)
    with pytest.raises(MetricError, match="differ in type"):
        charts.Pairs.of(("one", "other"), one, numbers)


def test_slices_with_the_whole_and_what_each_rests_on():
    log = {
        "label": [1, 0, 1, 0, 1],
        "score": [0.9, 0.1, 0.2, 0.3, 0.5],
        "country": ["DE", "DE", "US", "US", "FR"],
    }
    result = sy.evaluate(log, metrics=["auc", "logloss"], by="country")
    chart = result.chart("slices", metric="auc")
    assert drawn(chart, "point", "slice", "value", "count") == [("DE", 1, "2"), ("US", 0, "2")]
    assert drawn(chart, "rule", "value") == [(pytest.approx(5 / 6),)]
    assert [str(note) for note in chart.notes] == ["1 of 3 slices have no finite value and are not shown."]
    assert str(result.chart("slices", metric="logloss").title) == "logloss by country"


def test_slices_show_every_metric_that_has_a_value_in_one():
    log = {
        "label": [1, 0, 1, 0, 1],
        "score": [0.8, 0.2, 0.2, 0.4, 0.5],
        "country": ["DE", "DE", "US", "US", "FR"],
    }
    result = sy.evaluate(log, metrics=["auc", "brier", "calibration"], by="country")
    chart = result.chart("slices")
    assert str(chart.title) == "Metrics by country"
    assert [panel["layer"][0]["encoding"]["x"]["title"] for panel in chart.drawing["concat"]] == [
        "auc",
        "brier",
        "calibration",
    ]
    # in DE 0.8 is above 0.2, in US 0.2 below 0.4; brier is the mean square of what lacks to the label,
    # calibration the sum of the scores over the sum of the labels
    assert chart.table.select("metric", "country", "value").rows() == [
        ("auc", "DE", 1),
        ("auc", "US", 0),
        ("brier", "US", pytest.approx((0.64 + 0.16) / 2)),
        ("brier", "FR", pytest.approx(0.25)),
        ("brier", "DE", pytest.approx((0.04 + 0.04) / 2)),
        ("calibration", "DE", pytest.approx(1.0)),
        ("calibration", "US", pytest.approx(0.6)),
        ("calibration", "FR", pytest.approx(0.5)),
    ]
    assert [str(note) for note in chart.notes] == [
        "auc: 1 of 3 slices have no finite value and are not shown."
    ]
    assert [str(fact) for fact in chart.facts[2:]] == ["calibration: (all) 0.7"]  # 2.1 / 3


def test_slices_say_how_many_metrics_are_left_out():
    log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.2, 0.4], "country": ["DE", "DE", "US", "US"]}
    names = ["auc", "brier", "logloss", "calibration", "copc", "ece", "mce"]
    chart = sy.evaluate(log, metrics=names, by="country").chart("slices")
    assert chart.table["metric"].unique(maintain_order=True).to_list() == names[:6]
    assert [str(note) for note in chart.notes] == ["The first 6 of 7 metrics are drawn."]


def test_slices_of_several_systems_say_once_which_is_which():
    log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.2, 0.4], "country": ["DE", "DE", "US", "US"]}
    one = sy.evaluate(log, metrics=["auc", "brier", "ks"], by="country")
    other = sy.evaluate(log, metrics=["brier", "auc"], by="country")
    chart = one.chart("slices", other={"other": other})
    assert chart.table["metric"].unique(maintain_order=True).to_list() == ["auc", "brier"]
    legends = [panel["layer"][1]["encoding"]["color"]["legend"] for panel in chart.drawing["concat"]]
    assert [legend is not None for legend in legends] == [True, False]


def test_slices_show_intervals_where_there_are_any():
    rows = pl.DataFrame(
        {
            "country": [None, "DE"],
            "value": [0.5, 0.6],
            "ci_low": [0.4, 0.45],
            "ci_high": [0.6, 0.75],
            "n": [9, 4],
        }
    )
    chart = charts.slices({"a": rows}, "auc", ["country"])
    assert drawn(chart, "rule", "low", "high", nth=1) == [(0.45, 0.75)]
    assert drawn(chart, "point", "says") == [("DE: 0.6, 4 rows (0.45 to 0.75)",)]


def test_gauc_by_size_of_group():
    log = {
        "label": [1, 0, 0, 0, 1, 0, 1],
        "score": [0.9, 0.5, 0.3, 0.1, 0.2, 0.7, 0.4],
        "user": ["a", "a", "a", "a", "b", "b", "c"],
    }
    result = sy.evaluate(log, metrics="gauc", columns={"query": "user"})
    chart = result.chart("gauc_by_size")
    assert drawn(chart, "point", "size", "value") == [("2", 0), ("3–4", 1)]
    assert drawn(chart, "bar", "size", "share") == approx_pairs([("1", 1 / 7), ("2", 2 / 7), ("3–4", 4 / 7)])
    assert chart.table.select("groups", "one_class").rows() == [(1, 1), (1, 0), (1, 0)]


def approx_pairs(pairs):
    return [(name, pytest.approx(value)) for name, value in pairs]


def test_gauc_by_size_weighs_as_the_metric_does():
    log = {"label": [1, 0, 0, 1, 1, 0], "score": [0.9, 0.1, 0.5, 0.1, 0.1, 0.5], "user": [1, 1, 1, 2, 2, 2]}
    values = {}
    for weight in ("uniform", "clicks"):
        result = sy.evaluate(log, metrics=f"gauc(weight={weight})", columns={"query": "user"})
        values[weight] = result.chart("gauc_by_size").table["value"].to_list()
    # both users have three rows; the second has two of the three clicks, and is ordered wrongly
    assert values == {"uniform": [1 / 2], "clicks": [pytest.approx(1 / 3)]}


def test_several_systems_are_told_apart_by_more_than_colour():
    chart = scored().chart("roc", other={"new": sy.evaluate([0.9, 0.1], [1, 0], "auc")})
    line = layers(chart)[2]
    assert line["encoding"]["stroke"]["scale"]["domain"] == ["predictions · area 0.8750", "new · area 1.0000"]
    assert (
        line["encoding"]["strokeDash"]["scale"]["range"][0]
        != line["encoding"]["strokeDash"]["scale"]["range"][1]
    )
    assert chart.table["system"].unique(maintain_order=True).to_list() == ["predictions", "new"]
    assert "stroke" not in layers(scored().chart("roc"))[2]["encoding"]
