"""The count of everything that was decided about the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from steelyard.conventions import Align, Rank


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many rows and queries there were, and what became of them. Nothing is dropped in silence.

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
    weightless: int = 0  # rows of weight 0, which count as none
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
