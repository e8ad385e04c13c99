"""Rows with a label of 0 or 1 and a score, reduced segment by segment in one pass."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints, once
from steelyard.engine.columns import SINGLE, Precision, in_single, read_at
from steelyard.engine.influence import crossed
from steelyard.engine.score_table import ScoreTable
from steelyard.engine.segmented import Segmented
from steelyard.kernels.concordance import (
    CellPairs,
    Concordance,
    Placed,
    cell_pairs,
    concordance,
    placements,
)
from steelyard.kernels.means import class_sums, ratio, segment_sum
from steelyard.messages import Message, say


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
        for known in ("_placed", "cell_pairs"):
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
    def placement(self) -> Floats:
        """For each row, the weight of the other class of its segment on the right side of it.

        For a positive these are the negatives below it, for a negative the positives above it, and half of
        those tied with it.
        """
        return self._placed.placement

    @once
    def _placed(self) -> Placed:
        return placements(*self._for_pairs)

    @property
    def _for_pairs(self) -> tuple[NDArray[Any], NDArray[np.uint8], Ints | None, int, Floats | None]:
        weight = None if self.weight is None else self.weights
        return self.score, self.label, self.segment, self.n_segments, weight

    @property
    def _counted(self) -> bool:
        return self.weight is None and not {"pairs", "_placed", "cell_pairs"}.isdisjoint(self.__dict__)

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
        """Of each of ``n`` bins of the table's entries, its rows and the sum of their squared weights."""
        if self.weight is None:
            table = self.table
            count = segment_sum(table.positives + table.negatives, of_entry, n)
            return count, count
        of_row, weight = of_entry[self.entry], self.weights
        return segment_sum(weight > 0, of_row, n), segment_sum(weight * weight, of_row, n)

    def by_group(self) -> tuple[Scored, Ints]:
        """The same rows with each (segment, group) a segment of its own, and the segment each belongs to."""
        return self._by_group

    @once
    def _by_group(self) -> tuple[Scored, Ints]:
        assert self.group is not None
        if self.segment is None:
            group, owner = self.group, np.zeros(self.n_groups, np.int64)
        else:
            group, owner, _ = crossed(self.segment, self.n_segments, self.group, self.n_groups)
        inner = Scored.of(
            self.label,
            self.score,
            precision=self.precision,
            weight=None if self.weight is None else self.weights,
            segment=group,
            n_segments=len(owner),
        )
        return inner, owner
