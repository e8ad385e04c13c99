from __future__ import annotations

import math
from math import log, log2

import pytest

import steelyard as sy
from steelyard.metrics import Entropy

from .. import all_lists

LISTS = [["a", "b"], ["a", "c"]]  # exposures 2 1 1
SECOND = 1 / log2(3)
FIRST, OTHER = 2 / (2 + 2 * SECOND), SECOND / (2 + 2 * SECOND)  # shares where places are discounted

WORKED = [  # metric, lists, tables, value by hand
    (Entropy(k=2), LISTS, {}, -(1 / 2 * log(1 / 2) + 2 * 1 / 4 * log(1 / 4))),
    (Entropy(k=2, base="2"), LISTS, {}, 1 / 2 * 1 + 2 * 1 / 4 * 2),
    (Entropy(k=2, exposure="discounted"), LISTS, {}, -(FIRST * log(FIRST) + 2 * OTHER * log(OTHER))),
    (Entropy(k=2, normalise=True), LISTS, {"catalog": list("abcdefgh")}, 1.5 * log(2) / log(8)),
    (Entropy(k=2, normalise=True, base="2"), LISTS, {"catalog": list("abcdefgh")}, 1.5 / 3),
    (Entropy(k=1), LISTS, {}, 0.0),  # a takes all
    (Entropy(k=2), [["a", "b"], ["c", "d"]], {}, log(4)),  # even
    (Entropy(k=2, normalise=True), [["a", "b"], ["c", "d"]], {"catalog": list("abcd")}, 1.0),
    (Entropy(k=9), LISTS, {}, 1.5 * log(2)),  # lists are shorter
    (Entropy(k=2), [["a", "b"]], {}, log(2)),  # one user
    (
        Entropy(k=2),
        LISTS,
        {"catalog": ["a", "b"]},
        -(2 / 3 * log(2 / 3) + 1 / 3 * log(1 / 3)),
    ),  # c is outside
    (Entropy(k=2, normalise=True), LISTS, {"catalog": list("abccd")}, 1.5 * log(2) / log(4)),  # doubled ids
    (Entropy(k=2, normalise=True), [["a"]], {"catalog": ["a"]}, math.nan),  # of one item none is even
]


@all_lists.table(WORKED)
def test_worked(metric, lists, tables, value):
    all_lists.check(metric, lists, tables, value)


def test_undefined():
    all_lists.check_undefined(Entropy(k=2), [["x", "y"]], {"catalog": ["a"]}, "nothing is shown")


def test_the_steps_add_up_shares():
    made = all_lists.evaluated(Entropy(k=2), LISTS, {}).explain(Entropy(k=2))
    (steps,) = made.steps
    assert steps.column("item").cells == ("a", "b", "c")
    assert steps.column("share_of_exposure").cells == (0.5, 0.25, 0.25)
    assert steps.column("p_log_p").cells == all_lists.right((log(2) / 2, log(4) / 4, log(4) / 4))
    assert "entropy = sum of -p × ln(p)" in str(made)
    assert "曝光熵" in made.to_text("zh")
    assert {other.text: other.value for other in made.others}["base=2"] == 1.5


def test_other_choices_are_those_that_what_is_known_allows():
    for tables in ({}, {"catalog": list("abcd")}):
        made = all_lists.evaluated(Entropy(k=2), LISTS, tables).explain(Entropy(k=2))
        assert ("normalise=true" in [other.text for other in made.others]) == bool(tables)


def test_normalise_needs_a_catalogue():
    with pytest.raises(sy.SteelyardError, match="needs catalog"):
        Entropy(k=2, normalise=True).of(LISTS)


def test_a_weight_of_2_is_the_user_twice():
    weighted = all_lists.evaluated("entropy@2", {"u": ["a", "b"], "v": ["a"]}, {}, weights={"u": 2, "v": 1})
    by_hand = -(3 / 5 * log(3 / 5) + 2 / 5 * log(2 / 5))
    assert weighted["entropy@2"] == pytest.approx(by_hand, rel=1e-14)
    all_lists.check_steps(weighted, "entropy@2")


def test_slices():
    by = {0: "old", 1: "new"}
    result = all_lists.evaluated("entropy@2", [["a", "b"], ["a"]], {}, by=by)
    assert result["entropy@2", {"slice": "old"}] == log(2)
    assert result["entropy@2", {"slice": "new"}] == 0
