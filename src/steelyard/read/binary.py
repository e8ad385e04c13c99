"""Bytes of a file, or of a pipe, without a copy."""

from __future__ import annotations

import mmap
from pathlib import Path


class MalformedError(ValueError):
    """Bytes that cannot be what they are said to be."""


def view(data: Path | bytes) -> memoryview:
    """The bytes, of which only those that are looked at are read from the disk."""
    if isinstance(data, bytes):
        return memoryview(data)
    with data.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
