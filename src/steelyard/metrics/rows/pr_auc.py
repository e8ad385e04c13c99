"""Area under the precision-recall curve."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice
from steelyard.engine.influence import Influence
from steelyard.engine.scored import Scored
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.classes.curves import OVR_AVERAGES, PLAIN_AVERAGES, CurveAverage, CurveMetric
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import of_moves, precision_slopes, row_slopes
from steelyard.metrics.steps import Parts, sum_of
from steelyard.metrics.steps.rows import SCORES, RowValues, falling, score_parts
from steelyard.text import say

_AREAS = {
    "step": say("step × precision", key="area"),
    "trapezoid": say("step × mean precision", key="area"),
    "trapezoid_first": say("step × mean precision", key="area"),
    "davis": say("area under the step", key="area"),
}


class RecallSteps(NamedTuple):
    """Where precision and recall are after each distinct score, the step in recall, and its area."""

    owner: Ints
    precision: Floats
    recall: Floats
    step: Floats
    area: Floats


@register("pr_auc", zh="PR 曲线下面积", aliases=("average_precision",))
class PRAUC(CurveMetric):
    """How precise the top of the list stays while it takes in more and more of the positives.

    The area under precision over recall, one point per distinct score, from the highest down. ``step`` is
    average precision: the step in recall times the precision after it. With ``thresholds`` there is one point
    for each of them. Undefined without a positive.

    Examples
    --------
    The positives come first and third: ½·1/1 + ½·2/3

    >>> PRAUC().of([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])
    0.8333333333333333

    A constant score with one positive in four; a straight line to (0, 1) flatters it:

    >>> scores, labels = [0.5] * 4, [0, 0, 0, 1]
    >>> PRAUC().of(scores, labels), PRAUC(rule="trapezoid").of(scores, labels)
    (0.25, 0.625)
    """

    rule: Literal["step", "trapezoid", "trapezoid_first", "davis"] = choice(
        default="step",
        meaning={
            "step": "average precision: each step in recall times the precision after it",
            "trapezoid": "straight lines, the first from recall 0 and precision 1",
            "trapezoid_first": "straight lines, the first level with the first precision",
            "davis": "precision interpolated by counts (Davis and Goadrich 2006)",
        },
    )

    average: CurveAverage = choice(
        default="ovr_macro",
        about="How the curves of several classes become one value.",
        meaning=OVR_AVERAGES | PLAIN_AVERAGES,
    )

    always_told = ("rule",)
    walks_positives = True
    curve_name = say("PR-AUC")
    limits = "logit"
    undefined_when = "there is no positive"

    def per_segment(self, scored: Scored) -> Floats:
        walk = self.walk(scored)
        summed = segment_sum(walk.area, walk.owner, scored.n_segments)
        return np.where(scored.table.total_positives > 0, summed, np.nan)

    @property
    def has_bound(self) -> bool:
        return self.thresholds is None and self.rule == "step"

    def lowest_in_bins(self, scored: Scored, mixed: Flags) -> Floats:
        """The integral of precision over the hits of each mixed entry, all misses of its bin before it.

        Precision rises over these hits, so no steps between them add up to less.
        """
        table, walk = scored.table, self.walk(scored)
        owner, hits, misses = table.falling()
        lost = misses * np.log1p(np.nan_to_num(ratio(table.positives, hits - table.positives + misses)))
        area = ratio(table.positives - lost, table.total_positives[owner])
        area = np.nan_to_num(np.where(mixed, area, walk.area))
        return np.where(table.total_positives > 0, segment_sum(area, owner, scored.n_segments), np.nan)

    def scored_influence(self, scored: Scored, values: Floats) -> Influence:
        return self.by_moves(scored, self.row_moves(scored, values))

    def by_moves(self, scored: Scored, moves: Floats) -> Influence:
        return of_moves(scored, moves, scored.label)

    def row_moves(self, scored: Scored, values: Floats) -> Floats:
        at = scored.segments
        moves = row_slopes(scored, precision_slopes(scored.table, self.rule)) - values[at] * scored.label
        return ratio(moves, scored.table.total_positives[at])

    def walk(self, scored: Scored) -> RecallSteps:
        table = scored.table
        owner, hits, misses = table.falling()
        total = table.total_positives[owner]
        precision, recall = ratio(hits, hits + misses), ratio(hits, total)
        hits_before, misses_before = hits - table.positives, misses - table.negatives
        recall_before = ratio(hits_before, total)
        step = recall - recall_before
        if self.rule == "davis":
            area = _davis(recall, recall_before, ratio(misses, total), ratio(misses_before, total))
        elif self.rule == "step":
            area = step * precision
        else:
            start = 1.0 if self.rule == "trapezoid" else precision
            none_before = hits_before + misses_before == 0
            before = np.where(none_before, start, ratio(hits_before, hits_before + misses_before))
            area = step * (precision + before) / 2
        return RecallSteps(owner, precision, recall, step, np.nan_to_num(area))

    def scored_steps(self, scored: Scored) -> Parts:
        walk, at = self.walk(scored), falling(scored.table)
        columns = [
            RowValues(say("precision"), walk.precision[at], "last"),
            RowValues(say("recall"), walk.recall[at], "last"),
            RowValues(say("step in recall", key="step"), walk.step[at], "sum"),
            RowValues(_AREAS[self.rule], walk.area[at], "sum"),
        ]
        return score_parts(scored, columns, sum_of(SCORES, "area"), both_classes=False)


def _davis(recall: Floats, recall_before: Floats, miss: Floats, miss_before: Floats) -> Floats:
    """The integral of precision over one step in which misses grow in proportion to hits."""
    step = recall - recall_before
    slope = np.nan_to_num(ratio(miss - miss_before, step))
    a, b = 1.0 + slope, miss_before - slope * recall_before
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(a * recall + b) - np.log(a * recall_before + b)
        curved = (step - b / a * logs) / a
    return np.where(step > 0, np.where(np.abs(b) > 1e-15, curved, step / a), 0.0)
