"""The axis that scores lie on: linear, or logarithmic where they crowd near 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from steelyard.messages import Message, say
from steelyard.messages.errors import asking
from steelyard.show.labels import number, percent

Scale = Literal["auto", "linear", "log"]
SCALES = ("auto", "linear", "log")
_CROWDED = 0.1  # more than half of the rows within this part of the axis: logarithms show more
_TAIL = 0.005  # of the rows may stand in the first bar of a logarithmic axis


@dataclass(frozen=True)
class ScoreAxis:
    """A part of the axis of scores, and what of it is seen."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, histograms: Sequence[pl.DataFrame], scale: Scale, seen: Sequence[float] = ()) -> ScoreAxis:
        """An axis for histograms, as ``score_histogram`` gives them, and for some points besides."""
        if scale not in SCALES:
            raise asking.bad_choice("chart", "scale", scale, SCALES)
        frames = [frame for frame in histograms if frame.height]
        can = all((frame["scale"] == "log10").any() for frame in frames)
        shows_more = min(seen, default=1.0) > 0 and any(map(_crowded, frames))
        log = can and (scale == "log" or (scale == "auto" and shows_more))
        kept = [bounded(frame, log) for frame in frames]
        high = max([*(_most(frame["high"]) for frame in kept), *seen])
        if not log:
            low = min([*(_least(frame["low"]) for frame in kept), *seen])
            return cls(low, high if high > low else low + 1.0, False)
        low = min([*map(_tail, kept), *(value for value in seen if value > 0)])
        return cls(low, high if high > low else low * 10, True)

    @property
    def scale(self) -> dict[str, Any]:
        """The scale for Vega-Lite."""
        kind = {"type": "log"} if self.log else {}
        return {**kind, "domain": [self.low, self.high], "nice": False, "zero": False}

    def ticks(self) -> dict[str, Any]:
        """Few ticks: of logarithms the powers of ten, with 2 and 5 where these are fewer than three."""
        if not self.log:
            return {"tickCount": 5, "format": "~g"}
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        inside = [10.0**power for power in powers if self._holds(10.0**power)]
        if len(inside) < 3:
            inside = [d * 10.0**p for p in powers for d in (1, 2, 5) if self._holds(d * 10.0**p)]
        every = math.ceil(len(inside) / 7)
        return {"values": [float(f"{value:.6g}") for value in inside[::-1][::every]], "format": "~g"}

    def held(self, value: float) -> float:
        """A value, or the edge of the axis where it lies beyond it."""
        return min(max(value, self.low), self.high)

    def bars(self, histogram: pl.DataFrame) -> pl.DataFrame:
        """The bins of a histogram on this axis; those below it are added to its first bar."""
        frame = bounded(histogram, self.log)
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

    def tail(self, histogram: pl.DataFrame) -> float:
        """The share of rows that lie below the axis."""
        if not self.log or not histogram.height:
            return 0.0
        frame = bounded(histogram, log=True)
        weight = frame["positives"] + frame["negatives"]
        zeros = (frame["low"] <= 0) & (frame["high"] > self.low)
        below = (frame["high"] <= self.low) | zeros
        return float(weight.filter(below).sum()) / (float(weight.sum()) or 1.0)

    def _holds(self, value: float) -> bool:
        return self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)


def bounded(histogram: pl.DataFrame, log: bool) -> pl.DataFrame:
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


def below_the_axis(axis: ScoreAxis, tail: float) -> Message:
    """What becomes of the share of rows that lie below a logarithmic axis."""
    return say(
        "Scores below {low}, {share} of the rows, stand in the first bar of the logarithmic axis.",
        low=number(axis.low),
        share=percent(tail),
    )


def infinite(histogram: pl.DataFrame) -> bool:
    """Whether some scores are infinite."""
    ends = pl.concat([histogram["low"], histogram["high"]])
    return not bool(ends.is_finite().all())


def _crowded(histogram: pl.DataFrame) -> bool:
    """Whether more than half of the rows lie in a small part of the axis, near 0."""
    frame = bounded(histogram, log=False)
    weight = frame["positives"] + frame["negatives"]
    near = frame["low"] < _CROWDED * _most(frame["high"])
    return float(weight.filter(near).sum()) > float(weight.sum()) / 2


def _tail(frame: pl.DataFrame) -> float:
    """The lower edge that all but a few rows lie above."""
    weight = frame["positives"] + frame["negatives"]
    before = weight.cum_sum() - weight
    seen = frame.filter((frame["low"] > 0) & ((before <= _TAIL * float(weight.sum())) | (pl.col("low") < 0)))
    if seen.height:
        return _most(seen["low"])
    return _least(frame["high"].filter(frame["high"] > 0))


def _least(column: pl.Series) -> float:
    return float(column.min() or 0.0)  # type: ignore[arg-type]


def _most(column: pl.Series) -> float:
    return float(column.max() or 0.0)  # type: ignore[arg-type]
