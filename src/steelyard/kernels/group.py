"""Rows in buckets small enough for a cache: codes numbered through, and rows dealt by segment and score."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import called_in_loops, in_parallel, read_only, row_shares, use_kernel
from steelyard.kernels.rows import Bits, key_of, ordered_bits, raw_bits

BUCKETS = 512  # so few that each has a page of its own to be written to, so many that each fits a cache
_ROWS_PER_BIN = 8
_ROWS_UNBINNED = 4096  # of a segment, on average: up to this many it needs no bins
_NEAR_ZERO = 2.0**-16  # of the largest score


def distinct(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct codes, rising, and the place of each row's code among them.

    >>> distinct(np.array([70, -5, 70]))
    (array([-5, 70]), array([1, 0, 1]))
    """
    n = len(codes)
    low, high = (int(codes.min()), int(codes.max())) if n else (0, -1)
    if high - low < n:  # close together: a table of all codes is small
        near = codes - low if low else codes
        met = np.zeros(high - low + 1, bool)
        met[near] = True
        return np.flatnonzero(met) + low, near if met.all() else (np.cumsum(met) - 1)[near]
    if not use_kernel(n):
        found, place = np.unique(codes, return_inverse=True)
        return found, place.reshape(-1).astype(np.int64)
    # buckets by the leading bits, each sorted in the cache; then all are numbered through
    shift = bucket_shift(high - low + 1)
    shares = row_shares(n)
    counts = np.zeros((len(shares), BUCKETS), np.int64)
    # differences are taken in 64 bits without sign: they may be wider than those with one
    unsigned, base, by = read_only(codes).view(np.uint64), np.uint64(low % 2**64), np.uint64(shift)
    in_parallel(_count_codes, shares, counts)(unsigned, base, by)
    places, offsets = bucket_places(counts)
    room = np.empty((n, 2), np.uint64)
    in_parallel(_deal_codes, shares, places)(unsigned, base, by, room)
    numbers = np.zeros(BUCKETS + 1, np.int64)
    longest = int(np.diff(offsets).max())
    in_parallel(_sort_codes, offsets, numbers)(longest, shift, room)
    firsts = np.cumsum(numbers) - numbers
    numbered, place = np.empty(firsts[-1], np.uint64), np.empty(n, np.int64)
    in_parallel(_number_codes, offsets, firsts)(room, base, numbered, place)
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


def _count_codes(shares: Ints, counts: Ints, codes: NDArray[Any], base: Any, shift: Any) -> None:
    for share in range(shares.size - 1):
        mine = counts[share]
        for row in range(shares[share], shares[share + 1]):
            mine[np.int64((codes[row] - base) >> shift)] += 1


def _deal_codes(
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


def _sort_codes(offsets: Ints, numbers: Ints, longest: int, bits: int, room: NDArray[Any]) -> None:
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


def _number_codes(
    offsets: Ints, firsts: Ints, room: NDArray[Any], base: Any, found: NDArray[Any], place: Ints
) -> None:
    for bucket in range(offsets.size - 1):
        number = firsts[bucket] - 1
        for i in range(offsets[bucket], offsets[bucket + 1]):
            if i == offsets[bucket] or room[i, 0] != room[i - 1, 0]:
                number += 1
                found[number] = room[i, 0] + base
            place[np.int64(room[i, 1])] = number


class Bins(NamedTuple):
    """Ranges of the scores' bits, from ``low`` on; ``near_zero`` up to ``past_zero`` counts as one number.

    Each segment has ``many`` of them, one after the other. They rise with the score, so that between two of
    them every pair of rows is decided.
    """

    many: int
    low: Any
    near_zero: Any
    past_zero: Any
    shift: Any


class Buckets(NamedTuple):
    """The rows as they came, and how their bucket is found: what loops over them are called with."""

    raw: Bits
    top: Any
    ones: Any
    bins: Bins
    of_bucket: int


class Dealt(NamedTuple):
    """The rows of each bucket together, in the order they came in.

    A row of ``room`` is the bits of a score, then twice the number of its bin within the bucket, and 1 more
    for a negative.
    """

    source: Buckets
    segment: Ints | None
    n_segments: int
    shares: Ints
    counts: Ints
    offsets: Ints
    room: Bits
    weight: Floats | None
    code: Any = None

    @property
    def bins(self) -> int:
        return 1 << self.source.of_bucket

    @property
    def longest(self) -> int:
        return int(np.diff(self.offsets).max())

    def by_segment(self, of_bin: NDArray[Any]) -> NDArray[Any]:
        """What was found for each bin, with a row for each segment."""
        shape = (self.n_segments, self.source.bins.many)
        return of_bin[: shape[0] * shape[1]].reshape(shape)

    @property
    def firsts(self) -> Ints:
        """The first bin of each bucket, and one past the last of all."""
        return np.arange(BUCKETS + 1) * self.bins


def dealt(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None,
    n_segments: int,
    weight: Floats | None = None,
    code: Ints | None = None,
) -> Dealt:
    """Bring the rows of each bucket together, with a code that they have; there must be some."""
    raw, top = raw_bits(score)
    bins = _binned(score, n_segments)
    of_bucket = bucket_shift(n_segments * bins.many)
    own = None if segment is None else read_only(segment)
    source = Buckets(raw, top, ~raw.dtype.type(0), bins, of_bucket)
    shares = row_shares(len(score))
    counts = np.zeros((len(shares), BUCKETS), np.int64)
    in_parallel(_count_loop, shares, counts)(source, own)
    places, offsets = bucket_places(counts)
    # allocated here and not in the kernel: NumPy asks for huge pages, and first touch is half the cost
    room = np.empty((len(score), 2), raw.dtype)
    weights = (None, None) if weight is None else (read_only(weight), np.empty(len(score)))
    codes = (None, None) if code is None else (read_only(code), np.empty(len(score), np.int32))
    in_parallel(_deal_loop, shares, places)(source, own, read_only(label), room, *weights, *codes)
    return Dealt(source, own, n_segments, shares, counts, offsets, room, weights[1], codes[1])


def in_given_order(dealt: Dealt, values: Floats) -> Floats:
    places, _ = bucket_places(dealt.counts)
    given = np.empty(len(values))
    in_parallel(_return_loop, dealt.shares, places)(dealt.source, dealt.segment, values, given)
    return given


def _binned(score: NDArray[Any], n_segments: int) -> Bins:
    """About as many bins as rows; one for each segment where these are small."""
    kind = np.uint32 if score.dtype == np.float32 else np.uint64
    if n_segments > 1 and len(score) <= n_segments * _ROWS_UNBINNED:
        return Bins(1, *[kind(0)] * 4)
    least, most = float(score.min()), float(score.max())
    lower = upper = least
    if -np.inf < least < 0 < most < np.inf:
        # with scores on both sides of 0 most bits tell how near they are to it: bins without rows
        near = max(-least, most) * _NEAR_ZERO
        lower, upper = max(least, -near), min(near, most)
    bits = ordered_bits(np.array([least, lower, upper, most], score.dtype) + score.dtype.type(0))
    low, near_zero, past_zero, high = (int(one) for one in bits)
    wide = high - low - (past_zero - near_zero)
    wanted = max(1, len(score) // (_ROWS_PER_BIN * n_segments))
    shift = max(0, wide.bit_length() - wanted.bit_length())
    return Bins((wide >> shift) + 1, *(kind(one) for one in (low, near_zero, past_zero, shift)))


@called_in_loops
def _bin_of(key: Any, segment: Any, bins: Any) -> Any:
    if bins.many == 1:
        return segment
    skipped = min(max(key, bins.near_zero), bins.past_zero) - bins.near_zero
    return segment * bins.many + np.int64((key - skipped - bins.low) >> bins.shift)


def _count_loop(shares: Ints, counts: Ints, source: Buckets, segment: Ints | None) -> None:
    """Count the rows of each bucket: of the bins whose numbers differ in the last ``of_bucket`` bits."""
    raw, top, ones, bins, of_bucket = source
    for share in range(shares.size - 1):
        mine = counts[share]
        for i in range(shares[share], shares[share + 1]):
            key = key_of(raw[i], top, ones)
            own = np.int64(0) if segment is None else segment[i]
            mine[_bin_of(key, own, bins) >> of_bucket] += 1


def _deal_loop(
    shares: Ints,
    places: Ints,
    source: Buckets,
    segment: Ints | None,
    label: NDArray[np.uint8],
    room: Bits,
    weight: Floats | None,
    weights: Any,
    code: Ints | None,
    codes: Any,
) -> None:
    """Bring the rows of each bucket together, and their weights and codes, if they have any."""
    raw, top, ones, bins, of_bucket = source
    for share in range(shares.size - 1):
        mine = places[share]
        for i in range(shares[share], shares[share + 1]):
            key = key_of(raw[i], top, ones)
            own = np.int64(0) if segment is None else segment[i]
            bin_ = _bin_of(key, own, bins)
            bucket = bin_ >> of_bucket
            at = mine[bucket]
            mine[bucket] = at + 1
            room[at, 0] = key
            room[at, 1] = 2 * (bin_ - (bucket << of_bucket)) + 1 - label[i]
            if weight is not None:
                weights[at] = weight[i]
            if code is not None:
                codes[at] = code[i]


def _return_loop(
    shares: Ints, places: Ints, source: Buckets, segment: Ints | None, values: Floats, given: Floats
) -> None:
    """Take the rows out of their buckets the way they were dealt."""
    raw, top, ones, bins, of_bucket = source
    for share in range(shares.size - 1):
        mine = places[share]
        for i in range(shares[share], shares[share + 1]):
            key = key_of(raw[i], top, ones)
            own = np.int64(0) if segment is None else segment[i]
            bucket = _bin_of(key, own, bins) >> of_bucket
            at = mine[bucket]
            mine[bucket] = at + 1
            given[i] = values[at]
