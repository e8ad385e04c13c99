"""Bytes of a file, or of a pipe, without a copy."""

from __future__ import annotations

import mmap
from pathlib import Path

from steelyard.messages import Message


class MalformedError(ValueError):
    """Bytes that cannot be what they are said to be; its one argument is the message that says why."""


def reason_of(error: BaseException) -> str:
    """Why something could not be read: as a message where it is ours, else in the words of the reader."""
    if isinstance(error, MalformedError):
        why: Message = error.args[0]
        return why
    return str(error).strip()


def view(data: Path | bytes) -> memoryview:
    """The bytes, of which only those that are looked at are read from the disk."""
    if isinstance(data, bytes):
        return memoryview(data)
    with data.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
