"""Recall at k, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import RecallAt

from ..worked import check, check_undefined, table

TWO = ([[1, 0, 1], [0, 1]], [[1, 1, 1, 1], [1]])

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (RecallAt(k=5), [1, 0, 1, 0, 0], [1, 1, 1], 2 / 3),
    (RecallAt(k=1), [1, 0, 1, 0, 0], [1, 1, 1], 1 / 3),
    (RecallAt(k=50), [1, 0, 1], [1, 1, 1], 2 / 3),
    (RecallAt(), [1, 0, 1], [1, 1, 1, 1], 2 / 4),
    # the relevant items there are, at most k
    (RecallAt(k=2, denominator="achievable"), [1, 1], [1] * 10, 2 / 2),
    (RecallAt(k=2, denominator="achievable"), [1, 0], [1] * 10, 1 / 2),
    (RecallAt(k=20, denominator="achievable"), [1, 1], [1] * 10, 2 / 10),
    (RecallAt(denominator="achievable"), [1, 1], [1] * 10, 2 / 10),
    # nothing shown, nothing found, nothing relevant
    (RecallAt(k=5), [], [1, 1], 0 / 2),
    (RecallAt(k=5), [0, 0], [1, 1], 0 / 2),
    (RecallAt(k=5), [0, 0], None, nan),
    (RecallAt(k=5), [], [], nan),
    (RecallAt(k=5, denominator="achievable"), [0], [0], nan),
    # grades
    (RecallAt(k=5, rel=2), [1, 2, 3], [1, 2, 3, 4], 2 / 3),
    (RecallAt(k=5, rel=0.5), [0.5, 0.4], [0.5, 0.4, 0.9], 1 / 2),
    (RecallAt(k=5), [0.5, 1.5], [0.5, 1.5, 0.9, 1], 1 / 2),
    (RecallAt(k=5), [-1, 1], [-1, 1, -2, 1], 1 / 2),
    # several lists: the mean leaves out what is undefined
    (RecallAt(k=3), *TWO, (2 / 4 + 1 / 1) / 2),
    (RecallAt(k=3), [[1, 0], [0]], [[1, 1], [0]], 1 / 2),
    (RecallAt(k=3, undefined="zero"), [[1, 0], [0]], [[1, 1], [0]], (1 / 2 + 0) / 2),
    (RecallAt(k=3, undefined="one"), [[1, 0], [0]], [[1, 1], [0]], (1 / 2 + 1) / 2),
    (RecallAt(k=3, pooling="pooled"), *TWO, (2 + 1) / (4 + 1)),
    (RecallAt(k=2, pooling="pooled", denominator="achievable"), *TWO, (1 + 1) / (2 + 1)),
    (RecallAt(k=3, pooling="pooled"), [[1, 0], [0]], [[1, 1], [0]], 1 / 2),
    (RecallAt(k=3, pooling="pooled"), [[0], [0]], None, nan),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(RecallAt(k=5), [0, 0], [0])


def test_it_needs_a_cutoff_in_text():
    assert str(RecallAt()) == "recall@all"
    assert sy.metric("recall@all") == RecallAt()
    with pytest.raises(sy.SteelyardError, match="did you mean recall@100 or recall@all"):
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "recall")


def test_what_it_declares():
    assert RecallAt.bounds == (0.0, 1.0)
    assert RecallAt(k=5).monotone
    assert RecallAt(k=5, pooling="pooled").pooled
