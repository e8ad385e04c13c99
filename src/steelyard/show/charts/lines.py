"""Curves of rows: ROC, precision over recall, gain and lift."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.curves import Curve
from steelyard.messages import Message, say, term
from steelyard.messages.errors import showing
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.parts import (
    LINES,
    Layer,
    Row,
    Systems,
    each_hovered,
    hovered,
    line,
    quantity,
    remark,
    share_axis,
    values,
)
from steelyard.show.charts.style import MOST_POINTS, PALETTE, SIDE
from steelyard.show.labels import number, percent

_TOLERANCE = 1e-3  # of the area: less than a third of a pixel on average
_EARLY = 0.01
_FPR, _TPR = say("false positive rate"), say("true positive rate")
_RECALL, _PRECISION = say("recall"), say("precision")
_TAKEN, _FOUND = say("share of rows taken"), say("share of positives found")
_TIMES = say("times better than chance")


@dataclass(frozen=True)
class _Lines:
    """The curves to draw under the names they are shown by."""

    name: str
    curves: dict[str, Curve]
    systems: Systems
    notes: tuple[Message, ...]

    @classmethod
    def of(cls, name: str, given: Mapping[str, Curve]) -> _Lines:
        systems = Systems.of(name, given)
        named = dict(zip(systems.names, given.values(), strict=False))
        said = [systems.named(shown, note) for shown, curve in named.items() for note in curve.notes]
        drawn = {shown: curve for shown, curve in named.items() if curve.frame.height}
        if not drawn:
            why = [term(note) for curve in named.values() for note in curve.notes]
            raise showing.nothing_to_draw(name, why[0] if why else say("the curve has no points"))
        return cls(name, drawn, systems, (*systems.notes, *said))

    def points(self) -> pl.DataFrame:
        """What is drawn: few points of each curve, to be joined by straight lines."""
        each = max(40, MOST_POINTS // len(self.curves))
        return pl.concat(
            [
                curve.points(each, _TOLERANCE).select(pl.lit(shown).alias("system"), pl.all())
                for shown, curve in self.curves.items()
            ]
        )

    def layers(self, points: pl.DataFrame, x: Message, y: Message, *, climbs: bool) -> list[Layer]:
        """Each curve, and over it the points that carry values; ``climbs`` says that y never falls."""
        first = next(iter(self.curves.values()))
        labels = self._labels()
        label = dict(zip(self.systems.names, labels, strict=True)) if labels else {}
        rows = [
            {
                "system": self.systems.own(row["system"]),
                "label": label.get(row["system"]),
                "x": row[first.x],
                "y": row[first.y],
                "order": place,
            }
            for place, row in enumerate(points.select("system", first.x, first.y).to_dicts())
        ]
        told = self.systems.channels("stroke", "strokeDash", legend=LINES, labels=labels)
        alone = {} if told else {"stroke": PALETTE[0]}
        drawn: Layer = {
            "data": values(rows),
            "mark": {"type": "line", "aria": False, **alone},
            "encoding": {
                "x": {"field": "x", "type": "quantitative"},
                "y": {"field": "y", "type": "quantitative"},
                "order": {"field": "order", "type": "quantitative"},
                **told,
            },
        }
        of_points = self.systems.channels("color")
        return [drawn, hovered(self._hovered(x, y, climbs), **of_points)]

    def _labels(self) -> list[str]:
        """The legend: each name with the area under its curve."""
        if not self.systems.several or self.name not in _WITH_AREA:
            return []
        return [
            say("{name} · area {area}", name=shown, area=_area(self.curves[shown]))
            if shown in self.curves
            else shown
            for shown in self.systems.names
        ]

    def facts(self) -> tuple[Message, ...]:
        """The area, where there is one curve."""
        if self.systems.several or self.name not in _WITH_AREA:
            return ()
        return (say("area {area}", area=_area(next(iter(self.curves.values())))),)

    def _hovered(self, x: Message, y: Message, climbs: bool) -> list[Row]:
        rows = []
        for shown, curve in self.curves.items():
            across = curve.frame[curve.x].to_numpy()
            along = across + curve.frame[curve.y].to_numpy() if climbs else across
            wanted = np.linspace(along[0], along[-1], each_hovered(len(self.curves)))
            at = np.unique(np.searchsorted(along, wanted).clip(0, len(along) - 1))
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
                rows.append({"system": shown, **place, "says": self.systems.named(shown, says)})
        return rows


_WITH_AREA = ("roc", "precision_recall")


def roc(curves: Mapping[str, Curve]) -> Chart:
    """How many good rows are caught for the bad ones let in, at every threshold."""
    lines = _Lines.of("roc", curves)
    points = lines.points()
    return _chart(
        lines,
        say("ROC curve"),
        points,
        [
            _framed(line([(0, 0), (1, 1)]), share_axis("x", _FPR), share_axis("y", _TPR)),
            remark(0.66, 0.63, say("chance"), angle=315, baseline="top"),
            *lines.layers(points, _FPR, _TPR, climbs=True),
        ],
    )


def precision_recall(curves: Mapping[str, Curve]) -> Chart:
    """How clean the picks stay as more of the positives are found, above what taking every row gives."""
    lines = _Lines.of("precision_recall", curves)
    points = lines.points()
    rates = sorted({round(float(curve.frame["base_rate"][0]), 9) for curve in lines.curves.values()})
    layers = []
    for rate in rates:
        layers.append(line([(0, rate), (1, rate)]))
        said = say("base rate {value}", value=number(rate))
        high = rate > 0.1
        layers.append(
            remark(0.01, rate, said, align="left", baseline="top" if high else "bottom", dy=3 if high else -3)
        )
    _framed(layers[0], share_axis("x", _RECALL), share_axis("y", _PRECISION))
    return _chart(
        lines,
        say("Precision over recall"),
        points,
        [*layers, *lines.layers(points, _RECALL, _PRECISION, climbs=False)],
    )


def gain(curves: Mapping[str, Curve]) -> Chart:
    """How many of the positives the most promising part of the rows holds."""
    lines = _Lines.of("gain", curves)
    points = lines.points()
    return _chart(
        lines,
        say("Cumulative gain"),
        points,
        [
            _framed(line([(0, 0), (1, 1)]), share_axis("x", _TAKEN), share_axis("y", _FOUND)),
            remark(0.66, 0.63, say("chance"), angle=315, baseline="top"),
            *lines.layers(points, _TAKEN, _FOUND, climbs=True),
        ],
    )


def lift(curves: Mapping[str, Curve]) -> Chart:
    """How many times more positives than chance the most promising part of the rows holds."""
    lines = _Lines.of("lift", curves)
    late = {}
    for shown, curve in lines.curves.items():
        # a handful of rows says little, and would squeeze the rest of the curve flat
        kept = curve.frame.filter(pl.col(curve.x) >= _EARLY)
        late[shown] = Curve(**{**curve.__dict__, "frame": kept}) if kept.height > 100 * _EARLY else curve
    hidden = any(late[shown].frame.height < curve.frame.height for shown, curve in lines.curves.items())
    said = (
        (say("Lift of less than {share} of the rows is not shown.", share=percent(_EARLY)),) if hidden else ()
    )
    lines = _Lines(lines.name, late, lines.systems, (*lines.notes, *said))
    points = lines.points()
    top = max(1.0, float(points["lift"].max()))  # type: ignore[arg-type]
    height = quantity("y", _TIMES, scale={"domain": [0, top], "nice": True}, tickCount=6)
    return _chart(
        lines,
        say("Lift"),
        points,
        [
            _framed(line([(0, 1), (1, 1)]), share_axis("x", _TAKEN), height),
            remark(0.01, 1, say("chance"), align="left", baseline="top", dy=3),
            *lines.layers(points, _TAKEN, _TIMES, climbs=False),
        ],
    )


def _framed(layer: Layer, x: dict[str, object], y: dict[str, object]) -> Layer:
    """The first layer has the axes."""
    layer["encoding"].update(x=x, y=y)
    return layer


def _chart(lines: _Lines, title: Message, points: pl.DataFrame, layers: list[Layer]) -> Chart:
    return Chart(
        name=lines.name,
        title=title,
        drawing={"width": SIDE, "height": SIDE, "layer": layers},
        table=points,
        notes=lines.notes,
        facts=lines.facts(),
    )


def _area(curve: Curve) -> str:
    return f"{curve.area():.4f}"
