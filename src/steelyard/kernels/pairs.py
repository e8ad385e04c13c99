"""Positives against negatives, bin by bin: the loops behind ``concordance`` and placements."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import called_in_loops
from steelyard.kernels.rows import Bits

_PAIRS_PER_ROW = 24  # up to this many, comparing every pair is faster than sorting
_COUNTED_PER_ROW = 96  # the same of rows without weights, eight at a time
_FITS = 1 << 26  # negatives that eight positives can stand above or be tied with, counted in 32 bits
_SHORT = 4096  # rows whose weights may be added up one by one without losing digits that matter


def place_loop(
    offsets: Ints,
    firsts: Ints,
    room: Bits,
    weight: Floats | None,
    size: int,
    longest: int,
    twice: Any,
    positives: Any,
    negatives: Any,
    placement: Any,
) -> None:
    """Weigh the pairs of each bin, bucket by bucket, and twice what each of its rows outdoes there.

    Counts of rows are whole numbers, exact however many there are; ``twice`` says by its type which it is.
    """
    keys, spare = np.empty(longest, room.dtype), np.empty(longest, room.dtype)
    order, spare_order = np.empty(longest, np.int64), np.empty(longest, np.int64)
    counted = weight is None and placement is None  # faster than weighing
    weighs = np.ones(0 if counted else longest)
    doubled = np.empty(longest)  # what each row outdoes, a tie counting one
    ends = np.empty(2 * size + 1, np.int64)
    digits = np.empty(2048, np.int64)
    for bucket in range(offsets.size - 1):
        # positives, then negatives of each bin, bin after bin
        ends[:] = 0
        for i in range(offsets[bucket], offsets[bucket + 1]):
            ends[np.int64(room[i, 1]) + 1] += 1
        for side in range(2 * size):
            ends[side + 1] += ends[side]
        for i in range(offsets[bucket], offsets[bucket + 1]):
            of = np.int64(room[i, 1])
            at = ends[of]
            keys[at] = room[i, 0]
            if weight is not None:
                weighs[at] = weight[i]
            ends[of] = at + 1
        end = np.int64(0)
        for inner in range(size):
            start = end
            middle, end = ends[2 * inner], ends[2 * inner + 1]
            p, n = middle - start, end - middle
            bin_ = firsts[bucket] + inner
            positives[bin_] = p if weight is None else _total(weighs, start, middle)
            negatives[bin_] = n if weight is None else _total(weighs, middle, end)
            if p == 0 or n == 0:
                if placement is not None:
                    for i in range(start, end):  # mostly none, and a slice costs more
                        doubled[i] = 0.0
            elif counted:
                twice[bin_] = _count(keys, start, middle, end, spare, digits)
            elif p * n <= _PAIRS_PER_ROW * (p + n) and p + n <= _SHORT:
                if placement is None:
                    twice[bin_] = _compare(keys, weighs, start, middle, end, None, twice)
                else:
                    twice[bin_] = _compare(keys, weighs, start, middle, end, doubled, twice)
            else:
                for side in range(2):
                    low, high = (start, middle) if side == 0 else (middle, end)
                    for i in range(low, high):
                        order[i] = i
                    _sort(keys, order, low, high, spare, spare_order, digits)
                twice[bin_] = _outdo(keys, order, weighs, start, middle, middle, end, 1, doubled, twice)
                if placement is not None:
                    _outdo(keys, order, weighs, middle, end, start, middle, -1, doubled, twice)
        if placement is not None:
            for side in range(2 * size, 0, -1):
                ends[side] = ends[side - 1]
            ends[0] = 0
            for i in range(offsets[bucket], offsets[bucket + 1]):
                of = np.int64(room[i, 1])
                placement[i] = doubled[ends[of]]
                ends[of] += 1


@called_in_loops
def _add(total: Any, lost: Any, term: Any) -> Any:
    """The sum, and what it could not hold (Neumaier)."""
    grown = total + term
    if abs(total) >= abs(term):
        return grown, lost + ((total - grown) + term)
    return grown, lost + ((term - grown) + total)


@called_in_loops
def _total(weighs: Floats, low: Any, high: Any) -> Any:
    total = lost = 0.0
    for i in range(low, high):
        total, lost = _add(total, lost, weighs[i])
    return total + lost


@called_in_loops
def _count(keys: Bits, start: Any, middle: Any, end: Any, spare: Bits, digits: Ints) -> Any:
    """Twice the pairs of rows without weights in which the positive is higher, a tie counting one."""
    total = np.int64(0)
    nothing = keys.dtype.type(0)  # below the bits of any score
    p, n = middle - start, end - middle
    if p * n <= _COUNTED_PER_ROW * (p + n) and n < _FITS:
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
        return total
    _sort(keys, None, start, middle, spare, None, digits)
    _sort(keys, None, middle, end, spare, None, digits)
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
    return total


@called_in_loops
def _compare(
    keys: Bits, weighs: Floats, start: Any, middle: Any, end: Any, doubled: Floats | None, twice: Any
) -> Any:
    """Every positive with every negative, four of them at a time; where there are fewer, 0 is below all."""
    nothing = keys.dtype.type(0)
    total = twice.dtype.type(0)
    if doubled is not None:
        doubled[middle:end] = 0.0
    for i in range(start, middle, 4):
        a, of_a = keys[i], weighs[i]
        b, of_b = (keys[i + 1], weighs[i + 1]) if i + 1 < middle else (nothing, 0.0)
        c, of_c = (keys[i + 2], weighs[i + 2]) if i + 2 < middle else (nothing, 0.0)
        d, of_d = (keys[i + 3], weighs[i + 3]) if i + 3 < middle else (nothing, 0.0)
        over_a = over_b = over_c = over_d = 0.0
        for j in range(middle, end):
            key, of_key = keys[j], weighs[j]
            above_a = np.float64(key < a) + np.float64(key <= a)
            above_b = np.float64(key < b) + np.float64(key <= b)
            above_c = np.float64(key < c) + np.float64(key <= c)
            above_d = np.float64(key < d) + np.float64(key <= d)
            over_a += of_key * above_a
            over_b += of_key * above_b
            over_c += of_key * above_c
            over_d += of_key * above_d
            if doubled is not None:
                doubled[j] += (of_a * above_a + of_b * above_b) + (of_c * above_c + of_d * above_d)
        if doubled is not None:
            doubled[i] = over_a
            if i + 1 < middle:
                doubled[i + 1] = over_b
            if i + 2 < middle:
                doubled[i + 2] = over_c
            if i + 3 < middle:
                doubled[i + 3] = over_d
        total += twice.dtype.type((of_a * over_a + of_b * over_b) + (of_c * over_c + of_d * over_d))
    return total


@called_in_loops
def _outdo(
    keys: Bits,
    order: Ints,
    weighs: Floats,
    low: Any,
    high: Any,
    other_low: Any,
    other_high: Any,
    step: Any,
    doubled: Floats,
    twice: Any,
) -> Any:
    """What the rows of one sorted side outdo on the other: those below it, or above it with a step of -1."""
    at, last, other, other_last = low, high, other_low, other_high
    if step < 0:
        at, last, other, other_last = high - 1, low - 1, other_high - 1, other_low - 1
    passed = passed_lost = 0.0
    total = total_lost = twice.dtype.type(0)
    while at != last:
        key = keys[at]
        while other != other_last and (keys[other] < key if step > 0 else keys[other] > key):
            passed, passed_lost = _add(passed, passed_lost, weighs[order[other]])
            other += step
        tied = tied_lost = 0.0
        beside = other
        while beside != other_last and keys[beside] == key:
            tied, tied_lost = _add(tied, tied_lost, weighs[order[beside]])
            beside += step
        over = 2 * (passed + passed_lost) + (tied + tied_lost)
        while at != last and keys[at] == key:
            doubled[order[at]] = over
            term = twice.dtype.type(weighs[order[at]] * over)
            total, total_lost = _add(total, total_lost, term)
            at += step
    return total + total_lost


@called_in_loops
def _sort(
    keys: Bits, order: Ints | None, low: Any, high: Any, spare: Bits, spare_order: Any, digits: Ints
) -> None:
    """Sort a stretch of keys in place, and its rows with it: by insertion where short, else by digits."""
    count = high - low
    if count < 40:
        for i in range(low + 1, high):
            key, j = keys[i], i - 1
            if order is not None:
                row = order[i]
            while j >= low and keys[j] > key:
                keys[j + 1] = keys[j]
                if order is not None:
                    order[j + 1] = order[j]
                j -= 1
            keys[j + 1] = key
            if order is not None:
                order[j + 1] = row
        return
    differ = keys.dtype.type(0)  # the bits that are not the same in all: often none
    for i in range(low, high):
        differ |= keys[i] ^ keys[low]
    source, target = keys, spare
    if order is not None:
        ordered, other_order = order, spare_order
    step = 11 if count > 4096 else 8
    buckets = 1 << step
    for shift in range(0, keys.itemsize * 8, step):
        by = keys.dtype.type(shift)
        if (differ >> by) & keys.dtype.type(buckets - 1) == 0:
            continue
        digits[:buckets] = 0
        for i in range(low, high):
            digits[np.int64(source[i] >> by) & (buckets - 1)] += 1
        place = np.int64(low)
        for value in range(buckets):
            here = digits[value]
            digits[value] = place
            place += here
        for i in range(low, high):
            digit = np.int64(source[i] >> by) & (buckets - 1)
            at = digits[digit]
            digits[digit] = at + 1
            target[at] = source[i]
            if order is not None:
                other_order[at] = ordered[i]
        source, target = target, source
        if order is not None:
            ordered, other_order = other_order, ordered
    for i in range(low, high):
        keys[i] = source[i]
        if order is not None:
            order[i] = ordered[i]


def between_loop(twice: Any, positives: Any, negatives: Any, below: Floats, above: Floats) -> None:
    """Add the pairs of rows of different bins of a segment; and the negatives below each, positives above."""
    n_segments, many = twice.shape
    for segment in range(n_segments):
        passed = lost = twice.dtype.type(0)
        for bin_ in range(many):
            below[segment, bin_] = passed + lost
            twice[segment, bin_] += 2 * positives[segment, bin_] * (passed + lost)
            passed, lost = _add(passed, lost, negatives[segment, bin_])
        passed = lost = twice.dtype.type(0)
        for bin_ in range(many - 1, -1, -1):
            above[segment, bin_] = passed + lost
            passed, lost = _add(passed, lost, positives[segment, bin_])


def cell_loop(
    buckets: Ints,
    shares: Ints,
    offsets: Ints,
    firsts: Ints,
    room: Bits,
    weight: Floats | None,
    code: Any,
    below: Floats,
    above: Floats,
    placement: Floats,
    sums: Floats,
) -> None:
    """Add up rows by cell: the weight of both classes, and what they outdo; each share of buckets apart."""
    for share in range(buckets.size - 1):
        mine = sums[shares[share]]
        for bucket in range(buckets[share], buckets[share + 1]):
            for i in range(offsets[bucket], offsets[bucket + 1]):
                bin_ = firsts[bucket] + np.int64(room[i, 1] >> room.dtype.type(1))
                side = np.int64(room[i, 1] & room.dtype.type(1))
                outdone = 0.5 * placement[i] + (above[bin_] if side else below[bin_])
                cell = code[i]
                if weight is None:
                    mine[cell, side] += 1.0
                    mine[cell, 2 + side] += outdone
                else:
                    mine[cell, side] += weight[i]
                    mine[cell, 2 + side] += weight[i] * outdone


def lift_loop(
    offsets: Ints, firsts: Ints, room: Bits, below: Floats, above: Floats, placement: Floats
) -> None:
    """Add to what each row outdoes in its bin what lies in the others of its segment."""
    for bucket in range(offsets.size - 1):
        for i in range(offsets[bucket], offsets[bucket + 1]):
            bin_ = firsts[bucket] + np.int64(room[i, 1] >> room.dtype.type(1))
            negative = room[i, 1] & room.dtype.type(1)
            placement[i] = 0.5 * placement[i] + (above[bin_] if negative else below[bin_])
