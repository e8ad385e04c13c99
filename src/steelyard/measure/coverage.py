"""How many groups a mean over groups rests on, slice by slice."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.measure.measured import Measured
from steelyard.messages import say
from steelyard.messages.errors import reading

COVERAGE = ("used", "all_positive", "all_negative", "share_of_rows")


def group_coverage(measured: Sequence[Measured], by: Sequence[str]) -> pl.DataFrame:
    """A tidy frame: slice columns, metric and what it rests on; a row for the whole, then one per slice."""
    parts = []
    for one in measured:
        if one.rests_on is None:
            continue
        for name in by:
            if name in one.rests_on.columns:
                raise reading.repeated_column(name=say("the table of groups"), column=name)
        names = pl.DataFrame({name: [None] for name in by}, schema=dict.fromkeys(by, pl.String))
        if one.slices is not None:
            names = pl.concat([names, one.slices])
        label = pl.repeat(one.label, one.rests_on.height, dtype=pl.String, eager=True).alias("metric")
        parts.append(pl.concat([*([names] if by else []), label.to_frame(), one.rests_on], how="horizontal"))
    return pl.concat(parts) if parts else pl.DataFrame()
