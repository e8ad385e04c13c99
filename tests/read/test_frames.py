"""Tables in memory: Polars, pandas with and without PyArrow, PyArrow, and whatever speaks Arrow."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard import read
from steelyard.read import frames
from steelyard.text.errors.base import ColumnError, ReadError, SteelyardError, ValueInDataError

from ..tables import each_row

DATA = {"qid": ["q1", "q2"], "docno": [7, -8], "score": [0.5, 1.0], "country": ["DE", "FR"]}
ROWS = [("q1", 7, 0.5), ("q2", -8, 1.0)]


class Stream:
    """An object that has nothing but the Arrow protocol, as a DuckDB relation has."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


SOURCES = {
    "polars": pl.DataFrame(DATA),
    "lazy": pl.LazyFrame(DATA),
    "pandas": pd.DataFrame(DATA),
    "pyarrow": pa.table(DATA),
    "record batch": pa.RecordBatch.from_pydict(DATA),
    "reader": Stream(pa.table(DATA)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_frame_gives_the_same_table(kind):
    table = read.predictions(SOURCES[kind], extra=["country"])
    assert table.frame.rows() == ROWS
    assert table.frame.dtypes == [pl.String, pl.Int64, pl.Float64]
    assert table.extra["country"].to_list() == ["DE", "FR"]
    assert table.name == "predictions"
    assert table.place(2) == "predictions, row 3"
    assert not table.untyped


def test_a_lazy_frame_collects_only_what_is_needed():
    seen = []

    def spy(column: pl.Series) -> pl.Series:
        seen.append(column.name)
        return column

    lazy = pl.LazyFrame(DATA).with_columns(pl.col("country").map_batches(spy, return_dtype=pl.String))
    assert read.predictions(lazy).frame.rows() == ROWS
    assert seen == []
    read.predictions(lazy, extra=["country"])
    assert seen == ["country"]


def test_a_lazy_frame_that_fails_is_one_error():
    with pytest.raises(ReadError, match="predictions cannot be collected"):
        read.predictions(pl.LazyFrame(DATA).with_columns(pl.col("absent")))
    with pytest.raises(ReadError, match="truth cannot be collected"):
        read.truth(pl.LazyFrame(DATA).with_columns(pl.col("qid").cast(pl.Int64)))


def test_the_callers_frame_is_left_alone():
    frame = pl.DataFrame({"query": ["a"], "item": ["x"], "score": [-0.0]})
    before = frame.clone()
    score = read.predictions(frame).frame["score"]
    assert frame.equals(before)
    assert not np.signbit(score.to_numpy()).any()
    assert np.signbit(frame["score"].to_numpy()).all()


PANDAS = {
    "numpy": pd.DataFrame({"query": np.array([1, 2], dtype=np.int32), "item": ["a", "b"], "score": [1, 2]}),
    "objects": pd.DataFrame(
        {
            "query": pd.Series([1, 2], dtype=object),
            "item": pd.Series(["a", "b"], dtype=object),
            "score": [1.0, 2.0],
        }
    ),
    "nullable": pd.DataFrame(
        {
            "query": pd.array([1, 2], dtype="Int64"),
            "item": pd.Series(["a", "b"], dtype=pd.StringDtype("python")),
            "score": pd.array([1.0, 2.0], dtype="Float64"),
        }
    ),
    "categories": pd.DataFrame(
        {
            "query": pd.Categorical([1, 2]),
            "item": pd.Categorical(["a", "b"]),
            "score": np.array([1.0, 2.0], dtype=np.float32),
        },
        index=[10, 20],
    ),
    "arrow": pd.DataFrame({"query": [1, 2], "item": ["a", "b"], "score": [1.0, 2.0]}).convert_dtypes(
        dtype_backend="pyarrow"
    ),
}


@pytest.mark.parametrize(
    ("kind", "arrow"),
    [(kind, arrow) for kind in PANDAS for arrow in (True, False) if arrow or kind != "arrow"],
)
def test_frames_of_every_kind(monkeypatch, kind, arrow):
    if not arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    table = read.predictions(PANDAS[kind])
    assert table.frame.rows() == [(1, "a", 1.0), (2, "b", 2.0)]


@pytest.mark.parametrize("arrow", [True, False])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.Series(["a", None]), "predictions, row 2: query is missing"),
        (pd.Series(["a", np.nan], dtype=object), "predictions, row 2: query is missing"),
        (pd.Series(pd.array([1, None], dtype="Int64")), "predictions, row 2: query is missing"),
        (pd.Series(pd.Categorical([None, "x"])), "predictions, row 1: query is missing"),
        (pd.Series([1, None]), "predictions, row 2: query is of type float64 (as 'nan')"),
        (pd.Series([True, False]), "predictions, row 1: query is of type boolean"),
        (
            pd.Series(["a", 1], dtype=object),
            "predictions: column 'query' holds values of several types (int, str)",
        ),
        (pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"])), "query is of type datetime"),
    ],
)
def test_bad_pandas_ids(monkeypatch, column, message, arrow):
    if not arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises((ColumnError, ValueInDataError)) as caught:
        read.predictions(pd.DataFrame({"query": column, "item": [1, 2], "score": [1, 2]}))
    assert message in caught.value.message
    assert caught.value.remedy


def test_float_ids_say_what_pandas_did():
    with pytest.raises(ColumnError) as caught:
        read.truth(pd.DataFrame({"user_id": [1, None], "item_id": [1, 2]}))
    assert "pandas turns integers into floats where one is missing" in caught.value.remedy
    assert "df['user_id'].astype('int64')" in caught.value.remedy


def test_pandas_nan_score_is_named_as_nan():
    with pytest.raises(ValueInDataError, match="predictions, row 2: score is 'nan'"):
        read.predictions(pd.DataFrame({"query": [1, 1], "item": [1, 2], "score": [1.0, np.nan]}))


def test_pandas_labels_that_are_not_text():
    frame = pd.DataFrame([["q", "d", 1.0]], columns=["query", "item", 7])
    assert read.predictions(frame, columns={"score": "7"}).frame.rows() == [("q", "d", 1.0)]


def test_two_columns_of_one_name():
    frame = pd.DataFrame([["q", "d", 1.0, 2.0]], columns=["query", "item", "score", "score"])
    with pytest.raises(ColumnError, match="predictions has two columns called 'score'"):
        read.predictions(frame)
    table = pa.table([pa.array(["q"]), pa.array(["r"])], names=["query", "query"])
    with pytest.raises(ColumnError, match="predictions has two columns called 'query'"):
        read.predictions(table)


def test_pandas_without_pyarrow_for_real():
    code = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd
import steelyard as sy
from steelyard import read
frame = pd.DataFrame({"user_id": ["007", "é"], "movieId": [1, 2**62], "rating": [4.5, 3]})
print(read.truth(frame).frame.rows())
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert run.stdout.strip() == f"[('007', 1, 4.5), ('é', {2**62}, 3.0)]"


@each_row("source", [42, None, object(), [1, 2], {1, 2}, pl.Series([1]), b"bytes"])
def test_what_is_not_a_table(source):
    with pytest.raises(ReadError) as caught:
        read.predictions(source)
    assert f"predictions is of type {type(source).__name__}, which is not a table" == caught.value.message
    assert "a Polars, pandas or PyArrow table" in caught.value.remedy
    assert "{query: {item: score}}" in caught.value.remedy


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table])
def test_a_table_without_rows(make):
    empty = {name: values[:0] for name, values in DATA.items()}
    with pytest.raises(ReadError, match="predictions has no rows"):
        read.predictions(make(empty))


def test_a_function_of_the_user_that_fails_is_one_error():
    def fail(_column: pl.Series) -> pl.Series:
        raise ZeroDivisionError("division by zero")

    lazy = pl.LazyFrame(DATA).with_columns(pl.col("score").map_batches(fail, return_dtype=pl.Float64))
    with pytest.raises(
        ReadError, match="predictions cannot be collected: ZeroDivisionError: division by zero"
    ):
        read.predictions(lazy)


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table])
def test_a_column_without_a_name(make):
    frame = make({"query": ["q"], "item": ["d"], "": [0.5]})
    assert read.predictions(frame, columns={"score": ""}).frame.rows() == [("q", "d", 0.5)]


def test_a_column_in_the_pandas_index():
    frame = pd.DataFrame(DATA).set_index(["qid", "country"])
    with pytest.raises(ColumnError) as caught:
        read.predictions(frame)
    assert str(caught.value) == (
        "predictions has no column that could be the query, but its index is called 'qid'\n"
        "make the index a column: frame.reset_index()"
    )
    assert read.predictions(frame.reset_index()).frame.rows() == ROWS


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pl.LazyFrame, pa.table])
def test_columns_of_lists(make):
    judged = {"user_id": ["u", "v"], "items": [["a", "b"], ["c"]], "grades": [[1, 2], [3]]}
    assert read.truth(make(judged)).frame.rows() == [("u", "a", 1.0), ("u", "b", 2.0), ("v", "c", 3.0)]
    shown = {"user_id": ["u", "v", "w"], "item_id": [["b", "a"], ["c"], []]}
    vectors = {"vector": [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]}  # of the user, not a score of each item
    table = read.predictions(make({**shown, **vectors}))
    assert (table.frame.rows(), table.listed) == ([("u", "b"), ("u", "a"), ("v", "c")], True)
    scored = read.predictions(make({**shown, "scores": [[0.1, 0.9], [0.5], []]}))
    assert scored.frame["score"].to_list() == [0.1, 0.9, 0.5]
    assert scored.place(2) == "predictions, row 2"
    assert read.pairs(make(shown)).frame.height == 3


def test_lists_give_the_ranking(tmp_path):
    shown = pl.DataFrame({"user": ["u", "v", "w"], "items": [["a", "b"], ["b"], []]})
    truth = pd.Series([["b"], ["b"], ["z"]], index=["u", "v", "w"])  # as groupby(…).agg(list) gives it
    shown.write_parquet(tmp_path / "lists.parquet")
    for run in (shown, tmp_path / "lists.parquet", {"u": pd.Series(["a", "b"]), "v": pl.Series(["b"])}):
        assert sy.evaluate(run, truth, "mrr")["mrr"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    scored = shown.with_columns(scores=pl.Series([[0.1, 0.9], [0.5], []]))
    assert sy.evaluate(scored, truth, "mrr")["mrr"] == pytest.approx((1 + 1 + 0) / 3)
    assert sy.evaluate(shown, truth, "mrr", exclude=shown.head(1))["mrr"] == pytest.approx((0 + 1 + 0) / 3)


def test_metrics_of_rows_leave_lists_of_items_alone():
    log = pl.DataFrame({"user_id": ["u1", "u2"], "items": [["x"], ["y", "z"]]})
    clicks = log.with_columns(label=pl.Series([1, 0]), score=pl.Series([0.3, 0.2]))
    assert sy.evaluate(clicks, metrics=["auc"])["auc"] == 1
    several = log.with_columns(label=pl.Series([["a"], ["b", "c"]]), predicted=pl.Series([["a"], ["c", "b"]]))
    result = sy.evaluate(several, metrics=["f1(average=micro)"])
    assert result.table()["value", "n"].row(0) == (1.0, 2)


@each_row(
    ("columns", "message"),
    [
        ({"scores": [[1.0], [2.0]]}, "predictions, row 1: 'items' holds 2 values and 'scores' 1"),
        ({"probs": [[0.1, 0.9], [0.5]]}, "predictions: 'probs' holds a number for each of 'items', and no"),
        ({"score": [1.0, 2.0]}, "predictions: score holds one value per row, and 'items' holds lists"),
        ({"items": [["a"], None]}, "predictions, row 2: item (column 'items') is missing"),
        ({"items": [["a"], ["b", None]]}, "predictions, row 2: item (column 'items') is missing"),
        ({"user": [["u"], ["v"]]}, "predictions: query (column 'user') holds lists, but a row is one item"),
    ],
)
def test_lists_that_do_not_fit(columns, message):
    frame = pl.DataFrame({"user": ["u", "v"], "items": [["a", "b"], ["c"]], **columns})
    with pytest.raises(SteelyardError) as caught:
        read.predictions(frame)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("arrow", [True, False])
def test_pandas_integers_beyond_every_type(monkeypatch, arrow):
    if not arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = pd.DataFrame({"query": ["q"], "item": ["d"], "score": pd.Series([10**400], dtype=object)})
    with pytest.raises(ColumnError, match="column 'score' holds integers of more than 64 bits"):
        read.predictions(frame)


@pytest.mark.parametrize(
    ("column", "values"), [("score", ["a", "b"]), ("qid", [True, False]), ("docno", [b"a", b"b"])]
)
def test_remedies_are_for_any_library(column, values):
    with pytest.raises(ColumnError) as caught:
        read.predictions(pd.DataFrame({**DATA, column: values}))
    assert "cast" in caught.value.remedy
    assert "pl." not in caught.value.remedy


def test_a_pandas_column_of_unlike_objects_is_named():
    frame = pd.DataFrame({"query": ["q", "q"], "item": [range(3), 0.5], "score": [1.0, 0.5]})
    with pytest.raises(ColumnError, match="column 'item' holds values of several types"):
        read.predictions(frame)


def test_lists_are_seen_though_pandas_names_two_rows_alike():
    frame = pd.DataFrame({"user_id": [1, 2, 3], "item_id": [None, ["a"], ["b"]]}, index=[0, 7, 7])
    assert frames.source_of(frame, "truth").lists == ("item_id",)
    of_text = frame.assign(item_id=[None, "a", "b"])
    assert frames.source_of(of_text, "truth").lists == ()


def test_lists_are_seen_by_their_type():
    of_arrow = pd.Series([None, None], dtype=pd.ArrowDtype(pa.list_(pa.string())))
    frame = pd.DataFrame({"user_id": [1, 2], "item_id": of_arrow})
    assert frames.source_of(frame, "truth").lists == ("item_id",)
