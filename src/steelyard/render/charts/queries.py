"""Values of queries or groups: their histogram, and two systems against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.metrics.base import Direction
from steelyard.printable import decimal
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import (
    BETTER,
    HEIGHT,
    INK,
    LINES,
    MOST_POINTS,
    MUTED,
    PALETTE,
    REFERENCE,
    SAYING,
    SIDE,
    WIDTH,
    WORSE,
    Layer,
    Row,
    Systems,
    along,
    in_bin,
    layer,
    line,
    outline,
    quantity,
)
from steelyard.text import Message, say
from steelyard.text.errors import showing
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


def per_query(values: Mapping[str, PerQuery]) -> Chart:
    """A histogram shows the values of all queries, and a line the overall value."""
    systems = Systems.of("per_query", values)
    drawn = systems.under(values)
    finite = {name: one.values[np.isfinite(one.values)] for name, one in drawn.items()}
    first = next(iter(drawn.values()))
    if not any(len(found) for found in finite.values()):
        why = say("{metric} is undefined everywhere", metric=first.metric)
        raise showing.nothing_to_draw(name="per_query", why=why)
    edges = _edges(first.bounds, [found for found in finite.values() if len(found)])
    bars = {name: _bars(name, found, edges, systems) for name, found in finite.items()}
    layers = [*_histogram(bars, first, edges, systems), _means(drawn, systems)]
    if not systems.several and len(first.values) <= _STRIP:
        layers.append(_strip(first))
    rows = [row for some in bars.values() for row in some]
    return Chart(
        name="per_query",
        title=say("{metric} by {unit}", metric=first.metric, unit=UNIT[first.unit]),
        drawing={"width": WIDTH, "height": HEIGHT, "layer": layers},
        table=pl.DataFrame(rows).select("system", "low", "high", "count", "share"),
        notes=(*systems.notes, *_undefined(drawn, systems)),
        facts=() if systems.several else (say("overall {value}", value=decimal(first.overall)),),
    )


def _edges(bounds: tuple[float, float], found: list[Floats]) -> Floats:
    low = bounds[0] if np.isfinite(bounds[0]) else min(float(one.min()) for one in found)
    high = bounds[1] if np.isfinite(bounds[1]) else max(float(one.max()) for one in found)
    return np.linspace(low, high if high > low else low + 1.0, BINS + 1)


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
        **systems.channels("fill", legend=LINES),  # Vega-Lite would drop those of the lines, too
        **SAYING,
    }
    filled = [row for some in bars.values() for row in some if row["count"]]
    opacity = 0.12 if systems.several else 0.75
    drawn = layer(
        filled, "rect", encoding, stroke=None, fillOpacity=opacity, **systems.alone(fill=PALETTE[0])
    )
    if not systems.several:
        return [drawn]
    corners = [
        {key: row[key] for key in ("system", "low", "count", "order")}
        for some in bars.values()
        for row in outline(some)
    ]
    apart = systems.channels("stroke", "strokeDash", legend=LINES)
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
    encoding = {**along(x="mean"), **systems.channels("stroke", "strokeDash", legend=LINES), **SAYING}
    return layer(rows, "rule", encoding, strokeWidth=1.5, **systems.alone(stroke=INK, strokeDash=[4, 3]))


def _strip(one: PerQuery) -> Layer:
    rows = [
        {"low": value, "says": named(shown(query), number(value))}
        for query, value in zip(one.queries.to_list(), one.values.tolist(), strict=True)
        if np.isfinite(value)
    ]
    look = {"color": INK, "opacity": 0.8, "thickness": 1, "size": 9, "y": HEIGHT - 5}
    return layer(rows, "tick", {**along(x="low"), **SAYING}, **look)


def _undefined(drawn: Mapping[str, PerQuery], systems: Systems) -> list[Message]:
    notes = []
    for name, one in drawn.items():
        n = int(np.count_nonzero(~np.isfinite(one.values)))
        if n:
            notes.append(systems.named(name, not_shown(n, len(one.values), one.unit)))
    return notes


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
            raise showing.ids_differ(one=str(mine.queries.dtype), other=str(its.queries.dtype))
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
    gap, notes = _gap("difference", pairs), _told(pairs)
    apart, mine, unit = pairs.frame, pairs.mine, pairs.mine.unit
    bars = _grouped(apart, MOST_BARS, unit)
    if apart.height > MOST_BARS:
        notes.append(_extremes(apart, unit))
    one, other = (shown(name, 24) for name in pairs.names)
    return Chart(
        name="difference",
        title=say("{metric}: {one} minus {other}", metric=mine.metric, one=one, other=other),
        drawing={"width": WIDTH, "height": HEIGHT, "layer": _sorted_bars(bars, gap, mine)},
        table=pl.DataFrame(
            [{key: row[key] for key in ("query", "n", "high", "low", "difference")} for row in bars]
        ),
        notes=tuple(notes),
        facts=(say("mean {value}", value=decimal(float(gap.mean()), sign="+")),),
    )


def _gap(chart: str, pairs: Pairs) -> Floats:
    if not pairs.frame.height:
        queries = say("no query has a value in both")
        why = queries if pairs.mine.unit == "queries" else say("no group has a value in both")
        raise showing.nothing_to_draw(name=chart, why=why)
    return pairs.frame["difference"].to_numpy()


def _told(pairs: Pairs) -> list[Message]:
    gap, unit = pairs.frame["difference"].to_numpy(), pairs.mine.unit
    higher, equal, lower = (int(np.count_nonzero(side)) for side in (gap > 0, gap == 0, gap < 0))
    notes = [
        say(
            "Higher for {higher}, equal for {equal:,}, lower for {lower:,}.",
            higher=how_many(higher, unit),
            equal=equal,
            lower=lower,
        )
    ]
    if pairs.undefined:
        notes.append(not_shown(pairs.undefined, len(gap) + pairs.undefined, unit))
    if pairs.in_one_only:
        there = how_many(pairs.in_one_only, unit)
        notes.append(say("Not shown, since only one of the two systems has them: {queries}.", queries=there))
    return notes


def _grouped(apart: pl.DataFrame, most: int, unit: str) -> list[Row]:
    n, gap = apart.height, apart["difference"].to_numpy()
    count = min(n, most)
    start: Ints = np.linspace(0, n, count + 1).astype(np.int64)
    size = np.diff(start)
    mean = np.add.reduceat(gap, start[:-1]) / size
    rows = []
    for place in range(count):
        first, last = int(start[place]), int(start[place + 1]) - 1
        high, low = float(gap[first]), float(gap[last])
        value = float(mean[place])
        query = shown(apart["query"][first]) if first == last else None
        says = (
            named(query, decimal(value, sign="+"))
            if query is not None
            else say(
                "{queries}, {low} to {high}: mean {value}",
                queries=how_many(last - first + 1, unit),
                low=decimal(low, sign="+"),
                high=decimal(high, sign="+"),
                value=decimal(value, sign="+"),
            )
        )
        rows.append(
            {"query": query, "n": last - first + 1, "high": high, "low": low, "difference": value}
            | {"from": first, "to": last + 1, "says": says}
        )
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


def _sorted_bars(bars: list[Row], gap: Floats, mine: PerQuery) -> list[Layer]:
    x = quantity(
        "from",
        say("{unit}, sorted by difference", unit=UNITS[mine.unit]),
        scale={"domain": [0, len(gap)], "nice": False},
        grid=False,
        tickMinStep=1,
        ticks="count",
        tickCount=5,
    )
    y = quantity("difference", f"Δ {mine.metric}", tickCount=6, ticks="signed")
    encoding = {"x": x, "x2": {"field": "to"}, "y": y, "y2": {"datum": 0}, "fill": _side(mine), **SAYING}
    return [
        layer(bars, "rect", encoding, stroke=None),
        layer([{"at": 0}], "rule", along(y="at"), stroke=MUTED, aria=False),
        layer([{"at": float(gap.mean())}], "rule", along(y="at"), stroke=INK, **REFERENCE),
    ]


def _side(mine: PerQuery) -> Row:
    below, above = (BETTER, WORSE) if mine.direction == "lower" else (WORSE, BETTER)
    return {"condition": {"test": "datum.difference < 0", "value": below}, "value": above}


def scatter(pairs: Pairs) -> Chart:
    """Each point is a query, placed by its values in two systems; on the diagonal both are equal.

    Queries of the same values are one mark, the larger the more there are; where too many values differ to be
    told apart, squares stand for the queries inside them, the darker the more there are.
    """
    _gap("scatter", pairs)
    mine, names = pairs.mine, (shown(pairs.names[0], 24), shown(pairs.names[1], 24))
    points = (
        pairs.frame.group_by("value", "other", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("query").first())
        .with_columns((pl.col("value") - pl.col("other")).alias("difference"))
    )
    ends = _ends(pairs.frame, mine)
    few = points.height <= MOST_POINTS
    table = points.select("query", "value", "other", "n") if few else _squares(pairs.frame, ends)
    axes = _axes(names, mine, ends)
    drawn = _bubbles(points, names, mine) if few else _tiles(table, names, mine)
    notes = _told(pairs)
    notes.append(
        say("The larger a point, the more {unit} have these values.", unit=UNITS[mine.unit])
        if few
        else say("The darker a square, the more {unit} lie in it.", unit=UNITS[mine.unit])
    )
    return Chart(
        name="scatter",
        title=say("{metric}: {one} against {other}", metric=mine.metric, one=names[0], other=names[1]),
        drawing={
            "width": SIDE,
            "height": SIDE,
            "layer": [line([(ends[0],) * 2, (ends[1],) * 2], **axes), drawn],
        },
        table=table,
        notes=tuple(notes),
    )


def _ends(frame: pl.DataFrame, mine: PerQuery) -> tuple[float, float]:
    both = frame.select("value", "other").to_numpy()
    low, high = mine.bounds
    low = low if np.isfinite(low) else float(both.min())
    high = high if np.isfinite(high) else float(both.max())
    return low, high if high > low else low + 1.0


def _axes(names: tuple[str, str], mine: PerQuery, ends: tuple[float, float]) -> dict[str, Row]:
    scale = {"domain": list(ends), "nice": False}
    title = (say("{metric} of {system}", metric=mine.metric, system=name) for name in reversed(names))
    return {axis: quantity(axis, next(title), scale=scale, tickCount=5) for axis in ("x", "y")}


def _bubbles(points: pl.DataFrame, names: tuple[str, str], mine: PerQuery) -> Layer:
    one, other = names
    rows = []
    for row in points.to_dicts():
        n, query = row["n"], shown(row["query"])
        values = {"one": one, "value": number(row["value"]), "other": other, "its": number(row["other"])}
        text = say("{one} {value}, {other} {its}", **values)
        who = query if n == 1 else how_many(n, mine.unit)
        rows.append(
            {"x": row["other"], "y": row["value"], "n": n, "difference": row["difference"]}
            | {"says": named(who, text)}
        )
    most = int(points["n"].to_numpy().max())
    scale = {"type": "sqrt", "domain": [1, max(most, 2)], "range": [30, 30 if most == 1 else 400]}
    size = {"field": "n", "type": "quantitative", "scale": scale, "legend": None}
    encoding = {**along(x="x", y="y"), "size": size, "color": _colour(mine), **SAYING}
    return layer(rows, "point", encoding, filled=True, opacity=0.55, shape="circle")


def _colour(mine: PerQuery) -> Row:
    """As ``_side``, with a quiet colour for what is equal."""
    sides = _side(mine)
    return {"condition": [{"test": "datum.difference == 0", "value": MUTED}, sides["condition"]]} | {
        "value": sides["value"]
    }


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
    most = int(squares["n"].to_numpy().max())
    rows = [
        {"x": row["other_low"], "x2": row["other_high"], "y": row["value_low"], "y2": row["value_high"]}
        | {"n": row["n"], "difference": row["value_low"] - row["other_low"]}
        | {
            "says": say(
                "{one} {low} to {high}, {other} {its_low} to {its_high}: {queries}",
                one=names[0],
                other=names[1],
                low=number(row["value_low"]),
                high=number(row["value_high"]),
                its_low=number(row["other_low"]),
                its_high=number(row["other_high"]),
                queries=how_many(row["n"], mine.unit),
            )
        }
        for row in squares.to_dicts()
    ]
    scale = {"type": "log", "domain": [1, max(most, 2)], "range": [0.12, 0.68]}
    shade = {"field": "n", "type": "quantitative", "scale": scale, "legend": None}
    at = {**along(x="x", y="y"), "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    return layer(rows, "rect", {**at, "fill": _colour(mine), "fillOpacity": shade, **SAYING}, stroke=None)
