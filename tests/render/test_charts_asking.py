"""Which charts a result has, and what is said where one cannot be drawn."""

from __future__ import annotations

import math
import re

import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import curves
from steelyard.metrics.curves import ALIASES
from steelyard.render import charts
from steelyard.text.errors import MetricError, SteelyardError

from ..tables import each_row


def scored():
    log = {"label": [1, 1, 0, 0], "score": [0.8, 0.5, 0.5, 0.1]}
    return sy.evaluate(log, metrics=["auc", "logloss"])


def ranked():
    return sy.evaluate({"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["b"], "q2": ["a"]}, ["mrr", "recall@2"])


def test_only_what_the_data_supports():
    rows = ["roc", "precision_recall", "calibration", "gain", "lift", "score_histogram"]
    assert scored().charts() == rows
    assert sy.evaluate(predictions=[3.0, 4.0], truth=[1, 0], metrics="auc").charts() == [
        name for name in rows if name != "calibration"
    ]
    assert sy.evaluate([0.3, 0.4], [1, 1], "logloss").charts() == rows[1:]
    assert sy.evaluate([0.3, 0.4], [0, 0], "logloss").charts() == ["calibration", "score_histogram"]
    assert sy.evaluate(predictions=[3.0, 4.0], truth=[1, 2], metrics="rmse").charts() == []
    assert ranked().charts() == ["metric_at_k", "per_query"]
    assert ranked().charts(ranked()) == ["metric_at_k", "per_query", "difference", "scatter", "forest"]


def test_more_systems_than_can_be_told_apart_are_counted():
    one = curves.curve("roc", curves.scored([0.9, 0.1], [1, 0]))
    chart = charts.roc({f"system {place}": one for place in range(20)})
    assert chart.table["system"].n_unique() == 7
    assert [str(note) for note in chart.notes] == ["The first 7 of 20 systems are drawn."]
    assert chart.notes[0].render("zh") == "仅绘出 20 个系统中的前 7 个。"


@each_row(
    ("name", "asked", "message"),
    [
        ("rok", {}, "unknown chart 'rok'; did you mean 'roc'?"),
        ("roc", {"bins": 3}, "the chart 'roc' has no option 'bins'"),
        ("calibration", {"bin": 3}, "no option 'bin'; did you mean 'bins'?"),
        ("calibration", {"scale": "logs"}, "scale must be one of 'auto', 'linear', 'log'"),
        ("slices", {}, "the chart 'slices' needs slices, which this result does not have"),
        ("confusion", {}, "needs a confusion matrix"),
        ("metric_at_k", {}, "needs rankings"),
        ("gauc_by_size", {}, "needs groups"),
        ("slices", {"metric": "mrr"}, "this result has no 'mrr'"),
    ],
)
def test_what_cannot_be_drawn_is_one_clear_error(name, asked, message):
    with pytest.raises(MetricError) as error:
        scored().chart(name, **asked)
    assert message in str(error.value)
    assert error.value.remedy


def test_a_metric_that_a_chart_cannot_show():
    both = sy.evaluate(
        {"label": [1, 0], "score": [0.9, 0.1], "user": ["a", "a"]},
        metrics=["gauc", "auc"],
        columns={"query": "user"},
    )
    with pytest.raises(MetricError, match="the chart 'per_query' cannot show 'auc'"):
        both.chart("per_query", metric="auc")
    with pytest.raises(MetricError, match="needs a confusion matrix, which this result of 'new'"):
        charts.chart(
            "confusion",
            {"old": sy.evaluate(predictions=["a"], truth=["a"], metrics="confusion"), "new": both},
        )


def test_only_what_is_drawn_is_listed():
    nothing = sy.evaluate({"q": ["a", "b"]}, {"q": {"a": 0}}, ["mrr", "ndcg@2"], missing="skip")
    assert math.isnan(nothing["mrr"])
    assert nothing.charts() == []
    with pytest.raises(SteelyardError, match="nothing to draw"):
        nothing.chart("per_query")
    rows = pl.DataFrame({"label": [1, 1], "score": [0.5, 0.4], "g": ["a", "b"]})
    sliced = sy.evaluate(rows, metrics=["auc", "logloss"], by="g")
    assert "slices" in sliced.charts()
    assert sliced.chart("slices").title == "logloss by g"  # auc is undefined in each
    assert "slices" not in sy.evaluate(rows, metrics="auc", by="g").charts()


@pytest.mark.parametrize(("longest", "ticks"), [(1, [1]), (2, [1, 2]), (12, [1, 2, 4, 6, 8, 10, 12])])
def test_ticks_stand_at_whole_cutoffs(longest, ticks):
    items = [f"i{place}" for place in range(longest)]
    chart = sy.evaluate({"q": items}, {"q": ["i0"]}, "ndcg").chart("metric_at_k")
    written = re.findall(r"<text[^>]*>(\d+)</text>", chart.svg())
    assert [int(text) for text in written] == ticks


@each_row(("called", "name"), sorted(ALIASES.items()))
def test_charts_by_the_names_that_curves_have(called, name):
    drawn = scored().chart(called)
    assert drawn.name == name
    assert drawn.table.equals(scored().chart(name).table)
    assert charts.options(called) == charts.options(name)


def test_a_slim_result_says_that_it_let_go_of_a_chart():
    rows = ["roc", "precision_recall", "calibration", "gain", "lift", "score_histogram", "pr"]
    for name in rows:
        with pytest.raises(MetricError) as error:
            scored().slim().chart(name)
        called = "precision_recall" if name == "pr" else name
        assert error.value.message == (
            f"the chart '{called}' cannot be drawn from this result, which does not hold its data"
        )
        assert error.value.remedy.startswith("evaluate again, and draw it before slim()")
    with pytest.raises(MetricError, match="'metric_at_k' cannot be drawn from this result, which"):
        ranked().slim().chart("metric_at_k")
    log = {"query": [1, 1, 2], "label": [1, 0, 1], "score": [0.8, 0.2, 0.7]}
    with pytest.raises(MetricError, match="'gauc_by_size' cannot be drawn from this result, which"):
        sy.evaluate(log, metrics="gauc").slim().chart("gauc_by_size")
    with pytest.raises(MetricError, match="'roc' cannot be drawn from this result of 'new', which"):
        scored().chart("roc", other={"new": scored().slim()})


def test_a_slim_result_keeps_the_charts_of_values_and_had_no_others():
    assert ranked().slim().chart("per_query").table.equals(ranked().chart("per_query").table)
    for name, result, needs in (
        ("roc", ranked(), "needs rows with a label of 0 or 1 and a score"),
        ("metric_at_k", scored(), "needs rankings"),
        ("gauc_by_size", scored(), "needs groups"),
    ):
        with pytest.raises(MetricError, match=needs):
            result.slim().chart(name)
    with pytest.raises(MetricError, match="needs labelled rows with scores, which this result"):
        ranked().slim().curve("roc")
    with pytest.raises(MetricError, match="no longer holds"):
        scored().slim().curve("pr")
