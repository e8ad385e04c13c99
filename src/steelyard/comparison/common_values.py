"""The values of systems on the units that they share, where some have more than others."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.measure.slices import CLASS_COLUMNS
from steelyard.read.table import exactly

_LEAST, _MOST = "least of its values", "greatest of its values"


def not_common(rows: pl.DataFrame, by: Sequence[str]) -> tuple[str, ...]:
    """The metrics of which a system has other values beside one system than beside another."""
    apart = _sides(rows, by).filter(_differ(_LEAST, _MOST))
    return tuple(apart["metric"].unique(maintain_order=True))


def with_common(rows: pl.DataFrame, compared: pl.DataFrame, system: str, by: Sequence[str]) -> pl.DataFrame:
    """The rows of a system with its values on the units that it shares, where these are always the same."""
    keys = exactly(_keys(compared, by))
    common = _sides(compared, by).filter(pl.col("system") == system, ~_differ(_LEAST, _MOST))
    common = common.filter(~pl.col("metric").is_in(not_common(compared, by))).drop("system", _MOST)
    both = rows.join(common, on=keys, how="left", nulls_equal=True, maintain_order="left")
    other = _differ(_LEAST, "value").fill_null(False)
    return both.with_columns(pl.when(other).then(_LEAST).otherwise("value").alias("value")).drop(_LEAST)


def _keys(rows: pl.DataFrame, by: Sequence[str]) -> list[str]:
    return [*by, "metric", *(name for name in CLASS_COLUMNS if name in rows.columns)]


def _sides(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The least and the greatest value that each system has, beside whatever it is compared with."""
    keys = exactly(_keys(rows, by))
    value = pl.col("value")
    sides = [
        rows.select(keys, "system", value),
        rows.select(keys, pl.col("baseline").alias("system"), value - pl.col("difference")),
    ]
    known = pl.concat(sides).with_columns(value.fill_nan(None))
    spans = known.group_by(keys, "system", maintain_order=True)
    return spans.agg(value.min().alias(_LEAST), value.max().alias(_MOST))


def _differ(one: str, other: str) -> pl.Expr:
    """Whether two columns differ by more than rounding; infinite values do not from themselves."""
    gap, size = (pl.col(one) - pl.col(other)).abs(), pl.max_horizontal(pl.col(one).abs(), pl.lit(1.0))
    return (pl.col(one) != pl.col(other)) & (gap > 1e-9 * size)
