"""Edges of lists as a whole that two forms of one thing must agree on."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import sparse

import steelyard as sy

IDS = ["a", "b", "c"]
LISTS = {"u": IDS}


def value(result):
    return next(iter(result.items()))[1]


@pytest.mark.parametrize("distance", ["jaccard", "hamming", "euclidean"])
def test_a_row_of_zeros_is_a_vector_but_for_cosine(distance):
    """Of (0, 0), (3, 4), (3, 0) the distances are 5, 3 and 4; of two places 2, 1 and 1 differ."""
    matrix = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    wanted = {"jaccard": (1 + 1 + 1 / 2) / 3, "hamming": (1 + 1 / 2 + 1 / 2) / 3, "euclidean": 4.0}[distance]
    for features in ((matrix, IDS), (sparse.csr_matrix(matrix), IDS)):
        found = sy.evaluate(LISTS, metrics=f"diversity(distance={distance})@3", features=features)
        assert value(found) == pytest.approx(wanted, abs=1e-12)
    for features in ((matrix, IDS), (sparse.csr_matrix(matrix), IDS)):
        with pytest.raises(sy.SteelyardError, match="all 0"):
            sy.evaluate(LISTS, metrics="diversity@3", features=features)


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e-160])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_length_of_vectors_does_not_matter_to_cosine(size, form):
    """Two at a right angle and one between: 1, and twice 1 - cos 45°."""
    matrix = size * np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = sy.evaluate(LISTS, metrics="diversity@3", features=(form(matrix), IDS))
    assert value(found) == pytest.approx((1 + 2 * (1 - np.sqrt(0.5))) / 3, rel=1e-12)


def test_wide_sparse_features():
    """Each item alone in its column: all are at a right angle."""
    wide = sparse.csr_matrix((np.ones(3), ([0, 1, 2], [5, 100_000, 199_999])), shape=(3, 200_000))
    assert value(sy.evaluate(LISTS, metrics="diversity@3", features=(wide, IDS))) == 1


def test_a_masked_score_is_not_in_the_usual_list():
    usual = {"u": {"a": 0.5, "c": float("-inf")}}
    found = sy.evaluate({"u": ["c"]}, metrics="unexpectedness@3", usual=usual)
    assert value(found) == 1


def test_a_count_of_0_is_as_no_row():
    rows = {"user_id": ["v", "w", "w", "x"], "item_id": ["c", "c", "b", "y"], "count": [2, 1, 1, 0]}
    with_zero, without = pl.DataFrame(rows), pl.DataFrame(rows).head(3)
    asked = ["unexpectedness@3", "novelty@3", "popularity@3", "repetition@3"]
    one, other = (sy.evaluate({"x": ["y", "z"]}, metrics=asked, history=had) for had in (with_zero, without))
    assert dict(one.items()) == dict(other.items())
    assert "history: 1 row has a count of 0 and counts as none." in one.notes
    with pytest.raises(sy.SteelyardError, match="history is empty"):
        sy.evaluate({"x": ["y"]}, metrics="novelty@3", history=with_zero.tail(1))


def test_the_usual_list_is_of_what_could_be_shown():
    """a and c are popular and outside the catalogue, so that b alone is usual: half of the list is not."""
    had = {"v": ["a", "c", "b"], "w": ["a", "c"], "x": ["a"]}
    found = sy.evaluate({"u": ["b", "d"]}, metrics="unexpectedness@2", history=had, catalog=["b", "d"])
    assert value(found) == 1 / 2


def test_what_users_had_without_features_is_counted():
    had = {"u": ["a", "z1", "z2"]}
    asked = "unexpectedness(against=history)@1"
    found = sy.evaluate({"u": ["b"]}, metrics=asked, history=had, features={"a": [1, 0], "b": [0, 1]})
    assert value(found) == 1
    assert "2 of 3 items that users had have no features in features, and are left out." in found.notes


def test_who_has_no_list_is_not_counted_in_pairs():
    found = sy.evaluate({"u": ["a"], "v": ["b"]}, {"u": ["a"], "x": ["a"], "y": ["b"]}, "personalization@1")
    assert found.table()["n"].to_list() == [2]
