"""The preferences of each group, counted by levels and ranks: no pair of documents is listed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Flags, Ints
from steelyard.trec_eval.prefs.lines import Lines


class Counts(NamedTuple):
    """How many preferences each group has, and how many the ranking fulfils.

    ``_ret`` counts those of which both documents were retrieved, ``_imp`` those of which at least one was.
    ``_limited`` and ``_limited_ret`` leave out the last nonrelevant documents, so that there are no more of
    them than relevant ones, the way trec_eval does it.
    """

    fulfilled: Ints
    fulfilled_ret: Ints
    possible: Ints
    possible_imp: Ints
    possible_ret: Ints
    relevant: Ints
    relevant_ret: Ints
    nonrelevant: Ints
    nonrelevant_ret: Ints
    fulfilled_limited: Ints
    possible_limited: Ints
    fulfilled_limited_ret: Ints
    possible_limited_ret: Ints


def counts(whole: Lines) -> Counts:
    """Count the preferences of groups without subgroups; their lines stand by group and place."""
    group, level, found, n = whole.group, whole.level, whole.found, whole.n_groups

    def many(where: Flags) -> Ints:
        return np.bincount(group[where], minlength=n)

    def total(values: Ints, where: Flags) -> Ints:
        return np.bincount(group[where], values[where], n).astype(np.int64)

    _, code = np.unique(level, return_inverse=True)
    size, retrieved = np.bincount(group, minlength=n), many(found)
    cells = _Cells(group, code, found, n)
    possible = cells.pairs(retrieved=True, others=True)
    possible_ret = cells.pairs(retrieved=True, others=False)
    neither = cells.pairs(retrieved=False, others=True)
    fulfilled_ret = _in_order(group[found], code[found], n)
    fulfilled = fulfilled_ret + cells.implied()
    relevant, relevant_ret = many(level > 0), many((level > 0) & found)

    # trec_eval takes the lowest level for that of all nonrelevant documents. It keeps as many of these as are
    # relevant, and sets every document of the group against them, even those of the same level
    low = code == cells.lowest[group]
    lows, lows_ret = many(low), many(low & found)
    nth = np.cumsum(low) - 1 - (np.cumsum(lows) - lows)[group]
    starts = np.cumsum(size) - size
    new = np.append(True, ~whole.again)[: len(group)]
    first = np.flatnonzero(new)[np.cumsum(new) - 1]  # the first line of the same document
    above = np.minimum(first - starts[group], retrieved[group])
    higher = np.cumsum(np.append(0, found & ~low))
    higher_above = higher[first] - higher[starts[group]]
    kept, kept_ret = low & (nth < relevant[group]), low & found & (nth < relevant_ret[group])
    return Counts(
        fulfilled=fulfilled,
        fulfilled_ret=fulfilled_ret,
        possible=possible,
        possible_imp=possible - neither,
        possible_ret=possible_ret,
        relevant=relevant,
        relevant_ret=relevant_ret,
        nonrelevant=size - relevant,
        nonrelevant_ret=retrieved - relevant_ret,
        fulfilled_limited=fulfilled - total(higher_above, low) + total(above, kept),
        possible_limited=possible - (size - lows) * lows + size * many(kept),
        fulfilled_limited_ret=fulfilled_ret - total(higher_above, low & found) + total(above, kept_ret),
        possible_limited_ret=possible_ret - (retrieved - lows_ret) * lows_ret + retrieved * many(kept_ret),
    )


class _Cells:
    """How many documents each group has at each of its levels, retrieved or not."""

    def __init__(self, group: Ints, code: Ints, found: Flags, n: int) -> None:
        span = int(code.max(initial=0)) + 1
        cells, of_line = np.unique(group * span + code, return_inverse=True)
        self._group, self._n = cells // span, n
        self._found = np.bincount(of_line[found], minlength=len(cells))
        self._others = np.bincount(of_line[~found], minlength=len(cells))
        self.lowest = np.zeros(n, np.int64)
        self.lowest[self._group[::-1]] = (cells % span)[::-1]

    def _by_group(self, values: Ints) -> Ints:
        return np.bincount(self._group, values, self._n).astype(np.int64)

    def pairs(self, *, retrieved: bool, others: bool) -> Ints:
        """The pairs of different levels."""
        many = self._found * retrieved + self._others * others
        return (self._by_group(many) ** 2 - self._by_group(many**2)) // 2

    def implied(self) -> Ints:
        """The pairs whose higher document was retrieved and the lower not."""
        so_far = np.cumsum(self._found)
        last = np.searchsorted(self._group, self._group, side="right") - 1
        return self._by_group(self._others * (so_far[last] - so_far))


def _in_order(group: Ints, code: Ints, n: int) -> Ints:
    """The pairs of each group, which stands in order of rank, whose first is of the higher level.

    The highest bit in which two levels differ decides; for each bit those that agree above it stand together.
    """
    found = np.zeros(n, np.int64)
    for bit in range(int(code.max(initial=0)).bit_length()):
        alike = code >> (bit + 1)
        order = np.lexsort((alike, group))
        higher = (code[order] >> bit & 1).astype(bool)
        new = (np.diff(group[order], prepend=-1) != 0) | (np.diff(alike[order], prepend=-1) != 0)
        so_far = np.cumsum(higher) - higher
        before = so_far - so_far[np.flatnonzero(new)][np.cumsum(new) - 1]
        found += np.bincount(group[order][~higher], before[~higher], n).astype(np.int64)
    return found
