"""The calibration curve, with the scores below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from steelyard.curves import Curve
from steelyard.messages import Message, say
from steelyard.messages.errors import showing
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.parts import (
    PLAIN_ZERO,
    SAYING,
    STACKED,
    Layer,
    Row,
    Systems,
    line,
    outline,
    quantity,
    values,
)
from steelyard.show.charts.score_axis import Scale, ScoreAxis, below_the_axis
from steelyard.show.charts.style import MUTED, PALETTE, SIDE
from steelyard.show.document import COUNTED
from steelyard.show.labels import number

_XY = {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}}


def calibration(curves: Mapping[str, Curve], scores: Mapping[str, Curve], scale: Scale = "auto") -> Chart:
    """Whether things said to be 10 % likely happen one time in ten: bins with their Wilson intervals.

    ``scores`` are the histograms of the same systems, drawn below. ``scale`` of both axes is ``linear``,
    ``log``, or ``auto``: logarithmic where most scores crowd near 0 and every bin has a positive.
    """
    systems = Systems.of("calibration", curves)
    named = dict(zip(systems.names, curves, strict=False))
    bins = pl.concat(
        [curves[key].frame.select(pl.lit(name).alias("system"), pl.all()) for name, key in named.items()]
    )
    if not bins.height:
        raise showing.nothing_to_draw("calibration", say("there are no rows"))
    histograms = {name: scores[key].frame for name, key in named.items()}
    seen = [*bins["mean_score"].to_list(), *bins["mean_label"].to_list()]
    axis = _square(ScoreAxis.of(list(histograms.values()), scale, seen))
    weighed = bool(((bins["weight"] - bins["n"]).abs() > 1e-9).any())
    below = _below(histograms, axis, systems, say("weight") if weighed else COUNTED["rows"])
    points = [_point(row, axis, systems) for row in bins.to_dicts()]
    return Chart(
        name="calibration",
        title=say("Calibration"),
        drawing={"vconcat": [_reliability(points, axis, systems), below], **STACKED},
        table=bins,
        notes=(*systems.notes, *_notes(list(curves.values()), bins, histograms, axis)),
    )


def _notes(
    curves: Sequence[Curve], bins: pl.DataFrame, histograms: Mapping[str, pl.DataFrame], axis: ScoreAxis
) -> list[Message]:
    edge = bins.filter((pl.col("mean_score") <= 0) | (pl.col("mean_label") <= 0)).height if axis.log else 0
    tail = max(axis.tail(frame) for frame in histograms.values())
    said = list(dict.fromkeys(note for curve in curves for note in curve.notes))
    if edge:
        said.append(say("Bins with a value of 0 stand at the edge of the logarithmic axis: {n:,}.", n=edge))
    return [*said, below_the_axis(axis, tail)] if tail > 0 else said


def _reliability(points: list[Row], axis: ScoreAxis, systems: Systems) -> Layer:
    legend = {"orient": "top", "offset": 6, "symbolOpacity": 1, "symbolStrokeWidth": 0, "symbolSize": 70}
    colour = systems.channels("color", legend=legend)
    alone = {} if systems.several else {"color": PALETTE[0]}
    first = line([(axis.low, axis.low), (axis.high, axis.high)])
    first["encoding"].update(
        x=quantity("x", None, scale=axis.scale, labels=False, **axis.ticks()),
        y=quantity("y", say("observed rate"), scale=axis.scale, **axis.ticks()),
    )
    # nothing is known between bins: a thin line only where it helps to follow one system among others
    joined: Layer = {
        "data": values(points),
        "mark": {"type": "line", "strokeWidth": 1, "opacity": 0.5, "aria": False},
        "encoding": {**_XY, **colour},
    }
    bands: Layer = {
        "data": values(points),
        "mark": {"type": "rule", "strokeWidth": 5, "opacity": 0.35, "aria": False, **alone},
        "encoding": {**_XY, "y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}, **colour},
    }
    bins: Layer = {
        "data": values(points),
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1, **alone},
        "encoding": {**_XY, **systems.channels("color", "shape", legend=legend), **SAYING},
    }
    layers = [first, *([joined] if systems.several else []), bands, bins]
    return {"width": SIDE, "height": SIDE, "layer": layers}


def _point(row: Row, axis: ScoreAxis, systems: Systems) -> Row:
    name = systems.own(row["system"])
    says = say(
        "{low} to {high}: predicted {said}, observed {happened} ({wilson_low} to {wilson_high}), "
        "{n:,} {n:row|rows}",
        low=number(row["low"]),
        high=number(row["high"]),
        said=number(row["mean_score"]),
        happened=number(row["mean_label"]),
        wilson_low=number(row["wilson_low"]),
        wilson_high=number(row["wilson_high"]),
        n=row["n"],
    )
    return {
        "system": name,
        "x": axis.held(row["mean_score"]),
        "y": axis.held(row["mean_label"]),
        "low": axis.held(row["wilson_low"]),
        "high": axis.held(row["wilson_high"]),
        "says": systems.named(name, says),
    }


def _below(
    histograms: Mapping[str, pl.DataFrame], axis: ScoreAxis, systems: Systems, counted: Message
) -> Layer:
    """The histogram of scores: bars of one system, outlines of several."""
    x = quantity("low", say("predicted probability"), scale=axis.scale, **axis.ticks())
    y = quantity("count", counted, tickCount=2, format="~s", grid=False, **PLAIN_ZERO)
    rows = [
        [
            {
                "system": name,
                "low": row["low"],
                "high": row["high"],
                "count": row["positives"] + row["negatives"],
            }
            for row in axis.bars(frame).to_dicts()
        ]
        for name, frame in histograms.items()
    ]
    size = {"width": SIDE, "height": 56}
    if not systems.several:
        return {
            **size,
            "data": values(row for row in rows[0] if row["count"] > 0),
            "mark": {"type": "rect", "color": MUTED, "opacity": 0.75, "stroke": None, "aria": False},
            "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "y2": {"datum": 0}},
        }
    return {
        **size,
        "data": values(row for one in rows for row in outline(one)),
        "mark": {"type": "line", "strokeWidth": 1.5, "aria": False},
        "encoding": {
            "x": x,
            "y": y,
            "order": {"field": "order", "type": "quantitative"},
            **systems.channels("color", "strokeDash"),
        },
    }


def _square(axis: ScoreAxis) -> ScoreAxis:
    """Both axes alike: from 0, or on logarithms as it is, to a round number at most 1."""
    if axis.log:
        return axis
    step = 10 ** math.floor(math.log10(axis.high)) / 2 if axis.high > 0 else 1.0
    return ScoreAxis(0.0, min(1.0, math.ceil(axis.high / step - 1e-9) * step), False)
