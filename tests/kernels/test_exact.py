"""Sums without error: the bits of ``math.fsum``, segment by segment, in any order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kernels.means import exact_sums, segment_mean


def drawn(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Values that try a sum: plain, of every size there is, cancelling, or halfway between two floats."""
    if kind == "plain":
        return rng.random(n)
    if kind == "wide":
        return np.ldexp(rng.standard_normal(n), rng.integers(-1060, 900, n))
    if kind == "cancelling":
        some = np.ldexp(rng.standard_normal(n), rng.integers(-60, 60, n))
        return rng.permutation(np.concatenate([some, -some, [1e-20]]))
    return rng.choice([1e16, 1.0, -1e16, 2.0**-53, 1 + 2.0**-52, 3 * 2.0**-54, 5e-324], n)


@pytest.mark.parametrize("kind", ["plain", "wide", "cancelling", "halfway"])
@pytest.mark.parametrize("n_segments", [1, 3])
def test_sums_are_those_of_fsum_in_any_order(kind, n_segments):
    rng = np.random.default_rng(8)
    for n in [1, 2, 3, 10, 100] * 10:
        values = drawn(kind, rng, n)
        segment = rng.integers(0, n_segments, len(values))
        expected = [math.fsum(values[segment == one]) for one in range(n_segments)]
        for _ in range(3):
            order = rng.permutation(len(values))
            assert exact_sums(values[order], segment[order], n_segments).tolist() == expected


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32)))
def test_any_numbers(values):
    found = exact_sums(np.array(values, float), np.zeros(len(values), int), 1)
    assert found.tolist() == [math.fsum(values)]


def test_sums_beside_infinity():
    found = exact_sums(np.array([1.0, math.inf, 2.0, -math.inf]), np.array([0, 0, 1, 2]), 3)
    assert found.tolist() == [math.inf, 2.0, -math.inf]


def test_no_values_add_up_to_nothing():
    assert exact_sums(np.zeros(0), np.zeros(0, int), 2).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n_segments", [1, 7])
def test_the_mean_of_many_users_is_rounded_once(n_segments):
    """A tenth is no binary fraction: added up one by one, 100,000 of them are off in the last digits."""
    rng = np.random.default_rng(3)
    values = rng.choice([0.1, 1 / 3, 0.7], 100_000)
    segment = rng.integers(0, n_segments, len(values))
    each = [values[segment == one] for one in range(n_segments)]
    expected = [math.fsum(part) / len(part) for part in each]
    for order in (np.arange(len(values)), np.argsort(values), rng.permutation(len(values))):
        found = segment_mean(values[order], segment[order], n_segments, None, "arithmetic", 1e-5)
        assert found.tolist() == expected


def test_a_weighted_mean_does_not_depend_on_the_order():
    rng = np.random.default_rng(4)
    values, weights = rng.random(1000), rng.random(1000)
    expected = math.fsum(values * weights) / math.fsum(weights)
    for _ in range(5):
        order = rng.permutation(1000)
        zeros = np.zeros(1000, int)
        assert segment_mean(values[order], zeros, 1, weights[order], "arithmetic", 1e-5)[0] == expected


@pytest.mark.parametrize("kind", ["arithmetic", "geometric", "median"])
@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_the_size_of_weights_cancels(kind, size):
    values, weights = np.array([0.5, 0.25, 1.0, 0.5]), np.array([1.0, 1.0, 1.0, 1.0])
    segment = np.array([0, 0, 0, 1])
    usual = segment_mean(values, segment, 2, weights, kind, 1e-5)
    heavy = weights * np.where(segment == 0, size, 1.0)  # beside a segment of ordinary weights
    found = segment_mean(values, segment, 2, heavy, kind, 1e-5)
    assert found.tolist() == pytest.approx(usual.tolist(), rel=1e-15)
