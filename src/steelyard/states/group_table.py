"""Score tables of groups: what AUC within users is made of, when the rows of a user lie in many parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.arrays import Floats, Ints, once
from steelyard.states.mergeable import Mergeable
from steelyard.states.score_table import ScoreTable
from steelyard.states.scored import Scored
from steelyard.states.twofold import placed


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Groups under the names that metrics read of rows, each group a segment of its own."""

    table: ScoreTable
    rows: Ints

    @property
    def n_segments(self) -> int:
        """How many groups there are, in all slices."""
        return self.table.n_segments

    @property
    def positives(self) -> Floats:
        """The weight of rows labelled 1 in each group."""
        return self.table.total_positives

    @property
    def negatives(self) -> Floats:
        """The weight of rows labelled 0 in each group."""
        return self.table.total_negatives

    @property
    def auc(self) -> Floats:
        """The AUC within each group; NaN with one class only."""
        return self.table.auc


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupTable(Mergeable):
    """The groups of each segment, in the order of (segment, group), each with its rows and its score table.

    A group may lie in any number of parts: pairs are counted only when all are together. ``group`` are
    codes, or any other whole numbers, that mean the same groups in every part.
    """

    kind: ClassVar[str] = "group table"

    segment: Ints
    group: Ints
    rows: Ints
    table: ScoreTable
    n_segments: int

    @classmethod
    def empty(cls) -> GroupTable:
        """The table of no groups."""
        none = np.zeros(0, np.int64)
        return cls(segment=none, group=none, rows=none, table=ScoreTable.empty(), n_segments=0)

    @classmethod
    def of(cls, scored: Scored, ids: Ints | None = None) -> GroupTable:
        """The groups of labelled rows; ``ids`` are the numbers that all parts know the groups by.

        >>> label, score, group = np.array([1, 0], np.uint8), np.array([0.9, 0.5]), np.array([1, 1])
        >>> rows = Scored.of(label, score, group=group, n_groups=2)
        >>> GroupTable.of(rows).group, GroupTable.of(rows, ids=np.array([70, 90])).group
        (array([1]), array([90]))
        """
        assert scored.group is not None
        kept = slice(None) if scored.weight is None else np.flatnonzero(scored.weight > 0)
        key, pair = np.unique((scored.segments * scored.n_groups + scored.group)[kept], return_inverse=True)
        n_groups = max(scored.n_groups, 1)
        segment, group = key // n_groups, key % n_groups
        if ids is not None:
            group = ids[group]
            order = np.lexsort((group, segment))
            segment, group = segment[order], group[order]
            pair = placed(np.arange(len(order)), order, len(order))[pair]
        inner = Scored.of(
            scored.label[kept],
            scored.score[kept],
            precision=scored.precision,
            as_given=True,
            weight=None if scored.weight is None else scored.weight[kept],
            segment=pair,
            n_segments=len(key),
        )
        return cls(
            segment=segment, group=group, rows=inner.rows, table=inner.table, n_segments=scored.n_segments
        )

    def merge(self, other: GroupTable) -> GroupTable:
        """The groups of both; the rows of a group that both have go together."""
        segment, group = (
            np.concatenate(pair) for pair in ((self.segment, other.segment), (self.group, other.group))
        )
        order = np.lexsort((group, segment))
        segment, group = segment[order], group[order]
        new = np.ones(len(order), bool)
        new[1:] = (segment[1:] != segment[:-1]) | (group[1:] != group[:-1])
        place = placed(np.cumsum(new) - 1, order, len(order))
        mine, its = place[: len(self.group)], place[len(self.group) :]
        n = int(new.sum())
        tables = (
            replace(side.table, owner=at[side.table.owner], n_segments=n)
            for side, at in ((self, mine), (other, its))
        )
        return GroupTable(
            segment=segment[new],
            group=group[new],
            rows=placed(self.rows, mine, n) + placed(other.rows, its, n),
            table=ScoreTable.merged(tables),
            n_segments=max(self.n_segments, other.n_segments),
        )

    def by_group(self) -> tuple[Groups, Ints]:
        """Each (segment, group) as a segment of its own, and the segment each belongs to."""
        return self._groups, self.segment

    @once
    def _groups(self) -> Groups:
        return Groups(table=self.table, rows=self.rows)

    @classmethod
    def of_columns(cls, columns: dict[str, Any]) -> GroupTable:
        """The table with these fields."""
        return cls(**{**columns, "table": ScoreTable.from_bytes(columns["table"])})
