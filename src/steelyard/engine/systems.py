"""Several systems in one table: the column that tells apart rows which name one query and item."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from steelyard.messages.errors import SteelyardError
from steelyard.read import ALIASES, Table, folded

_SYSTEMS = (
    "system system_id system_name model model_id model_name run run_id run_name run_tag tag method "
    "algorithm algo variant experiment experiment_id arm version seed fold"
)
_NAMES = frozenset(folded(name) for name in _SYSTEMS.split())
_FEW = 20
_FIRST_ROWS = 1000


def telling_apart(table: Table, keys: Sequence[str], rows: pl.Series) -> tuple[str, list[object]] | None:
    """The column with whose values the doubled ``rows`` are doubled no more, and some of its values.

    A column called by a name of systems is taken as it is, any other only where it has few values: a time or
    a number of the row tells rows apart as well, and is no system.
    """
    again = table.frame.select(keys)[rows]
    for column, values in _readable(table.as_they_came, _likely(table)).items():
        if not _may_name(values):
            continue
        mine = values.gather(rows)
        distinct = mine.unique(maintain_order=True)
        few = folded(column) in _NAMES or len(distinct) <= min(_FEW, len(rows) // 2)
        if few and len(distinct) > 1 and not again.with_columns(mine.alias("by")).is_duplicated().any():
            return column, distinct.head(3).to_list()
    return None


def _likely(table: Table) -> list[str]:
    """The columns of no role, those called by a name of systems first, without those of many values."""
    roles = frozenset[str]().union(*ALIASES.values())
    free = [c for c in table.columns if c not in table.roles.values() and folded(c) not in roles]
    named = [c for c in free if folded(c) in _NAMES]
    others = [c for c in free if c not in named]
    peek = table.sources[0].peek if table.sources else None
    if peek is None:
        return [*named, *others]
    there = [c for c in others if c in table.sources[0].columns]
    first = _readable(lambda columns: peek(columns, _FIRST_ROWS).to_dict(), there)
    return [*named, *(c for c, values in first.items() if _may_name(values) and values.n_unique() <= _FEW)]


def _may_name(values: pl.Series) -> bool:
    return not (values.dtype.is_float() or values.dtype.is_nested())


def _readable(
    read: Callable[[Sequence[str]], dict[str, pl.Series]], columns: Sequence[str]
) -> dict[str, pl.Series]:
    """The columns that can be read: all at once, or one by one where one that nobody asked for cannot be."""
    try:
        return read(columns) if columns else {}
    except SteelyardError:
        if len(columns) == 1:
            return {}
    return {name: values for column in columns for name, values in _readable(read, [column]).items()}
