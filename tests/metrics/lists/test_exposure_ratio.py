from __future__ import annotations

import math
from math import log2

import pytest

import steelyard as sy
from steelyard.metrics import ExposureRatio

from .. import all_lists

GROUPS = {"a": "x", "b": "y", "c": "y", "e": "z"}
LISTS = [["a", "b"], ["a"]]  # x has 2 of 3 places
TRUTH = {0: {"a": 1, "b": 2, "c": 0}, 1: {"c": 1, "b": 2}}  # x has 1 of 4 relevant items, y 3
SECOND = 1 / log2(3)

WORKED = [  # metric, lists, truth and tables, values by hand
    (ExposureRatio(k=2), LISTS, {}, {"x": 2 / 3 / (1 / 4), "y": 1 / 3 / (3 / 4), "z": math.nan}),
    (ExposureRatio(k=1), LISTS, {}, {"x": 1 / (1 / 4), "y": 0 / (3 / 4), "z": math.nan}),
    (ExposureRatio(k=2, rel=2), LISTS, {}, {"x": math.nan, "y": 1 / 3 / 1, "z": math.nan}),
    (
        ExposureRatio(k=2, exposure="discounted"),
        LISTS,
        {},
        {"x": 2 / (2 + SECOND) / (1 / 4), "y": SECOND / (2 + SECOND) / (3 / 4), "z": math.nan},
    ),
    (ExposureRatio(k=9), LISTS, {}, {"x": 2 / 3 / (1 / 4), "y": 1 / 3 / (3 / 4), "z": math.nan}),
    # neither shown nor relevant items outside the catalogue count: places a a, relevant a c
    (ExposureRatio(k=2), LISTS, {"catalog": ["a", "c"]}, {"x": 2, "y": 0, "z": math.nan}),
    (ExposureRatio(k=2), [["q"]], {}, dict.fromkeys("xyz", math.nan)),
    (ExposureRatio(k=2, undefined="one"), LISTS, {}, {"x": 8 / 3, "y": 4 / 9, "z": 1.0}),
    # an item without a group counts nowhere: places a, relevant a
    (ExposureRatio(k=2), [["a", "q"]], {"truth": {0: ["a", "q"]}}, {"x": 1, "y": math.nan, "z": math.nan}),
]


@all_lists.table(WORKED)
def test_worked(metric, lists, tables, value):
    tables = {"truth": TRUTH, **tables, "item_groups": GROUPS}
    assert metric.of(lists, **tables) == all_lists.right(value)
    result = all_lists.evaluated(metric, lists, tables)
    assert dict(result.table().select("class", "value").rows()) == all_lists.right(value)
    all_lists.check_steps(result, metric)


def test_undefined_as_an_error():
    tables = {"truth": TRUTH, "item_groups": GROUPS}
    with pytest.raises(sy.SteelyardError, match="nothing is shown or a group has no relevant item"):
        ExposureRatio(k=2, undefined="error").of(LISTS, **tables)


def test_the_steps():
    metric, tables = ExposureRatio(k=2), {"truth": TRUTH, "item_groups": GROUPS}
    made = all_lists.evaluated(metric, LISTS, tables).explain(metric)
    (steps,) = made.steps
    assert steps.column("exposure").cells == (2, 1, 0)
    assert steps.column("relevant items").cells == (1, 3, 0)
    assert "exposure_ratio(x) = 2 / 3 / (1 / 4) = 2.6667" in str(made)
    assert "exposure_ratio(z) = undefined" in str(made)
    assert "曝光比" in made.to_text("zh")


def test_what_has_no_group_is_told():
    tables = {"truth": {0: ["a", "q", "r"]}, "item_groups": GROUPS}
    said = all_lists.told(ExposureRatio(k=2), [["a", "q"]], tables)
    assert said["without_group"].startswith("1 of 2 recommendations has")
    assert said["relevant_without_group"].startswith("2 of 3 relevant items of the truth have no group")


def test_one_group_and_other_levels_of_relevance():
    """One group has all of both; explained are the other grades as levels."""
    tables = {"truth": TRUTH, "item_groups": dict.fromkeys("abc", "all")}
    made = all_lists.evaluated("exposure_ratio@2", LISTS, tables).explain("exposure_ratio@2")
    assert made.value == 1
    assert "rel=2" in [other.text for other in made.others]


def test_a_weight_of_2_is_the_user_twice():
    """User 0 twice: places a b a b a, relevant a b a b b c."""
    tables = {"truth": TRUTH, "item_groups": GROUPS}
    result = all_lists.evaluated("exposure_ratio@2", LISTS, tables, weights={0: 2, 1: 1})
    assert result.table()["value"].to_list()[:2] == all_lists.right([3 / 5 / (2 / 6), 2 / 5 / (4 / 6)])
    all_lists.check_steps(result, "exposure_ratio@2")


def test_slices():
    tables = {"truth": TRUTH, "item_groups": GROUPS}
    result = all_lists.evaluated("exposure_ratio@2", LISTS, tables, by={0: "old", 1: "new"})
    rows = {(row["slice"], row["class"]): row["value"] for row in result.table().to_dicts()}
    assert rows["old", "x"] == 1 / 2 / (1 / 2)
    assert rows["new", "y"] == 0 / 1
    assert math.isnan(rows["new", "x"])
