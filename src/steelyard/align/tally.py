"""The count of everything that was decided about the data."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many rows and queries there were, and what became of them. Nothing is dropped in silence."""

    predictions: int  # rows read
    judgements: int  # rows of truth read
    queries: int  # evaluated
    queries_predicted: int  # in the predictions
    queries_judged: int  # in the truth
    queries_missing: int  # judged, not predicted
    queries_unexpected: int  # predicted, not judged
    queries_without_relevant: int  # evaluated, no grade above 0
    doubled_predictions: int
    doubled_judgements: int
    masked: int  # score -inf: not retrieved
    excluded: int
    self_matched: int
    unjudged: int  # retrieved rows of evaluated queries without a judgement
    retrieved: int  # rows that were ranked
    hits: int  # ranked rows with a grade other than 0
    tied: int = 0  # ranked rows that share their score with another row of their query
    tied_hits: int = 0

    def to_dict(self) -> dict[str, int]:
        """The counts by name."""
        return dataclasses.asdict(self)
