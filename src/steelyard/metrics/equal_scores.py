"""A positive and a negative of the same score: half a pair in order, or an error."""

from __future__ import annotations

from typing import Any, Literal

from steelyard.conventions import choice
from steelyard.engine.score_table import ScoreTable
from steelyard.messages.errors import measuring

EqualScores = Literal["half", "error"]


def equal_scores_choice() -> Any:
    """The field ``equal_scores``: what becomes of a positive and a negative of the same score."""
    return choice(
        default="half",
        about="A positive and a negative of the same score.",
        meaning={
            "half": "a positive and a negative of the same score count one half",
            "error": "a positive and a negative of the same score are an error",
        },
    )


def refuse_equal_scores(metric: str, table: ScoreTable) -> None:
    """Refuse a score that a positive and a negative of one slice, or of one group, share."""
    shared = (table.positives > 0) & (table.negatives > 0)
    if shared.any():
        raise measuring.equal_scores(metric=metric, n=int(shared.sum()), score=float(table.score[shared][0]))
