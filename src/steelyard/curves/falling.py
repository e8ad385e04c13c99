"""The curves of rows, all read from the distinct scores, from the highest down."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.binned import ByScore
from steelyard.engine.row_states import scored_arrays
from steelyard.engine.score_table import ScoreTable
from steelyard.engine.scored import Scored
from steelyard.kernels.means import ratio
from steelyard.read.sources import predictions_first


@predictions_first
def scored(predictions: ArrayLike, truth: ArrayLike, *, weights: ArrayLike | None = None) -> Scored:
    """Scores with their labels of 0 and 1, ready for every curve of rows.

    >>> scored([0.9, 0.2], [1, 0]).n_rows
    2
    """
    return scored_arrays("scored", predictions, truth, weights)


@dataclass(frozen=True, kw_only=True)
class Falling:
    """Thresholds from infinity down, by segment, with the weight of each class at the threshold or above."""

    segment: Ints
    threshold: Floats
    positives: Floats
    negatives: Floats

    @classmethod
    def of(cls, scored: ByScore, *, both_classes: bool) -> Falling:
        """Every segment with a positive (and a negative): one entry at infinity, one per distinct score."""
        table = scored.table
        defined = table.total_positives > 0
        if both_classes:
            defined &= table.total_negatives > 0
        kept = np.flatnonzero(weighs(table) & defined[table.owner])
        owner = table.owner[kept]
        # within each segment from the last entry to the first
        first, last = np.searchsorted(owner, owner), np.searchsorted(owner, owner, side="right")
        at = kept[first + last - 1 - np.arange(len(owner))]
        names, start = np.unique(owner, return_index=True)
        place = np.arange(len(at)) + 1 + np.searchsorted(names, owner)

        def spread(values: Floats, origin: float) -> Floats:
            out = np.full(len(at) + len(names), origin)
            out[place] = values
            return out

        segment = spread(owner.astype(np.float64), -1.0).astype(np.int64)
        segment[start + np.arange(len(names))] = names
        return cls(
            segment=segment,
            threshold=spread(table.score[at], np.inf),
            positives=spread(_running(table.positives[at], start, owner), 0.0),
            # found by subtraction, rounding could leave them a hair below 0
            negatives=spread(_running(np.maximum(table.negatives[at], 0.0), start, owner), 0.0),
        )

    @cached_property
    def taken(self) -> Floats:
        """The weight of all rows at the threshold or above."""
        return self.positives + self.negatives

    @property
    def origin(self) -> Flags:
        nothing: Flags = self.taken == 0
        return nothing

    def share(self, part: Floats) -> Floats:
        """``part`` of what its segment reaches in the end: exactly 1 there."""
        last = np.searchsorted(self.segment, self.segment, side="right") - 1
        return ratio(part, part[last])

    def frame(self, scored: ByScore, **columns: NDArray[Any]) -> pl.DataFrame:
        """The columns as a frame, after the threshold."""
        return tidy(scored, self.segment, threshold=self.threshold, **columns)


def tidy(scored: ByScore, segment: Ints, **columns: NDArray[Any]) -> pl.DataFrame:
    """Columns as a frame, with the segment of each row in front where rows are in segments."""
    front = {"segment": segment} if scored.sliced else {}
    return pl.DataFrame({**front, **columns})


def weighs(table: ScoreTable) -> Flags:
    """Which entries have any weight; a row of weight 0 is no row."""
    return table.positives + table.negatives > 0


def _running(values: Floats, start: Ints, owner: Ints) -> Floats:
    total = np.cumsum(values)
    if len(start) < 2:
        return total
    before = total[start] - values[start]
    return total - before[np.searchsorted(owner[start], owner)]


def roc(scored: ByScore) -> pl.DataFrame:
    """How many good rows you catch for the bad ones you let in, as you lower the bar.

    One row per distinct score, thresholds falling; the first stands at infinity, where nothing is taken.
    ``tpr`` is the share of positives with ``score >= threshold``, ``fpr`` that of negatives; ``positives``
    and ``negatives`` are their weights. Rows joined by straight lines have exactly the area ``auc``. With
    one class only the curve is undefined and the frame is empty; where rows are in segments there is one
    curve per segment, named in a column ``segment``.

    Examples
    --------
    Two positives, two negatives; 0.5 is a tie of one each:

    >>> from steelyard.curves import scored
    >>> roc(scored([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0])).select("threshold", "fpr", "tpr").rows()
    [(inf, 0.0, 0.0), (0.8, 0.0, 0.5), (0.5, 0.5, 1.0), (0.1, 1.0, 1.0)]
    """
    falling = Falling.of(scored, both_classes=True)
    return falling.frame(
        scored,
        fpr=falling.share(falling.negatives),
        tpr=falling.share(falling.positives),
        positives=falling.positives,
        negatives=falling.negatives,
    )


def precision_recall(scored: ByScore) -> pl.DataFrame:
    """How clean your picks stay as you pick up more of everything worth having.

    One row per distinct score, thresholds falling: of the rows with ``score >= threshold``, ``precision`` is
    the share that is positive; ``recall`` is the share of all positives among them. ``base_rate`` is the
    precision of taking every row. The area of the steps ``(recall - recall before)·precision`` is exactly
    ``pr_auc``. There is no row at recall 0, where precision is undefined. Without a positive the frame is
    empty; where rows are in segments there is one curve per segment.

    Examples
    --------
    The positives come first and third of four:

    >>> from steelyard.curves import scored
    >>> frame = precision_recall(scored([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0]))
    >>> frame["recall"].to_list(), frame["precision"].to_list()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.6666666666666666, 0.5])
    """
    falling = Falling.of(scored, both_classes=False)
    drawn = ~falling.origin
    precision = ratio(falling.positives, falling.taken)[drawn]
    segment = falling.segment[drawn]
    last = np.searchsorted(segment, segment, side="right") - 1
    return tidy(
        scored,
        segment,
        threshold=falling.threshold[drawn],
        recall=falling.share(falling.positives)[drawn],
        precision=precision,
        base_rate=precision[last],
    )


def gain_and_lift(scored: ByScore) -> pl.DataFrame:
    """How many of the buyers you reach by calling only the most promising part of the list.

    One row per distinct score, thresholds falling; the first stands at infinity, where nothing is taken.
    ``taken`` is the share of rows with ``score >= threshold``, ``found`` the share of positives among them,
    ``lift = found / taken`` how many times better than chance that is (NaN at infinity). Without a positive
    the frame is empty; where rows are in segments there is one curve per segment.

    Examples
    --------
    One positive in four, in second place: half the rows find all of it, twice what chance would find

    >>> from steelyard.curves import scored
    >>> frame = gain_and_lift(scored([0.9, 0.8, 0.7, 0.1], [0, 1, 0, 0]))
    >>> frame.select("taken", "found", "lift").row(2)
    (0.5, 1.0, 2.0)
    """
    falling = Falling.of(scored, both_classes=False)
    taken, found = falling.share(falling.taken), falling.share(falling.positives)
    return falling.frame(scored, taken=taken, found=found, lift=ratio(found, taken))
