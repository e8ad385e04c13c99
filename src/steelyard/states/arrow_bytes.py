"""Named columns as the bytes of an Arrow file that says what it is, and back; a changed byte is seen."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from io import BytesIO
from typing import Any

import numpy as np
import polars as pl

from steelyard.messages.errors import measuring
from steelyard.version import VERSION

_MAGIC = b"ARROW1"  # how every Arrow file begins
# The name of a column: names stand in the file as they are, so that the check can be put there, and taken
# out again, without a reader of Arrow. None is asked to read bytes that were changed: it might never return.
_CHECK = re.compile(rb"check:([0-9a-f]{32})")
_BLANK = b"0" * 32
_RATIO = 1000  # bytes that a byte of a file may become, and rows; LZ4 makes 255 of one
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError)


class ForeignError(ValueError):
    """Bytes of another kind of file."""


class ChangedError(ValueError):
    """Bytes that are not those that were sealed."""


def seal(kind: str, version: str, columns: Iterable[pl.Series]) -> bytes:
    """An Arrow file of one row: what it is, the columns, and a check of all its bytes."""
    blank = secrets.token_hex(16)
    head = {"kind": kind, "version": version, "steelyard": VERSION}
    check = pl.Series(f"check:{blank}", [None], pl.Boolean)
    out = BytesIO()
    frame = pl.DataFrame([*(pl.Series(name, [value]) for name, value in head.items()), *columns, check])
    frame.write_ipc(out, compression="lz4")
    data = out.getvalue()
    return data.replace(blank.encode(), _digest(data, blank.encode()))


def unseal(data: bytes) -> tuple[dict[str, str], pl.DataFrame]:
    """The kind, version and Steelyard of sealed bytes, and their columns."""
    checks = dict.fromkeys(_CHECK.findall(data)) if data.startswith(_MAGIC) else {}
    if not checks:
        raise ForeignError
    # one is the check; others were in the names of a type, such as the categories of an Enum
    found = next((check for check in checks if _digest(data, check) == check), None)
    if found is None:
        raise ChangedError
    try:
        frame = pl.read_ipc(BytesIO(data)).drop(f"check:{found.decode()}")
        head = frame.select("kind", "version", "steelyard").row(0, named=True)
        lengths = [len(column[0]) for column in frame if column.dtype == pl.List]  # nulls take no bytes
    except (*_UNREADABLE, IndexError, TypeError):
        raise ChangedError from None
    if not all(isinstance(told, str) for told in head.values()):
        raise ChangedError
    if max(frame.estimated_size(), *lengths, 0) > _RATIO * len(data):
        raise ChangedError
    return head, frame.drop("kind", "version", "steelyard")


def is_sealed(beginning: bytes) -> bool:
    """Whether bytes begin as sealed ones do, whatever became of the rest."""
    return beginning.startswith(_MAGIC) and _CHECK.search(beginning) is not None


def _digest(data: bytes, blank: bytes) -> bytes:
    return blake2b(data.replace(blank, _BLANK), digest_size=16).hexdigest().encode()


def pack(kind: str, version: int, columns: Mapping[str, Any]) -> bytes:
    """One row of an Arrow file: the kind, its version, and a list or a single value per column.

    >>> columns = {"n": 2, "code": np.array([3, 5])}
    >>> unpack("sums", 1, pack("sums", 1, columns), like=columns)
    {'n': 2, 'code': array([3, 5])}
    """
    return seal(kind, str(version), [_series(name, value) for name, value in columns.items()])


def unpack(kind: str, version: int, data: bytes, like: Mapping[str, Any]) -> dict[str, Any]:
    """The columns again; ``like`` has a value of the right type for each.

    Whatever else the bytes are is an error that says so.
    """
    try:
        head, frame = unseal(data)
    except (ForeignError, ChangedError):
        raise measuring.broken_bytes(state=kind) from None
    if head["kind"] != kind:
        raise measuring.other_kind(wanted=kind, found=head["kind"])
    if head["version"] != str(version):
        raise measuring.other_version(state=kind, wanted=version, found=head["version"])
    if dict(frame.schema) != {name: _series(name, value).dtype for name, value in like.items()}:
        raise measuring.broken_bytes(state=kind)
    return {name: _value(frame[name][0]) for name in frame.columns}


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
