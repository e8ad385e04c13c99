"""Values of queries or groups: their histogram, and two systems against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.metrics.base import Direction
from steelyard.printable import decimal
from steelyard.render.charts import parts as style
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import Layer, Row, Systems, along, in_bin, layer, line, outline, quantity
from steelyard.text import Message, say
from steelyard.text.errors import writing
from steelyard.text.labels import COUNTED, UNIT, UNITS, how_many, named, number
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

    def span(self, values: Floats) -> tuple[float, float]:
        """The bounds of the metric; where it has none, the ends of some values."""
        low, high = self.bounds
        low = low if np.isfinite(low) else float(values.min())
        high = high if np.isfinite(high) else float(values.max())
        return low, high if high > low else low + 1.0


def per_query(values: Mapping[str, PerQuery]) -> Chart:
    """A histogram shows the values of all queries, and a line the overall value."""
    systems = Systems.of("per_query", values)
    drawn = systems.under(values)
    finite = {name: one.values[np.isfinite(one.values)] for name, one in drawn.items()}
    first = next(iter(drawn.values()))
    every = np.concatenate(list(finite.values()))
    if not len(every):
        why = say("{metric} is undefined everywhere", metric=first.metric)
        raise writing.nothing_to_draw(name="per_query", why=why)
    edges = np.linspace(*first.span(every), BINS + 1)
    bars = {name: _bars(name, of_system, edges, systems) for name, of_system in finite.items()}
    layers = [*_histogram(bars, first, edges, systems), _means(drawn, systems)]
    if not systems.several and len(first.values) <= _STRIP:
        layers.append(_strip(first))
    notes = []
    for name, one in drawn.items():
        if n := len(one.values) - len(finite[name]):
            notes.append(systems.named(name, not_shown(n, len(one.values), one.unit)))
    return Chart(
        name="per_query",
        title=say("{metric} by {unit}", metric=first.metric, unit=UNIT[first.unit]),
        drawing={"width": style.WIDTH, "height": style.HEIGHT, "layer": layers},
        table=pl.DataFrame([row for of_system in bars.values() for row in of_system]).drop("says"),
        notes=(*systems.notes, *notes),
        facts=() if systems.several else (say("overall {value}", value=decimal(first.overall)),),
    )


def _bars(name: str, values: Floats, edges: Floats, systems: Systems) -> list[Row]:
    counts, _ = np.histogram(values, edges)
    rows = []
    for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
        share = count / max(len(values), 1)
        says = systems.named(name, in_bin(low, high, count, share))
        rows.append({"system": name, "low": low, "high": high, "count": count, "share": share, "says": says})
    return rows


def _histogram(
    bars: Mapping[str, list[Row]], first: PerQuery, edges: Floats, systems: Systems
) -> list[Layer]:
    domain = {"domain": [edges[0], edges[-1]], "nice": False}
    encoding = {
        "x": quantity("low", first.metric, scale=domain, tickCount=6),
        "x2": {"field": "high"},
        "y": quantity("count", COUNTED[first.unit], ticks="count", tickCount=5, tickMinStep=1),
        "y2": {"datum": 0},
        **systems.channels("fill", legend=style.LINES),  # Vega-Lite would drop those of the lines, too
    }
    filled = [row for of_system in bars.values() for row in of_system if row["count"]]
    look = {"fillOpacity": 0.12 if systems.several else 0.75, **systems.alone(fill=style.PALETTE[0])}
    drawn = layer(filled, "rect", encoding, stroke=None, **look)
    if not systems.several:
        return [drawn]
    corners = [
        {key: row[key] for key in ("system", "low", "count", "order")}
        for of_system in bars.values()
        for row in outline(of_system)
    ]
    apart = systems.channels("stroke", "strokeDash", legend=style.LINES)
    at = along(x="low", y="count", order="order")
    return [drawn, layer(corners, "line", {**at, **apart}, strokeWidth=1.5, aria=False)]


def _means(drawn: Mapping[str, PerQuery], systems: Systems) -> Layer:
    rows = [
        {
            "system": name,
            "mean": one.overall,
            "says": systems.named(name, say("overall {value}", value=decimal(one.overall))),
        }
        for name, one in drawn.items()
        if np.isfinite(one.overall)
    ]
    encoding = {**along(x="mean"), **systems.channels("stroke", "strokeDash", legend=style.LINES)}
    look = systems.alone(stroke=style.INK, strokeDash=[4, 3])
    return layer(rows, "rule", encoding, strokeWidth=1.5, **look)


def _strip(values: PerQuery) -> Layer:
    rows = [
        {"low": value, "says": named(shown(query), number(value))}
        for query, value in zip(values.queries.to_list(), values.values.tolist(), strict=True)
        if np.isfinite(value)
    ]
    look = {"color": style.INK, "opacity": 0.8, "thickness": 1, "size": 9, "y": style.HEIGHT - 5}
    return layer(rows, "tick", along(x="low"), **look)


def not_shown(n: int, of: int, unit: str) -> Message:
    return say("Undefined for {n:,} of {every}, which are not shown.", n=n, every=how_many(of, unit))


MOST_BARS = 160
TILES = 20  # along each axis, where points are too many


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """What has a value in both of two systems, with the difference, the greatest first.

    ``frame`` has the columns query, value, other (its value in the second system) and difference; the others
    are counted.
    """

    names: tuple[str, str]
    mine: PerQuery  # of the first
    frame: pl.DataFrame
    undefined: int = 0
    in_one_only: int = 0

    @classmethod
    def of(cls, names: tuple[str, str], mine: PerQuery, its: PerQuery) -> Pairs:
        if mine.queries.dtype != its.queries.dtype:
            raise writing.ids_differ(one=str(mine.queries.dtype), other=str(its.queries.dtype))
        left, right = (pl.DataFrame({"query": each.queries, "value": each.values}) for each in (mine, its))
        both = left.join(right.rename({"value": "other"}), on="query", how="inner", maintain_order="left")
        gap = both.select("query", "value", "other", (pl.col("value") - pl.col("other")).alias("difference"))
        defined = gap.filter(pl.col("difference").is_finite())
        return cls(
            names=names,
            mine=mine,
            frame=defined.sort("difference", descending=True, maintain_order=True),
            undefined=both.height - defined.height,
            in_one_only=left.height + right.height - 2 * both.height,
        )


def difference(pairs: Pairs) -> Chart:
    """Sorted bars show by how much each query is better or worse in one system than in another."""
    notes = _notes("difference", pairs)
    apart, mine = pairs.frame, pairs.mine
    mean = float(apart["difference"].to_numpy().mean())
    bars = _grouped(apart, mine.unit)
    if apart.height > MOST_BARS:
        notes.append(_extremes(apart, mine.unit))
    one, other = (shown(name, 24) for name in pairs.names)
    return Chart(
        name="difference",
        title=say("{metric}: {one} minus {other}", metric=mine.metric, one=one, other=other),
        drawing={
            "width": style.WIDTH,
            "height": style.HEIGHT,
            "layer": _sorted_bars(bars, apart.height, mean, mine),
        },
        table=pl.DataFrame(bars).drop("from", "to", "says"),
        notes=tuple(notes),
        facts=(say("mean {value}", value=decimal(mean, sign="+")),),
    )


def _notes(chart: str, pairs: Pairs) -> list[Message]:
    """How many units are better or worse, and which are not drawn; refused if there is none to draw."""
    gap, unit = pairs.frame["difference"], pairs.mine.unit
    if not len(gap):
        queries = say("no query has a value in both")
        why = queries if unit == "queries" else say("no group has a value in both")
        raise writing.nothing_to_draw(name=chart, why=why)
    notes = [
        say(
            "Higher for {higher}, equal for {equal:,}, lower for {lower:,}.",
            higher=how_many(int((gap > 0).sum()), unit),
            equal=int((gap == 0).sum()),
            lower=int((gap < 0).sum()),
        )
    ]
    if pairs.undefined:
        notes.append(not_shown(pairs.undefined, len(gap) + pairs.undefined, unit))
    if pairs.in_one_only:
        there = how_many(pairs.in_one_only, unit)
        notes.append(say("Not shown, since only one of the two systems has them: {queries}.", queries=there))
    return notes


def _grouped(apart: pl.DataFrame, unit: str) -> list[Row]:
    """A bar for each query, or for about equally many of them."""
    gap = apart["difference"].to_numpy()
    start: Ints = np.linspace(0, len(gap), min(len(gap), MOST_BARS) + 1).astype(np.int64)
    means = np.add.reduceat(gap, start[:-1]) / np.diff(start)
    rows = []
    for first, end, mean in zip(start[:-1].tolist(), start[1:].tolist(), means.tolist(), strict=True):
        n, high, low = end - first, float(gap[first]), float(gap[end - 1])
        query = shown(apart["query"][first]) if n == 1 else None
        value = decimal(mean, sign="+")
        says = (
            named(query, value)
            if query is not None
            else say(
                "{queries}, {low} to {high}: mean {value}",
                queries=how_many(n, unit),
                low=decimal(low, sign="+"),
                high=decimal(high, sign="+"),
                value=value,
            )
        )
        row = {"query": query, "n": n, "high": high, "low": low, "difference": mean}
        rows.append({**row, "from": first, "to": end, "says": says})
    return rows


def _extremes(apart: pl.DataFrame, unit: str) -> Message:
    best, worst = apart.row(0, named=True), apart.row(-1, named=True)
    return say(
        "Each bar is the mean of about {each:,} of {queries}. "
        "The largest difference is {high} at {best}, the smallest {low} at {worst}.",
        each=round(apart.height / MOST_BARS),
        queries=how_many(apart.height, unit),
        high=decimal(best["difference"], sign="+"),
        best=shown(best["query"]),
        low=decimal(worst["difference"], sign="+"),
        worst=shown(worst["query"]),
    )


def _sorted_bars(bars: list[Row], n: int, mean: float, mine: PerQuery) -> list[Layer]:
    title, scale = (
        say("{unit}, sorted by difference", unit=UNITS[mine.unit]),
        {"domain": [0, n], "nice": False},
    )
    x = quantity("from", title, scale=scale, grid=False, tickMinStep=1, ticks="count", tickCount=5)
    y = quantity("difference", f"Δ {mine.metric}", tickCount=6, ticks="signed")
    encoding = {"x": x, "x2": {"field": "to"}, "y": y, "y2": {"datum": 0}, "fill": _side(mine)}
    return [
        layer(bars, "rect", encoding, stroke=None),
        layer([{"at": 0}], "rule", along(y="at"), stroke=style.MUTED, aria=False),
        layer([{"at": mean}], "rule", along(y="at"), stroke=style.INK, **style.REFERENCE),
    ]


def _side(mine: PerQuery) -> Row:
    below, above = (style.BETTER, style.WORSE) if mine.direction == "lower" else (style.WORSE, style.BETTER)
    return {"condition": {"test": "datum.difference < 0", "value": below}, "value": above}


def scatter(pairs: Pairs) -> Chart:
    """Each point is a query, placed by its values in two systems; on the diagonal both are equal.

    Queries of the same values are one mark, the larger the more there are; where too many values differ to be
    told apart, squares stand for the queries inside them, the darker the more there are.
    """
    notes = _notes("scatter", pairs)
    mine, names = pairs.mine, (shown(pairs.names[0], 24), shown(pairs.names[1], 24))
    points = (
        pairs.frame.group_by("value", "other", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("query").first())
        .select("query", "value", "other", "n")
    )
    ends = mine.span(pairs.frame.select("value", "other").to_numpy())
    if points.height <= style.MOST_POINTS:
        table, drawn = points, _bubbles(points, names, mine)
        notes.append(say("The larger a point, the more {unit} have these values.", unit=UNITS[mine.unit]))
    else:
        table = _squares(pairs.frame, ends)
        drawn = _tiles(table, names, mine)
        notes.append(say("The darker a square, the more {unit} lie in it.", unit=UNITS[mine.unit]))
    scale = {"domain": list(ends), "nice": False}
    axes = {
        axis: quantity(
            axis, say("{metric} of {system}", metric=mine.metric, system=name), scale=scale, tickCount=5
        )
        for axis, name in zip("yx", names, strict=True)
    }
    diagonal = line([(ends[0],) * 2, (ends[1],) * 2], **axes)
    return Chart(
        name="scatter",
        title=say("{metric}: {one} against {other}", metric=mine.metric, one=names[0], other=names[1]),
        drawing={"width": style.SIDE, "height": style.SIDE, "layer": [diagonal, drawn]},
        table=table,
        notes=tuple(notes),
    )


def _bubbles(points: pl.DataFrame, names: tuple[str, str], mine: PerQuery) -> Layer:
    rows = []
    for query, value, other, n in points.rows():
        values = {"one": names[0], "value": number(value), "other": names[1], "its": number(other)}
        says = named(
            shown(query) if n == 1 else how_many(n, mine.unit), say("{one} {value}, {other} {its}", **values)
        )
        rows.append({"x": other, "y": value, "n": n, "difference": value - other, "says": says})
    most = max(row["n"] for row in rows)
    scale = {"type": "sqrt", "domain": [1, max(most, 2)], "range": [30, 30 if most == 1 else 400]}
    size = {"field": "n", "type": "quantitative", "scale": scale, "legend": None}
    encoding = {**along(x="x", y="y"), "size": size, "color": _colour(mine)}
    return layer(rows, "point", encoding, filled=True, opacity=0.55, shape="circle")


def _colour(mine: PerQuery) -> Row:
    """As ``_side``, with a quiet colour for what is equal."""
    sides, equal = _side(mine), {"test": "datum.difference == 0", "value": style.MUTED}
    return sides | {"condition": [equal, sides["condition"]]}


def _squares(frame: pl.DataFrame, ends: tuple[float, float]) -> pl.DataFrame:
    edges = np.linspace(*ends, TILES + 1)
    other, value = (frame[name].to_numpy().clip(*ends) for name in ("other", "value"))
    counts, _, _ = np.histogram2d(other, value, bins=[edges, edges])
    at_x, at_y = np.nonzero(counts)
    return pl.DataFrame(
        {
            "other_low": edges[at_x],
            "other_high": edges[at_x + 1],
            "value_low": edges[at_y],
            "value_high": edges[at_y + 1],
            "n": counts[at_x, at_y].astype(np.int64),
        }
    )


def _tiles(squares: pl.DataFrame, names: tuple[str, str], mine: PerQuery) -> Layer:
    rows = []
    for x, x2, y, y2, n in squares.rows():
        says = say(
            "{one} {low} to {high}, {other} {its_low} to {its_high}: {queries}",
            one=names[0],
            other=names[1],
            low=number(y),
            high=number(y2),
            its_low=number(x),
            its_high=number(x2),
            queries=how_many(n, mine.unit),
        )
        rows.append({"x": x, "x2": x2, "y": y, "y2": y2, "n": n, "difference": y - x, "says": says})
    most = max(row["n"] for row in rows)
    scale = {"type": "log", "domain": [1, max(most, 2)], "range": [0.12, 0.68]}
    shade = {"field": "n", "type": "quantitative", "scale": scale, "legend": None}
    at = {**along(x="x", y="y"), "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    return layer(rows, "rect", {**at, "fill": _colour(mine), "fillOpacity": shade}, stroke=None)
