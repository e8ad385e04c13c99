"""The distinct scores of rows, with the weight of both classes at each: what curves and AUC are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Frozen, Ints, once
from steelyard.engine.columns import Precision, rounded
from steelyard.kernels.means import ratio, running_sums, segment_sum
from steelyard.kernels.rows import from_ordered_bits, ordered_bits

if TYPE_CHECKING:
    from steelyard.engine.scored import Scored

_SEGMENTS = 1 << 31  # that fit beside a score of 32 bits and a label


class Bins(NamedTuple):
    """The bins that have entries: the segment of each, its place in it, and the bin of each entry."""

    owner: Ints
    place: Ints
    of_entry: Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreTable(Frozen):
    """The distinct scores of each segment, rising, with the weight of positives and negatives at each.

    ``counted`` says that the weights are counts of rows: then pairs are counted exactly, however many there
    are. Scores of single precision keep their value, and with it their ties; ``precision`` is what they came
    in.
    """

    owner: Ints
    score: Floats
    positives: Floats
    negatives: Floats
    n_segments: int
    counted: bool = False
    precision: Precision = "float64"

    @classmethod
    def of(cls, scored: Scored) -> ScoreTable:
        """The distinct scores of labelled rows.

        >>> from steelyard.engine.scored import Scored
        >>> table = ScoreTable.of(Scored.of(np.array([1, 0, 1], np.uint8), np.array([0.9, 0.5, 0.5])))
        >>> table.score, table.positives, table.negatives
        (array([0.5, 0.9]), array([1., 1.]), array([1., 0.]))
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
            precision=scored.precision,
        )

    def below(self, part: Floats) -> Floats:
        running = running_sums(part, self.place)
        return np.where(self.place > 0, np.concatenate(([0.0], running))[:-1], 0.0)

    def in_bins(self, bins: int, binning: str) -> Bins:
        """The bins of equal ``width``, or equal ``mass``, that entries are in.

        A bin of equal width owns its upper border, the first one 0 too; of ``width_lower`` its lower one, and
        the border 1 is a further bin. Bins of equal mass never split equal scores.
        """
        n = bins
        if binning == "width":
            place = np.searchsorted(self.rounded(np.arange(1, bins + 1) / bins), self.score)
        elif binning == "width_lower":
            n = bins + 1
            borders = self.rounded(np.arange(1, bins + 1) / bins)
            place = np.searchsorted(borders, self.score, side="right")
        else:
            weight = self.positives + self.negatives
            total = segment_sum(weight, self.owner, self.n_segments)[self.owner]
            place = np.floor(np.nan_to_num(ratio(self.below(weight), total)) * bins + 1e-9).astype(np.int64)
        code = self.owner * n + np.minimum(place, n - 1)
        # scores rise within a segment, and so do bins
        new = np.ones(len(code), bool)
        new[1:] = code[1:] != code[:-1]
        return Bins(owner=self.owner[new], place=code[new] % n, of_entry=np.cumsum(new) - 1)

    def rounded(self, borders: Floats) -> Floats:  # in the precision of the scores
        return rounded(borders, self.precision)

    @once
    def place(self) -> Ints:  # within its segment
        return np.arange(len(self.owner)) - self.starts

    @once
    def starts(self) -> Ints:  # where the segment of each entry begins
        return np.searchsorted(self.owner, self.owner)

    @once
    def total_positives(self) -> Floats:
        return segment_sum(self.positives, self.owner, self.n_segments)

    @once
    def total_negatives(self) -> Floats:
        return segment_sum(self.negatives, self.owner, self.n_segments)

    def falling(self) -> tuple[Ints, Floats, Floats]:
        """Each entry's segment, and the positives and negatives at its score or above."""
        ends = np.searchsorted(self.owner, self.owner, side="right")
        place = (ends - 1 - np.arange(len(ends)))[::-1]
        above_p, above_n = (
            running_sums(part[::-1], place)[::-1] for part in (self.positives, self.negatives)
        )
        return self.owner, above_p, above_n


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
        precision=scored.precision,
    )


def _compacted(
    owner: Ints, score: NDArray[Any], positives: Floats, negatives: Floats, **fields: Any
) -> ScoreTable:
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
