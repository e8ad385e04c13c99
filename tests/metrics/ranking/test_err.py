"""Expected reciprocal rank, by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import steelyard as sy
from steelyard import ERR

from ...laws.reference import known
from ...tables import each_row
from ..worked import check, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (ERR(k=3), [1, 0, 1], None, 1 / 2 + (1 / 2) * (1 / 2) / 3),
    (ERR(k=2), [1, 0, 1], None, 1 / 2),
    (ERR(k=9), [0, 1], [1, 1, 1], (1 / 2) / 2),
    (ERR(), [1, 1, 1], None, 1 / 2 + (1 / 4) / 2 + (1 / 8) / 3),
    # grades
    (ERR(), [2, 1], None, 3 / 4 + (1 / 4) * (1 / 4) / 2),
    (ERR(), [1, 2], None, 1 / 4 + (3 / 4) * (3 / 4) / 2),
    (ERR(), [1], [1, 3], 1 / 8),
    (ERR(max_grade=4), [3, 0, 1], None, 7 / 16 + (9 / 16) * (1 / 16) / 3),
    (ERR(), [0.5, -2, 1], None, (2**0.5 - 1) / 2 + (1 - (2**0.5 - 1) / 2) * (1 / 2) / 3),
    (ERR(), [2000], None, 1),
    (ERR(), [[1], [2]], None, (1 / 4 + 3 / 4) / 2),
    # the grade itself as the chance, and pFound
    (ERR(stop="linear"), [1, 4, 2], None, 1 / 4 + (3 / 4) / 2),
    (ERR(stop="linear", max_grade=1), [0.5, 0.25], None, 0.5 + 0.5 * 0.25 / 2),
    (ERR(stop="linear", max_grade=1, decay=0.85), [0.5, 0, 0.25], None, 0.5 + 0.85**2 * 0.5 * 0.25),
    (ERR(stop="linear", max_grade=1, decay=0.85, k=2), [0.5, 0, 0.25], None, 0.5),
    (ERR(decay=1), [1, 2], None, 1 / 4 + (3 / 4) * (3 / 4)),
    (ERR(stop="linear"), [0], [0], 0),
    # nothing shown, nothing found, nothing relevant
    (ERR(), [], [1], 0),
    (ERR(), [0], [1], 0),
    (ERR(), [0], [0], 0),
    (ERR(), [[0], [1]], None, (0 + 1 / 2) / 2),
    (ERR(), [-1], [-1], 0),
    # a list that is read in part
    (ERR(k=3, depth=1), [1, 1], None, 1 / 2),
]

TIED = [  # ties of grades; not shown; cutoff; expected, worst, best value with a highest grade of 3
    ("0 1100", "1", 3, (59 / 1152, 0, 19 / 192)),
    ("0 1100", "1", 5, (881 / 11520, 17 / 320, 19 / 192)),
    ("1 0 10", "", 3, (55 / 384, 1 / 8, 31 / 192)),
    ("310 20", "", 4, (21149 / 36864, 61 / 192, 1829 / 2048)),
    ("310", "", 2, (185 / 384, 1 / 16, 113 / 128)),
]


def formula(m, shown, _, highest):
    top = max(highest, 0) if m["max_grade"] == "truth" else m["max_grade"]
    reach, total = 1.0, 0.0
    for rank, grade in enumerate(known(shown)[: m["k"]], start=1):
        stop = grade / (top or 1) if m["stop"] == "linear" else (2**grade - 1) / 2**top
        stop = stop if grade > 0 else 0.0
        total += reach * stop * (1 / rank if m["decay"] is None else m["decay"] ** (rank - 1))
        reach *= 1 - stop
    return total


def collection(groups, unseen):
    run, truth = {}, {f"u{place}": int(grade) for place, grade in enumerate(unseen)}
    for place, group in enumerate(groups.split()):
        for number, grade in enumerate(group):
            run[f"{place}{number}"] = -float(place)
            truth[f"{place}{number}"] = int(grade)
    return {"q": run}, {"q": truth}


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


@each_row(("groups", "unseen", "k", "values"), TIED)
def test_ties(groups, unseen, k, values):
    for ties, value in zip(("expected", "pessimistic", "optimistic"), values, strict=True):
        metric = ERR(k=k, max_grade=3, ties=ties)
        found = sy.evaluate(*collection(groups, unseen), metric).table()["value"][0]
        assert found == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("decay", [None, 0.85])
@pytest.mark.parametrize("highest", [3, 40])
def test_an_open_tie_loses_no_digit(highest, decay):
    """Chances of 1e-12 to stop too: the mean over all orders of the plain formula."""
    grades = (1, 2, 0, 3, 1, 0)
    m = {"k": 4, "max_grade": highest, "stop": "exp2", "decay": decay}
    orders = list(permutations(grades))
    mean = sum(formula(m, order, None, None) for order in orders) / len(orders)
    run, truth = collection("".join(map(str, grades)), "")
    found = sy.evaluate(run, truth, ERR(**m, ties="expected")).table()["value"][0]
    assert found == pytest.approx(mean, rel=1e-13)


def test_a_long_tie():
    """All items alike: every order is the same, and the sum is the plain one."""
    n = 20_000
    items = [str(item) for item in range(n)]
    run, truth = {"q": dict.fromkeys(items, 1.0)}, {"q": dict.fromkeys(items, 1)}
    found = sy.evaluate(run, truth, "err(max_grade=4)@all", ties="expected").table()["value"][0]
    rank = np.arange(1, n + 1)
    assert found == pytest.approx(np.sum((15 / 16) ** (rank - 1.0) / 16 / rank), rel=1e-13)


def test_a_grade_beyond_the_highest_is_an_error():
    with pytest.raises(sy.SteelyardError, match="the truth has grade 3, above max_grade=2"):
        ERR(max_grade=2).of([1, 3])


def test_the_specification_has_the_highest_grade():
    result = sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 2, "b": 3}}, "err@10")
    assert result.metrics[0][1].spec()["max_grade"] == 3


def test_its_steps():
    made = sy.explain("err@3", grades=[1, 0, 2, 2])
    steps = made.steps[0]
    assert steps.column("stop").cells == (1 / 4, 0, 3 / 4)
    assert steps.column("reach").cells == (1, 3 / 4, 3 / 4)
    assert steps.column("adds").cells == (1 / 4, 0, (3 / 4) * (3 / 4) / 3)
    assert made.recomputed() == pytest.approx(made.value)
    decayed = sy.explain("err(decay=0.85)@3", grades=[1, 0, 2, 2])
    assert decayed.steps[0].column("adds").cells == pytest.approx((1 / 4, 0, (3 / 4) * (3 / 4) * 0.85**2))
    assert decayed.recomputed() == pytest.approx(decayed.value)
    tied = sy.explain("err(max_grade=3)@4", *collection("310 20", ""), query="q", ties="expected")
    assert tied.recomputed() == pytest.approx(tied.value) == pytest.approx(21149 / 36864)


def test_what_it_declares():
    assert ERR.bounds == (0.0, 1.0)
    assert ERR().monotone
    assert str(sy.metric("期望倒数排名@10")) == "err@10"
    with pytest.raises(sy.SteelyardError):
        sy.metric("err")
