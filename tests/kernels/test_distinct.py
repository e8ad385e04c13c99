"""Codes numbered in the order of their size: kernel and twin agree bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kernels import forced
from steelyard.kernels.group import distinct

from ..examples import examples

ENDS = [-(2**63), -(2**63) + 1, -1, 0, 1, 2**62, 2**63 - 1]


def both(codes):
    """The result of kernel and twin, once they are known to agree."""
    with forced("twin"):
        twin = distinct(codes)
    with forced("kernel"):
        kernel = distinct(codes)
    for one, other in zip(twin, kernel, strict=True):
        assert one.dtype == other.dtype == np.int64
        assert one.tobytes() == other.tobytes()
    return twin


def check(codes):
    found, place = both(codes)
    wanted, where = np.unique(codes, return_inverse=True)
    assert found.tolist() == wanted.tolist()
    assert place.tolist() == where.tolist()


@examples(200)
@given(codes=st.lists(st.sampled_from(ENDS) | st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)))
def test_any_codes(codes):
    found, place = both(np.array(codes, np.int64))
    assert found.tolist() == sorted(set(codes))
    assert found[place].tolist() == codes


@pytest.mark.parametrize("high", [1, 2, 512, 513, 10_000, 2**32, 2**63 - 1])
@pytest.mark.parametrize("low", [0, -7, -(2**62)])
def test_many_rows(low, high):
    random = np.random.default_rng(1)
    names = random.integers(low, high, 3_000)
    check(names[random.integers(0, len(names), 20_000)])


def test_many_rows_close_together_and_one_far_away():
    random = np.random.default_rng(2)
    check(np.append(random.integers(0, 300_000, 100_000), 2**62))


@pytest.mark.parametrize("low", [0, -7, 2**62])
@pytest.mark.parametrize("gap", [(), (0,), (3, 4, 9_999)], ids=["none", "first", "several"])
def test_codes_close_together_have_no_gaps(low, gap):
    codes = np.setdiff1d(np.arange(10_000), gap)
    check(low + np.random.default_rng(3).permutation(np.repeat(codes, 2)))


def test_codes_that_the_first_million_rows_lack():
    codes = np.zeros(2_100_000, np.int64)
    codes[-1] = 2
    check(codes)
    codes[-2] = 1
    check(codes)
