"""Hit rate at k, by hand."""

from __future__ import annotations

from math import nan

from steelyard import HitRate

from ..worked import check, check_undefined, table

THREE = ([[0, 1, 0], [0, 0, 0], [1, 0, 1]], [[1], [1, 1], [1, 1, 1]])

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (HitRate(k=3), [0, 1, 0], None, 1),
    (HitRate(k=1), [0, 1, 0], None, 0),
    (HitRate(k=2), [0, 1, 1], None, 1),
    (HitRate(), [0, 0, 1], None, 1),
    (HitRate(k=30), [0, 0, 1], None, 1),
    (HitRate(k=3), *THREE, 2 / 3),
    (HitRate(k=1), *THREE, 1 / 3),
    (HitRate(k=3, pooling="pooled"), *THREE, (1 + 0 + 2) / (1 + 2 + 3)),
    (HitRate(k=1, pooling="pooled"), *THREE, (0 + 0 + 1) / (1 + 2 + 3)),
    (HitRate(pooling="pooled"), *THREE, 3 / 6),
    # nothing shown, nothing found, nothing relevant
    (HitRate(k=3), [], [1], 0),
    (HitRate(k=3), [0], [1], 0),
    (HitRate(k=3), [0], [0], nan),
    (HitRate(k=3), [], [], nan),
    (HitRate(k=3, pooling="pooled"), [], [1], 0),
    (HitRate(k=3, pooling="pooled"), [0], [0], nan),
    (HitRate(k=3), [[1], [0]], [[1], [0]], 1),
    (HitRate(k=3, undefined="zero"), [[1], [0]], [[1], [0]], 1 / 2),
    (HitRate(k=3, undefined="one"), [[0], [0]], [[1], [0]], 1 / 2),
    # grades
    (HitRate(k=2, rel=2), [1, 1, 2], None, 0),
    (HitRate(k=3, rel=2), [1, 1, 2], None, 1),
    (HitRate(k=3, rel=2.5), [1, 1, 2], None, nan),
    (HitRate(k=1, rel=0.5), [0.5], None, 1),
    (HitRate(k=1), [0.5], [0.5, 1], 0),
    (HitRate(k=1), [-1], [-1, 1], 0),
    (HitRate(k=2, pooling="pooled", rel=2), [[1, 2], [3, 0]], [[1, 2], [3, 2]], (1 + 1) / (1 + 2)),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(HitRate(k=5), [0, 0], [0])


def test_what_it_declares():
    assert HitRate.bounds == (0.0, 1.0)
    assert HitRate().monotone
    assert str(HitRate()) == "hit_rate"
