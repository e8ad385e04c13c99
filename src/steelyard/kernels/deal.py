"""Rows dealt into buckets, segment by segment and score by score, so that each bucket fits a cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import called_in_loops, in_parallel, read_only, row_shares
from steelyard.kernels.group import BUCKETS, bucket_places, bucket_shift
from steelyard.kernels.score_bits import Bits, key_of, ordered_bits, raw_bits

_ROWS_PER_BIN = 8
_ROWS_UNBINNED = 4096  # of a segment, on average: up to this many it needs no bins
_NEAR_ZERO = 2.0**-16  # of the largest score


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


class Source(NamedTuple):
    """The rows as they came, and how their bucket is found: what loops over them are called with."""

    raw: Bits
    top: Any
    ones: Any
    segment: Ints | None
    bins: Bins
    of_bucket: int


class Dealt(NamedTuple):
    """The rows of each bucket together, in the order they came in.

    A row of ``room`` is the bits of a score, then twice the number of its bin within the bucket, and 1 more
    for a negative.
    """

    source: Source
    n_segments: int
    shares: Ints
    counts: Ints
    offsets: Ints
    room: Bits
    weight: Floats | None
    code: Any = None

    @property
    def bins(self) -> int:
        """How many bins each bucket has."""
        return 1 << self.source.of_bucket

    @property
    def longest(self) -> int:
        """How many rows the largest bucket has."""
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
    source = Source(raw, top, ~raw.dtype.type(0), own, bins, of_bucket)
    shares = row_shares(len(score))
    counts = np.zeros((len(shares), BUCKETS), np.int64)
    in_parallel(_count_loop, shares, counts)(*source)
    places, offsets = bucket_places(counts)
    # allocated here and not in the kernel: NumPy asks for huge pages, and first touch is half the cost
    room = np.empty((len(score), 2), raw.dtype)
    weights = (None, None) if weight is None else (read_only(weight), np.empty(len(score)))
    codes = (None, None) if code is None else (read_only(code), np.empty(len(score), np.int32))
    in_parallel(_deal_loop, shares, places)(*source, read_only(label), room, *weights, *codes)
    return Dealt(source, n_segments, shares, counts, offsets, room, weights[1], codes[1])


def in_given_order(dealt: Dealt, values: Floats) -> Floats:
    """What each dealt row was given, in the order that the rows came in."""
    places, _ = bucket_places(dealt.counts)
    given = np.empty(len(values))
    in_parallel(_return_loop, dealt.shares, places)(*dealt.source, values, given)
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
    """Which of the bins of all segments a score is in."""
    if bins.many == 1:
        return segment
    skipped = min(max(key, bins.near_zero), bins.past_zero) - bins.near_zero
    return segment * bins.many + np.int64((key - skipped - bins.low) >> bins.shift)


def _count_loop(
    shares: Ints,
    counts: Ints,
    raw: Bits,
    top: Any,
    ones: Any,
    segment: Ints | None,
    bins: Any,
    of_bucket: int,
) -> None:
    """Count the rows of each bucket: of the bins whose numbers differ in the last ``of_bucket`` bits."""
    for share in range(shares.size - 1):
        mine = counts[share]
        for i in range(shares[share], shares[share + 1]):
            key = key_of(raw[i], top, ones)
            own = np.int64(0) if segment is None else segment[i]
            mine[_bin_of(key, own, bins) >> of_bucket] += 1


def _deal_loop(
    shares: Ints,
    places: Ints,
    raw: Bits,
    top: Any,
    ones: Any,
    segment: Ints | None,
    bins: Any,
    of_bucket: int,
    label: NDArray[np.uint8],
    room: Bits,
    weight: Floats | None,
    weights: Any,
    code: Ints | None,
    codes: Any,
) -> None:
    """Bring the rows of each bucket together, and their weights and codes, if they have any."""
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
    shares: Ints,
    places: Ints,
    raw: Bits,
    top: Any,
    ones: Any,
    segment: Ints | None,
    bins: Any,
    of_bucket: int,
    values: Floats,
    given: Floats,
) -> None:
    """Take the rows out of their buckets the way they were dealt."""
    for share in range(shares.size - 1):
        mine = places[share]
        for i in range(shares[share], shares[share + 1]):
            key = key_of(raw[i], top, ones)
            own = np.int64(0) if segment is None else segment[i]
            bucket = _bin_of(key, own, bins) >> of_bucket
            at = mine[bucket]
            mine[bucket] = at + 1
            given[i] = values[at]
