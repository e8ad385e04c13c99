"""From the number of one library to that of another, a step for each convention."""

from __future__ import annotations

import math
from itertools import accumulate

import polars as pl

from steelyard.render.charts.chart import Chart
from steelyard.render.charts.parts import SAYING, Layer, Row, along, layer, names_axis, quantity
from steelyard.render.charts.style import BETTER, GRID, INK, MUTED, WORSE
from steelyard.render.differences import Attribution
from steelyard.text import Message, say
from steelyard.text.errors import showing
from steelyard.text.labels import in_table, named, signed

MOST_STEPS = 20
_WIDTH = 300
_STEP = 30


def waterfall(found: Attribution) -> Chart:
    """The two numbers of a metric, and between them what each convention adds or takes away."""
    if any(math.isnan(value) for value in found.values):
        raise showing.nothing_to_draw(name="waterfall", why=say("a value is undefined"))
    steps = _steps(found)
    return Chart(
        name="waterfall",
        title=say(
            "{metric}: from {one} to {other}", metric=found.metric, one=found.names[0], other=found.names[1]
        ),
        drawing=_drawing(found, steps),
        table=pl.DataFrame(
            [(row["step"], row["start"], row["end"], row["end"] - row["start"]) for row in steps],
            schema={"convention": pl.String, "from": pl.Float64, "to": pl.Float64, "part": pl.Float64},
            orient="row",
        ),
        facts=(found.head,),
        notes=(say("Each step is the mean over the orders in which the conventions can be changed."),),
    )


def _steps(found: Attribution) -> list[Row]:
    parts = [(one.name, one.part, found.sentence(one)) for one in found.carried if math.isfinite(one.part)]
    if len(parts) > MOST_STEPS:
        rest = parts[MOST_STEPS - 1 :]
        others = say("{n} others", n=len(rest))
        parts = [*parts[: MOST_STEPS - 1], (str(others), math.fsum(part for _, part, _ in rest), others)]
    if not parts:
        return []
    ends = list(accumulate((part for _, part, _ in parts), initial=found.values[0]))
    ends[-1] = found.values[1]
    return [
        _step(name, start, end, words)
        for (name, _, words), start, end in zip(parts, ends, ends[1:], strict=False)
    ]


def _step(name: str, start: float, end: float, words: Message) -> Row:
    part = end - start
    return {
        "step": name,
        "start": start,
        "end": end,
        "text": signed(part),
        "right": max(start, end),
        "says": say("{name}: {part} ({words})", name=name, part=signed(part), words=words),
    }


def _drawing(found: Attribution, steps: list[Row]) -> Layer:
    ends = [
        {"step": name, "value": value, "text": in_table(value), "says": named(name, in_table(value))}
        for name, value in zip(found.names, found.values, strict=True)
    ]
    order = [found.names[0], *(row["step"] for row in steps), found.names[1]]
    y = names_axis("step", order)
    reach = [*found.values, *(row["end"] for row in steps)]
    room = 0.12 * (max(reach) - min(reach)) or 0.1
    scale = {"domain": [min(reach) - room, max(reach) + room], "zero": False, "nice": True}
    x = quantity("value", found.metric, scale=scale, tickCount=5)
    bar = {**along(x="start"), "x2": {"field": "end"}, "y": y, **SAYING}
    figure = {"field": "text", "type": "nominal"}
    links = [
        {"value": value, "step": above, "to": below}
        for value, above, below in zip(
            [found.values[0], *(row["end"] for row in steps)], order, order[1:], strict=False
        )
    ]
    link = {"x": x, "y": y, "y2": {"field": "to"}}
    beside = {"align": "left", "dx": 5, "fontSize": 10, "aria": False}
    layers = [layer(links, "rule", link, color=GRID, strokeWidth=1, aria=False)]
    for rises, colour in ((True, BETTER), (False, WORSE)):
        some = [row for row in steps if (row["end"] >= row["start"]) is rises]
        if some:
            layers.append(layer(some, "bar", bar, color=colour, height=14))
    layers += [
        layer(steps, "text", {**along(x="right"), "y": y, "text": figure}, color=MUTED, **beside),
        layer(ends, "tick", {"x": x, "y": y, **SAYING}, color=INK, thickness=3, size=18),
        layer(ends, "text", {"x": x, "y": y, "text": figure}, color=INK, fontWeight="bold", **beside),
    ]
    return {"width": _WIDTH, "height": {"step": _STEP, "for": "position"}, "layer": layers}
