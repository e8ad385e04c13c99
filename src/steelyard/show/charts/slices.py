"""Metrics by slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.measure.slices import NOTHING
from steelyard.messages import say
from steelyard.messages.errors import showing
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.parts import SAYING, Layer, Row, Systems, quantity, values
from steelyard.show.charts.style import MUTED, PALETTE
from steelyard.show.charts.words import how_many, named
from steelyard.show.document import COUNTED
from steelyard.show.labels import distinct, joined, number, shown

MOST_SLICES = 40
_WIDTH = 300
_GAP = "⋮"


def slices(
    systems: Mapping[str, pl.DataFrame],
    metric: str,
    by: Sequence[str],
    unit: str = "rows",
    *,
    legend: bool = True,
) -> Chart:
    """A metric's value in every slice beside that of the whole, with its interval where there is one.

    Frames are rows of the table of a result: the slice columns ``by``, value, ci_low, ci_high and n; the
    whole has null in the slice columns. Without ``legend`` another panel says which system is which.
    """
    told = Systems.of("slices", systems)
    frames = dict(zip(told.names, systems.values(), strict=False))
    whole = {name: _whole(frame, by) for name, frame in frames.items()}
    parts = {name: frame.filter(~pl.all_horizontal(pl.col(by).is_null())) for name, frame in frames.items()}
    first = next(iter(parts.values()))
    finite = first.filter(pl.col("value").is_finite()).sort("value", descending=True, maintain_order=True)
    if not finite.height:
        why = say("{metric} has no finite value in any slice", metric=shown(metric))
        raise showing.nothing_to_draw("slices", why)
    said = list(told.notes)
    if finite.height < first.height:
        said.append(
            say(
                "{n:,} of {of:,} slices have no finite value and are not shown.",
                n=first.height - finite.height,
                of=first.height,
            )
        )
    kept, left = _extremes(finite)
    if left:
        said.append(
            say(
                "{half} slices with the lowest and {half} with the highest values are shown; "
                "{left:,} between are not.",
                half=MOST_SLICES // 2,
                left=left,
            )
        )
    labelled = _labelled(kept, by)
    rows = [
        row | {"system": name}
        for name, frame in parts.items()
        for row in labelled.select(*by, "slice")
        .join(frame, on=list(by), how="inner", maintain_order="left")
        .to_dicts()
        if row["value"] is not None and abs(row["value"]) < float("inf")
    ]
    return Chart(
        name="slices",
        title=say("{metric} by {columns}", metric=shown(metric, 30), columns=_columns(by)),
        drawing={
            "width": _WIDTH,
            "height": {"step": 8 + 10 * len(told.names), "for": "position"},
            "layer": _layers(
                rows, whole, _order(labelled["slice"].to_list(), left), metric, unit, told, legend
            ),
        },
        table=pl.DataFrame(rows).select(
            "system", pl.lit(metric).alias("metric"), *by, "value", "ci_low", "ci_high", "n"
        ),
        notes=tuple(said),
        facts=() if told.several else (say("overall {value}", value=number(next(iter(whole.values())))),),
    )


def side_by_side(drawn: Mapping[str, Chart], by: Sequence[str]) -> Chart:
    """The charts of several metrics as one, a panel for each."""
    each = list(drawn.values())
    shared = [note for note in each[0].notes if all(note in chart.notes for chart in each)]
    own = [
        named(shown(metric, 30), note)
        for metric, chart in drawn.items()
        for note in chart.notes
        if note not in shared
    ]
    return Chart(
        name="slices",
        title=say("Metrics by {columns}", columns=_columns(by)),
        drawing={"concat": [chart.drawing for chart in each], "columns": 2, "spacing": 24},
        table=pl.concat([chart.table for chart in each]),
        notes=(*shared, *own),
        facts=tuple(
            named(shown(metric, 30), fact) for metric, chart in drawn.items() for fact in chart.facts
        ),
    )


def _columns(by: Sequence[str]) -> str:
    return " · ".join(shown(name, 20) for name in by)


def _whole(frame: pl.DataFrame, by: Sequence[str]) -> float:
    found = frame.filter(pl.all_horizontal(pl.col(by).is_null()))["value"]
    return float(found[0]) if len(found) and found[0] is not None else float("nan")


def _extremes(finite: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The slices with the highest and the lowest values, and how many are left out between them."""
    if finite.height <= MOST_SLICES:
        return finite, 0
    half = MOST_SLICES // 2
    return pl.concat([finite.head(half), finite.tail(half)]), finite.height - MOST_SLICES


def _labelled(kept: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    names = distinct((joined(parts) for parts in kept.select(by).rows()), 40)
    return kept.with_columns(pl.Series("slice", names, dtype=pl.String))


def _told(name: str) -> str:
    """The name of a slice, in the language of the chart where it says that there is no value."""
    return NOTHING if name == NOTHING else name


def _order(names: list[str], left: int) -> list[str]:
    """The slices from above, with a gap where some are left out."""
    names, half = [*map(_told, names)], len(names) // 2
    return [*names[:half], _GAP, *names[half:]] if left else names


def _layers(
    rows: list[Row],
    whole: Mapping[str, float],
    order: list[str],
    metric: str,
    unit: str,
    told: Systems,
    explained: bool,
) -> list[Layer]:
    drawn = [_point(row, unit, told) for row in rows]
    y: dict[str, Any] = {
        "field": "slice",
        "type": "nominal",
        "sort": order,
        "scale": {"domain": order},
        "title": None,
        "axis": {"grid": False, "domain": False, "ticks": False, "labelPadding": 8},
    }
    beside = (
        {"yOffset": {"field": "system", "type": "nominal", "sort": list(told.names)}} if told.several else {}
    )
    x = quantity("value", shown(metric, 40), scale={"zero": False, "nice": True}, tickCount=5)
    legend = {"symbolOpacity": 1, "symbolStrokeWidth": 0, "symbolSize": 80} if explained else None
    alone = {} if told.several else {"color": PALETTE[0]}
    lines = [{"system": name, "value": value} for name, value in whole.items() if abs(value) < float("inf")]
    reference: Layer = {
        "data": values(lines),
        "mark": {"type": "rule", "strokeDash": [4, 3], "aria": False}
        | ({} if told.several else {"color": MUTED}),
        "encoding": {"x": x, **told.channels("color", legend=legend)},
    }
    points: Layer = {
        "data": values(drawn),
        "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1, **alone},
        "encoding": {
            "x": {"field": "value", "type": "quantitative"},
            "y": y,
            **beside,
            **told.channels("color", "shape", legend=legend),
            **SAYING,
        },
    }
    layers = [reference, points]
    spans = [row for row in drawn if row["low"] is not None]
    if spans:
        layers.insert(
            1,
            {
                "data": values(spans),
                "mark": {"type": "rule", "strokeWidth": 1.5, "aria": False, **alone},
                "encoding": {
                    "x": {"field": "low", "type": "quantitative"},
                    "x2": {"field": "high"},
                    "y": y,
                    **beside,
                    **told.channels("color", legend=legend),
                },
            },
        )
    if not told.several:
        layers += _counts(drawn, order, unit)
    return layers


def _point(row: Row, unit: str, told: Systems) -> Row:
    low, high = row["ci_low"], row["ci_high"]
    span = low is not None and high is not None
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
        "says": told.named(row["system"], says),
    }


def _counts(rows: list[Row], order: list[str], unit: str) -> list[Layer]:
    """How much each slice rests on, at its right, under the name of what is counted."""
    mark = {"type": "text", "align": "left", "color": MUTED, "fontSize": 10, "aria": False, "x": _WIDTH + 8}
    text = {"text": {"field": "count", "type": "nominal"}}
    return [
        {
            "data": values({"slice": row["slice"], "count": row["count"]} for row in rows),
            "mark": mark,
            "encoding": {"y": {"field": "slice", "type": "nominal", "sort": order}, **text},
        },
        {
            "data": values([{"count": COUNTED[unit]}]),
            "mark": {**mark, "y": -4, "baseline": "bottom"},
            "encoding": text,
        },
    ]
