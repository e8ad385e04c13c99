from __future__ import annotations

from math import log2

import pytest

from steelyard.metrics import Gini

from .. import all_lists

FILMS = {"catalog": ["a", "b", "c", "d"]}
LISTS = [["a", "b"], ["a"]]  # exposures 0 0 1 2
SECOND = 1 / log2(3)  # what the second place counts, where it is discounted

WORKED = [  # metric, lists, tables, value by hand: (2j - n - 1) is -3 -1 1 3 for four items
    (Gini(k=2), LISTS, FILMS, (-3 * 0 - 1 * 0 + 1 * 1 + 3 * 2) / (4 * 3)),
    (Gini(k=1), LISTS, FILMS, 3 * 2 / (4 * 2)),  # one item takes all: 1 - 1 / n
    (Gini(k=2, exposure="discounted"), LISTS, FILMS, (1 * SECOND + 3 * 2) / (4 * (2 + SECOND))),
    (Gini(k=2), [["a", "b"], ["c", "d"]], FILMS, 0.0),  # even
    (Gini(k=2, exposure="discounted"), [["a", "b"], ["b", "a"]], {"catalog": ["a", "b"]}, 0.0),
    (Gini(k=9), LISTS, FILMS, (1 * 1 + 3 * 2) / (4 * 3)),  # lists are shorter
    (Gini(k=2), [["a", "b"]], FILMS, (1 * 1 + 3 * 1) / (4 * 2)),  # one user
    (Gini(k=2), [["x", "b"], ["a"]], FILMS, (1 * 1 + 3 * 1) / (4 * 2)),  # x is outside
    (Gini(k=2), LISTS, {"catalog": ["a", "b", "b"]}, (-1 * 1 + 1 * 2) / (2 * 3)),  # doubled ids
    (Gini(k=2), LISTS, {"catalog": ["a"]}, 0.0),  # of one item
]


@all_lists.table(WORKED)
def test_worked(metric, lists, tables, value):
    all_lists.check(metric, lists, tables, value)


def test_undefined():
    all_lists.check_undefined(Gini(k=2), [["x", "y"]], FILMS, "nothing of the catalogue is shown")


def test_the_steps_stand_by_place():
    made = all_lists.evaluated(Gini(k=2), LISTS, FILMS).explain(Gini(k=2))
    (steps,) = made.steps
    assert steps.column("item").cells == ("a", "b")
    assert steps.column("place").cells == (4, 3)
    assert steps.column("factor").cells == (3, 1)
    assert steps.column("weighted_exposure").cells == (6, 1)
    assert "gini = 7 / (4 × 3) = 0.5833" in str(made)
    assert "never_shown" in [note.key for note in made.notes]
    assert "由少到多的排名" in made.to_text("zh")


def test_of_many_items_the_most_and_the_least_shown_are_told_one_by_one():
    """Item n stands in n + 1 lists: of exposures 1 to n the gini is (n - 1) / 3n."""
    lists = {user: list(range(user, 40)) for user in range(40)}
    made = all_lists.evaluated("gini@all", lists, {"catalog": range(40)}).explain("gini@all")
    assert made.value == pytest.approx((40 - 1) / (3 * 40), rel=1e-14)
    assert made.recomputed() == pytest.approx(made.value, rel=1e-14)
    items = made.steps[0].column("item").cells
    assert items[:5] == ("39", "38", "37", "36", "35")
    assert items[-2:] == ("1", "0")
    assert "items between the first and the last" in str(made)


def test_a_weight_of_2_is_the_user_twice():
    lists = {"u": ["a", "b"], "v": ["a"]}
    weighted = all_lists.evaluated("gini@2", lists, FILMS, weights={"u": 2, "v": 1})
    assert weighted["gini@2"] == Gini(k=2).of([["a", "b"], ["a", "b"], ["a"]], **FILMS)
    assert weighted["gini@2"] == pytest.approx((1 * 2 + 3 * 3) / (4 * 5), rel=1e-14)
    all_lists.check_steps(weighted, "gini@2")


def test_slices():
    lists = {"u": ["a", "b"], "v": ["a"], "w": ["x"]}
    by = {"u": "old", "v": "new", "w": "odd"}
    result = all_lists.evaluated("gini@2", lists, FILMS, by=by)
    assert result["gini@2", {"slice": "old"}] == (1 + 3) / (4 * 2)
    assert result["gini@2", {"slice": "new"}] == 3 / 4
    rows = {row["slice"]: row for row in result.table().to_dicts()}
    assert (rows["odd"]["n"], rows["odd"]["undefined"]) == (0, 4)
