"""Merged parts with values worked by hand."""

from __future__ import annotations

import math

import polars as pl
import pytest

import steelyard as sy

from ..rows.given import ANIMALS, CLICKS, GUESSES, LOG

near = pytest.approx


def halves(table, at):
    """The rows before a place, and the others."""
    return [{name: values[kept] for name, values in table.items()} for kept in (slice(at), slice(at, None))]


@pytest.mark.parametrize("at", range(1, 6))
def test_clicks_split_anywhere(at):
    metrics = list(CLICKS)
    parts = [sy.partial(part, metrics=metrics, whole="rows") for part in halves(LOG, at)]
    assert dict(sy.merge(parts)) == near(CLICKS, rel=1e-12)


@pytest.mark.parametrize("at", [3, 5])  # between users
def test_clicks_of_whole_users(at):
    metrics = list(CLICKS)
    parts = [sy.partial(part, metrics=metrics) for part in halves(LOG, at)]
    merged = sy.merge(parts)
    assert dict(merged) == near(CLICKS, rel=1e-12)
    # u1 and u2 count with five of six rows, u3 has clicks alone
    assert merged.group_coverage().rows() == [("gauc", 2, 1, 0, 5 / 6)]


def test_a_part_with_clicks_alone():
    """Neither part has an auc; together 0.8 stands above 0.3, and 0.4 above 0.3."""
    clicks = sy.partial({"label": [1, 1], "score": [0.8, 0.4]}, metrics="auc", whole="rows")
    others = sy.partial({"label": [0, 0], "score": [0.3, 0.6]}, metrics="auc", whole="rows")
    assert math.isnan(clicks.result()["auc"])
    assert math.isnan(others.result()["auc"])
    assert sy.merge([clicks, others])["auc"] == 3 / 4  # 0.4 stands below 0.6


def test_classes_that_no_part_has_all_of():
    """Cats: two of two found, one dog called a cat. Dogs: one of two found, one cow called a dog."""
    table = {"label": ANIMALS, "predicted": GUESSES}
    metrics = ["accuracy", "f1(average=macro)"]
    cat, dog, cow = 2 * 2 / (2 * 2 + 1), 2 * 1 / (2 * 1 + 1 + 1), 0
    for at in range(1, 5):
        merged = sy.merge([sy.partial(part, metrics=metrics, whole="rows") for part in halves(table, at)])
        assert dict(merged) == near({"accuracy": 3 / 5, "f1(average=macro)": (cat + dog + cow) / 3})


def test_rankings_with_slices_and_weights():
    """a: rank 1 and weight 3; b: rank 2 and weight 1; c has no prediction and weight 2."""
    truth = {"a": {"x": 1}, "b": {"y": 1}, "c": {"z": 1}}
    run = {"a": ["x", "y"], "b": ["x", "y"]}
    country = {"a": "JP", "b": "DE", "c": "DE"}
    weights = {"a": 3, "b": 1, "c": 2}
    parts = [
        sy.partial(
            {query: run[query] for query in queries if query in run},
            {query: truth[query] for query in queries},
            ["mrr", "hit_rate@1"],
            by=country,
            weights=weights,
        )
        for queries in (["a"], ["b", "c"])
    ]
    result = sy.merge(parts)
    assert result["mrr"] == near((3 * 1 + 1 * 1 / 2 + 2 * 0) / (3 + 1 + 2))
    assert result["mrr", {"slice": "DE"}] == near((1 * 1 / 2 + 2 * 0) / (1 + 2))
    assert result["hit_rate@1", {"slice": "JP"}] == 1.0
    assert result.table()["slice"].to_list() == ["(all)", "DE", "JP"] * 2
    assert result.per_query().filter(pl.col("metric") == "mrr")["value"].to_list() == [1, 1 / 2, 0]
    assert (result.tally.queries, result.tally.queries_missing, result.tally.predictions) == (3, 1, 4)


def test_lists_share_a_catalogue():
    """a, b and c of four items are shown, b by both parts; of 4 places 2 show b."""
    catalog = ["a", "b", "c", "d"]
    runs = [{"u": ["a", "b"]}, {"v": ["b", "c"]}]
    metrics = ["coverage@2", "entropy@2"]
    result = sy.merge([sy.partial(run, metrics=metrics, catalog=catalog) for run in runs])
    assert result["coverage@2"] == 3 / 4
    shares = (1 / 4, 2 / 4, 1 / 4)
    assert result["entropy@2"] == near(-sum(share * math.log(share) for share in shares))


def test_ratings():
    """Errors are 1, 0, -2 and 1: squares sum up to 6, and the truth has a mean of 3."""
    table = {"label": [1.0, 2.0, 4.0, 5.0], "score": [2.0, 2.0, 2.0, 6.0]}
    truth_squares = 4 + 1 + 1 + 4
    expected = {"mse": 6 / 4, "mae": 4 / 4, "r2": 1 - 6 / truth_squares}
    for at in (1, 2, 3):
        parts = [sy.partial(part, metrics=list(expected), whole="rows") for part in halves(table, at)]
        assert dict(sy.merge(parts)) == near(expected, rel=1e-12)
