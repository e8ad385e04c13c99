"""Charts of curves: ROC, precision over recall, gain and lift; metrics of rankings at every cutoff."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard.engine.ranked import Ranked
from steelyard.metrics.curves import Curve
from steelyard.metrics.curves import curve as curve_by_name
from steelyard.render.charts import parts as style
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import (
    Layer,
    Row,
    Systems,
    along,
    first_metrics,
    layer,
    line,
    quantity,
    remark,
    share_axis,
    with_system,
)
from steelyard.stats.curves import curve_of
from steelyard.stats.measured import Measured, of_state
from steelyard.text import Message, say, term
from steelyard.text.errors import writing
from steelyard.text.labels import number, percent
from steelyard.text.names import distinct, shown

_TOLERANCE = 1e-3  # of the area: less than a third of a pixel on average
_EARLY = 0.01
_FPR, _TPR = say("false positive rate"), say("true positive rate")
_RECALL, _PRECISION = say("recall"), say("precision")
_TAKEN, _FOUND = say("share of rows taken"), say("share of positives found")
_TIMES = say("times better than chance")
_LADDER = (1, 1.5, 2, 3, 5, 7)  # of each power of ten
_CUTOFF = re.compile(r"@(\w+)$")
_EVERY = 20  # up to here every cutoff


@dataclass(frozen=True)
class CurveLines:
    """The curves to draw under the names they are shown by."""

    name: str
    curves: dict[str, Curve]
    systems: Systems
    notes: tuple[Message, ...]

    @classmethod
    def of(cls, name: str, by_name: Mapping[str, Curve]) -> CurveLines:
        """The curves that have points, with their notes; refused if none has."""
        systems = Systems.of(name, by_name)
        curves = systems.under(by_name)
        notes = [systems.named(system, note) for system, curve in curves.items() for note in curve.notes]
        drawn = {system: curve for system, curve in curves.items() if curve.frame.height}
        if not drawn:
            why = [term(note) for curve in curves.values() for note in curve.notes]
            raise writing.nothing_to_draw(name=name, why=why[0] if why else say("the curve has no points"))
        return cls(name, drawn, systems, (*systems.notes, *notes))

    def points(self) -> pl.DataFrame:
        """What is drawn: few points of each curve, to be joined by straight lines."""
        each = max(40, style.MOST_POINTS // len(self.curves))
        return with_system({name: curve.points(each, _TOLERANCE) for name, curve in self.curves.items()})

    def chart(self, title: Message, below: list[Layer], x: Message, y: Message, *, climbs: bool) -> Chart:
        """Each curve over the layers ``below``, and over it the points that carry values.

        ``climbs`` says that y never falls.
        """
        systems, points = self.systems, self.points()
        first, number_of = next(iter(self.curves.values())), _NUMBERS.get(self.name)
        labels: dict[str, str] = {}
        if systems.several and number_of is not None:
            labels = {name: name for name in systems.names} | {
                name: say("{name} · {said}", name=name, said=number_of(curve))
                for name, curve in self.curves.items()
            }
        rows = [
            {"system": systems.own(name), "label": labels.get(name), "x": across, "y": up, "order": place}
            for place, (name, across, up) in enumerate(points.select("system", first.x, first.y).rows())
        ]
        told = systems.channels("stroke", "strokeDash", legend=style.LINES, labels=list(labels.values()))
        encoding = {**along(x="x", y="y", order="order"), **told}
        drawn = layer(rows, "line", encoding, aria=False, **systems.alone(stroke=style.PALETTE[0]))
        look = {"shape": "circle", "filled": True, "size": 120, "opacity": 0, "color": style.PALETTE[0]}
        place = {**along(x="x", y="y"), **systems.channels("color")}
        over = layer(self._hovered(x, y, climbs), "point", place, **look)  # not seen, but they carry values
        return Chart(
            name=self.name,
            title=title,
            drawing={"width": style.SIDE, "height": style.SIDE, "layer": [*below, drawn, over]},
            table=points,
            notes=self.notes,
            facts=() if systems.several or number_of is None else (number_of(first),),
        )

    def _hovered(self, x: Message, y: Message, climbs: bool) -> list[Row]:
        rows = []
        for name, curve in self.curves.items():
            across = curve.frame[curve.x].to_numpy()
            way = across + curve.frame[curve.y].to_numpy() if climbs else across
            wanted = np.linspace(way[0], way[-1], max(8, style.MOST_HOVERED // len(self.curves)))
            at = np.unique(np.searchsorted(way, wanted).clip(0, len(way) - 1))
            for row in curve.frame[at].to_dicts():
                place = {"x": row[curve.x], "y": row[curve.y]}
                says = say(
                    "{x_name} {x}, {y_name} {y}",
                    x_name=x,
                    x=number(place["x"]),
                    y_name=y,
                    y=number(place["y"]),
                )
                if math.isfinite(cut := row.get("threshold", math.inf)):
                    says = say("{place}, threshold {value}", place=says, value=number(cut))
                rows.append({"system": name, **place, "says": self.systems.named(name, says)})
        return rows


def roc(curves: Mapping[str, Curve]) -> Chart:
    """The curve plots the true positive rate over the false positive rate, for every threshold."""
    below = _chance(share_axis("x", _FPR), share_axis("y", _TPR))
    return CurveLines.of("roc", curves).chart(say("ROC curve"), below, _FPR, _TPR, climbs=True)


def precision_recall(curves: Mapping[str, Curve]) -> Chart:
    """The curve plots precision over recall, for every threshold; a line marks the base rate."""
    lines = CurveLines.of("precision_recall", curves)
    rates = sorted({round(float(curve.frame["base_rate"][0]), 9) for curve in lines.curves.values()})
    axes = {"x": share_axis("x", _RECALL), "y": share_axis("y", _PRECISION)}
    below = []
    for place, rate in enumerate(rates):
        label = say("base rate {value}", value=number(rate))
        side = {"baseline": "top", "dy": 3} if rate > 0.1 else {"baseline": "bottom", "dy": -3}
        below.append(line([(0, rate), (1, rate)], **(axes if place == 0 else {})))
        below.append(remark(0.01, rate, label, align="left", **side))
    return lines.chart(say("Precision over recall"), below, _RECALL, _PRECISION, climbs=False)


def gain(curves: Mapping[str, Curve]) -> Chart:
    """The curve plots the share of positives found over the share of rows taken, highest scores first."""
    below = _chance(share_axis("x", _TAKEN), share_axis("y", _FOUND))
    return CurveLines.of("gain", curves).chart(say("Cumulative gain"), below, _TAKEN, _FOUND, climbs=True)


def lift(curves: Mapping[str, Curve]) -> Chart:
    """The curve plots how many times more positives than chance the rows with the highest scores hold."""
    lines = CurveLines.of("lift", curves)
    late = {}
    for name, curve in lines.curves.items():
        # a handful of rows says little, and would squeeze the rest of the curve flat
        kept = curve.frame.filter(pl.col(curve.x) >= _EARLY)
        late[name] = replace(curve, frame=kept) if kept.height > 100 * _EARLY else curve
    if any(late[name].frame.height < curve.frame.height for name, curve in lines.curves.items()):
        hidden = say("Lift of less than {share} of the rows is not shown.", share=percent(_EARLY))
        lines = replace(lines, notes=(*lines.notes, hidden))
    lines = replace(lines, curves=late)
    top = max(1.0, float(lines.points()["lift"].max()))  # type: ignore[arg-type]
    height = quantity("y", _TIMES, scale={"domain": [0, top], "nice": True}, tickCount=6)
    below = [
        line([(0, 1), (1, 1)], x=share_axis("x", _TAKEN), y=height),
        remark(0.01, 1, say("chance"), align="left", baseline="top", dy=3),
    ]
    return lines.chart(say("Lift"), below, _TAKEN, _TIMES, climbs=False)


def _chance(x: Row, y: Row) -> list[Layer]:
    said = remark(0.66, 0.63, say("chance"), angle=315, baseline="top")
    return [line([(0, 0), (1, 1)], x=x, y=y), said]


def _area(curve: Curve) -> Message:
    return say("area {area}", area=f"{curve.area():.4f}")


def _gini(lorenz: Curve) -> Message:
    return say("gini {value}", value=f"{1 - 2 * lorenz.area():.4f}")


# what one number says of each of these curves
_NUMBERS = {"roc": _area, "precision_recall": _area, "long_tail": _gini}


def cutoffs(longest: int, asked: Sequence[int] = ()) -> list[int]:
    """Few cutoffs that show how a metric goes: every one at first, then some of each power of ten.

    >>> cutoffs(5), cutoffs(100, [40])[-7:]
    ([1, 2, 3, 4, 5], [15, 20, 30, 40, 50, 70, 100])
    """
    if longest <= _EVERY:
        return list(range(1, longest + 1))
    steps = {int(part * 10**power) for power in range(len(str(longest))) for part in _LADDER}
    return sorted(k for k in steps | set(asked) | {longest} if 1 <= k <= longest)


def has_cutoff(one: Measured) -> bool:
    return bool(of_state([one], Ranked)) and one.metric.at != "never"


def at_every_k(
    measured: Sequence[Measured], metrics: Sequence[str] | None, ks: list[int] | None
) -> list[Curve]:
    """Each metric once, whatever its cutoffs, on the ranking that it was measured on."""
    ranked = [one for one in measured if has_cutoff(one)]
    longest = max(int(one.state.retrieved.max(initial=1)) for one in ranked)
    asked = [getattr(one.metric, "k", None) for one in ranked]
    wanted = ks or cutoffs(longest, [k for k in asked if k])
    if metrics is not None:
        drawn = [(name, curve_of(name, measured, ks=wanted)) for name in metrics]
    else:
        once: dict[str, Measured] = {}
        for one in ranked:
            once.setdefault(str(one.metric.replace(k=1)), one)
        drawn = [(one.label, curve_by_name(one.metric, one.state, ks=wanted)) for one in once.values()]
    return [replace(curve, name=f"{_CUTOFF.sub('', label)}@k") for label, curve in drawn]


def metric_at_k(curves: Mapping[str, Sequence[Curve]]) -> Chart:
    """Each line plots a metric over the cutoff k.

    Each system has the same curves. One system's are drawn together, those of several in a panel per metric.
    """
    systems = Systems.of("metric_at_k", curves)
    rows, frames = [], []
    for name, given in systems.under(curves).items():
        for curve in given:
            if curve.frame["value"].is_finite().any():
                labels = pl.lit(name).alias("system"), pl.lit(curve.name).alias("metric")
                frames.append(curve.frame.select(*labels, pl.all()))
                finite = curve.frame.filter(pl.col("value").is_finite())
                rows += [_row(name, curve, at, systems) for at in finite.to_dicts()]
    if not rows:
        raise writing.nothing_to_draw(name="metric_at_k", why=say("no metric is defined at any cutoff"))
    table, notes = pl.concat(frames), systems.notes
    of_metric = {row["metric"]: [one for one in rows if one["metric"] == row["metric"]] for row in rows}
    parts: list[Chart] = []
    if systems.several:
        shown_metrics = list(of_metric.items())[: style.MOST_METRICS]
        drawn = [
            panel(some, systems, metric, legend=not place)
            for place, (metric, some) in enumerate(shown_metrics)
        ]
        drawing = drawn[0] if len(drawn) == 1 else {"concat": drawn, "columns": 2, "spacing": 24}
        if len(of_metric) > style.MOST_METRICS:
            notes = (*notes, first_metrics(style.MOST_METRICS, len(of_metric)))
        parts = [
            Chart(
                name="metric_at_k",
                title=say("{metric} at every cutoff", metric=shown(metric.removesuffix("@k"), 30)),
                drawing=panel(some, systems, metric),
                table=table.filter(pl.col("metric") == metric),
                notes=systems.notes,
            )
            for metric, some in of_metric.items()
        ]
    else:
        lines = Systems(tuple(distinct(of_metric)))
        drawing = panel([row | {"system": row["metric"]} for row in rows], lines, say("value"))
    title = say("Metrics at every cutoff")
    return Chart(
        name="metric_at_k", title=title, drawing=drawing, table=table, notes=notes, parts=tuple(parts)
    )


def _row(name: str, curve: Curve, at: Row, systems: Systems) -> Row:
    uncut, value = curve.name.removesuffix("@k"), number(at["value"])
    says = systems.named(name, say("{metric} at {k:,}: {value}", metric=uncut, k=at["k"], value=value))
    return {"system": name, "metric": curve.name, "k": at["k"], "y": at["value"], "says": says}


def panel(rows: list[Row], systems: Systems, title: str, legend: bool = True) -> Layer:
    """Lines over cutoffs; each row has system, k, y and what it says."""
    longest = max(row["k"] for row in rows)
    scale: dict[str, Any] = {"domain": [1, max(longest, 2)], "nice": False, "zero": False}
    marks = [1, *range(2, longest + 1, 1 if longest <= _EVERY // 2 else 2)]
    if longest > _EVERY:
        scale["type"] = "log"
        steps = (1, 2, 5) if longest <= 2000 else (1,)
        marks = [part * 10**power for power in range(len(str(longest))) for part in steps]
    ticks = [k for k in marks if k <= longest]
    highest, lowest = max(row["y"] for row in rows), min(0.0, *(row["y"] for row in rows))
    x = quantity("k", say("cutoff k"), scale=scale, values=ticks, ticks="whole")
    y = quantity("y", title, scale={"domain": [lowest, highest or 1.0], "nice": True}, tickCount=5)
    alone = systems.alone(color=style.PALETTE[0])
    explained = style.LINES if legend else None
    dashes = systems.channels("color", "strokeDash", legend=explained)
    over = {**along(x="k", y="y"), **systems.channels("color", legend=explained)}
    lines = layer(rows, "line", {"x": x, "y": y, **dashes}, aria=False, **alone)
    points = layer(rows, "point", over, filled=True, size=30, opacity=1, **alone)
    return {"width": style.WIDTH, "height": style.HEIGHT, "layer": [lines, points]}
