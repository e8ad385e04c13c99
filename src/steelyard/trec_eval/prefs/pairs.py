"""Pairs of documents on which several judges may have an opinion, and the share of these that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.kernels.means import segment_sum
from steelyard.trec_eval.prefs.lines import Lines, each_of


class PairSums(NamedTuple):
    """Per topic the shares of fulfilled preferences added up over its pairs of documents, and the pairs.

    ``_ret`` is of pairs both of which were retrieved, ``_imp`` of those at least one of which was; where none
    was nothing is fulfilled.
    """

    fulfilled: Floats
    fulfilled_ret: Floats
    pairs: Floats
    pairs_imp: Floats
    pairs_ret: Floats


@dataclass(frozen=True)
class Opinions:
    """What is compared: documents, each at a level, and for some a range of others that stand below it.

    The judge is right where the level of the one is higher than that of the other; levels of different ranges
    have nothing to do with each other.
    """

    place: Ints
    level: Floats
    retrieved: Flags
    start: Ints  # of the range below, which has those that were retrieved first
    middle: Ints
    end: Ints

    def __add__(self, more: Opinions) -> Opinions:
        """Both, one after the other."""
        shift = len(self.place)
        return Opinions(
            place=np.concatenate((self.place, more.place)),
            level=np.concatenate((self.level, more.level)),
            retrieved=np.concatenate((self.retrieved, more.retrieved)),
            start=np.concatenate((self.start, more.start + shift)),
            middle=np.concatenate((self.middle, more.middle + shift)),
            end=np.concatenate((self.end, more.end + shift)),
        )


def of_lines(whole: Lines) -> Opinions:
    """Every document with those behind it, in groups without subgroups; lines stand by group and place."""
    start = np.arange(len(whole.group)) + 1
    retrieved = np.bincount(whole.group[whole.found], minlength=whole.n_groups)
    middle = np.searchsorted(whole.group, whole.group) + retrieved[whole.group]
    end = np.searchsorted(whole.group, whole.group, side="right")
    return Opinions(whole.place, whole.level, whole.found, start, np.maximum(start, middle), end)


def of_preferences(better: Ints, worse: Ints, retrieved: Flags) -> Opinions:
    """Preferences one by one; ``retrieved`` is of each place."""
    n = len(better)
    one, other = np.minimum(better, worse), np.maximum(better, worse)
    second, nothing = n + np.arange(n), np.zeros(n, np.int64)
    return Opinions(
        place=np.concatenate((one, other)),
        level=np.concatenate((np.where(better < worse, 1.0, -1.0), nothing)),
        retrieved=np.concatenate((retrieved[one], retrieved[other])),
        start=np.concatenate((second, nothing)),
        middle=np.concatenate((second + retrieved[other], nothing)),
        end=np.concatenate((second + 1, nothing)),
    )


def pair_sums(opinions: Opinions, topic: Ints, n: int) -> PairSums:
    """Add up the shares of each topic; ``topic`` is of each place."""
    found = opinions.retrieved
    total = np.zeros(n)
    # in the order in which trec_eval adds, as the last bit of a sum shows where a value ends in a 5
    pairs_ret = _added(total, opinions, found, opinions.start, opinions.middle, topic)
    fulfilled_ret = total.copy()
    pairs_imp = pairs_ret + _added(total, opinions, found, opinions.middle, opinions.end, topic)
    fulfilled = total.copy()
    pairs = pairs_imp + _added(total, opinions, ~found, opinions.start, opinions.end, topic)
    return PairSums(fulfilled, fulfilled_ret, pairs, pairs_imp, pairs_ret)


def _added(total: Floats, opinions: Opinions, which: Flags, starts: Ints, ends: Ints, topic: Ints) -> Floats:
    """Add the share of every pair to its topic's total, one after the other; and count the pairs."""
    rows = np.flatnonzero(which & (starts < ends))
    rows = rows[np.argsort(opinions.place[rows], kind="stable")]
    many = np.zeros(len(total))
    for row, other in each_of(starts[rows], ends[rows], opinions.place[rows]):
        one = rows[row]
        differ = opinions.level[one] != opinions.level[other]
        one, other = one[differ], other[differ]
        pair = opinions.place[one] * len(topic) + opinions.place[other]
        order = np.argsort(pair, kind="stable")
        pair, right = pair[order], (opinions.level[one] > opinions.level[other])[order]
        first = np.flatnonzero(np.diff(pair, prepend=-1))  # of the opinions on each pair
        bounds = np.append(first, len(pair))
        fulfilled = np.diff(np.append(0, np.cumsum(right))[bounds])
        of_pair = topic[pair[first] // len(topic)]
        np.add.at(total, of_pair, fulfilled / np.diff(bounds))
        many += segment_sum(np.ones(len(first)), of_pair, len(total))
    return many
