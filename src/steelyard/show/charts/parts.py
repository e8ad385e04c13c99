"""What charts are put together from: axes, reference lines, systems told apart, points to hover over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.messages import Message, say
from steelyard.messages.errors import showing
from steelyard.show.charts.style import (
    DASHES,
    MOST_HOVERED,
    MOST_PANELS,
    MOST_SYSTEMS,
    MUTED,
    PALETTE,
    SHAPES,
)
from steelyard.show.charts.words import named
from steelyard.show.labels import distinct, number, percent

Row = dict[str, Any]
Layer = dict[str, Any]
_CHANNELS = {"color": PALETTE, "fill": PALETTE, "stroke": PALETTE, "strokeDash": DASHES, "shape": SHAPES}


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
        """As many systems as can be told apart, or have a panel each, and a note of the others."""
        if not systems:
            raise showing.no_systems(name=chart)
        most = MOST_PANELS if panels else MOST_SYSTEMS
        names = tuple(distinct(list(systems)[:most]))
        if len(systems) <= most:
            return cls(names)
        return cls(names, (say("Drawn are the first {shown} of {n} systems.", shown=most, n=len(systems)),))

    @property
    def several(self) -> bool:
        """Whether there is anything to tell apart."""
        return len(self.names) > 1

    def own(self, name: str) -> str:
        """The name of a system as it was given, which a frame holds as mere text."""
        return self.names[self.names.index(name)]

    def named(self, name: str, said: Message) -> Message:
        """What is said of a system, with its name where there are several."""
        return named(name, said) if self.several else said

    def channels(
        self, *channels: str, legend: dict[str, Any] | None = None, labels: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The encoding that tells systems apart in these channels; none where there is one alone.

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


def in_bin(low: float, high: float, count: float, share: float) -> Message:
    """What a bar of a histogram says."""
    return say(
        "{low} to {high}: {count} ({share})",
        low=number(low),
        high=number(high),
        count=number(count),
        share=percent(share),
    )


def values(rows: Iterable[Row]) -> dict[str, Any]:
    """Rows as the data of a layer."""
    return {"values": list(rows)}


def quantity(field: str, title: str | None, **options: Any) -> dict[str, Any]:
    """A position on a scale of numbers; ``scale`` and the options of its axis."""
    scale = options.pop("scale", {})
    axis = None if options.pop("hidden", False) else options
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def share_axis(field: str, title: str, top: float = 1.0) -> dict[str, Any]:
    """A position between 0 and ``top``."""
    return quantity(field, title, scale={"domain": [0, top], "nice": False}, tickCount=5)


def line(points: Iterable[tuple[float, float]], **mark: Any) -> Layer:
    """A quiet line of reference through points."""
    rows = [{"x": x, "y": y, "order": place} for place, (x, y) in enumerate(points)]
    return {
        "data": values(rows),
        "mark": {
            "type": "line",
            "stroke": MUTED,
            "strokeWidth": 1,
            "strokeDash": [4, 3],
            "aria": False,
            **mark,
        },
        "encoding": {**_TYPES, "order": {"field": "order", "type": "quantitative"}},
    }


def remark(x: float, y: float, text: str, **mark: Any) -> Layer:
    """A quiet word beside a reference line."""
    return {
        "data": values([{"x": x, "y": y, "text": text}]),
        "mark": {"type": "text", "color": MUTED, "aria": False, **mark},
        "encoding": {**_TYPES, "text": {"field": "text", "type": "nominal"}},
    }


def hovered(rows: Sequence[Row], **encoding: Any) -> Layer:
    """Points that are not seen but carry their values; each row has x, y and what it says."""
    return {
        "data": values(rows),
        "mark": {
            "type": "point",
            "shape": "circle",
            "filled": True,
            "size": 120,
            "opacity": 0,
            "color": PALETTE[0],
        },
        "encoding": {**_TYPES, **SAYING, **encoding},
    }


def outline(bars: Iterable[Row]) -> list[Row]:
    """The upper edge of bars with a low and a high end, as the points of a line."""
    corners = [row | {"low": row[end]} for row in bars for end in ("low", "high")]
    return [row | {"order": place} for place, row in enumerate(corners)]


def panels(drawn: Sequence[tuple[str, Layer]], systems: Systems, columns: int = 1) -> Layer:
    """One panel, or several under their names."""
    if not systems.several:
        return drawn[0][1]
    small = {"fontSize": 12, "fontWeight": "normal", "offset": 6}
    return {
        "concat": [{**panel, "title": {"text": name, **small}} for name, panel in drawn],
        "columns": columns,
        "spacing": 24,
    }


def evenly(count: int, n: int) -> list[int]:
    """Places of ``count`` things spread over ``n``, both ends among them.

    >>> evenly(3, 101), evenly(5, 2)
    ([0, 50, 100], [0, 1])
    """
    if n <= count:
        return list(range(n))
    return [round(place * (n - 1) / (count - 1)) for place in range(count)]


def each_hovered(systems: int) -> int:
    """How many points of each system carry their values."""
    return max(8, MOST_HOVERED // systems)


PLAIN_ZERO = {"labelExpr": "datum.value == 0 ? '0' : datum.label"}  # not 0k, not +0
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
_TYPES: dict[str, Any] = {
    "x": {"field": "x", "type": "quantitative"},
    "y": {"field": "y", "type": "quantitative"},
}
