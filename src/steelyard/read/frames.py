"""Tables that are in memory already: frames of any library, plain objects, and dicts of queries.

The dicts are ``{query: {item: score}}``, ``{query: [item, …]}`` and ``{query: value}``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import chain
from operator import methodcaller
from typing import Any

import numpy as np
import polars as pl

from steelyard.read import streams
from steelyard.read.roles import folded, is_role
from steelyard.read.schema import EXACT
from steelyard.read.table import Part, Source, check_unique, exactly, of_lists
from steelyard.text import Message, say
from steelyard.text.errors import ColumnError, SteelyardError, reading
from steelyard.text.errors.base import quoted
from steelyard.text.errors.forms import column_of, lengths_differ, shown, value_at, word

SLICE = "slice"  # the column that {query: value} is sliced by
_LISTS = (list, tuple, np.ndarray)
_SETS = (set, frozenset)
_NUMBERED = {"predictions": "score", "baseline_lists": "score", "history": "count"}  # else relevance
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)
_FIRST_ROWS = 100
# what Polars says of objects that it cannot hold; a panic prints its own words besides
REFUSALS = (
    TypeError,
    ValueError,
    OverflowError,
    ArithmeticError,
    AttributeError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)


def of_frame(frame: pl.DataFrame, name: str, **fields: Any) -> Source:
    """A source that is in memory already; ``fields`` are those that it does not have by itself."""

    def load(wanted: Sequence[str], rows: int | None = None) -> pl.DataFrame:
        chosen = frame if wanted == frame.columns else frame.select(exactly(wanted))
        return chosen if rows is None else chosen.head(rows)

    columns, lists = tuple(frame.columns), of_lists(frame.schema)
    own: dict[str, Any] = {
        "name": name,
        "columns": columns,
        "load": load,
        "peek": load,
        "scan": frame.lazy,
        "lists": lists,
    }
    return Source(**{**own, "held": True, **fields})


def source_of(data: Any, name: str) -> Source | None:
    if isinstance(data, pl.DataFrame):
        return of_frame(data, name)
    if isinstance(data, pl.LazyFrame):
        return _lazy(data, name)
    if is_of(data, "pandas", "DataFrame"):
        return _pandas(data, name)
    if is_of(data, "pyarrow", "Table"):
        return _arrow(data, name)
    if streams.is_dataset(data):  # its filters treat missing values otherwise than Polars
        return _lazy(pl.scan_pyarrow_dataset(data, allow_pyarrow_filter=False), name)
    if hasattr(data, "__arrow_c_stream__") and not isinstance(data, pl.Series):
        with _attempt(name):
            source = _batches(data, name)
        within = partial(_attempt, name)
        return replace(source, load=within()(source.load), guard=within)
    return None


def is_of(data: object, module: str, kind: str) -> bool:
    """Whether ``data`` is of a library's class, without importing the library."""
    return module in sys.modules and isinstance(data, getattr(sys.modules[module], kind, ()))


def _batches(data: Any, name: str) -> Source:
    if is_of(data, "duckdb", "DuckDBPyRelation"):
        return streams.of_relation(data, name)
    if find_spec("pyarrow") is None:
        return of_frame(pl.DataFrame(data), name)
    return streams.of_stream(data, name)


@contextmanager
def _attempt(name: str) -> Iterator[None]:
    try:
        yield
    except SteelyardError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # a function of the user may raise anything
        text = str(error).strip().split("\n")[0]
        if not (isinstance(error, pl.exceptions.PolarsError) and text):
            text = f"{type(error).__name__}: {text}".rstrip(": ")
        raise reading.query_failed(name=name, reason=text) from error


def _lazy(data: pl.LazyFrame, name: str) -> Source:
    with _attempt(name):
        columns = data.collect_schema()

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        with _attempt(name):
            return data.select(exactly(wanted)).collect()

    return Source(
        name=name,
        columns=tuple(columns),
        load=load,
        scan=lambda: data,
        guard=partial(_attempt, name),
        lists=of_lists(columns),
        unordered=True,
    )


def _arrow(data: Any, name: str) -> Source:
    columns = tuple(data.column_names)
    check_unique(columns, name)

    def load(wanted: Sequence[str], rows: int = data.num_rows) -> pl.DataFrame:
        some = data.select(list(wanted)).slice(0, rows)
        with _attempt(name):
            frame = pl.DataFrame(some)
        frame.columns = list(wanted)  # Polars gives a name to a column whose name is empty
        return frame

    lists = tuple(field.name for field in data.schema if "list" in str(field.type).partition("<")[0])
    scan = lambda: load(columns).lazy()  # noqa: E731
    return Source(name=name, columns=columns, load=load, peek=load, scan=scan, lists=lists)


def _pandas(data: Any, name: str) -> Source:
    labels = list(data.columns)
    columns = tuple(map(str, labels))
    check_unique(columns, name)
    label = dict(zip(columns, labels, strict=True))

    def load(wanted: Sequence[str], rows: int = len(data)) -> pl.DataFrame:
        if not wanted:
            return pl.DataFrame(height=rows)
        return pl.DataFrame(
            {column: as_polars(data[label[column]].head(rows), column, name) for column in wanted}
        )

    def scan() -> pl.LazyFrame:
        readable = []
        for column in columns:
            with suppress(SteelyardError):  # whoever asks for this column asks ``load``, which says why
                readable.append(load([column])[column])
        return pl.LazyFrame(readable)

    index = tuple(str(level) for level in data.index.names if level is not None)
    lists = tuple(column for column in columns if holds_lists(data[label[column]]))
    return Source(name=name, columns=columns, load=load, peek=load, scan=scan, index=index, lists=lists)


def holds_lists(series: Any) -> bool:
    if series.dtype != object:
        return "list" in str(series.dtype).partition("<")[0]
    return any(isinstance(value, list | tuple | np.ndarray) for value in series.head(_FIRST_ROWS))


def as_series(data: Any) -> Any:
    pandas = sys.modules.get("pandas")
    if pandas is None or isinstance(data, pandas.Series):
        return None if pandas is None else data
    columns = (pandas.Index, pandas.api.extensions.ExtensionArray)
    return pandas.Series(data) if isinstance(data, columns) else None


def as_polars(series: Any, column: str, name: str) -> pl.Series:
    if getattr(series.dtype, "kind", "") == "c":
        raise reading.not_numbers(role=word(column), type=str(series.dtype))
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufbM":
        return pl.Series(column, series.to_numpy())
    if find_spec("pyarrow") is not None:
        try:
            converted: pl.Series = pl.from_pandas(series, nan_to_null=False)  # type: ignore[assignment]
        except Exception:  # PyArrow's own errors say little; the way below names the trouble.
            pass
        else:
            return converted.alias(column)
    return _without_arrow(series, column, name)


def _without_arrow(series: Any, column: str, name: str) -> pl.Series:
    if hasattr(series, "cat"):
        categories = as_polars(series.cat.categories.to_series(), column, name)
        codes = pl.Series(series.cat.codes.to_numpy().astype(np.int64))
        return categories.gather(codes.set(codes < 0, None)).alias(column)
    missing = series.isna().to_numpy()
    plain = getattr(series.dtype, "numpy_dtype", None)
    if isinstance(plain, np.dtype) and plain.kind in "iufb":
        values = series.to_numpy(dtype=plain, na_value=plain.type(0))
        return pl.Series(column, values).set(pl.Series(missing), None)
    values = series.to_numpy(dtype=object, copy=True)
    values[missing] = None
    plain_values = values.tolist()
    kinds = kinds_of(plain_values)
    try:
        return pl.Series(column, plain_values, dtype=pl.String if kinds == ["str"] else None)
    except REFUSALS:
        if kinds == ["int"]:
            raise reading.huge_integers(name=name, column=column) from None
        raise reading.mixed_column(name=name, column=column, types=kinds) from None


def series_of(column: str, values: Any, name: str) -> pl.Series:
    """Values as a column of the table ``name``, numbers of several types as one."""
    if not isinstance(values, list | tuple):
        try:
            return pl.Series(column, values, strict=False)
        except REFUSALS:
            raise reading.not_numbers(
                role=word(column), type=str(getattr(values, "dtype", type(values)))
            ) from None
    plain = _with_nulls(values)
    if _differ(set(map(type, plain)) - {type(None)}):
        raise reading.mixed_column(name=name, column=column, types=kinds_of(plain))
    try:
        found = pl.Series(column, plain, strict=False)
    except REFUSALS:
        raise reading.mixed_column(name=name, column=column, types=kinds_of(plain)) from None
    # Polars makes null of a whole number that no type of it can hold
    lost = found.is_null().arg_true() if found.null_count() else ()
    if any(isinstance(plain[row], int) for row in lost):
        raise reading.huge_integers(name=name, column=column)
    return found


def _with_nulls(values: Sequence[Any]) -> Sequence[Any]:
    """Values with null for what pandas has instead of it: NA, NaT, and NaN beside text."""
    kinds = set(map(type, values))
    of_pandas = {kind for kind in kinds if kind.__name__ in ("NAType", "NaTType")}
    floats = {kind for kind in kinds if issubclass(kind, float)}
    if not (of_pandas or (floats and any(issubclass(kind, str) for kind in kinds))):
        return values
    return [
        None if type(value) in of_pandas or (type(value) in floats and math.isnan(value)) else value
        for value in values
    ]


def _differ(kinds: set[type]) -> bool:
    """Whether a part of some number would be lost, or text would become one with a number."""
    texts = {kind for kind in kinds if issubclass(kind, str)}
    is_complex = any(issubclass(kind, complex | np.complexfloating) for kind in kinds)
    return is_complex or bool(texts and texts != kinds)


def kinds_of(values: Iterable[Any]) -> list[str]:
    return sorted({kind.__name__ for kind in set(map(type, values))} - {"NoneType"})


def of_mapping(data: Mapping[Any, Any], name: str, table: str) -> Source:
    """A dict as a source of columns; ``table`` says what its numbers mean."""
    if not data and table != "exclude":
        raise reading.no_rows(name=name)
    queries, values = list(data), list(data.values())
    if table == "by":
        return _known(queries, values, data, name)
    if table == "labelled":
        return of_frame(columns_of(data, name), name)
    if table == "weights":
        keys = _ids(queries, "query", name).to_frame()
        return of_frame(keys.with_columns(_numbers(values, "weight", keys, name)), name, keys=keys)
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
    columns = {
        key: value
        for key, value in data.items()
        if isinstance(value, pl.Series)
        or is_of(value, "pandas", "Series")
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
    return pl.DataFrame([series_of(key, value, name) for key, value in columns.items()])


def _of_queries(queries: list[Any], values: list[Any], name: str, table: str, *, nested: bool) -> Source:
    """A list of items of each query, or where ``nested`` a dict of items and numbers."""
    lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
    query = _ids(queries, "query", name)[np.repeat(np.arange(len(queries)), lengths)]
    keys = pl.DataFrame([query, _ids(list(chain.from_iterable(values)), "item", name)])
    frame = keys
    if nested and table != "exclude":
        numbers = list(chain.from_iterable(map(methodcaller("values"), values)))
        frame = keys.hstack([_numbers(numbers, _NUMBERED.get(table, "relevance"), keys, name)])
    notes = nothing_judged(int((lengths == 0).sum()), name) if table == "truth" else ()
    return of_frame(frame, name, listed=not nested and table == "predictions", keys=keys, notes=notes)


def _known(queries: list[Any], values: list[Any], data: Mapping[Any, Any], name: str) -> Source:
    """What is known of each query: one value, or a dict of columns."""
    kinds = set(map(type, values))
    held = {kind for kind in kinds if hasattr(kind, "__len__") and not issubclass(kind, str)}
    if not held:
        keys = _ids(queries, "query", name).to_frame()
        return of_frame(keys.with_columns(series_of(SLICE, values, name)), name, keys=keys)
    if held < kinds or not all(issubclass(kind, (*_LISTS, pl.Series)) for kind in held):
        raise reading.mapping_to_slice_by(name=name)
    return of_frame(columns_of(data, name), name)


def nothing_judged(n: int, name: str) -> tuple[Message, ...]:
    if not n:
        return ()
    note = say(
        "{table}: {n:,} {n:query has|queries have} nothing judged and cannot be evaluated.",
        key="nothing_judged_of_queries",
        table=name,
        n=n,
    )
    return (note,)


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
    raise reading.id_too_large(cell=value_at(name, role, role), value=max(values, key=abs))


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
            raise reading.missing_value(cell=part.cell(row, role, role))
        raise reading.wrong_type(cell=part.cell(row, role, role), value=value, type=type(value).__name__)
    try:
        floats = np.fromiter(values, dtype=np.float64, count=len(values))
    except OverflowError:
        row = next(i for i, v in enumerate(values) if isinstance(v, int) and abs(v) > sys.float_info.max)
        raise reading.inexact_number(cell=part.cell(row, role, role), value=values[row]) from None
    large = np.flatnonzero(np.abs(floats) >= EXACT) if kinds != {float} else ()
    for row in map(int, large):
        # Python compares an integer with a float exactly.
        if isinstance(values[row], int | np.integer) and int(values[row]) != float(floats[row]):
            raise reading.inexact_number(cell=part.cell(row, role, role), value=values[row])
    return pl.Series(role, floats)
