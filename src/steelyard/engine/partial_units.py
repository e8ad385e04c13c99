"""The units of rows that are reduced in parts, and groups of units where there are very many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.engine.influence import Units
from steelyard.kernels.draws import stream_keys, unit_keys
from steelyard.kernels.group import distinct

MOST_UNITS = 1_000_000  # that are kept one by one; more are put into buckets
BUCKETS = 16_384


def used_units(units: Units) -> Units:
    if units.code is None or units.names is None or units.buckets:
        return units
    used, code = distinct(units.code)
    return units if len(used) == units.n else replace(units, n=len(used), code=code, names=units.names[used])


def in_buckets(units: Units | None, truth: NDArray[Any], *, many_units: bool = False) -> Units:
    """The units of rows; where rows are units, or units are too many, the buckets of a hash.

    Rows have no names: their numbers are mixed with what is true of them, so that parts in the same order
    do not put their rows into the same buckets, and two systems on the same rows do.
    """
    if units is not None and (units.buckets or (units.n <= MOST_UNITS and not many_units)):
        return units
    if units is None:
        keys = stream_keys(
            crc32(np.ascontiguousarray(truth).tobytes()), np.arange(len(truth), dtype=np.uint64)
        )
    else:
        keys = unit_keys(cast("pl.Series", units.names))
    bucket = (keys % np.uint64(BUCKETS)).astype(np.int64)
    code = bucket if units is None or units.code is None else bucket[units.code]
    names = "bucket " + pl.Series(np.arange(BUCKETS)).cast(pl.String)
    return Units(
        n=BUCKETS, code=code, names=names, column=None if units is None else units.column, buckets=True
    )
