"""Charts of scores: calibration, histograms by label, and their axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from steelyard.metrics.curves import Curve
from steelyard.render.charts import parts as style
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import (
    Layer,
    Row,
    Systems,
    along,
    in_bin,
    layer,
    line,
    outline,
    panels,
    quantity,
    with_system,
)
from steelyard.text import Message, say
from steelyard.text.errors import asking, writing
from steelyard.text.labels import COUNTED, named, number, percent

Scale = Literal["auto", "linear", "log"]
SCALES = ("auto", "linear", "log")
_CLASSES = {"positives": say("positive"), "negatives": say("negative")}
_COLOURS = {"domain": list(_CLASSES.values()), "range": list(style.PALETTE[:2])}
_DASHES = {"domain": list(_CLASSES.values()), "range": [[1, 0], [4, 2]]}
_CROWDED = 0.1  # more than half of the rows within this part of the axis: logarithms show more
_TAIL = 0.005  # the largest share of rows in the first bar of a logarithmic axis
_WEIGHT = pl.col("positives") + pl.col("negatives")


def calibration(curves: Mapping[str, Curve], scores: Mapping[str, Curve], scale: Scale = "auto") -> Chart:
    """Each bin compares the predicted probability with the observed rate and its Wilson interval.

    ``scores`` are the histograms of the same systems, drawn below. ``scale`` of both axes is ``linear``,
    ``log``, or ``auto``: logarithmic where most scores crowd near 0 and every bin has a positive.
    """
    systems = Systems.of("calibration", curves)
    bins = with_system({name: curve.frame for name, curve in systems.under(curves).items()})
    if not bins.height:
        raise writing.nothing_to_draw(name="calibration", why=say("there are no rows"))
    histograms = {name: scores[key].frame for name, key in zip(systems.names, curves, strict=False)}
    seen = [*bins["mean_score"].to_list(), *bins["mean_label"].to_list()]
    axis = ScoreAxis.of(list(histograms.values()), scale, seen)
    if not axis.log:  # one axis for both directions: from 0 to a round number of at most 1
        step = 10 ** math.floor(math.log10(axis.high)) / 2 if axis.high > 0 else 1.0
        axis = ScoreAxis(0.0, min(1.0, math.ceil(axis.high / step - 1e-9) * step), False)
    weighted = bool(((bins["weight"] - bins["n"]).abs() > 1e-9).any())
    below = _scores_below(histograms, axis, systems, say("weight") if weighted else COUNTED["rows"])
    points = [_point(row, axis, systems) for row in bins.to_dicts()]
    notes = dict.fromkeys(note for curve in curves.values() for note in curve.notes)
    edge = bins.filter((pl.col("mean_score") <= 0) | (pl.col("mean_label") <= 0)).height if axis.log else 0
    at_edge = say(
        "{n:,} {n:bin|bins} with a value of 0 {n:is|are} drawn at the edge of the logarithmic axis.", n=edge
    )
    return Chart(
        name="calibration",
        title=say("Calibration"),
        drawing={"vconcat": [_reliability(points, axis, systems), below], **style.STACKED},
        table=bins,
        notes=(*systems.notes, *notes, *([at_edge] if edge else []), *axis.notes(*histograms.values())),
    )


def _reliability(points: list[Row], axis: ScoreAxis, systems: Systems) -> Layer:
    legend = {"orient": "top", "offset": 6, "symbolOpacity": 1, "symbolStrokeWidth": 0, "symbolSize": 70}
    colour = systems.channels("color", legend=legend)
    alone = systems.alone(color=style.PALETTE[0])
    first = line(
        [(axis.low, axis.low), (axis.high, axis.high)],
        x=quantity("x", None, scale=axis.scale, labels=False, **axis.ticks()),
        y=quantity("y", say("observed rate"), scale=axis.scale, **axis.ticks()),
    )
    at, span = along(x="x", y="y"), {**along(x="x", y="low"), "y2": {"field": "high"}}
    bands = layer(points, "rule", {**span, **colour}, strokeWidth=5, opacity=0.35, aria=False, **alone)
    encoding = {**at, **systems.channels("color", "shape", legend=legend)}
    bins = layer(points, "point", encoding, filled=True, size=40, opacity=1, **alone)
    layers = [first, bands, bins]
    if systems.several:
        # nothing is known between bins: a thin line only where it helps to follow one system among others
        joined = layer(points, "line", {**at, **colour}, strokeWidth=1, opacity=0.5, aria=False)
        layers.insert(1, joined)
    return {"width": style.SIDE, "height": style.SIDE, "layer": layers}


def _point(row: Row, axis: ScoreAxis, systems: Systems) -> Row:
    name = systems.own(row["system"])
    places = {"x": "mean_score", "y": "mean_label", "low": "wilson_low", "high": "wilson_high"}
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
    held = {place: min(max(row[column], axis.low), axis.high) for place, column in places.items()}
    return {"system": name, **held, "says": systems.named(name, says)}


def _scores_below(
    histograms: Mapping[str, pl.DataFrame], axis: ScoreAxis, systems: Systems, counted: Message
) -> Layer:
    x = quantity("low", say("predicted probability"), scale=axis.scale, **axis.ticks())
    y = quantity("count", counted, tickCount=2, ticks="count", grid=False)
    rows = {
        name: [
            {"system": name, "low": low, "high": high, "count": count}
            for low, high, count in axis.bars(frame).select("low", "high", _WEIGHT).rows()
        ]
        for name, frame in histograms.items()
    }
    size, look = {"width": style.SIDE, "height": 56}, {"stroke": None, "aria": False}
    if not systems.several:
        seen = [row for row in rows[systems.names[0]] if row["count"] > 0]
        encoding = {"x": x, "x2": {"field": "high"}, "y": y, "y2": {"datum": 0}}
        return {**size, **layer(seen, "rect", encoding, color=style.MUTED, opacity=0.75, **look)}
    edges = [row for of_system in rows.values() for row in outline(of_system)]
    encoding = {"x": x, "y": y, **along(order="order"), **systems.channels("color", "strokeDash")}
    return {**size, **layer(edges, "line", encoding, strokeWidth=1.5, aria=False)}


def score_histogram(curves: Mapping[str, Curve], scale: Scale = "auto") -> Chart:
    """Two histograms show the scores of positives and of negatives, each as a share of its class.

    One panel for each system. ``scale`` is ``linear``, ``log``, or ``auto``: logarithmic where most scores
    crowd near 0.
    """
    systems = Systems.of("score_histogram", curves, panels=True)
    drawn, tables, notes = [], {}, list(systems.notes)
    for name, curve in systems.under(curves).items():
        if not curve.frame.height:
            continue
        axis = ScoreAxis.of([curve.frame], scale)
        tables[name] = axis.bars(curve.frame)
        drawn.append((name, _panel(tables[name], axis)))
        notes += axis.notes(curve.frame)
        if not pl.concat([curve.frame["low"], curve.frame["high"]]).is_finite().all():
            notes.append(say("The outermost bars include infinite scores."))
    if not drawn:
        raise writing.nothing_to_draw(name="score_histogram", why=say("there are no rows"))
    return Chart(
        name="score_histogram",
        title=say("Scores by label"),
        drawing=panels(drawn, systems),
        table=with_system(tables),
        notes=tuple(dict.fromkeys(notes)),
    )


def _panel(frame: pl.DataFrame, axis: ScoreAxis) -> Layer:
    bars, edges = [], []
    for column, label in _CLASSES.items():
        total = float(frame[column].sum()) or 1.0
        rows = [
            {"class": label, "low": low, "high": high, "share": count / total}
            | {"says": named(label, in_bin(low, high, count, count / total))}
            for low, high, count in frame.select("low", "high", column).rows()
        ]
        bars += [row for row in rows if row["share"] > 0]
        edges += [{key: row[key] for key in ("class", "low", "share", "order")} for row in outline(rows)]
    by_class = {"field": "class", "type": "nominal"}
    line_of_class = {
        "x": quantity("low", say("score"), scale=axis.scale, **axis.ticks()),
        "y": quantity("share", say("share of its class"), tickCount=4, ticks="share"),
        **along(order="order"),
        "stroke": {**by_class, "scale": _COLOURS, "legend": style.LINES},
        "strokeDash": {**by_class, "scale": _DASHES, "legend": style.LINES},
    }
    fill = {"fill": {**by_class, "scale": _COLOURS, "legend": None}}
    place = {**along(x="low", y="share"), "x2": {"field": "high"}, "y2": {"datum": 0}, **fill}
    lines = layer(edges, "line", line_of_class, strokeWidth=1.5, aria=False)
    filled = layer(bars, "rect", place, fillOpacity=0.2, stroke=None)
    return {"width": style.WIDTH, "height": 180, "layer": [lines, filled]}


@dataclass(frozen=True)
class ScoreAxis:
    """A part of the axis of scores, and what of it is seen."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, histograms: Sequence[pl.DataFrame], scale: Scale, seen: Sequence[float] = ()) -> ScoreAxis:
        """An axis for histograms of ``score_histogram`` and for some more points."""
        if scale not in SCALES:
            raise asking.bad_choice("chart", "scale", scale, SCALES)
        frames = [frame for frame in histograms if frame.height]
        can = all((frame["scale"] == "log10").any() for frame in frames)
        shows_more = min(seen, default=1.0) > 0 and any(map(_crowded, frames))
        log = can and (scale == "log" or (scale == "auto" and shows_more))
        kept = [_bounded(frame, log) for frame in frames]
        high = max([*(_most(frame["high"]) for frame in kept), *seen])
        if not log:
            low = min([*(_least(frame["low"]) for frame in kept), *seen])
            return cls(low, high if high > low else low + 1.0, False)
        low = min([*map(_lowest, kept), *(value for value in seen if value > 0)])
        return cls(low, high if high > low else low * 10, True)

    @property
    def scale(self) -> dict[str, Any]:
        kind = {"type": "log"} if self.log else {}
        return {**kind, "domain": [self.low, self.high], "nice": False, "zero": False}

    def ticks(self) -> dict[str, Any]:
        """Few ticks: of logarithms the powers of ten, with 2 and 5 where these are fewer than three."""
        if not self.log:
            return {"tickCount": 5}
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        inside = [10.0**power for power in powers if self._holds(10.0**power)]
        if len(inside) < 3:
            inside = [d * 10.0**p for p in powers for d in (1, 2, 5) if self._holds(d * 10.0**p)]
        every = math.ceil(len(inside) / 7)
        return {"values": [float(f"{value:.6g}") for value in inside[::-1][::every]], "ticks": "log"}

    def bars(self, histogram: pl.DataFrame) -> pl.DataFrame:
        """The bins of a histogram on this axis; those below it are added to its first bar."""
        frame = _bounded(histogram, self.log)
        clipped = frame.with_columns(
            pl.col("low").clip(self.low, self.high), pl.col("high").clip(self.low, self.high)
        )
        beyond = int((clipped["high"] <= self.low).to_numpy().sum()) if self.log else 0
        if not beyond or beyond == clipped.height:
            return clipped
        first = clipped[beyond]
        sums = [
            pl.lit(float(clipped[name].head(beyond + 1).sum())).alias(name)
            for name in ("positives", "negatives")
        ]
        return pl.concat([first.with_columns(sums), clipped[beyond + 1 :]])

    def notes(self, *histograms: pl.DataFrame) -> list[Message]:
        """A note where the first bar of a logarithmic axis has more than its own rows."""
        tail = max(map(self._tail, histograms))
        if not tail:
            return []
        return [
            say(
                "The first bar of the logarithmic axis includes all scores below {low} "
                "({share} of the rows).",
                low=number(self.low),
                share=percent(tail),
            )
        ]

    def _tail(self, histogram: pl.DataFrame) -> float:
        if not self.log or not histogram.height:
            return 0.0
        frame = _bounded(histogram, log=True)
        weight = frame.select(_WEIGHT).to_series()
        below = (frame["high"] <= self.low) | (frame["low"] <= 0)
        return float(weight.filter(below).sum()) / (float(weight.sum()) or 1.0)

    def _holds(self, value: float) -> bool:
        return self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)


def _bounded(histogram: pl.DataFrame, log: bool) -> pl.DataFrame:
    """The bins of one scale with finite edges: an outer bin of infinite scores is as wide as the others."""
    frame = histogram.filter(pl.col("scale") == ("log10" if log else "linear"))
    width = (
        (frame["high"] - frame["low"]).filter(frame["low"].is_finite() & frame["high"].is_finite()).median()
    )
    usual = float(width or 0.0) or 1.0  # type: ignore[arg-type]
    low, high = pl.col("low"), pl.col("high")
    inner = frame.with_columns(pl.when(high.is_finite()).then(high).alias("high"))
    inner = inner.with_columns(
        pl.when(low.is_finite()).then(low).otherwise(high.fill_null(0.0) - usual).alias("low")
    )
    return inner.with_columns(high.fill_null(low + usual).alias("high"))


def _crowded(histogram: pl.DataFrame) -> bool:
    frame = _bounded(histogram, log=False)
    weight = frame.select(_WEIGHT).to_series()
    near = frame["low"] < _CROWDED * _most(frame["high"])
    return float(weight.filter(near).sum()) > float(weight.sum()) / 2


def _lowest(frame: pl.DataFrame) -> float:
    weight = frame.select(_WEIGHT).to_series()
    before = weight.cum_sum() - weight
    seen = frame.filter((frame["low"] > 0) & (before <= _TAIL * float(weight.sum())))
    if seen.height:
        return _most(seen["low"])
    return _least(frame["high"].filter(frame["high"] > 0))


def _least(column: pl.Series) -> float:
    return float(column.min() or 0.0)  # type: ignore[arg-type]


def _most(column: pl.Series) -> float:
    return float(column.max() or 0.0)  # type: ignore[arg-type]
