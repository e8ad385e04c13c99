"""Groups with subgroups: of some pairs of documents the judge says nothing, of others by way of a third."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.trec_eval.prefs.counts import Counts
from steelyard.trec_eval.prefs.lines import Contradiction, Lines, each_of

_CELLS = 1 << 22  # pairs of documents that are looked at together


@dataclass(frozen=True)
class Batch:
    """Groups of about the same size: which document each one prefers to which.

    Documents stand by place; where a group has fewer than others ``there`` is False.
    """

    group: Ints
    row: Ints  # by group and document, as all that follows; a line that has the document
    place: Ints
    level: Floats
    found: Flags
    there: Flags
    prefers: Flags  # the one, then the other

    def counts(self) -> Counts:
        """The preferences, counted."""
        one, other = self.found[:, :, None], self.found[:, None, :]
        right = np.triu(self.prefers) & one
        zero = (self.level == 0) & self.there
        positive = self.level > 0
        kept = ~zero | (np.cumsum(zero, axis=1) <= positive.sum(axis=1)[:, None])
        both = kept[:, :, None] & kept[:, None, :]
        return Counts(
            fulfilled=_many(right),
            fulfilled_ret=_many(right & other),
            possible=_many(self.prefers),
            possible_imp=_many(self.prefers & (one | other)),
            possible_ret=_many(self.prefers & one & other),
            relevant=_many(positive),
            relevant_ret=_many(positive & self.found),
            nonrelevant=_many(zero),
            nonrelevant_ret=_many(zero & self.found),
            fulfilled_limited=_many(right & both),
            possible_limited=_many(self.prefers & both),
            fulfilled_limited_ret=_many(right & other & both),
            possible_limited_ret=_many(self.prefers & one & other & both),
        )

    def preferred_to_itself(self) -> Contradiction | None:
        """The first group that contradicts itself, and the line of a document that shows it."""
        group, document = np.nonzero(np.diagonal(self.prefers, axis1=1, axis2=2))
        if not len(group):
            return None
        first = np.argmin(self.group[group])
        return Contradiction(int(self.group[group[first]]), int(self.row[group[first], document[first]]))

    def pairs(self, wanted: Flags) -> tuple[Ints, Ints]:
        """The places of documents that wanted groups prefer, and of those to which they do."""
        group, one, other = np.nonzero(self.prefers & wanted[self.group][:, None, None])
        return self.place[group, one], self.place[group, other]


def _many(flags: Flags) -> Ints:
    return flags.sum(axis=tuple(range(1, flags.ndim)))


def batches(partial: Lines) -> Iterator[Batch]:
    """The groups with all their preferences, those that follow from others included."""
    # the line that was read last says at which level a document is
    read = np.lexsort((-partial.level, partial.subgroup, partial.place, partial.group))
    group, place = partial.group[read], partial.place[read]
    last = np.append((group[1:] != group[:-1]) | (place[1:] != place[:-1]), True)[: len(read)]
    document = np.empty(len(read), np.int64)
    document[read] = np.cumsum(last) - last
    known = partial.at(read[last])
    size = np.bincount(known.group, minlength=partial.n_groups)
    starts = np.cumsum(size) - size

    order = np.argsort(size, kind="stable")
    order = order[size[order] > 0]
    width = np.ceil(np.log2(size[order])).astype(np.int64)  # sizes that differ by less than a factor of two
    part = np.cumsum(size[order] ** 2) // _CELLS + (width << 40)
    batch_of = np.full(partial.n_groups, -1)
    batch_of[order] = np.cumsum(np.diff(part, prepend=-1) != 0) - 1
    row_of = np.empty(partial.n_groups, np.int64)
    row_of[order] = np.arange(len(order)) - np.searchsorted(batch_of[order], batch_of[order])

    by_batch = np.lexsort((-partial.level, partial.subgroup, batch_of[partial.group]))
    said = partial.at(by_batch)
    inside = document[by_batch] - starts[said.group]
    line_cuts = np.searchsorted(batch_of[said.group], np.arange(batch_of.max(initial=-1) + 2))
    group_cuts = np.searchsorted(batch_of[order], np.arange(batch_of.max(initial=-1) + 2))
    for at in range(len(group_cuts) - 1):
        groups = order[group_cuts[at] : group_cuts[at + 1]]
        some = slice(line_cuts[at], line_cuts[at + 1])
        there = np.arange(size[groups].max()) < size[groups][:, None]
        entry = np.where(there, starts[groups][:, None] + np.arange(there.shape[1]), 0)
        prefers = np.zeros((*there.shape, there.shape[1]), bool)
        for one, other in _said(said.subgroup[some], said.level[some]):
            prefers[row_of[said.group[some][one]], inside[some][one], inside[some][other]] = True
        yield Batch(
            group=groups,
            row=known.row[entry],
            place=known.place[entry],
            level=np.where(there, known.level[entry], np.nan),
            found=known.found[entry] & there,
            there=there,
            prefers=_closed(prefers),
        )


def _said(subgroup: Ints, level: Floats) -> Iterator[tuple[Ints, Ints]]:
    """The lines of each subgroup with those of lower levels; they stand by subgroup, the highest first."""
    step = np.cumsum(np.append(True, (subgroup[1:] != subgroup[:-1]) | (level[1:] != level[:-1])))
    starts = np.searchsorted(step, step, side="right")
    ends = np.searchsorted(subgroup, subgroup, side="right")
    return each_of(starts, ends, np.arange(len(subgroup)))


def _closed(prefers: Flags) -> Flags:
    """With all that follows: who prefers a to b and b to c prefers a to c."""
    own = np.arange(prefers.shape[1])
    prefers[:, own, own] = False  # a document at two levels of a subgroup, which the program lets pass
    while True:
        reach: NDArray[np.float32] = prefers.astype(np.float32)
        further = prefers | (reach @ reach > 0)
        if (further == prefers).all():
            return prefers
        prefers = further
