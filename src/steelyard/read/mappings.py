"""Dicts of queries: ``{query: {item: score}}``, ``{query: [item, …]}``, ``{query: value}``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import chain
from operator import methodcaller
from typing import Any

import numpy as np
import polars as pl

from steelyard.messages import Message, say
from steelyard.messages.errors import ColumnError, opening, reading
from steelyard.messages.errors.base import quoted
from steelyard.messages.errors.forms import lengths_differ
from steelyard.messages.errors.places import column_of, shown, value_at, word
from steelyard.read import frames
from steelyard.read.column_names import folded
from steelyard.read.roles import is_role
from steelyard.read.schema import EXACT
from steelyard.read.table import Part, Source

SLICE = "slice"  # the column that {query: value} is sliced by
_LISTS = (list, tuple, np.ndarray)
_SETS = (set, frozenset)
_NUMBERED = {"predictions": "score", "usual": "score", "history": "count"}  # else relevance
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)


def source_of(data: Mapping[Any, Any], name: str, table: str) -> Source:
    """A dict as a source of columns; ``table`` says what its numbers mean."""
    if not data and table != "exclude":
        raise opening.no_rows(name=name)
    queries, values = list(data), list(data.values())
    if table == "by":
        return _known(queries, values, data, name)
    if table == "labelled":
        return Source.of(columns_of(data, name), name)
    if table == "weights":
        keys = _ids(queries, "query", name).to_frame()
        return Source.of(keys.with_columns(_numbers(values, "weight", keys, name)), name, keys=keys)
    kinds = set(map(type, values))
    if {kind for kind in kinds if hasattr(kind, "to_list")}:  # a Series of Polars or pandas
        values = [value.to_list() if hasattr(value, "to_list") else value for value in values]
        kinds = set(map(type, values))
    if kinds <= {dict} or all(issubclass(kind, Mapping) for kind in kinds):
        return _of_queries(queries, values, name, table, nested=True)
    scalars = np.ndarray in kinds and any(isinstance(one, np.ndarray) and not one.ndim for one in values)
    if scalars or not all(issubclass(kind, (*_LISTS, *_SETS)) for kind in kinds):
        at, value = next(
            (i, v)
            for i, v in enumerate(values)
            if not isinstance(v, (*_LISTS, *_SETS)) or getattr(v, "ndim", 1) == 0
        )
        number = "score" if table == "predictions" else "grade"
        query, kind = shown(queries[at]), type(value).__name__
        raise reading.mapping_values(name=name, query=query, type=kind, number=number)
    if table == "predictions":
        unordered = next((i for i, value in enumerate(values) if isinstance(value, _SETS)), None)
        if unordered is not None:
            raise reading.unordered(name=name, query=shown(queries[unordered]))
        # a dict of columns has the form of a dict of lists
        named = all(map(is_role, queries)) and len(set(map(folded, queries))) > 1
        if named and len(set(map(len, values))) == 1:
            raise reading.mapping_of_columns(name=name, columns=quoted(queries))
    values = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    return _of_queries(queries, values, name, table, nested=False)


def columns_of(data: Mapping[Any, Any], name: str) -> pl.DataFrame:
    """A dict of columns as a frame; a dict of queries has no labels in it."""
    columns = {
        key: value
        for key, value in data.items()
        if isinstance(value, pl.Series)
        or frames.is_of(value, "pandas", "Series")
        or (isinstance(value, _LISTS) and getattr(value, "ndim", 1) > 0)
    }
    if not data or len(columns) < len(data) or not all(isinstance(key, str) for key in data):
        raise reading.mapping_without_labels(name=name)
    first = next(iter(columns))
    for key, value in columns.items():
        if len(value) != len(columns[first]):
            one, other = (say("values in {column}", column=column_of(one, name)) for one in (first, key))
            raise lengths_differ(
                one,
                other,
                (len(columns[first]), len(value)),
                remedy=say("give one value per row in each"),
                kind=ColumnError,
            )
    return pl.DataFrame([frames.series_of(key, value, name) for key, value in columns.items()])


def _of_queries(queries: list[Any], values: list[Any], name: str, table: str, *, nested: bool) -> Source:
    """A list of items of each query, or where ``nested`` a dict of items and numbers."""
    lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
    query = _ids(queries, "query", name).gather(np.repeat(np.arange(len(queries)), lengths))
    keys = pl.DataFrame([query, _ids(list(chain.from_iterable(values)), "item", name)])
    frame = keys
    if nested and table != "exclude":
        numbers = list(chain.from_iterable(map(methodcaller("values"), values)))
        frame = keys.with_columns(_numbers(numbers, _NUMBERED.get(table, "relevance"), keys, name))
    notes = nothing_judged(lengths, name) if table == "truth" and not lengths.all() else ()
    return Source.of(frame, name, listed=not nested and table == "predictions", keys=keys, notes=notes)


def _known(queries: list[Any], values: list[Any], data: Mapping[Any, Any], name: str) -> Source:
    """What is known of each query: one value, or a dict of columns."""
    kinds = set(map(type, values))
    held = {kind for kind in kinds if hasattr(kind, "__len__") and not issubclass(kind, str)}
    if not held:
        keys = _ids(queries, "query", name).to_frame()
        return Source.of(keys.with_columns(frames.series_of(SLICE, values, name)), name, keys=keys)
    if held < kinds or not all(issubclass(kind, (*_LISTS, pl.Series)) for kind in held):
        raise reading.mapping_to_slice_by(name=name)
    return Source.of(columns_of(data, name), name)


def nothing_judged(lengths: np.ndarray[Any, np.dtype[np.int64]], name: str) -> tuple[Message, ...]:
    """A note on queries of the truth that have an empty list."""
    if lengths.all():
        return ()
    said = say(
        "{table}: {n:,} {n:query has|queries have} nothing judged and cannot be evaluated.",
        key="nothing_judged_of_queries",
        table=name,
        n=int((lengths == 0).sum()),
    )
    return (said,)


def _ids(values: list[Any], role: str, name: str) -> pl.Series:
    kinds = set(map(type, values))
    try:
        if kinds == {str} or all(issubclass(kind, str) for kind in kinds):
            return pl.Series(role, values, dtype=pl.String)
        if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
            return _integers(values, role, name)
    except UnicodeEncodeError:
        raise reading.not_text(name=name, role=word(role)) from None
    ordered = sorted(kinds, key=lambda kind: kind.__name__)
    examples = [next(value for value in values if type(value) is kind) for kind in ordered]
    if len(kinds) == 1:
        raise reading.id_type(value_at(name, role, role), role, ordered[0].__name__, examples[0])
    raise reading.mixed_ids(name, role, [kind.__name__ for kind in ordered], examples)


def _integers(values: list[Any], role: str, name: str) -> pl.Series:
    for kind in (pl.Int64, pl.UInt64):
        try:
            return pl.Series(role, values, dtype=kind)
        except (TypeError, OverflowError):
            continue
    raise reading.id_too_large(value_at(name, role, role), max(values, key=abs))


def _numbers(values: list[Any], role: str, keys: pl.DataFrame, name: str) -> pl.Series:
    """Numbers as 64-bit floats; an integer must stay what it is."""
    kinds = set(map(type, values))
    part = Part(name=name, height=keys.height, keys=keys)
    flags = role == "relevance"
    if not (
        kinds <= {int, float}
        or all(issubclass(one, _NUMBERS) and (one is not bool or flags) for one in kinds)
    ):
        odd = ((i, v) for i, v in enumerate(values) if not isinstance(v, _NUMBERS) or isinstance(v, bool))
        row, value = next(odd)
        if value is None:
            raise reading.missing_value(part.cell(row, role, role))
        raise reading.wrong_type(part.cell(row, role, role), value, type(value).__name__)
    try:
        floats = np.fromiter(values, dtype=np.float64, count=len(values))
    except OverflowError:
        row = next(i for i, v in enumerate(values) if isinstance(v, int) and abs(v) > sys.float_info.max)
        raise reading.inexact_number(part.cell(row, role, role), values[row]) from None
    large = np.flatnonzero(np.abs(floats) >= EXACT) if kinds != {float} else ()
    for row in map(int, large):
        # Python compares an integer with a float exactly.
        if isinstance(values[row], int | np.integer) and int(values[row]) != float(floats[row]):
            raise reading.inexact_number(part.cell(row, role, role), values[row])
    return pl.Series(role, floats)
