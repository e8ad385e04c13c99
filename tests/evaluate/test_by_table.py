"""Slices by a table of what is known of each query."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

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


@each_row(
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
        (
            {"user_id": ["x1", "x2"], "c": ["x", "y"]},
            "no query of predictions is in by: queries such as 'u1' against 'x1'",
            "check that both name queries the same way",
        ),
    ],
)
def test_bad_tables(table, said, remedy):
    table = pl.DataFrame(table) if isinstance(table, dict) else table
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUTH, "mrr", by=table)
    assert str(caught.value).startswith(said)
    assert remedy in str(caught.value.remedy)


@pytest.mark.parametrize("metrics", ["auc", "mrr", ["auc", "mrr"]])
def test_a_table_that_knows_no_query_is_refused_whatever_is_measured(metrics):
    with pytest.raises(sy.SteelyardError, match="no query of predictions is in by"):
        sy.evaluate(LOG, metrics=metrics, by={"x1": "JP", "x2": "DE"})


@pytest.mark.parametrize("columns", [None, {"query": "user_id"}])
def test_one_value_for_each_query(columns):
    """Reciprocal ranks 1/2, 1 and 1 (see above); u3 has no value."""
    known = {"u1": "JP", "u2": "DE"}
    result = sy.evaluate(RUN, TRUTH, "mrr", by=known)
    assert result.by == ("slice",)
    assert result["mrr", {"slice": "JP"}] == 1 / 2
    assert result["mrr", {"slice": None}] == 1
    assert NOT_THERE in result.notes
    rows = sy.evaluate(LOG, metrics=["auc", "mrr"], by=known, columns=columns)
    assert (rows["auc", {"slice": "JP"}], rows["auc", {"slice": "DE"}]) == (1, 0)
    assert rows["mrr", {"slice": "DE"}] == 1 / 2
    assert known == {"u1": "JP", "u2": "DE"}


@pytest.mark.parametrize(
    "values", [(1, 2, 1), (True, False, True), (0.5, None, 0.5), (date(2026, 1, 2),) * 3]
)
def test_values_of_any_plain_type(values):
    """The whole of each slice by hand: the mean of the reciprocal ranks of its queries."""
    ranks = {"u1": 1 / 2, "u2": 1, "u3": 1}
    known = dict(zip(ranks, values, strict=True))
    result = sy.evaluate(RUN, TRUTH, "mrr", by=known)
    for value in set(values):
        mine = [rank for query, rank in ranks.items() if known[query] == value]
        assert result["mrr", {"slice": value}] == sum(mine) / len(mine)


def test_queries_that_are_numbers():
    result = sy.evaluate({1: ["a", "b"], 2: ["b"]}, {1: ["b"], 2: ["b"]}, "mrr", by={1: "x", 2: "y"})
    assert result["mrr", {"slice": "x"}] == 1 / 2


@each_row(
    ("known", "said"),
    [
        ({"u1": "JP", "u2": ["DE"]}, "by is a dict of neither one value for each query nor columns"),
        ({"u1": {"country": "JP"}}, "by is a dict of neither one value for each query nor columns"),
        ({"u1": {"JP"}}, "by is a dict of neither one value for each query nor columns"),
        ({"u1": "JP", "u2": 3}, "by: column 'slice' holds values of several types"),
        ({"u1": "JP", 2: "DE"}, "by: query ids of several types"),
        ({}, "by has no rows"),
    ],
)
def test_bad_dicts(known, said):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUTH, "mrr", by=known)
    assert str(caught.value).startswith(said)


def test_a_path_given_as_text_leads_to_the_table(tmp_path, monkeypatch, steelyard):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(USERS).write_parquet("users.parquet")
    pl.DataFrame(LOG).write_parquet("log.parquet")
    for metric in ("auc", "mrr"):
        for by in ("users.parquet", "no/such.csv"):
            with pytest.raises(
                sy.SteelyardError, match=f"no column '{by}' in log.parquet to slice by"
            ) as caught:
                sy.evaluate("log.parquet", metrics=metric, by=by)
            assert caught.value.remedy.endswith(
                f"to slice by a table of its own: by=Path('{by}'), --by-table {by}"
            )
    assert (
        "--by-table users.parquet"
        in steelyard("evaluate", "log.parquet", "-m", "auc", "--by", "users.parquet").err
    )
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate("log.parquet", metrics="auc", by="city")
    assert caught.value.remedy == "the columns are: label, score, user_id"
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate("log.parquet", metrics="auc", weights="users.parquet")
    assert "table of its own" not in caught.value.remedy
