"""Rows by query and key: packed into one number, and told apart where that cannot tell them apart."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.kernels import count_before, match_rows
from steelyard.kernels.choose import forced
from steelyard.kernels.rows import sorted_within


@pytest.mark.parametrize("n_queries", [1, 2, 3, 1000])
@pytest.mark.parametrize("spread", [1, 3, 2**40, 2**63])
def test_it_is_a_sort_by_both(n_queries, spread):
    random = np.random.default_rng(n_queries)
    query = random.integers(0, n_queries, 500)
    key = random.integers(0, spread, 500).astype(np.uint64) + np.uint64(2**62)
    order, new = sorted_within(query, key, n_queries)
    pairs = list(zip(query.tolist(), key.tolist(), strict=True))
    assert order.tolist() == sorted(range(500), key=lambda row: pairs[row])  # equal ones as they came
    assert [pairs[row] for row in order[new]] == sorted(set(pairs))


def test_keys_that_differ_in_their_last_bit_are_two():
    keys = np.array([8, 9, 8], np.uint64)
    query = np.zeros(3, np.int64)
    order, new = sorted_within(query, keys, 500)
    assert (order.tolist(), new.tolist()) == ([0, 2, 1], [True, False, True])
    with forced("twin"):
        found = match_rows(np.array([0, 3]), keys, np.array([0, 1]), np.array([9], np.uint64))
    assert found.judgement.tolist() == [-1, 0, -1]
    assert (found.again.tolist(), found.first.tolist()) == ([2], [0])


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("side", ["twin", "kernel"])
def test_scores_that_differ_in_their_last_bit_are_no_tie(kind, side):
    one = kind(1.0)
    scores = np.array([one, np.nextafter(one, kind(2)), -one, one], kind)
    with forced(side):
        counts = count_before(np.array([0, 4]), scores, np.array([0, 4]), np.arange(4))
    assert counts.before.tolist() == [1, 0, 3, 1]
    assert counts.tied.tolist() == [2, 1, 1, 2]
