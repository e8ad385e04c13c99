"""Ids keep their type and their value, from the source to the values per query."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

INTEGERS = [2**63 - 1, 2**63 - 2, -(2**63), -1, 0, 7]
UNSIGNED = [2**64 - 1, 2**64 - 2, 2**63, 0]
TEXTS = [
    "two words",
    'double "quotes"',
    "it's",
    "🍎",
    "🍏",
    "e\u0301",
    "é",
    "a\tb",
    "\x01\x7f",
    "NA",
    "null",
    "-1",
    "1e3",
    "a,b",
    "00",
    "0",
    " x",
    "x",
]


def tables(ids: list, dtype: type[pl.DataType]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every id is a query with every id in its list; the relevant item of the n-th query stands at n."""
    column = pl.Series(ids, dtype=dtype)
    run = pl.DataFrame({"query": column}).join(pl.DataFrame({"item": column}), how="cross")
    run = run.with_columns(score=-pl.int_range(pl.len()).cast(pl.Float64))
    return run, pl.DataFrame({"query": column, "item": column, "relevance": [1] * len(ids)})


def check(result: sy.Result, ids: list) -> None:
    found = dict(result.per_query().select("query", "value").iter_rows())
    assert found == pytest.approx({one: 1 / (place + 1) for place, one in enumerate(ids)}, abs=1e-15)


@each_row(
    ("ids", "dtype"), [(INTEGERS, pl.Int64), (UNSIGNED, pl.UInt64), (TEXTS, pl.String), ([-3, 4], pl.Int8)]
)
def test_all_ids_from_frames(ids, dtype):
    run, truth = tables(ids, dtype)
    check(sy.evaluate(run, truth, "mrr"), ids)
    check(sy.evaluate(run.sample(fraction=1, shuffle=True, seed=1), truth.reverse(), "mrr"), ids)


@pytest.mark.parametrize(("ids", "dtype"), [(INTEGERS, pl.Int64), (UNSIGNED, pl.UInt64), (TEXTS, pl.String)])
def test_all_ids_from_parquet_and_dicts(ids, dtype, tmp_path):
    run, truth = tables(ids, dtype)
    run.write_parquet(tmp_path / "run.parquet")
    truth.write_parquet(tmp_path / "truth.parquet")
    check(sy.evaluate(tmp_path / "run.parquet", tmp_path / "truth.parquet", "mrr"), ids)
    nested = {query: {item: -float(place) for place, item in enumerate(ids)} for query in ids}
    check(sy.evaluate(nested, {one: {one: 1} for one in ids}, "mrr"), ids)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_all_texts_from_text_files(form, tmp_path):
    run, truth = tables(TEXTS, pl.String)
    for name, frame in (("run", run), ("truth", truth)):
        path = tmp_path / f"{name}.{form}"
        frame.write_csv(path) if form == "csv" else frame.write_ndjson(path)
    check(sy.evaluate(tmp_path / f"run.{form}", tmp_path / f"truth.{form}", "mrr"), TEXTS)


def test_exclude_and_weights_know_extreme_ids():
    run, truth = tables(INTEGERS, pl.Int64)
    first, *rest = INTEGERS
    result = sy.evaluate(
        run, truth, "mrr", exclude={one: [first] for one in rest}, weights=dict.fromkeys(INTEGERS, 1)
    )
    # all but the first move one place up
    assert result["mrr"] == pytest.approx(
        (1 + sum(1 / place for place in range(1, len(INTEGERS)))) / len(INTEGERS)
    )


def test_text_1_and_integer_1_are_different_ids():
    run = pl.DataFrame({"query": ["1"], "item": [1], "score": [0.5]})
    truth = pl.DataFrame({"query": [1], "item": [1], "relevance": [1]})
    with pytest.raises(sy.SteelyardError) as error:
        sy.evaluate(run, truth, "mrr")
    assert error.value.message == (
        "query ids are text in predictions and integers in truth: text '1' and integer 1 are different ids"
    )
    assert "cast one of them: give the query ids of both as text" in error.value.remedy
    with pytest.raises(sy.SteelyardError, match="query ids are text in truth and integers in predictions"):
        sy.evaluate({1: {"a": 1.0}}, {"1": {"a": 1}}, "mrr")
    with pytest.raises(sy.SteelyardError, match="item ids are text in truth and integers in predictions"):
        sy.evaluate({"q": {1: 1.0}}, {"q": {"1": 1}}, "mrr")
    with pytest.raises(sy.SteelyardError, match="item ids are text in exclude and integers in predictions"):
        sy.evaluate({"q": {1: 1.0}}, {"q": {1: 1}}, "mrr", exclude={"q": ["1"]})


def test_007_from_csv_stays_007(tmp_path):
    (tmp_path / "run.csv").write_text("query,item,score\n007,1,0.5\n7,01,0.5\n")
    (tmp_path / "truth.csv").write_text("query,item,relevance\n007,1,1\n7,1,1\n")
    result = sy.evaluate(tmp_path / "run.csv", tmp_path / "truth.csv", "mrr")
    assert result.per_query().select("query", "value").rows() == [("007", 1.0), ("7", 0.0)]


def test_ids_of_csv_meet_integers_only_when_all_survive(tmp_path):
    (tmp_path / "run.csv").write_text("query,item,score\n7,1,0.5\n-8,9223372036854775807,0.5\n")
    truth = {7: {1: 1}, -8: {2**63 - 1: 1}}
    result = sy.evaluate(tmp_path / "run.csv", truth, "mrr")
    assert result["mrr"] == 1
    assert result.per_query()["query"].to_list() == [-8, 7]
    (tmp_path / "run.csv").write_text("query,item,score\n7,1,0.5\n007,1,0.5\n")
    with pytest.raises(sy.SteelyardError, match="row 2: query '007' is not written as an integer"):
        sy.evaluate(tmp_path / "run.csv", truth, "mrr")


def test_ids_of_all_three_tables_in_one_type(tmp_path):
    (tmp_path / "run.csv").write_text("query,item,score\n1,5,0.9\n1,6,0.8\n")
    (tmp_path / "truth.csv").write_text("query,item,relevance\n1,6,1\n")
    seen = pl.DataFrame({"query": [1], "item": [5]})
    assert sy.evaluate(tmp_path / "run.csv", tmp_path / "truth.csv", "mrr", exclude=seen)["mrr"] == 1
    weights = pl.DataFrame({"query": [1], "weight": [2]})
    assert sy.evaluate(tmp_path / "run.csv", tmp_path / "truth.csv", "mrr", weights=weights)["mrr"] == 1 / 2


def test_ties_by_item_compare_integers_as_numbers_and_text_by_its_bytes():
    for items, first in (
        ([9, 10], 10),
        (["9", "10"], "9"),
        ([-1, -2], -1),
        (["Z", "a"], "a"),
        (["z", "é"], "é"),
    ):
        run = {"q": dict.fromkeys(items, 0.5)}
        assert sy.evaluate(run, {"q": {first: 1}}, "mrr")["mrr"] == 1
        assert sy.evaluate(run, {"q": {first: 1}}, "mrr", ties="item_asc")["mrr"] == 1 / 2
