"""Unexpectedness, by hand."""

from __future__ import annotations

from math import nan, sqrt

import polars as pl
import pytest

import steelyard as sy
from steelyard import Unexpectedness

from ...tables import each_row
from ..worked import check_lists, check_undefined_lists, list_table

# by interactions a 3, b 2, then c and d with 1 each, of which d has the larger id
HAD = {"u": ["a"], "v": ["a", "b", "c"], "w": ["a", "b", "d"]}
GENRES = {"a": ["war"], "b": ["war"], "c": ["love"], "d": ["love", "war"], "none": []}
ANGLE = 1 - 1 / sqrt(2)
AGAINST = {"against": "history"}

BY_HISTORY = {"history": HAD}
BY_FEATURES = {"history": HAD, "features": GENRES}
WORKED = [  # metric, lists, tables, value by hand
    # u had a: usual are b and d
    (Unexpectedness(k=2), {"u": ["b", "x"]}, BY_HISTORY, 1 / 2),
    (Unexpectedness(k=2), {"u": ["b", "c"]}, BY_HISTORY, 1 / 2),
    (Unexpectedness(k=2), {"u": ["b", "d"]}, BY_HISTORY, 0),
    (Unexpectedness(k=3), {"u": ["b", "d", "c"]}, BY_HISTORY, 0),
    # what a user had is not usual, however popular
    (Unexpectedness(k=2), {"u": ["a", "b"]}, BY_HISTORY, 1 / 2),
    # v had a, b and c: d alone is left; one who had nothing is shown a and b
    (Unexpectedness(k=2), {"v": ["d", "x"]}, BY_HISTORY, 1 / 2),
    (Unexpectedness(k=2), {"new": ["a", "b"]}, BY_HISTORY, 0),
    (Unexpectedness(k=2), {"new": ["c", "d"], "u": ["b"]}, BY_HISTORY, (1 + 0) / 2),
    (Unexpectedness(k=None), {"u": ["b", "c", "d", "x"]}, BY_HISTORY, 1 / 4),
    # lists that are given: only their first k, in their order
    (Unexpectedness(k=2), {"u": ["b", "x"]}, {"baseline_lists": {"u": ["a", "c", "b"]}}, 1),
    (Unexpectedness(k=2), {"u": ["c", "x"]}, {"baseline_lists": {"u": ["a", "c", "b"]}}, 1 / 2),
    (
        Unexpectedness(k=2),
        {"u": ["b", "x"]},
        {"baseline_lists": {"u": {"a": 0.1, "b": 0.9, "c": 0.5}}},
        1 / 2,
    ),
    (Unexpectedness(k=1), {"u": ["a"], "v": ["b"]}, {"baseline_lists": {"v": ["a"]}}, 1),
    (Unexpectedness(k=1), {"u": ["a"]}, {"baseline_lists": {"u": ["a"]}, "history": HAD}, 0),
    # the mean distance to what the user had
    (Unexpectedness(k=2, **AGAINST), {"u": ["b", "c"]}, BY_FEATURES, (0 + 1) / 2),
    (Unexpectedness(k=1, **AGAINST), {"v": ["d"]}, BY_FEATURES, ANGLE),
    (Unexpectedness(k=1, **AGAINST), {"v": ["c"]}, BY_FEATURES, (1 + 1 + 0) / 3),
    (Unexpectedness(k=1, distance="jaccard", **AGAINST), {"u": ["d"]}, BY_FEATURES, 1 / 2),
    (Unexpectedness(k=2, **AGAINST), {"new": ["b"]}, BY_FEATURES, nan),
    (Unexpectedness(k=2, **AGAINST), {"new": ["b"], "u": ["c"]}, BY_FEATURES, 1),
    (Unexpectedness(k=2, featureless="drop", **AGAINST), {"u": ["none", "c"]}, BY_FEATURES, 1),
    # nothing in the history has features
    (Unexpectedness(k=1, **AGAINST), {"u": ["b"]}, {"history": {"u": ["z"]}, "features": GENRES}, nan),
]


@list_table(WORKED)
def test_worked(metric, recs, tables, value):
    check_lists(metric, recs, value, **tables)


def test_undefined():
    check_undefined_lists(Unexpectedness(k=2, **AGAINST), {"new": ["b"]}, **BY_FEATURES)


def test_usual_lists_with_ranks():
    usual = pl.DataFrame({"user": ["u", "u", "u"], "item": ["a", "b", "c"], "rank": [3, 2, 1]})
    assert Unexpectedness(k=1).of({"u": ["c"]}, baseline_lists=usual) == 0
    assert Unexpectedness(k=1).of({"u": ["a"]}, baseline_lists=usual) == 1


@each_row(
    ("metric", "tables", "message"),
    [
        ("unexpectedness@1", {}, "needs baseline_lists or history, and neither was given"),
        ("unexpectedness(against=history)@1", {"history": HAD}, "needs features, which was not given"),
        (
            "unexpectedness@1",
            {"baseline_lists": {"other": ["a"]}},
            "baseline_lists has none of the users of the lists",
        ),
        (
            "unexpectedness(against=history)@2",
            {"history": HAD, "features": {"b": ["war"]}},
            "1 of the 2 items shown has no features in features, first c",
        ),
    ],
)
def test_refused(metric, tables, message):
    with pytest.raises(sy.SteelyardError, match=message):
        sy.metric(metric).of({"u": ["b", "c"]}, **tables)


def test_its_steps():
    made = sy.explain("unexpectedness@2", {"u": ["b", "c"]}, history=HAD)
    shown, usual = made.steps
    assert shown.column("unexpected").cells == (0, 1)
    assert usual.column("item").cells == ("b", "d")
    assert not made.others
    assert "unexpectedness = 1 / 2 = 0.5000" in made.to_text()
    assert "基线列表" in made.to_text("zh")
    given = sy.explain(
        "unexpectedness@2", {"u": ["b", "c"]}, baseline_lists={"u": ["x", "c", "b"], "v": ["b"]}
    )
    assert given.steps[1].column("item").cells == ("x", "c")


def test_its_steps_by_distance():
    made = sy.explain("unexpectedness(against=history)@2", {"u": ["b", "c"]}, **BY_FEATURES)
    assert made.steps[0].column("distance to the history").cells == (0, 1)
    tried = ["distance=jaccard", "distance=hamming", "distance=euclidean", "against=baseline"]
    assert [other.text for other in made.others] == tried
    new = sy.explain("unexpectedness(against=history)@2", {"new": ["b", "c"]}, **BY_FEATURES)
    assert "1 of 1 users has no history." in new.notes
    assert new.notes[-1].key == "undefined"


def test_a_user_without_a_baseline_list_is_told():
    made = sy.explain("unexpectedness@2", {"u": ["b"], "v": ["b"]}, baseline_lists={"v": ["b"]}, query="u")
    assert [note.key for note in made.notes] == ["undefined"]


def test_what_it_declares():
    assert Unexpectedness.direction == "higher"
    assert str(sy.metric("意外性@5")) == "unexpectedness@5"
