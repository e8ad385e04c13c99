"""Scored rows that stand in for others: groups that were measured, and rows among the scores of all parts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Frozen, Ints, once
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.kernels.concordance import Placed
from steelyard.kernels.means import ratio, segment_sum
from steelyard.kernels.places import by_score, last_not_above
from steelyard.text.errors import merging

DISTINCT = 3  # scores, which tell whether there are two


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupValues(Frozen):
    """Groups under the names that metrics read of rows, each a segment of its own."""

    rows: Ints
    positives: Floats
    negatives: Floats
    auc: Floats

    @property
    def n_segments(self) -> int:
        return len(self.rows)

    @property
    def segments(self) -> Ints:
        return np.arange(len(self.rows))


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupSums(Frozen):
    """Groups put together: the mean of their values, how many there are of each kind, and their rows."""

    value: Floats
    weight: Floats
    groups: NDArray[Any]
    used: NDArray[Any]
    all_positive: NDArray[Any]
    all_negative: NDArray[Any]
    rows: Ints
    used_rows: NDArray[Any]
    positives: Floats
    negatives: Floats

    @property
    def n_segments(self) -> int:
        return len(self.rows)

    @property
    def segments(self) -> Ints:
        return np.arange(len(self.rows))

    def added(self, code: Ints, n: int) -> GroupSums:
        """The entries of each code as one."""
        sums: dict[str, Any] = {
            field.name: segment_sum(getattr(self, field.name), code, n) for field in fields(self)[1:]
        }
        sums["value"] = np.nan_to_num(ratio(segment_sum(self.weight * self.value, code, n), sums["weight"]))
        return GroupSums(**{**sums, "rows": sums["rows"].astype(np.int64)})


@dataclass(frozen=True, kw_only=True)
class GroupedRows(Scored):
    """Groups that were measured elsewhere: one entry for each group of each slice, in place of its rows."""

    values: GroupValues | GroupSums

    @classmethod
    def of_groups(cls, values: GroupValues, *, weighted: bool, **fields: Any) -> GroupedRows:
        n, weight = len(values.rows), values.positives + values.negatives
        nothing = np.zeros(n)
        label = np.zeros(n, np.uint8)
        fields["weight"] = weight if weighted else None
        return cls(n_rows=n, label=label, score=nothing, values=values, **fields)

    @once
    def by_group(self) -> tuple[GroupValues | GroupSums, Ints]:  # type: ignore[override]
        return self.values, self.segments

    @once
    def rows(self) -> Ints:
        return segment_sum(self.values.rows, self.segments, self.n_segments).astype(np.int64)

    @once
    def positives(self) -> Floats:
        return segment_sum(self.values.positives, self.segments, self.n_segments)

    @once
    def negatives(self) -> Floats:
        return segment_sum(self.values.negatives, self.segments, self.n_segments)


@dataclass(frozen=True, kw_only=True)
class ComparedRows(Scored):
    """Rows of one part that are placed among the scores of all parts."""

    every: Scored

    @classmethod
    def of_part(cls, rows: Scored, every: Scored) -> ComparedRows:
        kept = {field.name: getattr(rows, field.name) for field in fields(rows) if field.init}
        return cls(**{**kept, "n_segments": every.n_segments}, every=every)

    @once
    def table(self) -> ScoreTable:
        return self.every.table

    @once
    def positives(self) -> Floats:
        return self.table.total_positives

    @once
    def negatives(self) -> Floats:
        return self.table.total_negatives

    @once
    def entry(self) -> Ints:
        table, score = self.table, self.score.astype(np.float64)
        starts = np.searchsorted(table.owner, np.arange(table.n_segments + 1))
        order = by_score(self.score)
        at = np.maximum(last_not_above(table.score, starts, score, self.segment, order), 0)
        counts = np.flatnonzero(self.weights > 0)  # rows of weight 0 were not kept
        if len(counts) and not (len(table.score) and (table.score[at[counts]] == score[counts]).all()):
            raise merging.totals_changed()
        return at

    @once
    def placed(self) -> Placed:
        of_positives, of_negatives = self.table.placements
        place = np.where(self.label == 1, of_positives[self.entry], of_negatives[self.entry])
        return Placed(self.every.pairs, place)


def distinct_scores(state: Any) -> Floats:
    if not isinstance(state, Scored) or not state.n_rows:
        return np.zeros(0)
    few = np.unique(state.score[:1000])
    return (few if len(few) >= DISTINCT else np.unique(state.score))[:DISTINCT].astype(np.float64)
