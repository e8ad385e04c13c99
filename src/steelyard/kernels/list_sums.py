"""Sums and counts over the items of each list, and over cells that count as their units were drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import compiled, in_parallel, use_kernel

Often = NDArray[np.uint8]  # how often each unit counts: a row per unit, a column per draw

_WORK_PER_ROW = 16  # numbers that are added up while a kernel reads a row
_AT_ONCE = 1 << 21  # products that the twin holds at a time


def list_sums(offsets: Ints, item: Ints, worth: Floats) -> Floats:
    """The sum of ``worth``, which each item has, over the items of each list, in their order.

    >>> list_sums(np.array([0, 2, 2, 3]), np.array([1, 0, 1]), np.array([0.5, 2.0]))
    array([2.5, 0. , 2. ])
    """
    n = len(offsets) - 1
    if not use_kernel(len(item)):
        return np.bincount(np.repeat(np.arange(n), np.diff(offsets)), worth[item], n).astype(np.float64)
    found, lists = np.zeros(n), np.arange(n + 1)  # cut with the offsets: a share writes its own lists
    in_parallel(_sums_loop, offsets, lists)(item, worth, found)
    return found


def _sums_loop(offsets: Ints, lists: Ints, item: Ints, worth: Floats, found: Floats) -> None:
    for at in range(offsets.size - 1):
        total = 0.0
        for entry in range(offsets[at], offsets[at + 1]):
            total += worth[item[entry]]
        found[lists[at]] = total


def count_below(offsets: Ints, item: Ints, place: Ints, limit: Ints) -> Ints:
    """How many items of each list have a place below its limit.

    >>> count_below(np.array([0, 2, 3]), np.array([1, 0, 1]), np.array([5, 2]), np.array([3, 2]))
    array([1, 0])
    """
    n = len(offsets) - 1
    if not use_kernel(len(item)):
        query = np.repeat(np.arange(n), np.diff(offsets))
        return np.bincount(query[place[item] < limit[query]], minlength=n)
    found = np.zeros(n, np.int64)
    in_parallel(_below_loop, offsets, np.arange(n + 1))(item, place, limit, found)
    return found


def _below_loop(offsets: Ints, lists: Ints, item: Ints, place: Ints, limit: Ints, found: Ints) -> None:
    for at in range(offsets.size - 1):
        n = 0
        for entry in range(offsets[at], offsets[at + 1]):
            n += place[item[entry]] < limit[lists[at]]
        found[lists[at]] = n


def first_ranks(offsets: Ints, item: Ints, n: int) -> Ints:
    """The highest place, counted from 1, that each of ``n`` items has in any list; 0 where it is in none.

    >>> first_ranks(np.array([0, 2, 4]), np.array([2, 0, 0, 2]), 4)
    array([1, 0, 1, 0])
    """
    if use_kernel(len(item)):
        found: Ints = compiled(_ranks_loop)(offsets, item, np.zeros(n, np.int64))
        return found
    rank = np.arange(1, len(item) + 1) - np.repeat(offsets[:-1], np.diff(offsets))
    found = np.full(n, len(item) + 1)
    np.minimum.at(found, item, rank)
    return np.where(found > len(item), 0, found)


def _ranks_loop(offsets: Ints, item: Ints, found: Ints) -> Ints:
    for at in range(offsets.size - 1):
        for entry in range(offsets[at], offsets[at + 1]):
            rank, one = entry - offsets[at] + 1, item[entry]
            if found[one] == 0 or rank < found[one]:
                found[one] = rank
    return found


def drawn_sums(often: Often, unit: Ints, owner: Ints, n: int, values: Floats) -> Floats:
    """The sum of each owner's cells for each draw; cells are in the order of their owners.

    >>> often = np.array([[1, 0], [2, 3]], np.uint8)  # two units, two draws
    >>> unit, owner = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> drawn_sums(often, unit, owner, 2, np.array([10.0, 1.0, 5.0]))
    array([[12.,  3.],
           [10., 15.]])
    """
    sums = np.zeros((n, often.shape[1]))
    if use_kernel(len(unit) * often.shape[1] // _WORK_PER_ROW):
        compiled(_drawn_loop)(np.ascontiguousarray(often), unit, owner, values, sums)
    elif len(unit):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        step = max(1, _AT_ONCE // len(unit))
        for draw in range(0, often.shape[1], step):
            part = slice(draw, draw + step)
            products = often[unit, part] * values[:, None]
            sums[owner[first], part] = np.add.reduceat(products, first, axis=0)
    return sums


def _drawn_loop(often: Often, unit: Ints, owner: Ints, values: Floats, sums: Floats) -> None:
    for cell in range(unit.size):
        for draw in range(often.shape[1]):
            sums[owner[cell], draw] += often[unit[cell], draw] * values[cell]
