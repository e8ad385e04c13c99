"""Tails and quantiles against SciPy over wide grids, and against closed forms where SciPy loses digits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from steelyard.kernels.distributions import (
    coin_mass,
    coin_tail,
    normal_quantile,
    normal_tail,
    student_quantile,
    student_tail,
)

from ..tables import each_row

CLOSE = 1e-12
DEGREES = np.concatenate([np.geomspace(0.5, 1e9, 120), [1, 2, 2.5, 3, 4, 9, 49, 199, 1e12]])


def test_the_tail_of_student_over_a_wide_grid():
    t, df = np.meshgrid(np.concatenate([np.geomspace(1e-3, 1e5, 300), [1.72, 1.74]]), DEGREES)
    expected = 2 * stats.t.sf(t, df)
    told = expected > 1e-280
    np.testing.assert_allclose(student_tail(t, df)[told], expected[told], rtol=CLOSE)


@each_row("t", [1e-9, 1e-6, 0.3, 1.0, 1.5, 3.0, 40.0, 1e10, 1e120, 1e200])
def test_closed_forms_of_one_and_two_degrees(t):
    of_one = 2 / math.pi * math.atan2(1, t)
    root = math.hypot(t, math.sqrt(2))
    of_two = 2 / (root * (root + t))  # 1 - t/√(2 + t²), without the difference
    found = student_tail([t, -t], [1, 2])
    np.testing.assert_allclose(found, [of_one, of_two], rtol=CLOSE)


def test_the_ends_of_the_tail():
    assert student_tail([0, np.inf, -np.inf], 3).tolist() == [1, 0, 0]
    assert student_tail([0, np.inf, 1e300], np.inf).tolist() == [1, 0, 0]
    assert np.isnan(student_tail([np.nan, 1, 1], [3, np.nan, -2])).all()


def test_many_degrees_become_the_normal():
    z = np.linspace(0, 37, 200)
    np.testing.assert_allclose(normal_tail(z), special.erfc(z / math.sqrt(2)), rtol=CLOSE)
    np.testing.assert_allclose(student_tail(z[:100], 1e18), normal_tail(z[:100]), rtol=CLOSE)


def test_quantiles_of_student_over_a_wide_grid():
    q = np.concatenate([np.geomspace(1e-12, 0.45, 60), [0.55, 0.8, 0.9, 0.95, 0.975, 0.995, 0.9999]])
    q, df = np.meshgrid(q, DEGREES)
    np.testing.assert_allclose(student_quantile(q, df), stats.t.ppf(q, df), rtol=CLOSE)


def test_quantiles_that_tables_print():
    df = [1, 2, 2.5, 4, 9, 49, 199]
    expected = [12.706204736174687, 4.302652729749459, 3.57465484200368, 2.7764451051977934]
    expected += [2.2621571627982036, 2.009575237129239, 1.9719565442517428]
    np.testing.assert_allclose(student_quantile(0.975, df), expected, rtol=CLOSE)


def test_quantiles_of_the_normal():
    q = np.concatenate([np.geomspace(1e-300, 0.45, 200), 1 - np.geomspace(1e-9, 0.45, 100)])
    np.testing.assert_allclose(normal_quantile(q), special.ndtri(q), rtol=CLOSE)


def test_the_ends_of_quantiles():
    assert student_quantile([0, 0.5, 1], 4).tolist() == [-np.inf, 0, np.inf]
    assert np.isnan(student_quantile([-0.1, 1.1, np.nan], 4)).all()
    assert student_quantile(0.975, 4).shape == ()
    assert student_quantile(np.zeros((0,)), 4).shape == (0,)


def test_numbers_beside_it_do_not_move_a_bit():
    t, df = np.geomspace(0.01, 50, 10_000), np.geomspace(1, 1e6, 10_000)
    together = student_tail(t, df), student_quantile(t / 100 + 0.4, df)
    for at in (0, 17, 4096, 9999):
        assert student_tail(t[at], df[at]) == together[0][at]
        assert student_quantile(t[at] / 100 + 0.4, df[at]) == together[1][at]


def test_coins_against_whole_numbers():
    for n in range(41):
        heads = np.arange(n + 1)
        mass = [Fraction(math.comb(n, k), 2**n) for k in heads.tolist()]
        tail = [float(sum(mass[: k + 1])) for k in range(n + 1)]
        np.testing.assert_allclose(coin_mass(heads, n), [float(one) for one in mass], rtol=CLOSE)
        np.testing.assert_allclose(coin_tail(heads, n), tail, rtol=CLOSE)
    assert coin_tail([-1, -5, 5, 9], [4, 4, 4, 4]).tolist() == [0, 0, 1, 1]
    assert coin_mass([-1, 5], 4).tolist() == [0, 0]


@pytest.mark.parametrize("n", [100, 1001, 20_000, 999_999, 10_000_000])
def test_many_coins(n):
    away = np.array([0, 0.01, 0.5, 1, 2, 3, 5, 8, 20, -1, -3])
    heads = np.clip(np.floor(n / 2 - away * math.sqrt(n) / 2), 0, n).astype(int)
    expected = [exact_tail(k, n) for k in heads.tolist()]
    np.testing.assert_allclose(coin_tail(heads, n), expected, rtol=CLOSE)


def test_nearly_all_of_many_coins():
    heads, n = np.arange(30), 1000
    expected = [math.comb(n, k) / 2**n for k in range(30)]
    np.testing.assert_allclose(coin_mass(heads, n), expected, rtol=CLOSE)
    np.testing.assert_allclose(coin_mass(n - heads, n), expected, rtol=CLOSE)


def exact_tail(k: int, n: int) -> float:
    """Whole numbers: terms relative to the largest with 200 bits after the point, and one division."""
    low = min(k, n - k - 1)
    top = n // 2
    term = peak = 1 << 400
    total, side = 0, 0
    for heads in range(top, -1, -1):
        total += term
        side += term if heads <= low else 0
        term = term * heads // (n - heads + 1)
        if term == 0:
            break
    everything = 2 * total - (peak if n % 2 == 0 else 0)
    part = side / everything
    return part if 2 * k < n else 1 - part
