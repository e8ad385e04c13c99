"""What is said where one table seems to hold the lists of several systems, which would be read as one."""

from __future__ import annotations

import polars as pl

from steelyard.messages import Message, in_quotes, say
from steelyard.messages.errors import SteelyardError
from steelyard.read import Table, folded

_NAMES = "system system_id system_name model model_id model_name run run_id run_name run_tag tag"
_SYSTEMS = frozenset(folded(name) for name in _NAMES.split())
_ROWS = 50_000  # the first rows are looked at: enough to tell, and no time lost on large tables
_SHOWN = 3
_FEW = 20  # more values than that are more likely of the items, as the models of a car


def system_notes(table: Table) -> tuple[Message, ...]:
    """A note where a column that is named as systems are has several values within a query."""
    named = [c for c in table.columns if folded(c) in _SYSTEMS and c not in table.roles.values()]
    for column in named:
        first = _first_rows(table, column)
        if first is None:
            continue
        values = first["system"].unique(maintain_order=True)
        within = first.group_by("query").agg(pl.col("system").n_unique())
        if 1 < len(values) <= _FEW and (within["system"] > 1).any():
            quotes = [in_quotes(value) for value in values.head(_SHOWN)]
            return (
                say(
                    "column '{column}' has several values within a query ({values}), whose rows are one "
                    "list here: if they are systems, evaluate one at a time, each from a file or frame of "
                    "its own.",
                    key="several_systems",
                    column=column,
                    values=say("{items:and}, …" if len(values) > _SHOWN else "{items:and}", items=quotes),
                ),
            )
    return ()


def _first_rows(table: Table, column: str) -> pl.DataFrame | None:
    """The first rows of each source as ``query`` and ``system``; None where they cannot be had at once."""
    wanted = [table.roles.get("query", ""), column]
    pieces = []
    for source in table.sources:
        if source.peek is None or not all(name in source.columns for name in wanted):
            return None
        try:
            first = source.peek(wanted, _ROWS)
        except SteelyardError:  # a column that nobody asked for may be unreadable
            return None
        if any(kind.is_nested() or kind == pl.Object for kind in first.dtypes):
            return None
        query, system = (first[name].cast(pl.String) for name in wanted)
        pieces.append(pl.DataFrame({"query": query, "system": system}).drop_nulls())
    return pl.concat(pieces) if pieces else None
