"""Binary preference, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import Bpref

from ...tables import each_row
from ..worked import check, check_undefined, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (Bpref(), [1, 0, 1, 0], None, (1 + (1 - 1 / 2)) / 2),
    (Bpref(), [0, 1, 1, 0], None, ((1 - 1 / 2) + (1 - 1 / 2)) / 2),
    (Bpref(), [0, 0, 1], [0, 0, 0, 1, 1], ((1 - 2 / 2) + 0) / 2),
    (Bpref(), [0, 0, 1], None, 1 - 1 / 1),  # of more than one above, one counts
    (Bpref(), [0, 1, 1, 1], None, 3 * (1 - 1 / 1) / 3),
    (Bpref(), [0, 1, 1, 1], [0, 0, 1, 1, 1], 3 * (1 - 1 / 2) / 3),
    # what nobody judged changes nothing
    (Bpref(), [0, 0, 1], [1], 1),
    (Bpref(), [0, 1, 0, 1], [1, 1, 0], ((1 - 1 / 1) + (1 - 1 / 1)) / 2),
    (Bpref(), [-1, 1], None, 1),
    (Bpref(), [-1, -2, 0, 1, 1], [0, 0, -1, -2, -1, 1, 1], 2 * (1 - 1 / 2) / 2),
    # nothing judged to be not relevant, nothing shown, nothing relevant
    (Bpref(), [1], [1, 1], 1 / 2),
    (Bpref(), [], [1, 0], 0),
    (Bpref(), [0], [1, 0], 0),
    (Bpref(), [0], [0], nan),
    (Bpref(), [-1], [-1], nan),
    # grades
    (Bpref(rel=2), [1, 2, 0, 3], None, ((1 - 1 / 2) + (1 - 2 / 2)) / 2),
    (Bpref(), [0.5, 1], None, 1 - 1 / 1),
    # several lists, a list that is read in part
    (Bpref(), [[1, 0], [0, 1], [0]], None, (1 + 0) / 2),
    (Bpref(undefined="one"), [[1, 0], [0, 1], [0]], None, (1 + 0 + 1) / 3),
    (Bpref(depth=2), [1, 0, 1], None, 1 / 2),
]

TIED = [  # ties of judged grades, x without judgement; not shown; depth; expected, worst, best value
    ("100", "", None, (1 / 3, 0, 1)),
    ("0 1100", "1", None, (2 / 9, 0, 4 / 9)),
    ("100 11000", "1", None, (9 / 32, 1 / 8, 1 / 2)),
    ("100 11000", "1", 5, (43 / 160, 1 / 8, 1 / 2)),
    ("0 10x1 01", "10", None, (13 / 32, 5 / 16, 1 / 2)),
    ("0 10x1 01", "10", 6, (3 / 8, 1 / 4, 1 / 2)),
    ("0 10x1 01", "10", 3, (17 / 96, 0, 3 / 8)),
    ("x10", "", None, (1 / 2, 0, 1)),
    ("10 100", "", None, (11 / 24, 1 / 4, 3 / 4)),
]


def formula(m, shown, judged, _):
    relevant = sum(grade >= m["rel"] for grade in judged)
    if not relevant:
        return nan
    not_relevant, above, total = sum(0 <= grade < m["rel"] for grade in judged), 0, 0
    for grade in shown:
        if grade is None or grade < 0:
            continue
        if grade < m["rel"]:
            above += 1
        elif above:
            total += 1 - min(above, relevant) / min(not_relevant, relevant)
        else:
            total += 1
    return total / relevant


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(Bpref(), [0, 0], [0])


@each_row(("groups", "unseen", "depth", "values"), TIED)
def test_ties(groups, unseen, depth, values):
    run, truth = {}, {f"u{place}": int(grade) for place, grade in enumerate(unseen)}
    for place, group in enumerate(groups.split()):
        for number, grade in enumerate(group):
            run[f"{place}{number}"] = -float(place)
            truth |= {} if grade == "x" else {f"{place}{number}": int(grade)}
    for ties, value in zip(("expected", "pessimistic", "optimistic"), values, strict=True):
        found = sy.evaluate({"q": run}, {"q": truth}, Bpref(ties=ties, depth=depth)).table()["value"][0]
        assert found == pytest.approx(value, rel=1e-14)


def test_its_steps():
    made = sy.explain("bpref", grades=[0, 1, 0, 0, 1], judged=[0, 0, 1, 1])
    table = made.steps[0]
    assert table.column("above").cells == (None, 1, None, None, 2)
    assert table.column("credit").cells == (None, 1 - 1 / 2, None, None, 1 - 2 / 2)
    assert made.value == made.recomputed() == (1 / 2 + 0) / 2
    tied = sy.explain(
        "bpref", {"q": dict.fromkeys("abc", 1.0)}, {"q": {"a": 1, "b": 0, "c": 0}}, query="q", ties="expected"
    )
    assert tied.recomputed() == pytest.approx(tied.value) == pytest.approx(1 / 3)


def test_what_it_declares():
    assert Bpref.bounds == (0.0, 1.0)
    assert Bpref().monotone
    assert str(sy.metric("二元偏好(rel=2)")) == "bpref(rel=2)"
    with pytest.raises(sy.SteelyardError, match="takes no cutoff"):
        sy.metric("bpref@10")
