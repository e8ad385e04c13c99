"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser."""

from __future__ import annotations

from steelyard.report.charts.at_k import cutoffs, metric_at_k
from steelyard.report.charts.calibration import calibration
from steelyard.report.charts.chart import ENDINGS, Chart, ending_of
from steelyard.report.charts.confusion import confusion
from steelyard.report.charts.difference import difference
from steelyard.report.charts.groups import by_size, gauc_by_size
from steelyard.report.charts.histogram import score_histogram
from steelyard.report.charts.kinds import available, chart, metrics, names, options
from steelyard.report.charts.lines import gain, lift, precision_recall, roc
from steelyard.report.charts.queries import PerQuery, per_query
from steelyard.report.charts.reading import Evaluated
from steelyard.report.charts.slices import slices
from steelyard.report.charts.style import GRID, INK, MUTED
from steelyard.report.charts.svg import check_installed

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
