"""Slices by a table of what is known of each query."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

RUN = {"u1": {"a": 0.9, "b": 0.8}, "u2": {"a": 0.3, "b": 0.2}, "u3": {"c": 1.0}}
TRUTH = {"u1": {"b": 1}, "u2": {"a": 1}, "u3": {"c": 1}}
USERS = {"user_id": ["u1", "u2"], "country": ["JP", "DE"]}
LOG = {
    "user_id": ["u1", "u1", "u2", "u2", "u3"],
    "label": [1, 0, 1, 0, 1],
    "score": [0.8, 0.2, 0.3, 0.6, 0.5],
}
NOT_THERE = "1 query is not in by: its slice is (none)."


@pytest.mark.parametrize(
    "table", [USERS, pl.DataFrame(USERS), pl.DataFrame(USERS).to_pandas(), pl.DataFrame(USERS).to_arrow()]
)
def test_rankings(table):
    """Reciprocal ranks: u1 finds b at 2, u2 finds a at 1, u3 finds c at 1 and has no country."""
    result = sy.evaluate(RUN, TRUTH, "mrr", by=table)
    assert result["mrr"] == (1 / 2 + 1 + 1) / 3
    assert result["mrr", {"country": "JP"}] == 1 / 2
    assert result["mrr", {"country": "DE"}] == 1
    assert result["mrr", {"country": None}] == 1
    assert NOT_THERE in result.notes
    assert result.by == ("country",)


def test_rows():
    """AUC: u1's pair is in order, u2's is not; u3 has no country and one class."""
    result = sy.evaluate(LOG, metrics=["auc", "accuracy"], by=USERS)
    assert result["auc", {"country": "JP"}] == 1
    assert result["auc", {"country": "DE"}] == 0
    assert result["accuracy", {"country": None}] == 1
    assert NOT_THERE in result.notes


def test_mixed_metrics_are_sliced_by_one_table():
    result = sy.evaluate(LOG, metrics=["auc", "mrr"], by=USERS)
    assert result["mrr", {"country": "DE"}] == 1 / 2
    assert result["auc", {"country": "DE"}] == 0
    assert result.notes.count(NOT_THERE) == 1


def test_a_file_beside_columns_of_the_table_itself(tmp_path):
    pl.DataFrame(USERS).write_parquet(tmp_path / "users.parquet")
    result = sy.evaluate(LOG, metrics="accuracy", by=tmp_path / "users.parquet")
    assert result["accuracy", {"country": "DE"}] == 0


@pytest.mark.parametrize(
    ("table", "said", "remedy"),
    [
        (
            {"user_id": ["u1", "u1"], "c": ["x", "y"]},
            "by has query u1 in two rows",
            "give each query one row",
        ),
        ({"user_id": ["u1"]}, "by has a query column and no other to slice by", "give a table of query"),
        ({"x": ["u1"], "c": ["y"]}, "by has no column that could be the query", "say which one"),
        ({"user_id": [1], "c": ["y"]}, "query ids are text in predictions and integers in by", "cast one"),
        ({"user_id": ["u1"], "metric": ["y"]}, "by names a column 'metric'", "rename"),
        ({"user_id": ["u1"], "c": [["y"]]}, "column 'c' of by holds List", "plain values"),
        (3, "by must be text or a list of texts; got 3", ""),
    ],
)
def test_bad_tables(table, said, remedy):
    table = pl.DataFrame(table) if isinstance(table, dict) else table
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUTH, "mrr", by=table)
    assert str(caught.value).startswith(said)
    assert remedy in str(caught.value.remedy)
