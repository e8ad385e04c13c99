"""Pairs of documents on which several judges may have an opinion, and the share of these that is fulfilled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.trec_eval.prefs.lines import Lines, each_of


class PairSums(NamedTuple):
    """Per topic the shares of fulfilled preferences added up over its pairs of documents, and the pairs.

    First of pairs both of which were retrieved, then also of those one of which was; those none of which was
    have no share.
    """

    fulfilled_ret: Floats
    fulfilled: Floats
    pairs_ret: Ints
    pairs_imp: Ints
    pairs: Ints


class Entries(NamedTuple):
    """The document of each line or preference that stands first, and a range of others below it.

    A pair of them is fulfilled where the level of the first is the higher one, against it where it is lower.
    """

    place: Ints
    level: Floats
    found: Flags
    start: Ints
    middle: Ints  # where the range comes to documents that were not retrieved
    end: Ints


def pair_sums(whole: Lines, better: Ints, worse: Ints, retrieved: Flags, topic: Ints, n: int) -> PairSums:
    """Add up the shares of each topic.

    ``whole`` are lines of groups without subgroups, by group and place; ``better`` and ``worse`` the places of
    documents that other groups prefer and to which they do. ``retrieved`` and ``topic`` are of each place.
    """
    lines, others = _of_lines(whole), _of_preferences(better, worse, retrieved, len(whole.place))
    entries = Entries(*(np.concatenate(both) for both in zip(lines, others, strict=True)))
    entries = Entries(*(field[np.argsort(entries.place, kind="stable")] for field in entries))
    below = np.concatenate((whole.place, np.maximum(better, worse)))
    level = np.concatenate((whole.level, np.zeros(len(better))))
    total, many = np.zeros(n), np.zeros(n, np.int64)
    after = []
    # in the order in which trec_eval adds, as the last bit of a sum shows where a value ends in a 5
    for first, start, end in (
        (entries.found, entries.start, entries.middle),
        (entries.found, entries.middle, entries.end),
        (~entries.found, entries.start, entries.end),
    ):
        place, own, starts, ends = (field[first] for field in (entries.place, entries.level, start, end))
        for one, other in each_of(starts, ends, place):
            differ = own[one] != level[other]
            one, other = one[differ], other[differ]
            key = place[one] * len(topic) + below[other]
            order = np.argsort(key, kind="stable")
            pairs, at, opinions = np.unique(key[order], return_index=True, return_counts=True)
            fulfilled = np.add.reduceat((own[one] > level[other])[order], at, dtype=np.int64) if len(at) else at
            of_pair = topic[pairs // len(topic)]
            np.add.at(total, of_pair, fulfilled / opinions)
            many += np.bincount(of_pair, minlength=n)
        after.append((total.copy(), many.copy()))
    (fulfilled_ret, pairs_ret), (fulfilled_imp, pairs_imp), (_, every) = after
    return PairSums(fulfilled_ret, fulfilled_imp, pairs_ret, pairs_imp, every)


def _of_lines(whole: Lines) -> Entries:
    """Each line with those behind it in its group."""
    start = np.arange(len(whole.group)) + 1
    end = np.searchsorted(whole.group, whole.group, side="right")
    retrieved = np.bincount(whole.group, whole.found, whole.n_groups).astype(np.int64)
    middle = np.searchsorted(whole.group, whole.group) + retrieved[whole.group]
    return Entries(whole.place, whole.level, whole.found, start, np.maximum(start, middle), end)


def _of_preferences(better: Ints, worse: Ints, retrieved: Flags, first: int) -> Entries:
    """Each preference by itself, its documents in order of place; the second is at level 0."""
    one, other = np.minimum(better, worse), np.maximum(better, worse)
    start = first + np.arange(len(one))
    return Entries(
        place=one,
        level=np.where(better < worse, 1.0, -1.0),
        found=retrieved[one],
        start=start,
        middle=start + retrieved[other],
        end=start + 1,
    )
