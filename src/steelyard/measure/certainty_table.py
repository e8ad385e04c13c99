"""All that is known of the certainty of each value, as one table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.measure.certainty import Certainty, Limits
from steelyard.measure.measured import Measured
from steelyard.measure.slices import CLASS_COLUMNS
from steelyard.messages import say
from steelyard.messages.errors import reading

ADDED = ("interval", "level", "unit", "units", "effective_units", "standard_error")


def certainty_table(
    rows: pl.DataFrame, measured: Sequence[Measured], by: Sequence[str], certainty: Certainty
) -> pl.DataFrame:
    """The values of the tidy table with their intervals, and what these were made of."""
    for name in by:
        if name in ADDED:
            raise reading.repeated_column(name=say("the table of intervals"), column=name)
    kept = [*by, "metric", *CLASS_COLUMNS, "value", "ci_low", "ci_high"]
    found = pl.concat([part for one in measured for part in _parts(one, certainty.level)])
    return pl.DataFrame([*(rows[name] for name in kept if name in rows.columns), *found])


def _parts(one: Measured, level: float) -> list[pl.DataFrame]:
    """What was found of the whole, then of the slices: in the order of the tidy table."""
    parts = [_told(one, one.limits, one.whole.size, level)]
    return parts if one.sliced is None else [*parts, _told(one, one.sliced_limits, one.sliced.size, level)]


def _told(one: Measured, limits: Limits | None, n: int, level: float) -> pl.DataFrame:
    limits = limits or Limits.unknown(n)
    if limits.kind == "none":
        nothing = np.full(n, None)
        figures = {"units": nothing, "effective_units": nothing, "standard_error": nothing}
    else:
        figures = {
            "units": limits.units,
            "effective_units": limits.fewest,
            "standard_error": limits.error,
        }
    said = {"interval": [limits.kind] * n, "level": [level] * n, "unit": [one.drawn] * n}
    return pl.DataFrame({**said, **figures}, schema=dict(zip(ADDED, _TYPES, strict=True)), strict=False)


_TYPES = (pl.String, pl.Float64, pl.String, pl.Int64, pl.Float64, pl.Float64)
