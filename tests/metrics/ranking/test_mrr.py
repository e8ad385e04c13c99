"""Mean reciprocal rank, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import MRR

from ..worked import check, check_undefined, table, tables

FOUR = [[1, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
RELEVANT = [[1, 1], [1], [1], [1]]

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (MRR(), [1, 1], None, 1),
    (MRR(), [0, 0, 1], None, 1 / 3),
    (MRR(k=2), [0, 0, 1], None, 0),
    (MRR(k=3), [0, 0, 1], None, 1 / 3),
    (MRR(k=30), [0, 0, 1], None, 1 / 3),
    (MRR(k=5), FOUR, RELEVANT, (1 + 1 / 2 + 1 / 5 + 0) / 4),
    (MRR(k=2), FOUR, RELEVANT, (1 + 1 / 2 + 0 + 0) / 4),
    (MRR(k=5, empty="skip"), FOUR, RELEVANT, (1 + 1 / 2 + 1 / 5) / 3),
    (MRR(k=2, empty="skip"), FOUR, RELEVANT, (1 + 1 / 2) / 2),
    (MRR(empty="skip"), FOUR, RELEVANT, (1 + 1 / 2 + 1 / 5) / 3),
    # nothing shown, nothing found, nothing relevant
    (MRR(), [], [1], 0),
    (MRR(empty="skip"), [], [1], nan),
    (MRR(empty="skip"), [0], [1], nan),
    (MRR(), [0], [1], 0),
    (MRR(), [0], [0], nan),
    (MRR(), [], [], nan),
    (MRR(empty="skip"), [0], [0], nan),
    # a query with nothing relevant is filled, one without a hit is left out
    (MRR(empty="skip", undefined="zero"), [[0], [0], [0, 1]], [[0], [1], [1]], (0 + 1 / 2) / 2),
    (MRR(empty="skip", undefined="one"), [[0], [0], [0, 1]], [[0], [1], [1]], (1 + 1 / 2) / 2),
    # grades
    (MRR(rel=2), [1, 1, 2], None, 1 / 3),
    (MRR(rel=0.5), [0.25, 0.5], None, 1 / 2),
    (MRR(), [-1, 0.5, 1.5], None, 1 / 3),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(MRR(), [0, 0], [0])


def test_a_query_left_out_is_counted():
    result = sy.evaluate(*tables(FOUR, RELEVANT), "mrr(empty=skip)@5")
    assert result.table().select("n", "undefined").row(0) == (3, 1)


@pytest.mark.parametrize(("metric", "monotone"), [(MRR(), True), (MRR(empty="skip"), False)])
def test_what_it_declares(metric, monotone):
    assert metric.monotone is monotone
    assert bool(metric.without_expected) is not monotone
    assert MRR.bounds == (0.0, 1.0)
