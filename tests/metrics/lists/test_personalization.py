from __future__ import annotations

from math import sqrt

import pytest

from steelyard.metrics import Personalization

from .. import all_lists

THREE = [["a", "b"], ["a", "c"], ["d", "e"]]

WORKED = [  # metric, lists, tables, value by hand
    (Personalization(k=2), THREE, {}, 1 - (1 / 2 + 0 + 0) / 3),
    (Personalization(k=1), THREE, {}, 1 - (1 + 0 + 0) / 3),
    (Personalization(k=2), [["a", "b"], ["a"], ["b"]], {}, 1 - (1 / sqrt(2) + 1 / sqrt(2) + 0) / 3),
    (Personalization(k=9), THREE, {}, 1 - (1 / 2 + 0 + 0) / 3),  # lists are shorter
    (Personalization(k=3), [["a", "b", "c"]] * 7, {}, 0.0),  # one list for all
    (Personalization(k=3), [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]], {}, 1.0),
    (Personalization(k=2), [["a", "b"], ["b", "a"]], {}, 0.0),  # places do not count
    # of the items of the catalogue the first list shows a, the second a and c, the third none
    (Personalization(k=2), [["a", "x"], ["a", "c"], ["y"]], {"catalog": ["a", "c"]}, 1 - 1 / sqrt(1 * 2)),
    (Personalization(k=2), {"u": ["a"], "v": ["a"]}, {"truth": {"w": ["a"]}}, 0.0),  # w has no list
]


@all_lists.table(WORKED)
def test_worked(metric, lists, tables, value):
    all_lists.check(metric, lists, tables, value)


@pytest.mark.parametrize(
    "lists", [[["a", "b"]], [["a"], ["x"]]], ids=["one user", "one of them shows nothing"]
)
def test_undefined(lists):
    metric = Personalization(k=2)
    all_lists.check_undefined(metric, lists, {"catalog": ["a", "b"]}, "fewer than two users have a list")


def test_the_steps_add_up_the_weights_of_items():
    """a weighs 1/√2 in two lists: (√2)² = 2; the others 1/2 each: 2 + 4 · 1/2 - 3 users = 1."""
    made = all_lists.evaluated(Personalization(k=2), THREE, {}).explain(Personalization(k=2))
    (steps,) = made.steps
    assert steps.column("item").cells == tuple("abcde")
    assert steps.column("item_weight").cells == all_lists.right((2 / sqrt(2), *[1 / sqrt(2)] * 4))
    assert steps.column("squares").cells == all_lists.right((2.0, 0.5, 0.5, 0.5, 0.5))
    assert "shared by pairs = 4.0000 - 3 = 1.0000" in str(made)
    assert "personalization = 1 - shared by pairs / (users^2 - users)" in str(made)
    assert "成对共有" in made.to_text("zh")


def test_users_without_a_list_are_told():
    said = all_lists.told(Personalization(k=2), {"u": ["a"], "v": ["a"]}, {"truth": {"w": ["a"]}})
    assert said["without_list"] == "users without a list, who are in no pair: 1."


def test_a_pair_weighs_the_product_of_its_weights():
    """Pairs weigh 2·1, 2·3 and 1·3; the first shares half, the second nothing, the third nothing."""
    lists = dict(zip("uvw", THREE, strict=True))
    result = all_lists.evaluated("personalization@2", lists, {}, weights={"u": 2, "v": 1, "w": 3})
    assert result["personalization@2"] == pytest.approx(1 - 2 * 1 * 1 / 2 / (2 + 6 + 3), rel=1e-14)
    all_lists.check_steps(result, "personalization@2")
    gone = all_lists.evaluated("personalization@2", lists, {}, weights={"u": 2, "v": 1, "w": 0})
    assert gone["personalization@2"] == pytest.approx(1 - 1 / 2, rel=1e-14)


def test_a_slice_has_pairs_of_its_own():
    lists = dict(zip("uvw", THREE, strict=True))
    by = {"u": "old", "v": "old", "w": "new"}
    result = all_lists.evaluated("personalization@2", lists, {}, by=by)
    assert result["personalization@2", {"slice": "old"}] == pytest.approx(1 - 1 / 2, rel=1e-14)
    rows = {row["slice"]: row for row in result.table().to_dicts()}
    assert (rows["new"]["n"], rows["new"]["undefined"]) == (0, 1)
