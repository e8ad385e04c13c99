"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser."""

from __future__ import annotations

from steelyard.show.charts.chart import ENDINGS, Chart, check_installed, ending_of
from steelyard.show.charts.confusion import confusion
from steelyard.show.charts.curves import cutoffs, gain, lift, metric_at_k, precision_recall, roc
from steelyard.show.charts.kinds import (
    Evaluated,
    available,
    chart,
    check,
    chosen,
    metrics,
    names,
    options,
    values,
)
from steelyard.show.charts.queries import Pairs, PerQuery, difference, per_query
from steelyard.show.charts.scores import calibration, score_histogram
from steelyard.show.charts.slices import by_size, gauc_by_size, slices
from steelyard.show.charts.style import GRID, INK, MUTED

__all__ = [
    "ENDINGS",
    "GRID",
    "INK",
    "MUTED",
    "Chart",
    "Evaluated",
    "Pairs",
    "PerQuery",
    "available",
    "by_size",
    "calibration",
    "chart",
    "check",
    "check_installed",
    "chosen",
    "confusion",
    "cutoffs",
    "difference",
    "ending_of",
    "gain",
    "gauc_by_size",
    "lift",
    "metric_at_k",
    "metrics",
    "names",
    "options",
    "per_query",
    "precision_recall",
    "roc",
    "score_histogram",
    "slices",
    "values",
]
