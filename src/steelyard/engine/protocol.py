"""What goes into an engine and comes out of it: needs, and the account of the tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import polars as pl

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
    metric: object = field(compare=False)  # that wants it, or its text
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
    def name(self) -> str:
        """How errors call who wants it."""
        return str(self.metric)

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


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many rows and queries there were, and what became of them. Every dropped row is counted.

    ``held`` are the counts that the call has: one without rankings has no queries to count.
    """

    predictions: int = 0  # rows read
    judgements: int = 0  # rows of truth read
    queries: int = 0  # evaluated
    queries_predicted: int = 0  # in the predictions
    queries_judged: int = 0  # in the truth
    queries_missing: int = 0  # judged, not predicted
    queries_emptied: int = 0  # judged and predicted, but every row is masked, excluded or removed
    queries_unexpected: int = 0  # predicted, not judged
    queries_unmixed: int = 0  # all items relevant, or none: left out by judgements=mixed
    queries_without_relevant: int = 0  # evaluated, no grade above 0
    doubled_predictions: int = 0
    doubled_judgements: int = 0
    masked: int = 0  # score -inf: not retrieved
    excluded: int = 0
    self_matched: int = 0
    unjudged: int = 0  # retrieved rows of evaluated queries without a judgement
    retrieved: int = 0  # rows that were ranked
    hits: int = 0  # ranked rows with a grade other than 0
    tied: int = 0  # ranked rows that share their score with another row of their query
    tied_hits: int = 0
    rows: int = 0  # labelled, with a prediction and, of two tables, a partner
    unlabelled: int = 0  # of them, without a label
    unmatched_predictions: int = 0  # predictions without a row in the truth
    unmatched_truth: int = 0  # rows of truth without a prediction
    weightless: int = 0  # rows of weight 0, which are ignored
    outside_catalog: int = 0  # places of the lists shown that an item outside the catalogue takes
    held: frozenset[str] = frozenset()

    @classmethod
    def of(cls, **counts: int) -> Tally:
        """A tally of these counts.

        >>> Tally.of(rows=3, unlabelled=1).to_dict()
        {'rows': 3, 'unlabelled': 1}
        """
        return cls(**counts, held=frozenset(counts))

    def also(self, **counts: int) -> Tally:
        """The same with further counts."""
        changes: dict[str, Any] = {**counts, "held": self.held | frozenset(counts)}
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, int]:
        """The counts by name."""
        return {name: count for name, count in vars(self).items() if name in self.held}


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One convention under which lists were ranked, and what it decided."""

    align: Align
    rank: Rank
    tally: Tally


class Account(NamedTuple):
    """What became of the tables of a call: all that a result says of them beside the values."""

    tally: Tally  # under the first convention
    rankings: tuple[Ranking, ...] = ()  # every convention that lists were ranked under, with its tally
    slice_coverage: Mapping[str, pl.DataFrame] = {}  # how much of the truth each slice covers, by unit
    inputs: Mapping[str, pl.DataFrame] = {}  # what must be the same where predictions are compared, by role


class Reader(Protocol):
    """What makes states of some kind: all that anything above the engine knows of the tables.

    A reader of lists also has ``counted(need)``, the hits with ties open, and ``ordered(need, ties)``.
    """

    @property
    def slices(self) -> object | None:
        """The slice of each unit; None without slices."""

    def state(self, need: Need) -> Any:
        """What a metric reads, all in one segment."""

    def split(self, need: Need, state: Any) -> tuple[pl.DataFrame | None, Any]:
        """The names of the slices, and the same state with each slice a segment; None without slices."""

    def account(self) -> Account:
        """What became of the tables."""
