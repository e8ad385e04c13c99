"""How much of what is shown was judged, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import JudgedAt

from ..worked import check, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (JudgedAt(k=4), [1, 0, 0, 0], [1, 0, 2], 2 / 4),
    (JudgedAt(k=1), [1, 0, 0, 0], [1, 0, 2], 1 / 1),
    (JudgedAt(k=10), [1, 0, 0, 0], [1, 0, 2], 2 / 4),
    (JudgedAt(k=10, denominator="k"), [1, 0, 0, 0], [1, 0, 2], 2 / 10),
    (JudgedAt(), [1, 0, 0], [1], 1 / 3),
    (JudgedAt(k=2), [-1, 0], [-1], 1 / 2),
    (JudgedAt(k=2), [0, 0], [0, 0], 2 / 2),
    # nothing shown, nothing judged of what is shown
    (JudgedAt(k=2), [], [1], nan),
    (JudgedAt(k=2, denominator="k"), [], [1], 0 / 2),
    (JudgedAt(k=2), [0, 0], [1], 0 / 2),
    # several lists
    (JudgedAt(k=2), [[1, 0], []], [[1], [1]], 1 / 2),
    (JudgedAt(k=2, undefined="zero"), [[1, 0], []], [[1], [1]], (1 / 2 + 0) / 2),
]


def formula(m, shown, judged, _):
    top = shown[: m["k"]]
    under = m["k"] if m["denominator"] == "k" else len(top)
    return sum(grade is not None for grade in top) / under if under else nan


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_ties():
    run, truth = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 0}}
    for ties, value in (("item_desc", 0), ("item_asc", 1 / 2), ("expected", (2 / 3) / 2)):
        found = sy.evaluate(run, truth, JudgedAt(k=2, ties=ties)).table()["value"][0]
        assert found == pytest.approx(value)


def test_its_steps():
    made = sy.explain("judged@3", grades=[0, 1, 0], judged=[1, 0])
    assert made.steps[0].column("judged").cells == (1, 1, 0)
    assert made.recomputed() == made.value == 2 / 3


def test_the_reason_for_an_undefined_value():
    made = sy.explain("judged@3", grades=[], judged=[1, 0])
    assert made.notes[-1] == "nothing is shown, so that the value is undefined."


def test_what_it_declares():
    assert JudgedAt.bounds == (0.0, 1.0)
    assert not JudgedAt().monotone
    assert str(sy.metric("已标注率@10")) == "judged@10"
    with pytest.raises(sy.SteelyardError, match="needs a cutoff"):
        sy.metric("judged(denominator=k)@all")
