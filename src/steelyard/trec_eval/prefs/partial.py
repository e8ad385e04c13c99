"""Groups with subgroups: of some pairs of documents the judge says nothing, of others by way of a third."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.ranked import places
from steelyard.trec_eval.prefs.counts import Counts
from steelyard.trec_eval.prefs.lines import Contradiction, Lines, each_of

_CELLS = 1 << 22  # pairs of documents that are looked at together


@dataclass(frozen=True)
class Batch:
    """Groups of about the same size: which document each one prefers to which.

    Documents stand by place; where a group has fewer than others, the level is NaN.
    """

    group: Ints
    row: Ints  # by group and document, as all that follows; a line that has the document
    place: Ints
    level: Floats
    found: Flags
    prefers: Flags  # the one, then the other

    def counts(self) -> Counts:
        """The preferences, counted."""
        one, other = self.found[:, :, None], self.found[:, None, :]
        right = np.triu(self.prefers) & one
        zero, positive = self.level == 0, self.level > 0
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
    found: Ints = np.count_nonzero(flags, axis=tuple(range(1, flags.ndim)))
    return found


def batches(partial: Lines) -> Iterator[Batch]:
    """The groups with all their preferences, those that follow from others included."""
    # of several lines on a document the one that trec_eval reads last says at which level it is
    read = np.lexsort((-partial.level, partial.subgroup, partial.place, partial.group))
    last = np.append(~partial.at(read).again, True)[: len(read)]
    known = partial.at(read[last])
    size = np.bincount(known.group, minlength=partial.n_groups)
    starts = np.cumsum(size) - size
    number = np.empty(len(read), np.int64)  # of each line's document within its group
    number[read] = np.cumsum(last) - last - starts[partial.group[read]]

    order, batch = _batched(size)
    row, batch_of = np.full((2, partial.n_groups), -1)
    batch_of[order] = batch
    row[order] = places(batch)
    by_batch = np.lexsort((-partial.level, partial.subgroup, batch_of[partial.group]))
    said, number = partial.at(by_batch), number[by_batch]
    every = np.arange(batch[-1] + 2) if len(batch) else np.zeros(1, np.int64)
    groups_of = pairwise(np.searchsorted(batch, every))
    lines_of = pairwise(np.searchsorted(batch_of[said.group], every))
    for (first, end), some in zip(groups_of, lines_of, strict=True):
        groups, some_said, some_number = order[first:end], said.at(np.arange(*some)), number[slice(*some)]
        there = np.arange(size[groups[-1]]) < size[groups][:, None]
        prefers = np.zeros((*there.shape, there.shape[1]), bool)
        for one, other in _said(some_said):
            prefers[row[some_said.group[one]], some_number[one], some_number[other]] = True
        document = np.where(there, starts[groups][:, None] + np.arange(there.shape[1]), 0)
        yield Batch(
            group=groups,
            row=known.row[document],
            place=known.place[document],
            level=np.where(there, known.level[document], np.nan),
            found=known.found[document] & there,
            prefers=_closed(prefers),
        )


def _batched(size: Ints) -> tuple[Ints, Ints]:
    """Groups that are looked at together: by size, not too many, and none twice as large as another."""
    order = np.argsort(size, kind="stable")
    order = order[size[order] > 0]
    doubling = np.ceil(np.log2(size[order])).astype(np.int64)
    part = np.cumsum(size[order] ** 2) // _CELLS
    new = (np.diff(part, prepend=-1) != 0) | (np.diff(doubling, prepend=-1) != 0)
    return order, np.cumsum(new) - 1


def _said(some: Lines) -> Iterator[tuple[Ints, Ints]]:
    """The lines of each subgroup with those of lower levels; they stand by subgroup, the highest first."""
    subgroup, level = some.subgroup, some.level
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
