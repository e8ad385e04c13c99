"""The edges of every metric of rows: as `.of` has them, NaN with a note that says why."""

from __future__ import annotations

import math

import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import ClassMetric, LabelledMetric, RatingMetric, RowMetric, by_name

from ..tables import each_row

METRICS = {
    name: cls
    for name, cls in by_name().items()
    if issubclass(cls, LabelledMetric) and cls.__module__.startswith("steelyard.")
}
EVERY = each_row("name", METRICS)
EDGES = {
    "one class only": ([1, 1, 1], [0.9, 0.5, 0.1]),
    "the other class only": ([0, 0, 0], [0.9, 0.5, 0.1]),
    "a constant score": ([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]),
    "one row": ([1], [0.75]),
    "one row of the other class": ([0], [0.75]),
    "scores of 0 and 1": ([1, 0, 0], [1.0, 0.0, 1.0]),
    "both": ([1, 0, 1, 0], [0.8, 0.3, 0.4, 0.6]),
}


def metric_of(name):
    return METRICS[name](k=1) if name == "top_accuracy@k" else METRICS[name]()


def scores_of(metric, scores):
    """What the metric reads of a score: itself, or the probability of both classes."""
    return [[1 - score, score] for score in scores] if metric.name == "top_accuracy" else scores


def alone(metric, labels, scores):
    """The value of `.of`, flat."""
    groups = {"groups": ["u"] * len(labels)} if getattr(metric, "needs_groups", False) else {}
    value = metric.of(predictions=scores_of(metric, scores), truth=labels, **groups)
    flat = value if isinstance(value, list) else [value]
    return [cell for row in flat for cell in (row if isinstance(row, list) else [row])]


def table_of(metric, labels, scores, **more):
    said = "probs" if metric.name == "top_accuracy" else "score"
    return {"user": ["u"] * len(labels), "label": labels, said: scores_of(metric, scores), **more}


@EVERY
@pytest.mark.parametrize("edge", EDGES)
def test_evaluate_and_a_slice_say_what_of_says(name, edge):
    evaluate_says_what_of_says(name, edge)
    a_slice_is_as_the_rows_alone(name, edge)


def evaluate_says_what_of_says(name, edge):
    metric, (labels, scores) = metric_of(name), EDGES[edge]
    result = sy.evaluate(table_of(metric, labels, scores), metrics=metric)
    expected = alone(metric, labels, scores)
    assert result.table()["value"].to_list() == pytest.approx(expected, rel=1e-12, nan_ok=True)
    undefined = all(map(math.isnan, expected))
    told = f"{metric} is undefined: {metric.undefined_when}." in result.notes
    assert told == undefined
    if undefined and metric.unit == "rows":
        assert result.table()["undefined"].to_list() == [len(labels)] * len(expected)
        assert set(result.table()["n"]) == {0}


def a_slice_is_as_the_rows_alone(name, edge):
    """Beside another slice, whose rows must not be seen."""
    metric, (labels, scores) = metric_of(name), EDGES[edge]
    n, more = len(labels), ([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.1])
    table = table_of(metric, labels + more[0], scores + more[1], part=["edge"] * n + ["other"] * 4)
    result = sy.evaluate(table, metrics=metric, by="part", classes=None)
    for part, rows in (("edge", (labels, scores)), ("other", more)):
        ours = result.table().filter(part=part)["value"].to_list()
        assert ours == pytest.approx(alone(metric, *rows), rel=1e-12, nan_ok=True)
    if all(map(math.isnan, alone(metric, labels, scores))):
        assert f"{metric} is undefined in 1 slice (edge), where {metric.undefined_when}." in result.notes


@each_row("name", ["auc", "gauc", "ne", "rig", "ks", "specificity", "fpr", "mcc", "r2"])
def test_undefined_as_the_convention_says(name):
    metric, (labels, scores) = metric_of(name), EDGES["one class only"]
    assert math.isnan(alone(metric, labels, scores)[0])
    table = table_of(metric, labels, scores)
    text = str(metric)
    assert sy.evaluate(table, metrics=metric, undefined="zero")[text] == 0.0
    assert sy.evaluate(table, metrics=metric, undefined="one")[text] == 1.0
    with pytest.raises(sy.SteelyardError, match=f"is undefined: {metric.undefined_when}"):
        sy.evaluate(table, metrics=metric, undefined="error")


@EVERY
def test_a_missing_label_is_refused_or_left_out(name):
    metric, (labels, scores) = metric_of(name), EDGES["both"]
    table = table_of(metric, [None, *labels], [0.35, *scores])
    with pytest.raises(sy.SteelyardError, match="predictions, row 1: label is null"):
        sy.evaluate(table, metrics=metric)
    result = sy.evaluate(table, metrics=metric, unlabelled="drop")
    assert result.table()["value"].to_list() == pytest.approx(alone(metric, labels, scores), rel=1e-12)
    assert "1 row without a label: left out." in result.notes


NO_PROBABILITY = {"user": ["u"] * 3, "label": [1, 0, 1], "score": [0.5, 0.2, 1.5]}
# which these are, tests/metrics/rows/test_edges.py says
OF_PROBABILITIES = {
    name for name, cls in METRICS.items() if issubclass(cls, RowMetric) and cls.needs == "probability"
}


@each_row("name", sorted(METRICS.keys() - OF_PROBABILITIES - {"top_accuracy@k"}))
def test_what_is_no_probability_serves_every_other_metric(name):
    """1.5 stands above 0.5 as 1 does, and counts as a click; ratings have no bounds."""
    metric, table = metric_of(name), NO_PROBABILITY
    lower = table | {"score": [0.5, 0.2, 1.0]}
    found = sy.evaluate(table, metrics=metric).table()["value"].to_list()
    same = found == sy.evaluate(lower, metrics=metric).table()["value"].to_list()
    assert same != issubclass(METRICS[name], RatingMetric)


@each_row("name", sorted(OF_PROBABILITIES))
def test_every_metric_of_probabilities_refuses_what_is_none(name):
    metric, table = metric_of(name), NO_PROBABILITY
    with pytest.raises(
        sy.SteelyardError, match=r"predictions, row 3: score is 1\.5, and .* needs probabilities"
    ):
        sy.evaluate(table, metrics=metric)


@EVERY
def test_text_is_no_rating_and_no_click(name):
    metric = metric_of(name)
    table = table_of(metric, ["b", "a"], [0.5, 0.2])
    if issubclass(METRICS[name], ClassMetric) and metric.name != "top_accuracy":
        with pytest.raises(sy.SteelyardError, match="labels are text, .* and what was predicted are scores"):
            sy.evaluate(table, metrics=metric)
        return
    if metric.name == "top_accuracy":
        # b is as probable as a, so that it is first in half of the orders; a is first
        assert sy.evaluate(table, metrics=metric)[str(metric)] == (1 / 2 + 1) / 2
        return
    what = "not a number" if issubclass(METRICS[name], RatingMetric) else "labels must be 0 and 1"
    with pytest.raises(sy.SteelyardError, match=f"predictions, row 1: label is 'b', .*{what}"):
        sy.evaluate(table, metrics=metric)


@pytest.mark.parametrize("metric", ["accuracy", "auc", "f1"])
def test_a_label_beyond_64_bits_is_refused_and_one_that_fits_is_read(metric):
    with pytest.raises(sy.SteelyardError, match="row 1: label is 1.18"):
        sy.evaluate({"label": [2**70, 0, 1], "score": [0.6, 0.2, 0.7]}, metrics=metric)
    wide = pl.DataFrame({"label": pl.Series([1, 0, 1], dtype=pl.Int128), "score": [0.6, 0.2, 0.7]})
    assert sy.evaluate(wide, metrics=metric)[metric] == 1.0  # both positives above 0.5 and above the negative
