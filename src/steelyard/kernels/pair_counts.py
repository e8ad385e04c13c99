"""The pairs of rows without weights, counted: the loop behind ``concordance``."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Ints
from steelyard.kernels.rows import Bits

_PAIRS_PER_ROW = 96  # up to this many, comparing every pair is faster than sorting
_FITS = 1 << 26  # negatives that eight positives can stand above or be tied with, counted in 32 bits


def pairs_loop(
    offsets: Ints,
    firsts: Ints,
    room: Bits,
    size: int,
    longest: int,
    twice: Ints,
    positives: Ints,
    negatives: Ints,
) -> None:
    """Count the pairs of each bin, bucket by bucket, so that all that is touched stays in the cache."""
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
