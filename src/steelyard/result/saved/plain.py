"""Plain values as JSON, and back: what a manifest says besides tables."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from steelyard.certainty import Certainty
from steelyard.conventions import Align, Rank
from steelyard.engine.protocol import Names, Ranking, Tally
from steelyard.metrics import Metric, by_name
from steelyard.metrics.base import MetricRequest
from steelyard.printable import Shown
from steelyard.spec import Plan, Profile
from steelyard.stats.readings import InSlice, Reading
from steelyard.text import Message, Term
from steelyard.text.errors import writing

# Groups of plain values, each under the name that it has in files.
RECORDS: dict[str, type] = {
    "align": Align,
    "certainty": Certainty,
    "in slice": InSlice,
    "metric request": MetricRequest,
    "names": Names,
    "plan": Plan,
    "profile": Profile,
    "rank": Rank,
    "ranking": Ranking,
    "reading": Reading,
    "tally": Tally,
}
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
_NAMES = {kind: name for name, kind in RECORDS.items()}


class UndefinedMetricError(LookupError):
    """A custom metric that is not registered here; its name."""


class ChangedMetricError(LookupError):
    """A metric that reads other data than when it was saved: its name, what it read, and what it reads."""


def stored_fields(kind: type) -> list[str]:
    """The fields of a class that are stored: all but those whose metadata excludes them."""
    return [field.name for field in dataclasses.fields(kind) if field.metadata.get("stored", True)]


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
        return _all(value)
    if kind is tuple:
        return {"tuple": _all(value)}
    if kind in (set, frozenset):
        return {"set": _all(sorted(value, key=repr))}
    if isinstance(value, Mapping):
        return {"dict": [_all(pair) for pair in value.items()]}
    if isinstance(value, Term):
        return {"term": value.template}
    if isinstance(value, Message):
        return {"message": [value.template, _each(value.figures), value.key]}
    if isinstance(value, Shown):
        return {"shown": [to_json(float(value)), value.text]}
    if isinstance(value, Metric):
        return {"metric": [value.key(), value.reads, _each(value.values())]}
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return {"scalar": [value.dtype.str, value.tobytes().hex()]}
    if kind in _NAMES:
        return {_NAMES[kind]: {name: to_json(getattr(value, name)) for name in stored_fields(kind)}}
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
    return _WAYS[kind](held) if kind in _WAYS else RECORDS[kind](**_known(held, stored_fields(RECORDS[kind])))


def _metric(held: list[Any]) -> Metric:
    name, reads, fields = held
    kind = by_name().get(name)
    if kind is None:
        raise UndefinedMetricError(name)
    if kind.reads != reads:
        raise ChangedMetricError(name, reads, kind.reads)
    return kind(**_known(fields, [field.name for field in dataclasses.fields(kind)]))


def _known(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Fields that this version has; a later minor version may have added others."""
    return {name: from_json(fields[name]) for name in names if name in fields}


def _all(values: Iterable[Any]) -> list[Any]:
    return [to_json(part) for part in values]


def _each(fields: Mapping[str, Any]) -> dict[str, Any]:
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
