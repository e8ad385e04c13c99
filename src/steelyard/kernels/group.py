"""Rows in buckets small enough for a cache, and the codes of rows numbered through."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Ints
from steelyard.kernels.choose import in_parallel, read_only, row_shares, use_kernel

BUCKETS = 512  # so few that each has a page of its own to be written to, so many that each fits a cache


def distinct(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct codes, rising, and the place of each row's code among them.

    >>> distinct(np.array([70, -5, 70]))
    (array([-5, 70]), array([1, 0, 1]))
    """
    n = len(codes)
    if not n or not use_kernel(n):
        found, place = np.unique(codes, return_inverse=True)
        return found, place.reshape(-1).astype(np.int64)
    # buckets by the leading bits, each sorted in the cache; then all are numbered through
    low, high = int(codes.min()), int(codes.max())
    shift = bucket_shift(high - low + 1)
    shares = row_shares(n)
    counts = np.zeros((len(shares), BUCKETS), np.int64)
    # differences are taken in 64 bits without sign: they may be wider than those with one
    unsigned, base, by = read_only(codes).view(np.uint64), np.uint64(low % 2**64), np.uint64(shift)
    in_parallel(_count_loop, shares, counts)(unsigned, base, by)
    places, offsets = bucket_places(counts)
    room = np.empty((n, 2), np.uint64)
    in_parallel(_deal_loop, shares, places)(unsigned, base, by, room)
    numbers = np.zeros(BUCKETS + 1, np.int64)
    longest = int(np.diff(offsets).max())
    in_parallel(_sort_loop, offsets, numbers)(longest, shift, room)
    firsts = np.cumsum(numbers) - numbers
    numbered, place = np.empty(firsts[-1], np.uint64), np.empty(n, np.int64)
    in_parallel(_number_loop, offsets, firsts)(room, base, numbered, place)
    return numbered.view(np.int64), place


def bucket_shift(n_codes: int) -> int:
    """How many of the last bits of codes below ``n_codes`` are left out for the number of their bucket.

    >>> bucket_shift(512), bucket_shift(513), bucket_shift(1)
    (0, 1, 0)
    """
    return max(0, (n_codes - 1).bit_length() - (BUCKETS - 1).bit_length())


def bucket_places(counts: Ints) -> tuple[Ints, Ints]:
    """Where each share writes the first row of each bucket, and where the buckets begin and end.

    ``counts`` has a row per share, and one more for ``in_parallel`` to cut at.

    >>> places, offsets = bucket_places(np.array([[2, 1], [1, 3], [0, 0]]))
    >>> places[:-1].tolist(), offsets.tolist()
    ([[0, 3], [2, 4]], [0, 3, 7])
    """
    ends = np.cumsum(counts.T).reshape(counts.T.shape).T
    return ends - counts, np.concatenate(([0], ends[-1]))


def _count_loop(shares: Ints, counts: Ints, codes: NDArray[Any], base: Any, shift: Any) -> None:
    for share in range(shares.size - 1):
        mine = counts[share]
        for row in range(shares[share], shares[share + 1]):
            mine[np.int64((codes[row] - base) >> shift)] += 1


def _deal_loop(
    shares: Ints, places: Ints, codes: NDArray[Any], base: Any, shift: Any, room: NDArray[Any]
) -> None:
    for share in range(shares.size - 1):
        mine = places[share]
        for row in range(shares[share], shares[share + 1]):
            code = codes[row] - base
            bucket = np.int64(code >> shift)
            at = mine[bucket]
            mine[bucket] = at + 1
            room[at, 0] = code
            room[at, 1] = row


def _sort_loop(offsets: Ints, numbers: Ints, longest: int, bits: int, room: NDArray[Any]) -> None:
    """Sort each bucket by the last ``bits`` of its codes, digit by digit, and count the distinct ones."""
    spare = np.empty((longest, 2), np.uint64)
    digits = np.empty(2048, np.int64)
    for bucket in range(offsets.size - 1):
        mine = room[offsets[bucket] : offsets[bucket + 1]]
        source, target = mine, spare[: len(mine)]
        if len(mine) == 0:
            continue
        for shift in range(0, bits, 11):
            digits[:] = 0
            for i in range(len(mine)):
                digits[np.int64(source[i, 0] >> np.uint64(shift)) & 2047] += 1
            if digits[np.int64(source[0, 0] >> np.uint64(shift)) & 2047] == len(mine):
                continue
            place = np.int64(0)
            for value in range(2048):
                here = digits[value]
                digits[value] = place
                place += here
            for i in range(len(mine)):
                digit = np.int64(source[i, 0] >> np.uint64(shift)) & 2047
                at = digits[digit]
                digits[digit] = at + 1
                target[at, 0] = source[i, 0]
                target[at, 1] = source[i, 1]
            source, target = target, source
        count = 1
        mine[0, 0], mine[0, 1] = source[0, 0], source[0, 1]
        for i in range(1, len(mine)):
            if source[i, 0] != source[i - 1, 0]:
                count += 1
            mine[i, 0], mine[i, 1] = source[i, 0], source[i, 1]
        numbers[bucket] = count


def _number_loop(
    offsets: Ints, firsts: Ints, room: NDArray[Any], base: Any, found: NDArray[Any], place: Ints
) -> None:
    for bucket in range(offsets.size - 1):
        number = firsts[bucket] - 1
        for i in range(offsets[bucket], offsets[bucket + 1]):
            if i == offsets[bucket] or room[i, 0] != room[i - 1, 0]:
                number += 1
                found[number] = room[i, 0] + base
            place[np.int64(room[i, 1])] = number
