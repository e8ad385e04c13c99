"""Python objects as a column: plain values of one kind, or an error that names the column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from steelyard.messages.errors import reading
from steelyard.messages.errors.places import word

# what Polars says of objects that it cannot hold; a panic prints its own words besides
REFUSALS = (
    TypeError,
    ValueError,
    OverflowError,
    ArithmeticError,
    AttributeError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)


def series_of(column: str, values: Any, name: str) -> pl.Series:
    """Values as a column of the table ``name``, numbers of several types as one."""
    if not isinstance(values, list | tuple):
        try:
            return pl.Series(column, values, strict=False)
        except REFUSALS:
            raise reading.not_numbers(
                role=word(column), type=str(getattr(values, "dtype", type(values)))
            ) from None
    plain = _with_nulls(values)
    if _differ(set(map(type, plain)) - {type(None)}):
        raise reading.mixed_column(name=name, column=column, types=kinds_of(plain))
    try:
        found = pl.Series(column, plain, strict=False)
    except REFUSALS:
        raise reading.mixed_column(name=name, column=column, types=kinds_of(plain)) from None
    # Polars makes null of a whole number that no type of it can hold
    lost = found.is_null().arg_true() if found.null_count() else ()
    if any(isinstance(plain[row], int) for row in lost):
        raise reading.huge_integers(name, column)
    return found


def _with_nulls(values: Sequence[Any]) -> Sequence[Any]:
    """Values with null for what pandas has instead of it: NA, NaT, and NaN beside text."""
    kinds = set(map(type, values))
    of_pandas = {kind for kind in kinds if kind.__name__ in ("NAType", "NaTType")}
    floats = {kind for kind in kinds if issubclass(kind, float)}
    if not (of_pandas or (floats and any(issubclass(kind, str) for kind in kinds))):
        return values
    return [
        None if type(value) in of_pandas or (type(value) in floats and math.isnan(value)) else value
        for value in values
    ]


def _differ(kinds: set[type]) -> bool:
    """Whether a part of some number would be lost, or text would become one with a number."""
    texts = {kind for kind in kinds if issubclass(kind, str)}
    is_complex = any(issubclass(kind, complex | np.complexfloating) for kind in kinds)
    return is_complex or bool(texts and texts != kinds)


def kinds_of(values: Iterable[Any]) -> list[str]:
    """The types of values by name, nulls apart."""
    return sorted({kind.__name__ for kind in set(map(type, values))} - {"NoneType"})
