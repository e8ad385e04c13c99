"""Popularity, by hand."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard import Popularity

from ..worked import check_lists, check_undefined_lists, list_table

HAD = {"u": ["a", "b"], "v": ["a"], "w": ["a"]}  # three a, one b
COUNTS = {"u": {"a": 2, "b": 0.5}, "v": {"a": 9}}  # 11 and 0.5 of 11.5

WORKED = [  # metric, lists, history, value by hand
    (Popularity(k=2), {"u": ["a", "b"]}, HAD, (3 + 1) / 2),
    (Popularity(k=1), {"u": ["a", "b"]}, HAD, 3),
    (Popularity(k=9), {"u": ["b"]}, HAD, 1),
    (Popularity(k=None), {"u": ["a", "b", "z"]}, HAD, (3 + 1 + 0) / 3),
    (Popularity(k=2), {"u": ["a", "b"], "new": ["b"]}, HAD, (2 + 1) / 2),
    (Popularity(k=2), {"u": ["a", "b"]}, COUNTS, (11 + 0.5) / 2),
    (Popularity(k=2, scale="share"), {"u": ["a", "z"]}, HAD, (3 / 4 + 0) / 2),
    (Popularity(k=2, scale="share"), {"u": ["a", "b"]}, COUNTS, 1 / 2),
    (Popularity(k=2), {"u": ["z"]}, HAD, 0),
]


@list_table(WORKED)
def test_worked(metric, recs, tables, value):
    check_lists(metric, recs, value, history=tables)


def test_undefined():
    """Nothing but items outside the catalogue."""
    check_undefined_lists(Popularity(k=2), {"u": ["a"]}, history=HAD, catalog=["b"])


def test_a_history_of_no_interactions_is_none():
    with pytest.raises(sy.SteelyardError, match="history is empty"):
        Popularity(k=1, scale="share").of({"u": ["a"]}, history={"u": {"a": 0}})


def test_its_steps():
    made = sy.explain("popularity(scale=share)@3", {"u": ["a", "b", "z"]}, history=HAD)
    assert made.steps[0].column("interactions").cells == (3, 1, 0)
    assert made.steps[0].columns[-1].cells == (3 / 4, 1 / 4, 0)
    assert {other.text: other.value for other in made.others} == {"scale=count": pytest.approx(4 / 3)}
    assert "popularity = 1 / 3 = 0.3333" in made.to_text()
    assert "交互次数" in made.to_text("zh")


def test_what_it_declares():
    assert Popularity.direction == "none"
    assert str(sy.metric("平均流行度@5")) == "popularity@5"
