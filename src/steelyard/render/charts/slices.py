"""Metrics by slice, and AUC within groups by the size of the group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl

from steelyard.engine.slices import NOTHING, WHOLE, is_whole
from steelyard.read.table import apart
from steelyard.render.charts import parts as style
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import Layer, Row, Systems, along, layer, names_axis, quantity, with_system
from steelyard.stats.measured import Measured
from steelyard.text import say
from steelyard.text.errors import writing
from steelyard.text.labels import COUNTED, columns_of, how_many, joined, named, number, percent
from steelyard.text.names import distinct, shown

MOST_SLICES = 40
_WIDTH = 300
_GAP = "⋮"


def slices(
    frames: Mapping[str, pl.DataFrame],
    metric: str,
    by: Sequence[str],
    unit: str = "rows",
    *,
    legend: bool = True,
) -> Chart:
    """Each row is a slice with its value and interval; a dashed line marks the value over everything.

    Frames are rows of the table of a result: the slice columns ``by``, value, ci_low, ci_high and n; the
    whole has null in the slice columns. Without ``legend`` another panel says which system is which.
    """
    systems = Systems.of("slices", frames)
    # numbered, so that a column may have any name: 'slice', 'system', '*'
    keys = [f"by {place}" for place in range(len(by))]
    whole, parts = {}, {}
    for name, frame in systems.under(frames).items():
        frame = frame.rename(dict(zip(by, keys, strict=True)))
        over_all = is_whole(frame, keys)
        value = next(iter(frame.filter(over_all)["value"]), None)
        whole[name], parts[name] = math.nan if value is None else value, frame.filter(~over_all)
    first = next(iter(parts.values()))
    finite = first.filter(pl.col("value").is_finite()).sort("value", descending=True, maintain_order=True)
    if not finite.height:
        why = say("{metric} has no finite value in any slice", metric=shown(metric))
        raise writing.nothing_to_draw(name="slices", why=why)
    notes = list(systems.notes)
    if missing := first.height - finite.height:
        notes.append(
            say("{n:,} of {of:,} slices have no finite value and are not shown.", n=missing, of=first.height)
        )
    half, left = MOST_SLICES // 2, max(0, finite.height - MOST_SLICES)
    kept = pl.concat([finite.head(half), finite.tail(half)]) if left else finite
    names = distinct((joined(key) for key in kept.select(keys).rows()), 40)
    order = [NOTHING if name == NOTHING else name for name in names]
    if left:
        order.insert(half, _GAP)
        notes.append(
            say(
                "{half} slices with the lowest and {half} with the highest values are shown; "
                "{left:,} between are not.",
                half=half,
                left=left,
            )
        )
    labelled = kept.select(*keys, pl.Series("slice", names, dtype=pl.String))
    rows = [
        row | {"system": name}
        for name, frame in parts.items()
        for row in labelled.join(frame, on=keys, how="inner", maintain_order="left")
        .filter(pl.col("value").is_finite())
        .to_dicts()
    ]
    points = _within([_point(row, unit, systems) for row in rows])
    layers = _layers(points, whole, order, shown(metric, 40), systems, legend=legend)
    overall = say("{whole} {value}", whole=WHOLE, value=number(next(iter(whole.values()))))
    return Chart(
        name="slices",
        title=say("{metric} by {columns}", metric=shown(metric, 30), columns=columns_of(by)),
        drawing={
            "width": _WIDTH,
            "height": {"step": 8 + 10 * len(systems.names), "for": "position"},
            "layer": layers if systems.several else [*layers, *_counts(points, order, unit)],
        },
        table=pl.DataFrame(rows)
        .select("system", pl.lit(metric).alias("metric"), *keys, "value", "ci_low", "ci_high", "n")
        .rename(dict(zip(keys, apart(by, {"system"}), strict=True))),
        notes=tuple(notes),
        facts=() if systems.several else (overall,),
    )


def side_by_side(drawn: Mapping[str, Chart], by: Sequence[str]) -> Chart:
    panels = list(drawn.values())
    shared = [note for note in panels[0].notes if all(note in chart.notes for chart in panels)]
    own = [
        named(shown(metric, 30), note)
        for metric, chart in drawn.items()
        for note in chart.notes
        if note not in shared
    ]
    return Chart(
        name="slices",
        title=say("Metrics by {columns}", columns=columns_of(by)),
        drawing={"concat": [chart.drawing for chart in panels], "columns": 2, "spacing": 24},
        table=pl.concat([chart.table for chart in panels]),
        notes=(*shared, *own),
        facts=tuple(
            named(shown(metric, 30), fact) for metric, chart in drawn.items() for fact in chart.facts
        ),
    )


def _layers(
    points: list[Row],
    whole: Mapping[str, float],
    order: list[str],
    title: str,
    systems: Systems,
    *,
    legend: bool,
) -> list[Layer]:
    y, words = names_axis("slice", order), style.POINTS if legend else None
    x = quantity("value", title, scale={"zero": False, "nice": True}, tickCount=5)
    beside, alone = systems.offset("yOffset"), systems.alone(color=style.PALETTE[0])
    colour = systems.channels("color", legend=words)
    lines = [{"system": name, "value": value} for name, value in whole.items() if math.isfinite(value)]
    layers = [layer(lines, "rule", {"x": x, **colour}, **style.REFERENCE, **systems.alone(color=style.MUTED))]
    if spans := [row for row in points if row["low"] is not None]:
        span = {**along(x="low"), "x2": {"field": "high"}, "y": y, **beside, **colour}
        layers.append(layer(spans, "rule", span, strokeWidth=1.5, aria=False, **alone))
    at = {**along(x="value"), "y": y, **beside, **systems.channels("color", "shape", legend=words)}
    return [*layers, layer(points, "point", at, filled=True, size=55, opacity=1, **alone)]


def _point(row: Row, unit: str, systems: Systems) -> Row:
    low, high = row["ci_low"], row["ci_high"]
    span = low is not None and low <= high
    name = NOTHING if row["slice"] == NOTHING else row["slice"]
    counted = how_many(row["n"], unit)
    says = say("{name}: {value}, {queries}", name=name, value=number(row["value"]), queries=counted)
    if span:
        says = say("{said} ({low} to {high})", said=says, low=number(low), high=number(high))
    return {
        "system": row["system"],
        "slice": name,
        "value": row["value"],
        "low": low if span else None,
        "high": high if span else None,
        "count": f"{row['n']:,}",
        "says": systems.named(row["system"], says),
    }


def _within(rows: list[Row]) -> list[Row]:
    """The same, with open ends of intervals a little beyond all that is drawn."""
    ends = [row[name] for row in rows for name in ("value", "low", "high") if row[name] is not None]
    finite = [end for end in ends if math.isfinite(end)]
    if len(finite) == len(ends):
        return rows
    beyond = 0.1 * (max(finite) - min(finite))
    low, high = min(finite) - beyond, max(finite) + beyond
    return [
        row if row["low"] is None else {**row, "low": max(row["low"], low), "high": min(row["high"], high)}
        for row in rows
    ]


def _counts(rows: list[Row], order: list[str], unit: str) -> list[Layer]:
    mark = {"align": "left", "color": style.MUTED, "fontSize": 10, "aria": False, "x": _WIDTH + 8}
    text = {"text": {"field": "count", "type": "nominal"}}
    rows = [{"slice": row["slice"], "count": row["count"]} for row in rows]
    place = {"y": {"field": "slice", "type": "nominal", "sort": order}}
    return [
        layer(rows, "text", {**place, **text}, **mark),
        layer([{"count": COUNTED.get(unit, unit)}], "text", text, **mark, y=-4, baseline="bottom"),
    ]


def by_size(metric: Any, state: Any) -> pl.DataFrame:
    """GAUC over groups of 1, 2, 3–4, 5–8, … rows; a row for each bucket that has groups.

    ``groups`` counts them, ``one_class`` those of them that have one class only, and so no AUC; ``share`` is
    that of the rows.
    """
    inner, _ = state.by_group
    rows = np.asarray(inner.rows)
    bucket = np.ceil(np.log2(np.maximum(rows, 1))).astype(np.int64)
    n = int(bucket.max(initial=0)) + 1
    buckets: Any = SimpleNamespace(by_group=(inner, bucket), n_segments=n)  # as gauc reads groups in segments
    inside = np.bincount(bucket, rows, n)
    there = rows > 0
    single = there & ~((np.asarray(inner.positives) > 0) & (np.asarray(inner.negatives) > 0))
    high = 2 ** np.arange(n)
    frame = pl.DataFrame(
        {
            "low": np.where(high > 1, high // 2 + 1, 1),
            "high": high,
            "value": metric.per_segment(buckets),
            "groups": np.bincount(bucket[there], minlength=n),
            "one_class": np.bincount(bucket[single], minlength=n),
            "rows": inside.astype(np.int64),
            "share": inside / max(float(inside.sum()), 1.0),
        }
    )
    return frame.filter(pl.col("rows") > 0)


def gauc_by_size(measured: Mapping[str, Measured]) -> Chart:
    """The line plots the AUC within groups over the size of the group; bars show their share of rows."""
    systems = Systems.of("gauc_by_size", measured)
    metric = shown(next(iter(measured.values())).label, 30)
    frames = {name: by_size(one.metric, one.state) for name, one in systems.under(measured).items()}
    rows = [_size_row(name, row, systems) for name, frame in frames.items() for row in frame.to_dicts()]
    seen = [row for row in rows if row["value"] is not None]
    if not seen:
        raise writing.nothing_to_draw(name="gauc_by_size", why=say("no group has both classes"))
    sizes = {row["size"]: row["at"] for row in rows}
    order = sorted(sizes, key=sizes.__getitem__)
    size = {"field": "size", "type": "ordinal", "sort": order, "scale": {"domain": order}}
    x = {**size, "title": None, "axis": {"labels": False, "ticks": False}}
    y = quantity("value", metric, scale={"zero": False, "nice": True}, tickCount=5)
    alone, colour = systems.alone(color=style.PALETTE[0]), systems.channels("color")
    lines = systems.channels("stroke", "strokeDash", legend={**style.LINES, "orient": "top", "offset": 6})
    layers = [
        layer([{"value": 0.5}], "rule", {"y": y}, color=style.MUTED, **style.REFERENCE),
        layer(seen, "line", {"x": x, "y": y, **lines}, strokeWidth=1.5, aria=False, **alone),
        layer(
            seen, "point", {"x": x, **along(y="value"), **colour}, filled=True, size=45, opacity=1, **alone
        ),
    ]
    angle = {"labelAngle": 0 if len(order) <= 9 else -45}
    share = {
        "x": {**size, "title": say("rows of a group"), "axis": angle},
        "y": quantity("share", say("share of rows"), tickCount=3, ticks="share", grid=False),
        **systems.offset("xOffset"),
        **colour,
    }
    bars = layer(rows, "bar", share, opacity=0.8, **systems.alone(color=style.MUTED))
    panels = [
        {"width": style.WIDTH, "height": 180, "layer": layers},
        {"width": style.WIDTH, "height": 70, **bars},
    ]
    return Chart(
        name="gauc_by_size",
        title=say("{metric} by size of group", metric=metric),
        drawing={"vconcat": panels, **style.STACKED},
        table=with_system(frames),
        notes=systems.notes,
    )


def _size_row(name: str, row: Row, systems: Systems) -> Row:
    size = f"{row['low']:,}" if row["low"] == row["high"] else f"{row['low']:,}–{row['high']:,}"
    says = say(
        "groups of {size}: {value} ({n:,} {n:group|groups}, {share} of rows)",
        size=size,
        value=number(row["value"]),
        n=row["groups"],
        share=percent(row["share"]),
    )
    return {
        "system": name,
        "size": size,
        "at": row["low"],
        "value": row["value"] if row["value"] == row["value"] else None,
        "share": row["share"],
        "says": systems.named(name, says),
    }
