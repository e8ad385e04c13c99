"""Ranks as counts: how many rows stand before each hit, and how many are tied with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import pick


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
    return Counts(*pick(len(score), _count, _count_twin)(offsets, score, hit_offsets, hit_row))


def count_tied_rows(offsets: Ints, score: Floats) -> int:
    """How many rows share their score with another row of their query.

    >>> count_tied_rows(np.array([0, 3, 5]), np.array([1.0, 1.0, 2.0, 1.0, 2.0]))
    2
    """
    return int(pick(len(score), _tied_rows, _tied_rows_twin)(offsets, score))


def rows_tied_with_hits(offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints) -> tuple[Ints, Ints]:
    """The rows that share their score with a hit, hits included, and a number for each tie.

    >>> rows_tied_with_hits(np.array([0, 3]), np.array([2.0, 5.0, 2.0]), np.array([0, 1]), np.array([2]))
    (array([0, 2]), array([0, 0]))
    """
    rows, tie = pick(len(score), _tied_with, _tied_with_twin)(offsets, score, hit_offsets, hit_row)
    return rows, tie


def _query_of(offsets: Ints) -> Ints:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _score_groups(offsets: Ints, score: Floats) -> tuple[Ints, Ints, Ints, Ints]:
    """Rows sorted by query and falling score, with where each run of equal scores starts and its length."""
    query = _query_of(offsets)
    order = np.lexsort((-score, query))
    new = np.empty(len(order), bool)
    new[:1] = True
    new[1:] = (query[order][1:] != query[order][:-1]) | (score[order][1:] != score[order][:-1])
    starts = np.flatnonzero(new)
    lengths = np.diff(np.append(starts, len(order)))
    return order, np.cumsum(new) - 1, starts, lengths


def _count_twin(offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints) -> tuple[Ints, Ints]:
    order, group, starts, lengths = _score_groups(offsets, score)
    group_of = np.empty(len(order), np.int64)
    group_of[order] = group
    of_hit = group_of[hit_row]
    return starts[of_hit] - offsets[_query_of(hit_offsets)], lengths[of_hit]


def _tied_rows_twin(offsets: Ints, score: Floats) -> int:
    lengths = _score_groups(offsets, score)[3]
    return int(lengths[lengths > 1].sum())


def _tied_with_twin(offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints) -> tuple[Ints, Ints]:
    order, group, starts, _ = _score_groups(offsets, score)
    group_of = np.empty(len(order), np.int64)
    group_of[order] = group
    wanted = np.zeros(len(starts), bool)
    wanted[group_of[hit_row]] = True
    rows = np.flatnonzero(wanted[group_of])
    return rows, _renumbered(group_of[rows])


def _renumbered(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _count(offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints) -> tuple[Ints, Ints]:
    n_hits = hit_row.size
    before = np.zeros(n_hits, np.int64)
    tied = np.zeros(n_hits, np.int64)
    for q in range(offsets.size - 1):
        first, last = hit_offsets[q], hit_offsets[q + 1]
        n = last - first
        if n == 0:
            continue
        falling = np.argsort(-score[hit_row[first:last]])
        target = score[hit_row[first:last]][falling]
        above = np.zeros(n + 1, np.int64)
        equal = np.zeros(n + 1, np.int64)
        for row in range(offsets[q], offsets[q + 1]):
            s = score[row]
            low, high = 0, n
            while low < high:
                middle = (low + high) >> 1
                if target[middle] > s:
                    low = middle + 1
                else:
                    high = middle
            if low < n and target[low] == s:
                equal[low] += 1
            else:
                above[low] += 1
        running = 0
        start = 0
        for i in range(n):
            if i > 0 and target[i] != target[i - 1]:
                running += equal[start]
                start = i
            running += above[i]
            before[first + falling[i]] = running
            tied[first + falling[i]] = equal[start]
    return before, tied


def _tied_rows(offsets: Ints, score: Floats) -> int:
    largest = 1
    for q in range(offsets.size - 1):
        largest = max(largest, offsets[q + 1] - offsets[q])
    capacity = 4
    while capacity < 2 * largest:
        capacity *= 2
    slot_row = np.empty(capacity, np.int64)
    met_again = np.empty(capacity, np.bool_)
    bits = score.view(np.uint64)
    total = 0
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
            elif met_again[slot]:
                total += 1
            else:
                met_again[slot] = True
                total += 2
    return total


def _tied_with(offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints) -> tuple[Ints, Ints]:
    rows = np.empty(score.size, np.int64)
    tie = np.empty(score.size, np.int64)
    found = 0
    ties = 0
    for q in range(offsets.size - 1):
        first, last = hit_offsets[q], hit_offsets[q + 1]
        n = last - first
        if n == 0:
            continue
        target = np.unique(score[hit_row[first:last]])
        for row in range(offsets[q], offsets[q + 1]):
            at = np.searchsorted(target, score[row])
            if at < target.size and target[at] == score[row]:
                rows[found] = row
                tie[found] = ties + target.size - 1 - at
                found += 1
        ties += target.size
    return rows[:found].copy(), tie[:found].copy()
