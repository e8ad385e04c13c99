"""When a result of tables that were read in parts is the result in memory, and how many parts there were."""

from __future__ import annotations

import math
import re
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import polars as pl
from hypothesis import assume, currently_in_test_context
from hypothesis import strategies as st

import steelyard as sy
from steelyard.engine.batches import Split

from ..partial import agreement
from ..partial.agreement import assert_agree, evaluated

BYTES_OF_A_ROW = 440  # of the bound: a part takes a quarter of it, and a row 110 bytes
# The column of each value of tables that are mappings.
VALUES = {"truth": "relevance", "history": "count", "weights": "weight", "by": "country"}
LISTS = ("predictions", "baseline_lists")


@contextmanager
def counted():
    """The number of parts of each pass, as they are read."""
    passes = []
    read = Split.parts

    def parts(split):
        passes.append(0)
        for part in read(split):
            passes[-1] += 1
            yield part

    with patch.object(Split, "parts", parts):
        yield passes


def memory_of(rows):
    """The bound under which a part has so many rows."""
    return rows * BYTES_OF_A_ROW


def sizes(call):
    """How many rows a part has, so that there are several parts and no query is too large for one."""
    predictions = frame_of("predictions", call["predictions"])
    longest = 1
    if "query" in predictions.columns and predictions.height:
        longest = predictions["query"].value_counts()["count"].max()
    least = math.ceil(longest / 4)
    return st.integers(least, max(least, predictions.height // 2))


def frame_of(role, table):
    """A mapping as a frame, in the order of its entries."""
    if not isinstance(table, dict):
        return table
    if role in LISTS:
        rows = [(query, item, rank) for query, shown in table.items() for rank, item in enumerate(shown, 1)]
        return pl.DataFrame(rows, schema=["query", "item", "rank"], orient="row")
    value = VALUES[role]
    if role in ("weights", "by"):
        return pl.DataFrame({"query": [*table], value: [*table.values()]})
    rows = [(query, item, n) for query, items in table.items() for item, n in items.items()]
    return pl.DataFrame(rows, schema=["query", "item", value], orient="row")


@contextmanager
def written(call):
    """The same call with a Parquet file for each table of rows or queries."""
    with TemporaryDirectory(prefix="batches") as folder:
        files = dict(call)
        for role, table in call.items():
            if isinstance(table, pl.DataFrame) or (isinstance(table, dict) and role in (*LISTS, *VALUES)):
                files[role] = Path(folder) / f"{role}.parquet"
                frame_of(role, table).write_parquet(files[role])
        yield files


def check(call, metrics, rows, *, refusable=False, same_error=True, **options):
    """Whether parts of so many rows give the result of the same files in memory.

    ``refusable`` says that all data may be an error; then parts must be one too, by default the same.
    """
    rules = {"refusable": refusable, "same_error": same_error}
    with written(call) as files, patch.object(agreement, "rendered", of_notes):
        _check(files, list(metrics), rows, rules, **options)


def of_notes(notes):
    """Notes as text, without the examples that depend on which row is the first."""
    return [
        re.sub(
            r"^unit \d+ ", "unit … ", re.sub(r"items such as '.*' against '.*';", "items …;", one.render())
        )
        for one in notes
    ]


def _check(files, metrics, rows, rules, **options):
    refusable, same_error = rules.values()
    right = evaluated(files, metrics, **options)
    if isinstance(right, sy.SteelyardError) and len(metrics) > 1 and refusable:
        for metric in metrics:  # the others have values
            _check(files, [metric], rows, rules, **options)
        return
    with counted() as passes:
        found = evaluated(files, metrics, memory=memory_of(rows), **options)
    if isinstance(right, sy.SteelyardError):
        if not refusable:
            raise right
        assert isinstance(found, sy.SteelyardError), f"{metrics} are refused in memory only: {right}"
        if same_error:
            assert found.sentence == right.sentence, metrics
        return
    if isinstance(found, sy.SteelyardError):
        # squares that are too small for a number in one part may not be in the sum of all
        assume("so small that their squares are 0" not in found.sentence)
        raise found
    assert passes, "the tables were read in memory"
    if currently_in_test_context():
        assume(min(passes) > 1)
    assert min(passes) > 1
    assert_agree(found, right, approximate=())
