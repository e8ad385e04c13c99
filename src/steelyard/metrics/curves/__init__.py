"""Curves as data: exact on all rows, in tidy frames, simplified only for drawing."""

from __future__ import annotations

from steelyard.metrics.curves.curve import Curve, curve, metric_at_k, names, precision_recall_at
from steelyard.metrics.curves.rows import (
    calibration,
    gain_and_lift,
    precision_recall,
    roc,
    score_histogram,
    scored,
    wilson,
)
from steelyard.metrics.curves.simplify import Simplified, simplify

__all__ = [
    "Curve",
    "Simplified",
    "calibration",
    "curve",
    "gain_and_lift",
    "metric_at_k",
    "names",
    "precision_recall",
    "precision_recall_at",
    "roc",
    "score_histogram",
    "scored",
    "simplify",
    "wilson",
]
