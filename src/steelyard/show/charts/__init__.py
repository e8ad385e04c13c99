"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser."""

from __future__ import annotations

from steelyard.show.charts.chart import Chart, check_installed, ending_of
from steelyard.show.charts.confusion import confusion
from steelyard.show.charts.curves import roc
from steelyard.show.charts.kinds import (
    Evaluated,
    available,
    chart,
    check,
    chosen,
    drawable,
    metrics,
    names,
    options,
    values,
)
from steelyard.show.charts.queries import Pairs, PerQuery, difference, per_query
from steelyard.show.charts.scores import score_histogram
from steelyard.show.charts.slices import slices
from steelyard.show.charts.style import GRID, INK, MUTED

__all__ = [
    "GRID",
    "INK",
    "MUTED",
    "Chart",
    "Evaluated",
    "Pairs",
    "PerQuery",
    "available",
    "chart",
    "check",
    "check_installed",
    "chosen",
    "confusion",
    "difference",
    "drawable",
    "ending_of",
    "metrics",
    "names",
    "options",
    "per_query",
    "roc",
    "score_histogram",
    "slices",
    "values",
]
