"""Anything people keep predictions and truth in, as canonical Polars columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.errors import opening, reading
from steelyard.read import arrays, files, frames, load, mappings, roles
from steelyard.read.arrays import is_matrix
from steelyard.read.ids import reconcile
from steelyard.read.roles import Finder
from steelyard.read.table import Part, Source, Table

__all__ = [
    "Part",
    "Table",
    "check_columns",
    "is_matrix",
    "labelled",
    "matrices",
    "pairs",
    "predictions",
    "query_weights",
    "reconcile",
    "truth",
    "weight_column",
]

Columns = Mapping[str, str] | None


def predictions(
    source: Any, *, columns: Columns = None, extra: Sequence[str] = (), orders: Collection[str] = ("default",)
) -> Table:
    """What the model said: query, item, and the score (or the rank) that orders the items."""
    name, sources = _sources(source, "predictions", "predictions")

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "item": finder.need("item")}
        if one.listed:
            for order in {"score", "rank"} & set(orders):
                raise reading.lists_without(one.name, order)
            return found
        return found | roles.order_roles(finder, orders)

    return load.table(name, sources, needed, kind="predictions", columns=columns, extra=extra)


def truth(source: Any, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    """What was true: query, item and its grade; without a grade column every row has grade 1."""
    name, sources = _sources(source, "truth", "truth")

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "item": finder.need("item")}
        # without grades every row counts the same; but a slip of the pen is no such table
        relevance = finder.find("relevance")
        if relevance is None and finder.near("relevance"):
            finder.need("relevance")
        return found | ({"relevance": relevance} if relevance else {})

    table = load.table(name, sources, needed, kind="truth", columns=columns, extra=extra)
    return table if "relevance" in table.frame.columns else _all_relevant(table)


def labelled(
    source: Any, *, columns: Columns = None, extra: Sequence[str] = (), orders: Collection[str] = ("default",)
) -> Table:
    """One table with the labels inside: query, label and score, with or without item ids."""
    name, sources = _sources(source, "labelled", "predictions")

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        also = "; or give the truth as a table of its own (--truth FILE)"
        found = {"query": finder.need("query"), "relevance": finder.need("relevance", also=also)}
        item = finder.find("item")
        return found | ({"item": item} if item else {}) | roles.order_roles(finder, orders)

    return load.table(name, sources, needed, kind="predictions", columns=columns, extra=extra, alone=True)


def pairs(source: Any, *, columns: Columns = None, name: str = "exclude") -> Table:
    """Pairs of query and item, such as what each user saw before; there may be none."""
    shown, given = _sources(source, "exclude", name)
    nothing = mappings.source_of({}, shown, "exclude")
    sources = [one if one.columns or one.load([]).height else nothing for one in given]

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        return {"query": finder.need("query"), "item": finder.need("item")}

    return load.table(shown, sources, needed, kind="exclude", columns=columns, may_be_empty=True)


def query_weights(source: Any, *, columns: Columns = None, name: str = "weights") -> Table:
    """How much each query counts in the mean: query and weight, or ``{query: weight}``."""
    shown, sources = _sources(source, "weights", name)

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        return {"query": finder.need("query"), "weight": finder.need("weight")}

    return load.table(shown, sources, needed, kind="weights", columns=columns)


def matrices(scores: Any, labels: Any) -> tuple[Table, Table]:
    """Two matrices of one shape, rows are queries and columns are items, as predictions and truth."""
    said, true = arrays.sources(scores, labels)
    return predictions(said), truth(true)


def weight_column(columns: Columns) -> str | None:
    """The column that the user named as the weight of queries."""
    return next((name for (_, role), name in roles.parse(columns).items() if role == "weight"), None)


def check_columns(columns: Columns, *tables: Table, extra: Sequence[str] = ()) -> None:
    """Refuse a column that was asked for by name and is in none of the tables."""
    known = list(dict.fromkeys(column for table in tables for column in table.columns))
    where = list(dict.fromkeys(table.name for table in tables))
    wanted = [
        (f"{owner}.{role}" if owner else role, name) for (owner, role), name in roles.parse(columns).items()
    ]
    for key, name in [*wanted, *(("a further column", name) for name in extra)]:
        if name not in known:
            raise reading.named_column_missing(where, key, name, known)


def _all_relevant(table: Table) -> Table:
    note = f"{table.name} has no relevance column: every row counts as grade 1"
    return Table(
        frame=table.frame.with_columns(pl.lit(1.0).alias("relevance")),
        extra=table.extra,
        name=table.name,
        untyped=table.untyped,
        listed=table.listed,
        notes=(*table.notes, note),
        columns=table.columns,
        parts=table.parts,
    )


def _sources(source: Any, kind: str, name: str) -> tuple[str, list[Source]]:
    if isinstance(source, Source):
        return name, [source]
    if isinstance(source, str | os.PathLike) or _is_list_of_paths(source):
        shown, found = files.paths(source)
        return shown, [files.open_file(each, path, kind) for each, path in found]
    if isinstance(source, Mapping):
        return name, [mappings.source_of(source, name, kind)]
    in_memory = frames.source_of(source, name)
    if in_memory is not None:
        return name, [in_memory]
    if is_matrix(source):
        raise opening.lone_matrix(name)
    raise opening.unsupported_object(name, type(source).__name__)


def _is_list_of_paths(source: object) -> bool:
    return isinstance(source, list | tuple) and all(isinstance(one, str | os.PathLike) for one in source)
