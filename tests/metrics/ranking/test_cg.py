"""Cumulative gain, by hand."""

from __future__ import annotations

import math

import pytest

import steelyard as sy
from steelyard import CG

from ..worked import check, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (CG(k=6), [3, 2, 3, 0, 1, 2], None, 3 + 2 + 3 + 0 + 1 + 2),
    (CG(k=2), [3, 2, 3], None, 3 + 2),
    (CG(), [3, 2, 3], [3, 3, 3, 2], 3 + 2 + 3),
    (CG(k=20), [3, 2, 3], None, 8),
    (CG(gain="exp2"), [3, 2, 1], None, 7 + 3 + 1),
    (CG(gain={1: 3, 2: 9}), [2, 1, 0, 1], None, 9 + 3 + 0 + 3),
    (CG(), [0.5, 1.25], None, 1.75),
    (CG(gain="exp2"), [0.5], None, 2**0.5 - 1),
    # a grade below 0 is worth nothing
    (CG(), [-2, 1], None, 1),
    (CG(gain="exp2"), [-2, 1], None, 1),
    (CG(gain={1: 3}), [-2, 1], None, 3),
    # never undefined
    (CG(), [], [1], 0),
    (CG(), [0], [0], 0),
    (CG(), [], [], 0),
    (CG(undefined="one"), [0], [0], 0),
    (CG(k=2), [[1, 1, 1], [3], []], [[1, 1, 1], [3], [1]], (2 + 3 + 0) / 3),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_it_is_dcg_without_discount():
    assert sy.metric("dcg(discount=none)@5") == CG(k=5)
    assert str(sy.metric("dcg(discount=none, gain=exp2)")) == "cg(gain=exp2)"
    assert sy.metric("折损累计增益(discount=none)@5") == CG(k=5)


@pytest.mark.parametrize("field", ["discount", "rel", "denominator"])
def test_fields_it_has_not(field):
    with pytest.raises(sy.SteelyardError, match=f"cg has no field '{field}'"):
        CG(**{field: 1})


def test_what_it_declares():
    assert CG.bounds == (0.0, math.inf)
    assert CG().monotone
