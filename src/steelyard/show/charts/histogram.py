"""Scores by label."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from steelyard.curves import Curve
from steelyard.messages import say
from steelyard.messages.errors import showing
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.parts import (
    LINES,
    SAYING,
    Layer,
    Row,
    Systems,
    in_bin,
    outline,
    panels,
    quantity,
    values,
)
from steelyard.show.charts.score_axis import Scale, ScoreAxis, below_the_axis, infinite
from steelyard.show.charts.style import PALETTE, WIDTH
from steelyard.show.charts.words import named

_CLASSES = {"positives": say("positive"), "negatives": say("negative")}
_COLOURS = {"domain": list(_CLASSES.values()), "range": list(PALETTE[:2])}
_DASHES = {"domain": list(_CLASSES.values()), "range": [[1, 0], [4, 2]]}


def score_histogram(curves: Mapping[str, Curve], scale: Scale = "auto") -> Chart:
    """Where positives and negatives lie, each as a share of its class: the less they overlap, the better.

    One panel for each system. ``scale`` is ``linear``, ``log``, or ``auto``: logarithmic where most scores
    crowd near 0.
    """
    systems = Systems.of("score_histogram", curves, panels=True)
    drawn, tables, said = [], [], list(systems.notes)
    for name, curve in zip(systems.names, curves.values(), strict=False):
        if not curve.frame.height:
            continue
        axis = ScoreAxis.of([curve.frame], scale)
        frame = axis.bars(curve.frame)
        tables.append(frame.select(pl.lit(name).alias("system"), pl.all()))
        drawn.append((name, _panel(frame, axis)))
        if (tail := axis.tail(curve.frame)) > 0:
            said.append(below_the_axis(axis, tail))
        if infinite(curve.frame):
            said.append(say("Infinite scores stand in the outermost bars."))
    if not drawn:
        raise showing.nothing_to_draw("score_histogram", say("there are no rows"))
    return Chart(
        name="score_histogram",
        title=say("Scores by label"),
        drawing=panels(drawn, systems),
        table=pl.concat(tables),
        notes=tuple(dict.fromkeys(said)),
    )


def _panel(frame: pl.DataFrame, axis: ScoreAxis) -> Layer:
    bars = [row for column in _CLASSES for row in _rows(frame, column)]
    edges = [row for column in _CLASSES for row in outline(_rows(frame, column))]
    told = {"field": "class", "type": "nominal"}
    lines: Layer = {
        "data": values({key: row[key] for key in ("class", "low", "share", "order")} for row in edges),
        "mark": {"type": "line", "strokeWidth": 1.5, "aria": False},
        "encoding": {
            "x": quantity("low", say("score"), scale=axis.scale, **axis.ticks()),
            "y": quantity("share", say("share of its class"), tickCount=4, format="~%"),
            "order": {"field": "order", "type": "quantitative"},
            "stroke": {**told, "scale": _COLOURS, "legend": LINES},
            "strokeDash": {**told, "scale": _DASHES, "legend": LINES},
        },
    }
    filled: Layer = {
        "data": values(row for row in bars if row["share"] > 0),
        "mark": {"type": "rect", "fillOpacity": 0.2, "stroke": None},
        "encoding": {
            "x": {"field": "low", "type": "quantitative"},
            "x2": {"field": "high"},
            "y": {"field": "share", "type": "quantitative"},
            "y2": {"datum": 0},
            "fill": {**told, "scale": _COLOURS, "legend": None},
            **SAYING,
        },
    }
    return {"width": WIDTH, "height": 180, "layer": [lines, filled]}


def _rows(frame: pl.DataFrame, column: str) -> list[Row]:
    total = float(frame[column].sum()) or 1.0
    rows = []
    for row in frame.select("low", "high", column).to_dicts():
        share = row[column] / total
        says = named(_CLASSES[column], in_bin(row["low"], row["high"], row[column], share))
        rows.append(
            {"class": _CLASSES[column], "low": row["low"], "high": row["high"], "share": share, "says": says}
        )
    return rows
