"""Discounted cumulative gain, by hand."""

from __future__ import annotations

import math
from math import log2

from steelyard import DCG

from ..worked import check, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (DCG(k=3), [3, 2, 3], None, 3 + 2 / log2(3) + 3 / 2),
    (DCG(k=5), [3, 2, 3, 0, 1], None, 3 + 2 / log2(3) + 3 / 2 + 0 + 1 / log2(6)),
    (DCG(k=1), [3, 2, 3], None, 3),
    (DCG(), [3, 2, 3], [3, 2, 3, 3], 3 + 2 / log2(3) + 3 / 2),
    (DCG(k=30), [3, 2, 3], None, 3 + 2 / log2(3) + 3 / 2),
    (DCG(k=3, gain="exp2"), [3, 2, 3], None, 7 + 3 / log2(3) + 7 / 2),
    (DCG(k=3, gain={1: 3, 2: 9}), [2, 1, 0], None, 9 + 3 / log2(3)),
    # ranks 1 and 2 count in full, then 1 / log2(rank)
    (DCG(discount="jarvelin"), [3, 2, 3, 1], None, 3 + 2 + 3 / log2(3) + 1 / 2),
    (DCG(k=2, discount="jarvelin"), [3, 2, 3, 1], None, 3 + 2),
    (DCG(k=4, discount="jarvelin", gain="exp2"), [0, 2, 3, 1], None, 3 + 7 / log2(3) + 1 / 2),
    # grades
    (DCG(), [0.5, 1.5], None, 0.5 + 1.5 / log2(3)),
    (DCG(gain="exp2"), [0, 0.5], None, (2**0.5 - 1) / log2(3)),
    (DCG(), [-1, 1], None, 1 / log2(3)),
    (DCG(gain="exp2"), [-1, 1], None, 1 / log2(3)),
    # never undefined
    (DCG(), [], [1], 0),
    (DCG(), [0], [0], 0),
    (DCG(undefined="one"), [], [], 0),
    (DCG(k=2), [[1, 0, 1], [0, 1]], None, (1 + 1 / log2(3)) / 2),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_what_it_declares():
    assert DCG.bounds == (0.0, math.inf)
    assert DCG().monotone
    assert DCG().without_expected == ""
