"""Columns as the bytes of an Arrow file that says what it is, and back; a changed byte is seen."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from hashlib import blake2b
from io import BytesIO

import polars as pl

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
