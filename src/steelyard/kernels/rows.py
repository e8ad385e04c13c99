"""The rows of each query brought together, matched, sorted; scores as integers of the same order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints, Keys, offsets_of
from steelyard.kernels import choose
from steelyard.kernels.choose import called_in_loops, compiled, in_parallel, read_only, row_shares, use_kernel


class RowMatches(NamedTuple):
    """Per row its judgement or -1; and the rows whose query and key stood before, with the first of each."""

    judgement: Ints
    again: Ints
    first: Ints


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
    if not use_kernel(len(query)):
        return np.argsort(query, kind="stable"), offsets
    order = np.empty(len(query), np.int64)
    compiled(_group_loop)(query, offsets, order)
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


def match_rows(offsets: Ints, key: Keys, judged_offsets: Ints, judged_key: Keys) -> RowMatches:
    """Find for each row the judgement with the same query and key, and the rows that stand twice.

    Rows and judgements are grouped by query (``offsets``); a judgement's key occurs once per query.

    >>> one = np.array([0, 3])
    >>> match_rows(one, np.array([7, 9, 7], np.uint64), np.array([0, 1]), np.array([9], np.uint64))
    RowMatches(judgement=array([-1,  0, -1]), again=array([2]), first=array([0]))
    """
    # allocated here and not in the kernel: NumPy asks for huge pages, and first touch is half the cost
    judgement, earlier = np.empty(len(key), np.int64), np.empty(0, np.int64)
    if use_kernel(len(key) + len(judged_key)):
        run = in_parallel(_match_loop, offsets, judged_offsets)
        if sum(run(key, judged_key, judgement, earlier)):
            earlier = np.empty(len(key), np.int64)
            run(key, judged_key, judgement, earlier)
        again = np.flatnonzero(earlier >= 0)
        return RowMatches(judgement, again, earlier[again])
    n_queries, n_judged = len(offsets) - 1, len(judged_key)
    every = np.arange(n_queries)
    query = np.concatenate((np.repeat(every, np.diff(judged_offsets)), np.repeat(every, np.diff(offsets))))
    order, new = sorted_within(query, np.concatenate((judged_key, key)), n_queries)
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    of_row = group[n_judged:]
    judgement_of = np.full(len(order), -1, np.int64)
    judgement_of[group[:n_judged]] = np.arange(n_judged)
    first = np.empty(len(order), np.int64)
    first[of_row[::-1]] = np.arange(len(key))[::-1]
    again = np.flatnonzero(first[of_row] != np.arange(len(key)))
    return RowMatches(judgement_of[of_row], again, first[of_row[again]])


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


def warm_up() -> None:
    keys, none = np.empty(0, np.uint64), np.empty(0, np.int64)
    choose.warm_up(_match_loop, np.zeros(1, np.int64), np.zeros(1, np.int64), keys, keys, none, none)


def _group_loop(query: Ints, offsets: Ints, order: Ints) -> None:
    place = offsets[:-1].copy()
    for row in range(query.size):
        q = query[row]
        order[place[q]] = row
        place[q] += 1


def _match_loop(
    offsets: Ints, judged_offsets: Ints, key: Keys, judged_key: Keys, judgement: Ints, earlier: Ints
) -> int:
    doubled = 0
    largest = 1
    most_judged = 1
    for q in range(offsets.size - 1):
        n_judged = judged_offsets[q + 1] - judged_offsets[q]
        largest = max(largest, offsets[q + 1] - offsets[q] + n_judged)
        most_judged = max(most_judged, n_judged)
    capacity = 4
    while capacity < 2 * largest:
        capacity *= 2
    # a slot holds a judgement's number within the query, or that of a row after all judgements, or -1:
    # small enough for the table of a usual query to stay in the fastest cache
    slots = np.empty(capacity, np.int32)
    row_of_judgement = np.empty(most_judged, np.int64)
    for q in range(offsets.size - 1):
        first_row, first_judged = offsets[q], judged_offsets[q]
        n_judged = judged_offsets[q + 1] - first_judged
        size = 4
        shift = 62
        while size < 2 * (offsets[q + 1] - first_row + n_judged):
            size *= 2
            shift -= 1
        mask = size - 1
        slots[:size] = -1
        row_of_judgement[:n_judged] = -1
        for j in range(n_judged):
            slot = np.int64(
                (judged_key[first_judged + j] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift)
            )
            while slots[slot] >= 0:
                slot = (slot + 1) & mask
            slots[slot] = j
        for row in range(first_row, offsets[q + 1]):
            k = key[row]
            slot = np.int64((k * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))
            found = np.int64(slots[slot])
            while found >= 0:
                other = (
                    judged_key[first_judged + found]
                    if found < n_judged
                    else key[first_row + found - n_judged]
                )
                if other == k:
                    break
                slot = (slot + 1) & mask
                found = np.int64(slots[slot])
            judgement[row] = -1
            before = np.int64(-1)
            if found < 0:
                slots[slot] = row - first_row + n_judged
            elif found >= n_judged:
                before = first_row + found - n_judged
            else:
                judgement[row] = first_judged + found
                before = row_of_judgement[found]
                if before < 0:
                    row_of_judgement[found] = row
            if before >= 0:
                doubled += 1
            if earlier.size:
                earlier[row] = before
    return doubled


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


Bits = NDArray[Any]  # the scores' bits, as unsigned integers of their width


class PrefixCounts(NamedTuple):
    """Positives and negatives by the leading bits of their score, in the order of the scores."""

    positives: Ints
    negatives: Ints


def prefix_counts(
    score: NDArray[Any], label: NDArray[np.uint8], bits: int, segment: Ints | None = None, n_segments: int = 1
) -> PrefixCounts:
    """Count rows by their segment and the first ``bits`` bits of their score: one pass, no sort.

    >>> counts = prefix_counts(np.array([-1.0, 2.0]), np.array([0, 1], np.uint8), 2)
    >>> counts.positives, counts.negatives
    (array([0, 0, 0, 1]), array([0, 1, 0, 0]))
    """
    counts = np.zeros((2, n_segments << bits), np.int64)
    if use_kernel(len(score)):
        raw, top = raw_bits(score)
        shift = raw.dtype.type(raw.itemsize * 8 - bits)
        own, by_segment = None if segment is None else read_only(segment), counts.reshape(2, n_segments, -1)
        compiled(_prefix_loop)(raw, top, ~raw.dtype.type(0), read_only(label), own, shift, by_segment)
    else:
        key = ordered_bits(score)
        bin_ = (key >> key.dtype.type(key.itemsize * 8 - bits)).astype(np.int64)
        bin_ += 0 if segment is None else segment << bits
        for side in (0, 1):
            counts[side] = np.bincount(bin_[label == side], minlength=n_segments << bits)
    return PrefixCounts(counts[1], counts[0])


def ordered_bits(score: NDArray[Any]) -> Bits:
    """Unsigned integers in the order of the scores; 0.0 and -0.0 are one.

    >>> bits = ordered_bits(np.array([-2.0, -1.0, 0.0, 3.0]))
    >>> bool(np.all(bits[1:] > bits[:-1]))
    True
    """
    raw, top = raw_bits(score + score.dtype.type(0))
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


def on_grid(score: NDArray[Any], grid: NDArray[Any], *, strict: bool) -> NDArray[Any]:
    """Each score as the threshold of the grid, which rises evenly from 0 to 1, that it counts at.

    A score counts at the highest threshold that it reaches. With ``strict`` it must be above a threshold to
    pass it, and counts at the first that it does not pass; the lowest, which stands a little below 0 then, is
    passed by all. Either way a score that counts at a threshold stays there if it is read again.

    >>> scores, grid = np.array([0.0, 0.2, 0.25, 0.9, 1.0]), np.arange(5) / 4
    >>> on_grid(scores, grid, strict=False)
    array([0.  , 0.  , 0.25, 0.75, 1.  ])
    >>> on_grid(scores, grid, strict=True)
    array([0.25, 0.25, 0.25, 1.  , 1.  ])
    """
    if not use_kernel(len(score)):
        at = np.searchsorted(grid, score, side="left" if strict else "right")
        return grid[np.maximum(at, 1) if strict else at - 1]
    read = np.empty_like(score)
    in_parallel(_grid_loop, row_shares(len(score)))(read_only(score), read_only(grid), strict, read)
    return read


def raw_bits(score: NDArray[Any]) -> tuple[Bits, Any]:
    """The bits of scores as they are, and the one of the sign: what ``key_of`` takes."""
    kind = np.uint32 if score.dtype == np.float32 else np.uint64
    return read_only(score).view(kind), kind(1) << kind(kind(0).itemsize * 8 - 1)


@called_in_loops
def key_of(raw: Any, top: Any, ones: Any) -> Any:
    """What ``ordered_bits`` gives one score: ``top``, the bits of -0.0, is also what 0.0 becomes."""
    return raw ^ ones if raw > top else raw | top


def _prefix_loop(
    raw: Bits, top: Any, ones: Any, label: NDArray[np.uint8], segment: Ints | None, shift: Any, counts: Ints
) -> None:
    for i in range(raw.size):
        own = np.int64(0) if segment is None else segment[i]
        counts[label[i], own, np.int64(key_of(raw[i], top, ones) >> shift)] += 1


def _grid_loop(
    offsets: Ints, score: NDArray[Any], grid: NDArray[Any], strict: bool, read: NDArray[Any]
) -> None:
    last = grid.size - 1
    for row in range(offsets[0], offsets[-1]):
        one = score[row]
        at = min(int(one * last), last)  # near its place: thresholds were rounded
        while grid[at] > one:
            at -= 1
        while at < last and grid[at + 1] <= one:
            at += 1
        if strict and (at == 0 or grid[at] < one):
            at += 1
        read[row] = grid[at]
