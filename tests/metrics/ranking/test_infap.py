"""Inferred average precision, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import InfAP

from ..worked import check, check_undefined, table

E = 1e-5
HALF = (0 + E) / (0 + 2 * E)  # nothing above was judged
WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (InfAP(), [1], None, 1),
    (InfAP(), [1, 0, 1], None, (1 + (1 + 2 * (1 + E) / (2 + 2 * E)) / 3) / 2),
    (InfAP(), [0, 1], None, (1 + 1 * (0 + E) / (1 + 2 * E)) / 2),
    # in the pool, but not judged: as those judged above, and one half where none was
    (InfAP(), [1, -1, 1], None, (1 + (1 + 2 * (1 + E) / (1 + 2 * E)) / 3) / 2),
    (InfAP(), [-1, 1], None, (1 + HALF) / 2),
    (InfAP(), [-2, -1, 0, 1], None, (1 + 3 * (0 + E) / (1 + 2 * E)) / 4),
    # not in the pool
    (InfAP(), [0, 1], [1], 1 / 2),
    (InfAP(), [1, 0, 1], [1, 1], (1 + (1 + 1 * (1 + E) / (1 + 2 * E)) / 3) / 2),
    # nothing found, nothing shown, nothing relevant
    (InfAP(), [1], [1, 1], 1 / 2),
    (InfAP(), [], [1, 0], 0),
    (InfAP(), [0], [1, 0], 0),
    (InfAP(), [0], [0], nan),
    (InfAP(), [-1], [-1], nan),
    # grades
    (InfAP(rel=2), [1, 2], None, (1 + 1 * (0 + E) / (1 + 2 * E)) / 2),
    (InfAP(), [0.5, 1], None, (1 + 1 * (0 + E) / (1 + 2 * E)) / 2),
    # several lists, a list that is read in part
    (InfAP(), [[1, 0], [-1, 1], [0]], None, (1 + (1 + HALF) / 2) / 2),
    (InfAP(undefined="zero"), [[1, 0], [-1, 1], [0]], None, (1 + (1 + HALF) / 2 + 0) / 3),
    (InfAP(depth=2), [1, 0, 1], None, 1 / 2),
]


def formula(m, shown, judged, _):
    found = sum(grade >= m["rel"] for grade in judged)
    if not found:
        return nan
    relevant = not_relevant = unjudged = total = 0
    for rank, grade in enumerate(shown, start=1):
        if grade is None:
            continue
        if grade < 0:
            unjudged += 1
        elif grade < m["rel"]:
            not_relevant += 1
        else:
            pool = relevant + not_relevant + unjudged
            share = (relevant + E) / (relevant + not_relevant + 2 * E)
            total += 1 if rank == 1 else 1 / rank + (rank - 1) / rank * pool / (rank - 1) * share
            relevant += 1
    return total / found


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(InfAP(), [0, 0], [0])


def test_ties_that_stand_open_are_an_error():
    with pytest.raises(sy.SteelyardError, match="no expected value over ties") as caught:
        sy.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1, "b": -1}}, "infap", ties="expected")
    assert "ties=item_desc" in caught.value.remedy


def test_its_steps():
    made = sy.explain("infap", grades=[1, -1, 0, 0, 1], judged=[1, -1, 0, 1])
    steps = made.steps[0]
    assert steps.column("relevant above").cells == (0, None, None, None, 1)
    assert steps.column("judged above").cells == (0, None, None, None, 2)
    assert steps.column("pooled above").cells == (0, None, None, None, 3)
    assert made.value == made.recomputed() == (1 + (1 + 3 * (1 + E) / (2 + 2 * E)) / 5) / 2


def test_what_it_declares():
    assert InfAP.bounds == (0.0, 1.0)
    assert str(sy.metric("推断平均精度(rel=2)")) == "infap(rel=2)"
    with pytest.raises(sy.SteelyardError, match="takes no cutoff"):
        sy.metric("infap@10")


def test_a_better_grade_further_up_may_lower_it():
    """An item of the pool that is taken for relevant is worth more above than one rank is."""
    shown, swapped, judged = [1, 0, 0, -1, 1], [1, 0, 0, 1, -1], [1, -1, 1]
    assert not InfAP().monotone
    check(InfAP(), shown, judged, (1 + (1 + 2 * (1 + E) / (1 + 2 * E)) / 5) / 2)  # about (1 + 3/5) / 2
    check(InfAP(), swapped, judged, (1 + (1 + 1 * (1 + E) / (1 + 2 * E)) / 4) / 2)  # about (1 + 2/4) / 2
    assert InfAP().of(swapped, judged) < InfAP().of(shown, judged)
