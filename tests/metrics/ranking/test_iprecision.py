"""Interpolated precision, by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from math import nan

import pytest

import steelyard as sy
from steelyard import IPrecision

from ...laws.reference import known
from ..worked import check, check_undefined, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (IPrecision(), [1, 0, 1, 1, 0, 0, 1], None, 3 / 4),  # two of four at rank 3, better at rank 4
    (IPrecision(recall=0), [0, 1, 1, 0, 1], None, 2 / 3),
    (IPrecision(recall=0.25), [1, 0, 1, 1, 0, 0, 1], None, 1 / 1),
    (IPrecision(recall=0.3), [1, 0, 1, 1, 0, 0, 1], None, 3 / 4),
    (IPrecision(recall=1), [1, 0, 1, 1, 0, 0, 1], None, 4 / 7),
    (IPrecision(recall=0.75), [1, 0, 1], [1, 1, 1, 1], 0),
    # three relevant: 0.4 · 3 = 1.2 is two of them, 1.2 + 0.9 cut is two, 1.2 rounded is one
    (IPrecision(recall=0.4), [1, 0, 0, 1, 0, 0, 1], None, 2 / 4),
    (IPrecision(recall=0.4, rounding="trec9"), [1, 0, 0, 1, 0, 0, 1], None, 2 / 4),
    (IPrecision(recall=0.4, rounding="trec10"), [1, 0, 0, 1, 0, 0, 1], None, 1 / 1),
    # 0.35 · 3 = 1.05, and 1.95 cut is one
    (IPrecision(recall=0.35), [1, 0, 0, 1, 0, 0, 1], None, 2 / 4),
    (IPrecision(recall=0.35, rounding="trec9"), [1, 0, 0, 1, 0, 0, 1], None, 1 / 1),
    # a half is rounded up: 0.5 · 3 = 1.5
    (IPrecision(recall=0.5, rounding="trec10"), [1, 0, 0, 1, 0, 0, 1], None, 2 / 4),
    # 0.55 · 100 is 55.000000000000007 as a float: rank 60 has the 55th
    (IPrecision(recall=0.55), [0] * 5 + [1] * 55, [1] * 100, 55 / 60),
    # nothing shown, nothing found, nothing relevant
    (IPrecision(), [], [1], 0),
    (IPrecision(recall=0), [0], [1], 0),
    (IPrecision(), [0], [0], nan),
    (IPrecision(recall=0), [], [], nan),
    # grades
    (IPrecision(rel=2), [1, 2, 0, 3], None, 2 / 4),
    (IPrecision(), [-1, 1, 0.5], None, 1 / 2),
    # several lists, a list that is read in part
    (IPrecision(), [[1, 0], [0, 1], [0]], None, (1 + 1 / 2) / 2),
    (IPrecision(undefined="one"), [[1, 0], [0, 1], [0]], None, (1 + 1 / 2 + 1) / 3),
    (IPrecision(depth=2), [1, 0, 1, 1], None, 0),
]


def needed(recall, rounding, relevant):
    if rounding == "trec9":
        return int(recall * relevant + 0.9)
    if rounding == "trec10":
        return int(recall * relevant + 0.5)
    return math.ceil(Fraction(str(recall)) * relevant)


def best(m, shown, judged, recall):
    """The highest precision from the rank on where a recall is reached."""
    relevant = sum(grade >= m["rel"] for grade in judged)
    if not relevant:
        return nan
    flags = [grade >= m["rel"] for grade in known(shown)]
    least = needed(recall, m["rounding"], relevant)
    counts = [sum(flags[:rank]) for rank in range(1, len(flags) + 1)]
    return max((hits / rank for rank, hits in enumerate(counts, 1) if hits >= least), default=0)


def formula(m, shown, judged, _):
    return best(m, shown, judged, m["recall"])


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(IPrecision(), [0, 0], [0])


@pytest.mark.parametrize(("recall", "worst", "most"), [(0.5, 1 / 2, 1), (1.0, 2 / 5, 2 / 3)])
def test_ties(recall, worst, most):
    """Two tied items, one of them relevant, above three, one of them relevant."""
    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0, "e": 1.0}}
    for ties, value in (("pessimistic", worst), ("optimistic", most)):
        result = sy.evaluate(run, {"q": {"a": 1, "c": 1}}, f"iprecision@{recall}", ties=ties)
        assert result.table()["value"][0] == pytest.approx(value, rel=1e-15)
    with pytest.raises(sy.SteelyardError, match="no expected value over ties"):
        sy.evaluate(run, {"q": {"a": 1, "c": 1}}, "iprecision", ties="expected")


def test_the_text_with_a_decimal_point():
    assert sy.metric("iprecision@0.25") == sy.metric("插值精确率@0.25") == IPrecision(recall=0.25)
    assert str(sy.metric("iprecision@0.25")) == "iprecision(recall=0.25)"
    assert sy.metric("iprecision@0.0").recall == 0
    with pytest.raises(sy.SteelyardError, match="recall must be a number with a decimal point; got '1'"):
        sy.metric("iprecision@1")
    for recall in (-0.1, 1.1, nan):
        with pytest.raises(sy.SteelyardError, match="recall must be a number from 0 to 1"):
            IPrecision(recall=recall)


def test_its_steps():
    made = sy.explain("iprecision", grades=[1, 0, 1, 1, 0, 0, 1])
    assert made.steps[0].column("precision_here").cells == (None, None, 2 / 3, 3 / 4, None, None, 4 / 7)
    assert made.value == made.recomputed() == 3 / 4
    assert "a recall of 0.5 is reached at hit 2 of 4; precision counts from there on." in str(made)
    never = sy.explain("iprecision", grades=[1, 0], judged=[1, 1, 1, 1])
    assert never.value == never.recomputed() == 0
    assert "it is never reached" in str(never)


def test_what_it_declares():
    assert IPrecision.bounds == (0.0, 1.0)
    assert IPrecision().monotone
