"""Rows with a label of 0 or 1 and a score, reduced segment by segment in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard import kernels
from steelyard.arrays import Floats, Ints
from steelyard.kernels.concordance import concordance
from steelyard.kernels.means import ratio, segment_sum
from steelyard.states.segmented import Segmented

_EXACT = 2.0**53  # whole numbers below this add up without rounding


@dataclass(frozen=True, kw_only=True)
class ScoreTable:
    """The distinct scores of each segment, rising, with the weight of positives and negatives at each."""

    owner: Ints
    score: Floats
    positives: Floats
    negatives: Floats
    n_segments: int

    def below(self, part: Floats) -> Floats:
        """How much of ``part`` stands at lower scores of the same segment."""
        running = _running(part, self.place)
        return np.where(self.place > 0, np.concatenate(([0.0], running))[:-1], 0.0)

    @cached_property
    def place(self) -> Ints:
        """For each entry, how many of its segment stand before it."""
        return np.arange(len(self.owner)) - self.starts

    @cached_property
    def starts(self) -> Ints:
        """For each entry, where its segment begins."""
        return np.searchsorted(self.owner, self.owner)

    @cached_property
    def total_positives(self) -> Floats:
        """The weight of positives in each segment."""
        return segment_sum(self.positives, self.owner, self.n_segments)

    @cached_property
    def total_negatives(self) -> Floats:
        """The weight of negatives in each segment."""
        return segment_sum(self.negatives, self.owner, self.n_segments)

    def falling(self) -> tuple[Ints, Floats, Floats]:
        """Each entry's segment, and the positives and negatives at its score or above."""
        ends = np.searchsorted(self.owner, self.owner, side="right")
        place = (ends - 1 - np.arange(len(ends)))[::-1]
        above_p, above_n = (_running(part[::-1], place)[::-1] for part in (self.positives, self.negatives))
        return self.owner, above_p, above_n


@dataclass(frozen=True, kw_only=True)
class Scored(Segmented):
    """Labelled, scored rows; ``segment`` is the slice of each row, ``group`` its user or query."""

    label: NDArray[np.uint8]
    score: NDArray[Any]  # float32 or float64, as given: precision decides ties
    group: Ints | None = None
    n_groups: int = 0

    @classmethod
    def of(cls, label: NDArray[np.uint8], score: NDArray[Any], **fields: Any) -> Scored:
        """Labels and scores of one length."""
        return cls(n_rows=len(label), label=label, score=score, **fields)

    @cached_property
    def positives(self) -> Floats:
        """The weight of rows labelled 1."""
        return self.total(self.label)

    @cached_property
    def negatives(self) -> Floats:
        """The weight of rows labelled 0."""
        return self.total(1 - self.label)

    @cached_property
    def auc(self) -> Floats:
        """How often a positive scores above a negative, a tie counting half; NaN with one class only."""
        if self.weight is not None:
            table = self.table
            twice = segment_sum(
                table.positives * (2 * table.below(table.negatives) + table.negatives),
                table.owner,
                self.n_segments,
            )
            return ratio(twice, 2 * table.total_positives * table.total_negatives)
        label, score, offsets = self.label, self.score, np.array([0, len(self.label)])
        if self.segment is not None:
            order, offsets = kernels.group_rows(self.segment, self.n_segments)
            if order is not None:
                label, score = label[order], score[order]
        pairs = concordance(offsets, score, label)
        # integers far beyond 2^53 divide without loss of more than the last bit
        both = pairs.positives.astype(np.float64) * pairs.negatives
        return ratio(pairs.twice.astype(np.float64), 2 * both)

    @cached_property
    def table(self) -> ScoreTable:
        """The distinct scores of each segment with the weight of both classes."""
        segment = self.segments
        order = (
            np.argsort(self.score, kind="stable")
            if self.segment is None
            else np.lexsort((self.score, segment))
        )
        owner, score = segment[order], self.score[order]
        new = np.ones(len(order), bool)
        new[1:] = (owner[1:] != owner[:-1]) | (score[1:] != score[:-1])
        run = np.cumsum(new) - 1
        n_runs = int(new.sum())
        weight, label = self.weights[order], self.label[order]
        return ScoreTable(
            owner=owner[new],
            score=score[new].astype(np.float64),
            positives=segment_sum(weight * label, run, n_runs),
            # not what is left of all weight: beside a large positive a small negative would be lost
            negatives=segment_sum(weight * (1 - label), run, n_runs),
            n_segments=self.n_segments,
        )

    def by_group(self) -> tuple[Scored, Ints]:
        """The same rows with each (segment, group) a segment of its own, and the segment each belongs to."""
        assert self.group is not None
        if self.segment is None:
            inner = Scored.of(
                self.label,
                self.score,
                weight=self.weight,
                segment=self.group,
                n_segments=self.n_groups,
            )
            return inner, np.zeros(self.n_groups, np.int64)
        pairs, code = np.unique(self.segment * self.n_groups + self.group, return_inverse=True)
        inner = Scored.of(
            self.label,
            self.score,
            weight=self.weight,
            segment=code.reshape(-1).astype(np.int64),
            n_segments=len(pairs),
        )
        return inner, pairs // max(self.n_groups, 1)


def _running(part: Floats, place: Ints) -> Floats:
    """The running sum within each segment; ``place`` counts from 0 at the first entry of each.

    Counts are exact in one sum over all, less what stood before the segment. Other weights are added within
    the segment only, in steps of 1, 2, 4, ...: beside a heavy segment a light one would lose its digits.
    """
    if not len(part):
        return part
    one = np.cumsum(part)
    if place[-1] == len(part) - 1:
        return one
    if one[-1] < _EXACT and bool(np.all(part == np.floor(part))):
        first = np.arange(len(part)) - place
        before: Floats = (one - part)[first]
        return one - before
    running = part.copy()
    step = 1
    while step <= int(place.max()):
        running[step:] += np.where(place[step:] >= step, running[:-step], 0.0)
        step *= 2
    return running
