"""Slices: one or several columns of either table, crossed, and the whole always there."""

from __future__ import annotations

from math import isnan

import pandas as pd
import polars as pl
import pytest

import steelyard as sy

ENDS = ("ci_low", "ci_high", "tie_low", "tie_high")

# The relevant item x stands at these ranks; q4 was not answered and q5 not judged.
RANKS = {"q1": 1, "q2": 2, "q3": 4, "q5": 1}
DEVICE = {"q1": "phone", "q2": "tv", "q3": "phone", "q5": "watch"}
COUNTRY = {"q1": "DE", "q2": "DE", "q3": "US", "q4": "US"}


@pytest.fixture
def run() -> pl.DataFrame:
    rows = [
        (q, "x" if place == last else f"f{place}")
        for q, last in RANKS.items()
        for place in range(1, last + 1)
    ]
    query, item = map(list, zip(*rows, strict=True))
    frame = pl.DataFrame({"query": query, "item": item})
    return frame.with_columns(
        score=pl.int_range(pl.len(), 0, -1).cast(pl.Float64),
        device=pl.col("query").replace_strict(DEVICE),
    )


@pytest.fixture
def truth() -> pl.DataFrame:
    return pl.DataFrame(
        {"query": list(COUNTRY), "item": ["x"] * 4, "relevance": [1] * 4, "country": list(COUNTRY.values())}
    )


def numbers(result: sy.Result) -> list[tuple]:
    return result.table().drop(*ENDS, "metric", "of").rows()


WHOLE = (1 / 1 + 1 / 2 + 1 / 4 + 0) / 4


def test_a_column_of_the_truth(run, truth):
    result = sy.evaluate(run, truth, "mrr", by="country")
    assert result.table().columns == [
        "country",
        "metric",
        "value",
        "ci_low",
        "ci_high",
        "tie_low",
        "tie_high",
        "n",
        "of",
        "undefined",
    ]
    assert numbers(result) == [
        ("(all)", WHOLE, 4, 0),
        ("DE", (1 + 1 / 2) / 2, 2, 0),
        ("US", (1 / 4 + 0) / 2, 2, 0),
    ]
    assert result["mrr"] == WHOLE


def test_a_column_of_the_predictions_and_a_query_without_any(run, truth):
    result = sy.evaluate(run, truth, "mrr", by=["device"])
    assert numbers(result) == [
        ("(all)", WHOLE, 4, 0),
        ("(none)", 0.0, 1, 0),
        ("phone", (1 + 1 / 4) / 2, 2, 0),
        ("tv", 1 / 2, 1, 0),
    ]  # no watch: q5 has no truth and is left out


def test_a_slice_of_unexpected_queries_appears_when_they_are_kept(run, truth):
    result = sy.evaluate(run, truth, "mrr", by="device", unexpected="keep")
    last = numbers(result)[-1]
    assert (last[0], last[2:]) == ("watch", (0, 1))
    assert isnan(last[1])
    countries = numbers(sy.evaluate(run, truth, "mrr", by="country", unexpected="keep"))
    assert [row[0] for row in countries] == ["(all)", "(none)", "DE", "US"]


def test_columns_of_both_tables_are_crossed(run, truth):
    result = sy.evaluate(run, truth, ["mrr", "hit_rate@1"], by=("country", "device"))
    table = result.table()
    assert table.filter(pl.col("metric") == "mrr").drop(*ENDS, "metric", "of").rows() == [
        ("(all)", "(all)", WHOLE, 4, 0),
        ("DE", "phone", 1.0, 1, 0),
        ("DE", "tv", 1 / 2, 1, 0),
        ("US", "(none)", 0.0, 1, 0),
        ("US", "phone", 1 / 4, 1, 0),
    ]
    hits = table.filter(pl.col("metric") == "hit_rate@1")
    assert hits["value"].to_list() == [1 / 4, 1.0, 0.0, 0.0, 0.0]
    assert result["hit_rate@1"] == 1 / 4


def test_a_missing_value_in_the_column_is_the_same_as_an_absent_query(run, truth):
    result = sy.evaluate(run, truth.with_columns(country=pl.lit(None, pl.String)), "mrr", by="country")
    assert numbers(result) == [("(all)", WHOLE, 4, 0), ("(none)", WHOLE, 4, 0)]


def test_pooled_metrics_are_pooled_within_each_slice(run, truth):
    result = sy.evaluate(run, truth, "precision(pooling=pooled, denominator=retrieved)@4", by="country")
    # DE: 2 hits in 1 + 2 shown; US: 1 hit in 4 + 0 shown
    assert result.table()["value"].to_list() == pytest.approx([3 / 7, 2 / 3, 1 / 4], abs=1e-15)


@pytest.mark.parametrize(
    "make", [lambda frame: frame, pl.DataFrame.lazy, lambda f: pd.DataFrame(f.to_dict(as_series=False))]
)
def test_every_kind_of_table_can_be_sliced(run, truth, make):
    result = sy.evaluate(make(run), make(truth), "mrr", by=["device", "country"])
    assert result.table().height == 5


def test_files_can_be_sliced(run, truth, tmp_path):
    run.write_csv(tmp_path / "run.csv")
    truth.write_parquet(tmp_path / "truth.parquet")
    result = sy.evaluate(tmp_path / "run.csv", tmp_path / "truth.parquet", "mrr", by=["device", "country"])
    assert result.table().height == 5


def test_a_labelled_table_can_be_sliced():
    log = pl.DataFrame(
        {"qid": [1, 1, 2], "label": [0, 1, 1], "score": [0.9, 0.1, 0.5], "vip": [True, True, False]}
    )
    result = sy.evaluate(log, metrics="mrr", by="vip")
    assert numbers(result) == [("(all)", 3 / 4, 2, 0), ("false", 1.0, 1, 0), ("true", 1 / 2, 1, 0)]


@pytest.mark.parametrize("values", [[1, 2, 1, 1], [1.5, 2.5, 1.5, 1.5]])
def test_numbers_become_the_names_of_slices(run, truth, values):
    result = sy.evaluate(run, truth.with_columns(age=pl.Series(values)), "mrr", by="age")
    names = [str(value) for value in sorted(set(values))]
    assert result.table()["age"].to_list() == ["(all)", *names]


def test_a_column_that_varies_within_a_query(run, truth):
    varying = run.with_columns(device=pl.Series(["a", "b", "c", "d", "e", "f", "g", "h"]))
    with pytest.raises(sy.SteelyardError) as error:
        sy.evaluate(varying, truth, "mrr", by="device")
    assert error.value.message == "column 'device' of predictions varies within query q2: 'b' and 'c'"
    assert error.value.remedy == "a slice, a weight or a unit of a ranking must be constant within a query"


def test_a_column_in_both_tables(run, truth):
    both = truth.with_columns(device=pl.lit("x"))
    with pytest.raises(
        sy.SteelyardError, match="both predictions and truth have a column 'device' to slice by"
    ):
        sy.evaluate(run, both, "mrr", by="device")


def test_a_column_in_neither_table(run, truth):
    with pytest.raises(sy.SteelyardError) as error:
        sy.evaluate(run, truth, "mrr", by="city")
    assert error.value.message == "no column 'city' in predictions or truth to slice by"
    assert error.value.remedy == "the columns are: country, device, item, query, relevance, score"


@pytest.mark.parametrize(
    "by", ["metric", "value", "ci_low", "tie_high", "n", "undefined", ["country", "country"]]
)
def test_a_name_that_the_result_would_have_twice(run, truth, by):
    name = by if isinstance(by, str) else by[0]
    named = truth.rename({"country": name})
    with pytest.raises(sy.SteelyardError, match=f"by names (the|a) column '{name}'"):
        sy.evaluate(run, named, "mrr", by=by)


@pytest.mark.parametrize("name", ["slice", "by 0", "weight", "*", "^.*$", "(none)"])
def test_other_names_are_as_good_as_any(run, truth, name):
    result = sy.evaluate(run, truth.rename({"country": name}), "mrr", by=name)
    assert result.table()[name].to_list() == ["(all)", "DE", "US"]


def test_slices_by_the_query_itself(run, truth):
    result = sy.evaluate(run.rename({"query": "user_id"}), truth, "mrr", by="query")
    assert numbers(result) == [
        ("(all)", WHOLE, 4, 0),
        ("q1", 1, 1, 0),
        ("q2", 1 / 2, 1, 0),
        ("q3", 1 / 4, 1, 0),
        ("q4", 0, 1, 0),
    ]
