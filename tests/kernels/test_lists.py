"""The kernels of lists as a whole against their twins, and against plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steelyard import kernels
from steelyard.kernels.distances import Vectors, inverse_lengths, mean_distances, pair_sums
from steelyard.kernels.means import count_below, first_ranks, list_sums

SIDES = ("kernel", "twin")
DISTANCES = ("cosine", "jaccard", "hamming", "euclidean")


def lists(random, n=7, longest=12):
    return np.concatenate(([0], np.cumsum(random.integers(0, longest, n)))).astype(np.int64)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("k", [None, 1, 3, 20])
@pytest.mark.parametrize("seed", range(6))
def test_first_rows(side, k, seed):
    """Against sorting each list in plain Python; lists that stand right already take a way of their own."""
    random = np.random.default_rng(seed)
    offsets = lists(random)
    strength = random.integers(0, 4, offsets[-1]).astype(np.float64)
    second = random.integers(0, 3, offsets[-1]) if seed % 2 else None
    if seed % 3 == 0:
        for low, high in itertools.pairwise(offsets):
            strength[low:high] = np.sort(strength[low:high])[::-1]
    with kernels.forced(side):
        rows, ends = kernels.first_rows(offsets, strength, second, k)
    wanted, lengths = [], []
    for low, high in itertools.pairwise(offsets):
        by = sorted(
            range(low, high), key=lambda row: (-strength[row], 0 if second is None else -second[row], row)
        )
        wanted += by[:k]
        lengths.append(len(by[:k]))
    assert rows.tolist() == wanted
    assert np.diff(ends).tolist() == lengths


def vectors_of(dense, *, sparse, categories=0):
    none = np.zeros(0, np.int64)
    scale = inverse_lengths(dense)
    compared = -categories if categories else dense.shape[1]
    if not sparse:
        return Vectors(dense, none, none, none.astype(np.float64), scale, dense.shape[1], compared)
    row, place = np.nonzero(dense)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(dense))))).astype(np.int64)
    empty = np.zeros((0, 0))
    return Vectors(
        empty, offsets, place, dense[row, place].astype(np.float64), scale, dense.shape[1], compared
    )


def far(one, other, distance):
    if distance == "cosine":
        return 1 - one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    if distance == "jaccard":
        return 1 - ((one != 0) & (other != 0)).sum() / ((one != 0) | (other != 0)).sum()
    return (one != other).mean() if distance == "hamming" else np.linalg.norm(one - other)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("distance", DISTANCES)
def test_distances(side, sparse, distance):
    random = np.random.default_rng(len(distance))
    dense = (random.random((9, 6)) < 0.5) * random.integers(1, 4, (9, 6)).astype(np.float32)
    dense[:, 0] = 1  # none is 0 throughout
    offsets, others = lists(random), lists(random)
    row, other_row = (random.integers(0, 9, ends[-1]) for ends in (offsets, others))
    with kernels.forced(side):
        vectors = vectors_of(dense, sparse=sparse)
        sums = pair_sums(offsets, row, vectors, distance)
        means = mean_distances(offsets, row, others, other_row, vectors, distance)
    for at, (low, high) in enumerate(itertools.pairwise(offsets)):
        pairs = itertools.combinations(row[low:high], 2)
        wanted = sum(far(dense[a], dense[b], distance) for a, b in pairs)
        assert sums[at] == pytest.approx(wanted, abs=1e-5)
        had = other_row[others[at] : others[at + 1]]
        for entry in range(low, high):
            mean = np.mean([far(dense[row[entry]], dense[one], distance) for one in had] or [np.nan])
            assert means[entry] == pytest.approx(mean, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize("side", SIDES)
def test_one_category_of_each_column(side):
    """Of two columns, a and b differ in one, a and c in both: (1/2 + 1 + 1/2) over the three pairs."""
    dense = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]], np.float32)
    with kernels.forced(side):
        found = pair_sums(
            np.array([0, 3]), np.arange(3), vectors_of(dense, sparse=True, categories=2), "hamming"
        )
    assert found.tolist() == [2.0]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_sums_and_counts(side, seed):
    random = np.random.default_rng(seed)
    offsets = lists(random)
    item, worth = random.integers(0, 5, offsets[-1]), random.random(5)
    place, limit = random.permutation(5), random.integers(0, 6, len(offsets) - 1)
    with kernels.forced(side):
        sums, below = list_sums(offsets, item, worth), count_below(offsets, item, place, limit)
    for at, (low, high) in enumerate(itertools.pairwise(offsets)):
        assert sums[at] == pytest.approx(sum(worth[one] for one in item[low:high]), abs=1e-12)
        assert below[at] == sum(place[one] < limit[at] for one in item[low:high])


@pytest.mark.parametrize("side", SIDES)
def test_first_ranks(side):
    offsets, item = np.array([0, 3, 3, 5]), np.array([2, 0, 1, 4, 0])
    with kernels.forced(side):  # 0 is second in the first list, and in the last; 3 is in none
        assert first_ranks(offsets, item, 5).tolist() == [2, 3, 1, 0, 1]
    with kernels.forced(side):  # the higher of two places, whichever list is first
        assert first_ranks(np.array([0, 2, 3]), np.array([1, 0, 0]), 2).tolist() == [1, 1]
