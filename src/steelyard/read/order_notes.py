"""What is said where the scores order lists otherwise than the rest of the table does."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import polars as pl

from steelyard.messages import Message, say
from steelyard.messages.errors import SteelyardError
from steelyard.read import Table, rank_column

_ROWS = 50_000  # the first rows are looked at: enough to tell, and no time lost on large tables
_SHOWN = pl.col("score").is_finite()  # a score of -inf is a mask
_STEPS = 4  # as many rising scores in a row are seldom chance


def order_notes(
    table: Table, orders: Collection[str], columns: Mapping[str, Any] | None, *, alone: bool
) -> tuple[Message, ...]:
    """Notes on lists that are ordered by their scores, though ranks or rows say otherwise."""
    if "score" not in table.frame.columns or not {"default", "score"} & set(orders):
        return ()
    try:
        rank = rank_column(table, columns, alone=alone)
        told = _against_ranks(table, rank) if rank else ()
    except SteelyardError:  # a column that nobody asked for may be unreadable
        told = ()
    return told or _rising(table)


def _against_ranks(table: Table, rank: str) -> tuple[Message, ...]:
    """How many lists stand otherwise by rank than by score."""
    peek = table.sources[0].peek
    if peek is None:
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
    return (
        say(
            "column '{column}' orders {lists} otherwise than the scores, which count; "
            "order=rank takes the ranks.",
            key="ranks_against_scores",
            column=rank,
            lists=_of(against, lists.height, table),
        ),
    )


def _rising(table: Table) -> tuple[Message, ...]:
    """How many lists have their lowest score first and rise from row to row, as distances do."""
    rows = table.frame.select("query", "score").head(_ROWS).filter(_SHOWN)
    lists = _lists(rows.sort("query", maintain_order=True)).filter(pl.col("rows") > 2)
    rising = lists.filter(pl.col("rises") == pl.col("rows") - 1)
    if 2 * rising.height <= lists.height or (rising["rows"] - 1).sum() < _STEPS:
        return ()
    return (
        say(
            "the scores of {lists} rise from row to row, and the highest counts as best: if they are "
            "distances, give their negatives, or order=given for the order of rows.",
            key="rising_scores",
            lists=_of(rising.height, lists.height, table),
        ),
    )


def _lists(rows: pl.DataFrame) -> pl.DataFrame:
    """Of lists that stand one after the other: the rows of each, and the scores above the one before."""
    same = pl.col("query") == pl.col("query").shift()
    rises = (same & (pl.col("score") > pl.col("score").shift())).cast(pl.UInt32)
    return rows.with_columns(rises=rises).group_by("query").agg(pl.col("rises").sum(), rows=pl.len())


def _of(n: int, every: int, table: Table) -> Message:
    if table.frame.height > _ROWS:
        return say("{n:,} of the first {every:,} {every:list|lists}", key="first", n=n, every=every)
    return say("{n:,} of {every:,} {every:list|lists}", key="all", n=n, every=every)
