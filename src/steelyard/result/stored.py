"""What a saved result is made of: plain values as JSON, arrays as columns of tables."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import read_only
from steelyard.conventions import Align, Certainty, Rank
from steelyard.engine.background import Background, Features, History
from steelyard.engine.classified import Classified
from steelyard.engine.influence import Influence, Units
from steelyard.engine.kept import Binned, DroppedRows, ListSummary
from steelyard.engine.protocol import Ranking, Tally
from steelyard.engine.ranked import Hits, Ranked
from steelyard.engine.scored import Rated, Scored, ScoreTable
from steelyard.engine.scored_parts import GroupValues
from steelyard.engine.top_lists import TopLists
from steelyard.metrics import Metric, by_name
from steelyard.metrics.base import MetricRequest
from steelyard.printable import Shown
from steelyard.spec import Plan, Profile
from steelyard.stats.readings import InSlice, Reading
from steelyard.text import Message, Term
from steelyard.text.errors import writing

# What JSON has no form for, as text: the name of the type, the way there and the way back.
_TEXTS: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    float: ("float", str, float),  # not a number, or infinite
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    date: ("date", date.isoformat, date.fromisoformat),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    time: ("time", time.isoformat, time.fromisoformat),
    timedelta: (
        "microseconds",
        lambda span: str(span // timedelta.resolution),
        lambda text: timedelta(microseconds=int(text)),
    ),
    Decimal: ("decimal", str, Decimal),
}


class UndefinedMetricError(LookupError):
    """A custom metric that is not registered here; its name."""


class ChangedMetricError(LookupError):
    """A metric that reads other data than when it was saved: its name, what it read, and what it reads."""


def to_json(value: Any) -> Any:
    """A plain value as JSON holds it: what is no number, text, flag, null or list is an object with one key.

    >>> to_json({"k": (1, float("inf"))})
    {'dict': [['k', {'tuple': [1, {'float': 'inf'}]}]]}
    """
    kind = type(value)
    if value is None or kind in (bool, str, int) or (kind is float and math.isfinite(value)):
        return value
    if kind in _TEXTS:
        name, write, _ = _TEXTS[kind]
        return {name: write(value)}
    if kind is list:
        return [to_json(part) for part in value]
    if kind is tuple:
        return {"tuple": to_json(list(value))}
    if kind in (set, frozenset):
        return {"set": to_json(sorted(value, key=repr))}
    if isinstance(value, Mapping):
        return {"dict": [to_json(list(pair)) for pair in value.items()]}
    if isinstance(value, Term):
        return {"term": value.template}
    if isinstance(value, Message):
        return {"message": [value.template, _by_name(value.figures), value.key]}
    if isinstance(value, Shown):
        return {"shown": [to_json(float(value)), value.text]}
    if isinstance(value, Metric):
        return {"metric": [value.key(), value.reads, _by_name(value.values())]}
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return {"scalar": [value.dtype.str, value.tobytes().hex()]}
    raise writing.cannot_hold(type=kind.__name__)


def from_json(node: Any) -> Any:
    """The value again. Only the types of this module and registered metrics are made.

    >>> from_json({"tuple": [1, {"float": "inf"}]})
    (1, inf)
    """
    if isinstance(node, list):
        return [from_json(part) for part in node]
    if not isinstance(node, dict):
        return node
    ((kind, held),) = node.items()
    return _WAYS[kind](held)


def _metric(held: list[Any]) -> Metric:
    name, reads, fields = held
    kind = by_name().get(name)
    if kind is None:
        raise UndefinedMetricError(name)
    if kind.reads != reads:
        raise ChangedMetricError(name, reads, kind.reads)
    known = [field.name for field in dataclasses.fields(kind) if field.name in fields]
    return kind(**{name: from_json(fields[name]) for name in known})


def _by_name(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: to_json(part) for name, part in fields.items()}


_WAYS: dict[str, Callable[[Any], Any]] = {
    **{name: back for name, _, back in _TEXTS.values()},
    "tuple": lambda held: tuple(from_json(held)),
    "set": lambda held: frozenset(from_json(held)),
    "dict": lambda held: dict(from_json(held)),
    "term": Term,
    "message": lambda held: Message(
        held[0], {name: from_json(part) for name, part in held[1].items()}, held[2]
    ),
    "shown": lambda held: Shown(*from_json(held)),
    "scalar": lambda held: np.frombuffer(bytes.fromhex(held[1]), held[0])[0],
    "metric": _metric,
}


class StoredLayout(NamedTuple):
    """How a value with fields is stored: its arrays are columns of ``table``, its ``parts`` have fields too.

    A field has the name of the field in the file, or the one in ``names``, for an array ``column`` or
    ``table.column``.
    """

    table: str = ""
    names: Mapping[str, str] = {}
    parts: Mapping[str, type] = {}


def _layout(table: str = "", names: str = "", /, **parts: type) -> StoredLayout:
    return StoredLayout(table, dict(pair.split("=") for pair in names.split()), parts)


LAYOUTS: dict[type, StoredLayout] = {
    Plan: _layout("", "asked=metrics", asked=MetricRequest, profile=Profile, certainty=Certainty),
    Ranking: _layout(align=Align, rank=Rank, tally=Tally),
    Reading: _layout(slices=InSlice),
    Ranked: _layout(
        "queries",
        "queries=query segment=slice judged_query=grades.judged_query judged_grade=grades.judged_grade",
        hits=Hits,
        units=Units,
    ),
    Hits: _layout("grades"),
    TopLists: _layout(
        "queries",
        "queries=query segment=slice offsets=list_end item=lists.item strength=lists.strength "
        "graded=grades.entry grade=grades.grade relevant_query=grades.judged_query "
        "relevant_item=grades.judged_item relevant_grade=grades.judged_grade",
        background=Background,
        units=Units,
    ),
    Background: _layout(
        "items",
        "items=item group=item_group baseline_offsets=queries.baseline_end "
        "baseline_lists=lists.baseline_item",
        features=Features,
        history=History,
    ),
    Features: _layout("items", "row=features_row offsets=features_end place=feature tags=tag dense=vector"),
    History: _layout("items", "offsets=queries.history_end item=lists.history_item count=lists.count"),
    ListSummary: _layout("items", "items=n_items n_items=size_of_catalog"),
    Scored: _layout("rows", "segment=slice groups=units.group", units=Units),
    Rated: _layout("rows", "segment=slice", units=Units),
    Classified: _layout("rows", "segment=slice", units=Units),
    Binned: _layout("bins", table=ScoreTable, inner=GroupValues),
    ScoreTable: _layout("bins", "owner=slice"),
    GroupValues: _layout("bins"),
    Influence: _layout("units", "owner=slice unit=number names=unit"),
    Units: _layout("rows", "code=unit names=units.unit"),
}
# What a metric can be measured on: the shapes of data in a file.
STATES: dict[str, type] = {
    "bins of scores": Binned,
    "classes": Classified,
    "lists": TopLists,
    "number of rows": DroppedRows,
    "rankings": Ranked,
    "ratings": Rated,
    "scores": Scored,
    "summary of lists": ListSummary,
}
_STATES = {kind: name for name, kind in STATES.items()}
# of a kind of table and a number of rows: the table that takes more columns
Home = dict[tuple[str, int], str]


def stored_fields(kind: type) -> dict[str, str]:
    """The fields of a class that are stored, all but those whose metadata excludes them, with their names."""
    names = LAYOUTS.get(kind, StoredLayout()).names
    fields = [field.name for field in dataclasses.fields(kind) if field.metadata.get("stored", True)]
    return {field: names.get(field, field) for field in fields}


class TableWriter:
    """Puts arrays into tables, each array once, and says in JSON where they are."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, pl.Series]] = {}
        self.states: list[Any] = []
        # by identity; the value is kept, so that no other can take its place
        self._known: dict[int, tuple[Any, Any]] = {}

    def state(self, value: Any) -> int | None:
        """The place of a state among all of the file."""
        if value is None:
            return None
        if id(value) not in self._known:
            name = _STATES.get(type(value))
            if name is None:
                raise writing.cannot_hold(type=type(value).__name__)
            self._known[id(value)] = len(self.states), value
            self.states.append({name: self.part(value)})
        return int(self._known[id(value)][0])

    def part(self, value: Any, homes: Home | None = None, prefix: str = "") -> Any:
        """The fields of a value, or of several, by their names; arrays go to tables that are ``homes``."""
        if value is None or isinstance(value, tuple):
            return None if value is None else [self.part(one) for one in value]
        kind, homes = type(value), {} if homes is None else homes
        layout = LAYOUTS.get(kind, StoredLayout())
        fields = {name: getattr(value, name) for name in stored_fields(kind)}
        arrays = {name: array for name, array in fields.items() if isinstance(array, np.ndarray | pl.Series)}
        # in the table where another state put a shared array: slices next to the rows of the whole
        for array in arrays.values():
            if id(array) in self._known:
                table, column = self._known[id(array)][0]["column"]
                homes.setdefault((table.split("-")[0], len(self.tables[table][column])), table)
        nodes: dict[str, Any] = {}
        for name, array in arrays.items():
            table, _, column = layout.names.get(name, name).rpartition(".")
            table, ends = table or layout.table, "offsets" in name
            nodes[name] = self.column(table, prefix + column, array, homes, ends=ends)
        for name, part in fields.items():
            if name in layout.parts:
                # the unit of each row, or of each query, is a column of the rows or the queries
                own = {("rows", n): table for (kind, n), table in homes.items() if kind == layout.table}
                nodes[name] = self.part(part, own if isinstance(part, Units) else None)
            elif isinstance(part, pl.DataFrame):
                nodes[name] = {"table": self.frame("items", part)}
            elif name not in arrays:
                nodes[name] = to_json(part)
        return {key: nodes[name] for name, key in stored_fields(type(value)).items()}

    def column(
        self, kind: str, column: str, array: Any, homes: Home, *, ends: bool = False
    ) -> dict[str, Any]:
        """Where an array is: the table, the column, and what else restores it.

        Offsets of lists are stored as the end of each list (``ends``).
        """
        if id(array) in self._known:
            return dict(self._known[id(array)][0])
        ends = ends and len(array) > 0
        series, how = _series(array[1:] if ends else array)
        if ends:
            how["begin"] = int(array[0])
        table = homes.get((kind, len(series)))
        if table is None or column in self.tables[table]:
            table = homes[kind, len(series)] = self._new(kind)
        self.tables[table][column] = series.alias(column)
        self._known[id(array)] = {"column": [table, column], **how}, array
        return dict(self._known[id(array)][0])

    def frame(self, kind: str, frame: pl.DataFrame | None) -> str | None:
        """The name of the table that a frame becomes."""
        if frame is None:
            return None
        if id(frame) not in self._known:
            table = self._new(kind)
            self.tables[table] = {name: frame[name] for name in frame.columns}
            self._known[id(frame)] = table, frame
        return str(self._known[id(frame)][0])

    def _new(self, kind: str) -> str:
        n = sum(name.split("-")[0] == kind for name in self.tables)
        table = f"{kind}-{n + 1}" if n else kind
        self.tables[table] = {}
        return table


class TableReader:
    """Makes states of the tables again; what was shared is shared."""

    def __init__(self, tables: Mapping[str, pl.DataFrame], states: list[Any]) -> None:
        self.tables, self._states = tables, states
        self._made: dict[int, Any] = {}
        self._arrays: dict[tuple[str, str], Any] = {}

    def state(self, at: int | None) -> Any:
        if at is None:
            return None
        if at not in self._made:
            ((name, node),) = self._states[at].items()
            self._made[at] = self.part(STATES[name], node)
        return self._made[at]

    def part(self, kind: type, node: Any) -> Any:
        """A value of a class again, or several; fields that a later version added are ignored."""
        if node is None or isinstance(node, list):
            return None if node is None else tuple(self.part(kind, one) for one in node)
        parts, fields = LAYOUTS.get(kind, StoredLayout()).parts, {}
        for name, key in stored_fields(kind).items():
            if key in node:
                held = node[key]
                fields[name] = self.part(parts[name], held) if name in parts else self._plain(held)
        return kind(**fields)

    def _plain(self, node: Any) -> Any:
        if isinstance(node, dict) and "table" in node:
            return self.tables[node["table"]]
        return self.column(node) if isinstance(node, dict) and "column" in node else from_json(node)

    def column(self, node: Mapping[str, Any]) -> Any:
        table, column = node["column"]
        if (table, column) not in self._arrays:
            self._arrays[table, column] = _array(self.tables[table][column], node)
        return self._arrays[table, column]

    def frame(self, name: str | None) -> pl.DataFrame | None:
        return None if name is None else self.tables[name]


def _series(array: Any) -> tuple[pl.Series, dict[str, Any]]:
    """An array as a column, and how it is made again of it."""
    if isinstance(array, pl.Series):
        if array.dtype == pl.Object:
            raise writing.cannot_hold(type="Polars series of Object")
        return array, {"name": array.name}
    if array.dtype.hasobject or array.dtype.kind not in "biuf":
        raise writing.cannot_hold(type=f"NumPy array of {array.dtype}")
    how: dict[str, Any] = {"dtype": array.dtype.str}
    if array.ndim == 2:  # the longer side is that of the table
        how["shape"] = list(array.shape)
        across = array.shape[0] < array.shape[1]
        flat = np.ascontiguousarray(array.T if across else array)
        if flat.shape[1] == 1 or not flat.size:
            return _held(flat), how
        return pl.Series(flat.reshape(len(flat), -1), dtype=pl.Array(_held(flat).dtype, flat.shape[1])), how
    return _held(np.ascontiguousarray(array)), how


def _held(array: NDArray[Any]) -> pl.Series:
    # Polars has no float16
    return pl.Series(array.reshape(-1).astype(np.float32) if array.dtype == np.float16 else array.reshape(-1))


def _array(series: pl.Series, how: Mapping[str, Any]) -> Any:
    if "dtype" not in how:
        return series.rename(how["name"])
    if not (series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Array)):
        raise TypeError("no numbers")
    array: NDArray[Any] = series.to_numpy().astype(how["dtype"], copy=False)
    if "begin" in how:
        array = np.concatenate(([how["begin"]], array)).astype(how["dtype"])
    if "shape" in how:
        rows, columns = how["shape"]
        array = array.reshape(columns, rows).T if rows < columns else array.reshape(rows, columns)
        array = np.ascontiguousarray(array)
    return read_only(array)
