"""Metrics by slice, and AUC within groups by the size of the group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.engine.slices import NOTHING, WHOLE, is_whole
from steelyard.read.table import apart
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import (
    LINES,
    MUTED,
    PALETTE,
    POINTS,
    REFERENCE,
    SAYING,
    STACKED,
    WIDTH,
    Layer,
    Row,
    Systems,
    along,
    layer,
    names_axis,
    quantity,
    with_system,
)
from steelyard.stats.measured import Measured
from steelyard.text import say
from steelyard.text.errors import showing
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
    frames = {
        name: frame.rename(dict(zip(by, keys, strict=True))) for name, frame in systems.under(frames).items()
    }
    whole = {
        name: next((value for value in rows["value"] if value is not None), math.nan)
        for name, frame in frames.items()
        for rows in [frame.filter(is_whole(frame, keys)).head(1)]
    }
    parts = {name: frame.filter(~is_whole(frame, keys)) for name, frame in frames.items()}
    first = next(iter(parts.values()))
    finite = first.filter(pl.col("value").is_finite()).sort("value", descending=True, maintain_order=True)
    if not finite.height:
        why = say("{metric} has no finite value in any slice", metric=shown(metric))
        raise showing.nothing_to_draw(name="slices", why=why)
    notes = list(systems.notes)
    if missing := first.height - finite.height:
        none = say(
            "{n:,} of {of:,} slices have no finite value and are not shown.", n=missing, of=first.height
        )
        notes.append(none)
    half, left = MOST_SLICES // 2, max(0, finite.height - MOST_SLICES)
    kept = pl.concat([finite.head(half), finite.tail(half)]) if left else finite
    if left:
        ends = say(
            "{half} slices with the lowest and {half} with the highest values are shown; "
            "{left:,} between are not.",
            half=half,
            left=left,
        )
        notes.append(ends)
    names = distinct((joined(parts) for parts in kept.select(keys).rows()), 40)
    labelled = kept.with_columns(pl.Series("slice", names, dtype=pl.String))
    rows = [
        row | {"system": name}
        for name, frame in parts.items()
        for row in labelled.select(*keys, "slice")
        .join(frame, on=keys, how="inner", maintain_order="left")
        .to_dicts()
        if row["value"] is not None and abs(row["value"]) < float("inf")
    ]
    overall = number(next(iter(whole.values())))
    order = _order(labelled["slice"].to_list(), left)
    return Chart(
        name="slices",
        title=say("{metric} by {columns}", metric=shown(metric, 30), columns=columns_of(by)),
        drawing={
            "width": _WIDTH,
            "height": {"step": 8 + 10 * len(systems.names), "for": "position"},
            "layer": _layers(rows, whole, order, metric, unit, systems, legend),
        },
        table=pl.DataFrame(rows)
        .select("system", pl.lit(metric).alias("metric"), *keys, "value", "ci_low", "ci_high", "n")
        .rename(dict(zip(keys, apart(by, {"system"}), strict=True))),
        notes=tuple(notes),
        facts=() if systems.several else (say("{whole} {value}", whole=WHOLE, value=overall),),
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


def _told(name: str) -> str:
    return NOTHING if name == NOTHING else name


def _order(names: list[str], left: int) -> list[str]:
    names, half = [*map(_told, names)], len(names) // 2
    return [*names[:half], _GAP, *names[half:]] if left else names


def _layers(
    rows: list[Row],
    whole: Mapping[str, float],
    order: list[str],
    metric: str,
    unit: str,
    systems: Systems,
    explained: bool,
) -> list[Layer]:
    drawn = _within([_point(row, unit, systems) for row in rows])
    y = names_axis("slice", order)
    x = quantity("value", shown(metric, 40), scale={"zero": False, "nice": True}, tickCount=5)
    legend = POINTS if explained else None
    beside, alone = systems.offset("yOffset"), systems.alone(color=PALETTE[0])
    colour = systems.channels("color", legend=legend)
    lines = [{"system": name, "value": value} for name, value in whole.items() if abs(value) < float("inf")]
    layers = [layer(lines, "rule", {"x": x, **colour}, **REFERENCE, **systems.alone(color=MUTED))]
    if spans := [row for row in drawn if row["low"] is not None]:
        span = {**along(x="low"), "x2": {"field": "high"}, "y": y, **beside, **colour}
        layers.append(layer(spans, "rule", span, strokeWidth=1.5, aria=False, **alone))
    at = {**along(x="value"), "y": y, **beside, **systems.channels("color", "shape", legend=legend), **SAYING}
    layers.append(layer(drawn, "point", at, filled=True, size=55, opacity=1, **alone))
    return layers if systems.several else [*layers, *_counts(drawn, order, unit)]


def _point(row: Row, unit: str, systems: Systems) -> Row:
    low, high = row["ci_low"], row["ci_high"]
    span = low is not None and low <= high
    says = say(
        "{name}: {value}, {queries}",
        name=_told(row["slice"]),
        value=number(row["value"]),
        queries=how_many(row["n"], unit),
    )
    if span:
        says = say("{said} ({low} to {high})", said=says, low=number(low), high=number(high))
    return {
        "system": row["system"],
        "slice": _told(row["slice"]),
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
    mark = {"align": "left", "color": MUTED, "fontSize": 10, "aria": False, "x": _WIDTH + 8}
    text = {"text": {"field": "count", "type": "nominal"}}
    rows = [{"slice": row["slice"], "count": row["count"]} for row in rows]
    place = {"y": {"field": "slice", "type": "nominal", "sort": order}}
    return [
        layer(rows, "text", {**place, **text}, **mark),
        layer([{"count": COUNTED.get(unit, unit)}], "text", text, **mark, y=-4, baseline="bottom"),
    ]


@dataclass(frozen=True)
class _Buckets:
    """Groups in buckets, under the names by which gauc reads groups in segments."""

    by_group: tuple[Any, Ints]
    n_segments: int


def by_size(metric: Any, state: Any) -> pl.DataFrame:
    """GAUC over groups of 1, 2, 3–4, 5–8, … rows; a row for each bucket that has groups.

    ``groups`` counts them, ``one_class`` those of them that have one class only, and so no AUC; ``share`` is
    that of the rows.
    """
    inner, _ = state.by_group
    rows = np.asarray(inner.rows)
    bucket = np.ceil(np.log2(np.maximum(rows, 1))).astype(np.int64)
    n = int(bucket.max(initial=0)) + 1
    buckets: Any = _Buckets((inner, bucket), n)
    inside = np.bincount(bucket, rows, n)
    there = rows > 0
    single = there & ~((np.asarray(inner.positives) > 0) & (np.asarray(inner.negatives) > 0))
    high = 2 ** np.arange(n)
    low = np.where(high > 1, high // 2 + 1, 1)
    frame = pl.DataFrame(
        {
            "low": low,
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
    metric = next(iter(measured.values())).label
    frames = {name: by_size(one.metric, one.state) for name, one in systems.under(measured).items()}
    rows = [_size_row(name, row, systems) for name, frame in frames.items() for row in frame.to_dicts()]
    if not any(row["value"] is not None for row in rows):
        raise showing.nothing_to_draw(name="gauc_by_size", why=say("no group has both classes"))
    sizes = {row["size"]: row["at"] for row in rows}
    order = sorted(sizes, key=sizes.__getitem__)
    return Chart(
        name="gauc_by_size",
        title=say("{metric} by size of group", metric=shown(metric, 30)),
        drawing={
            "vconcat": [_values(rows, order, metric, systems), _shares(rows, order, systems)],
            **STACKED,
        },
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


def _values(rows: list[Row], order: list[str], metric: str, systems: Systems) -> Layer:
    seen = [row for row in rows if row["value"] is not None]
    alone = systems.alone(color=PALETTE[0])
    x = {**_sizes(order), "title": None, "axis": {"labels": False, "ticks": False}}
    y = quantity("value", shown(metric, 30), scale={"zero": False, "nice": True}, tickCount=5)
    legend = {**LINES, "orient": "top", "offset": 6}
    apart = systems.channels("stroke", "strokeDash", legend=legend)
    at = {"x": x, **along(y="value"), **systems.channels("color"), **SAYING}
    layers = [
        layer([{"value": 0.5}], "rule", {"y": y}, color=MUTED, **REFERENCE),
        layer(seen, "line", {"x": x, "y": y, **apart}, strokeWidth=1.5, aria=False, **alone),
        layer(seen, "point", at, filled=True, size=45, opacity=1, **alone),
    ]
    return {"width": WIDTH, "height": 180, "layer": layers}


def _shares(rows: list[Row], order: list[str], systems: Systems) -> Layer:
    angle = {"labelAngle": 0 if len(order) <= 9 else -45}
    x = {**_sizes(order), "title": say("rows of a group"), "axis": angle}
    y = quantity("share", say("share of rows"), tickCount=3, ticks="share", grid=False)
    encoding = {"x": x, "y": y, **systems.offset("xOffset"), **systems.channels("color"), **SAYING}
    bars = layer(rows, "bar", encoding, opacity=0.8, **systems.alone(color=MUTED))
    return {"width": WIDTH, "height": 70, **bars}


def _sizes(order: list[str]) -> Row:
    return {"field": "size", "type": "ordinal", "sort": order, "scale": {"domain": order}}
