"""Several systems in one table: the column that tells apart rows which name one query and item."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.errors import SteelyardError
from steelyard.read import ALIASES, Table, folded

_SYSTEMS = (
    "system system_id system_name model model_id model_name run run_id run_name run_tag tag method "
    "algorithm algo variant experiment experiment_id arm version seed fold"
)
_NAMES = frozenset(folded(name) for name in _SYSTEMS.split())
_FEW = 20


def telling_apart(table: Table, keys: Sequence[str], rows: pl.Series) -> tuple[str, list[object]] | None:
    """The column with whose values the doubled ``rows`` are doubled no more, and some of its values.

    A column called by a name of systems is taken as it is, any other only where it has few values: a time or
    a number of the row tells rows apart as well, and is no system.
    """
    roles = frozenset[str]().union(*ALIASES.values())
    free = [c for c in table.columns if c not in table.roles.values() and folded(c) not in roles]
    again = table.frame.select(keys)[rows]
    for column in sorted(free, key=lambda name: folded(name) not in _NAMES):
        values = _values(table, column)
        if values is None or values.dtype.is_float() or values.dtype.is_nested():
            continue
        mine = values.gather(rows)
        distinct = mine.unique(maintain_order=True)
        few = folded(column) in _NAMES or len(distinct) <= min(_FEW, len(rows) // 2)
        if few and len(distinct) > 1 and not again.with_columns(mine.alias("by")).is_duplicated().any():
            return column, distinct.head(3).to_list()
    return None


def _values(table: Table, column: str) -> pl.Series | None:
    try:
        return table.column(column)
    except SteelyardError:  # a column that nobody asked for may be unreadable
        return None
