"""Dicts of queries: ``{query: {item: score}}``, ``{query: [item, …]}``, ``{query: value}``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
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
_WHOLE = (int, np.integer)
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
        return _weights(queries, values, name)
    if any(hasattr(kind, "to_list") for kind in set(map(type, values))):  # a Series of Polars or pandas
        values = [value.to_list() if hasattr(value, "to_list") else value for value in values]
    kinds = set(map(type, values))
    if all(issubclass(kind, Mapping) for kind in kinds):
        return _nested(queries, values, name, table)
    scalars = np.ndarray in kinds and any(isinstance(one, np.ndarray) and not one.ndim for one in values)
    if scalars or not all(issubclass(kind, (*_LISTS, *_SETS)) for kind in kinds):
        at, value = next((i, v) for i, v in enumerate(values) if not _is_collection(v))
        number = "score" if table == "predictions" else "grade"
        query, kind = shown(queries[at]), type(value).__name__
        raise reading.mapping_values(name=name, query=query, type=kind, number=number)
    return _listed(queries, values, name, table)


def _is_collection(value: object) -> bool:
    return isinstance(value, (*_LISTS, *_SETS)) and getattr(value, "ndim", 1) > 0


def _is_series(value: object) -> bool:
    return isinstance(value, pl.Series) or frames.is_of(value, "pandas", "Series")


def columns_of(data: Mapping[Any, Any], name: str) -> pl.DataFrame:
    """A dict of columns as a frame; a dict of queries has no labels in it."""
    columns = {
        key: value
        for key, value in data.items()
        if _is_series(value) or (isinstance(value, _LISTS) and getattr(value, "ndim", 1) > 0)
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


def _nested(queries: list[Any], values: list[Mapping[Any, Any]], name: str, table: str) -> Source:
    lengths = _lengths(values)
    frame = _pairs(queries, chain.from_iterable(values), lengths, name)
    if table == "exclude":
        return Source.of(frame, name, keys=frame)
    role = {"predictions": "score", "usual": "score", "history": "count"}.get(table, "relevance")
    numbers = list(chain.from_iterable(map(methodcaller("values"), values)))
    return Source.of(
        frame.with_columns(_numbers(numbers, role, frame, name)),
        name,
        keys=frame,
        notes=nothing_judged(lengths, name, table),
    )


def _listed(queries: list[Any], values: list[Any], name: str, table: str) -> Source:
    if table == "predictions":
        unordered = next((i for i, value in enumerate(values) if isinstance(value, _SETS)), None)
        if unordered is not None:
            raise reading.unordered(name=name, query=shown(queries[unordered]))
        _check_not_columns(queries, values, name)
    lengths = _lengths(values)
    lists = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    frame = _pairs(queries, chain.from_iterable(lists), lengths, name)
    return Source.of(
        frame, name, listed=table == "predictions", keys=frame, notes=nothing_judged(lengths, name, table)
    )


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


def _weights(queries: list[Any], values: list[Any], name: str) -> Source:
    query = _ids(queries, "query", name)
    keys = query.to_frame()
    return Source.of(keys.with_columns(_numbers(values, "weight", keys, name)), name, keys=keys)


def _check_not_columns(queries: list[Any], values: list[Any], name: str) -> None:
    """A dict of columns has the form of a dict of lists; reading it as one would be a silent disaster."""
    if all(map(is_role, queries)) and len(set(map(len, values))) == 1 and len(set(map(folded, queries))) > 1:
        raise reading.mapping_of_columns(name=name, columns=quoted(queries))


def _lengths(values: list[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.fromiter(map(len, values), dtype=np.int64, count=len(values))


def nothing_judged(
    lengths: np.ndarray[Any, np.dtype[np.int64]], name: str, table: str
) -> tuple[Message, ...]:
    """How many queries of the truth have an empty list."""
    count = int((lengths == 0).sum())
    if not count or table != "truth":
        return ()
    said = say(
        "{table}: {n:,} {n:query has|queries have} nothing judged and cannot be evaluated.",
        key="nothing_judged_of_queries",
        table=name,
        n=count,
    )
    return (said,)


def _pairs(
    queries: list[Any], items: Iterable[Any], lengths: np.ndarray[Any, np.dtype[np.int64]], name: str
) -> pl.DataFrame:
    query = _ids(queries, "query", name)
    rows = pl.Series(np.repeat(np.arange(len(queries)), lengths))
    return pl.DataFrame([query.gather(rows), _ids(list(items), "item", name)])


def _ids(values: list[Any], role: str, name: str) -> pl.Series:
    kinds = set(map(type, values))
    try:
        if all(issubclass(kind, str) for kind in kinds):
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
    raise reading.id_too_large(cell=value_at(name, role, role), value=max(values, key=abs))


def _numbers(values: list[Any], role: str, keys: pl.DataFrame, name: str) -> pl.Series:
    part = Part(name=name, height=keys.height, keys=keys)
    kinds = set(map(type, values))
    if all(issubclass(kind, _NUMBERS) and (kind is not bool or role == "relevance") for kind in kinds):
        return _floats(values, role, part, whole=any(issubclass(kind, _WHOLE) for kind in kinds))
    row, value = next(
        (i, v) for i, v in enumerate(values) if not isinstance(v, _NUMBERS) or isinstance(v, bool)
    )
    if value is None:
        raise reading.missing_value(cell=part.cell(row, role, role))
    raise reading.wrong_type(cell=part.cell(row, role, role), value=value, type=type(value).__name__)


def _floats(values: list[Any], role: str, part: Part, *, whole: bool) -> pl.Series:
    """Numbers as 64-bit floats; an integer (``whole``: there are some) must stay what it is."""
    try:
        floats = np.fromiter(values, dtype=np.float64, count=len(values))
    except OverflowError:
        row = next(i for i, v in enumerate(values) if isinstance(v, int) and abs(v) > sys.float_info.max)
        raise reading.inexact_number(cell=part.cell(row, role, role), value=values[row]) from None
    large = np.flatnonzero(np.abs(floats) >= EXACT) if whole else ()
    # Python compares an integer with a float exactly.
    lost = next(
        (i for i in large if isinstance(values[i], _WHOLE) and int(values[i]) != float(floats[i])), None
    )
    if lost is not None:
        raise reading.inexact_number(cell=part.cell(int(lost), role, role), value=values[lost])
    return pl.Series(role, floats)
