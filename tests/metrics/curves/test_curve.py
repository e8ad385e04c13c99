"""Curves by name, and what rows they take."""

from __future__ import annotations

import dataclasses

import pytest

from steelyard import SteelyardError
from steelyard.engine.ranked import Ranked
from steelyard.metrics import NDCG
from steelyard.metrics.curves import curve, names, scored

from ...tables import each_row

ROWS = scored([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])
LISTS = Ranked.of_lists([[1, 0, 1], [0, 1]])


@pytest.mark.parametrize("name", names())
def test_every_name_gives_a_curve(name):
    found = curve(name, LISTS if name == "precision_recall_at" else ROWS)
    assert found.name == name
    assert {found.x, found.y} <= set(found.frame.columns)
    assert found.frame.height > 0
    assert found.points().height > 0
    assert found.segments == []
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.name = "other"


def test_steps_begin_at_0_and_have_corners():
    line = curve("precision_recall", ROWS).as_line()
    assert line.frame.select("recall", "precision").rows() == [
        (0, 1),
        (1 / 2, 1),
        (1 / 2, 1 / 2),
        (1 / 2, 2 / 3),
        (1, 2 / 3),
        (1, 2 / 4),
    ]
    assert line.as_line() is line


@each_row(
    ("name", "state", "message"),
    [
        ("rok", ROWS, "unknown curve 'rok'; did you mean 'roc'?"),
        ("roc", LISTS, "the curve 'roc' needs rows with a label and a score"),
        ("precision_recall_at", ROWS, "the curve 'precision_recall_at' needs a ranking"),
        (NDCG(), ROWS, "the curve 'ndcg@k' needs a ranking"),
    ],
)
def test_what_it_refuses(name, state, message):
    with pytest.raises(SteelyardError, match=message.replace("?", r"\?")):
        curve(name, state)


@each_row(
    ("label", "score", "weight", "message"),
    [
        ([0, 2], [0.1, 0.2], None, "labels must be 0 and 1; found 0 and 2"),
        ([0, 1], [0.1], None, "1 prediction but 2 labels"),
        ([0, 1], [0.1, 0.2], [1], "2 rows but 1 weight"),
        ([0, 1], [0.1, float("nan")], None, "row 2: score is 'nan'"),
        ([0, 1], [0.1, 0.2], [1, -1], "row 2: weight is -1"),
    ],
)
def test_bad_rows(label, score, weight, message):
    with pytest.raises(SteelyardError, match=message):
        scored(predictions=score, truth=label, weights=weight)
