"""Metrics of rankings at every cutoff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.curves import Curve
from steelyard.messages import Message, say
from steelyard.messages.errors import showing
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.parts import LINES, SAYING, Layer, Row, Systems, quantity, values
from steelyard.show.charts.style import HEIGHT, MOST_METRICS, PALETTE, WIDTH
from steelyard.show.labels import distinct, number, shown

_LADDER = (1, 1.5, 2, 3, 5, 7)  # of each power of ten
_EVERY = 20  # up to here every cutoff


def cutoffs(longest: int, asked: Sequence[int] = ()) -> list[int]:
    """Few cutoffs that show how a metric goes: every one at first, then some of each power of ten.

    >>> cutoffs(5), cutoffs(100, [40])[-7:]
    ([1, 2, 3, 4, 5], [15, 20, 30, 40, 50, 70, 100])
    """
    if longest <= _EVERY:
        return list(range(1, longest + 1))
    steps = {int(part * 10**power) for power in range(len(str(longest))) for part in _LADDER}
    return sorted(k for k in steps | set(asked) | {longest} if 1 <= k <= longest)


def metric_at_k(curves: Mapping[str, Sequence[Curve]]) -> Chart:
    """How metrics change as people look further down the list.

    Each system has the same curves. One system's are drawn together, those of several in a panel per metric.
    """
    systems = Systems.of("metric_at_k", curves)
    drawn = {
        name: [curve for curve in given if curve.frame["value"].is_finite().any()]
        for name, given in zip(systems.names, curves.values(), strict=False)
    }
    rows = [
        _row(name, curve, at, systems)
        for name, some in drawn.items()
        for curve in some
        for at in _finite(curve)
    ]
    if not rows:
        raise showing.nothing_to_draw("metric_at_k", say("no metric is defined at any cutoff"))
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    table = pl.concat(
        [
            curve.frame.select(pl.lit(name).alias("system"), pl.lit(curve.name).alias("metric"), pl.all())
            for name, some in drawn.items()
            for curve in some
        ]
    )
    if not systems.several:
        told = Systems(tuple(distinct(metrics)))
        panel = _panel([row | {"system": row["metric"]} for row in rows], told, say("value"))
        return Chart(name="metric_at_k", title=say("Metrics at every cutoff"), drawing=panel, table=table)
    said = systems.notes
    if len(metrics) > MOST_METRICS:
        said = (*said, first_metrics(MOST_METRICS, len(metrics)))
    return Chart(
        name="metric_at_k",
        title=say("Metrics at every cutoff"),
        drawing=_panels(rows, metrics[:MOST_METRICS], systems),
        table=table,
        notes=said,
        parts=tuple(_part(metric, rows, table, systems) for metric in metrics),
    )


def first_metrics(most: int, n: int) -> Message:
    """That only some of the metrics are drawn."""
    return say("Drawn are the first {shown} of {n} metrics.", shown=most, n=n)


def _part(metric: str, rows: list[Row], table: pl.DataFrame, systems: Systems) -> Chart:
    """The panel of one metric as a chart."""
    own = [row for row in rows if row["metric"] == metric]
    return Chart(
        name="metric_at_k",
        title=say("{metric} at every cutoff", metric=shown(metric.removesuffix("@k"), 30)),
        drawing=_panel(own, systems, metric),
        table=table.filter(pl.col("metric") == metric),
        notes=systems.notes,
    )


def _finite(curve: Curve) -> list[Row]:
    return curve.frame.filter(pl.col("value").is_finite()).to_dicts()


def _row(name: str, curve: Curve, at: Row, systems: Systems) -> Row:
    uncut, value = curve.name.removesuffix("@k"), number(at["value"])
    says = systems.named(name, say("{metric} at {k:,}: {value}", metric=uncut, k=at["k"], value=value))
    return {"system": name, "metric": curve.name, "k": at["k"], "y": at["value"], "says": says}


def _panels(rows: list[Row], metrics: list[str], systems: Systems) -> Layer:
    each = [
        _panel([row for row in rows if row["metric"] == metric], systems, metric, legend=not place)
        for place, metric in enumerate(metrics)
    ]
    return each[0] if len(each) == 1 else {"concat": each, "columns": 2, "spacing": 24}


def _panel(rows: list[Row], told: Systems, title: str, legend: bool = True) -> Layer:
    longest = max(row["k"] for row in rows)
    log = longest > _EVERY
    highest = max(row["y"] for row in rows)
    lowest = min(0.0, *(row["y"] for row in rows))
    x = quantity("k", say("cutoff k"), scale=_scale(log, longest), **_ticks(log, longest))
    y = quantity("y", title, scale={"domain": [lowest, highest or 1.0], "nice": True}, tickCount=5)
    alone = {} if told.several else {"color": PALETTE[0]}
    dashes = told.channels("color", "strokeDash", legend=LINES if legend else None)
    line: Layer = {
        "mark": {"type": "line", "aria": False, **alone},
        "encoding": {"x": x, "y": y, **dashes},
    }
    points: Layer = {
        "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1, **alone},
        "encoding": {
            "x": {"field": "k", "type": "quantitative"},
            "y": {"field": "y", "type": "quantitative"},
            **told.channels("color", legend=LINES if legend else None),
            **SAYING,
        },
    }
    return {"width": WIDTH, "height": HEIGHT, "data": values(rows), "layer": [line, points]}


def _scale(log: bool, longest: int) -> dict[str, Any]:
    return {**({"type": "log"} if log else {}), "domain": [1, max(longest, 2)], "nice": False, "zero": False}


def _ticks(log: bool, longest: int) -> dict[str, Any]:
    if not log:
        step = 1 if longest <= _EVERY // 2 else 2
        return {"values": [1, *range(2, longest + 1, step)], "format": "d"}
    steps = (1, 2, 5) if longest <= 2000 else (1,)
    marks = [part * 10**power for power in range(len(str(longest))) for part in steps]
    return {"values": [k for k in marks if k <= longest], "format": ",d"}
