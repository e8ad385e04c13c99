"""How far items are from each other, list by list, without a matrix of all pairs of items.

The mean cosine over the pairs of a list comes from the sum of its unit vectors: the square of that sum is the
cosine of every pair, counted twice, and of every item with itself. Other distances take the pairs one by one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import called_in_loops, in_parallel, use_kernel

COSINE, JACCARD, HAMMING, EUCLIDEAN = range(4)
KINDS = {"cosine": COSINE, "jaccard": JACCARD, "hamming": HAMMING, "euclidean": EUCLIDEAN}
_BLOCK = 2_000_000  # numbers that the twin holds at a time
_LEAST = 1e-280  # a sum of squares that has lost digits
_ROWS = 100_000  # vectors whose lengths are taken at a time
_WORK = 32  # numbers that the kernel goes through in the time of a row elsewhere


class Vectors(NamedTuple):
    """Items as vectors: dense (``offsets`` is empty), or sparse with rising places in each row.

    ``scale`` is one divided by the length of each vector. ``compared`` is what the number of differing places
    is divided by under hamming; of categories, where an item has one place of each column, it is negative.
    """

    dense: NDArray[Any]
    offsets: Ints
    place: Ints
    value: Floats
    scale: Floats
    width: int
    compared: int

    @property
    def is_sparse(self) -> bool:
        return len(self.offsets) > 0


def inverse_lengths(dense: NDArray[Any]) -> Floats:
    """One divided by the length of each vector, 0 of one that is 0 throughout."""
    found = np.zeros(len(dense))
    if use_kernel(dense.size // _WORK):
        in_parallel(_lengths_loop, np.arange(len(found) + 1))(dense, found)
    else:
        for start in range(0, len(found), _ROWS):
            some = dense[start : start + _ROWS].astype(np.float64)
            with np.errstate(over="ignore"):
                found[start : start + _ROWS] = np.einsum("ij,ij->i", some, some)
    length = np.sqrt(found)
    odd = np.flatnonzero((found < _LEAST) | (found == np.inf))  # squares that vanish, or overflow
    if len(odd):
        part = dense[odd].astype(np.float64)
        largest = np.abs(part).max(axis=1, initial=0.0)
        share = np.divide(part, largest[:, None], out=np.zeros_like(part), where=largest[:, None] > 0)
        length[odd] = largest * np.sqrt((share * share).sum(axis=1))
    return np.divide(1.0, length, out=np.zeros(len(length)), where=length > 0)


def _lengths_loop(rows: Ints, dense: NDArray[Any], found: Floats) -> None:
    part = np.zeros(dense.shape[1])
    for row in rows[:-1]:
        vector = dense[row]
        for at in range(part.size):
            part[at] = vector[at]
        total = 0.0
        for at in range(part.size):
            total += part[at] * part[at]
        found[row] = total


def pair_sums(offsets: Ints, row: Ints, vectors: Vectors, distance: str) -> Floats:
    """The sum of the distances over the unordered pairs of each list; ``row`` is the vector of each entry."""
    found = np.zeros(len(offsets) - 1)
    lengths = np.diff(offsets)
    numbers = len(row) if distance == "cosine" else int((lengths * (lengths - 1) // 2).sum())
    if use_kernel(numbers * max(1, vectors.width) // _WORK):
        # cut with the offsets: each share writes the values of its own lists
        in_parallel(_pairs_loop, offsets, np.arange(len(offsets)))(row, vectors, KINDS[distance], found)
    else:
        _pairs_twin(offsets, row, vectors, KINDS[distance], found)
    return np.maximum(found, 0.0)


def mean_distances(
    offsets: Ints, row: Ints, other_offsets: Ints, other_row: Ints, vectors: Vectors, distance: str
) -> Floats:
    """The mean distance of each entry to the others of its list; NaN where there are none."""
    found = np.full(len(row), np.nan)
    lengths, others = np.diff(offsets), np.diff(other_offsets)
    numbers = (lengths + others).sum() if distance == "cosine" else (lengths * others).sum()
    if use_kernel(int(numbers) * max(1, vectors.width) // _WORK):
        loop = in_parallel(_means_loop, offsets, other_offsets)
        loop(row, other_row, vectors, KINDS[distance], found)
    else:
        _means_twin(offsets, row, other_offsets, other_row, vectors, KINDS[distance], found)
    np.maximum(found, 0.0, out=found)  # what rounding leaves of equal items may lie below
    return found


def _pairs_loop(offsets: Ints, lists: Ints, row: Ints, vectors: Vectors, kind: int, found: Floats) -> None:
    total = np.zeros(vectors.width)
    for at in range(offsets.size - 1):
        low, high = offsets[at], offsets[at + 1]
        n = high - low
        if n < 2:
            continue
        if kind == COSINE:
            add_units(row[low:high], vectors, total)
            # the square of the sum of n unit vectors: n, and twice the cosine of every pair
            found[lists[at]] = (n * n - square(row[low:high], vectors, total)) / 2
            continue
        distances = 0.0
        for one in range(low, high):
            for other in range(one + 1, high):
                distances += between(row[one], row[other], vectors, kind)
        found[lists[at]] = distances


def _means_loop(
    offsets: Ints, other_offsets: Ints, row: Ints, other_row: Ints, vectors: Vectors, kind: int, found: Floats
) -> None:
    total = np.zeros(vectors.width)
    for at in range(offsets.size - 1):
        low, high = other_offsets[at], other_offsets[at + 1]
        n = high - low
        if n == 0 or offsets[at] == offsets[at + 1]:
            continue
        if kind == COSINE:
            add_units(other_row[low:high], vectors, total)
        for one in range(offsets[at], offsets[at + 1]):
            if kind == COSINE:
                found[one] = 1 - dot(row[one], vectors, total) * vectors.scale[row[one]] / n
                continue
            distances = 0.0
            for other in range(low, high):
                distances += between(row[one], other_row[other], vectors, kind)
            found[one] = distances / n
        if kind == COSINE:
            square(other_row[low:high], vectors, total)


@called_in_loops
def add_units(rows: Ints, vectors: Vectors, total: Floats) -> None:
    dense, starts, place, value, scale, _, _ = vectors
    if starts.size:
        for row in rows:
            for at in range(starts[row], starts[row + 1]):
                total[place[at]] += value[at] * scale[row]
        return
    fours = rows.size - rows.size % 4
    for at in range(0, fours, 4):  # four rows at a time, as each is somewhere else in memory
        a, b, c, d = dense[rows[at]], dense[rows[at + 1]], dense[rows[at + 2]], dense[rows[at + 3]]
        u, v, w, x = scale[rows[at]], scale[rows[at + 1]], scale[rows[at + 2]], scale[rows[at + 3]]
        for one in range(total.size):
            total[one] += a[one] * u + b[one] * v + (c[one] * w + d[one] * x)
    for row in rows[fours:]:
        vector = dense[row]
        for one in range(total.size):
            total[one] += vector[one] * scale[row]


@called_in_loops
def square(rows: Ints, vectors: Vectors, total: Floats) -> float:
    """The square of ``total``, which is 0 again afterwards; of sparse rows only their places count."""
    starts, place = vectors.offsets, vectors.place
    found = 0.0
    if starts.size:
        for row in rows:
            for at in range(starts[row], starts[row + 1]):
                found += total[place[at]] ** 2
                total[place[at]] = 0.0
        return found
    for at in range(total.size):
        found += total[at] ** 2
        total[at] = 0.0
    return found


@called_in_loops
def dot(row: int, vectors: Vectors, total: Floats) -> float:
    dense, starts, place, value, _, _, _ = vectors
    found = 0.0
    if starts.size:
        for at in range(starts[row], starts[row + 1]):
            found += value[at] * total[place[at]]
        return found
    for at in range(total.size):
        found += dense[row, at] * total[at]
    return found


@called_in_loops
def between(one: int, other: int, vectors: Vectors, kind: int) -> float:
    dense, starts, place, value, _, width, compared = vectors
    common, either, differ, squares = 0, 0, 0, 0.0
    if starts.size:
        left, right = starts[one], starts[other]
        while left < starts[one + 1] or right < starts[other + 1]:
            either += 1
            gap = 0.0
            if right == starts[other + 1] or (left < starts[one + 1] and place[left] < place[right]):
                gap = value[left]
                left += 1
            elif left == starts[one + 1] or place[right] < place[left]:
                gap = value[right]
                right += 1
            else:
                gap = value[left] - value[right]
                common += 1
                left += 1
                right += 1
            differ += gap != 0
            squares += gap * gap
    else:
        for at in range(width):
            x, y = float(dense[one, at]), float(dense[other, at])
            common += x != 0 and y != 0
            either += x != 0 or y != 0
            differ += x != y
            squares += (x - y) ** 2
    if kind == JACCARD:
        return 1 - common / either if either else 0.0
    if kind == HAMMING:
        return 1 + common / compared if compared < 0 else differ / compared
    return float(np.sqrt(squares))


def _pairs_twin(offsets: Ints, row: Ints, vectors: Vectors, kind: int, found: Floats) -> None:
    lengths = np.diff(offsets)
    sizes = lengths * (lengths - 1) // 2 if kind != COSINE else lengths
    for first, last in _blocks(sizes, vectors):
        low, high = offsets[first], offsets[last]
        query = np.repeat(np.arange(first, last), lengths[first:last])
        if kind == COSINE:
            units = _rows(row[low:high], vectors) * vectors.scale[row[low:high]][:, None]
            total = np.zeros((last - first, units.shape[1]))
            np.add.at(total, query - first, units)
            found[first:last] = (lengths[first:last] ** 2 - (total * total).sum(1)) / 2
            continue
        after = offsets[query + 1] - np.arange(low, high) - 1
        one = np.repeat(np.arange(low, high), after)
        other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(after) - after, after)
        far = _between(row[one], row[other], vectors, kind)
        found[first:last] = np.bincount(np.repeat(query, after) - first, far, minlength=last - first)


def _means_twin(
    offsets: Ints, row: Ints, other_offsets: Ints, other_row: Ints, vectors: Vectors, kind: int, found: Floats
) -> None:
    lengths, others = np.diff(offsets), np.diff(other_offsets)
    query = np.repeat(np.arange(len(lengths)), lengths)
    for first, last in _blocks(others[query], vectors):
        n = others[query[first:last]]
        one = np.repeat(np.arange(first, last), n)
        start = np.repeat(other_offsets[query[first:last]], n)
        other = start + np.arange(len(one)) - np.repeat(np.cumsum(n) - n, n)
        far = _between(row[one], other_row[other], vectors, kind)
        sums = np.bincount(one - first, far, minlength=last - first)
        found[first:last] = np.where(n > 0, sums / np.maximum(n, 1), np.nan)


def _blocks(sizes: Ints, vectors: Vectors) -> list[tuple[int, int]]:
    """Parts of the lists whose numbers fit into memory; a list that does not fit is a part of its own."""
    each = max(1, _BLOCK // max(1, vectors.width))
    ends = np.cumsum(sizes)
    cuts = np.unique(np.searchsorted(ends, np.arange(each, int(ends[-1]) if len(ends) else 0, each)))
    bounds = [0, *cuts.tolist(), len(sizes)]
    return [(low, high) for low, high in pairwise(bounds) if low < high]


def _rows(rows: Ints, vectors: Vectors) -> Floats:
    if not vectors.is_sparse:
        return vectors.dense[rows].astype(np.float64)
    lengths = np.diff(vectors.offsets)[rows]
    at = np.repeat(vectors.offsets[rows] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
    found = np.zeros((len(rows), vectors.width))
    found[np.repeat(np.arange(len(rows)), lengths), vectors.place[at]] = vectors.value[at]
    return found


def _between(one: Ints, other: Ints, vectors: Vectors, kind: int) -> Floats:
    left, right = _rows(one, vectors), _rows(other, vectors)
    far: Floats
    if kind == COSINE:
        far = 1 - (left * right).sum(1) * vectors.scale[one] * vectors.scale[other]
        return far
    if kind == EUCLIDEAN:
        far = np.sqrt(((left - right) ** 2).sum(1))
        return far
    common = ((left != 0) & (right != 0)).sum(1)
    if kind == JACCARD:
        either = ((left != 0) | (right != 0)).sum(1)
        return np.where(either > 0, 1 - common / np.maximum(either, 1), 0.0)
    differ = (left != right).sum(1)
    far = 1 + common / vectors.compared if vectors.compared < 0 else differ / vectors.compared
    return far
