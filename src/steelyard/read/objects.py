"""Python objects as a column: plain values of one kind, or an error that names the column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from steelyard.messages.errors import reading

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
    if isinstance(values, list | tuple) and _holds_complex(values):
        raise reading.mixed_column(name=name, column=column, types=kinds_of(values))
    try:
        found = pl.Series(column, values, strict=False)
    except REFUSALS:
        raise reading.mixed_column(name=name, column=column, types=kinds_of(values)) from None
    # Polars makes null of a whole number that no type of it can hold
    lost = found.is_null().arg_true() if found.null_count() and isinstance(values, list | tuple) else ()
    if any(isinstance(values[row], int) for row in lost):
        raise reading.huge_integers(name, column)
    return found


def _holds_complex(values: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a part of some number would be lost."""
    return any(issubclass(kind, complex | np.complexfloating) for kind in set(map(type, values)))


def kinds_of(values: Iterable[Any]) -> list[str]:
    """The types of values by name, nulls apart."""
    return sorted({kind.__name__ for kind in set(map(type, values))} - {"NoneType"})
