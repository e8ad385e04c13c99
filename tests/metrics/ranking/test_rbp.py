"""Rank-biased precision, by hand."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard import RBP

from ...laws.reference import gain, known
from ..worked import check, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (RBP(), [1, 0, 1], None, 0.2 * (1 + 0.8**2)),
    (RBP(p=0.5), [1, 0, 1], None, 0.5 * (1 + 0.25)),
    (RBP(p=0.5), [0, 1], [1, 1, 1], 0.5 * 0.5),
    (RBP(p=0.5, k=2), [1, 0, 1], None, 0.5),
    (RBP(p=0.5, k=9), [1, 0, 1], None, 0.5 * (1 + 0.25)),
    # grades
    (RBP(p=0.5), [1, 0, 2], None, 0.5 * (1 / 2 + 1 / 4)),
    (RBP(p=0.5, gain="exp2"), [1, 0, 2], None, 0.5 * (1 / 3 + 1 / 4)),
    (RBP(p=0.5, gain="binary"), [1, -1, 2], None, 0.5 * (1 + 1 / 4)),
    (RBP(p=0.5, gain={1: 3, 2: 4}), [1, 0, 2], None, 0.5 * (3 / 4 + 1 / 4)),
    (RBP(p=0.5, max_grade=4), [1, 0, 2], None, 0.5 * (1 / 4 + 1 / 8)),
    (RBP(p=0.5), [1, 0], [1, 2], 0.5 / 2),
    (RBP(p=0.5), [[1], [2]], None, (0.5 / 2 + 0.5) / 2),
    (RBP(p=0.5, max_grade="query"), [[1], [2]], None, (0.5 + 0.5) / 2),
    # nothing shown, nothing found, nothing relevant
    (RBP(), [], [1], 0),
    (RBP(), [0], [1], 0),
    (RBP(), [0], [0], 0),
    (RBP(max_grade="query"), [[0], [1]], None, (0 + 0.2) / 2),
]


def formula(m, shown, judged, highest):
    top = {"truth": highest, "query": max(judged, default=0)}.get(m["max_grade"], m["max_grade"])
    if top <= 0:
        return 0.0
    grades = known(shown)[: m["k"]]
    total = sum(m["p"] ** place * gain(m, grade) for place, grade in enumerate(grades))
    return (1 - m["p"]) * total / gain(m, top)


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


@pytest.mark.parametrize(
    ("ties", "value"), [("expected", 1412 / 5625), ("pessimistic", 68 / 375), ("optimistic", 201 / 625)]
)
def test_ties(ties, value):
    run = {"q": {"a": 2.0, "b": 2.0, "c": 2.0, "d": 1.0, "e": 1.0}}
    truth = {"q": {"a": 3, "b": 1, "c": 0, "d": 2, "e": 0}}
    assert sy.evaluate(run, truth, RBP(k=4, ties=ties)).table()["value"][0] == pytest.approx(value, rel=1e-14)


def test_a_grade_beyond_the_highest_is_an_error():
    with pytest.raises(sy.SteelyardError, match="the truth has grade 3, above max_grade=2"):
        RBP(max_grade=2).of([1, 3])


def test_the_specification_has_the_highest_grade():
    result = sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 2, "b": 3}}, "rbp")
    assert result.metrics[0][1].spec()["max_grade"] == 3


def test_its_steps():
    made = sy.explain("rbp(p=0.5)", grades=[2, 0, 1])
    assert made.steps[0].column("contribution").cells == pytest.approx((1, 0, 1 / 8))
    assert made.recomputed() == pytest.approx(made.value) == pytest.approx(0.5 * (1 + 1 / 8))


def test_what_it_declares():
    assert RBP.bounds == (0.0, 1.0)
    assert RBP().monotone
    assert str(sy.metric("排名偏置精度(p=0.9)")) == "rbp(p=0.9)"
