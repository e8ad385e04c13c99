"""From values of queries, or of rows, to one tidy table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.measure.slices import CLASS_COLUMNS, RESULT_COLUMNS, RowSlices, Slices
from steelyard.metrics import LabelledMetric, RankingMetric
from steelyard.rank import Ranked
from steelyard.read.table import exactly
from steelyard.states import Class, Segmented


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One metric measured on one ranking: a value for every query."""

    label: str
    metric: RankingMetric
    ranked: Ranked
    values: Floats
    weights: Floats | None = None  # of the queries, where they do not count alike

    @property
    def counted(self) -> Flags:
        """Which queries count: one of weight 0 does not."""
        return np.ones(len(self.values), bool) if self.weights is None else self.weights > 0


@dataclass(frozen=True, kw_only=True)
class RowMeasured:
    """One metric measured on labelled rows: the whole, and every slice, in one pass each."""

    label: str
    metric: LabelledMetric
    state: Segmented  # all rows in one segment
    whole: Floats
    sliced: tuple[Segmented, Floats] | None = None
    thresholded: bool = False  # whether a threshold decided which class was predicted
    per_group: Callable[[], tuple[pl.Series, Floats]] | None = None  # of a mean over groups
    group_names: Callable[[], tuple[pl.Series, Ints]] | None = None  # and the numbers the state knows them by

    @property
    def entries(self) -> list[tuple[Class, ...]]:
        """What each value stands for, where there are several."""
        return self.metric.entries(self.state)


def summarise(
    measured: Sequence[Measured | RowMeasured], slices: Slices | None, row_slices: RowSlices | None = None
) -> pl.DataFrame:
    """A tidy frame: slice columns, metric, value, ci_low, ci_high, n, undefined; the whole comes first.

    Where a metric has a value per class there also are the columns ``class`` and ``predicted``.
    """
    return tidy(
        [
            _of_rows(one, row_slices) if isinstance(one, RowMeasured) else _of_queries(one, slices)
            for one in measured
        ],
        slices or row_slices,
    )


def tidy(parts: Sequence[pl.DataFrame], slices: Slices | RowSlices | None) -> pl.DataFrame:
    """The rows of all metrics, with only the class columns that some metric fills."""
    by = list(slices.columns) if slices is not None else []
    whole = pl.concat(parts, how="diagonal_relaxed") if parts else pl.DataFrame()
    used = [name for name in RESULT_COLUMNS if name in whole.columns]
    return whole.select(exactly([*by, *used]))


def _of_queries(one: Measured, slices: Slices | None) -> pl.DataFrame:
    everything = np.zeros(len(one.values), np.int64)
    whole = _query_rows(one, everything, 1)
    if slices is None:
        return whole
    codes = slices.codes(one.ranked.queries)
    n = slices.labels.height
    labelled = pl.concat([slices.labels, _query_rows(one, codes, n)], how="horizontal")
    inhabited = np.bincount(codes, minlength=n) > 0
    return _under(whole, labelled.filter(pl.Series(inhabited)), slices.columns)


def _of_rows(one: RowMeasured, slices: RowSlices | None) -> pl.DataFrame:
    whole = _value_rows(one, one.state, one.whole)
    if slices is None or one.sliced is None:
        return whole
    values = _value_rows(one, *one.sliced)
    each = max(1, len(one.entries))
    labels = slices.labels.select(pl.all().repeat_by(each).explode()) if each > 1 else slices.labels
    return _under(whole, pl.concat([labels, values], how="horizontal"), slices.columns)


def _under(whole: pl.DataFrame, sliced: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    nowhere = [pl.lit(None, pl.String).alias(name) for name in columns]
    return pl.concat([whole.with_columns(nowhere).select(exactly(sliced.columns)), sliced])


def _query_rows(one: Measured, segment: Ints, n: int) -> pl.DataFrame:
    counted, undefined = one.counted, np.isnan(one.values)
    return _frame(
        one.label,
        one.metric.summarise(one.ranked, one.values, segment, n, one.weights),
        np.bincount(segment[counted & ~undefined], minlength=n),
        np.bincount(segment[counted & undefined], minlength=n),
    )


def _value_rows(one: RowMeasured, state: Segmented, values: Floats) -> pl.DataFrame:
    n, undefined = one.metric.covered(state, values)
    frame = _frame(one.label, values.reshape(-1), n.reshape(-1), undefined.reshape(-1))
    entries = one.entries
    if not entries:
        return frame
    columns = [
        pl.Series(name, [str(entry[at]) for entry in entries] * len(values), dtype=pl.String)
        for at, name in enumerate(CLASS_COLUMNS[: len(entries[0])])
    ]
    return frame.with_columns(columns)


def _frame(label: str, values: Floats, n: Ints, undefined: Ints) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "metric": pl.repeat(label, len(values), dtype=pl.String, eager=True),
            "value": values,
            "ci_low": pl.repeat(None, len(values), dtype=pl.Float64, eager=True),
            "ci_high": pl.repeat(None, len(values), dtype=pl.Float64, eager=True),
            "n": n.astype(np.int64),
            "undefined": undefined.astype(np.int64),
        }
    )
