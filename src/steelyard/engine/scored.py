"""Rows with a label of 0 or 1 and a score, reduced segment by segment in one pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Frozen, Ints, once
from steelyard.engine.columns import SINGLE, Precision, in_single, read_at, rounded
from steelyard.engine.influence import Cells, Segmented, Units
from steelyard.kernels.concordance import CellPairs, Concordance, Placed, cell_pairs, concordance, placements
from steelyard.kernels.means import class_sums, ratio, running_sums, segment_sum
from steelyard.kernels.rows import from_ordered_bits, ordered_bits
from steelyard.text import Message, say
from steelyard.text.errors import measuring


@dataclass(frozen=True)
class RowTerm:
    """A number of each row that a metric adds up; metrics that share a term, by its name, share its sum."""

    name: str
    formula: Callable[[Any], Floats] = field(compare=False)

    def each(self, rows: Segmented) -> Floats:
        return self.formula(rows) if rows.condensed is None else rows.condensed.terms[self.name].to_numpy()

    def total(self, rows: Segmented) -> Floats:
        return rows.made_once(self, lambda: rows.total(self.each(rows)))


class RowSums(NamedTuple):
    """What a metric adds up over rows of the same class and the same ``keys``, besides their weight."""

    keys: tuple[NDArray[Any], ...] = ()
    terms: tuple[RowTerm, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rated(Segmented):
    """Rows with a true and a predicted number."""

    truth: Floats
    predicted: Floats

    @classmethod
    def of(cls, truth: Floats, predicted: Floats, **fields: Any) -> Rated:
        return cls(n_rows=len(truth), truth=truth, predicted=predicted, **fields)

    @once
    def miss(self) -> Floats:
        return self.truth - self.predicted

    @once
    def lowest(self) -> Floats:  # infinity where there is no row
        return self._extreme(np.minimum, np.inf)

    @once
    def varies(self) -> Flags:
        return self._extreme(np.maximum, -np.inf) > self.lowest

    @once
    def off_mean(self) -> Floats:
        """How far each true rating is from the mean of its segment.

        Measured from the lowest rating, so that a large common offset costs no digits.
        """
        origin = np.where(np.isfinite(self.lowest), self.lowest, 0.0)
        above = self.truth - origin[self.segments]
        weight = self.total()
        mean = np.divide(self.total(above), weight, out=np.zeros(self.n_segments), where=weight > 0)
        return above - mean[self.segments]

    @property
    def spread(self) -> Floats:
        return self.sound(self.total(self.off_mean**2), self.off_mean)

    def sound(self, total: Floats, values: Floats) -> Floats:
        """The sums of squares of ``values``; refused where the squares are too small for a number."""
        small = total < 1e-290
        if small.any() and self.total(values != 0)[small].any():
            raise measuring.tiny_squares()
        return total

    def _extreme(self, kind: np.ufunc, empty: float) -> Floats:
        counted = self.weights > 0
        out = np.full(self.n_segments, empty)
        kind.at(out, self.segments[counted], self.truth[counted])
        return out


_SEGMENTS = 1 << 31  # that fit beside a score of 32 bits and a label


class ScoreBins(NamedTuple):
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

    def in_bins(self, bins: int, binning: str) -> ScoreBins:
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
        return ScoreBins(owner=self.owner[new], place=code[new] % n, of_entry=np.cumsum(new) - 1)

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

    @once
    def placements(self) -> tuple[Floats, Floats]:
        """At each score the weight of negatives below, and of positives above; half of those tied with it."""
        _, above, _ = self.falling()
        return self.below(self.negatives) + self.negatives / 2, above - self.positives / 2

    def falling(self) -> tuple[Ints, Floats, Floats]:  # sums at each score or above
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


@dataclass(frozen=True, kw_only=True)
class Scored(Segmented):
    """Labelled, scored rows; ``segment`` is the slice of each row, ``group`` its user or query."""

    label: NDArray[np.uint8]
    score: NDArray[Any]  # float32 or float64
    precision: Precision = "float64"  # that scores were given in: it decides ties, and what meets a threshold
    group: Ints | None = None
    n_groups: int = 0
    groups: pl.Series | None = field(default=None, compare=False)  # the name of each, where they have names

    @classmethod
    def of(cls, label: NDArray[np.uint8], score: NDArray[Any], **fields: Any) -> Scored:
        fields = {"precision": score.dtype.name, **fields}
        kept = score.astype(np.float32) if score.dtype == np.float16 else score
        return cls(n_rows=len(label), label=label, score=kept, **fields)

    @once
    def positives(self) -> Floats:
        if self._counted:
            return self.pairs.positives.astype(np.float64)
        return self._of_classes[1]

    @once
    def negatives(self) -> Floats:
        if self._counted:
            return self.pairs.negatives.astype(np.float64)
        return self._of_classes[0]

    @once
    def _of_classes(self) -> tuple[Floats, Floats]:
        if self.segment is None:
            return self.total(1 - self.label), self.total(self.label)
        return class_sums(self.weights, self.label, self.segment, self.n_segments)

    @once
    def rows(self) -> Ints:
        return self.pairs.positives + self.pairs.negatives if self._counted else super().rows

    @property
    def n_lowest(self) -> int:  # rows with a score of -inf
        if self.condensed is not None:
            return self.condensed.lowest
        return int(np.isneginf(self.score).sum()) if len(self.score) and np.isneginf(self.score.min()) else 0

    def facts(self) -> list[Message]:
        share = self.positives[0] / max(self.positives[0] + self.negatives[0], 1e-300)
        return [say("{share:.2%} positive", key="positive", share=float(share))]

    def sizes(self) -> Message:
        rows, positives = int(self.rows[0]), int(((self.label == 1) & (self.weights > 0)).sum())
        return say(
            "rows {rows:,} · positives {positives:,} · negatives {negatives:,}",
            key="scored_facts",
            rows=rows,
            positives=positives,
            negatives=rows - positives,
        )

    @once
    def pairs(self) -> Concordance:
        """The pairs of a positive and a negative in each segment, and the rows of both, by weight."""
        for known in ("placed", "cell_pairs"):
            if known in self.__dict__:
                pairs: Concordance = self.__dict__[known].pairs
                return pairs
        return concordance(*self._for_pairs)

    @once
    def cell_pairs(self) -> CellPairs:
        """The same, and what the rows of each cell outdo together; who wants both asks for this first."""
        cells = self.cells
        code = np.arange(cells.n) if cells.code is None else cells.code
        return cell_pairs(*self._for_pairs, code, cells.n)

    @once
    def cell_classes(self) -> tuple[Floats, Floats]:  # the weight of both classes in each cell
        if self.weight is None and "cell_pairs" in self.__dict__:
            return self.cell_pairs.negatives, self.cell_pairs.positives
        return self.per_cell(self.label == 0), self.per_cell(self.label == 1)

    @once
    def placed(self) -> Placed:
        """For each row, the weight of the other class of its segment on the right side of it.

        For a positive these are the negatives below it, for a negative the positives above it, and half of
        those tied with it.
        """
        return placements(*self._for_pairs)

    @property
    def _for_pairs(self) -> tuple[NDArray[Any], NDArray[np.uint8], Ints | None, int, Floats | None]:
        weight = None if self.weight is None else self.weights
        return self.score, self.label, self.segment, self.n_segments, weight

    @property
    def _counted(self) -> bool:
        return self.weight is None and not {"pairs", "placed", "cell_pairs"}.isdisjoint(self.__dict__)

    @once
    def auc(self) -> Floats:
        """How often a positive scores above a negative, a tie counting half; NaN with one class only."""
        # integers far beyond 2^53 divide without loss of more than the last bit
        both = self.pairs.positives.astype(np.float64) * self.pairs.negatives
        return ratio(self.pairs.twice.astype(np.float64), 2 * both)

    @once
    def table(self) -> ScoreTable:
        return ScoreTable.of(self)

    def read_at(self, thresholds: int, *, strict: bool, metric: str) -> Scored:
        def made() -> Scored:
            score = read_at(self.score, thresholds, strict=strict, metric=metric, precision=self.precision)
            return replace(self, score=score)

        return self.made_once(("read at", thresholds, strict), made)

    def in_single(self) -> Self:
        if self.score.dtype == SINGLE:
            return self
        return self.made_once(SINGLE, lambda: replace(self, score=in_single(self.score), precision=SINGLE))

    @once
    def entry(self) -> Ints:  # of the table
        if self.segment is None:
            order = np.argsort(self.score, kind="stable")
        else:
            order = np.lexsort((self.score, self.segment))
        score = self.score[order]
        new = np.zeros(len(order), bool)
        new[1:] = score[1:] != score[:-1]
        if self.segment is not None:
            segment = self.segment[order]
            new[1:] |= segment[1:] != segment[:-1]
        entry = np.empty(len(order), np.int64)
        entry[order] = np.cumsum(new)
        return entry

    def in_bins(self, of_entry: Ints, n: int) -> tuple[Floats, Floats]:
        if self.weight is None:
            table = self.table
            count = segment_sum(table.positives + table.negatives, of_entry, n)
            return count, count
        of_row, weight = of_entry[self.entry], self.weights
        return segment_sum(weight > 0, of_row, n), segment_sum(weight * weight, of_row, n)

    @once
    def by_group(self) -> tuple[Scored, Ints]:
        """The same rows with each (segment, group) a segment of its own, and the segment each belongs to."""
        assert self.group is not None
        units = self.drawn if self.drawn.code is self.group else Units(n=self.n_groups, code=self.group)
        cells = self.cells if units is self.drawn else Cells.of(units, self.segment, self.n_segments)
        owner = np.zeros(cells.n, np.int64) if cells.owner is None else cells.owner
        inner = Scored.of(
            self.label,
            self.score,
            precision=self.precision,
            weight=None if self.weight is None else self.weights,
            segment=cells.code,
            n_segments=len(owner),
        )
        return inner, owner
