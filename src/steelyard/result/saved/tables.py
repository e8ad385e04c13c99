"""The tables of a saved result: the table and column of each array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import read_only
from steelyard.engine.background import Background, History
from steelyard.engine.binned import Binned, Gone, GroupValues
from steelyard.engine.classified import Classified
from steelyard.engine.features import Features
from steelyard.engine.influence import Influence, Units
from steelyard.engine.list_summary import ListSummary
from steelyard.engine.ranked import Hits, Ranked
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.engine.segmented import Rated
from steelyard.engine.top_lists import TopLists
from steelyard.result.saved.plain import from_json, stored_fields, to_json
from steelyard.text.errors import writing


class StateColumns(NamedTuple):
    """Where the arrays of a state are: each in the column of ``table`` with the name of its field.

    ``columns`` has the exceptions, as ``"column"`` or ``"table.column"``.
    """

    kind: type
    table: str
    columns: Mapping[str, str]


# Each state under the name that it has in the manifest.
COLUMNS: dict[str, StateColumns] = {
    "background": StateColumns(
        Background,
        "items",
        {
            "items": "item",
            "group": "item_group",
            "usual_offsets": "queries.baseline_end",
            "usual": "lists.baseline_item",
        },
    ),
    "bins": StateColumns(Binned, "bins", {}),
    "classes": StateColumns(Classified, "rows", {"segment": "slice"}),
    "exposure": StateColumns(ListSummary, "items", {"items": "n_items"}),
    "features": StateColumns(
        Features,
        "items",
        {
            "row": "features_row",
            "offsets": "features_end",
            "place": "feature",
            "tags": "tag",
            "dense": "vector",
        },
    ),
    "gone": StateColumns(Gone, "rows", {}),
    "groups": StateColumns(GroupValues, "bins", {}),
    "history": StateColumns(
        History,
        "items",
        {"offsets": "queries.history_end", "item": "lists.history_item", "count": "lists.count"},
    ),
    "hits": StateColumns(Hits, "grades", {}),
    "influence": StateColumns(Influence, "units", {"owner": "slice", "unit": "number", "names": "unit"}),
    "rankings": StateColumns(
        Ranked,
        "queries",
        {
            "queries": "query",
            "segment": "slice",
            "judged_query": "grades.judged_query",
            "judged_grade": "grades.judged_grade",
        },
    ),
    "ratings": StateColumns(Rated, "rows", {"segment": "slice"}),
    "score table": StateColumns(ScoreTable, "bins", {"owner": "slice"}),
    "scores": StateColumns(Scored, "rows", {"segment": "slice", "groups": "units.group"}),
    "top lists": StateColumns(
        TopLists,
        "queries",
        {
            "queries": "query",
            "segment": "slice",
            "offsets": "list_end",
            "item": "lists.item",
            "strength": "lists.strength",
            "graded": "grades.entry",
            "grade": "grades.grade",
            "relevant_query": "grades.judged_query",
            "relevant_item": "grades.judged_item",
            "relevant_grade": "grades.judged_grade",
        },
    ),
    "units": StateColumns(Units, "rows", {"code": "unit", "names": "units.unit"}),
}
_NAMES = {layout.kind: name for name, layout in COLUMNS.items()}
Home = dict[
    tuple[str, int], str
]  # of a kind of table and a number of rows: the table that takes more columns


class TableWriter:
    """Puts arrays into tables, each array once, and says in JSON where they are."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, pl.Series]] = {}
        self.objects: list[Any] = []
        # by identity; the value is kept, so that no other can take its place
        self._known: dict[int, tuple[Any, Any]] = {}

    def state(self, value: Any, beside: Home | None = None, prefix: str = "") -> int | None:
        """The number of a state among all of the file; its arrays go to columns ``beside`` others."""
        if value is None:
            return None
        if id(value) not in self._known:
            name = _NAMES.get(type(value))
            if name is None:
                raise writing.cannot_hold(type=type(value).__name__)
            at = len(self.objects)
            self._known[id(value)] = at, value
            self.objects.append(None)
            self.objects[at] = {name: self._fields(value, COLUMNS[name], beside or {}, prefix)}
        return int(self._known[id(value)][0])

    def _fields(self, value: Any, layout: StateColumns, homes: Home, prefix: str) -> dict[str, Any]:
        fields = {name: getattr(value, name) for name in stored_fields(layout.kind)}
        arrays = {name: array for name, array in fields.items() if isinstance(array, np.ndarray | pl.Series)}
        # beside the columns that another state has put there already: slices beside the rows of the whole
        for array in arrays.values():
            if id(array) in self._known:
                table, column = self._known[id(array)][0]["column"]
                homes.setdefault((table.split("-")[0], len(self.tables[table][column])), table)
        placed: dict[str, Any] = {}
        for name, array in arrays.items():
            table, _, column = layout.columns.get(name, name).rpartition(".")
            table, ends = table or layout.table, "offsets" in name
            placed[name] = self.column(table, prefix + column, array, homes, ends=ends)
        for name, part in fields.items():
            if isinstance(part, pl.DataFrame):
                placed[name] = {"frame": self.frame("items", part)}
            elif type(part) in _NAMES:
                # the unit of each row, or of each query, is a column of the rows or the queries
                own = {("rows", n): table for (kind, n), table in homes.items() if kind == layout.table}
                placed[name] = {"state": self.state(part, own if isinstance(part, Units) else None)}
        return {name: placed[name] if name in placed else to_json(fields[name]) for name in fields}

    def column(
        self, kind: str, column: str, array: Any, homes: Home, *, ends: bool = False
    ) -> dict[str, Any]:
        """Where an array is: the table, the column, and what else restores it.

        Of the offsets of lists, which are one more than the lists, the table has where each list ends.
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

    def frame(self, kind: str, frame: pl.DataFrame) -> str:
        """The table that a frame is."""
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

    def __init__(self, tables: Mapping[str, pl.DataFrame], objects: list[Any]) -> None:
        self.tables, self._objects = tables, objects
        self._made: dict[int, Any] = {}
        self._arrays: dict[tuple[str, str], Any] = {}

    def state(self, at: int | None) -> Any:
        """A state by its number."""
        if at is None:
            return None
        if at not in self._made:
            ((name, fields),) = self._objects[at].items()
            kind = COLUMNS[name].kind
            known = [field for field in stored_fields(kind) if field in fields]
            self._made[at] = kind(**{field: self.value(fields[field]) for field in known})
        return self._made[at]

    def value(self, node: Any) -> Any:
        """A field of a state."""
        if isinstance(node, dict) and "column" in node:
            return self.column(node)
        if isinstance(node, dict) and "state" in node:
            return self.state(node["state"])
        if isinstance(node, dict) and "frame" in node:
            return self.tables[node["frame"]]
        return from_json(node)

    def column(self, node: Mapping[str, Any]) -> Any:
        """An array or a series, by where it is."""
        table, column = node["column"]
        if (table, column) not in self._arrays:
            self._arrays[table, column] = _array(self.tables[table][column], node)
        return self._arrays[table, column]


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
    """The numbers in a type that Polars has."""
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
