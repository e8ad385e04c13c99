"""Ids keep their type, and two tables meet only where nothing is guessed."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import read
from steelyard.text.errors.base import ColumnError, ReadError

from ..tables import each_row

INT64 = st.integers(-(2**63), 2**63 - 1)
UINT64 = st.integers(0, 2**64 - 1)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8) | st.sampled_from(
    ["007", " a b ", 'say "hi"', "it's", "🍎", "a,b", "a\tb", "-0", "1.0", "nan", "null", "#1", "é", "é"]
)
IDS = (
    st.lists(INT64, min_size=1, max_size=6)
    | st.lists(UINT64, min_size=1, max_size=6)
    | st.lists(TEXT, min_size=1, max_size=6)
)


def table(values: list[object], *, untyped: bool = False, name: str = "predictions") -> read.Table:
    frame = pl.DataFrame({"query": pl.Series(values, dtype=_type(values))})
    return read.Table(
        frame=frame, extra=pl.DataFrame(height=len(values)), name=name, untyped=untyped, listed=False
    )


def _type(values: list[object]) -> type[pl.DataType]:
    if isinstance(values[0], str):
        return pl.String
    return pl.UInt64 if any(isinstance(v, int) and v >= 2**63 for v in values) else pl.Int64


def written(ids: list[object]) -> pl.DataFrame:
    column = pl.Series(ids, dtype=_type(ids))
    return pl.DataFrame({"query": column, "item": column, "score": [1.0] * len(ids)})


@given(IDS)
def test_ids_in_parquet_keep_type_and_value(tmp_path_factory, ids):
    path = tmp_path_factory.mktemp("ids") / "a.parquet"
    written(ids).write_parquet(path)
    frame = read.predictions(path).frame
    assert frame["query"].to_list() == frame["item"].to_list() == ids
    assert frame["query"].dtype == _type(ids)


@given(st.lists(TEXT.filter(lambda text: "\r" not in text), min_size=1, max_size=6))
def test_ids_in_csv_are_text(tmp_path_factory, ids):
    path = tmp_path_factory.mktemp("ids") / "a.csv"
    written(ids).write_csv(path, quote_style="always")
    assert read.predictions(path).frame["item"].to_list() == ids


@given(st.lists(INT64, min_size=1, max_size=6))
def test_integers_in_csv_are_text_and_meet_integers(tmp_path_factory, ids):
    path = tmp_path_factory.mktemp("ids") / "a.csv"
    written(ids).write_csv(path)
    said = read.predictions(path)
    assert said.frame["query"].to_list() == [str(one) for one in ids]
    left, right = read.reconcile(said, read.truth(written(ids)), "query")
    assert left.dtype == right.dtype == pl.Int64
    assert left.to_list() == right.to_list() == ids


@given(
    st.lists(TEXT, min_size=1, max_size=6, unique=True) | st.lists(INT64, min_size=1, max_size=6, unique=True)
)
def test_ids_in_dicts_keep_type_and_value(ids):
    frame = read.predictions({one: {one: 1.0} for one in ids}).frame
    assert frame["query"].to_list() == frame["item"].to_list() == ids
    listed = read.predictions({one: [one] for one in ids}).frame
    assert listed["item"].to_list() == ids


@each_row("dtype", [pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Int128])
def test_integers_widen(dtype):
    frame = pl.DataFrame({"query": pl.Series([1, 100], dtype=dtype), "item": [1, 2]})
    assert read.truth(frame).frame["query"].dtype == pl.Int64


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["b", "a"])])
def test_categories_become_text(dtype):
    frame = pl.DataFrame({"query": pl.Series(["a", "b"], dtype=dtype), "item": [1, 2]})
    query = read.truth(frame).frame["query"]
    assert query.dtype == pl.String
    assert query.to_list() == ["a", "b"]


def test_integers_beyond_64_bits():
    frame = pl.DataFrame({"query": pl.Series([1, 2**64], dtype=pl.Int128), "item": [1, 2]})
    with pytest.raises(
        ColumnError, match="truth, row 2: query 18446744073709551616 does not fit into 64 bits"
    ):
        read.truth(frame)
    both = pl.DataFrame({"query": pl.Series([-1, 2**63], dtype=pl.Int128), "item": [1, 2]})
    with pytest.raises(ColumnError, match="truth, row 2: query 9223372036854775808 does not fit"):
        read.truth(both)
    low = pl.DataFrame({"query": pl.Series([0, -(2**63) - 1], dtype=pl.Int128), "item": [1, 2]})
    with pytest.raises(ColumnError, match="truth, row 2: query -9223372036854775809 does not fit"):
        read.truth(low)


@pytest.mark.parametrize("ids", [["a", "007"], [1, -1], [0, 2**64 - 1]])
def test_same_type_passes(ids):
    left, right = read.reconcile(table(ids), table(ids[:1] * 2 if isinstance(ids[0], str) else ids), "query")
    assert left.dtype == right.dtype
    assert left.to_list() == ids


def test_signed_and_unsigned_meet_exactly():
    big = 2**63 + 1
    left, right = read.reconcile(table([2**53 + 1, 5]), table([big, 2**53]), "query")
    assert left.dtype == right.dtype == pl.UInt64
    assert left.to_list() == [2**53 + 1, 5]
    assert right.to_list() == [big, 2**53]
    swapped, _ = read.reconcile(table([big, 1]), table([1]), "query")
    assert swapped.to_list() == [big, 1]


def test_negative_and_huge_have_no_type_in_common():
    with pytest.raises(
        ColumnError, match="the negative ids of predictions and the ids above 2\\^63 of truth"
    ):
        read.reconcile(table([-1]), table([2**63], name="truth"), "query")


def test_untyped_text_meets_integers_when_every_value_survives():
    left, right = read.reconcile(table(["1", "-7", "0"], untyped=True), table([1, 2]), "query")
    assert (left.to_list(), right.to_list()) == ([1, -7, 0], [1, 2])
    right, left = read.reconcile(table([1, 2]), table(["2"], untyped=True), "query")
    assert left.dtype == right.dtype == pl.Int64
    huge, _ = read.reconcile(table([str(2**64 - 1)], untyped=True), table([1]), "query")
    assert huge.to_list() == [2**64 - 1]


@each_row("odd", ["007", "+1", "1.0", "-0", " 1", "x", "", "1e3", "\u0661", str(2**64)])
def test_untyped_text_that_does_not_survive(odd):
    text = table(["1", odd, "008"], untyped=True, name="truth.csv")
    for pair in ((text, table([1, 2])), (table([1, 2]), text)):
        with pytest.raises(ColumnError) as caught:
            read.reconcile(*pair, "query")
        assert caught.value.message.startswith(
            f"truth.csv, row 2: query '{odd}' is not written as an integer"
        )
        assert caught.value.remedy == "cast the integers to text, written as they are here"


def test_negative_and_huge_text():
    with pytest.raises(ColumnError, match="the negative ids of a.csv and its ids above"):
        read.reconcile(table(["-1", str(2**63)], untyped=True, name="a.csv"), table([1]), "query")


def test_typed_text_and_integers_are_different_ids():
    with pytest.raises(ColumnError) as caught:
        read.reconcile(table(["9", "1"]), table([3, 1], name="truth"), "query")
    assert caught.value.message == (
        "query ids are text in predictions and integers in truth: text '1' and integer 1 are different ids"
    )
    assert caught.value.remedy == (
        "cast one of them: give the query ids of both as text, or of both as integers"
    )
    with pytest.raises(ColumnError, match="text 'a' and integer 3 are different ids"):
        read.reconcile(table([3]), table(["a"]), "query")


def test_csv_meets_parquet_from_files(write, tmp_path):
    pl.DataFrame({"query": [7], "item": [1], "score": [1.0]}).write_parquet(tmp_path / "a.parquet")
    true = read.truth(write("t.csv", "query,item\n007,1\n"))
    said = read.predictions(tmp_path / "a.parquet")
    with pytest.raises(ColumnError, match="t.csv, row 1: query '007' is not written as an integer"):
        read.reconcile(said, true, "query")
    left, right = read.reconcile(said, true, "item")
    assert left.to_list() == right.to_list() == [1]


@pytest.mark.parametrize("other", [["a"], [1], [2**63]])
def test_a_table_without_ids_takes_the_type_of_the_other(other):
    none = read.pairs({})
    left, right = read.reconcile(table(other), none, "query")
    assert left.to_list() == other
    assert right.to_list() == []
    assert left.dtype == right.dtype == _type(other)
    swapped, _ = read.reconcile(none, table(other), "query")
    assert swapped.dtype == _type(other)


JSON = '{{"query": "q", "item": {}, "score": 1}}\n'


@pytest.mark.parametrize(
    ("values", "line", "shown"),
    [(['"1"', "1"], 2, "1"), (["1.0", '"1"'], 1, "1.0"), (['"x"', '"y"', "true"], 3, "true")],
)
def test_jsonl_ids_of_several_types(write, values, line, shown):
    path = write("a.jsonl", "".join(map(JSON.format, values)))
    with pytest.raises(ColumnError) as caught:
        read.predictions(path)
    assert caught.value.message == (
        f"{path}, line {line}: item is {shown} without quotes, but text in other lines"
    )


def test_jsonl_integers_and_truth_values(write):
    path = write("a.jsonl", JSON.format("1") + JSON.format("true"))
    with pytest.raises(ReadError, match="a column holds values of several types"):
        read.predictions(path)


def test_jsonl_text_that_only_looks_mixed(write):
    inside = '{"meta": {"item": 5}, "query": "\\"item\\": 5", "item": "a", "score": 1}\n'
    assert read.predictions(write("a.jsonl", inside)).frame.rows() == [('"item": 5', "a", 1.0)]
