"""Ranks as counts: how many rows stand before each hit, and how many are tied with it."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np

from steelyard.arrays import Floats, Ints, Keys
from steelyard.kernels.choose import compiled, in_parallel, use_kernel
from steelyard.kernels.rows import sorted_within
from steelyard.kernels.score_bits import ordered_bits


class Counts(NamedTuple):
    """Per hit: rows of its query with a higher score, and rows with the same score (itself included)."""

    before: Ints
    tied: Ints


def count_before(offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints) -> Counts:
    """Count the rows before and beside each hit; no row is moved.

    ``hit_row`` are row numbers grouped by query (``hit_offsets``), in any order within it.

    >>> count_before(np.array([0, 3]), np.array([2.0, 5.0, 2.0]), np.array([0, 1]), np.array([2]))
    Counts(before=array([1]), tied=array([2]))
    """
    query = np.repeat(np.arange(len(hit_offsets) - 1), np.diff(hit_offsets))
    if not use_kernel(len(score)):
        group, starts, lengths = _score_groups(offsets, score)
        of_hit = group[hit_row]
        return Counts(starts[of_hit] - offsets[query], lengths[of_hit])
    target = score[hit_row]
    counts = np.zeros((2, len(hit_row)), np.int64)
    run = in_parallel(_count_sorted, offsets, hit_offsets)
    if np.all((target[1:] <= target[:-1]) | (query[1:] != query[:-1])):
        run(score, target, counts[0], counts[1])
        return Counts(counts[0], counts[1])
    falling = np.lexsort((-target, query))
    run(score, target[falling], counts[0], counts[1])
    back = np.empty_like(counts)
    back[:, falling] = counts
    return Counts(back[0], back[1])


def count_tied_rows(offsets: Ints, score: Floats) -> int:
    """How many rows share their score with another row of their query.

    >>> count_tied_rows(np.array([0, 3, 5]), np.array([1.0, 1.0, 2.0, 1.0, 2.0]))
    2
    """
    if use_kernel(len(score)):
        return _tied_and_distinct(offsets, score)[0]
    lengths = _score_groups(offsets, score).lengths
    return int(lengths[lengths > 1].sum())


def count_distinct_scores(offsets: Ints, score: Floats) -> int:
    """How many different scores there are, those of each query by themselves.

    >>> count_distinct_scores(np.array([0, 3, 5]), np.array([1.0, 1.0, 2.0, 1.0, 2.0]))
    4
    """
    if use_kernel(len(score)):
        return _tied_and_distinct(offsets, score)[1]
    return len(_score_groups(offsets, score).lengths)


def rows_tied_with_hits(
    offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints, n_rows: int
) -> tuple[Ints, Ints]:
    """The rows that share their score with a hit, hits included, and a number for each tie.

    ``n_rows`` says how many there are.

    >>> rows_tied_with_hits(np.array([0, 3]), np.array([2.0, 5.0, 2.0]), np.array([0, 1]), np.array([2]), 2)
    (array([0, 2]), array([0, 0]))
    """
    if not use_kernel(len(score)):
        group, starts, _ = _score_groups(offsets, score)
        wanted = np.zeros(len(starts), bool)
        wanted[group[hit_row]] = True
        rows = np.flatnonzero(wanted[group])
        return rows, np.unique(group[rows], return_inverse=True)[1].astype(np.int64).reshape(-1)
    hit_score, query = score[hit_row], np.repeat(np.arange(len(hit_offsets) - 1), np.diff(hit_offsets))
    falling = np.lexsort((-hit_score, query))
    target, owner = hit_score[falling], query[falling]
    new = np.ones(len(target), bool)
    new[1:] = (target[1:] != target[:-1]) | (owner[1:] != owner[:-1])
    target_offsets = np.searchsorted(owner[new], np.arange(len(offsets)))
    rows, tie = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    compiled(_tied_with_sorted)(offsets, score, target_offsets, target[new], rows, tie)
    return rows, tie


class _ScoreGroups(NamedTuple):
    """The group of equal scores that each row is in; starts (by query and falling score) and lengths."""

    group: Ints
    starts: Ints
    lengths: Ints


# of the scores that were grouped last, for as long as they live: each of them is asked about three times
_last: tuple[weakref.ref[Floats], weakref.ref[Ints], _ScoreGroups] | None = None


def _score_groups(offsets: Ints, score: Floats) -> _ScoreGroups:
    global _last
    last = _last
    if last is not None and last[0]() is score and last[1]() is offsets:
        return last[2]
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    new = np.ones(len(score), bool)
    if np.all((score[1:] <= score[:-1]) | (query[1:] != query[:-1])):  # as runs are usually written
        new[1:] = (query[1:] != query[:-1]) | (score[1:] != score[:-1])
        group = np.cumsum(new) - 1
    else:
        falling = ~ordered_bits(score)
        wide = falling.astype(np.uint64) << np.uint64(64 - 8 * falling.itemsize)
        order, new = sorted_within(query, wide, len(offsets) - 1)
        group = np.empty(len(order), np.int64)
        group[order] = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    found = _ScoreGroups(group, starts, np.diff(np.append(starts, len(score))))
    _last = (weakref.ref(score, _forget), weakref.ref(offsets), found)
    return found


def _forget(dead: weakref.ref[Floats]) -> None:
    global _last
    if _last is not None and _last[0] is dead:
        _last = None


def _count_sorted(
    offsets: Ints, target_offsets: Ints, score: Floats, target: Floats, before: Ints, tied: Ints
) -> None:
    """``target`` are the scores of the hits, falling within each query."""
    for q in range(offsets.size - 1):
        first, last = target_offsets[q], target_offsets[q + 1]
        if first == last:
            continue
        for row in range(offsets[q], offsets[q + 1]):
            s = score[row]
            low, left = first, last - first
            while left > 1:  # without a branch that a processor could guess wrong
                half = left >> 1
                low += half * (target[low + half - 1] > s)
                left -= half
            low += target[low] > s
            if low < last:
                if target[low] == s:
                    tied[low] += 1
                else:
                    before[low] += 1
        # the rows met at the first hit of a tie stand before, or in, all that follows
        running = 0
        for i in range(first, last):
            if i > first and target[i] == target[i - 1]:
                before[i], tied[i] = before[i - 1], tied[i - 1]
            else:
                if i > first:
                    running += tied[i - 1]
                running += before[i]
                before[i] = running


def _tied_and_distinct(offsets: Ints, score: Floats) -> tuple[int, int]:
    bits = score.view(np.uint64 if score.dtype == np.float64 else np.uint32)
    shares = in_parallel(_tied_and_distinct_loop, offsets)(bits)
    return sum(tied for tied, _ in shares), sum(distinct for _, distinct in shares)


def _tied_and_distinct_loop(offsets: Ints, bits: Keys) -> tuple[int, int]:
    """``bits`` are the scores' bits: equal scores have equal bits, since -0.0 was made 0.0."""
    largest = 1
    for q in range(offsets.size - 1):
        largest = max(largest, offsets[q + 1] - offsets[q])
    capacity = 4
    while capacity < 2 * largest:
        capacity *= 2
    slot_row = np.empty(capacity, np.int64)
    met_again = np.empty(capacity, np.bool_)
    tied = 0
    distinct = 0
    for q in range(offsets.size - 1):
        size = 4
        shift = 62
        while size < 2 * (offsets[q + 1] - offsets[q]):
            size *= 2
            shift -= 1
        mask = size - 1
        slot_row[:size] = -1
        met_again[:size] = False
        for row in range(offsets[q], offsets[q + 1]):
            slot = np.int64((bits[row] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))
            while slot_row[slot] >= 0 and bits[slot_row[slot]] != bits[row]:
                slot = (slot + 1) & mask
            if slot_row[slot] < 0:
                slot_row[slot] = row
                distinct += 1
            elif met_again[slot]:
                tied += 1
            else:
                met_again[slot] = True
                tied += 2
    return tied, distinct


def _tied_with_sorted(
    offsets: Ints, score: Floats, target_offsets: Ints, target: Floats, rows: Ints, tie: Ints
) -> None:
    """``target`` are the distinct scores of the hits, falling within each query."""
    found = 0
    for q in range(offsets.size - 1):
        first, last = target_offsets[q], target_offsets[q + 1]
        if first == last:
            continue
        for row in range(offsets[q], offsets[q + 1]):
            low, high = first, last
            while low < high:
                middle = (low + high) >> 1
                if target[middle] > score[row]:
                    low = middle + 1
                else:
                    high = middle
            if low < last and target[low] == score[row]:
                rows[found] = row
                tie[found] = low
                found += 1
