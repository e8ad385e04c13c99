"""Bring what belongs together side by side without sorting all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Ints, Keys
from steelyard.kernels.choose import compiled, in_parallel, pick

BUCKETS = 512  # so few that each has a page of its own to be written to, so many that each fits a cache
_SHARES = 8


def group_rows(query: Ints, n_queries: int) -> tuple[Ints | None, Ints]:
    """The rows of each query, in the order given: ``(order, offsets)``.

    ``order`` is None where the rows already stand grouped by ascending query.

    >>> group_rows(np.array([1, 0, 1, 0]), 2)
    (array([1, 3, 0, 2]), array([0, 2, 4]))
    >>> group_rows(np.array([0, 0, 1]), 2)
    (None, array([0, 2, 3]))
    """
    counts = np.bincount(query, minlength=n_queries)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    if bool(np.all(query[:-1] <= query[1:])):
        return None, offsets
    order = np.empty(len(query), np.int64)
    pick(len(query), _group, _group_twin)(query, offsets, order)
    return order, offsets


def sorted_within(query: Ints, key: Keys, n_queries: int) -> tuple[Ints, Flags]:
    """Rows by query and then by key, and which of them are the first with their key.

    >>> sorted_within(np.array([1, 0, 1, 1]), np.array([7, 9, 5, 7], np.uint64), 2)
    (array([1, 2, 0, 3]), array([ True,  True,  True, False]))
    """
    bits = max((n_queries - 1).bit_length(), 1)
    # one number for both is sorted in a fifth of the time; it lacks the last bits of the key, so that what
    # looks alike must be looked at
    packed = (query.astype(np.uint64) << np.uint64(64 - bits)) | (key >> np.uint64(bits))
    order = np.argsort(packed, kind="stable")
    new = np.ones(len(order), bool)
    new[1:] = packed[order[1:]] != packed[order[:-1]]
    again = np.flatnonzero(~new)
    if (key[order[again]] != key[order[again - 1]]).any():
        order = np.lexsort((key, query))
        new[1:] = (query[order[1:]] != query[order[:-1]]) | (key[order[1:]] != key[order[:-1]])
    return order, new


def _group_twin(query: Ints, _offsets: Ints, order: Ints) -> None:
    order[:] = np.argsort(query, kind="stable")


def _group(query: Ints, offsets: Ints, order: Ints) -> None:
    compiled(_group_loop)(query, offsets, order)


def _group_loop(query: Ints, offsets: Ints, order: Ints) -> None:
    place = offsets[:-1].copy()
    for row in range(query.size):
        q = query[row]
        order[place[q]] = row
        place[q] += 1


def distinct(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct codes, rising, and the place of each row's code among them.

    >>> distinct(np.array([70, -5, 70]))
    (array([-5, 70]), array([1, 0, 1]))
    """
    found: tuple[Ints, Ints] = pick(len(codes), _distinct, _distinct_twin)(codes)
    return found


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same values, contiguous and not to be written to: one type that kernels are compiled for."""
    kept = np.ascontiguousarray(array).view()
    kept.flags.writeable = False
    return kept


def row_shares(n_rows: int) -> Ints:
    """Where each share of the rows begins and ends: what ``in_parallel`` deals out."""
    return np.linspace(0, n_rows, _SHARES + 1).astype(np.int64)


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


def _distinct_twin(codes: Ints) -> tuple[Ints, Ints]:
    found, place = np.unique(codes, return_inverse=True)
    return found, place.reshape(-1).astype(np.int64)


def _distinct(codes: Ints) -> tuple[Ints, Ints]:
    """Buckets by the leading bits, each sorted in the cache; then all are numbered through."""
    n = len(codes)
    if not n:
        return _distinct_twin(codes)
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
    found, place = np.empty(firsts[-1], np.uint64), np.empty(n, np.int64)
    in_parallel(_number_loop, offsets, firsts)(room, base, found, place)
    return found.view(np.int64), place


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
