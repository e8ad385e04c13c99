"""What metrics read, and under which conventions: all that an engine knows of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from steelyard.conventions import Align, Rank
from steelyard.engine.class_values import Class

Reads = Literal["hits", "lists", "scores", "classes", "ratings"]


class Threshold(NamedTuple):
    """From which score on a row is called positive, and whether the caller said so.

    With ``single`` both are compared in single precision.
    """

    at: float
    strict: bool
    stated: bool
    single: bool = False


@dataclass(frozen=True, kw_only=True)
class Need:
    """One state that is wanted; equal needs are met by one state, which all their metrics share."""

    reads: Reads
    metric: str = field(compare=False)  # how errors call who wants it
    align: Align | None = None
    rank: Rank | None = None
    judged_zeros: bool = False  # hits with a grade of 0 are wanted too
    top: int | None = field(default=None, compare=False)  # how many items of each list are wanted
    tables: tuple[str, ...] = field(default=(), compare=False)  # what must be given besides the predictions
    unlabelled: str = "error"
    groups: bool = False
    probabilities: bool = False  # scores must be probabilities
    several_labels: bool = field(default=False, compare=False)  # a row with scores may have several labels
    threshold: Threshold | None = None  # scores may stand for classes
    labels: str = field(default="any", compare=False)  # which labels there may be
    weighted: bool = True  # rows count by their weights
    single: tuple[str, ...] = ()  # the columns that are read in single precision: label, score
    unnamed: str = "error"  # what becomes of classes that the caller did not name

    @property
    def convention(self) -> tuple[Align, Rank]:
        """How lists are aligned and ranked, of a need for hits or for lists."""
        assert self.align is not None
        assert self.rank is not None
        return self.align, self.rank


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the tables of a call are read for: what its metrics need, how rows are sliced and grouped."""

    needs: tuple[Need, ...]
    by: tuple[str, ...] = ()
    unit: str | None = None  # the column whose values are resampled together
    intervals: bool = True
    classes: tuple[Class, ...] | None = None
    orders: frozenset[str] = frozenset({"default"})  # what lists are ordered by
    groups: bool = False  # whether the query of each row is wanted, whatever metrics need
