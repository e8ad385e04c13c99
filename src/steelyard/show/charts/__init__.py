"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser."""

from __future__ import annotations

from steelyard.show.charts.chart import Chart, check_installed, ending_of
from steelyard.show.charts.compared import Compared
from steelyard.show.charts.confusion import confusion
from steelyard.show.charts.curves import roc
from steelyard.show.charts.differences import forest, slice_differences
from steelyard.show.charts.kind import Evaluated, Section
from steelyard.show.charts.kinds import (
    KINDS,
    available,
    chart,
    check,
    chosen,
    drawable,
    metrics,
    names,
    of,
    of_first_metric,
    options,
    values,
)
from steelyard.show.charts.pairs import Pairs, difference, scatter
from steelyard.show.charts.queries import PerQuery, per_query
from steelyard.show.charts.scores import score_histogram
from steelyard.show.charts.slices import slices
from steelyard.show.charts.style import GRID, INK, MUTED
from steelyard.show.charts.waterfall import waterfall

__all__ = [
    "GRID",
    "INK",
    "KINDS",
    "MUTED",
    "Chart",
    "Compared",
    "Evaluated",
    "Pairs",
    "PerQuery",
    "Section",
]
__all__ += ["Section", "available", "chart", "check", "check_installed", "chosen", "confusion", "difference"]
__all__ += [
    "drawable",
    "ending_of",
    "forest",
    "metrics",
    "names",
    "of",
    "of_first_metric",
    "options",
    "per_query",
    "roc",
]
__all__ += ["scatter", "score_histogram", "slice_differences", "slices", "values", "waterfall"]
