"""Repetition, by hand."""

from __future__ import annotations

import steelyard as sy
from steelyard import Repetition

from ..worked import check_lists, check_undefined_lists, list_table

HAD = {"u": {"a": 7, "b": 1}, "v": {"c": 1}, "w": {"a": 1}}

WORKED = [  # metric, lists, history, value by hand
    (Repetition(k=3), {"u": ["a", "x", "b"]}, HAD, 2 / 3),
    (Repetition(k=2), {"u": ["a", "x", "b"]}, HAD, 1 / 2),
    (Repetition(k=9), {"u": ["a"]}, HAD, 1),
    (Repetition(k=None), {"u": ["x", "y", "a", "z"]}, HAD, 1 / 4),
    # what others had does not count
    (Repetition(k=2), {"u": ["a", "c"], "v": ["a", "b"]}, HAD, (1 / 2 + 0) / 2),
    # nothing was had before
    (Repetition(k=2), {"new": ["a", "b"]}, HAD, 0),
]


@list_table(WORKED)
def test_worked(metric, recs, tables, value):
    check_lists(metric, recs, value, history=tables)


def test_undefined():
    """Nothing but items outside the catalogue."""
    check_undefined_lists(Repetition(k=2), {"u": ["a"]}, history=HAD, catalog=["b"])


def test_items_outside_the_catalogue_count_nowhere():
    check_lists(Repetition(k=3), {"u": ["a", "x", "b"]}, 1 / 2, history=HAD, catalog=["a", "x"])


def test_nothing_that_was_excluded_is_repeated():
    """The users of what is excluded may be others than those of the lists."""
    recs = {"u": ["a", "x", "b"]}
    result = sy.evaluate(recs, metrics="repetition@3", history=HAD, exclude=HAD)
    assert result["repetition@3"] == 0
    assert result.per_query()["query"].to_list() == ["u"]


def test_its_steps():
    made = sy.explain("repetition@3", {"u": ["a", "x", "b"]}, history=HAD)
    assert made.steps[0].column("had before").cells == (1, 0, 1)
    assert "repetition = 2 / 3 = 0.6667" in made.to_text()
    assert "以前接触过" in made.to_text("zh")
    assert [note.key for note in made.notes] == ["unseen_items"]
    new = sy.explain("repetition@3", {"new": ["a", "x", "b"]}, history=HAD)
    assert "1 of 1 users has no history." in new.notes


def test_what_it_declares():
    assert Repetition.direction == "lower"
    assert str(sy.metric("重复率@5")) == "repetition@5"
