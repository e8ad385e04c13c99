"""Plain data as a tree of JSON beside columns of values, and back.

In the tree a number, a text, a flag, null and a list are themselves; all else is an object whose first key
says what it is. Arrays, series, frames and values of classes stand in a list of their own, to which
``{"at": 3}`` points: what is shared is stored once, and comes back shared.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.messages import Message, Term
from steelyard.messages.errors import writing
from steelyard.metrics import Metric, by_name
from steelyard.printable import Shown

Classes = Mapping[str, type]  # what may be stored, each under the name it has in files
Columns = Mapping[str, pl.Series]

_DIGITS = 5000  # of a number; Python takes minutes to write one of millions


def _short(text: str) -> str:
    if len(text) > _DIGITS:
        raise ValueError("too many digits")
    return text


def _decimal(text: str) -> Decimal:
    number = Decimal(_short(text))
    if number.is_finite() and abs(number.adjusted()) > _DIGITS:
        raise ValueError("too many digits")
    return number


# What JSON has no form for, as text: the name of the type, the way there and the way back.
_TEXTS: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    float: ("float", str, float),  # not a number, or infinite
    int: ("int", hex, lambda text: int(_short(text), 16)),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    date: ("date", date.isoformat, date.fromisoformat),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    time: ("time", time.isoformat, time.fromisoformat),
    timedelta: (
        "microseconds",
        lambda span: str(span // timedelta.resolution),
        lambda text: timedelta(microseconds=int(_short(text))),
    ),
    Decimal: ("decimal", str, _decimal),
}
_LARGE = 2**63
_LIKE_POLARS = {np.dtype(one) for one in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")}


def to_tree(value: Any, classes: Classes) -> tuple[dict[str, Any], dict[str, pl.Series]]:
    """A value as a tree that JSON can hold, and its arrays by the names that the tree has for them.

    >>> tree, columns = to_tree({"k": (1, np.array([0.5, 0.25]))}, {})
    >>> tree["value"]
    {'dict': [['k', {'tuple': [1, {'at': 0}]}]]}
    >>> columns["0"].to_list()
    [0.5, 0.25]
    """
    writer = _Writer(classes)
    node = writer.node(value)
    return {"value": node, "objects": writer.objects}, writer.columns


def from_tree(tree: Mapping[str, Any], columns: Columns, classes: Classes) -> Any:
    """The value again; its arrays are read-only.

    A field that a class does not have is passed over, one that is not there takes its default. Nothing is
    made but the types of this module, registered metrics and ``classes``.

    >>> from_tree({"value": {"tuple": [1, {"float": "inf"}]}, "objects": []}, {}, {})
    (1, inf)
    """
    return _Reader(tree["objects"], columns, classes).value(tree["value"])


def stored_fields(kind: type) -> list[str]:
    """The fields of a class that are stored: all but those whose metadata says otherwise."""
    if not dataclasses.is_dataclass(kind):
        return list(kind._fields)  # type: ignore[attr-defined]  # a named tuple
    return [field.name for field in dataclasses.fields(kind) if field.metadata.get("stored", True)]


class UndefinedMetricError(LookupError):
    """A metric of somebody's own that has not been registered here, by its name."""


class ChangedMetricError(LookupError):
    """A metric of another kind than when it was stored: its name, what it read there, and what here."""


class _Writer:
    def __init__(self, classes: Classes) -> None:
        self.objects: list[dict[str, Any]] = []
        self.columns: dict[str, pl.Series] = {}
        self._names = {kind: name for name, kind in classes.items()}
        # by identity; the value is kept, so that no other can take its place
        self._known: dict[int, tuple[int, Any]] = {}

    def node(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, str) or (kind is float and math.isfinite(value)):
            return value
        if kind is int and abs(value) < _LARGE:
            return value
        if kind in _TEXTS:
            name, write, _ = _TEXTS[kind]
            return {name: write(value)}
        if kind is list:
            return self._all(value)
        if kind is tuple:
            return {"tuple": self._all(value)}
        if kind in (set, frozenset):
            return {"set": self._all(sorted(value, key=repr))}
        if isinstance(value, Mapping):
            return {"dict": [self._all(pair) for pair in value.items()]}
        if isinstance(value, Term):
            return {"term": value.template}
        if isinstance(value, Message):
            return {"message": [value.template, self._fields(value.figures), value.key]}
        if isinstance(value, Shown):
            return {"shown": self._all([float(value), value.text])}
        if isinstance(value, Metric):
            return {"metric": value.key(), "reads": value.reads, "fields": self._fields(value.values())}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        return {"at": self._place(value)}

    def _all(self, values: Iterable[Any]) -> list[Any]:
        return [self.node(one) for one in values]

    def _fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.node(one) for name, one in fields.items()}

    def _place(self, value: Any) -> int:
        # by what it is, not by what it equals; kept beside its number, so that no other gets its id
        if id(value) not in self._known:
            self.objects.append(self._described(value))
            self._known[id(value)] = len(self.objects) - 1, value
        return self._known[id(value)][0]

    def _described(self, value: Any) -> dict[str, Any]:
        if type(value) is np.ndarray:  # a masked array holds more
            return self._array(value)
        if isinstance(value, pl.Series):
            return {"series": self._column(value), "name": value.name}
        if isinstance(value, pl.DataFrame):
            return {"frame": [[column.name, self._column(column)] for column in value]}
        if type(value) in self._names:
            fields = {name: getattr(value, name) for name in stored_fields(type(value))}
            return {"class": self._names[type(value)], "fields": self._fields(fields)}
        raise writing.cannot_hold(type=type(value).__name__)

    def _array(self, array: NDArray[Any]) -> dict[str, Any]:
        if array.dtype.hasobject or array.dtype.names:
            raise writing.cannot_hold(type=f"NumPy array of {array.dtype}")
        flat = np.ascontiguousarray(array).reshape(-1)
        held = flat if array.dtype in _LIKE_POLARS and array.dtype.isnative else flat.view(np.uint8)
        return {
            "array": self._column(pl.Series(held)),
            "dtype": array.dtype.str,
            "shape": list(array.shape),
        }

    def _column(self, series: pl.Series) -> str:
        if series.dtype == pl.Object:
            raise writing.cannot_hold(type="Polars series of Object")
        name = str(len(self.columns))
        self.columns[name] = series.rename(name)
        return name


class _Reader:
    def __init__(self, objects: list[dict[str, Any]], columns: Columns, classes: Classes) -> None:
        self._objects, self._columns, self._classes = objects, columns, classes
        self._made: dict[int, Any] = {}
        self._ways: dict[str, Callable[[Any], Any]] = {
            **{name: back for name, _, back in _TEXTS.values()},
            "tuple": lambda held: tuple(self._all(held)),
            "set": lambda held: frozenset(self._all(held)),
            "dict": lambda held: dict(map(self._all, held)),
            "term": Term,
            "message": lambda held: Message(held[0], self._fields(held[1]), held[2]),
            "shown": lambda held: Shown(*self._all(held)),
            "scalar": lambda held: self._array(held)[()],
            "at": self._object,
        }

    def value(self, node: Any) -> Any:
        if isinstance(node, list):
            return self._all(node)
        if not isinstance(node, dict):
            return node
        if "metric" in node:
            return self._metric(node["metric"], node["reads"], node["fields"])
        ((kind, held),) = node.items()
        return self._ways[kind](held)

    def _all(self, nodes: list[Any]) -> list[Any]:
        return [self.value(one) for one in nodes]

    def _fields(self, nodes: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.value(one) for name, one in nodes.items()}

    def _object(self, at: int) -> Any:
        if at not in self._made:
            self._made[at] = self._built(self._objects[at])
        return self._made[at]

    def _built(self, node: Mapping[str, Any]) -> Any:
        if "array" in node:
            return self._array(node)
        if "series" in node:
            return self._columns[node["series"]].rename(node["name"])
        if "frame" in node:
            return pl.DataFrame([self._columns[column].rename(name) for name, column in node["frame"]])
        kind = self._classes[node["class"]]
        return kind(**self._known(node["fields"], stored_fields(kind)))

    def _array(self, node: Mapping[str, Any]) -> NDArray[Any]:
        column = self._columns[node["array"]]
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):  # texts take memory as objects
            raise TypeError("no numbers")
        array: NDArray[Any] = column.to_numpy().view(np.dtype(node["dtype"])).reshape(node["shape"])
        array.flags.writeable = False
        return array

    def _metric(self, metric: str, reads: str, fields: Mapping[str, Any]) -> Metric:
        kind = by_name().get(metric)
        if kind is None:
            raise UndefinedMetricError(metric)
        if kind.reads != reads:
            raise ChangedMetricError(metric, reads, kind.reads)
        return kind(**self._known(fields, [field.name for field in dataclasses.fields(kind)]))

    def _known(self, fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
        return {name: self.value(fields[name]) for name in names if name in fields}
