"""Edges of lists as a whole that two forms of one thing must agree on."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import sparse

import steelyard as sy

from ..tables import each_row

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
    found = sy.evaluate({"u": ["c"]}, metrics="unexpectedness@3", baseline_lists=usual)
    assert value(found) == 1


def test_a_count_of_0_is_as_no_row():
    rows = {"user_id": ["v", "w", "w", "x"], "item_id": ["c", "c", "b", "y"], "count": [2, 1, 1, 0]}
    with_zero, without = pl.DataFrame(rows), pl.DataFrame(rows).head(3)
    asked = ["unexpectedness@3", "novelty@3", "popularity@3", "repetition@3"]
    one, other = (sy.evaluate({"x": ["y", "z"]}, metrics=asked, history=had) for had in (with_zero, without))
    assert dict(one.items()) == dict(other.items())
    assert "history: 1 row has a count of 0 and is ignored." in one.notes
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


TABLE = pl.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "score": [0.1, 0.9], "rank": [1, 2]})
TIED = {"u": {"a": 0.5, "b": 0.5, "c": 0.5}}


@each_row(
    ("lists", "asked"),
    [
        (TABLE, {"order": "score"}),
        (TABLE, {"order": "rank"}),
        (TABLE, {"order": "given"}),
        (TABLE.select("user", "item"), {"order": "given"}),
        (TIED, {"ties": "item_asc"}),
        (TIED, {"ties": "given"}),
        ({"a": ["a", "b"]}, {"self_match": "drop"}),
        ({"u": {"a": 0.9, "b": 0.5}}, {"exclude": {"u": ["a"]}}),
        (pl.concat([TABLE, TABLE]), {"duplicates": "first"}),
    ],
)
def test_lists_that_are_the_usual_ones_are_expected_under_every_convention(lists, asked):
    assert value(sy.evaluate(lists, metrics="unexpectedness@1", baseline_lists=lists, **asked)) == 0


def test_lists_in_order_beside_usual_ones_with_scores():
    """The lists have no scores; of the usual ones the best by score is c."""
    found = sy.evaluate({"u": ["c"]}, metrics="unexpectedness@1", baseline_lists={"u": {"a": 0.1, "c": 0.9}})
    assert value(found) == 0


@pytest.mark.parametrize("metric", ["serendipity@2", "exposure_ratio@2"])
@pytest.mark.parametrize("lists", [{"u": ["a"]}, {"u": {"a": 0.5}}, TABLE])
def test_a_truth_that_is_missing_is_named(metric, lists):
    tables = {"history": {"u": ["a"]}, "item_groups": {"a": "x"}}
    with pytest.raises(sy.SteelyardError, match=f"{metric} needs truth, which was not given"):
        sy.evaluate(lists, metrics=metric, **tables)
    with pytest.raises(sy.SteelyardError, match="ndcg@2 needs truth, which was not given"):
        sy.evaluate(lists, metrics=["ndcg@2", "coverage@2"], catalog=["a"])


def test_what_has_no_value_is_said_of_groups_and_slices():
    found = sy.evaluate(
        {"u": ["a", "b"]}, {"u": {"a": 1}}, "exposure_ratio@2", item_groups={"a": "x", "b": "y"}
    )
    why = "nothing is shown or a group has no relevant item"
    assert f"exposure_ratio@2 is undefined for 1 of 2 groups (y): {why}." in found.notes
    by = {"u": "A", "v": "A", "x": "B"}
    lists, truth = {"u": ["a"], "v": ["b"]}, {"x": {"a": 1}}
    found = sy.evaluate(lists, truth, ["personalization@1", "gini@1"], catalog=["a", "b"], by=by)
    assert "gini@1 is undefined in 1 of 2 slices: nothing of the catalogue is shown." in found.notes
    assert "personalization@1 is undefined in 1 of 2 slices: fewer than two users have a list." in found.notes


def test_groups_of_other_items():
    found = sy.evaluate({"u": ["a"]}, metrics="exposure@1", item_groups={"q": "x"})
    assert "no item shown is in item_groups: check that both name items the same way." in found.notes


def test_features_that_tell_nothing_are_told():
    one = sy.evaluate(
        {"u": [1, 2]}, metrics="diversity@2", features=pl.DataFrame({"movieId": [1, 2], "g": [3, 7]})
    )
    assert any(note.key == "one_number" for note in one.notes)
    films = pl.DataFrame({"movieId": range(30), "title": [f"t{n}" for n in range(30)], "genre": ["war"] * 30})
    found = sy.evaluate({"u": [1, 2]}, metrics="diversity@2", features=films)
    assert [note.figures["column"] for note in found.notes if note.key == "texts_of_their_own"] == ["title"]
