"""How far the slices of one metric are apart: the best and the worst served."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard.arguments import slice_value
from steelyard.engine.slices import in_sentence, is_whole
from steelyard.metrics.base import Direction
from steelyard.text import ENGLISH, Message, say
from steelyard.text.errors import asking, measuring
from steelyard.text.errors.forms import check_language
from steelyard.text.labels import finite, in_table


@dataclass(frozen=True, kw_only=True)
class SliceValue:
    """A slice, the value of a metric in it, and its number of units."""

    slice: Mapping[str, str | None]
    name: Message  # of the slice, as one text
    value: float
    n: int

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; a value that is not finite is None, as JSON has no other."""
        return {"slice": dict(self.slice), "value": finite(self.value), "n": self.n}


@dataclass(frozen=True, kw_only=True, repr=False)
class Gap:
    """The best and the worst slice of a metric, and their distance.

    The metric decides whether high values, low ones, or those near 1 are better. ``difference`` is never
    below 0; ``ratio`` is the worst value divided by the best, NaN where that is 0. Of ``slices`` slices,
    those ``without_value`` are skipped.
    """

    metric: str
    by: tuple[str, ...]
    best: SliceValue
    worst: SliceValue
    difference: float
    ratio: float
    slices: int
    without_value: int

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; a number that is not finite is None, as JSON has no other."""
        return {
            **vars(self),
            "by": list(self.by),
            "best": self.best.to_dict(),
            "worst": self.worst.to_dict(),
            "difference": finite(self.difference),
            "ratio": finite(self.ratio),
        }

    def to_text(self, *, lang: str = ENGLISH) -> str:
        """The gap in one or two sentences, in a language such as ``zh``."""
        check_language(lang)
        sentence = say(
            "{metric} by {columns:·}: best {best} {high}, worst {worst} {low}; difference {difference}, "
            "ratio {ratio}.",
            metric=self.metric,
            columns=list(self.by),
            best=self.best.name,
            high=in_table(self.best.value),
            worst=self.worst.name,
            low=in_table(self.worst.value),
            difference=in_table(self.difference),
            ratio=in_table(self.ratio),
        ).render(lang)
        if not self.without_value:
            return sentence
        skipped = say(
            "{n:,} of {every:,} slices {n:has|have} no value and {n:is|are} left out.",
            key="slices_without_value",
            n=self.without_value,
            every=self.slices,
        )
        return f"{sentence}\n{skipped.render(lang)}"

    def __repr__(self) -> str:
        return self.to_text()


def gap(
    label: str, rows: pl.DataFrame, sliced_by: Sequence[str], direction: Direction, by: object = None
) -> Gap:
    _check(label, sliced_by, direction, by)
    every = rows.filter((rows["metric"] == label) & ~is_whole(rows, sliced_by))
    if "class" in every.columns and every["class"].null_count() < every.height:
        raise measuring.one_value_asked(label=label, n=every["class"].n_unique())
    defined = every.filter(every["value"].is_not_nan())
    if not defined.height:
        raise asking.no_slice_has_value(metric=label, n=every.height)
    value = defined["value"]
    good = {"higher": value, "lower": -value, "nearest_1": -(value - 1).abs()}[direction]
    ends = (defined.row(place or 0, named=True) for place in (good.arg_max(), good.arg_min()))
    best, worst = (
        SliceValue(
            slice={name: slice_value(row[name]) for name in sliced_by},
            name=in_sentence(row[name] for name in sliced_by),
            value=row["value"],
            n=row["n"],
        )
        for row in ends
    )
    return Gap(
        metric=label,
        by=tuple(sliced_by),
        best=best,
        worst=worst,
        difference=abs(best.value - worst.value),
        ratio=worst.value / best.value if best.value else math.nan,
        slices=every.height,
        without_value=every.height - defined.height,
    )


def _check(label: str, sliced_by: Sequence[str], direction: Direction, by: object) -> None:
    if not sliced_by:
        raise asking.no_slices_of(metric=label)
    asked = list(sliced_by) if by is None else [by] if isinstance(by, str) else by
    if not isinstance(asked, list | tuple) or not asked:
        raise asking.not_slice_columns(by, sliced_by)
    for column in asked:
        if column not in sliced_by:
            raise asking.not_slice_columns(column, sliced_by)
    if set(asked) != set(sliced_by):
        raise asking.sliced_by_more(metric=label, columns=list(sliced_by), asked=list(asked))
    if direction == "none":
        raise asking.no_better_side(metric=label)
