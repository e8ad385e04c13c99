"""R-precision, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import RPrecision

from ..worked import check, check_undefined, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (RPrecision(), [1, 0, 1, 1], None, 2 / 3),
    (RPrecision(), [1, 1, 1, 0], None, 3 / 3),
    (RPrecision(), [0, 1], [1], 0 / 1),
    (RPrecision(), [1, 0], [1, 1, 1, 1], 1 / 4),
    (RPrecision(), [0, 0, 1, 1, 1], [1, 1, 1, 1], 2 / 4),
    # nothing shown, nothing relevant
    (RPrecision(), [], [1, 1], 0 / 2),
    (RPrecision(), [0], [1], 0),
    (RPrecision(), [0], [0], nan),
    (RPrecision(), [], [], nan),
    # grades
    (RPrecision(rel=2), [2, 1, 3], None, 1 / 2),
    (RPrecision(rel=0.5), [0.5, 0.25, 0.75], None, 1 / 2),
    (RPrecision(), [-1, 1, 0.5], None, 0 / 1),
    # several lists
    (RPrecision(), [[1, 0, 1], [0, 1], [0]], None, (1 / 2 + 0) / 2),
    (RPrecision(undefined="one"), [[1, 0, 1], [0, 1], [0]], None, (1 / 2 + 0 + 1) / 3),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(RPrecision(), [0, 0], [0])


@pytest.mark.parametrize("text", ["r_precision@5", "rprec@all", "R 精确率@3"])
def test_it_takes_no_cutoff(text):
    with pytest.raises(sy.SteelyardError, match="takes no cutoff"):
        sy.metric(text)
    with pytest.raises(sy.SteelyardError, match="r_precision has no field 'k'"):
        RPrecision(k=5)


def test_what_it_declares():
    assert RPrecision.bounds == (0.0, 1.0)
    assert RPrecision().monotone
    assert str(RPrecision(rel=2)) == "r_precision(rel=2)"
