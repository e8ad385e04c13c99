"""Corrections by hand, against the steps of the papers, and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.stats.testing import corrected

from ..tables import each_row

P = np.array([0.01, 0.04, 0.03, 0.005])


@each_row(
    ("correction", "expected"),
    [
        ("none", [0.01, 0.04, 0.03, 0.005]),
        ("bonferroni", [0.04, 0.16, 0.12, 0.02]),
        ("holm", [0.03, 0.06, 0.06, 0.02]),
        ("bh", [0.02, 0.04, 0.04, 0.02]),
    ],
)
def test_by_hand(correction, expected):
    assert corrected(P, correction).tolist() == pytest.approx(expected, rel=1e-15)
    with_nan = corrected(np.array([np.nan, *P, np.nan]), correction)
    assert np.isnan(with_nan[[0, -1]]).all()
    assert with_nan[1:-1].tolist() == corrected(P, correction).tolist()


def test_the_example_of_benjamini_and_hochberg():
    """1995: of 15 tests at 0.05 Bonferroni and Holm find 3, theirs 4."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    p = np.array([*p, 0.4262, 0.5719, 0.6528, 0.7590, 1.0])
    found = [np.count_nonzero(corrected(p, how) <= 0.05) for how in ("none", "bonferroni", "holm", "bh")]
    assert found == [9, 3, 3, 4]


def test_holm_step_by_step():
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 40):
        p = np.round(rng.random(n) ** 4, 3)
        found = corrected(p, "holm")
        for alpha in (0.01, 0.05, 0.2):
            rejected = set()
            for at in np.argsort(p, kind="stable"):
                if p[at] * (n - len(rejected)) > alpha:
                    break
                rejected.add(int(at))
            assert {int(at) for at in np.flatnonzero(found <= alpha)} == rejected


def test_bh_of_scipy():
    rng = np.random.default_rng(2)
    for n in (1, 3, 100):
        p = rng.random(n) ** 3
        expected = stats.false_discovery_control(p, method="bh")
        assert corrected(p, "bh").tolist() == pytest.approx(expected.tolist(), rel=1e-13)


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "bh"])
def test_no_tests_and_the_top(correction):
    assert corrected(np.zeros(0), correction).shape == (0,)
    assert np.isnan(corrected(np.full(2, np.nan), correction)).all()
    assert corrected(np.array([0.9, 1.0, 0.95]), correction).max() == 1
