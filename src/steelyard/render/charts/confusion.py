"""The confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.render.charts import parts as style
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import Layer, Row, Systems, layer, panels, with_system
from steelyard.text import say
from steelyard.text.errors import writing
from steelyard.text.labels import number, percent
from steelyard.text.names import distinct

MOST_CLASSES = 16
_ROOMY = 8  # so few classes leave room for the count and the share
_DARK = 0.55


def confusion(matrices: Mapping[str, pl.DataFrame]) -> Chart:
    """Each cell counts the rows of a true class with a predicted class, and their share of the true class.

    Frames have the columns class, predicted and value, as the table of a result has.
    """
    systems = Systems.of("confusion", matrices, panels=True)
    drawn, tables, notes = [], {}, list(systems.notes)
    for name, frame in systems.under(matrices).items():
        if not frame.height:
            raise writing.nothing_to_draw(name="confusion", why=say("there are no classes"))
        classes, counts = _square(frame)
        labels, counts = _largest(classes, counts)
        if len(classes) > MOST_CLASSES:
            notes.append(
                say(
                    "The {shown} most frequent of {n:,} classes are shown; "
                    "the others are together in one row and column.",
                    shown=len(labels) - 1,
                    n=len(classes),
                )
            )
        total = counts.sum(axis=1, keepdims=True)
        names = np.array([str(label) for label in labels])
        columns = {
            "class": np.repeat(names, len(names)),
            "predicted": np.tile(names, len(names)),
            "count": counts.reshape(-1),
            "share": (counts / np.where(total > 0, total, 1.0)).reshape(-1),
        }
        tables[name] = pl.DataFrame(columns)
        drawn.append((name, _panel(tables[name], labels)))
    return Chart(
        name="confusion",
        title=say("Confusion matrix"),
        drawing=panels(drawn, systems, columns=2),
        table=with_system(tables),
        notes=tuple(dict.fromkeys(notes)),
    )


def _square(frame: pl.DataFrame) -> tuple[list[str], Floats]:
    classes = pl.concat([frame["class"], frame["predicted"]]).unique(maintain_order=True)
    places = pl.Series(range(len(classes)))
    at = tuple(frame[side].replace_strict(classes, places).to_numpy() for side in ("class", "predicted"))
    counts = np.zeros((len(classes), len(classes)))
    np.add.at(counts, at, frame["value"].to_numpy())
    return classes.to_list(), counts


def _largest(classes: list[str], counts: Floats) -> tuple[list[str], Floats]:
    if len(classes) <= MOST_CLASSES:
        return distinct(classes, 18), counts
    size = counts.sum(axis=1) + counts.sum(axis=0)
    kept: Ints = np.sort(np.argsort(-size, kind="stable")[: MOST_CLASSES - 1])
    to = np.full(len(classes), len(kept))
    to[kept] = np.arange(len(kept))
    merged = np.zeros((len(kept) + 1, len(kept) + 1))
    np.add.at(merged, (to[:, None], to[None, :]), counts)
    labels = distinct([classes[at] for at in kept], 18)
    return [*labels, say("({n:,} others)", n=len(classes) - len(kept))], merged


def _panel(table: pl.DataFrame, labels: list[str]) -> Layer:
    roomy = len(labels) <= _ROOMY
    words = {str(label): label for label in labels}  # one may be a message, which a frame holds as text
    cells: list[Row] = []
    for true_class, predicted_class, count, share in table.rows():
        truth, called = words[true_class], words[predicted_class]
        counted, part = number(count), percent(share)
        says = say(
            "{truth} predicted as {called}: {count} ({share})",
            truth=truth,
            called=called,
            count=counted,
            share=part,
        )
        shown = {"count": counted, "share": part if roomy else f"{share:.0%}"}
        cells.append({"truth": truth, "called": called, "at": share, "says": says, **shown})
    axis: dict[str, Any] = {"domain": False, "ticks": False, "grid": False}
    upright = {"labelAngle": 0} if roomy and max(map(len, labels)) <= 9 else {"labelAngle": -45}
    place = {"type": "nominal", "sort": list(labels), "scale": {"domain": list(labels)}}
    x = {"field": "called", **place, "title": say("predicted class"), "axis": {**axis, **upright}}
    y = {"field": "truth", **place, "title": say("true class"), "axis": axis}
    # opacity, so that nothing is white where the page is dark
    scale = {"domain": [0, 1], "range": [0, 1]}
    shade = {"field": "at", "type": "quantitative", "scale": scale, "legend": None}
    drawn = [row for row in cells if roomy or row["at"] > 0]  # an empty cell says so by being empty
    seen = [row for row in drawn if roomy or row["at"] >= 0.005]
    look = {"color": style.PALETTE[0], "stroke": style.GRID if roomy else None, "strokeWidth": 1}
    layers = [
        layer(drawn, "rect", {"x": x, "y": y, "fillOpacity": shade}, **look),
        _text(seen, "count", dy=-7, fontSize=12) if roomy else _text(seen, "share", fontSize=9),
        *([_text(seen, "share", dy=8, fontSize=10)] if roomy else []),
    ]
    size = {"step": 56 if roomy else 26}
    return {"width": size, "height": size, "view": {"stroke": style.GRID}, "layer": layers}


def _text(cells: list[Row], field: str, **mark: Any) -> Layer:
    fields = {"x": "called", "y": "truth", "text": field}
    encoding: Row = {channel: {"field": name, "type": "nominal"} for channel, name in fields.items()}
    encoding["color"] = {"condition": {"test": f"datum.at > {_DARK}", "value": "#ffffff"}, "value": style.INK}
    return layer(cells, "text", encoding, aria=False, **mark)
