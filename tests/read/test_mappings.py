"""Dicts as tables."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import polars as pl
import pytest

from steelyard import evaluate, read
from steelyard.text.errors.base import ColumnError, ReadError, SteelyardError, ValueInDataError

from ..tables import each_row


def test_scores_per_query():
    table = read.predictions({"q1": {"d1": 2, "d2": 0.5}, "q2": {"d1": np.float32(0.25)}})
    assert table.frame.rows() == [("q1", "d1", 2.0), ("q1", "d2", 0.5), ("q2", "d1", 0.25)]
    assert table.frame.columns == ["query", "item", "score"]
    assert not table.listed
    assert not table.untyped
    assert table.place(1) == "predictions, query 'q1', item 'd2'"


def test_grades_per_query():
    table = read.truth({1: {10: 3, 20: True}, 2: {10: 0}})
    assert table.frame.rows() == [(1, 10, 3.0), (1, 20, 1.0), (2, 10, 0.0)]
    assert table.frame.dtypes == [pl.Int64, pl.Int64, pl.Float64]
    assert table.notes == ()


@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_lists_in_order(make):
    table = read.predictions({"q1": make([3, 1, 2]), "q2": make([2])})
    assert table.listed
    assert table.frame.rows() == [("q1", 3), ("q1", 1), ("q1", 2), ("q2", 2)]
    assert read.predictions({"q1": make([3])}, orders=["given"]).listed


@pytest.mark.parametrize("make", [list, tuple, set, frozenset, np.array])
def test_lists_of_relevant_items(make):
    table = read.truth({"q1": make(["d1"]), "q2": make(["d2"])})
    assert table.frame.rows() == [("q1", "d1", 1.0), ("q2", "d2", 1.0)]
    assert table.notes == ("truth has no relevance column: every row counts as grade 1.",)
    assert not table.listed


def test_empty_queries_vanish_and_are_counted_in_truth():
    table = read.truth({"q1": {"d1": 1}, "q2": {}, "q3": {}})
    assert table.frame["query"].to_list() == ["q1"]
    assert table.notes == ("truth: 2 queries have nothing judged and cannot be evaluated.",)
    listed = read.truth({"q1": ["d1"], "q2": []})
    assert listed.notes[0] == "truth: 1 query has nothing judged and cannot be evaluated."
    assert read.predictions({"q1": [], "q2": ["d"]}).frame.rows() == [("q2", "d")]


def test_pairs_and_weights():
    assert read.pairs({"u": ["a", "b"]}).frame.rows() == [("u", "a"), ("u", "b")]
    assert read.pairs({"u": {"a": 1.0}}).frame.rows() == [("u", "a")]
    weights = read.query_weights({"u": 2, "v": 0.5})
    assert weights.frame.rows() == [("u", 2.0), ("v", 0.5)]
    assert weights.name == "weights"
    assert weights.place(1) == "weights, query 'v'"


def test_numpy_integers_and_64_bit_extremes():
    table = read.predictions({np.int32(-1): {2**64 - 1: 1.0, 0: 2.0}})
    assert table.frame.rows() == [(-1, 2**64 - 1, 1.0), (-1, 0, 2.0)]
    assert table.frame.dtypes == [pl.Int64, pl.UInt64, pl.Float64]


@each_row(
    ("source", "message"),
    [
        ({"q": {"a": 1.0, 2: 0.5}}, "predictions: item ids of several types, such as 2 (int) and 'a' (str)"),
        ({"q": ["a"], 1: ["b"]}, "predictions: query ids of several types, such as 1 (int) and 'q' (str)"),
        ({1.5: {"a": 1.0}}, "predictions: query is of type float (as '1.5')"),
        ({"q": {None: 1.0}}, "predictions: item is of type NoneType"),
        ({"q": {True: 1.0}}, "predictions: item is of type bool"),
        ({"q": [("a", 1.0)]}, "predictions: item is of type tuple"),
        ({"q": {"a": "0.5"}}, "predictions, query 'q', item 'a': score is str: '0.5'"),
        ({"q": {"a": 1.0, "b": None}}, "predictions, query 'q', item 'b': score is missing"),
        ({"q": {"a": True}}, "predictions, query 'q', item 'a': score is bool: 'True'"),
        ({"q": {"a": 1.0, "b": float("nan")}}, "predictions, query 'q', item 'b': score is 'nan'"),
        ({"q": {"a": float("inf")}}, "predictions, query 'q', item 'a': score is 'inf'"),
        ({"q": 1.0}, "predictions, query 'q': the value is of type float"),
        ({"q": {"a": 1.0}, "r": ["a"]}, "predictions, query 'q': the value is of type dict"),
        ({"q": "abc"}, "predictions, query 'q': the value is of type str"),
        ({"q": {"a", "b"}}, "predictions, query 'q': a set has no order"),
        ({"q": {2**64: 1.0}}, "predictions: item 18446744073709551616 does not fit into 64 bits"),
        ({"q": {2**63: 1.0, -1: 1.0}}, "does not fit into 64 bits with the others"),
        ({"q": {"\ud800": 1.0}}, "predictions: one of the item ids is not valid Unicode text"),
        ({}, "predictions has no rows"),
        ({"q": {}}, "predictions has no rows"),
        ({"q": []}, "predictions has no rows"),
        (
            {"query": ["a", "b"], "item": ["x", "y"], "score": [1, 2]},
            "whose keys look like column names: 'query', 'item' and 'score'",
        ),
    ],
)
def test_bad_dicts(source, message):
    with pytest.raises(SteelyardError) as caught:
        read.predictions(source)
    assert message in caught.value.message
    assert caught.value.remedy


def test_lists_have_neither_score_nor_rank():
    for order in ("score", "rank"):
        with pytest.raises(ColumnError, match=f"predictions holds lists of items, which have no {order}"):
            read.predictions({"q": ["a"]}, orders=[order])


def test_bad_grades_and_weights():
    with pytest.raises(ValueInDataError, match="truth, query 'q', item 'a': relevance is '-inf'"):
        read.truth({"q": {"a": float("-inf")}})
    with pytest.raises(ColumnError, match="weights, query 'q': weight is list"):
        read.query_weights({"q": [1]})
    with pytest.raises(ValueInDataError, match="weights, query 'q': weight is 'nan'"):
        read.query_weights({"q": float("nan")})


def test_a_dict_does_not_hold_labels_and_scores():
    with pytest.raises(ColumnError, match="holds scores or labels but not both"):
        read.labelled({"q": {"a": 1.0}})


def test_an_array_alone():
    with pytest.raises(ReadError, match="predictions is a matrix; only predictions and truth together"):
        read.predictions(np.zeros((2, 2)))


@pytest.mark.parametrize("large", [2**53 + 1, -(2**53) - 1, np.int64(2**53 + 1)])
def test_integers_that_a_float_cannot_hold(large):
    with pytest.raises(ValueInDataError) as caught:
        read.predictions({"q": {"a": 0.5, "b": large}})
    assert caught.value.message == (
        f"predictions, query 'q', item 'b': score is {large}, "
        "too large an integer to be exact as a 64-bit float"
    )
    kept = read.predictions({"q": {"a": 2**53, "b": 2**60, "c": float(2**53 + 2), "d": -np.inf}})
    assert kept.frame["score"].to_list() == [2.0**53, 2.0**60, 2.0**53 + 2, -np.inf]


def test_integers_beyond_every_float():
    for huge in (10**400, -(10**5000)):
        with pytest.raises(ValueInDataError, match="item 'b': score is .*, too large an integer to be exact"):
            read.predictions({"q": {"a": 1, "b": huge}})


def test_long_ids_are_shortened_in_messages():
    with pytest.raises(ValueInDataError) as caught:
        read.predictions({"q" * 5000: {"i" * 60: float("nan")}})
    assert caught.value.message == (f"predictions, query '{'q' * 59}…', item '{'i' * 60}': score is 'nan'")


@pytest.mark.parametrize("odd", [np.void(b"ab"), datetime(2020, 1, 1)])
def test_a_column_of_unlike_objects_is_named(odd):
    log = {"label": [1, 0, 1], "score": [0.8, 0.3, 0.4], "seen": [odd, 1, 0.5]}
    with pytest.raises(ColumnError, match="column 'seen' holds values of several types"):
        evaluate(log, metrics="auc")


def test_a_single_value_in_an_array_is_no_list_of_items():
    with pytest.raises(ColumnError, match="needs a list of items"):
        read.predictions({"q": np.array(5), "r": ["a"]})
    with pytest.raises(SteelyardError, match="labels"):
        evaluate({"label": [1, 0], "score": [0.5, 0.1], "n": np.array(5)}, metrics="auc")
