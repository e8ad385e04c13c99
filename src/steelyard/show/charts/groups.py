"""AUC within groups, by the size of the group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.messages import say
from steelyard.messages.errors import showing
from steelyard.metrics import GAUC
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.parts import LINES, SAYING, STACKED, Layer, Row, Systems, quantity, values
from steelyard.show.charts.style import MUTED, PALETTE, WIDTH
from steelyard.show.labels import number, percent, shown


@dataclass(frozen=True)
class _Buckets:
    """Groups in buckets, under the names by which gauc reads groups in segments."""

    groups: Any
    bucket: Ints
    n_segments: int

    def by_group(self) -> tuple[Any, Ints]:
        return self.groups, self.bucket


def by_size(metric: GAUC, state: Any) -> pl.DataFrame:
    """The metric over groups of 1, 2, 3–4, 5–8, … rows; a row for each bucket that has groups.

    ``groups`` counts them, ``one_class`` those of them that have one class only, and so no AUC; ``share`` is
    that of the rows.
    """
    inner, _ = state.by_group()
    rows = np.asarray(inner.rows)
    bucket = np.ceil(np.log2(np.maximum(rows, 1))).astype(np.int64)
    n = int(bucket.max(initial=0)) + 1
    buckets: Any = _Buckets(inner, bucket, n)
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


def gauc_by_size(systems: Mapping[str, pl.DataFrame], metric: str = "gauc") -> Chart:
    """Whether order is as good for those who show up once as for those who are always there.

    Frames are those of ``by_size``: a bucket of sizes with its value, and the share of rows it has.
    """
    told = Systems.of("gauc_by_size", systems)
    frames = dict(zip(told.names, systems.values(), strict=False))
    rows = [_row(name, row, told) for name, frame in frames.items() for row in frame.to_dicts()]
    if not any(row["value"] is not None for row in rows):
        raise showing.nothing_to_draw("gauc_by_size", say("no group has both classes"))
    sizes = {row["size"]: row["at"] for row in rows}
    order = sorted(sizes, key=sizes.__getitem__)
    table = pl.concat(
        [frame.select(pl.lit(name).alias("system"), pl.all()) for name, frame in frames.items()]
    )
    return Chart(
        name="gauc_by_size",
        title=say("{metric} by size of group", metric=shown(metric, 30)),
        drawing={"vconcat": [_values(rows, order, metric, told), _shares(rows, order, told)], **STACKED},
        table=table,
        notes=told.notes,
    )


def _row(name: str, row: Row, told: Systems) -> Row:
    size = f"{row['low']:,}" if row["low"] == row["high"] else f"{row['low']:,}–{row['high']:,}"
    defined = row["value"] == row["value"]
    says = say(
        "groups of {size}: {value} ({n:,} {n:group|groups}, {share} of rows)",
        size=size,
        value=number(row["value"]),
        n=row["groups"],
        share=percent(row["share"]),
    )
    value = row["value"] if defined else None
    return {
        "system": name,
        "size": size,
        "at": row["low"],
        "value": value,
        "share": row["share"],
        "says": told.named(name, says),
    }


def _values(rows: list[Row], order: list[str], metric: str, told: Systems) -> Layer:
    seen = [row for row in rows if row["value"] is not None]
    alone = {} if told.several else {"color": PALETTE[0]}
    x = {"field": "size", "type": "ordinal", "sort": order, "title": None, "scale": {"domain": order}}
    axis = {"axis": {"labels": False, "ticks": False}}
    y = quantity("value", shown(metric, 30), scale={"zero": False, "nice": True}, tickCount=5)
    half: Layer = {
        "data": values([{"value": 0.5}]),
        "mark": {"type": "rule", "color": MUTED, "strokeDash": [4, 3], "aria": False},
        "encoding": {"y": y},
    }
    line: Layer = {
        "data": values(seen),
        "mark": {"type": "line", "strokeWidth": 1.5, "aria": False, **alone},
        "encoding": {"x": {**x, **axis}, "y": y, **told.channels("stroke", "strokeDash", legend=_LEGEND)},
    }
    points: Layer = {
        "data": values(seen),
        "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1, **alone},
        "encoding": {
            "x": {**x, **axis},
            "y": {"field": "value", "type": "quantitative"},
            **told.channels("color"),
            **SAYING,
        },
    }
    return {"width": WIDTH, "height": 180, "layer": [half, line, points]}


def _shares(rows: list[Row], order: list[str], told: Systems) -> Layer:
    x = {
        "field": "size",
        "type": "ordinal",
        "sort": order,
        "scale": {"domain": order},
        "title": say("rows of a group"),
        "axis": {"labelAngle": 0 if len(order) <= 9 else -45},
    }
    y = quantity("share", say("share of rows"), tickCount=3, format="~%", grid=False)
    beside = (
        {"xOffset": {"field": "system", "type": "nominal", "sort": list(told.names)}} if told.several else {}
    )
    alone = {} if told.several else {"color": MUTED}
    return {
        "width": WIDTH,
        "height": 70,
        "data": values(rows),
        "mark": {"type": "bar", "opacity": 0.8, **alone},
        "encoding": {"x": x, "y": y, **beside, **told.channels("color"), **SAYING},
    }


_LEGEND = {**LINES, "orient": "top", "offset": 6}
