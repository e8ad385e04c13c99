"""A metric's arithmetic, step by step, from the same definitions that evaluate."""

from __future__ import annotations

from steelyard.show.explanation import (
    counts,
    first_hit,
    gains,
    precisions,
    rows_auc,
    rows_calibration,
    rows_choices,
    rows_classes,
    rows_curves,
    rows_gauc,
    rows_loss,
    rows_matrix,
    rows_ratings,
)
from steelyard.show.explanation.explained import explain_list, explain_rows
from steelyard.show.explanation.explanation import By, Column, Explanation, Line, Number, Of, Other, Steps
from steelyard.show.explanation.rows_curves import ROC
from steelyard.show.explanation.steps import Parts, steps

__all__ = [
    "ROC",
    "By",
    "Column",
    "Explanation",
    "Line",
    "Number",
    "Of",
    "Other",
    "Parts",
    "Steps",
    "counts",
    "explain_list",
    "explain_rows",
    "first_hit",
    "gains",
    "precisions",
    "rows_auc",
    "rows_calibration",
    "rows_choices",
    "rows_classes",
    "rows_curves",
    "rows_gauc",
    "rows_loss",
    "rows_matrix",
    "rows_ratings",
    "steps",
]
