"""Serendipity, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import Serendipity

from ..worked import check_lists, check_undefined_lists, list_table

# by interactions a 3, b 2, c and d 1 each: 0, 1, 2 and 2 of four items are more popular
HAD = {"u": ["a", "b"], "v": ["a", "b", "c"], "w": ["a", "d"]}
GENRES = {"a": ["war"], "b": ["love"], "c": ["love"], "d": ["sf"], "none": []}
DISTANCE = {"surprise": "distance"}


def tables(truth, **more):
    return {"truth": truth, "history": HAD, **more}


WORKED = [  # metric, lists, tables, value by hand
    (Serendipity(k=2), {"u": ["a", "c"]}, tables({"u": ["c"]}), (0 + 2 / 4) / 2),
    (Serendipity(k=2), {"u": ["b", "c"]}, tables({"u": ["b", "c"]}), (1 / 4 + 2 / 4) / 2),
    (Serendipity(k=1), {"u": ["b", "c"]}, tables({"u": ["c"]}), 0),
    (Serendipity(k=9), {"u": ["c"]}, tables({"u": ["c", "b"]}), 2 / 4),
    # nobody had z: all four are more popular
    (Serendipity(k=2), {"u": ["z", "a"]}, tables({"u": ["z", "a"]}), (1 + 0) / 2),
    # among a catalogue of five, one of which nobody had: 2 of 5
    (Serendipity(k=1), {"u": ["c"]}, tables({"u": ["c"]}, catalog=["a", "b", "c", "d", "z"]), 2 / 5),
    # an item outside the catalogue counts nowhere, not among the more popular either
    (Serendipity(k=2), {"u": ["a", "c"]}, tables({"u": ["c"]}, catalog=["b", "c"]), 1 / 2),
    # grades
    (Serendipity(k=2), {"u": ["c", "d"]}, tables({"u": {"c": 1, "d": 2}}), (2 / 4 + 2 / 4) / 2),
    (Serendipity(k=2, rel=2), {"u": ["c", "d"]}, tables({"u": {"c": 1, "d": 2}}), (0 + 2 / 4) / 2),
    # no truth for v; nothing shown for w
    (Serendipity(k=1), {"u": ["c"], "v": ["d"]}, tables({"u": ["c"]}), 2 / 4),
    (Serendipity(k=1), {"u": ["c"]}, tables({"u": ["c"], "w": ["d"]}), 2 / 4),
    (Serendipity(k=1), {"v": ["d"]}, tables({"u": ["c"]}), nan),
    # by distance: u had war and love, c is love and d neither
    (
        Serendipity(k=2, **DISTANCE),
        {"u": ["c", "d"]},
        tables({"u": ["c", "d"]}, features=GENRES),
        ((1 + 0) / 2 + 1) / 2,
    ),
    (Serendipity(k=2, **DISTANCE), {"u": ["c", "d"]}, tables({"u": ["c"]}, features=GENRES), (1 / 2 + 0) / 2),
    (
        Serendipity(k=2, featureless="drop", **DISTANCE),
        {"u": ["none", "d"]},
        tables({"u": ["d", "none"]}, features=GENRES),
        1,
    ),
    (Serendipity(k=2, **DISTANCE), {"new": ["c"]}, tables({"new": ["c"]}, features=GENRES), nan),
]


@list_table(WORKED)
def test_worked(metric, recs, tables, value):
    check_lists(metric, recs, value, **tables)


def test_undefined():
    check_undefined_lists(
        Serendipity(k=2, **DISTANCE), {"new": ["c"]}, **tables({"new": ["c"]}, features=GENRES)
    )


@pytest.mark.parametrize(
    ("metric", "given", "message"),
    [
        ("serendipity@1", {"history": HAD}, "serendipity@1 needs truth, which was not given"),
        ("serendipity@1", {"truth": {"u": ["a"]}}, "serendipity@1 needs history, which was not given"),
        ("serendipity(surprise=distance)@1", tables({"u": ["a"]}), "needs features, which was not given"),
    ],
)
def test_refused(metric, given, message):
    with pytest.raises(sy.SteelyardError, match=message):
        sy.metric(metric).of({"u": ["a"]}, **given)


def test_its_steps():
    made = sy.explain("serendipity@3", {"u": ["a", "c", "x"]}, {"u": {"a": 1, "c": 2}}, history=HAD)
    (shown,) = made.steps
    assert shown.column("items more popular").cells == (0, 2, 4)
    assert shown.column("surprise").cells == (0, 1 / 2, 1)
    assert shown.column("contribution").cells == (0, 1 / 2, 0)
    assert "serendipity = 0.5000 / 3 = 0.1667" in made.to_text()
    assert "更流行的物品" in made.to_text("zh")
    # only what there are grades for, and no distance without features
    assert {other.text: other.value for other in made.others} == {"rel=2": pytest.approx(1 / 6)}


def test_a_user_without_truth_is_told():
    made = sy.explain("serendipity@1", {"v": ["a"]}, {"u": ["a"]}, history=HAD, query="v")
    assert [note.key for note in made.notes] == ["popular_of", "undefined"]
    absent = sy.explain("serendipity@1", {"v": ["a"]}, {"u": ["a"]}, history=HAD, query="u")
    assert [note.key for note in absent.notes] == ["popular_of", "undefined"]


def test_what_it_declares():
    assert Serendipity.direction == "higher"
    assert str(sy.metric("惊喜度@5")) == "serendipity@5"
