"""AUC within groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice
from steelyard.engine.influence import Influence, Segmented
from steelyard.engine.protocol import Need
from steelyard.engine.scored import Scored
from steelyard.engine.scored_parts import GroupSums
from steelyard.kernels.means import exact_sums, ratio, segment_sum
from steelyard.metrics.registry import also_known, register
from steelyard.metrics.rows.base import (
    EqualScores,
    RowMetric,
    RowScores,
    RowWeights,
    equal_scores_choice,
    of_moves,
    refuse_equal_scores,
    row_scores_choice,
    row_weights_choice,
    unweighted,
)
from steelyard.metrics.steps import Line, Of, Parts, sum_of
from steelyard.metrics.steps.rows import (
    GROUP,
    TOTAL_WEIGHT,
    RowValues,
    product,
    table,
    together,
    weighty,
)
from steelyard.text import Message, say

_GROUPS = say("group by group", key="group_steps")


class GroupCoverage(NamedTuple):
    """Per segment: the groups used, the groups skipped because of one class, and the share of rows used."""

    used: Ints
    all_positive: Ints
    all_negative: Ints
    share_of_rows: Floats


@register("gauc", zh="分组 AUC")
class GAUC(RowMetric):
    """How well rows are ordered within each user, whatever the differences between users.

    ``Σ w·AUC / Σ w`` over groups with both classes. Undefined where no group has both.

    Examples
    --------
    Two users; the first is ordered rightly, the second wrongly and has half as many rows:

    >>> labels, scores = [1, 0, 0, 0, 1, 0], [0.9, 0.5, 0.3, 0.1, 0.2, 0.7]
    >>> GAUC().of(scores, labels, ["a", "a", "a", "a", "b", "b"])
    0.6666666666666666
    >>> GAUC(weight="uniform").of(scores, labels, ["a", "a", "a", "a", "b", "b"])
    0.5
    """

    weight: Literal["impressions", "clicks", "pairs", "uniform"] = choice(
        default="impressions",
        meaning={
            "impressions": "the weight of a group is its number of rows",
            "clicks": "a group weighs as many positives as it has",
            "pairs": "a group weighs as many pairs of a positive and a negative as it has",
            "uniform": "every group weighs the same",
        },
    )
    single_class: Literal["drop", "half", "zero"] = choice(
        default="drop",
        meaning={
            "drop": "a group with one class only is left out and counted",
            "half": "a group with one class only counts 0.5",
            "zero": "a group with one class only counts 0",
        },
    )
    equal_scores: EqualScores = equal_scores_choice()
    scores: RowScores = row_scores_choice()
    row_weights: RowWeights = row_weights_choice()

    needs_groups = True
    unit = "groups"
    limits = "logit"
    charts = ("gauc_by_size",)
    always_told = ("weight",)
    untried = ("equal_scores", "row_weights")
    undefined_when = "no group has both classes"

    def need(self, stated: Collection[str] = ()) -> Need:
        single = ("score",) if self.scores == "float32" else ()
        return replace(super().need(stated), weighted=self.row_weights == "use", single=single)

    def per_segment(self, scored: Scored) -> Floats:
        inner, owner = scored.by_group
        if self.equal_scores == "error":
            refuse_equal_scores(str(self), inner.table)
        value, weight = self.counted(scored)
        over, under = (exact_sums(part, owner, scored.n_segments) for part in (weight * value, weight))
        return ratio(over, under)

    def influence(self, scored: Scored, values: Floats, each: Floats | None = None) -> Influence | None:
        units, (inner, owner) = scored.drawn, scored.by_group
        value, weight = self.counted(scored)
        if units.code is not None and units.code is scored.group:
            return Influence.of_ratio(scored.cells, weight * value, weight, values)
        group, cells = inner.segments, scored.cells
        of_row = np.arange(scored.n_rows) if cells.code is None else cells.code
        cell = np.zeros(len(owner), np.int64)
        cell[group] = of_row
        if (cell[group] == of_row).all():  # no group is in two units: units draw whole groups
            over, under = (segment_sum(part, cell, cells.n) for part in (weight * value, weight))
            return Influence.of_ratio(cells, over, under, values)
        return of_moves(scored, self._row_moves(scored, value, weight, values))

    def _row_moves(self, scored: Scored, value: Floats, weight: Floats, values: Floats) -> Floats:
        """How much each row moves the value: by the order in its group, and by the group's weight.

        With few rows per group the standard error is some percent too small.
        """
        inner, owner = scored.by_group
        group, positive = inner.segments, scored.label == 1
        positives, negatives = inner.positives[group], inner.negatives[group]
        own, other = np.where(positive, (positives, negatives), (negatives, positives))
        auc, counts = value[group], weight[group]
        both = self._both(inner)[group]
        moves = np.where(both, counts * ratio(ratio(inner.placed.placement, other) - auc, own), 0.0)
        match self.weight:
            case "impressions":
                grows = (counts > 0).astype(np.float64)
            case "clicks":
                grows = np.where(counts > 0, positive, 0.0)
            case "pairs":
                grows = np.where(both, counts * ratio(np.ones(len(own)), own), 0.0)
            case "uniform":
                grows = np.zeros(len(own))
        total = segment_sum(weight, owner, scored.n_segments)[scored.segments]
        return ratio(moves + grows * (auc - values[scored.segments]), total)

    def reduced_to(self, state: Scored) -> Literal["groups"] | None:
        return "groups" if self.equal_scores == "half" else None

    def counted(self, scored: Scored) -> tuple[Floats, Floats]:
        """The value of each group, and its weight: 0 if it is skipped."""
        inner: Any = scored.by_group[0]
        if isinstance(inner, GroupSums):
            return inner.value, inner.weight
        value, both = inner.auc, self._both(inner)
        value = np.where(both, value, 0.5 if self.single_class == "half" else 0.0)
        used = self._used(inner)
        return value, np.where(used, self._weight(inner), 0.0)

    def _weight(self, inner: Scored) -> Floats | float:
        match self.weight:
            case "impressions":
                return inner.positives + inner.negatives
            case "clicks":
                return inner.positives
            case "pairs":
                return np.where(self._both(inner), inner.positives * inner.negatives, 0.0)
            case "uniform":
                return 1.0

    def idle(self, state: Any) -> set[str]:
        return super().idle(state) | unweighted(self.row_weights, state)

    def _used(self, inner: Scored) -> Flags:
        return self._both(inner) if self.single_class == "drop" else inner.rows > 0

    def covered(self, rows: Segmented, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        assert isinstance(rows, Scored)
        coverage = self.coverage(rows)
        return coverage.used, coverage.all_positive + coverage.all_negative

    def coverage(self, rows: Scored) -> GroupCoverage:
        return rows.made_once(("coverage", self.single_class), lambda: self._coverage(rows))

    def _coverage(self, rows: Scored) -> GroupCoverage:
        sums = self.group_sums(rows).added(rows.by_group[1], rows.n_segments)
        left = self.single_class == "drop"
        counts = (sums.used, sums.all_positive * left, sums.all_negative * left)
        used, all_positive, all_negative = (count.astype(np.int64) for count in counts)
        return GroupCoverage(used, all_positive, all_negative, ratio(sums.used_rows, sums.rows))

    def group_sums(self, scored: Scored) -> GroupSums:
        """What the value, the intervals and the notes read of each group; such entries can be added up."""
        inner: Any = scored.by_group[0]
        if isinstance(inner, GroupSums):
            return inner
        value, weight = self.counted(scored)
        there, used = inner.rows > 0, self._used(inner)
        return GroupSums(
            value=np.nan_to_num(value),
            weight=weight,
            groups=there,
            used=used,
            all_positive=there & (inner.negatives == 0),
            all_negative=there & (inner.negatives > 0) & (inner.positives == 0),
            rows=inner.rows,
            used_rows=inner.rows * used,
            positives=inner.positives,
            negatives=inner.negatives,
        )

    def support(self, rows: Scored) -> Mapping[str, Floats | Ints]:
        return self.coverage(rows)._asdict()

    def each(self, scored: Scored) -> Floats | None:
        """The AUC of each group that has rows, NaN if it has one class; None where groups are added up."""
        inner: Any = scored.by_group[0]
        if isinstance(inner, GroupSums):
            return None
        return scored.by_group[0].auc[self._there(scored)]

    def units(self, scored: Scored) -> pl.Series | None:
        inner: Any = scored.by_group[0]
        return (
            None
            if isinstance(inner, GroupSums) or scored.groups is None
            else scored.groups.filter(self._there(scored))
        )

    def _there(self, scored: Scored) -> Flags:
        """Which groups have rows, even rows of weight 0."""
        if scored.weight is None:
            return scored.by_group[0].rows > 0
        assert scored.group is not None
        return np.bincount(scored.group, minlength=scored.n_groups) > 0

    def score_facts(self, scored: Scored, label: str) -> list[Message]:
        sums = self.group_sums(scored)
        groups = int(sums.groups.sum())
        positive, negative = int(sums.all_positive.sum()), int(sums.all_negative.sum())
        if not (positive or negative):
            return []
        if self.single_class != "drop":
            note = say(
                "{metric} uses all {groups:,} groups; groups with only one class count {value}: "
                "{positive:,} all positive, {negative:,} all negative.",
                key="groups_of_one_class",
                value=0.5 if self.single_class == "half" else 0,
                metric=label,
                groups=groups,
                positive=positive,
                negative=negative,
            )
            return [note]
        note = say(
            "{metric} uses {used:,} of {groups:,} groups ({share:.1%} of rows); groups with only one class "
            "are skipped: {positive:,} all positive, {negative:,} all negative.",
            key="groups_of_one_class",
            used=int(sums.used.sum()),
            share=float(sums.used_rows.sum() / max(sums.rows.sum(), 1)),
            metric=label,
            groups=groups,
            positive=positive,
            negative=negative,
        )
        return [note]

    def steps(self, state: Scored) -> Parts:
        inner, _ = state.by_group
        value, weight = self.counted(state)
        there = np.flatnonzero(inner.rows > 0)
        value, weight = value[there], weight[there]
        positives, negatives = inner.positives[there], inner.negatives[there]
        single = (positives == 0) | (negatives == 0)
        left_out = single & (self.single_class == "drop")
        auc = RowValues(say("AUC", key="auc"), np.where(left_out, np.nan, value))
        values = [
            RowValues(GROUP, there, "count", "text", names=state.groups),
            RowValues(say("rows // how many"), inner.rows[there], "sum"),
            RowValues(say("positives"), positives, "sum"),
            RowValues(say("negatives"), negatives, "sum"),
            auc,
            RowValues(say("weight"), np.where(left_out, np.nan, weight), "sum"),
            RowValues(product(auc), np.where(left_out, np.nan, weight * value), "sum"),
        ]
        pieces = weighty(weight)
        rest = say("… stands for {rows:,} groups of less weight, with their sums.", rows=together(pieces))
        groups = table(_GROUPS, values, pieces, rest=rest)
        line = Line(sum_of(_GROUPS, "weighted_auc") / Of(_GROUPS, "weight", named=TOTAL_WEIGHT))
        return Parts(steps=(groups,), lines=(line,))

    def _both(self, inner: Scored) -> Flags:
        return (inner.positives > 0) & (inner.negatives > 0)


also_known("uauc", GAUC, weight="uniform")
