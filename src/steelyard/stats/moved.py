"""The queries that a system serves most differently than its baseline, and what was shown to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard.engine.memory import Lists
from steelyard.metrics import Metric
from steelyard.metrics.base import gained
from steelyard.stats.measured import Measured
from steelyard.text.errors import SteelyardError, comparing

SHOWN = 10  # items of a list


@dataclass(frozen=True, kw_only=True)
class ShownItem:
    """One item of a list; ``grade`` is None where it has no judgement."""

    item: str | None
    grade: float | None


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A query that moved: its values with both systems, and what each showed to it, best first."""

    query: object
    better: bool
    value: float
    baseline: float
    shown: tuple[ShownItem, ...] = ()
    shown_by_baseline: tuple[ShownItem, ...] = ()

    @property
    def difference(self) -> float:
        """How far it moved."""
        return self.value - self.baseline

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        lists = {
            name: [vars(item) for item in getattr(self, name)] for name in ("shown", "shown_by_baseline")
        }
        return {**vars(self), "query": str(self.query), "difference": self.difference, **lists}


def moved(
    mine: Measured, its: Measured, lists: tuple[Lists | None, Lists | None], n: int, items: int = SHOWN
) -> tuple[Moved, ...]:
    """The ``n`` queries that gained most, then the ``n`` that lost most."""
    if mine.units is None or its.units is None:
        raise comparing.no_units_to_move(metric=mine.label)
    frame = _differences(mine, its)
    gain = frame["gain"]
    found = []
    for better, some in ((True, frame.filter(gain > 0)), (False, frame.filter(gain < 0))):
        some = some.sort(pl.col("gain").abs(), "query", descending=[True, False]).head(n)
        queries = some["query"].to_list()
        shown = [_shown(one, mine.metric, queries, items) for one in lists]
        for row, *both in zip(some.to_dicts(), *shown, strict=True):
            lists_of = {"shown": both[0], "shown_by_baseline": both[1]}
            found.append(
                Moved(query=row["query"], better=better, value=row["mine"], baseline=row["its"], **lists_of)
            )
    return tuple(found)


def _differences(mine: Measured, its: Measured) -> pl.DataFrame:
    names = [side.unit_names for side in (mine, its)]
    if names[0].dtype != names[1].dtype:
        names = [one.cast(pl.String) for one in names]
    left, right = (
        pl.DataFrame({"query": queries, name: side.values})
        for queries, name, side in zip(names, ("mine", "its"), (mine, its), strict=True)
    )
    both = left.join(right, on="query", how="inner", maintain_order="left")
    both = both.filter(pl.col("mine").is_finite() & pl.col("its").is_finite())
    way = mine.metric.direction
    gain = gained(pl.col("mine"), pl.col("its"), "higher" if way == "none" else way)
    return both.with_columns(gain.alias("gain"))


def _shown(
    lists: Lists | None, metric: Metric, queries: Sequence[object], items: int
) -> list[tuple[ShownItem, ...]]:
    if lists is None or metric.reads not in ("hits", "lists"):
        return [()] * len(queries)
    found: list[tuple[ShownItem, ...]] = []
    for query in queries:
        try:
            lists.check(query)
            (one,) = lists.shown(metric.need(), [query])
        except (SteelyardError, ValueError):  # not kept, or a query of the other system alone
            found.append(())
            continue
        grades = [None if np.isnan(grade) else float(grade) for grade in one.grade[:items]]
        names = [None] * len(grades) if one.items is None else list(one.items[:items])
        found.append(
            tuple(ShownItem(item=name, grade=grade) for name, grade in zip(names, grades, strict=True))
        )
    return found
