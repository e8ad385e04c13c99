"""Miscalibration, by hand."""

from __future__ import annotations

from math import log, nan

import polars as pl
import pytest

import steelyard as sy
from steelyard import Miscalibration

from ..worked import check_lists, check_undefined_lists, list_table

GENRES = {"a": ["war"], "b": ["love"], "c": ["war"], "d": ["love", "war"], "e": ["sf"], "none": []}
HAD = {"u": {"a": 1, "b": 1}, "v": {"a": 3, "b": 1}, "w": {"d": 1, "none": 1}, "x": {"none": 1}}
JS = {"divergence": "js"}


def kl(*pairs, smoothing=0.01):
    """The divergence of shares now from those before."""
    return sum(p * log(p / ((1 - smoothing) * q + smoothing * p)) for p, q in pairs if p)


WORKED = [  # metric, lists, value by hand; shares are of war and love
    (Miscalibration(k=1), {"u": ["c"]}, kl((1 / 2, 1), (1 / 2, 0))),
    (Miscalibration(k=2), {"u": ["c", "b"]}, 0),
    (Miscalibration(k=1), {"u": ["d"]}, 0),
    (Miscalibration(k=2), {"u": ["c", "d"]}, kl((1 / 2, 3 / 4), (1 / 2, 1 / 4))),
    # the history by interactions: three times war, once love
    (Miscalibration(k=2), {"v": ["c", "b"]}, kl((3 / 4, 1 / 2), (1 / 4, 1 / 2))),
    # a category that was never had, and all of another kind
    (Miscalibration(k=2), {"u": ["c", "e"]}, kl((1 / 2, 1 / 2), (1 / 2, 0))),
    (Miscalibration(k=1), {"u": ["e"]}, -log(0.01)),
    (Miscalibration(k=1, smoothing=0.1), {"u": ["c"]}, kl((1 / 2, 1), (1 / 2, 0), smoothing=0.1)),
    # the mean of both from (3/4, 1/4); of nothing in common it is ln 2
    (
        Miscalibration(k=1, **JS),
        {"u": ["c"]},
        (log(1 / (3 / 4)) + (log((1 / 2) / (3 / 4)) + log((1 / 2) / (1 / 4))) / 2) / 2,
    ),
    (Miscalibration(k=1, **JS), {"u": ["e"]}, log(2)),
    (Miscalibration(k=2, **JS), {"u": ["b", "c"]}, 0),
    # items without a category count nowhere
    (Miscalibration(k=3), {"u": ["c", "none", "unknown"]}, kl((1 / 2, 1), (1 / 2, 0))),
    (Miscalibration(k=1), {"w": ["d"]}, 0),
    # a mean over users; shorter than k; no history, or none with categories
    (
        Miscalibration(k=9),
        {"u": ["c"], "v": ["a"]},
        (kl((1 / 2, 1), (1 / 2, 0)) + kl((3 / 4, 1), (1 / 4, 0))) / 2,
    ),
    (Miscalibration(k=1), {"new": ["a"], "u": ["d"]}, 0),
    (Miscalibration(k=1), {"new": ["a"]}, nan),
    (Miscalibration(k=1), {"x": ["a"]}, nan),
    (Miscalibration(k=1), {"u": ["none"]}, nan),
]


@list_table([(metric, recs, {"history": HAD, "features": GENRES}, value) for metric, recs, value in WORKED])
def test_worked(metric, recs, tables, value):
    check_lists(metric, recs, value, **tables)


def test_undefined():
    check_undefined_lists(Miscalibration(k=1), {"new": ["a"]}, history=HAD, features=GENRES)


def test_several_columns_are_told_apart():
    """Of two columns each item has two categories: half of each is the same now as before."""
    table = pl.DataFrame({"item": ["a", "b"], "genre": ["war", "war"], "topic": ["war", "love"]})
    made = sy.explain("miscalibration(divergence=js)@1", {"u": ["b"]}, features=table, history={"u": ["a"]})
    assert made.steps[1].column("category").cells == ("genre=war", "topic=love", "topic=war")
    assert made.value == pytest.approx(log(2) / 2, rel=1e-14)


def test_numbers_are_no_categories():
    with pytest.raises(sy.SteelyardError, match="miscalibration@1 compares categories, and features holds"):
        Miscalibration(k=1).of({"u": ["a"]}, features={"a": [1.0, 2.0]}, history=HAD)


def test_its_steps():
    made = sy.explain("miscalibration@3", {"u": ["d", "c", "none"]}, features=GENRES, history=HAD)
    shown, categories = made.steps
    assert shown.column("categories").cells == ("love, war", "war", None)
    assert categories.column("category").cells == ("love", "war")
    assert categories.column("before").cells == (1 / 2, 1 / 2)
    assert categories.column("now").cells == (1 / 4, 3 / 4)
    assert [other.field for other in made.others] == ["divergence", "smoothing", "smoothing"]
    assert "逐个类别" in made.to_text("zh")
    js = sy.explain("miscalibration(divergence=js)@2", {"u": ["d", "c"]}, features=GENRES, history=HAD)
    assert [other.text for other in js.others] == ["divergence=kl"]


def test_what_has_no_category_is_told():
    made = sy.explain("miscalibration@1", {"x": ["a"]}, features=GENRES, history=HAD)
    assert made.notes[-1] == "the list or the history has no category, so that the value is undefined."


def test_what_it_declares():
    assert Miscalibration.direction == "lower"
    assert str(sy.metric("类别偏差@5")) == "miscalibration@5"
