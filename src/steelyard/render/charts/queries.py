"""Values of queries, or of groups: how they lie around the one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.metrics.base import Direction
from steelyard.printable import decimal
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import (
    LINES,
    SAYING,
    Layer,
    Row,
    Systems,
    along,
    in_bin,
    layer,
    outline,
    quantity,
)
from steelyard.render.charts.style import HEIGHT, INK, PALETTE, WIDTH
from steelyard.text import Message, say
from steelyard.text.errors import showing
from steelyard.text.labels import COUNTED, UNIT, how_many, named, number
from steelyard.text.names import shown

BINS = 20
_STRIP = 60  # so few queries are shown one by one, too


@dataclass(frozen=True, kw_only=True, eq=False)
class PerQuery:
    """A metric's value for each query, NaN where it is undefined, and over all of them.

    ``unit`` is what has a value: queries or groups.
    """

    metric: str
    queries: pl.Series
    values: Floats
    overall: float
    bounds: tuple[float, float] = (0.0, 1.0)
    unit: str = "queries"
    direction: Direction = "higher"  # which way is better


def per_query(systems: Mapping[str, PerQuery]) -> Chart:
    """How the values of queries lie around the number that sums them up."""
    told = Systems.of("per_query", systems)
    drawn = told.under(systems)
    finite = {name: one.values[np.isfinite(one.values)] for name, one in drawn.items()}
    first = next(iter(drawn.values()))
    if not any(len(found) for found in finite.values()):
        why = say("{metric} is undefined everywhere", metric=first.metric)
        raise showing.nothing_to_draw(name="per_query", why=why)
    edges = _edges(first.bounds, [found for found in finite.values() if len(found)])
    bars = {name: _bars(name, found, edges, told) for name, found in finite.items()}
    layers = [*_histogram(bars, first, edges, told), _means(drawn, told)]
    if not told.several and len(first.values) <= _STRIP:
        layers.append(_strip(first))
    rows = [row for some in bars.values() for row in some]
    return Chart(
        name="per_query",
        title=say("{metric} by {unit}", metric=first.metric, unit=UNIT[first.unit]),
        drawing={"width": WIDTH, "height": HEIGHT, "layer": layers},
        table=pl.DataFrame(rows).select("system", "low", "high", "count", "share"),
        notes=(*told.notes, *_undefined(drawn, told)),
        facts=() if told.several else (say("overall {value}", value=decimal(first.overall)),),
    )


def _edges(bounds: tuple[float, float], found: list[Floats]) -> Floats:
    low = bounds[0] if np.isfinite(bounds[0]) else min(float(one.min()) for one in found)
    high = bounds[1] if np.isfinite(bounds[1]) else max(float(one.max()) for one in found)
    return np.linspace(low, high if high > low else low + 1.0, BINS + 1)


def _bars(name: str, found: Floats, edges: Floats, told: Systems) -> list[Row]:
    counts, _ = np.histogram(found, edges)
    rows = []
    for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
        share = count / max(len(found), 1)
        says = told.named(name, in_bin(low, high, count, share))
        rows.append({"system": name, "low": low, "high": high, "count": count, "share": share, "says": says})
    return rows


def _histogram(bars: Mapping[str, list[Row]], first: PerQuery, edges: Floats, told: Systems) -> list[Layer]:
    domain = {"domain": [edges[0], edges[-1]], "nice": False}
    encoding = {
        "x": quantity("low", first.metric, scale=domain, tickCount=6),
        "x2": {"field": "high"},
        "y": quantity("count", COUNTED[first.unit], ticks="count", tickCount=5, tickMinStep=1),
        "y2": {"datum": 0},
        **told.channels("fill", legend=LINES),  # Vega-Lite would drop those of the lines, too
        **SAYING,
    }
    filled = [row for some in bars.values() for row in some if row["count"]]
    opacity = 0.12 if told.several else 0.75
    drawn = layer(filled, "rect", encoding, stroke=None, fillOpacity=opacity, **told.alone(fill=PALETTE[0]))
    if not told.several:
        return [drawn]
    corners = [
        {key: row[key] for key in ("system", "low", "count", "order")}
        for some in bars.values()
        for row in outline(some)
    ]
    apart = told.channels("stroke", "strokeDash", legend=LINES)
    at = along(x="low", y="count", order="order")
    return [drawn, layer(corners, "line", {**at, **apart}, strokeWidth=1.5, aria=False)]


def _means(drawn: Mapping[str, PerQuery], told: Systems) -> Layer:
    rows = [
        {
            "system": name,
            "mean": one.overall,
            "says": told.named(name, say("overall {value}", value=decimal(one.overall))),
        }
        for name, one in drawn.items()
        if np.isfinite(one.overall)
    ]
    encoding = {**along(x="mean"), **told.channels("stroke", "strokeDash", legend=LINES), **SAYING}
    return layer(rows, "rule", encoding, strokeWidth=1.5, **told.alone(stroke=INK, strokeDash=[4, 3]))


def _strip(one: PerQuery) -> Layer:
    rows = [
        {"low": value, "says": named(shown(query), number(value))}
        for query, value in zip(one.queries.to_list(), one.values.tolist(), strict=True)
        if np.isfinite(value)
    ]
    look = {"color": INK, "opacity": 0.8, "thickness": 1, "size": 9, "y": HEIGHT - 5}
    return layer(rows, "tick", {**along(x="low"), **SAYING}, **look)


def _undefined(drawn: Mapping[str, PerQuery], told: Systems) -> list[Message]:
    said = []
    for name, one in drawn.items():
        n = int(np.count_nonzero(~np.isfinite(one.values)))
        if n:
            said.append(told.named(name, not_shown(n, len(one.values), one.unit)))
    return said


def not_shown(n: int, of: int, unit: str) -> Message:
    return say("Undefined for {n:,} of {every}, which are not shown.", n=n, every=how_many(of, unit))
