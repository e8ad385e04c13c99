"""The first rows of every list, in order, without sorting what stands behind them."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats, Ints, offsets_of
from steelyard.kernels.choose import called_in_loops, in_parallel, use_kernel


def first_rows(offsets: Ints, strength: Floats, second: Ints | None, k: int | None) -> tuple[Ints, Ints]:
    """The first k rows of each list, the strongest first, and where those of each list begin.

    Equal strength goes by ``second``, the higher first, and then by the order of rows.

    >>> first_rows(np.array([0, 3, 4]), np.array([0.2, 0.9, 0.2, 0.5]), np.array([1, 1, 2, 1]), 2)
    (array([1, 2, 3]), array([0, 2, 3]))
    """
    lengths = np.diff(offsets)
    kept = lengths if k is None else np.minimum(lengths, k)
    ends = offsets_of(kept)
    if use_kernel(len(strength)):
        rows = np.empty(ends[-1], np.int64)
        tie = np.zeros(0, np.int64) if second is None else second
        in_parallel(_first_loop, offsets, ends)(strength, tie, rows)
        return rows, ends
    query = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((-strength, query) if second is None else (-second, -strength, query))
    place = np.arange(len(order)) - np.repeat(offsets[:-1], lengths)
    return order[place < np.repeat(kept, lengths)], ends


def _first_loop(offsets: Ints, ends: Ints, strength: Floats, tie: Ints, rows: Ints) -> None:
    for query in range(offsets.size - 1):
        low, high, start = offsets[query], offsets[query + 1], ends[query]
        n = ends[query + 1] - start
        heap = rows[start : start + n]  # the worst of those kept at the root
        ordered = True
        for row in range(low, min(low + n, high)):
            heap[row - low] = row
            if row > low and stands_before(strength, tie, row, row - 1):
                ordered = False
        at = low + n
        while ordered and at < high and not stands_before(strength, tie, at, heap[n - 1]):
            at += 1  # lists are mostly given best first
        if ordered and at == high:
            continue
        for root in range(n // 2 - 1, -1, -1):
            sift(strength, tie, heap, root, n)
        for row in range(at, high):
            if stands_before(strength, tie, row, heap[0]):
                heap[0] = row
                sift(strength, tie, heap, 0, n)
        for last in range(n - 1, 0, -1):
            heap[0], heap[last] = heap[last], heap[0]
            sift(strength, tie, heap, 0, last)


@called_in_loops
def stands_before(strength: Floats, tie: Ints, one: int, other: int) -> bool:
    """Whether one row stands before another."""
    if strength[one] != strength[other]:
        return bool(strength[one] > strength[other])
    if tie.size and tie[one] != tie[other]:
        return bool(tie[one] > tie[other])
    return one < other


@called_in_loops
def sift(strength: Floats, tie: Ints, heap: Ints, root: int, n: int) -> None:
    """Let a row sink until both below it stand before it."""
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and stands_before(strength, tie, heap[child], heap[child + 1]):
            child += 1
        if not stands_before(strength, tie, heap[root], heap[child]):
            return
        heap[root], heap[child] = heap[child], heap[root]
        root = child
