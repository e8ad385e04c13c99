"""Where scores stand among the sorted scores of their segment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Ints
from steelyard.kernels.choose import compiled, read_only, use_kernel
from steelyard.kernels.rows import ordered_bits


def last_not_above(
    table: NDArray[Any], starts: Ints, score: NDArray[Any], segment: Ints | None, order: Ints
) -> Ints:
    """For each score the last entry of its segment in ``table`` that is not above it, or -1.

    ``table`` has the scores of each segment, rising; ``starts`` says where each segment begins, and ends
    with the length. ``order`` are the rows by rising score.

    >>> table, starts = np.array([0.1, 0.5, 0.2]), np.array([0, 2, 3])
    >>> score, segment = np.array([0.6, 0.1, 0.1]), np.array([0, 0, 1])
    >>> last_not_above(table, starts, score, segment, np.argsort(score)).tolist()
    [1, 0, -1]
    """
    segment = np.zeros(len(score), np.int64) if segment is None else segment
    entry = np.empty(len(score), np.int64)
    if use_kernel(len(score)):
        compiled(_merge_loop)(
            read_only(table),
            read_only(starts),
            read_only(score[order]),
            read_only(segment),
            read_only(order),
            entry,
        )
        return entry
    for one in np.unique(segment).tolist():
        mine = np.flatnonzero(segment == one)
        begin, end = starts[one : one + 2].tolist()
        place = np.searchsorted(table[begin:end], score[mine], side="right")
        entry[mine] = np.where(place > 0, begin + place - 1, -1)
    return entry


def by_score(score: NDArray[Any]) -> Ints:
    """The rows by rising score; scores of 32 bits are sorted together with the number of their row."""
    if score.dtype != np.float32 or len(score) >> 32:
        return np.argsort(score)
    key = ordered_bits(score).astype(np.uint64)
    key <<= np.uint64(32)
    key |= np.arange(len(score), dtype=np.uint64)
    key.sort()
    key &= np.uint64(0xFFFFFFFF)
    return key.view(np.int64)


def _merge_loop(
    table: NDArray[Any], starts: Ints, rising: NDArray[Any], segment: Ints, order: Ints, entry: Ints
) -> None:
    at = starts[:-1].copy()
    for i in range(len(order)):
        row = order[i]
        mine = segment[row]
        place, end = at[mine], starts[mine + 1]
        while place < end and table[place] <= rising[i]:
            place += 1
        at[mine] = place
        entry[row] = place - 1 if place > starts[mine] else -1
