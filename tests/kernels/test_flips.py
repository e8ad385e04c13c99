"""Randomisation by enumeration in plain Python, by SciPy, and by the draws of each unit one by one."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import product
from operator import mul

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from steelyard.kernels.choose import forced
from steelyard.kernels.draws import flipped_tails, stream_keys, unit_keys, words_of

SIDES = ["kernel", "twin"]


def keys_of(n: int):
    return unit_keys(pl.Series(np.arange(n)))


def of_all_signs(z) -> float:
    """Exact fractions of the numbers as they are, and every sign of every unit, zeros too."""
    exact = [Fraction(one) for one in z]
    least = abs(sum(exact)) - Fraction(1e-12) * sum(map(abs, exact))
    sums = [abs(sum(map(mul, signs, exact))) for signs in product((1, -1), repeat=len(z))]
    return sum(one >= least for one in sums) / len(sums)


@given(st.lists(st.integers(-5, 5).map(lambda n: n / 10), min_size=1, max_size=8))
def test_few_units_go_through_all_signs(z):
    found = flipped_tails(np.array(z)[:, None], keys_of(len(z)))
    assert found.tolist() == [of_all_signs(z)]


def test_the_worked_examples():
    d = [0.17, 0.5, 0, -0.25, 0.5, 0, 0.25, 0.1, 0.5, 0.17]
    areas = [27 / 500, 2 / 125, 77 / 500, -1 / 250]
    assert flipped_tails(np.array(d)[:, None] / 10, keys_of(10)) == 12 / 256
    assert flipped_tails(np.array(areas)[:, None], keys_of(4)) == 4 / 16


def test_exact_tails_of_scipy():
    rng = np.random.default_rng(4)
    for n in (2, 5, 9, 13):
        z = np.round(rng.normal(0.3, 1, (n, 3)), rng.integers(0, 3))
        z[z == 0] = 1.0
        theirs = [
            stats.permutation_test(
                (z[:, column],), np.sum, permutation_type="samples", n_resamples=np.inf
            ).pvalue
            for column in range(3)
        ]
        assert flipped_tails(z, keys_of(n)).tolist() == pytest.approx(theirs, rel=1e-12)


def test_twenty_are_exact_and_one_more_is_drawn():
    z = np.full((25, 1), 0.1)
    z[20:] = 0
    assert flipped_tails(z, keys_of(25)) == 2 / 2**20
    z[20] = 0.1
    (p,) = flipped_tails(z, keys_of(25))
    assert p == round(p * 100_001) / 100_001
    assert p < 4 / 100_001


def test_columns_of_zeros_and_ones_that_cancel():
    z = np.zeros((40, 3))
    z[:2, 1] = [0.1, -0.1]
    z[:30, 2] = np.tile([0.7, -0.7], 15)
    assert flipped_tails(z, keys_of(40), draws=999).tolist() == [1, 1, 1]
    assert flipped_tails(np.zeros((0, 2)), keys_of(0)).tolist() == [1, 1]
    assert flipped_tails(np.zeros((3, 0)), keys_of(3)).shape == (0,)


def tails_by_draw(z, keys, draws, seed):
    order = np.argsort(keys)
    z, words = z[order], words_of(stream_keys(seed, keys[order]), 0, draws // 64 + 1)
    least = np.abs(z.sum(axis=0)) - 1e-12 * np.abs(z).sum(axis=0)
    far = np.zeros(z.shape[1], int)
    for draw in range(draws):
        signs = (words[:, draw // 64] >> np.uint64(draw % 64) & np.uint64(1)).astype(float) * 2 - 1
        far += np.abs((signs[:, None] * z).sum(axis=0)) >= least
    return (far + 1) / (draws + 1)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("n", "columns", "draws"), [(21, 1, 130), (64, 3, 2048), (99, 17, 2049), (23, 4, 5000)]
)
def test_many_units_are_drawn_by_their_keys(side, n, columns, draws):
    rng = np.random.default_rng(n)
    z = rng.integers(-3, 4, (n, columns)) / 7 / n + rng.integers(0, 2, columns) * 0.001
    z[np.abs(z) < 1e-9] = 0.5 / n
    for seed in (0, 5):
        with forced(side):
            found = flipped_tails(z, keys_of(n), draws, seed)
        assert found.tolist() == tails_by_draw(z, keys_of(n), draws, seed).tolist()


def test_draws_come_near_to_what_is_exact():
    rng = np.random.default_rng(11)
    z = rng.normal(0.2, 1, (18, 5))
    exact = flipped_tails(z, keys_of(18))
    drawn = flipped_tails(z, keys_of(18), exact=0)
    assert np.all(np.abs(drawn - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 100_000) + 2e-5)


def some(n=777, columns=5):
    rng = np.random.default_rng(7)
    z = rng.normal(0.001, 0.02, (n, columns)) * rng.integers(0, 2, (n, columns))
    return z, keys_of(n)


def test_the_number_of_threads_changes_no_byte(monkeypatch):
    z, keys = some()
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(os, "cpu_count", lambda threads=threads: threads)
        with forced("kernel"):
            found.append(flipped_tails(z, keys, 20_000).tobytes())
    with forced("twin"):
        found.append(flipped_tails(z, keys, 20_000).tobytes())
    assert len(set(found)) == 1


def test_the_order_of_rows_and_columns_does_not_matter():
    z, keys = some()
    rows, columns = np.random.default_rng(1).permutation(len(z)), [3, 0, 4, 1, 2]
    found = flipped_tails(z[rows][:, columns], keys[rows], 20_000)
    assert found.tolist() == flipped_tails(z, keys, 20_000)[columns].tolist()


def test_the_other_sign_has_the_same_tail():
    z, keys = some()
    for part in (z, z[:30]):
        own = keys[: len(part)]
        assert flipped_tails(-part, own, 5000).tolist() == flipped_tails(part, own, 5000).tolist()


def test_units_of_zero_and_columns_beside_it_change_nothing():
    z, keys = some(columns=20)
    alone = [flipped_tails(z[z[:, at] != 0, at : at + 1], keys[z[:, at] != 0], 3000)[0] for at in range(20)]
    assert flipped_tails(z, keys, 3000).tolist() == alone


def test_seeds_draw_anew():
    z, keys = some()
    assert len({flipped_tails(z, keys, 3000, seed).tobytes() for seed in range(4)}) == 4
