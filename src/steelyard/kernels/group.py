"""Bring the rows of each query together without sorting them."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Ints
from steelyard.kernels.choose import compiled, pick


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
    order = np.empty(len(query), np.int64)
    pick(len(query), _group, _group_twin)(query, offsets, order)
    return order, offsets


def _group_twin(query: Ints, _offsets: Ints, order: Ints) -> None:
    order[:] = np.argsort(query, kind="stable")


def _group(query: Ints, offsets: Ints, order: Ints) -> None:
    compiled(_group_loop)(query, offsets, order)


def _group_loop(query: Ints, offsets: Ints, order: Ints) -> None:
    place = offsets[:-1].copy()
    for row in range(query.size):
        q = query[row]
        order[place[q]] = row
        place[q] += 1
