"""Columns that nobody asked for, and that look as if they were meant."""

from __future__ import annotations

import polars as pl

from steelyard.messages.errors import SteelyardError
from steelyard.read import ALIASES, Table, folded

_ROWS = 10_000


def likely_probability(table: Table) -> str | None:
    """The first column of no known role whose first values are fractions in [0, 1], three or more of them."""
    peek = table.sources[0].peek if table.sources else None
    known = frozenset[str]().union(*(names for role, names in ALIASES.items() if role != "score"))
    claimed = {*table.roles.values(), *table.extra.columns}
    free = (
        [c for c in table.sources[0].columns if c not in claimed and folded(c) not in known] if peek else []
    )
    if peek is None or not free:
        return None
    try:
        first = peek(free, _ROWS)
    except SteelyardError:  # a column that nobody asked for may be unreadable
        return None
    return next((values.name for values in first if _are_probabilities(values)), None)


def _are_probabilities(values: pl.Series) -> bool:
    if not (values.dtype.is_float() or values.dtype == pl.String):
        return False
    numbers = values.cast(pl.Float64, strict=False)
    if numbers.null_count() or not numbers.is_between(0, 1).all():
        return False
    return numbers.n_unique() > 2
