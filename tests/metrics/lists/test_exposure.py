from __future__ import annotations

import math
from math import log2

import pytest

import steelyard as sy
from steelyard.metrics import Exposure

from .. import all_lists

GROUPS = {"a": "x", "b": "y", "c": "y", "e": "z"}
LISTS = [["a", "b"], ["a"], ["c", "a"]]
SECOND = 1 / log2(3)

WORKED = [  # metric, lists, tables, values by hand
    (Exposure(k=2), LISTS, {}, {"x": 3 / 5, "y": 2 / 5, "z": 0 / 5}),
    (Exposure(k=1), LISTS, {}, {"x": 2 / 3, "y": 1 / 3, "z": 0 / 3}),
    (
        Exposure(k=2, exposure="discounted"),
        LISTS,
        {},
        {"x": (2 + SECOND) / (3 + 2 * SECOND), "y": (1 + SECOND) / (3 + 2 * SECOND), "z": 0},
    ),
    (Exposure(k=9), LISTS, {}, {"x": 3 / 5, "y": 2 / 5, "z": 0 / 5}),  # lists are shorter
    (Exposure(k=2), [["a", "b"]], {}, {"x": 1 / 2, "y": 1 / 2, "z": 0 / 2}),  # one user
    (Exposure(k=2), [["a", "q"], ["b", "a"]], {}, {"x": 2 / 3, "y": 1 / 3, "z": 0 / 3}),  # q has no group
    (Exposure(k=2), LISTS, {"catalog": ["b", "c"]}, {"x": 0 / 2, "y": 2 / 2, "z": 0 / 2}),  # a is outside
    (Exposure(k=2), [["q"]], {}, dict.fromkeys("xyz", math.nan)),
    (Exposure(k=2, undefined="zero"), [["q"]], {}, dict.fromkeys("xyz", 0.0)),
]


@all_lists.table(WORKED)
def test_worked(metric, lists, tables, value):
    tables = {**tables, "item_groups": GROUPS}
    assert metric.of(lists, **tables) == all_lists.right(value)
    result = all_lists.evaluated(metric, lists, tables)
    rows = result.table().select("class", "value").rows()
    assert dict(rows) == all_lists.right(value)
    all_lists.check_steps(result, metric)


def test_undefined_as_an_error():
    with pytest.raises(sy.SteelyardError, match="is undefined: nothing is shown"):
        Exposure(k=2, undefined="error").of([["q"]], item_groups=GROUPS)


def test_one_line_per_group():
    metric, tables = Exposure(k=2), {"item_groups": GROUPS}
    made = all_lists.evaluated(metric, LISTS, tables).explain(metric)
    assert made.recomputed_values() == all_lists.right((3 / 5, 2 / 5, 0 / 5))
    assert "exposure(x) = 3 / 5 = 0.6000" in str(made)
    assert "曝光占比" in made.to_text("zh")


def test_of_many_groups_a_reader_sees_those_with_the_most():
    """Item n is shown to n users; its group is its own."""
    lists = {user: list(range(user, 40)) for user in range(40)}
    tables = {"item_groups": {item: f"g{item:02d}" for item in range(40)}}
    made = all_lists.evaluated("exposure@all", lists, tables).explain("exposure@all")
    assert len(made.recomputed_values()) == 40
    assert math.fsum(made.recomputed_values()) == pytest.approx(1, rel=1e-14)
    assert made.recomputed_values()[39] == pytest.approx(40 / (40 * 41 / 2), rel=1e-14)
    assert "g39" in str(made)
    assert "g05" not in str(made)
    assert "… not shown: 25" in str(made)


def test_items_without_a_group_are_told():
    said = all_lists.told(Exposure(k=2), [["a", "q"], ["b", "a"]], {"item_groups": GROUPS})
    assert said["without_group"].startswith("1 of 4 recommendations has no group in item_groups")


def test_a_weight_of_2_is_the_user_twice():
    lists, tables = {"u": ["a", "b"], "v": ["a"]}, {"item_groups": GROUPS}
    result = all_lists.evaluated("exposure@2", lists, tables, weights={"u": 2, "v": 1})
    assert result.table()["value"].to_list() == all_lists.right([3 / 5, 2 / 5, 0 / 5])
    all_lists.check_steps(result, "exposure@2")


def test_slices():
    tables, by = {"item_groups": GROUPS}, {0: "old", 1: "old", 2: "new"}
    result = all_lists.evaluated("exposure@2", LISTS, tables, by=by)
    rows = {(row["slice"], row["class"]): row["value"] for row in result.table().to_dicts()}
    assert rows["old", "x"] == pytest.approx(2 / 3, rel=1e-14)
    assert rows["new", "x"] == 1 / 2
    assert rows["(all)", "x"] == pytest.approx(3 / 5, rel=1e-14)


def test_what_it_needs():
    with pytest.raises(sy.SteelyardError, match="exposure@2 needs item_groups") as caught:
        Exposure(k=2).of(LISTS)
    assert "--item-groups" in caught.value.remedy
