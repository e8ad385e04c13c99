"""A walk from the highest score down: AUC, its curve, precision and recall, KS."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.arrays import Ints
from steelyard.engine.score_table import ScoreTable
from steelyard.engine.scored import Scored
from steelyard.messages import Message, say
from steelyard.steps.arithmetic import UNDEFINED, Line, Parts, Quantity, Steps
from steelyard.steps.rows import ONE_CLASS, WEIGHTED, Values, table, together

SCORES = say("from the highest score down", key="score_steps")


def falling(found: ScoreTable) -> Ints:
    """The distinct scores that have any weight, from the highest down; a row of weight 0 is no row."""
    return np.flatnonzero(found.positives + found.negatives > 0)[::-1]


def score_values(found: ScoreTable) -> list[Values]:
    """Each score with its positives and negatives."""
    at = falling(found)
    return [
        Values(say("score"), found.score[at], "range", "rank"),
        Values(say("positives"), found.positives[at], "sum"),
        Values(say("negatives"), found.negatives[at], "sum"),
    ]


def score_steps(values: Sequence[Values], pieces: Sequence[Ints], total: Sequence[str]) -> Steps:
    """A walk down the scores."""
    rest = say(
        "a range of scores is several steps in one ({rows:,} in all): sums, or where they end.",
        rows=together(pieces),
    )
    return table(SCORES, values, pieces, total=total, rest=rest)


def of_both_classes(made: Steps, value: Quantity, notes: tuple[Message, ...]) -> Parts:
    """The value, or undefined where only one class is there."""
    both = any(made.column("positives").cells) and any(made.column("negatives").cells)
    if both:
        return Parts(steps=(made,), lines=(Line(value),), notes=notes)
    return Parts(steps=(made,), lines=(UNDEFINED,), notes=(*notes, ONE_CLASS))


def score_notes(state: Scored) -> tuple[Message, ...]:
    """What a reader of distinct scores must know where rows have weights."""
    return () if state.table.counted else (WEIGHTED,)
