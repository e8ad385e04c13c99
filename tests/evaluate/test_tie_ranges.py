"""Ties at risk: what a value would be in the worst and in the best order of tied rows, as data."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import steelyard as sy

# a, then b, then c and d tied; a and c are relevant
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}}
TRUTH = {"q": {"a": 1, "c": 1}}
MONOTONE = ("mrr", "ndcg@5", "recall@3", "precision@3", "map@5", "hit_rate@1", "dcg@4", "rbp@5")


def tables(n: int = 40, seed: int = 5) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lists of eight items with few distinct scores, judged at random, of two countries."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(n), 8)
    run = pl.DataFrame(
        {
            "query": query,
            "item": np.tile(np.arange(8), n),
            "score": rng.integers(0, 3, 8 * n).astype(float),
            "country": np.where(query % 3 == 0, "DE", "JP"),
        }
    )
    kept = run.sample(fraction=0.5, seed=seed).select("query", "item")
    return run, kept.with_columns(relevance=pl.Series(rng.integers(0, 3, kept.height)))


def ends(result: sy.Result) -> list[tuple[float, float]]:
    return result.table().select("tie_low", "tie_high").rows()


def test_by_hand():
    # recall@3: 1/2 or 1; map@3: 1/2 or (1 + 2/3) / 2; mrr is 1 in any order
    result = sy.evaluate(RUN, TRUTH, ["recall@3", "map@3", "mrr"])
    assert ends(result) == [(0.5, 1.0), (0.5, pytest.approx(5 / 6)), (1.0, 1.0)]


@pytest.mark.parametrize("ties", ["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"])
def test_they_are_the_values_of_the_two_orders(ties):
    run, truth = tables()
    weights = {query: 1 + query % 4 for query in range(40)}
    options = {"by": "country", "weights": weights}
    found = sy.evaluate(run, truth, MONOTONE, ties=ties, **options).table()
    worst, best = (
        sy.evaluate(run, truth, MONOTONE, ties=order, **options).table()["value"]
        for order in ("pessimistic", "optimistic")
    )
    assert found["tie_low"].to_list() == worst.to_list()
    assert found["tie_high"].to_list() == best.to_list()
    assert found.height == 3 * len(MONOTONE)
    between = found.filter((pl.col("tie_low") <= pl.col("value")) & (pl.col("value") <= pl.col("tie_high")))
    assert between.height == found.height
    assert (found["tie_low"] < found["tie_high"]).any()


@pytest.mark.parametrize("mean", ["geometric", "median"])
def test_of_other_means(mean):
    run, truth = tables()
    metric = f"mrr(mean={mean})"
    [low_high] = ends(sy.evaluate(run, truth, metric))
    values = [sy.evaluate(run, truth, metric, ties=order)[metric] for order in ("pessimistic", "optimistic")]
    assert low_high == tuple(values)


def test_null_where_nothing_is_tied():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert ends(sy.evaluate(run, TRUTH, ["recall@3", "mrr"])) == [(None, None)] * 2


def test_null_where_only_rows_that_are_no_hit_are_tied():
    run = {"q": {"a": 3.0, "b": 2.0, "d": 2.0, "c": 1.0}}
    assert ends(sy.evaluate(run, TRUTH, "map@4")) == [(None, None)]


def test_null_for_metrics_that_a_better_order_may_lower():
    run, truth = tables()
    both = sy.evaluate(run, truth, ["map(denominator=hits)@3", "map@3"])
    assert ends(both)[0] == (None, None)
    assert None not in ends(both)[1]


def test_null_for_metrics_of_rows_and_of_lists():
    table = {"label": [1, 0, 1, 0], "score": [0.5, 0.5, 0.5, 0.1]}
    assert ends(sy.evaluate(table, metrics=["auc", "logloss"])) == [(None, None)] * 2
    assert ends(sy.evaluate({"u": ["a", "b"]}, metrics="coverage@1", catalog=["a", "b"])) == [(None, None)]


def test_undefined_in_one_slice():
    run, truth = tables()
    truth = truth.filter(pl.col("query") % 3 != 0)  # nothing is judged in DE
    found = sy.evaluate(run, truth, "recall@3", by="country", unexpected="keep").table()
    german = found.filter(pl.col("country") == "DE")
    assert np.isnan(german["value"][0])
    assert german["tie_low"][0] is None  # no tie of a judged item is there


def test_saved_and_in_json(tmp_path):
    run, truth = tables()
    result = sy.evaluate(run, truth, ["ndcg@5", "map(denominator=hits)@3"], by="country")
    result.save(tmp_path / "ties.steelyard")
    assert sy.load(tmp_path / "ties.steelyard").table().equals(result.table())
    assert result.slim().table().equals(result.table())
    data = json.loads(result.to_json())["results"]
    assert [(one["tie_low"], one["tie_high"]) for one in data] == ends(result)
    assert result.to_csv().splitlines()[0] == (
        "country,metric,value,ci_low,ci_high,tie_low,tie_high,n,of,undefined,spec"
    )


def test_without_intervals_they_are_still_there():
    run, truth = tables()
    assert ends(sy.evaluate(run, truth, "ndcg@5", ci="none")) == ends(sy.evaluate(run, truth, "ndcg@5"))
