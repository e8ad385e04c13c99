"""The smallest difference that is found: worked figures, and how often simulated tests find it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.stats.testing import detectable, units_needed


def test_worked_figures():
    variance, df = np.array([0.3**2 / 200]), np.array([199.0])
    assert detectable(variance, df) == pytest.approx(0.05972339296756726, rel=1e-10)
    assert detectable(variance, df, tests=15) == pytest.approx(0.08091745668158017, rel=1e-10)
    assert units_needed(np.array([0.3]), 0.02) == 1766
    assert units_needed(np.array([0.3]), -0.02) == 1766


@pytest.mark.parametrize("n", [20, 200])
def test_it_is_found_four_times_out_of_five(n):
    """The power of the t test itself, by SciPy's noncentral t."""
    delta = float(detectable(np.array(1 / n), np.array(n - 1.0)))
    edge, shift = stats.t.ppf(0.975, n - 1), delta * np.sqrt(n)
    power = stats.nct.sf(edge, n - 1, shift) + stats.nct.cdf(-edge, n - 1, shift)
    assert power == pytest.approx(0.8, abs=0.003)


def test_the_units_needed_give_the_power():
    (n,) = units_needed(np.array([1.0]), 0.1, power=0.9)
    shift = 0.1 * np.sqrt(n)
    assert stats.norm.sf(stats.norm.ppf(0.975) - shift) == pytest.approx(0.9, abs=0.001)


def test_nothing_to_find():
    assert units_needed(np.array([0.3, 0.0]), 0.0).tolist()[0] == np.inf
    assert np.isnan(detectable(np.array([np.nan]), np.array([3.0]))).all()
