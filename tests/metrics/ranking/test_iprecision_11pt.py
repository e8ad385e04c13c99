"""Interpolated precision at eleven recalls, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import IPrecision, IPrecision11

from ..worked import check, check_undefined, table
from .test_iprecision import best

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (IPrecision11(), [1, 0, 0, 1], None, (6 * 1 + 5 * 2 / 4) / 11),
    (IPrecision11(), [0, 1, 1], None, 11 * (2 / 3) / 11),
    (IPrecision11(), [1, 0], [1, 1], (6 * 1 + 5 * 0) / 11),
    (IPrecision11(), [1, 1], None, 1),
    # three relevant: up to 0.3, up to 0.6, above; rounded to the nearest, 0.4 needs one and 0.8 two
    (IPrecision11(), [1, 0, 0, 1, 0, 1], None, (4 * 1 + 7 * 3 / 6) / 11),
    (IPrecision11(), [1, 0, 0, 1, 0, 0, 1], None, (4 * 1 + 3 * 2 / 4 + 4 * 3 / 7) / 11),
    (IPrecision11(rounding="trec9"), [1, 0, 0, 1, 0, 0, 1], None, (4 * 1 + 4 * 2 / 4 + 3 * 3 / 7) / 11),
    (IPrecision11(rounding="trec10"), [1, 0, 0, 1, 0, 0, 1], None, (5 * 1 + 4 * 2 / 4 + 2 * 3 / 7) / 11),
    # nothing shown, nothing found, nothing relevant
    (IPrecision11(), [], [1], 0),
    (IPrecision11(), [0], [1], 0),
    (IPrecision11(), [0], [0], nan),
    # grades
    (IPrecision11(rel=2), [1, 2, 0, 3], None, 11 * (2 / 4) / 11),
    # several lists, a list that is read in part
    (IPrecision11(), [[1, 0], [0, 1], [0]], None, (1 + 1 / 2) / 2),
    (IPrecision11(depth=3), [1, 0, 0, 1], None, 6 / 11),
]


def formula(m, shown, judged, _):
    return sum(best(m, shown, judged, tenth / 10) for tenth in range(11)) / 11


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(IPrecision11(), [0, 0], [0])


def test_it_is_the_mean_of_eleven():
    shown = [0, 1, 0, 0, 1, 1, 0, 1, 0]
    for rounding in ("exact", "trec9", "trec10"):
        each = [IPrecision(recall=tenth / 10, rounding=rounding).of(shown) for tenth in range(11)]
        assert IPrecision11(rounding=rounding).of(shown) == pytest.approx(sum(each) / 11, rel=1e-15)


def test_ties():
    """One of two tied items is relevant, as is one of three below."""
    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0, "e": 1.0}}
    for ties, value in (
        ("pessimistic", (6 * 1 / 2 + 5 * 2 / 5) / 11),
        ("optimistic", (6 * 1 + 5 * 2 / 3) / 11),
    ):
        result = sy.evaluate(run, {"q": {"a": 1, "c": 1}}, "11pt", ties=ties)
        assert result.table()["value"][0] == pytest.approx(value, rel=1e-15)
    with pytest.raises(sy.SteelyardError, match="no expected value over ties"):
        sy.evaluate(run, {"q": {"a": 1, "c": 1}}, "11pt", ties="expected")


def test_its_steps():
    made = sy.explain("iprecision_11pt", grades=[1, 0, 0, 1])
    assert made.steps[0].column("precision_here").cells == (1, None, None, 2 / 4)
    assert made.steps[1].column("hits needed").cells == (1,) * 6 + (2,) * 5
    assert made.steps[1].column("highest precision").cells == (1,) * 6 + (0.5,) * 5
    assert made.recomputed() == pytest.approx(made.value) == pytest.approx(8.5 / 11)


def test_what_it_declares():
    assert IPrecision11.bounds == (0.0, 1.0)
    assert IPrecision11().monotone
    assert str(sy.metric("11pt")) == str(sy.metric("十一点插值精确率")) == "iprecision_11pt"
    for text in ("11pt@10", "iprecision_11pt@10"):
        with pytest.raises(sy.SteelyardError, match="takes no cutoff"):
            sy.metric(text)
