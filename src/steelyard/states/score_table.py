"""The distinct scores of rows, with the weight of both classes at each: what curves and AUC are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.concordance import from_ordered_bits, ordered_bits
from steelyard.kernels.means import ratio, segment_sum
from steelyard.states.mergeable import Mergeable

if TYPE_CHECKING:
    from steelyard.states.scored import Scored

_EXACT = 2.0**53  # whole numbers below this add up without rounding
_BITS = 62  # of an int64, with one to spare
_SEGMENTS = 1 << 31  # that fit beside a score of 32 bits and a label


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreTable(Mergeable):
    """The distinct scores of each segment, rising, with the weight of positives and negatives at each.

    ``counted`` says that the weights are counts of rows: then pairs are counted exactly, however many there
    are. Scores of single precision keep their value, and with it their ties.
    """

    kind: ClassVar[str] = "score table"

    owner: Ints
    score: Floats
    positives: Floats
    negatives: Floats
    n_segments: int
    counted: bool = False

    @classmethod
    def empty(cls) -> ScoreTable:
        """The table of no rows."""
        none, nothing = np.zeros(0, np.int64), np.zeros(0)
        return cls(
            owner=none, score=nothing, positives=nothing, negatives=nothing, n_segments=0, counted=True
        )

    @classmethod
    def of(cls, scored: Scored) -> ScoreTable:
        """The distinct scores of labelled rows.

        >>> from steelyard.states import Scored
        >>> table = ScoreTable.of(Scored.of(np.array([1, 0, 1], np.uint8), np.array([0.9, 0.5, 0.5])))
        >>> table.score, table.positives, table.auc
        (array([0.5, 0.9]), array([1., 1.]), array([0.75]))
        """
        if scored.weight is None and scored.score.dtype == np.float32 and scored.n_segments < _SEGMENTS:
            return _counted(scored)
        weight, label = scored.weights, scored.label
        return _compacted(
            scored.segments,
            scored.score,
            weight * label,
            # not what is left of all weight: beside a large positive a small negative would be lost
            weight * (1 - label),
            n_segments=scored.n_segments,
            counted=scored.weight is None,
        )

    def merge(self, other: ScoreTable) -> ScoreTable:
        """The table of the rows of both."""
        names = ("owner", "score", "positives", "negatives")
        return _compacted(
            *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names),
            n_segments=max(self.n_segments, other.n_segments),
            counted=self.counted and other.counted,
        )

    @cached_property
    def auc(self) -> Floats:
        """How often a positive scores above a negative, a tie counting half; NaN with one class only."""
        pairs = self.total_positives * self.total_negatives
        if not self.counted:
            above = self.positives * (2 * self.below(self.negatives) + self.negatives)
            return ratio(segment_sum(above, self.owner, self.n_segments), 2 * pairs)
        many, over = self.positives.astype(np.int64), self.negatives.astype(np.int64)
        over += 2 * self.below(self.negatives).astype(np.int64)
        twice = np.zeros(self.n_segments)
        first = np.flatnonzero(self.place == 0)
        twice[self.owner[first]] = np.add.reduceat(many * over, first) if len(first) else 0
        # int64 has no room for the pairs of billions of rows
        for segment in np.flatnonzero(pairs >= 2.0 ** (_BITS - 1)):
            there = slice(*np.searchsorted(self.owner, [segment, segment + 1]))
            twice[segment] = float(_sum_of_products(many[there], over[there]))
        return ratio(twice, 2 * pairs)

    def below(self, part: Floats) -> Floats:
        """How much of ``part`` stands at lower scores of the same segment."""
        running = _running(part, self.place)
        return np.where(self.place > 0, np.concatenate(([0.0], running))[:-1], 0.0)

    def in_bins(self, bins: int, binning: str) -> Ints:
        """The bin of each entry, those of segment s from ``s * bins`` on: of equal ``width``, or ``mass``.

        Bins of equal mass never split equal scores.
        """
        if binning == "width":
            place = np.floor(self.score * bins)
        else:
            weight = self.positives + self.negatives
            total = segment_sum(weight, self.owner, self.n_segments)[self.owner]
            place = np.floor(self.below(weight) / np.maximum(total, 1e-300) * bins + 1e-9)
        return self.owner * bins + np.minimum(place, bins - 1).astype(np.int64)

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


def _counted(scored: Scored) -> ScoreTable:
    """Unweighted rows of single precision: segment, score and label are one integer, sorted as such."""
    key = ordered_bits(scored.score).astype(np.uint64)
    key <<= np.uint64(1)
    key |= scored.label
    if scored.segment is not None:
        key |= scored.segment.astype(np.uint64) << np.uint64(33)
    key.sort()
    entry = key >> np.uint64(1)
    first = (
        np.flatnonzero(np.concatenate(([True], entry[1:] != entry[:-1]))) if len(key) else np.zeros(0, int)
    )
    positives = np.add.reduceat(key & np.uint64(1), first) if len(first) else np.zeros(0)
    rows = np.diff(np.append(first, len(key)))
    entry = entry[first]
    return ScoreTable(
        owner=(entry >> np.uint64(32)).astype(np.int64),
        score=from_ordered_bits(entry.astype(np.uint32)).astype(np.float64),
        positives=positives.astype(np.float64),
        negatives=rows - positives.astype(np.float64),
        n_segments=scored.n_segments,
        counted=True,
    )


def _compacted(
    owner: Ints, score: NDArray[Any], positives: Floats, negatives: Floats, **fields: Any
) -> ScoreTable:
    """Entries of one segment and score as one, in order."""
    order = np.argsort(score, kind="stable") if fields["n_segments"] == 1 else np.lexsort((score, owner))
    owner, score = owner[order], score[order]
    new = np.ones(len(order), bool)
    new[1:] = (owner[1:] != owner[:-1]) | (score[1:] != score[:-1])
    run = np.cumsum(new) - 1
    n_runs = int(new.sum())
    return ScoreTable(
        owner=owner[new],
        score=score[new].astype(np.float64) + 0.0,  # there is one zero
        positives=segment_sum(positives[order], run, n_runs),
        negatives=segment_sum(negatives[order], run, n_runs),
        **fields,
    )


def _sum_of_products(some: Ints, others: Ints) -> int:
    """``Σ some·others`` of numbers of 0 or more, exactly, however large it is.

    >>> _sum_of_products(np.array([2**40, 1]), np.array([2**41, 3])) == 2**81 + 3
    True
    """
    step = _BITS - int(some.sum()).bit_length()
    total = shift = 0
    while others.any():
        total += int((some * (others & ((1 << step) - 1))).sum()) << shift
        others, shift = others >> step, shift + step
    return total
