"""The parts of charts: one look, layers, axes, reference lines, and the looks of several systems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import polars as pl

from steelyard.text import Message, say
from steelyard.text.errors import writing
from steelyard.text.labels import named, number, percent
from steelyard.text.names import distinct

Row = dict[str, Any]
Layer = dict[str, Any]
T = TypeVar("T")

# The look that all charts share, in the words of Vega-Lite. It has three fixed greys: a page that is dark
# redraws them by [fill="…"] and [stroke="…"].
CONFIG: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("config.json").read_text("utf-8"))
FONT: Final[str] = CONFIG["font"]
INK: Final[str] = CONFIG["text"]["color"]  # what is read
MUTED: Final[str] = CONFIG["axis"]["domainColor"]  # what it is read against: axes, reference lines
GRID: Final[str] = CONFIG["axis"]["gridColor"]

# Okabe and Ito (2008) without their yellow and black: apart for the colour-blind, seen on white and on black.
PALETTE: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31")
# Never by colour alone: each system has a line and a mark of its own.
DASHES: Final = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

BETTER: Final = PALETTE[0]
WORSE: Final = PALETTE[1]

SIDE: Final = 320  # of a square chart
WIDTH: Final = 420
HEIGHT: Final = 260

MOST_SYSTEMS: Final = len(PALETTE)
MOST_PANELS: Final = 4
MOST_METRICS: Final = 6  # in panels
MOST_POINTS: Final = 300  # of the lines of a chart
MOST_HOVERED: Final = 60  # points that carry their values

_CHANNELS = {"color": PALETTE, "fill": PALETTE, "stroke": PALETTE, "strokeDash": DASHES, "shape": SHAPES}
# How the ticks of an axis are written. Vega gives each as many decimals as their step needs, so that they
# are distinct and alike, unless zeros are trimmed (~) or digits are counted (g: -0.12 and -0.10 became -0.1).
_TICKS: dict[str, dict[str, str]] = {
    "plain": {"format": ",f"},
    "signed": {"format": "+,f", "labelExpr": "datum.value == 0 ? slice(datum.label, 1) : datum.label"},
    "share": {"format": "%"},
    "count": {"format": "s", "labelExpr": "datum.value == 0 ? '0' : datum.label"},  # not 0k
    "whole": {"format": ",d"},
    "log": {"format": "~g"},  # powers of ten: as many digits as each needs
}
# two panels, one above the other, whose legends are none of the other's business
STACKED: dict[str, Any] = {
    "spacing": 10,
    "resolve": {"scale": dict.fromkeys(("color", "shape", "stroke", "strokeDash"), "independent")},
}
LINES = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 2}  # a legend of lines
# to a script of the page, and to Vega in a notebook
SAYING: dict[str, Any] = {
    channel: {"field": "says", "type": "nominal"} for channel in ("description", "tooltip")
}
POINTS = {"symbolOpacity": 1, "symbolStrokeWidth": 0, "symbolSize": 80}  # a legend of points
REFERENCE: dict[str, Any] = {"strokeDash": [4, 3], "aria": False}  # the look of a line to compare with


@dataclass(frozen=True)
class Systems:
    """The systems of one chart under the names it shows; one alone needs no legend.

    >>> Systems.of("roc", {"old": 1, "new": 2}).names
    ('old', 'new')
    """

    names: tuple[str, ...]
    notes: tuple[Message, ...] = ()

    @classmethod
    def of(cls, chart: str, systems: Mapping[str, object], *, panels: bool = False) -> Systems:
        """The first systems, as many as have a colour or a panel, and a note on the others."""
        if not systems:
            raise writing.no_systems(name=chart)
        most = MOST_PANELS if panels else MOST_SYSTEMS
        names = tuple(distinct(list(systems)[:most]))
        if len(systems) <= most:
            return cls(names)
        return cls(names, (say("The first {shown} of {n} systems are drawn.", shown=most, n=len(systems)),))

    @property
    def several(self) -> bool:
        return len(self.names) > 1

    def under(self, given: Mapping[str, T]) -> dict[str, T]:
        """What was given of the systems that are shown, under the names they are shown by."""
        return dict(zip(self.names, given.values(), strict=False))

    def own(self, name: str) -> str:
        """The name of a system as it was given; it may be a message, which a frame holds as text."""
        return self.names[self.names.index(name)]

    def named(self, name: str, said: Message) -> Message:
        return named(name, said) if self.several else said

    def alone(self, **look: Any) -> dict[str, Any]:
        """The look of a single system, which no channel sets."""
        return {} if self.several else look

    def offset(self, channel: str) -> dict[str, Any]:
        """The encoding that puts systems side by side; empty for a single system."""
        if not self.several:
            return {}
        return {channel: {"field": "system", "type": "nominal", "sort": list(self.names)}}

    def channels(
        self, *channels: str, legend: dict[str, Any] | None = None, labels: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The encoding of systems in these channels; empty for a single system.

        Without ``legend`` there is none; ``labels`` are its words, where they say more than the names.
        """
        if not self.several:
            return {}
        shown = list(labels or self.names)
        return {
            channel: {
                "field": "label" if labels else "system",
                "type": "nominal",
                "sort": None,
                "scale": {"domain": shown, "range": list(_CHANNELS[channel][: len(shown)])},
                "legend": legend,
            }
            for channel in channels
        }


def with_system(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Frames one below the other, with a first column that names the system of each."""
    return pl.concat([frame.select(pl.lit(name).alias("system"), pl.all()) for name, frame in frames.items()])


def in_bin(low: float, high: float, count: float, share: float) -> Message:
    return say(
        "{low} to {high}: {count} ({share})",
        low=number(low),
        high=number(high),
        count=number(count),
        share=percent(share),
    )


def layer(rows: Iterable[Row], kind: str, encoding: dict[str, Any], **mark: Any) -> Layer:
    """Marks for rows; a row that says something tells it where a reader points, unless ``aria`` is False."""
    values = list(rows)
    if mark.get("aria", True) and values and "says" in values[0]:
        encoding = {**encoding, **SAYING}
    return {"data": {"values": values}, "mark": {"type": kind, **mark}, "encoding": encoding}


def along(**fields: str) -> dict[str, Any]:
    """Channels that follow numbers: ``x="low"`` puts each row where its ``low`` is."""
    return {channel: {"field": field, "type": "quantitative"} for channel, field in fields.items()}


def quantity(field: str, title: str | None, *, scale: Any = None, ticks: str = "plain", **axis: Any) -> Row:
    """A position on a scale of numbers, with the kind of its ticks and the options of its axis."""
    shown = {**_TICKS[ticks], **axis}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale or {}, "axis": shown}


def names_axis(field: str, order: Sequence[str]) -> Row:
    axis = {"grid": False, "domain": False, "ticks": False, "labelPadding": 8}
    scale = {"domain": list(order)}
    return {
        "field": field,
        "type": "nominal",
        "sort": list(order),
        "scale": scale,
        "title": None,
        "axis": axis,
    }


def share_axis(field: str, title: str) -> Row:
    return quantity(field, title, scale={"domain": [0, 1.0], "nice": False}, tickCount=5)


def line(points: Iterable[tuple[float, float]], **axes: Row) -> Layer:
    """A quiet line of reference through points; as the first layer it has the ``axes``."""
    rows = [{"x": x, "y": y, "order": place} for place, (x, y) in enumerate(points)]
    encoding = {**along(x="x", y="y", order="order"), **axes}
    return layer(rows, "line", encoding, stroke=MUTED, strokeWidth=1, **REFERENCE)


def remark(x: float, y: float, text: str, **mark: Any) -> Layer:
    """A grey label at a reference line."""
    encoding = {**along(x="x", y="y"), "text": {"field": "text", "type": "nominal"}}
    return layer([{"x": x, "y": y, "text": text}], "text", encoding, color=MUTED, aria=False, **mark)


def outline(bars: Iterable[Row]) -> list[Row]:
    """The upper edge of bars with a low and a high end, as the points of a line."""
    corners = [row | {"low": row[end]} for row in bars for end in ("low", "high")]
    return [row | {"order": place} for place, row in enumerate(corners)]


def panels(drawn: Sequence[tuple[str, Layer]], systems: Systems, columns: int = 1) -> Layer:
    if not systems.several:
        return drawn[0][1]
    small = {"fontSize": 12, "fontWeight": "normal", "offset": 6}
    titled = [{**panel, "title": {"text": name, **small}} for name, panel in drawn]
    return {"concat": titled, "columns": columns, "spacing": 24}


def evenly(count: int, n: int) -> list[int]:
    """Places of ``count`` things spread over ``n``, both ends among them.

    >>> evenly(3, 101), evenly(5, 2)
    ([0, 50, 100], [0, 1])
    """
    if n <= count:
        return list(range(n))
    return [round(place * (n - 1) / (count - 1)) for place in range(count)]


def first_metrics(most: int, n: int) -> Message:
    return say("The first {shown} of {n} metrics are drawn.", shown=most, n=n)
