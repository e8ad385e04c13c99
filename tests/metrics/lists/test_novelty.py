"""Novelty, by hand."""

from __future__ import annotations

from math import log2, nan

import polars as pl
import pytest

import steelyard as sy
from steelyard import Novelty

from ..worked import check_lists, check_undefined_lists, list_table

# of four users all had a, two b, one c; w had b five times
HAD = {"u": {"a": 1, "b": 1}, "v": {"a": 1, "c": 1}, "w": {"a": 1, "b": 5}, "x": {"a": 1}}

WORKED = [  # metric, lists, history, value by hand
    (Novelty(k=3), {"u": ["a", "b", "c"]}, HAD, (0 + 1 + 2) / 3),
    (Novelty(k=2), {"u": ["a", "b", "c"]}, HAD, (0 + 1) / 2),
    (Novelty(k=9), {"u": ["b"]}, HAD, 1),
    (Novelty(k=None), {"u": ["b", "c"]}, HAD, (1 + 2) / 2),
    # a value for each user, whether or not they have a history
    (Novelty(k=2), {"u": ["a", "b"], "new": ["c"]}, HAD, (1 / 2 + 2) / 2),
    # nobody had z
    (Novelty(k=2), {"u": ["a", "z"]}, HAD, (0 + 2) / 2),
    (Novelty(k=2, unseen="drop"), {"u": ["b", "z"]}, HAD, 1),
    (Novelty(k=2, unseen="drop"), {"u": ["z"]}, HAD, nan),
    (Novelty(k=2, unseen="drop"), {"u": ["z"], "v": ["b"]}, HAD, 1),
    (Novelty(k=2, unseen="error"), {"u": ["b"]}, HAD, 1),
    # divided by log2 of four users
    (Novelty(k=3, normalise=True), {"u": ["a", "b", "c"]}, HAD, 1 / log2(4)),
    (Novelty(k=1, normalise=True), {"u": ["z"]}, HAD, 1),
    (Novelty(k=1), {"u": ["a"]}, {"u": ["a"]}, 0),
    (Novelty(k=1, normalise=True), {"u": ["a"]}, {"u": ["a"]}, nan),
]


@list_table(WORKED)
def test_worked(metric, recs, tables, value):
    check_lists(metric, recs, value, history=tables)


def test_undefined():
    check_undefined_lists(Novelty(k=2, unseen="drop"), {"u": ["z"]}, history=HAD)


def test_an_empty_list_is_left_out():
    result = sy.evaluate({"u": ["b"]}, {"u": ["b"], "absent": ["a"]}, "novelty@2", history=HAD)
    assert result.table().select("value", "n", "undefined").row(0) == (1, 1, 1)


def test_unseen_items_may_be_refused():
    with pytest.raises(
        sy.SteelyardError, match="2 of the 3 items shown are not in history, first y"
    ) as caught:
        Novelty(k=3, unseen="error").of({"u": ["a", "y", "z"]}, history=HAD)
    assert "unseen=one_user" in caught.value.remedy


@pytest.mark.parametrize("history", [{}, {"user": [], "item": []}, pl.DataFrame({"user": [], "item": []})])
def test_an_empty_history_is_refused(history):
    with pytest.raises(sy.SteelyardError, match="history (is empty|has no rows)"):
        Novelty(k=1).of({"u": ["a"]}, history=history)


def test_its_steps():
    made = sy.explain("novelty@3", {"u": ["a", "c", "z"]}, history=HAD)
    assert made.steps[0].column("users who had it").cells == (4, 1, 0)
    assert made.steps[0].column("bits").cells == (0, 2, 2)
    assert [note.key for note in made.notes] == ["history_users", "unseen_items"]
    assert "novelty = 4 / 3 = 1.3333" in made.to_text()
    assert "接触过的用户" in made.to_text("zh")


def test_what_is_left_out_is_told():
    made = sy.explain("novelty(unseen=drop)@3", {"u": ["a", "c", "z"]}, history=HAD)
    assert [note.key for note in made.notes] == ["history_users", "unseen_items"]
    assert made.value == made.recomputed() == 1
    lonely = sy.explain("novelty(normalise=true)@1", {"u": ["a"]}, history={"u": ["a"]})
    assert [note.key for note in lonely.notes] == ["history_users", "undefined"]
    plain = sy.explain("novelty@1", {"u": ["a"]}, history={"u": ["a"]})
    assert [note.key for note in plain.notes] == ["history_users"]  # log2 of one user divides nothing


def test_a_choice_is_tried_where_it_makes_a_difference():
    seen = sy.explain("novelty@2", {"u": ["a", "b"]}, history=HAD)
    assert {other.text: other.value for other in seen.others} == {"normalise=true": 1 / 4}
    unseen = sy.explain("novelty@2", {"u": ["b", "z"]}, history=HAD)
    assert {other.text: other.value for other in unseen.others} == {"unseen=drop": 1, "normalise=true": 3 / 4}


def test_what_it_declares():
    assert Novelty.direction == "higher"
    assert str(sy.metric("新颖性@5")) == "novelty@5"
