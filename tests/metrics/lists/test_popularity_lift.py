"""The lift of popularity, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import PopularityLift

from ..worked import check_lists, check_undefined_lists, list_table

HAD = {"u": ["b", "c"], "v": ["a", "b"], "w": ["a"], "x": ["a"]}  # three a, two b, one c
# nine a, one b; u had a three times, which is one item
COUNTS = {"u": {"a": 3, "b": 1}, "v": {"a": 6}}

WORKED = [  # metric, lists, history, value by hand
    (PopularityLift(k=2), {"u": ["a", "b"]}, HAD, ((3 + 2) / 2) / ((2 + 1) / 2) - 1),
    (PopularityLift(k=1), {"u": ["a", "b"]}, HAD, 3 / 1.5 - 1),
    (PopularityLift(k=9), {"u": ["b", "c"]}, HAD, 0),
    (PopularityLift(k=2), {"u": ["z"]}, HAD, -1),
    (PopularityLift(k=2), {"u": ["b"], "w": ["b"]}, HAD, ((2 / 1.5 - 1) + (2 / 3 - 1)) / 2),
    (PopularityLift(k=1), {"u": ["a"]}, COUNTS, 9 / ((9 + 1) / 2) - 1),
    # no history; one that nobody interacted with
    (PopularityLift(k=2), {"new": ["a"]}, HAD, nan),
    (PopularityLift(k=2), {"new": ["a"], "u": ["b", "c"]}, HAD, 0),
    (PopularityLift(k=1), {"u": ["a"]}, {"u": {"b": 0}, "v": {"a": 1}}, nan),
]


@list_table(WORKED)
def test_worked(metric, recs, tables, value):
    check_lists(metric, recs, value, history=tables)


def test_undefined():
    check_undefined_lists(PopularityLift(k=2), {"new": ["a"]}, history=HAD)


def test_its_steps():
    made = sy.explain("popularity_lift@2", {"u": ["a", "b"]}, history=HAD)
    shown, had = made.steps
    assert shown.column("interactions").cells == (3, 2)
    assert dict(zip(had.column("item").cells, had.column("interactions").cells, strict=True)) == {
        "b": 2,
        "c": 1,
    }
    assert "popularity_lift = 2.5000 / 1.5000 - 1 = 0.6667" in made.to_text()
    assert "历史的流行度 = 3 / 2" in made.to_text("zh")


def test_a_user_without_history_is_told():
    made = sy.explain("popularity_lift@2", {"new": ["a", "b"]}, history=HAD)
    assert made.notes[-1] == "the list is empty or the user has no history, so that the value is undefined."


def test_what_it_declares():
    assert PopularityLift.direction == "none"
    assert PopularityLift.bounds[0] == -1
    assert str(sy.metric("流行度提升@5")) == "popularity_lift@5"
    assert pytest.approx(0) == PopularityLift(k=2).of({"v": ["a", "b"]}, history=HAD)
