"""Notes on tables that seem to be something else than they were given as."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.messages import Message, in_quotes, say
from steelyard.messages.errors import SteelyardError, reading
from steelyard.read.column_names import folded
from steelyard.read.files import is_there
from steelyard.read.roles import Finder
from steelyard.read.sources import given, is_matrix
from steelyard.read.table import Table

ONE_OBJECT = say("predictions and truth are one object: every value is its own prediction.", key="one_object")
_NAMES = "system system_id system_name model model_id model_name run run_id run_name run_tag tag"
_SYSTEMS = frozenset(folded(name) for name in _NAMES.split())
_RANKS = ("rank", "ranking")
_MOST_NAMED = 3
_FEW = 20  # more values than that are more likely of the items, as the models of a car
_ROWS = 50_000  # the first rows are looked at: enough to tell, and no time lost on large tables
_SHOWN = pl.col("score").is_finite()  # a score of -inf is a mask
_STEPS = 4  # as many rising scores in a row are seldom chance


def read_from_one(predictions: Any, truth: Any, said: Table, true: Table) -> tuple[Message, ...]:
    """A note where one mapping or matrix is both tables; one column that is score and label is refused."""
    predictions, truth = given(predictions), given(truth)
    paths = isinstance(predictions, str | os.PathLike) and isinstance(truth, str | os.PathLike)
    if truth is None or not (predictions is truth or (paths and _is_one_file(predictions, truth))):
        return ()
    if isinstance(truth, Mapping) or is_matrix(truth):
        return (ONE_OBJECT,)
    label = "label" if "label" in true.roles else "relevance"
    for role in ("score", "predicted", "probability"):
        if role in said.roles and said.roles[role] == true.roles.get(label):
            raise reading.label_used_twice(said.name, said.roles[role], label, role)
    return ()


def _is_one_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    mine, theirs = Path(one), Path(other)
    return is_there(mine) and is_there(theirs) and mine.is_file() and mine.samefile(theirs)


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
            quotes = [in_quotes(value) for value in values.head(_MOST_NAMED)]
            said = say(
                "column '{column}' has several values within a query ({values}), whose rows are one "
                "list here: if they are systems, evaluate one at a time, each from a file or frame of "
                "its own.",
                key="several_systems",
                column=column,
                values=say("{items:and}, …" if len(values) > _MOST_NAMED else "{items:and}", items=quotes),
            )
            return (said,)
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


def order_notes(
    table: Table, orders: Collection[str], columns: Mapping[str, Any] | None, *, alone: bool
) -> tuple[Message, ...]:
    """Notes on lists that are ordered by their scores, though ranks or rows say otherwise."""
    if "score" not in table.frame.columns or not {"default", "score"} & set(orders):
        return ()
    told: tuple[Message, ...] = ()
    if columns or [name for name in table.columns if folded(name) in _RANKS]:
        with suppress(SteelyardError):  # a column that nobody asked for may be unreadable
            told = _against_ranks(table, columns, alone=alone)
    return told or _rising(table)


def _against_ranks(table: Table, columns: Mapping[str, Any] | None, *, alone: bool) -> tuple[Message, ...]:
    """How many lists stand otherwise by rank than by score; a position may be where a row was shown."""
    finder, peek = Finder(table.sources[0], "predictions", columns, alone=alone), table.sources[0].peek
    rank = finder.only("rank")
    if rank is None or peek is None or not (finder.chosen("rank") or folded(rank) in _RANKS):
        return ()
    names = {"query": table.roles["query"], "score": table.roles["score"], "rank": rank}
    first = peek(list(dict.fromkeys(names.values())), _ROWS)
    if not (first.schema[rank].is_numeric() or first.schema[rank] == pl.String):
        return ()
    score, place = (first[names[role]].cast(pl.Float64, strict=False) for role in ("score", "rank"))
    rows = pl.DataFrame({"query": first[names["query"]], "score": score, "rank": place}).drop_nulls()
    lists = _lists(rows.filter(_SHOWN).sort("query", "rank", -pl.col("score"))).filter(pl.col("rows") > 1)
    against = lists.filter(pl.col("rises") > 0).height
    if not against:
        return ()
    said = say(
        "column '{column}' orders {lists} otherwise than the scores, which count; "
        "order=rank takes the ranks.",
        key="ranks_against_scores",
        column=rank,
        lists=_of(against, lists.height, table),
    )
    return (said,)


def _rising(table: Table) -> tuple[Message, ...]:
    """How many lists have their lowest score first and rise from row to row, as distances do."""
    if table.frame.height <= _STEPS:
        return ()
    rows = table.frame.select("query", "score").head(_ROWS).filter(_SHOWN)
    lists = _lists(rows.sort("query", maintain_order=True)).filter(pl.col("rows") > 2)
    rising = lists.filter(pl.col("rises") == pl.col("rows") - 1)
    if 2 * rising.height <= lists.height or (rising["rows"] - 1).sum() < _STEPS:
        return ()
    said = say(
        "the scores of {lists} rise from row to row, and the highest counts as best: if they are "
        "distances, give their negatives, or order=given for the order of rows.",
        key="rising_scores",
        lists=_of(rising.height, lists.height, table),
    )
    return (said,)


def _lists(rows: pl.DataFrame) -> pl.DataFrame:
    """Of lists that stand one after the other: the rows of each, and the scores above the one before."""
    same = pl.col("query") == pl.col("query").shift()
    rises = (same & (pl.col("score") > pl.col("score").shift())).cast(pl.UInt32)
    return rows.with_columns(rises=rises).group_by("query").agg(pl.col("rises").sum(), rows=pl.len())


def _of(n: int, every: int, table: Table) -> Message:
    if table.frame.height > _ROWS:
        return say("{n:,} of the first {every:,} {every:list|lists}", key="first", n=n, every=every)
    return say("{n:,} of {every:,} {every:list|lists}", key="all", n=n, every=every)
