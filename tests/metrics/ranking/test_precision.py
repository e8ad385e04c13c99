"""Precision at k, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import PrecisionAt

from ..worked import check, check_undefined, table

TWO = [[1, 0, 1], [0, 1]]

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (PrecisionAt(k=5), [1, 0, 1, 0, 0], None, 2 / 5),
    (PrecisionAt(k=1), [0, 1], None, 0 / 1),
    (PrecisionAt(k=2), [1, 1, 0], [1, 1, 1], 2 / 2),
    # fewer shown than k
    (PrecisionAt(k=5), [1, 0], None, 1 / 5),
    (PrecisionAt(k=5, denominator="retrieved"), [1, 0], None, 1 / 2),
    (PrecisionAt(k=2, denominator="retrieved"), [1, 0, 1], None, 1 / 2),
    # the relevant items there are, at most k
    (PrecisionAt(k=5, denominator="achievable"), [1, 0], [1, 1, 1], 1 / 3),
    (PrecisionAt(k=2, denominator="achievable"), [1, 0], [1, 1, 1], 1 / 2),
    (PrecisionAt(k=5, denominator="achievable"), [1, 0, 0, 1, 0], [1, 1], 2 / 2),
    # the whole list is divided by its length
    (PrecisionAt(), [1, 0, 0, 1], None, 2 / 4),
    (PrecisionAt(denominator="retrieved"), [1, 0, 0, 1], None, 2 / 4),
    (PrecisionAt(denominator="achievable"), [1, 0, 0, 1], [1, 1, 1], 2 / 3),
    # nothing shown
    (PrecisionAt(k=5), [], [1], 0 / 5),
    (PrecisionAt(k=5, denominator="retrieved"), [], [1], nan),
    (PrecisionAt(), [], [1], nan),
    (PrecisionAt(k=5, denominator="achievable"), [], [1], 0 / 1),
    # nothing relevant
    (PrecisionAt(k=2), [0, 0], [0, 0], 0 / 2),
    (PrecisionAt(k=2, denominator="achievable"), [0, 0], [0, 0], nan),
    (PrecisionAt(k=2), [0], [], 0 / 2),
    (PrecisionAt(k=2, nothing_relevant="undefined"), [0, 0], [0, 0], nan),
    (PrecisionAt(nothing_relevant="undefined"), [0], [], nan),
    (PrecisionAt(k=2, nothing_relevant="undefined"), [0, 0], [1], 0 / 2),
    (PrecisionAt(k=2, nothing_relevant="undefined", rel=2), [1, 1], None, nan),
    # grades
    (PrecisionAt(k=4), [3, 2, 1, 0.5], None, 3 / 4),
    (PrecisionAt(k=4, rel=2), [3, 2, 1, 0], None, 2 / 4),
    (PrecisionAt(k=4, rel=0.5), [0.5, 0.25, 0.75, -1], None, 2 / 4),
    (PrecisionAt(k=2), [-1, 1], None, 1 / 2),
    (PrecisionAt(k=2, rel=2, denominator="achievable"), [1, 2], [1, 2, 1], 1 / 1),
    # several lists
    (PrecisionAt(k=3), TWO, None, (2 / 3 + 1 / 3) / 2),
    (PrecisionAt(k=3, denominator="retrieved"), TWO, None, (2 / 3 + 1 / 2) / 2),
    (PrecisionAt(k=3, pooling="pooled"), TWO, None, (2 + 1) / (3 + 3)),
    (PrecisionAt(k=3, pooling="pooled", denominator="retrieved"), TWO, None, (2 + 1) / (3 + 2)),
    (PrecisionAt(pooling="pooled"), [[1, 0, 0, 0], []], [[1], [1]], 1 / 4),
    (
        PrecisionAt(k=2, pooling="pooled", denominator="achievable"),
        [[1, 0], [0, 0]],
        [[1, 1, 1], [0]],
        (1 + 0) / (2 + 0),
    ),
    (PrecisionAt(pooling="pooled"), [[], []], [[1], [1]], nan),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


@table(
    [
        (PrecisionAt(), [], [1], "nothing is shown"),
        (PrecisionAt(k=3, denominator="retrieved"), [], [1], "nothing is shown"),
        (PrecisionAt(k=3, denominator="achievable"), [0], [0], "there is no relevant item"),
        (PrecisionAt(k=3, nothing_relevant="undefined"), [0], [0], "there is no relevant item"),
    ]
)
def test_the_reason_for_an_undefined_value(metric, shown, judged, value):
    made = sy.explain(metric, grades=shown, judged=judged)
    assert made.notes[-1] == f"{value}, so that the value is undefined."


def test_undefined():
    check_undefined(PrecisionAt(), [], [1])
    check_undefined(PrecisionAt(k=3, denominator="retrieved"), [], [1])
    check_undefined(PrecisionAt(k=3, denominator="achievable"), [0], [0])


def test_it_needs_a_cutoff_in_text():
    assert str(PrecisionAt()) == "precision@all"
    assert sy.metric("precision@all") == PrecisionAt()
    with pytest.raises(sy.SteelyardError, match="did you mean precision@100 or precision@all"):
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "precision")


def test_what_it_declares():
    assert PrecisionAt.bounds == (0.0, 1.0)
    assert PrecisionAt.direction == "higher"
    assert PrecisionAt(k=5).monotone
    assert PrecisionAt(k=5, pooling="pooled").pooled
    assert not PrecisionAt(k=5).pooled
    assert PrecisionAt(k=5).without_expected == ""
