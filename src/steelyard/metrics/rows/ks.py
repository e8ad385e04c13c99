"""The Kolmogorov-Smirnov statistic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import Influence
from steelyard.engine.scored import Scored
from steelyard.engine.scored_parts import ComparedRows
from steelyard.kernels.means import ratio
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import RowMetric, by_class
from steelyard.metrics.steps import Of, Parts
from steelyard.metrics.steps.rows import SCORES, RowValues, falling, score_parts, walked
from steelyard.text import say


@register("ks", zh="KS 统计量")
class KS(RowMetric):
    """How far apart the best threshold keeps positives and negatives.

    The largest ``TPR - FPR`` over all thresholds, 0 at least. Undefined where only one class is there. Its
    interval takes the threshold for given; a maximum is above the truth on average.

    Examples
    --------
    At 0.7 two of three positives are found and none of two negatives:

    >>> KS().of([0.9, 0.7, 0.6, 0.5, 0.1], [1, 1, 0, 1, 0])
    0.6666666666666666
    """

    by_score = True
    limits = "log_rest"
    biased = True
    undefined_when = "only one class is there"

    def per_segment(self, scored: Scored) -> Floats:
        table = scored.table
        owner, tpr, fpr = self.rates(scored)
        best = np.zeros(scored.n_segments)
        np.maximum.at(best, owner, np.nan_to_num(tpr - fpr))
        return np.where((table.total_positives > 0) & (table.total_negatives > 0), best, np.nan)

    @property
    def by_order(self) -> bool:
        return True

    has_bound = by_order

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence:
        """The influence on the difference of both rates at its best threshold."""
        return self.by_moves(scored, self.row_moves(scored, values))

    def moves_among(self, rows: Scored, every: Scored, values: Floats) -> Floats:
        return self.row_moves(ComparedRows.of_part(rows, every), values)

    def row_moves(self, scored: Scored, values: Floats) -> Floats:
        """How much each row moves the difference, by unit of its weight."""
        owner, tpr, fpr = self.rates(scored)
        gap = tpr - fpr
        best = np.flatnonzero((gap == values[owner]) & (gap > 0))
        threshold = np.full((3, scored.n_segments), np.inf)
        threshold[1:] = 0.0
        threshold[:, owner[best]] = scored.table.score[best], tpr[best], fpr[best]
        lowest, of_positives, of_negatives = threshold[:, scored.segments]
        taken = scored.score >= lowest
        totals = scored.positives[scored.segments], scored.negatives[scored.segments]
        positive = scored.label == 1
        moves = np.where(positive, ratio(taken - of_positives, totals[0]), 0.0)
        return np.where(positive, moves, -ratio(taken - of_negatives, totals[1]))

    def by_moves(self, scored: Scored, moves: Floats) -> Influence:
        influence = by_class(scored, moves)
        one_more = np.where(
            influence.equal, 1 / (influence.of_parts + 1) ** 2, 0.0
        )  # equal units show no spread
        return replace(influence, added=one_more.sum(axis=0))

    def rates(self, scored: Scored) -> tuple[Ints, Floats, Floats]:
        """The segment of each distinct score, and the share of both classes at that score or above."""
        table = scored.table
        owner, above_p, above_n = table.falling()
        tpr, fpr = ratio(above_p, table.total_positives[owner]), ratio(above_n, table.total_negatives[owner])
        return owner, tpr, fpr

    def steps(self, state: Scored) -> Parts:
        _, tpr, fpr = self.rates(state)
        at = falling(state.table)
        gap = np.nan_to_num(tpr - fpr)[at]
        columns = [
            RowValues(say("TPR", key="tpr"), tpr[at], "last"),
            RowValues(say("FPR", key="fpr"), fpr[at], "last"),
            RowValues(say("TPR - FPR", key="gap"), gap, "last"),
        ]
        best = int(gap.argmax()) if len(gap) else 0
        largest = Of(SCORES, "gap", "max", named=say("largest TPR - FPR"))
        return score_parts(state, columns, largest, pieces=walked(len(gap), around=best))
