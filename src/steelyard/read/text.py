"""Text before it is parsed: what it is compressed with, and bytes that readers take in different ways."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.messages.errors import opening
from steelyard.messages.errors.base import ReadError

Data = Path | bytes
Trouble = Callable[[str, int | None], ReadError]  # the name of a file and a line of it
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20
_LF, _CR = b"\n\r"


def check(name: str, data: Data) -> None:
    """Refuse a NUL byte, a carriage return without a line feed, and what is not UTF-8, by its line."""
    if start(data).startswith((GZIP, ZSTD)):
        _check_packed(name, data)
        return
    found = _first_trouble(data)
    if found is not None:
        trouble, at = found
        raise trouble(name, _line(data, at))


def _first_trouble(data: Data) -> tuple[Trouble, int] | None:
    """What is wrong with the bytes, and where: three looks at each block, all faster than the disk."""
    before = 0
    for block in _blocks(data):
        if b"\0" in block:
            return opening.nul_byte, before + block.index(b"\0")
        if b"\r" in block:
            values = np.frombuffer(block + b" ", dtype=np.uint8)
            alone = np.flatnonzero((values[:-1] == _CR) & (values[1:] != _LF))
            if len(alone):
                return opening.lone_return, before + int(alone[0])
        if not block.isascii():
            try:
                block.decode()
            except UnicodeDecodeError as error:
                return opening.not_utf8, before + error.start
        before += len(block)
    return None


def _check_packed(name: str, data: Data) -> None:
    # Polars decompresses faster than the standard library, which has no zstd before Python 3.14.
    lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
    try:
        odd = lines.filter(pl.col("line").str.contains("[\0\r]")).head(1).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unpacking_trouble(name, data, str(error).lower()) from None
    unpack = "gunzip -c" if start(data).startswith(GZIP) else "zstd -dc"
    for number, line in odd.rows():
        trouble = opening.nul_byte if "\0" in line else opening.lone_return
        raise trouble(name, number, unpack=unpack)


def _unpacking_trouble(name: str, data: Data, reason: str) -> ReadError:
    packed_by_gzip = start(data).startswith(GZIP)
    if "utf8" in reason or "utf-8" in reason:
        try:
            found = _first_trouble(data) if packed_by_gzip else None
        except (EOFError, OSError, zlib.error):  # what was packed is odd because the packing is damaged
            return opening.damaged(name)
        return opening.not_utf8(name, _line(data, found[1]) if found is not None else None)
    if packed_by_gzip and _has_trailing(data):
        return opening.trailing_bytes(name=name)
    if "unexpected end of file" in reason or "incomplete frame" in reason:
        return opening.damaged(name, cut_short=True)
    return opening.damaged(name)


def _line(data: Data, at: int) -> int:
    """The number of the line that holds byte ``at``."""
    line = 1
    for block in _blocks(data):
        line += block.count(b"\n", 0, at)
        at -= len(block)
        if at < 0:
            break
    return line


def _blocks(data: Data) -> Iterator[bytes]:
    """The bytes in blocks of whole lines, decompressed where the standard library can."""
    with _opened(data) as file:
        while block := file.read(_BLOCK):
            yield block + file.readline()


def _opened(data: Data) -> io.BufferedIOBase:
    if isinstance(data, bytes):
        return io.BytesIO(gzip.decompress(data) if data.startswith(GZIP) else data)
    return gzip.open(data) if start(data).startswith(GZIP) else data.open("rb")


def whole(data: Data) -> bytes:
    """All of the bytes, as they are."""
    return data if isinstance(data, bytes) else data.read_bytes()


def start(data: Data) -> bytes:
    """The first bytes, which tell how the rest is compressed."""
    if isinstance(data, bytes):
        return data[:4]
    with data.open("rb") as file:
        return file.read(4)


def first_lines(data: Data, head: bytes) -> bytes:
    """The first lines, decompressed, or nothing when they cannot be read."""
    if head.startswith(GZIP):
        try:
            return zlib.decompressobj(wbits=31).decompress(head, _BLOCK)
        except zlib.error:
            return b""
    return _first_line(data).encode() if head.startswith(ZSTD) else head


def _first_line(data: Data) -> str:
    try:
        return str(pl.scan_lines(data, glob=False).head(1).collect().item())
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return ""


def _has_trailing(data: Data) -> bool:
    """Whether something follows a whole gzip member that is not another one."""
    rest = whole(data)
    try:
        while rest.startswith(GZIP):
            member = zlib.decompressobj(wbits=31)
            member.decompress(rest)
            if not member.eof:
                return False
            rest = member.unused_data
    except zlib.error:
        return False
    return bool(rest)
