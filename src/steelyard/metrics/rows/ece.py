"""Calibration error by bins."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.conventions import choice, number
from steelyard.engine.classified import Classified
from steelyard.engine.influence import Cells, DrawnSums
from steelyard.engine.kept import ByScore
from steelyard.engine.scored import Scored
from steelyard.kernels.means import DrawCounts, ratio, segment_sum
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import RowMetric, Rows, RowScores, row_scores_choice
from steelyard.metrics.steps import UNDEFINED, Line, Of, Parts, Quantity, sum_of
from steelyard.metrics.steps.rows import RowValues, chosen, largest, table, together
from steelyard.text import say

MOST_BINS = 1_000_000

_BINS = say("bin by bin", key="bin_steps")
_TOP_LABEL = say(
    "with several classes, predicted is the probability of the most probable one, and label says "
    "whether it was right.",
    key="top_label",
)


class BinSums(NamedTuple):
    """The sums of each bin that has weight.

    ``used`` are the numbers of these bins among all; ``of_entry`` is the bin of each entry of the scores.
    """

    segment: Ints
    place: Ints
    weight: Floats
    labels: Floats
    predicted: Floats
    used: Ints
    of_entry: Ints

    def edges(self, scored: ByScore, bins: int, binning: str) -> tuple[Floats, Floats]:
        """The lowest and the highest score of each bin, or the edges of bins of equal width."""
        if binning != "mass":
            return self.place / bins, np.minimum(self.place + 1, bins) / bins
        table = scored.table
        weighs = table.positives + table.negatives > 0
        of_entry, score = self.of_entry[weighs], table.score[weighs]
        # scores rise, so a bin is a run
        first, end = (np.searchsorted(of_entry, self.used, side=side) for side in ("left", "right"))
        return score[first], score[end - 1]

    def rows(self, scored: ByScore) -> tuple[Floats, Floats]:
        """How many rows each bin has, and the sum of their squared weights."""
        n = int(self.of_entry.max(initial=-1)) + 1
        count, squares = scored.in_bins(self.of_entry, n)
        return count[self.used], squares[self.used]


def bin_sums(scored: ByScore, bins: int, binning: str) -> BinSums:
    table = scored.table
    weight = table.positives + table.negatives
    owner, place, of_entry = table.in_bins(bins, binning)
    parts = (weight, table.positives, weight * table.score)
    inside, labels, predicted = (segment_sum(part, of_entry, len(owner)) for part in parts)
    used = np.flatnonzero(inside > 0)
    sums = (owner[used], place[used], inside[used], labels[used], predicted[used])
    return BinSums(*sums, used, of_entry)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class BinnedCalibration(RowMetric):
    """What the binned calibration errors share: the gap between mean label and mean probability by bin."""

    bins: int = number(
        default=15, meaning="how many bins", above=0, at_most=MOST_BINS, whole=True, tries=(10, 15, 20)
    )
    binning: Literal["mass", "width", "width_lower"] = choice(
        default="mass",
        meaning={
            "mass": "bins of equal weight; equal scores are never split",
            "width": "bins of equal width from 0 to 1; a bin owns its upper border, the first one 0 too",
            "width_lower": "bins of equal width from 0 to 1; a bin owns its lower border, and 1 is a bin",
        },
    )
    scores: RowScores = row_scores_choice()

    needs = "probability"
    by_score = True
    limits = "basic"
    biased = True
    direction = "lower"
    always_told = ("bins", "binning")
    undefined_when = "there is no row"

    def binned(self, rows: Rows) -> Scored:
        """The rows that are put into bins: with several classes, the most probable class of each row."""
        read = rows.in_single() if self.scores == "float32" else rows
        return read.top_label() if isinstance(read, Classified) else read

    def measure(self, rows: Rows, each: Floats | None = None) -> Floats:
        return super().measure(self.binned(rows), each)

    def redrawn(self, state: Rows) -> Callable[[DrawCounts], Floats]:
        """The values of many draws of the units, with the bins of all rows."""
        scored = self.binned(state)
        bins = scored.table.in_bins(self.bins, self.binning)
        cells = Cells.of(scored.drawn, bins.of_entry[scored.entry], len(bins.owner))
        sums = DrawnSums.of(cells)
        weight = cells.sums(scored.weights)
        apart = cells.sums(scored.weighed(scored.score.astype(np.float64) - scored.label))

        def values(draw_counts: DrawCounts) -> Floats:
            size, gap = sums.sums(draw_counts, weight), np.abs(sums.sums(draw_counts, apart))
            return self.over_bins(size, gap, bins.owner, scored.n_segments)

        return values

    @abstractmethod
    def over_bins(self, weight: Floats, gap: Floats, segment: Ints, n: int) -> Floats:
        """The value of each segment and draw, from each bin's weight and its gap times the weight."""

    def gaps(self, scored: Scored) -> tuple[Floats, Floats, Ints]:
        sums, scores = bin_sums(scored, self.bins, self.binning), scored.table
        total = segment_sum(scores.positives + scores.negatives, scores.owner, scored.n_segments)
        gap = np.abs(sums.labels / sums.weight - sums.predicted / sums.weight)
        return sums.weight / total[sums.segment], gap, sums.segment

    def bin_parts(
        self, state: Rows, gap: Floats, value: Quantity, *further: RowValues, worst: Floats
    ) -> Parts:
        scored = self.binned(state)
        sums = bin_sums(scored, self.bins, self.binning)
        low, high = sums.edges(scored, self.bins, self.binning)
        names = [f"{first:.6g} – {last:.6g}" for first, last in zip(low.tolist(), high.tolist(), strict=True)]
        values = [
            RowValues(say("bin"), np.arange(len(gap)), "count", "rank", names),
            RowValues(say("rows // how many"), sums.rows(scored)[0].astype(np.int64), "sum"),
            RowValues(say("mean predicted"), sums.predicted / sums.weight),
            RowValues(say("mean label"), np.clip(sums.labels / sums.weight, 0.0, 1.0)),
            RowValues(say("gap"), gap),
            *further,
        ]
        if scored.weight is not None:
            values.insert(2, RowValues(say("weight"), sums.weight, "sum"))
        pieces = chosen(largest(worst))
        rest = say("… stands for {rows:,} more bins, with their sums.", rows=together(pieces))
        bins = table(_BINS, values, pieces, rest=rest)
        notes = (_TOP_LABEL,) if isinstance(state, Classified) else ()
        return Parts(steps=(bins,), lines=(Line(value) if len(gap) else UNDEFINED,), notes=notes)


@register("ece", zh="期望校准误差")
class ECE(BinnedCalibration):
    """How far predicted probabilities are from what happened, on average over bins.

    ``Σ (n_bin / n)·|mean y - mean p|``. Undefined without rows.

    Examples
    --------
    One bin: the mean label is 1/2, the mean probability 0.6

    >>> ECE(bins=1).of([0.8, 0.4], [1, 0])
    0.1
    """

    def per_segment(self, scored: Scored) -> Floats:
        share, gap, owner = self.gaps(scored)
        value = segment_sum(share * gap, owner, scored.n_segments)
        return np.where(scored.total() > 0, value, np.nan)

    def over_bins(self, weight: Floats, gap: Floats, segment: Ints, n: int) -> Floats:
        total, apart = np.zeros((n, weight.shape[1])), np.zeros((n, weight.shape[1]))
        np.add.at(total, segment, weight)
        np.add.at(apart, segment, gap)
        return ratio(apart, total)

    def steps(self, state: Rows) -> Parts:
        share, gap, _ = self.gaps(self.binned(state))
        further = (
            RowValues(say("share"), share, "sum"),
            RowValues(say("share × gap", key="share_gap"), share * gap, "sum"),
        )
        return self.bin_parts(state, gap, sum_of(_BINS, "share_gap"), *further, worst=share * gap)


@register("mce", zh="最大校准误差")
class MCE(BinnedCalibration):
    """How far predicted probabilities are from what happened in the worst bin.

    The largest ``|mean y - mean p|`` of all bins. Undefined without rows.

    Examples
    --------
    >>> MCE(bins=2, binning="width").of([0.8, 0.4], [1, 0])
    0.4
    """

    def per_segment(self, scored: Scored) -> Floats:
        _, gap, owner = self.gaps(scored)
        worst = np.zeros(scored.n_segments)
        np.maximum.at(worst, owner, gap)
        return np.where(scored.total() > 0, worst, np.nan)

    def over_bins(self, weight: Floats, gap: Floats, segment: Ints, n: int) -> Floats:
        worst = np.full((n, weight.shape[1]), -1.0)
        np.maximum.at(worst, segment, np.where(weight > 0, np.nan_to_num(ratio(gap, weight)), -1.0))
        return np.where(worst < 0, np.nan, worst)

    def steps(self, state: Rows) -> Parts:
        _, gap, _ = self.gaps(self.binned(state))
        return self.bin_parts(state, gap, Of(_BINS, "gap", "max", named=say("largest gap")), worst=gap)
