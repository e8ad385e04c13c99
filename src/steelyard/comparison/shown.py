"""A comparison as charts and the page know it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from steelyard.comparison.difference import paired
from steelyard.comparison.testing import CORRECTIONS, Procedure
from steelyard.messages import Message
from steelyard.messages.errors import SteelyardError
from steelyard.show import charts
from steelyard.show.charts import Compared, Each, Evaluated


def shown(
    systems: Mapping[str, Evaluated],
    rows: pl.DataFrame,
    testing: Procedure,
    told: Message | None = None,
    notes: Sequence[Message] = (),
) -> Compared:
    """What the rows of a comparison show of systems, under their names, with the queries behind them."""
    first = next(iter(systems.values()))
    there = set(rows["metric"].to_list())
    made = Compared(
        rows=rows,
        metrics={one.label: one.metric for one in first.measured if one.label in there},
        by=first.by,
        level=testing.level,
        told=told,
        correction=None if testing.correct == "none" else CORRECTIONS[testing.correct],
        notes=tuple(notes),
        names={str(name): name for name in systems},
    )
    return replace(made, each=tuple(_each(systems, made))) if testing.paired else made


def _each(systems: Mapping[str, Evaluated], compared: Compared) -> Iterable[Each]:
    """Of every pair what each query has of the first metric that queries have a value of."""
    for system, baseline in compared.pairs:
        mine, its = systems[system], systems[baseline]
        both = [set(charts.metrics("difference", side)) for side in (mine, its)]
        label = next((label for label in compared.metrics if all(label in some for some in both)), None)
        if label is None:
            continue
        values, others = charts.values(mine, label), charts.values(its, label)
        try:
            pairs = paired(values, others)
        except SteelyardError:  # ids of two types: no query can be found again
            continue
        yield Each(system=system, baseline=baseline, mine=values, pairs=pairs)
