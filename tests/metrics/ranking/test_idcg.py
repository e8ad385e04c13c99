"""Ideal discounted cumulative gain, by hand."""

from __future__ import annotations

import math
from math import log2

from steelyard import IDCG

from ..worked import check, table

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (IDCG(k=3), [0, 2, 1], None, 2 + 1 / log2(3)),
    (IDCG(k=1), [0, 2, 1], None, 2),
    (IDCG(), [], [1, 3, 2], 3 + 2 / log2(3) + 1 / 2),
    (IDCG(k=2), [0], [1, 3, 2], 3 + 2 / log2(3)),
    (IDCG(k=30), [0], [1, 3, 2], 3 + 2 / log2(3) + 1 / 2),
    (IDCG(gain="exp2"), [0], [1, 3, 2], 7 + 3 / log2(3) + 1 / 2),
    (IDCG(gain={1: 3, 2: 9}), [0], [1, 2], 9 + 3 / log2(3)),
    (IDCG(discount="jarvelin"), [0], [1, 3, 2, 1], 3 + 2 + 1 / log2(3) + 1 / 2),
    (IDCG(k=3, gain="exp2", discount="jarvelin"), [0], [1, 3, 2, 1], 7 + 3 + 1 / log2(3)),
    (IDCG(), [0], [0.5, 1.5, -1], 1.5 + 0.5 / log2(3)),
    # never undefined
    (IDCG(), [0], [0, -1], 0),
    (IDCG(), [], [], 0),
    (IDCG(undefined="one"), [0], [0], 0),
    (IDCG(k=5), [[0], [0]], [[1], [2, 1]], (1 + 2 + 1 / log2(3)) / 2),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_what_it_declares():
    assert IDCG.bounds == (0.0, math.inf)
    assert IDCG().monotone
