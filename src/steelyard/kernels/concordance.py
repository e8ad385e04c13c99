"""Positives against negatives, counted exactly: what AUC and GAUC are made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import called_in_loops, compiled, in_parallel, pick
from steelyard.kernels.group import BUCKETS, bucket_places, bucket_shift, read_only, row_shares

Bits = NDArray[Any]  # the scores' bits, as unsigned integers of their width

_ROWS_PER_BIN = 8
_NEAR_ZERO = 2.0**-16  # of the largest score
_PAIRS_PER_ROW = 96  # up to this many, comparing every pair is faster than sorting
_FITS = 1 << 26  # negatives that eight positives can stand above or be tied with, counted in 32 bits


class Concordance(NamedTuple):
    """Per segment: twice the pairs in which the positive stands above (a tie counts one), and both counts."""

    twice: Ints
    positives: Ints
    negatives: Ints


def concordance(
    score: NDArray[Any], label: NDArray[np.uint8], segment: Ints | None = None, n_segments: int = 1
) -> Concordance:
    """Count, within each segment, how often a positive scores above a negative.

    Integers throughout, so every order of rows and every machine gives the same bits. Scores are compared
    in the precision they come in; ``segment`` is None where all rows are one.

    >>> scores, labels = np.array([0.8, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], np.uint8)
    >>> concordance(scores, labels)
    Concordance(twice=array([7]), positives=array([2]), negatives=array([2]))
    >>> concordance(scores, labels, np.array([1, 0, 1, 0]), 2).twice
    array([2, 2])
    """
    return Concordance(*pick(len(score), _concordance, _concordance_twin)(score, label, segment, n_segments))


class PrefixCounts(NamedTuple):
    """Positives and negatives by the leading bits of their score, in the order of the scores."""

    positives: Ints
    negatives: Ints


def prefix_counts(score: NDArray[Any], label: NDArray[np.uint8], bits: int) -> PrefixCounts:
    """Count rows by the first ``bits`` bits of their score: one pass, no sort.

    >>> counts = prefix_counts(np.array([-1.0, 2.0]), np.array([0, 1], np.uint8), 2)
    >>> counts.positives, counts.negatives
    (array([0, 0, 0, 1]), array([0, 1, 0, 0]))
    """
    return PrefixCounts(*pick(len(score), _prefix, _prefix_twin)(score, label, bits))


def ordered_bits(score: NDArray[Any]) -> Bits:
    """Unsigned integers in the order of the scores; 0.0 and -0.0 are one.

    >>> bits = ordered_bits(np.array([-2.0, -1.0, 0.0, 3.0]))
    >>> bool(np.all(bits[1:] > bits[:-1]))
    True
    """
    raw, top = _raw(score + score.dtype.type(0))
    return np.where(raw >= top, ~raw, raw | top)


def from_ordered_bits(bits: Bits) -> NDArray[Any]:
    """The scores that ``ordered_bits`` made integers of.

    >>> from_ordered_bits(ordered_bits(np.array([-2.0, 0.0, 3.0])))
    array([-2.,  0.,  3.])
    """
    top = bits.dtype.type(1) << bits.dtype.type(bits.dtype.itemsize * 8 - 1)
    raw = np.where(bits >= top, bits ^ top, ~bits)
    scores: NDArray[Any] = raw.view(np.float32 if bits.dtype == np.uint32 else np.float64)
    return scores


def prefix_edges(bins: Ints, bits: int, dtype: Any) -> Floats:
    """The lowest score that the first ``bits`` bits put into each of these bins.

    >>> prefix_edges(np.array([1, 3]), 2, np.float64)
    array([-2.,  2.])
    """
    kind = np.uint32 if dtype == np.float32 else np.uint64
    whole: Bits = bins.astype(kind)
    return from_ordered_bits(whole << kind(kind(0).itemsize * 8 - bits)).astype(np.float64)


def _raw(score: NDArray[Any]) -> tuple[Bits, Any]:
    kind = np.uint32 if score.dtype == np.float32 else np.uint64
    return read_only(score).view(kind), kind(1) << kind(kind(0).itemsize * 8 - 1)


def _concordance_twin(
    score: NDArray[Any], label: NDArray[np.uint8], segment: Ints | None, n_segments: int
) -> tuple[Ints, Ints, Ints]:
    segment = np.zeros(len(score), np.int64) if segment is None else segment
    order = np.lexsort((score, segment))
    segment, score, label = segment[order], score[order], label[order]
    new = np.ones(len(order), bool)
    new[1:] = (segment[1:] != segment[:-1]) | (score[1:] != score[:-1])
    run = np.cumsum(new) - 1
    positives = np.bincount(run, label, minlength=0).astype(np.int64)
    negatives = np.bincount(run, 1 - label, minlength=0).astype(np.int64)
    owner = segment[new]
    below = np.cumsum(negatives) - negatives
    starts = np.searchsorted(owner, owner)
    below = below - below[starts] if len(below) else below
    twice = np.zeros(n_segments, np.int64)
    np.add.at(twice, owner, positives * (2 * below + negatives))
    totals = [
        np.bincount(owner, part, minlength=n_segments).astype(np.int64) for part in (positives, negatives)
    ]
    return twice, totals[0], totals[1]


def _concordance(
    score: NDArray[Any], label: NDArray[np.uint8], segment: Ints | None, n_segments: int
) -> tuple[Ints, Ints, Ints]:
    if not len(score):
        return np.zeros(n_segments, np.int64), np.zeros(n_segments, np.int64), np.zeros(n_segments, np.int64)
    if segment is not None:
        return _within(score, label, segment, n_segments)
    # bins that rise with the score are segments too; between them every pair is decided
    inside, positives, negatives = _within(score, label, *_binned(score))
    below = np.cumsum(negatives) - negatives
    twice = (inside + 2 * positives * below).sum()
    return np.array([twice]), positives.sum(keepdims=True), negatives.sum(keepdims=True)


class _Bins(NamedTuple):
    """Ranges of the scores' bits, from ``low`` on; ``near_zero`` up to ``past_zero`` counts as one number."""

    low: Any
    near_zero: Any
    past_zero: Any
    shift: Any


def _binned(score: NDArray[Any]) -> tuple[_Bins, int]:
    """About as many bins as rows, and how many."""
    least, most = float(score.min()), float(score.max())
    lower = upper = least
    if -np.inf < least < 0 < most < np.inf:
        # with scores on both sides of 0 most bits tell how near they are to it: bins without rows
        near = max(-least, most) * _NEAR_ZERO
        lower, upper = max(least, -near), min(near, most)
    bits = ordered_bits(np.array([least, lower, upper, most], score.dtype) + score.dtype.type(0))
    low, near_zero, past_zero, high = (int(one) for one in bits)
    wide = high - low - (past_zero - near_zero)
    shift = max(0, wide.bit_length() - max(1, len(score) // _ROWS_PER_BIN).bit_length())
    return _Bins(*(bits.dtype.type(one) for one in (low, near_zero, past_zero, shift))), (wide >> shift) + 1


def _within(
    score: NDArray[Any], label: NDArray[np.uint8], within: Ints | _Bins, n: int
) -> tuple[Ints, Ints, Ints]:
    """The counts of each of ``n`` segments or bins."""
    raw, top = _raw(score)
    kind = raw.dtype.type
    segment, bins = None, within
    if not isinstance(within, _Bins):
        segment, bins = read_only(within), _Bins(*[kind(0)] * 4)
    of_bucket = bucket_shift(n)
    source = (raw, top, ~kind(0), segment, bins, of_bucket)
    shares = row_shares(len(score))
    counts = np.zeros((len(shares), BUCKETS), np.int64)
    in_parallel(_count_loop, shares, counts)(*source)
    places, offsets = bucket_places(counts)
    # allocated here and not in the kernel: NumPy asks for huge pages, and first touch is half the cost
    room = np.empty((len(score), 2), raw.dtype)
    in_parallel(_deal_loop, shares, places)(*source, read_only(label), room)
    size = 1 << of_bucket
    firsts = np.arange(BUCKETS + 1) * size
    twice, positives, negatives = (np.zeros(BUCKETS * size, np.int64) for _ in range(3))
    longest = int(np.diff(offsets).max())
    in_parallel(_pairs_loop, offsets, firsts)(room, size, longest, twice, positives, negatives)
    return twice[:n], positives[:n], negatives[:n]


@called_in_loops
def _key(raw: Any, top: Any, ones: Any) -> Any:
    """What ``ordered_bits`` gives one score: ``top``, the bits of -0.0, is also what 0.0 becomes."""
    return raw ^ ones if raw > top else raw | top


@called_in_loops
def _bin(key: Any, bins: Any) -> Any:
    """Which of the bins a score is in."""
    skipped = min(max(key, bins.near_zero), bins.past_zero) - bins.near_zero
    return np.int64((key - skipped - bins.low) >> bins.shift)


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
    """Count the rows of each bucket: of the segments whose numbers differ in the last ``of_bucket`` bits."""
    for share in range(shares.size - 1):
        mine = counts[share]
        for i in range(shares[share], shares[share + 1]):
            code = _bin(_key(raw[i], top, ones), bins) if segment is None else segment[i]
            mine[code >> of_bucket] += 1


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
) -> None:
    """Bring the rows of each bucket together: the bits of the score, then segment within bucket and label."""
    for share in range(shares.size - 1):
        mine = places[share]
        for i in range(shares[share], shares[share + 1]):
            key = _key(raw[i], top, ones)
            code = _bin(key, bins) if segment is None else segment[i]
            bucket = code >> of_bucket
            at = mine[bucket]
            mine[bucket] = at + 1
            room[at, 0] = key
            room[at, 1] = 2 * (code - (bucket << of_bucket)) + 1 - label[i]


def _pairs_loop(
    offsets: Ints,
    firsts: Ints,
    room: Bits,
    size: int,
    longest: int,
    twice: Ints,
    positives: Ints,
    negatives: Ints,
) -> None:
    """Count the pairs of each segment, bucket by bucket, so that all that is touched stays in the cache."""
    keys = np.empty(longest, room.dtype)
    spare = np.empty(longest, room.dtype)
    ends = np.empty(2 * size + 1, np.int64)
    digits = np.empty(2048, np.int64)
    width = room.itemsize * 8
    nothing = room.dtype.type(0)  # below the bits of any score
    for bucket in range(offsets.size - 1):
        # positives, then negatives of each segment, segment after segment
        ends[:] = 0
        for i in range(offsets[bucket], offsets[bucket + 1]):
            ends[np.int64(room[i, 1]) + 1] += 1
        for side in range(2 * size):
            ends[side + 1] += ends[side]
        for i in range(offsets[bucket], offsets[bucket + 1]):
            of = np.int64(room[i, 1])
            keys[ends[of]] = room[i, 0]
            ends[of] += 1
        end = np.int64(0)
        for inner in range(size):
            start = end
            middle, end = ends[2 * inner], ends[2 * inner + 1]
            p, n = middle - start, end - middle
            segment = firsts[bucket] + inner
            positives[segment] = p
            negatives[segment] = n
            if p == 0 or n == 0:
                continue
            total = np.int64(0)
            if p * n <= _PAIRS_PER_ROW * (p + n) and n < _FITS:
                # eight positives at a time, 0 where there are fewer: negatives go through vector registers
                for i in range(start, middle, 8):
                    a = keys[i]
                    b = keys[i + 1] if i + 1 < middle else nothing
                    c = keys[i + 2] if i + 2 < middle else nothing
                    d = keys[i + 3] if i + 3 < middle else nothing
                    e = keys[i + 4] if i + 4 < middle else nothing
                    f = keys[i + 5] if i + 5 < middle else nothing
                    g = keys[i + 6] if i + 6 < middle else nothing
                    h = keys[i + 7] if i + 7 < middle else nothing
                    found = np.int32(0)
                    for j in range(middle, end):
                        key = keys[j]
                        found = np.int32(
                            found
                            + (np.int32(key < a) + np.int32(key <= a))
                            + (np.int32(key < b) + np.int32(key <= b))
                            + (np.int32(key < c) + np.int32(key <= c))
                            + (np.int32(key < d) + np.int32(key <= d))
                            + (np.int32(key < e) + np.int32(key <= e))
                            + (np.int32(key < f) + np.int32(key <= f))
                            + (np.int32(key < g) + np.int32(key <= g))
                            + (np.int32(key < h) + np.int32(key <= h))
                        )
                    total += found
                twice[segment] = total
                continue
            # sort positives and negatives, each in place: by insertion where short, else digit by digit
            for side in range(2):
                low, high = (start, middle) if side == 0 else (middle, end)
                count = high - low
                if count < 40:
                    for i in range(low + 1, high):
                        key = keys[i]
                        j = i - 1
                        while j >= low and keys[j] > key:
                            keys[j + 1] = keys[j]
                            j -= 1
                        keys[j + 1] = key
                    continue
                step = 11 if count > 4096 else 8
                buckets = 1 << step
                source, target = keys, spare
                shift = 0
                while shift < width:
                    digits[:buckets] = 0
                    for i in range(low, high):
                        digits[np.int64(source[i] >> room.dtype.type(shift)) & (buckets - 1)] += 1
                    if digits[np.int64(source[low] >> room.dtype.type(shift)) & (buckets - 1)] < count:
                        place = np.int64(low)
                        for value in range(buckets):
                            here = digits[value]
                            digits[value] = place
                            place += here
                        for i in range(low, high):
                            key = source[i]
                            digit = np.int64(key >> room.dtype.type(shift)) & (buckets - 1)
                            target[digits[digit]] = key
                            digits[digit] += 1
                        source, target = target, source
                    shift += step
                for i in range(low, high):
                    keys[i] = source[i]
            at, above = start, middle
            while at < middle:
                key = keys[at]
                same = 1
                while at + same < middle and keys[at + same] == key:
                    same += 1
                while above < end and keys[above] < key:
                    above += 1
                tied = above
                while tied < end and keys[tied] == key:
                    tied += 1
                total += same * (2 * (above - middle) + tied - above)
                at += same
            twice[segment] = total


def _prefix_twin(score: NDArray[Any], label: NDArray[np.uint8], bits: int) -> tuple[Ints, Ints]:
    key = ordered_bits(score)
    bin_ = (key >> key.dtype.type(key.itemsize * 8 - bits)).astype(np.int64)
    total = np.bincount(bin_, minlength=1 << bits)
    positives = np.bincount(bin_[label == 1], minlength=1 << bits)
    return positives, total - positives


def _prefix(score: NDArray[Any], label: NDArray[np.uint8], bits: int) -> tuple[Ints, Ints]:
    raw, top = _raw(score)
    counts = np.zeros((2, 1 << bits), np.int64)
    shift = raw.dtype.type(raw.itemsize * 8 - bits)
    compiled(_prefix_loop)(raw, top, ~raw.dtype.type(0), read_only(label), shift, counts)
    return counts[1], counts[0]


def _prefix_loop(raw: Bits, top: Any, ones: Any, label: NDArray[np.uint8], shift: Any, counts: Ints) -> None:
    for i in range(raw.size):
        counts[label[i], np.int64(_key(raw[i], top, ones) >> shift)] += 1
