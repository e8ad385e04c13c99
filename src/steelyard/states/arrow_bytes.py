"""Named columns as Arrow bytes that say what they are, and back."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl

from steelyard.messages.errors import measuring

_MAGIC = b"ARROW1"  # how every Arrow file begins
_HEAD = {"kind": pl.String(), "version": pl.Int64(), "check": pl.Int64()}


def pack(kind: str, version: int, columns: Mapping[str, Any]) -> bytes:
    """One row of an Arrow file: the kind, its version, and a list or a single value per column.

    >>> columns = {"n": 2, "code": np.array([3, 5])}
    >>> unpack("sums", 1, pack("sums", 1, columns), like=columns)
    {'n': 2, 'code': array([3, 5])}
    """
    head = {"kind": kind, "version": version, "check": _check(columns)}
    made = [pl.Series(name, [value]) for name, value in head.items()]
    made += [_series(name, value) for name, value in columns.items()]
    out = BytesIO()
    pl.DataFrame(made).write_ipc(out, compression="lz4")
    return out.getvalue()


def unpack(kind: str, version: int, data: bytes, like: Mapping[str, Any]) -> dict[str, Any]:
    """The columns again; ``like`` has a value of the right type for each.

    Whatever else the bytes are is an error that says so.
    """
    frame = _frame(kind, data)
    try:
        found, at = frame.select(pl.col("kind").cast(pl.String), pl.col("version").cast(pl.Int64)).row(0)
    except (pl.exceptions.PolarsError, IndexError):
        raise measuring.broken_bytes(state=kind) from None
    if found != kind:
        raise measuring.other_kind(wanted=kind, found=str(found))
    if at != version:
        raise measuring.other_version(state=kind, wanted=version, found=at)
    wanted = {name: _series(name, value).dtype for name, value in like.items()}
    if dict(frame.schema) != {**_HEAD, **wanted} or frame.height != 1:
        raise measuring.broken_bytes(state=kind)
    columns = {name: _value(frame[name][0]) for name in wanted}
    if frame["check"][0] != _check(columns):
        raise measuring.broken_bytes(state=kind)
    return columns


def _frame(kind: str, data: bytes) -> pl.DataFrame:
    if not data.startswith(_MAGIC):
        raise measuring.broken_bytes(state=kind)
    try:
        return pl.read_ipc(BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError):
        raise measuring.broken_bytes(state=kind) from None


def _check(columns: Mapping[str, Any]) -> int:
    """A number that changes with every value: Arrow itself would not see a changed digit."""
    check = 0
    for value in columns.values():
        seen = np.ascontiguousarray(value).data if isinstance(value, np.ndarray) else repr(value).encode()
        check = crc32(seen, check)
    return check


def _series(name: str, value: Any) -> pl.Series:
    if isinstance(value, np.ndarray):
        return pl.Series(name, value).implode()
    if isinstance(value, tuple):
        return pl.Series(name, value, pl.String).implode()
    return pl.Series(name, [value], pl.Binary if value is None else None)


def _value(value: Any) -> Any:
    if not isinstance(value, pl.Series):
        return value
    return tuple(value.to_list()) if value.dtype == pl.String else value.to_numpy()
