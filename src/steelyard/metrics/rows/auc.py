"""Area under the ROC curve."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, NamedTuple

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice, number
from steelyard.engine.classified import Classified
from steelyard.engine.influence import Influence
from steelyard.engine.scored import Scored
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.classes.curves import OVR_AVERAGES, PLAIN_AVERAGES, CurveMetric
from steelyard.metrics.registry import register
from steelyard.metrics.rows.base import (
    EqualScores,
    Rows,
    by_class,
    equal_scores_choice,
    partial_slopes,
    refuse_equal_scores,
    row_slopes,
)
from steelyard.metrics.steps import Number, Of, Parts, Quantity, sum_of
from steelyard.metrics.steps.rows import SCORES, RowValues, falling, score_parts, walked
from steelyard.text import Message, say

_AVERAGES = {
    **OVR_AVERAGES,
    "ovo_macro": "each two classes against each other, both ways, then the mean (Hand and Till 2001)",
    "ovo_weighted": "each two classes against each other, both ways, then the mean by their rows",
    **PLAIN_AVERAGES,
}


class Strips(NamedTuple):
    """The area under the curve of each segment, score by score, with where the curve is after each."""

    owner: Ints
    tpr: Floats
    fpr: Floats
    width: Floats
    height: Floats


@register("auc", zh="ROC 曲线下面积", aliases=("roc_auc",))
class AUC(CurveMetric):
    """How often a row that was clicked scores above one that was not.

    ``P(score⁺ > score⁻) + ½·P(score⁺ = score⁻)``, from exact counts of pairs. Undefined where only one class
    is there. With ``max_fpr`` only the curve up to that false positive rate counts; with ``thresholds`` the
    curve is read at so many of them alone, as Keras reads it at 200.

    Examples
    --------
    Of the four pairs, three are in order and one is tied: (3 + ½) / 4

    >>> AUC().of([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0])
    0.875
    >>> AUC().of([0.3, 0.4], [1, 1])
    nan

    Read at 0, ¼, ½, ¾ and 1 no threshold lies between 0.6 and 0.55: (3 + ½) / 4

    >>> AUC(thresholds=5).of([0.8, 0.6, 0.55, 0.1], [1, 1, 0, 0])
    0.875

    With several classes, the mean over each class against the rest: (1 + ¾ + 1) / 3

    >>> AUC().of([[0.8, 0.1, 0.1], [0.1, 0.5, 0.4], [0.0, 0.5, 0.5]], ["a", "b", "c"])
    0.9166666666666666
    """

    max_fpr: float | None = number(
        default=None,
        meaning="the false positive rate up to which the curve counts",
        above=0,
        at_most=1,
        words={"none": "the whole curve"},
        tries=(None, 0.1),
    )
    partial: Literal["standardised", "raw"] = choice(
        default="standardised",
        meaning={
            "standardised": "the area up to max_fpr on a scale from 0.5 (chance) to 1 (McClish 1989)",
            "raw": "the area up to max_fpr itself",
        },
    )
    average: Literal[
        "ovr_macro", "ovr_weighted", "ovr_micro", "ovo_macro", "ovo_weighted", "samples", "none"
    ] = choice(
        default="ovr_macro",
        about="How the curves of several classes become one value.",
        meaning=_AVERAGES,
    )
    equal_scores: EqualScores = equal_scores_choice()

    limits = "logit"
    tested = "delong"
    curve_name = say("AUC")
    undefined_when = "only one class is there"

    def prepare(self, rows: Rows) -> None:
        if not (isinstance(rows, Classified) or self.is_partial):
            _ = self.as_read(rows).cell_pairs  # the pairs of the value come along

    @property
    def has_bound(self) -> bool:
        return self.thresholds is None and self.equal_scores == "half"

    def scored_influence(self, scored: Scored, values: Floats) -> Influence:
        if self.is_partial:
            return by_class(scored, self.row_moves(scored, values))
        # by placement among the other class (DeLong); each class is a denominator
        cells, counts = scored.cells, scored.cell_pairs
        own, won = (counts.positives, counts.negatives), (counts.by_positives, counts.by_negatives)
        totals = cells.totals(own[0]), cells.totals(own[1])
        pairs, value = cells.spread(totals[0] * totals[1]), cells.spread(values)
        share = tuple(ratio(part, cells.spread(total)) for part, total in zip(own, totals, strict=True))
        moves = tuple(ratio(part, pairs) - value * of for part, of in zip(won, share, strict=True))
        return Influence.of_cells(cells, moves, share)

    def row_moves(self, scored: Scored, values: Floats) -> Floats:
        at, positive = scored.segments, scored.label == 1
        positives, negatives = scored.positives[at], scored.negatives[at]
        own, other = np.where(positive, (positives, negatives), (negatives, positives))
        if not self.is_partial:
            return ratio(ratio(scored.placed.placement, other) - values[at], own)
        limit = float(self.max_fpr or 1)
        slopes, reached = partial_slopes(scored.table, limit)
        moves = row_slopes(scored, slopes) + np.where(positive, 0.0, limit * reached[at])
        area, scale = values[at], 1.0
        if self.partial == "standardised":
            chance = limit * limit / 2
            scale = 2 * (limit - chance)
            area = chance + (2 * area - 1) * (limit - chance)
        return ratio(ratio(moves, other) - area, own) / scale

    def per_segment(self, scored: Scored) -> Floats:
        if self.equal_scores == "error":
            refuse_equal_scores(str(self), scored.table)
        if not self.is_partial:
            return scored.auc
        limit, table, strips = float(self.max_fpr or 1), scored.table, self.strips(scored)
        area = segment_sum(np.nan_to_num(strips.width * strips.height), strips.owner, scored.n_segments)
        if self.partial == "standardised":
            chance = limit * limit / 2
            area = (1 + (area - chance) / (limit - chance)) / 2
        return np.where((table.total_positives > 0) & (table.total_negatives > 0), area, np.nan)

    @property
    def is_partial(self) -> bool:
        return self.max_fpr is not None and self.max_fpr < 1

    def without_curve(self, rows: Classified) -> Flags:
        seen: Flags = rows.support > 0
        if rows.one_label:
            others: Flags = seen.sum(axis=1, keepdims=True) > 1
        else:
            others = dataclasses.replace(rows, truth=1 - rows.truth).support > 0
        return ~(seen & others)

    def score_facts(self, scored: Scored, label: str) -> list[Message]:
        if self.thresholds is None:
            return []
        table = scored.table
        pairs = float(table.total_positives[0] * table.total_negatives[0])
        tied = segment_sum(table.positives * table.negatives, table.owner, table.n_segments)
        note = say(
            "{metric} counts one half for {share:.1%} of the pairs of a positive and a negative: no "
            "threshold lies between their scores.",
            key="between_thresholds",
            metric=label,
            share=float(tied[0]) / (pairs or 1.0),
        )
        return [note] if tied[0] else []

    def strips(self, scored: Scored) -> Strips:
        """The curve up to ``max_fpr``; the last step is cut by a straight line."""
        limit = float(self.max_fpr or 1)
        table = scored.table
        owner, above_p, above_n = table.falling()
        tpr = ratio(above_p, table.total_positives[owner])
        fpr = ratio(above_n, table.total_negatives[owner])
        lower_tpr = ratio(above_p - table.positives, table.total_positives[owner])
        lower_fpr = ratio(above_n - table.negatives, table.total_negatives[owner])
        share = np.clip(np.nan_to_num(ratio(limit - lower_fpr, fpr - lower_fpr), nan=1.0), 0, 1)
        reached = lower_tpr + share * (tpr - lower_tpr)
        width = np.where(lower_fpr < limit, share * (fpr - lower_fpr), 0.0)
        return Strips(owner, reached, lower_fpr + width, width, (reached + lower_tpr) / 2)

    def idle(self, state: Any) -> set[str]:
        return super().idle(state) | (set() if self.is_partial else {"partial"})

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        idle, order = self.idle(state), ("max_fpr", "average", "partial", "thresholds", "strict")
        choices = super().choices(state)
        return [choice for name in order for choice in choices if choice[0] == name and name not in idle]

    def scored_steps(self, scored: Scored) -> Parts:
        return self._partial_steps(scored) if self.is_partial else _pair_steps(scored)

    def _partial_steps(self, state: Scored) -> Parts:
        """The strips under the curve up to the false positive rate; one row for the rest."""
        limit, strips, at = float(self.max_fpr or 1), self.strips(state), falling(state.table)
        before = np.concatenate(([0.0], strips.fpr[at]))[:-1]
        inside = int((before < limit * (1 - 1e-12)).sum())

        def until(values: Floats) -> Floats:
            return np.where(np.arange(len(at)) < inside, values[at], np.nan)

        columns = [
            RowValues(say("TPR", key="tpr"), until(strips.tpr), "last"),
            RowValues(say("FPR", key="fpr"), until(strips.fpr), "last"),
            RowValues(say("width"), until(strips.width), "sum"),
            RowValues(say("mean height"), until(strips.height)),
            RowValues(say("area"), np.nan_to_num(strips.width * strips.height)[at], "sum"),
        ]
        pieces = walked(inside)
        if inside < len(at):
            pieces.append(np.arange(inside, len(at)))
        area, fpr = Of(SCORES, "area"), Number(limit, "max_fpr")
        value: Quantity = sum_of(SCORES, "area")
        if self.partial == "standardised":
            value = (1 + (area - fpr**2 / 2) / (fpr - fpr**2 / 2)) / 2
        return score_parts(state, columns, value, pieces=pieces, total=("positives", "negatives", "area"))


def _pair_steps(state: Scored) -> Parts:
    scores, at = state.table, falling(state.table)
    positives, below = scores.positives[at], scores.below(scores.negatives)[at]
    columns = [
        RowValues(say("negatives below"), below),
        RowValues(say("pairs won", key="pairs_won"), positives * below, "sum"),
        RowValues(say("pairs tied", key="pairs_tied"), positives * scores.negatives[at], "sum"),
    ]
    names = ("positives", "negatives", "pairs_won", "pairs_tied")
    positive, negative, won, tied = (Of(SCORES, name) for name in names)
    return score_parts(state, columns, (won + tied / 2) / (positive * negative))
