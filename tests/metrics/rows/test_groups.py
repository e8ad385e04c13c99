"""Groups may be any integers or text; only which rows share one matters."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy

from ...tables import each_row

LABELS, SCORES = [1, 0, 0, 0, 1, 0], [0.9, 0.5, 0.3, 0.1, 0.2, 0.7]
# the first group of four is ordered rightly, the second of two wrongly: (4·1 + 2·0) / 6


@each_row(
    ("one", "other"),
    [
        (np.int8(-128), np.int8(127)),
        (np.int64(-(2**63)), np.int64(2**63 - 1)),
        (np.uint64(2**64 - 2), np.uint64(2**64 - 1)),
        (np.uint8(0), np.uint8(255)),
        ("b", "a"),
    ],
)
def test_groups_of_every_kind(one, other):
    groups = np.array([one] * 4 + [other] * 2)
    assert sy.GAUC().of(predictions=SCORES, truth=LABELS, groups=groups) == pytest.approx(4 / 6, abs=1e-15)
    assert sy.GAUC(weight="uniform").of(predictions=SCORES, truth=LABELS, groups=groups) == pytest.approx(
        1 / 2, abs=1e-15
    )


def test_numbers_between_the_groups_are_no_groups():
    groups = [3, 3, 3, 3, 9, 9]
    assert (
        sy.GAUC(weight="uniform", single_class="half").of(predictions=SCORES, truth=LABELS, groups=groups)
        == 1 / 2
    )
