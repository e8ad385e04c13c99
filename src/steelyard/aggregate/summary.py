"""From one value per query to one value per slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.aggregate.slices import RESULT_COLUMNS, Slices
from steelyard.arrays import Floats, Ints
from steelyard.metrics import RankingMetric
from steelyard.rank import Ranked


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One metric measured on one ranking: a value for every query."""

    label: str
    metric: RankingMetric
    ranked: Ranked
    values: Floats
    weights: Floats | None = None  # of the queries, where they do not count alike


def summarise(measured: Sequence[Measured], slices: Slices | None) -> pl.DataFrame:
    """A tidy frame: slice columns, metric, value, ci_low, ci_high, n, undefined; the whole comes first."""
    columns = slices.columns if slices is not None else ()
    schema = dict.fromkeys(columns, pl.String)
    parts = []
    for one in measured:
        everything = np.zeros(len(one.values), np.int64)
        whole = _rows(one, everything, 1)
        parts.append(whole.with_columns(pl.lit(None, pl.String).alias(name) for name in columns))
        if slices is not None:
            codes = slices.codes(one.ranked.queries)
            sliced = _rows(one, codes, slices.labels.height)
            labelled = pl.concat([slices.labels, sliced], how="horizontal")
            inhabited = np.bincount(codes, minlength=slices.labels.height) > 0
            parts.append(labelled.filter(pl.Series(inhabited)))
    order = [*schema, *RESULT_COLUMNS]
    return pl.concat([part[order] for part in parts])


def _rows(one: Measured, segment: Ints, n: int) -> pl.DataFrame:
    counted = np.ones(len(segment), bool) if one.weights is None else one.weights > 0
    undefined = np.isnan(one.values)
    return pl.DataFrame(
        {
            "metric": [one.label] * n,
            "value": one.metric.summarise(one.ranked, one.values, segment, n, one.weights),
            "ci_low": pl.Series([None] * n, dtype=pl.Float64),
            "ci_high": pl.Series([None] * n, dtype=pl.Float64),
            "n": np.bincount(segment[counted & ~undefined], minlength=n),
            "undefined": np.bincount(segment[counted & undefined], minlength=n),
        }
    )
