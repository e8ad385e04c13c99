from __future__ import annotations

import math

from steelyard.metrics import UserCoverage

from .. import all_lists

TRUTH = {"truth": {"u": ["b"], "x": ["a"], "y": ["a"]}}

WORKED = [  # metric, lists, tables, value by hand
    (UserCoverage(k=5), {"u": ["a"], "v": ["b", "a"]}, {}, 2 / 2),
    (UserCoverage(k=5), {"u": ["a"], "v": ["b", "a"]}, TRUTH, 2 / 4),  # x and y get nothing
    (UserCoverage(k=1), {"u": ["z", "a"], "v": ["b"]}, {"catalog": ["a", "b"]}, 1 / 2),  # z is no item
    (UserCoverage(k=2), {"u": ["z", "a"], "v": ["b"]}, {"catalog": ["a", "b"]}, 2 / 2),
    (UserCoverage(k=2), {"u": ["z"]}, {"catalog": ["a", "b"]}, 0 / 1),  # one user
    (UserCoverage(k=None), {"u": ["a"], "v": ["b", "a"]}, TRUTH, 2 / 4),
    (UserCoverage(k=5), [["a"], ["b"]], {"truth": {0: ["a"], 7: ["a"]}}, 2 / 3),
]


@all_lists.table(WORKED)
def test_worked(metric, lists, tables, value):
    all_lists.check(metric, lists, tables, value)


def test_the_steps_count_users_by_their_items():
    lists = {"u": ["a"], "v": ["b", "a"], "w": ["c", "a"]}
    made = all_lists.evaluated(UserCoverage(k=5), lists, TRUTH).explain(UserCoverage(k=5))
    (steps,) = made.steps
    assert steps.column("items shown").cells == (0, 1, 2)
    assert steps.column("users").cells == (2, 1, 2)
    assert steps.column("users with an item").cells == (0, 1, 2)
    assert "user_coverage = 3 / 5 = 0.6000" in str(made)
    assert "用户覆盖率" in made.to_text("zh")


def test_weights_count_users():
    """u and v are served, with 3 of 3 + 1 + 0 + 4; the user of weight 0 is none."""
    weights = {"u": 3, "v": 0, "x": 1, "y": 4}
    result = all_lists.evaluated("user_coverage@5", {"u": ["a"], "v": ["b"]}, TRUTH, weights=weights)
    assert result["user_coverage@5"] == 3 / (3 + 0 + 1 + 4)
    assert result.table()["n"].to_list() == [3]
    all_lists.check_steps(result, "user_coverage@5")
    assert "weight_fact" in [fact.key for fact in result.explain("user_coverage@5").facts]


def test_a_slice_has_its_own_users():
    by = {"u": "old", "v": "new", "x": "new", "y": "gone"}
    result = all_lists.evaluated("user_coverage@5", {"u": ["a"], "v": ["b"]}, TRUTH, by=by)
    values = {name: result["user_coverage@5", {"slice": name}] for name in ("old", "new", "gone")}
    assert values == {"old": 1 / 1, "new": 1 / 2, "gone": 0 / 1}
    assert result.table()["of"].to_list() == ["queries"] * 4


def test_many_lengths_are_told_in_ranges():
    lists = {user: list(range(user + 1)) for user in range(60)}
    made = all_lists.evaluated("user_coverage@all", lists, {}).explain("user_coverage@all")
    assert made.recomputed() == 60 / 60
    assert made.steps[0].height < 30
    assert math.fsum(made.steps[0].column("users").cells) == 60
    assert "several lengths in one" in str(made)
