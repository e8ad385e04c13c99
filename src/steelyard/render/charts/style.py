"""One quiet look for every chart: its colours, its fonts, and how many things it may show."""

from __future__ import annotations

from typing import Any, Final

# Three fixed greys: a page that is dark redraws them by [fill="…"] and [stroke="…"].
INK: Final = "#24292f"  # what is read
MUTED: Final = "#6e7781"  # what it is read against: axes, reference lines
GRID: Final = "#d8dee4"

# Okabe and Ito (2008) without their yellow and black: apart for the colour-blind, seen on white and on black.
PALETTE: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31")
# Never by colour alone: each system has a line and a mark of its own.
DASHES: Final = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

BETTER: Final = PALETTE[0]
WORSE: Final = PALETTE[1]

FONT: Final = (
    "Inter, 'Helvetica Neue', Arial, 'Noto Sans CJK SC', 'Noto Sans SC', 'PingFang SC', "
    "'Microsoft YaHei', 'WenQuanYi Micro Hei', sans-serif"
)

SIDE: Final = 320  # of a square chart
WIDTH: Final = 420
HEIGHT: Final = 260

MOST_SYSTEMS: Final = len(PALETTE)
MOST_PANELS: Final = 4
MOST_METRICS: Final = 6  # in panels
MOST_POINTS: Final = 300  # of the lines of a chart
MOST_HOVERED: Final = 60  # points that carry their values

CONFIG: Final[dict[str, Any]] = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "aria": False,
        "domainColor": MUTED,
        "gridColor": GRID,
        "labelColor": INK,
        "labelFlush": False,
        "labelFontSize": 11,
        "labelLimit": 0,
        "labelPadding": 4,
        "tickColor": MUTED,
        "tickSize": 4,
        "titleColor": INK,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleLimit": 0,
        "titlePadding": 8,
    },
    "legend": {
        "aria": False,
        "columns": 1,
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 0,
        "offset": 8,
        "orient": "bottom",
        "rowPadding": 3,
        "symbolSize": 120,
        "symbolStrokeWidth": 2,
        "title": None,
    },
    "title": {
        "anchor": "start",
        "aria": False,
        "color": INK,
        "fontSize": 14,
        "fontWeight": "bold",
        "frame": "group",
        "limit": 0,
        "offset": 12,
        "subtitleColor": MUTED,
        "subtitleFontSize": 11,
        "subtitlePadding": 4,
    },
    "text": {"color": INK, "fontSize": 11},
    "line": {"strokeWidth": 2, "strokeJoin": "round"},
}
