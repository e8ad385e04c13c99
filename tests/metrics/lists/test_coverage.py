from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.metrics import Coverage

from .. import all_lists

FILMS = {"catalog": ["a", "b", "c", "d"]}
LISTS = [["a", "b", "d"], ["a", "c"]]

WORKED = [  # metric, lists, tables, value by hand
    (Coverage(k=1), LISTS, FILMS, 1 / 4),  # a alone
    (Coverage(k=2), LISTS, FILMS, 3 / 4),  # a, b and c
    (Coverage(k=3), LISTS, FILMS, 4 / 4),
    (Coverage(k=9), LISTS, FILMS, 4 / 4),  # lists are shorter
    (Coverage(k=None), LISTS, FILMS, 4 / 4),
    (Coverage(k=2), [["a", "b"]], FILMS, 2 / 4),  # one user
    (Coverage(k=2), [["x", "a"], ["y", "b"]], FILMS, 2 / 4),  # two items are outside
    (Coverage(k=1), [["x", "a"], ["y", "b"]], FILMS, 0 / 4),  # and are cut after the first k are taken
    (Coverage(k=2), [["x", "y"]], FILMS, 0 / 4),
    (Coverage(k=2), LISTS, {"catalog": ["a", "a", "b", "e", "e"]}, 2 / 3),  # a doubled id is one item
    (Coverage(k=2), {"u": [1, 2], "v": [1, 3]}, {"catalog": range(1, 7)}, 3 / 6),
]


@all_lists.table(WORKED)
def test_worked(metric, lists, tables, value):
    all_lists.check(metric, lists, tables, value)


def test_the_steps_add_up_the_items():
    made = all_lists.evaluated(Coverage(k=2), LISTS, FILMS).explain(Coverage(k=2))
    (steps,) = made.steps
    assert steps.column("item").cells == ("a", "b", "c")
    assert steps.column("exposure").cells == (2, 1, 1)
    assert "coverage = 3 / 4 = 0.7500" in str(made)
    assert "coverage = different items shown / items of the catalogue" in str(made)
    assert "目录中的物品数" in made.to_text("zh")


def test_items_outside_are_told():
    said = all_lists.told(Coverage(k=2), [["x", "a"], ["y", "b"]], FILMS)
    assert said["outside_catalog"].startswith("2 of 4 recommendations")
    assert not all_lists.told(Coverage(k=2), LISTS, FILMS)


def test_a_user_of_weight_0_shows_nothing():
    """v alone shows c; how much others weigh changes nothing."""
    lists = {"u": ["a", "b"], "v": ["a", "c"]}
    for weights, value in (({"u": 3, "v": 0}, 2 / 4), ({"u": 5, "v": 1e-9}, 3 / 4)):
        result = all_lists.evaluated(Coverage(k=2), lists, FILMS, weights=weights)
        assert result["coverage@2"] == value
        all_lists.check_steps(result, "coverage@2")


def test_a_slice_covers_the_whole_catalogue_or_not():
    lists = {"u": ["a", "b"], "v": ["a", "c"], "w": ["x"]}
    by = {"u": "old", "v": "old", "w": "new"}
    result = all_lists.evaluated("coverage@2", lists, FILMS, by=by)
    assert result["coverage@2", {"slice": "old"}] == 3 / 4
    assert result["coverage@2", {"slice": "new"}] == 0 / 4
    assert result.table()["n"].to_list() == [4, 4, 4]
    assert result.table()["of"].to_list() == ["items"] * 3


def test_what_it_needs():
    with pytest.raises(sy.SteelyardError, match="coverage@2 needs catalog") as caught:
        Coverage(k=2).of(LISTS)
    assert "--catalog" in caught.value.remedy
    with pytest.raises(sy.SteelyardError, match="catalog has no rows"):
        Coverage(k=2).of(LISTS, catalog=[])
    with pytest.raises(sy.SteelyardError, match="'coverage' needs a cutoff"):
        sy.metric("coverage")
