"""Find the judgement of each row, and the rows that stand twice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Ints, Keys
from steelyard.kernels import choose
from steelyard.kernels.choose import pick
from steelyard.kernels.group import sorted_within


class Matches(NamedTuple):
    """Per row its judgement or -1; and the rows whose query and key stood before, with the first of each."""

    judgement: Ints
    again: Ints
    first: Ints


def match_rows(offsets: Ints, key: Keys, judged_offsets: Ints, judged_key: Keys) -> Matches:
    """Find for each row the judgement with the same query and key, and the rows that stand twice.

    Rows and judgements are grouped by query (``offsets``); a judgement's key occurs once per query.

    >>> one = np.array([0, 3])
    >>> match_rows(one, np.array([7, 9, 7], np.uint64), np.array([0, 1]), np.array([9], np.uint64))
    Matches(judgement=array([-1,  0, -1]), again=array([2]), first=array([0]))
    """
    run = pick(len(key) + len(judged_key), _match, _match_twin)
    # allocated here and not in the kernel: NumPy asks for huge pages, and first touch is half the cost
    judgement, earlier = np.empty(len(key), np.int64), np.empty(0, np.int64)
    if run(offsets, key, judged_offsets, judged_key, judgement, earlier):
        earlier = np.empty(len(key), np.int64)
        run(offsets, key, judged_offsets, judged_key, judgement, earlier)
    again = np.flatnonzero(earlier >= 0)
    return Matches(judgement, again, earlier[again])


def warm_up() -> None:
    """Get ready for large tables in the background."""
    keys, none = np.empty(0, np.uint64), np.empty(0, np.int64)
    choose.warm_up(_match_loop, np.zeros(1, np.int64), np.zeros(1, np.int64), keys, keys, none, none)


def _match_twin(
    offsets: Ints, key: Keys, judged_offsets: Ints, judged_key: Keys, judgement: Ints, earlier: Ints
) -> int:
    n_queries = len(offsets) - 1
    every = np.arange(n_queries)
    query = np.concatenate((np.repeat(every, np.diff(judged_offsets)), np.repeat(every, np.diff(offsets))))
    both = np.concatenate((judged_key, key))
    order, new = sorted_within(query, both, n_queries)
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    n_groups = int(new.sum())
    judgement_of = np.full(n_groups, -1, np.int64)
    judgement_of[group[: len(judged_key)]] = np.arange(len(judged_key))
    of_row = group[len(judged_key) :]
    first = np.empty(n_groups, np.int64)
    backwards = np.arange(len(key))[::-1]
    first[of_row[backwards]] = backwards
    judgement[:] = judgement_of[of_row]
    again = first[of_row] != np.arange(len(key))
    if len(earlier):
        earlier[:] = np.where(again, first[of_row], -1)
    return int(again.sum())


def _match(
    offsets: Ints, key: Keys, judged_offsets: Ints, judged_key: Keys, judgement: Ints, earlier: Ints
) -> int:
    run = choose.in_parallel(_match_loop, offsets, judged_offsets)
    return sum(run(key, judged_key, judgement, earlier))


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
