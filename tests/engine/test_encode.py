"""Ids become numbers: queries as they are met, rows grouped, each row with its judgement."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard import read
from steelyard.engine import coding
from steelyard.engine.coding import encode, encode_labelled

RUN = pl.DataFrame(
    {
        "query": ["q2", "q1", "q2", "q1", "q3"],
        "item": ["a", "b", "c", "a", "a"],
        "score": [1.0, 2.0, 3.0, 4.0, 5.0],
    }
)
TRUTH = pl.DataFrame(
    {"query": ["q1", "q4", "q2", "q1"], "item": ["a", "a", "c", "z"], "relevance": [1, 2, 3, 4]}
)
SEEN = pl.DataFrame({"query": ["q2", "q1", "q9"], "item": ["a", "a", "b"]})


def make(run=RUN, truth=TRUTH, exclude=SEEN):
    return encode(read.predictions(run), read.truth(truth), read.pairs(exclude))


def check(encoded) -> None:
    # every id of any table, as they are met; q9 is only excluded
    assert encoded.queries.to_list() == ["q2", "q1", "q3", "q4", "q9"]
    # predictions by query: q2 has rows 0 and 2, q1 rows 1 and 3, q3 row 4
    assert encoded.predictions.rows(np.arange(5)).tolist() == [0, 2, 1, 3, 4]
    assert encoded.predictions.offsets.tolist() == [0, 2, 4, 5, 5, 5]
    assert encoded.predictions.column("score").tolist() == [1, 3, 2, 4, 5]
    # truth by query: q2 c; q1 a, z; q4 a
    assert encoded.truth.column("relevance").tolist() == [3, 1, 4, 2]
    assert encoded.truth.offsets.tolist() == [0, 1, 3, 3, 4, 4]
    # q2 a: none, q2 c: entry 0; q1 b: none, q1 a: entry 1; q3 a: none
    assert encoded.judgement.tolist() == [-1, 0, -1, 1, -1]
    assert encoded.excluded.tolist() == [True, False, False, True, False]
    assert len(encoded.doubled.again) == len(encoded.doubled_truth.again) == 0


def test_by_hand():
    check(make())


def test_two_texts_with_one_hash_stay_two_items(monkeypatch):
    monkeypatch.setattr(coding, "hashed", lambda column: np.zeros(len(column), np.uint64))
    check(make())


def test_an_excluded_text_with_the_hash_of_another_excludes_nothing(monkeypatch):
    keys = {"a": 1, "b": 2, "c": 3, "z": 4, "other": 1}
    monkeypatch.setattr(coding, "hashed", lambda column: np.array([keys[i] for i in column], np.uint64))
    encoded = make(exclude=pl.DataFrame({"query": ["q1", "q2"], "item": ["other", "c"]}))
    assert encoded.excluded.tolist() == [False, True, False, False, False]  # q2 c; q1 has no item "other"


@pytest.mark.parametrize("sign", [1, -1])
def test_integer_items(sign):
    number = {"a": sign * 10, "b": sign * 9, "c": sign * 2**62, "z": 0}
    tables = [table.with_columns(pl.col("item").replace_strict(number)) for table in (RUN, TRUTH, SEEN)]
    check(make(*tables))


def test_rows_that_stand_grouped_are_not_moved():
    encoded = make(run=RUN.sort("query", maintain_order=True))
    assert encoded.predictions.row is None
    assert encoded.predictions.column("score").tolist() == [2, 4, 1, 3, 5]


def test_doubled_rows_know_the_first_of_their_kind():
    run = pl.concat([RUN, RUN[[1, 0, 1]]])  # q1 b, q2 a, q1 b again
    encoded = make(run=run)
    side = encoded.predictions
    again, first = side.rows(encoded.doubled.again), side.rows(encoded.doubled.first)
    assert sorted(zip(again.tolist(), first.tolist(), strict=True)) == [(5, 1), (6, 0), (7, 1)]
    doubled = make(truth=pl.concat([TRUTH, TRUTH[[2]]])).doubled_truth
    assert len(doubled.again) == 1


def test_the_first_of_doubled_judgements_is_a_row_s_judgement():
    truth = pl.concat([TRUTH, pl.DataFrame({"query": ["q1"], "item": ["a"], "relevance": [9]})])
    encoded = make(truth=truth)
    at = encoded.judgement[encoded.judgement >= 0]
    assert encoded.truth.column("relevance")[at].tolist() == [3, 1]


def test_a_labelled_table_without_items_judges_its_own_rows():
    table = read.labelled(pl.DataFrame({"qid": [2, 1, 2], "label": [1, 0, 3], "score": [0.1, 0.2, 0.3]}))
    encoded = encode_labelled(table)
    assert encoded.queries.to_list() == [2, 1]
    assert encoded.predictions is encoded.truth
    assert encoded.judgement.tolist() == [0, 1, 2]
    assert encoded.predictions.column("score").tolist() == [0.1, 0.3, 0.2]
    assert encoded.truth.column("relevance").tolist() == [1, 3, 0]
    assert encoded.predictions.offsets.tolist() == [0, 2, 3]
