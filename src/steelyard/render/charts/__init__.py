"""Charts: Vega-Lite as values, drawn as SVG, PNG and PDF without a browser."""

from __future__ import annotations

from steelyard.render.charts.chart import Chart, check_installed, ending_of
from steelyard.render.charts.compared import Compared
from steelyard.render.charts.confusion import confusion
from steelyard.render.charts.curves import roc
from steelyard.render.charts.differences import forest, slice_differences
from steelyard.render.charts.kind import Evaluated, Section
from steelyard.render.charts.kinds import (
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
from steelyard.render.charts.pairs import Pairs, difference, scatter
from steelyard.render.charts.queries import PerQuery, per_query
from steelyard.render.charts.scores import score_histogram
from steelyard.render.charts.slices import slices
from steelyard.render.charts.style import GRID, INK, MUTED
from steelyard.render.charts.waterfall import waterfall

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
