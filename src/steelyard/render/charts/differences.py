"""Charts of differences: between systems, by slice, and between two profiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import polars as pl

from steelyard.conventions import alpha_of
from steelyard.engine.slices import NOTHING, WHOLE, is_whole
from steelyard.printable import decimal
from steelyard.read.table import apart
from steelyard.render.charts import parts as style
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import Layer, Row, Systems, along, layer, names_axis, quantity
from steelyard.render.compared import Compared
from steelyard.render.differences import Attribution
from steelyard.text import Message, say
from steelyard.text.errors import writing
from steelyard.text.labels import FLOORED, GAIN, STANDING, chance, columns_of, in_table, joined, named, signed
from steelyard.text.names import distinct, shown

MOST_ROWS = 40  # metrics, or slices
MOST_COLUMNS = 10
_WIDTH = 300
_UNIT = (0.0, 1.0)
_COLUMNS = ("metric", "system", "baseline", "value", "difference", "ci_low", "ci_high", "p", "p_corrected")
_ROOM = 34  # characters of a name
_CROSS = "M-.7,-.7L.7,.7M-.7,.7L.7,-.7"  # the mark of a difference that was not tested


def forest(compared: Compared, metric: str | None = None) -> Chart:
    """Each row is a difference with its interval: filled is significant, hollow is not, × is not tested.

    Without ``metric`` there is a row for each over everything; with it, a row for the whole and each slice.
    """
    rows = compared.whole if metric is None else compared.rows.filter(pl.col("metric") == metric)
    drawn, notes = _least_of(rows, compared, metric)
    if not drawn:
        raise writing.nothing_to_draw(name="forest", why=say("no difference has a value"))
    baseline = compared.only_baseline
    systems = Systems.of("forest", dict.fromkeys(dict.fromkeys(_pair(row, baseline) for row in drawn)))
    points = [
        _point(row, compared, baseline, systems) for row in drawn if _pair(row, baseline) in systems.names
    ]
    title, *kinds = _axis(compared, metric, baseline), *_by_scale(points, compared, metric)
    panels = [_forest_panel(some, title if some is kinds[-1] else None, systems) for some in kinds]
    return Chart(
        name="forest",
        title=_title(compared, metric, baseline),
        drawing={"vconcat": panels, "spacing": 18} if len(panels) > 1 else panels[0],
        table=_table(drawn, compared),
        notes=(*systems.notes, *notes, _filled(compared, points)),
    )


def _title(compared: Compared, metric: str | None, baseline: str | None) -> Message:
    if metric is None and baseline is None:
        return say("Differences between all systems")
    if metric is None:
        return say("Differences from {baseline}", baseline=baseline)
    words = {"metric": shown(metric, 30), "columns": columns_of(compared.by)}
    if baseline is None:
        return say("{metric}: differences by {columns}", **words)
    return say("{metric}: differences from {baseline}, by {columns}", baseline=baseline, **words)


def _pair(row: Row, baseline: str | None) -> str:
    """The name of what is tested, with what it is tested against where that is not the same for all."""
    return row["system"] if baseline is not None else f"{row['system']} − {row['baseline']}"


def _least_of(rows: pl.DataFrame, compared: Compared, metric: str | None) -> tuple[list[Row], list[Message]]:
    """The rows to draw: all metrics, or the whole and the slices with the largest differences."""
    finite = rows.filter(pl.col("difference").is_finite())
    kinds = ["metric"] if metric is None else list(compared.by)
    names = finite.select(kinds).unique(maintain_order=True)
    if names.height <= MOST_ROWS:
        return compared.records(finite), []
    if metric is None:
        kept = names.head(MOST_ROWS)
        note = say("The first {shown} of {n:,} metrics are drawn.", shown=MOST_ROWS, n=names.height)
    else:
        kept, note = _furthest(finite, kinds, names.height)
    drawn = finite.join(kept, on=kinds, how="semi", nulls_equal=True, maintain_order="left")
    return compared.records(drawn), [note]


def _furthest(rows: pl.DataFrame, by: Sequence[str], n: int) -> tuple[pl.DataFrame, Message]:
    """The whole and the slices with the largest differences, and a note on the others."""
    furthest = rows.sort(pl.col("difference").abs(), descending=True, maintain_order=True)
    both = pl.concat([rows.filter(is_whole(rows, by)), furthest])
    note = say("The {shown} of {n:,} slices with the largest differences are drawn.", shown=MOST_ROWS, n=n)
    return both.select(by).unique(maintain_order=True).head(MOST_ROWS), note


def _filled(compared: Compared, points: Sequence[Row]) -> Message:
    below = alpha_of(compared.level)
    note = say("Filled: significant (p below {below:.2g}). Hollow: not significant.", below=below)
    if compared.correction is not None:
        note = say(
            "Filled: significant (p below {below:.2g} after {correction}). Hollow: not significant.",
            below=below,
            correction=compared.correction,
        )
    untested = any(row["standing"] == "untested" for row in points)
    return say("{said} ×: not tested.", said=note) if untested else note


def _point(row: Row, compared: Compared, baseline: str | None, systems: Systems) -> Row:
    low, high = row["ci_low"], row["ci_high"]
    span = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    says = say(
        "{name}: {difference}, p {p}",
        name=_slice(row, compared.by) if compared.by else shown(row["metric"], _ROOM),
        difference=signed(row["difference"]),
        p=chance(row["p_corrected"], row[FLOORED]),
    )
    if span:
        says = say("{said} ({low} to {high})", said=says, low=signed(low), high=signed(high))
    pair = _pair(row, baseline)
    return {
        "system": pair,
        "metric": row["metric"],
        "slice": _slice(row, compared.by),
        "difference": row["difference"],
        "low": low if span else None,
        "high": high if span else None,
        "standing": row[STANDING],
        "text": signed(row["difference"]),
        "says": systems.named(pair, says),
    }


def _slice(row: Row, by: Sequence[str]) -> str:
    if not by or all(row[name] is None for name in by):
        return WHOLE
    name = joined([row[column] for column in by], _ROOM)
    return NOTHING if name == NOTHING else name


def _axis(compared: Compared, metric: str | None, baseline: str | None) -> Message:
    title = say("difference")
    if baseline is not None:
        title = say("difference from {baseline}", baseline=shown(baseline, 24))
    if metric is None:
        return title
    return say("{what}, {metric}", what=title, metric=_way(metric, compared))


def _by_scale(points: Sequence[Row], compared: Compared, metric: str | None) -> list[list[Row]]:
    """The points of each panel, ``at`` their rows: metrics from 0 to 1 share a scale, others have theirs."""
    if metric is not None:
        return [[row | {"at": row["slice"]} for row in points]]
    placed = [row | {"at": _way(row["metric"], compared)} for row in points]
    shared = {label for label, one in compared.metrics.items() if one.bounds == _UNIT}
    own = [label for label in compared.metrics if label not in shared]
    each = ([row for row in placed if row["metric"] in kind] for kind in (shared, *({one} for one in own)))
    return [some for some in each if some]


def _way(metric: str, compared: Compared) -> str:
    arrow = {"lower": " ↓", "nearest_1": " → 1"}.get(compared.metrics[metric].direction, "")
    return f"{shown(metric, _ROOM)}{arrow}"


def _forest_panel(points: list[Row], title: Message | None, systems: Systems) -> Layer:
    order = list(dict.fromkeys(row["at"] for row in points))
    y = names_axis("at", order)
    x = quantity("difference", title, scale={"zero": True, "nice": True}, tickCount=5, ticks="signed")
    beside, alone = systems.offset("yOffset"), systems.alone(color=style.INK)
    colour = systems.channels("color", legend=style.POINTS)
    marks = systems.channels("color", "shape", legend=style.POINTS)
    at = {**along(x="difference"), "y": y, **beside}
    span = {**along(x="low"), "x2": {"field": "high"}, "y": y, **beside, **colour}
    figure = {"y": y, **beside, "text": {"field": "text", "type": "nominal"}}
    margin = {"align": "left", "fontSize": 10, "aria": False, "x": _WIDTH + 8}
    layers = [layer([{"difference": 0}], "rule", {"x": x}, color=style.MUTED, strokeWidth=1.5, aria=False)]
    for kind, some in _by_kind(points):
        spans = [row for row in some if row["low"] is not None]
        certain = kind == "significant"
        look = {"shape": _CROSS, "strokeWidth": 1.8} if kind == "untested" else {}
        place = {**at, **(colour if kind == "untested" else marks)}
        bold = {"fontWeight": "bold", "color": style.INK} if certain else {"color": style.MUTED}
        layers += [
            layer(spans, "rule", span, strokeWidth=2 if certain else 1.2, **alone),
            layer(some, "point", place, filled=certain, size=55, opacity=1, **look, **alone),
            layer(some, "text", figure, **margin, **bold),
        ]
    step = {"step": 14 + 12 * len(systems.names), "for": "position"}
    return {"width": _WIDTH, "height": step, "layer": layers}


def _by_kind(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    kinds: dict[str, list[Row]] = {"untested": [], "open": [], "significant": []}
    for row in rows:
        kinds[row["standing"] if row["standing"] in kinds else "significant"].append(row)
    return [(kind, some) for kind, some in kinds.items() if some]


def _table(rows: Sequence[Row], compared: Compared) -> pl.DataFrame:
    frame = pl.DataFrame(list(rows), schema=compared.rows.schema, orient="row")
    keys = [f"by {place}" for place in range(len(compared.by))]
    named_apart = dict(zip(keys, apart(compared.by, {"system"}), strict=True))
    kept = frame.rename(dict(zip(compared.by, keys, strict=True))).select(*keys, *_COLUMNS, "n")
    return kept.with_columns(pl.col(keys).fill_null(str(WHOLE))).rename(named_apart)


def slice_differences(compared: Compared) -> Chart:
    """Each cell is a difference in a slice: bold is significant, pale is not, in brackets is not tested."""
    (system, baseline), *others = compared.pairs
    if others:
        raise writing.needs_two(name="slice_differences", n=len(others) + 2)
    every = compared.rows.filter(pl.col("difference").is_finite())
    known = set(every["metric"].unique())
    labels = [label for label in compared.metrics if label in known]
    columns = labels[:MOST_COLUMNS]
    inside = every.filter(pl.col("metric").is_in(columns))
    names = inside.select(compared.by).unique(maintain_order=True)
    if not compared.by or names.height < 2:
        raise writing.nothing_to_draw(name="slice_differences", why=say("no slice has a difference"))
    notes = []
    if len(labels) > len(columns):
        notes.append(say("The first {shown} of {n:,} metrics are drawn.", shown=len(columns), n=len(labels)))
    if names.height > MOST_ROWS:
        first = inside.filter(pl.col("metric") == columns[0])
        kept, note = _furthest(first, compared.by, names.height)
        notes.append(note)
        inside = inside.join(kept, on=list(compared.by), how="semi", nulls_equal=True, maintain_order="left")
    rows = compared.records(inside)
    cells = _cells(rows, compared)
    meaning = say(
        "Blue: {system} is better. Orange: worse. Bold: significant; pale: not significant.",
        system=shown(system, 24),
    )
    if any(row["standing"] == "untested" for row in cells):
        meaning = say("{said} In brackets: not tested.", said=meaning)
    return Chart(
        name="slice_differences",
        title=say(
            "{one} minus {other}, by {columns}",
            one=shown(system, 24),
            other=shown(baseline, 24),
            columns=columns_of(compared.by),
        ),
        drawing=_heat_map(cells, [shown(label, 18) for label in columns]),
        table=_table(rows, compared),
        notes=(meaning, *notes),
    )


def _cells(rows: Sequence[Row], compared: Compared) -> list[Row]:
    """The cells of the heat map; how strong one is, is its share of the greatest of its metric."""
    most: dict[str, float] = {}
    for row in rows:
        most[row["metric"]] = max(most.get(row["metric"], 0.0), abs(row["difference"]))
    order = dict.fromkeys(tuple(row[name] for name in compared.by) for row in rows)
    names = (str(WHOLE) if all(one is None for one in key) else joined(key, _ROOM) for key in order)
    labels = dict(zip(order, distinct(names, 40), strict=True))
    cells = []
    for row in rows:
        standing = row[STANDING]
        text = decimal(row["difference"], 3, sign="+")
        gain = row[GAIN]
        strength = abs(row["difference"]) / most[row["metric"]] if most[row["metric"]] else 0.0
        key = tuple(row[name] for name in compared.by)
        name = WHOLE if all(one is None for one in key) else labels[key]
        says = say(
            "{name}: {difference}, p {p}",
            name=named(name, shown(row["metric"])),
            difference=signed(row["difference"]),
            p=chance(row["p_corrected"], row[FLOORED]),
        )
        cells.append(
            {
                "slice": NOTHING if name == NOTHING else name,
                "metric": shown(row["metric"], 18),
                "shade": (0.25 + 0.35 * strength)
                if standing not in ("open", "untested")
                else 0.04 + 0.08 * strength,
                "side": "none" if not gain else "better" if gain > 0 else "worse",
                "standing": standing,
                "text": f"({text})" if standing == "untested" else text,
                "says": says,
            }
        )
    return cells


def _heat_map(cells: list[Row], columns: list[str]) -> Layer:
    order = list(dict.fromkeys(row["slice"] for row in cells))
    axis: dict[str, Any] = {"domain": False, "ticks": False, "grid": False}
    upright = {"labelAngle": 0} if max(map(len, columns)) <= 12 else {"labelAngle": -35}
    x = names_axis("metric", columns) | {"axis": {**axis, **upright, "orient": "top"}}
    y = names_axis("slice", order)
    sides = {"domain": ["better", "worse", "none"], "range": [style.BETTER, style.WORSE, style.MUTED]}
    fill = {"field": "side", "type": "nominal", "scale": sides, "legend": None}
    # opacity, so that nothing is white where the page is dark
    shade = {"field": "shade", "type": "quantitative", "scale": None, "legend": None}
    layers = [
        layer(
            cells,
            "rect",
            {"x": x, "y": y, "fill": fill, "fillOpacity": shade},
            stroke=style.GRID,
        )
    ]
    at = {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}}
    for kind, some in _by_kind(cells):
        look = {"color": style.INK, "fontWeight": "bold"} if kind == "significant" else {"color": style.MUTED}
        layers.append(layer(some, "text", at, fontSize=11, aria=False, **look))
    return {"width": {"step": 76}, "height": {"step": 26}, "view": {"stroke": style.GRID}, "layer": layers}


MOST_STEPS = 20


def waterfall(attribution: Attribution) -> Chart:
    """Each step is what a convention adds to, or takes from, the value of the first profile."""
    if any(math.isnan(value) for value in attribution.values):
        raise writing.nothing_to_draw(name="waterfall", why=say("a value is undefined"))
    steps = _steps(attribution)
    one, other = attribution.names
    return Chart(
        name="waterfall",
        title=say("{metric}: from {one} to {other}", metric=attribution.metric, one=one, other=other),
        drawing=_drawing(attribution, steps),
        table=pl.DataFrame(
            [(row["step"], row["start"], row["end"], row["end"] - row["start"]) for row in steps],
            schema={"convention": pl.String, "from": pl.Float64, "to": pl.Float64, "part": pl.Float64},
            orient="row",
        ),
        facts=(attribution.head,),
        notes=(say("Each step is the mean over the orders in which the conventions can be changed."),),
    )


def _steps(attribution: Attribution) -> list[Row]:
    parts = [
        (one.name, one.part, attribution.sentence(one))
        for one in attribution.carried
        if math.isfinite(one.part)
    ]
    if len(parts) > MOST_STEPS:
        rest = parts[MOST_STEPS - 1 :]
        others = say("{n} others", n=len(rest))
        parts = [*parts[: MOST_STEPS - 1], (str(others), math.fsum(part for _, part, _ in rest), others)]
    ends = list(accumulate((part for _, part, _ in parts), initial=attribution.values[0]))
    ends[-1] = attribution.values[1]
    steps = []
    for (name, _, words), start, end in zip(parts, ends, ends[1:], strict=False):
        part = signed(end - start)
        says = say("{name}: {part} ({words})", name=name, part=part, words=words)
        row = {"step": name, "start": start, "end": end, "right": max(start, end)}
        steps.append({**row, "text": part, "says": says})
    return steps


def _drawing(attribution: Attribution, steps: list[Row]) -> Layer:
    ends = [
        {"step": name, "value": value, "text": in_table(value), "says": named(name, in_table(value))}
        for name, value in zip(attribution.names, attribution.values, strict=True)
    ]
    order = [attribution.names[0], *(row["step"] for row in steps), attribution.names[1]]
    reached = [attribution.values[0], *(row["end"] for row in steps)]
    low, high = min(*reached, attribution.values[1]), max(*reached, attribution.values[1])
    room = 0.12 * (high - low) or 0.1
    scale = {"domain": [low - room, high + room], "zero": False, "nice": True}
    x, y = quantity("value", attribution.metric, scale=scale, tickCount=5), names_axis("step", order)
    bar = {**along(x="start"), "x2": {"field": "end"}, "y": y}
    figure = {"y": y, "text": {"field": "text", "type": "nominal"}}
    links = [
        {"value": value, "step": above, "to": below}
        for value, above, below in zip(reached, order, order[1:], strict=False)
    ]
    beside = {"align": "left", "dx": 5, "fontSize": 10, "aria": False}
    link = {"x": x, "y": y, "y2": {"field": "to"}}
    layers = [layer(links, "rule", link, color=style.GRID, strokeWidth=1, aria=False)]
    for rises, colour in ((True, style.BETTER), (False, style.WORSE)):
        if some := [row for row in steps if (row["end"] >= row["start"]) is rises]:
            layers.append(layer(some, "bar", bar, color=colour, height=14))
    layers += [
        layer(steps, "text", {**along(x="right"), **figure}, color=style.MUTED, **beside),
        layer(ends, "tick", {"x": x, "y": y}, color=style.INK, thickness=3, size=18),
        layer(ends, "text", {"x": x, **figure}, color=style.INK, fontWeight="bold", **beside),
    ]
    return {"width": _WIDTH, "height": {"step": 30, "for": "position"}, "layer": layers}
