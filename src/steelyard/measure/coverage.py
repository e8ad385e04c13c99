"""How many groups a mean over groups rests on, slice by slice."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.measure.slices import RowSlices
from steelyard.measure.summary import Measured, RowMeasured
from steelyard.messages import say
from steelyard.messages.errors import reading
from steelyard.metrics import GAUC
from steelyard.states import Scored, Segmented

COVERAGE = ("used", "all_positive", "all_negative", "share_of_rows")


def group_coverage(measured: Sequence[Measured | RowMeasured], slices: RowSlices | None) -> pl.DataFrame:
    """A tidy frame: slice columns, metric and what it rests on; a row for the whole, then one per slice."""
    by = slices.columns if slices is not None else ()
    for name in by:
        if name in COVERAGE:
            raise reading.repeated_column(name=say("the table of groups"), column=name)
    parts = []
    for one in measured:
        if not isinstance(one, RowMeasured) or not isinstance(one.metric, GAUC):
            continue
        nowhere = [pl.lit(None, pl.String).alias(name) for name in by]
        parts.append(_rows(one, one.metric, one.state).select(*nowhere, pl.all()))
        if slices is not None and one.sliced is not None:
            parts.append(pl.concat([slices.labels, _rows(one, one.metric, one.sliced[0])], how="horizontal"))
    return pl.concat(parts) if parts else pl.DataFrame()


def _rows(one: RowMeasured, metric: GAUC, state: Segmented) -> pl.DataFrame:
    assert isinstance(state, Scored)
    found = metric.coverage(state)
    return pl.DataFrame(
        {
            "metric": pl.repeat(one.label, len(found.used), dtype=pl.String, eager=True),
            **dict(zip(COVERAGE, found, strict=True)),
        }
    )
