"""All that row metrics read, when the rows themselves are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

from steelyard.arrays import Flags, Floats, Ints
from steelyard.kernels.scales import Scaled
from steelyard.messages.errors import measuring
from steelyard.states.group_table import Groups, GroupTable
from steelyard.states.mergeable import Mergeable
from steelyard.states.rated import Rated
from steelyard.states.score_table import ScoreTable
from steelyard.states.scored import Scored
from steelyard.states.segmented import Segmented
from steelyard.states.sums import NEGATIVES, POSITIVES, WEIGHT, Sums, Term


@dataclass(frozen=True, kw_only=True, eq=False)
class Reduced(Mergeable):
    """Sums, and where they are asked for score tables of segments and of groups.

    Metrics read it by the names they read rows by, so that one formula serves rows and what parts of them
    were reduced to.
    """

    kind: ClassVar[str] = "reduced rows"

    sums: Sums
    scores: ScoreTable | None = None
    groups: GroupTable | None = None

    @classmethod
    def empty(cls) -> Reduced:
        """What no rows are reduced to."""
        return cls(sums=Sums.empty())

    @classmethod
    def of(
        cls,
        rows: Segmented,
        terms: Sequence[Term] = (),
        *,
        scores: bool = False,
        groups: bool = False,
        ids: Ints | None = None,
    ) -> Reduced:
        """Rows reduced to sums of the terms and, if asked, to the tables of their scores.

        ``ids`` are the numbers that all parts know the groups by, if the codes of the rows are not.

        >>> import numpy as np
        >>> rows = Scored.of(np.array([1, 0], np.uint8), np.array([0.9, 0.5]))
        >>> one = Reduced.of(rows, scores=True)
        >>> one.merge(one).auc, one.merge(one).rows
        (array([1.]), array([4]))
        """
        rows = replace(rows, as_given=True)  # parts of rows must not be scaled each by its own weights
        scored = rows if isinstance(rows, Scored) else None
        return cls(
            sums=Sums.of(rows, terms),
            scores=scored.table if scored and scores else None,
            groups=GroupTable.of(scored, ids) if scored and groups else None,
        )

    def merge(self, other: Reduced) -> Reduced:
        """What the rows of both are reduced to; both must hold the same."""
        if not self.sums.names or not other.sums.names:
            some = self if self.sums.names else other
            return replace(some, sums=self.sums.merge(other.sums))
        if self.held_names != other.held_names:
            raise measuring.held_differ(self.held_names, other.held_names)
        return Reduced(
            sums=self.sums.merge(other.sums),
            scores=self.scores.merge(other.scores) if self.scores and other.scores else None,
            groups=self.groups.merge(other.groups) if self.groups and other.groups else None,
        )

    @property
    def held_names(self) -> tuple[str, ...]:
        """What can be read: the names of the terms, and the kinds of the tables."""
        tables = (self.scores, self.groups)
        return self.sums.names + tuple(table.kind for table in tables if table is not None)

    def held(self, name: str) -> Scaled:
        """The sum of the term of that name in each segment."""
        return self.sums.held(name)

    def total(self) -> Floats:
        """The weight of each segment."""
        return WEIGHT.total(self)

    @property
    def positives(self) -> Floats:
        """The weight of rows labelled 1."""
        return POSITIVES.total(self)

    @property
    def negatives(self) -> Floats:
        """The weight of rows labelled 0."""
        return NEGATIVES.total(self)

    @property
    def n_segments(self) -> int:
        """How many segments there are, those without rows too."""
        return self.sums.n_segments

    @property
    def segment(self) -> Ints:
        """The segments that have rows."""
        return self.sums.segment

    @property
    def rows(self) -> Ints:
        """How many rows each segment has, those of weight 0 apart."""
        return self.sums.rows

    @property
    def spread(self) -> Scaled:
        """The weighted sum of squares of the true ratings around their mean."""
        return self.sums.spread

    @property
    def varies(self) -> Flags:
        """Whether a segment has two rows of different truth."""
        return self.sums.varies

    @property
    def table(self) -> ScoreTable:
        """The distinct scores of each segment with the weight of both classes."""
        if self.scores is None:
            raise measuring.not_held(ScoreTable.kind, self.held_names)
        return self.scores

    def read_at(self, thresholds: int, *, strict: bool, metric: str) -> Self:
        """The same with each score the threshold that it counts at."""
        return replace(self, scores=self.table.read_at(thresholds, strict=strict, metric=metric))

    def in_single(self) -> Self:
        """The same with each score in single precision."""
        return replace(self, scores=self.table.in_single())

    @property
    def auc(self) -> Floats:
        """How often a positive scores above a negative, a tie counting half; NaN with one class only."""
        return self.table.auc

    def by_group(self) -> tuple[Groups, Ints]:
        """Each (segment, group) as a segment of its own, and the segment each belongs to."""
        if self.groups is None:
            raise measuring.not_held(GroupTable.kind, self.held_names)
        return self.groups.by_group()

    @classmethod
    def of_columns(cls, columns: dict[str, Any]) -> Reduced:
        """What has these fields."""
        scores, groups = columns["scores"], columns["groups"]
        return cls(
            sums=Sums.from_bytes(columns["sums"]),
            scores=None if scores is None else ScoreTable.from_bytes(scores),
            groups=None if groups is None else GroupTable.from_bytes(groups),
        )


ScoredRows: TypeAlias = Scored | Reduced
RatedRows: TypeAlias = Rated | Reduced
