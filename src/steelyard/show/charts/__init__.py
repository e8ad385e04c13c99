"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser."""

from __future__ import annotations

from steelyard.show.charts.at_k import cutoffs, metric_at_k
from steelyard.show.charts.calibration import calibration
from steelyard.show.charts.chart import ENDINGS, Chart, ending_of
from steelyard.show.charts.confusion import confusion
from steelyard.show.charts.difference import difference
from steelyard.show.charts.groups import by_size, gauc_by_size
from steelyard.show.charts.histogram import score_histogram
from steelyard.show.charts.kinds import available, chart, metrics, names, options
from steelyard.show.charts.lines import gain, lift, precision_recall, roc
from steelyard.show.charts.queries import PerQuery, per_query
from steelyard.show.charts.reading import Evaluated
from steelyard.show.charts.slices import slices
from steelyard.show.charts.style import GRID, INK, MUTED
from steelyard.show.charts.svg import check_installed

__all__ = [
    "ENDINGS",
    "GRID",
    "INK",
    "MUTED",
    "Chart",
    "Evaluated",
    "PerQuery",
    "available",
    "by_size",
    "calibration",
    "chart",
    "check_installed",
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
]
