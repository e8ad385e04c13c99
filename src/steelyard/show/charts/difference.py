"""How the values of queries differ between two systems."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.messages import Message, say
from steelyard.messages.errors import showing
from steelyard.printable import decimal
from steelyard.show.charts.chart import Chart
from steelyard.show.charts.parts import PLAIN_ZERO, SAYING, Layer, Row, quantity, values
from steelyard.show.charts.queries import PerQuery, undefined
from steelyard.show.charts.style import BETTER, HEIGHT, INK, MUTED, WIDTH, WORSE
from steelyard.show.charts.words import UNITS, how_many, named
from steelyard.show.labels import shown

MOST_BARS = 160


def difference(one: tuple[str, PerQuery], other: tuple[str, PerQuery]) -> Chart:
    """For how many queries one system is better than another, and by how much: bars, sorted."""
    (name, mine), (against, its) = one, other
    pairs, alone = _paired(mine, its)
    apart = pairs.filter(pl.col("difference").is_finite()).sort(
        "difference", descending=True, maintain_order=True
    )
    if not apart.height:
        why = (
            say("no query has a value in both")
            if mine.unit == "queries"
            else say("no group has a value in both")
        )
        raise showing.nothing_to_draw("difference", why)
    gap = apart["difference"].to_numpy()
    bars = _grouped(apart, MOST_BARS, mine.unit)
    left = pairs.height - apart.height
    higher, equal, lower = (int(np.count_nonzero(side)) for side in (gap > 0, gap == 0, gap < 0))
    said = [
        say(
            "Higher for {higher}, equal for {equal:,}, lower for {lower:,}.",
            higher=how_many(higher, mine.unit),
            equal=equal,
            lower=lower,
        )
    ]
    if left:
        said.append(undefined(left, pairs.height, mine.unit))
    if alone:
        there = how_many(alone, mine.unit)
        said.append(say("In one of the two only, and not shown: {queries}.", queries=there))
    if apart.height > MOST_BARS:
        said.append(_extremes(apart, mine.unit))
    return Chart(
        name="difference",
        title=say(
            "{metric}: {one} minus {other}",
            metric=mine.metric,
            one=shown(name, 24),
            other=shown(against, 24),
        ),
        drawing={"width": WIDTH, "height": HEIGHT, "layer": _sorted_bars(bars, gap, mine)},
        table=pl.DataFrame(
            [{key: row[key] for key in ("query", "n", "high", "low", "difference")} for row in bars]
        ),
        notes=tuple(said),
        facts=(say("mean {value}", value=decimal(float(gap.mean()), sign="+")),),
    )


def _paired(mine: PerQuery, its: PerQuery) -> tuple[pl.DataFrame, int]:
    """The queries of both with the difference, and how many stand in one only."""
    if mine.queries.dtype != its.queries.dtype:
        raise showing.ids_differ(one=str(mine.queries.dtype), other=str(its.queries.dtype))
    left, right = (pl.DataFrame({"query": each.queries, "value": each.values}) for each in (mine, its))
    both = left.join(right, on="query", how="inner", suffix="_other", maintain_order="left")
    frame = both.with_columns((pl.col("value") - pl.col("value_other")).alias("difference"))
    return frame, left.height + right.height - 2 * both.height


def _grouped(apart: pl.DataFrame, most: int, unit: str) -> list[Row]:
    """A bar for each query, or for as many equal parts of the sorted queries as can be seen."""
    n, gap = apart.height, apart["difference"].to_numpy()
    count = min(n, most)
    start: Ints = np.linspace(0, n, count + 1).astype(np.int64)
    size = np.diff(start)
    mean = np.add.reduceat(gap, start[:-1]) / size
    rows = []
    for place in range(count):
        first, last = int(start[place]), int(start[place + 1]) - 1
        high, low = float(gap[first]), float(gap[last])
        value = float(mean[place])
        query = shown(apart["query"][first]) if first == last else None
        says = (
            named(query, decimal(value, sign="+"))
            if query is not None
            else say(
                "{queries}, {low} to {high}: mean {value}",
                queries=how_many(last - first + 1, unit),
                low=decimal(low, sign="+"),
                high=decimal(high, sign="+"),
                value=decimal(value, sign="+"),
            )
        )
        rows.append(
            {"query": query, "n": last - first + 1, "high": high, "low": low, "difference": value}
            | {"from": first, "to": last + 1, "says": says}
        )
    return rows


def _extremes(apart: pl.DataFrame, unit: str) -> Message:
    best, worst = apart.row(0, named=True), apart.row(-1, named=True)
    return say(
        "Each bar is the mean of about {each:,} of {queries}. "
        "The greatest difference is {high} at {best}, the least {low} at {worst}.",
        each=round(apart.height / MOST_BARS),
        queries=how_many(apart.height, unit),
        high=decimal(best["difference"], sign="+"),
        best=shown(best["query"]),
        low=decimal(worst["difference"], sign="+"),
        worst=shown(worst["query"]),
    )


def _sorted_bars(bars: list[Row], gap: Floats, mine: PerQuery) -> list[Layer]:
    x = quantity(
        "from",
        say("{unit}, sorted by difference", unit=UNITS[mine.unit]),
        scale={"domain": [0, len(gap)], "nice": False},
        grid=False,
        tickMinStep=1,
        format="~s",
        tickCount=5,
        **PLAIN_ZERO,
    )
    y = quantity("difference", f"Δ {mine.metric}", tickCount=6, format="+~g", **PLAIN_ZERO)
    sign = {"condition": {"test": "datum.difference < 0", "value": WORSE}, "value": BETTER}
    drawn: Layer = {
        "data": values(bars),
        "mark": {"type": "rect", "stroke": None},
        "encoding": {"x": x, "x2": {"field": "to"}, "y": y, "y2": {"datum": 0}, "fill": sign, **SAYING},
    }
    zero: Layer = {
        "data": values([{"at": 0}]),
        "mark": {"type": "rule", "stroke": MUTED, "aria": False},
        "encoding": {"y": {"field": "at", "type": "quantitative"}},
    }
    mean: Layer = {
        "data": values([{"at": float(gap.mean())}]),
        "mark": {"type": "rule", "stroke": INK, "strokeDash": [4, 3], "aria": False},
        "encoding": {"y": {"field": "at", "type": "quantitative"}},
    }
    return [drawn, zero, mean]
