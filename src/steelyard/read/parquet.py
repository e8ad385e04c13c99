"""What can be told of a parquet file before it is read: whether its footer and its page headers can be true.

The reader takes what a page header states on trust, and a negative count ends the whole process. So the
headers of the wanted columns are looked at first: some dozens of bytes for each page, none of its rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.messages import say
from steelyard.read.binary import MalformedError, view
from steelyard.read.thrift import Reader

_MAGIC = b"PAR1"
_LARGEST_FOOTER = 1 << 20  # some 10,000 column chunks; beyond, looking would take longer than reading
_LARGEST_HEADER = 1 << 20
_ANY = 2**63
# Numbers that the format gives to the fields: of the footer, a column, its chunks, a page, its values.
_SCHEMA, _ROW_GROUPS, _CHUNKS, _CHUNK = 2, 4, 1, 3
_NAME, _CHILDREN = 4, 5
_PATH, _VALUES, _SIZE, _DATA_OFFSET, _DICTIONARY_OFFSET = 3, 5, 7, 9, 11
_UNPACKED, _PACKED, _DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 2, 3, 5, 7, 8
_PAGE_VALUES, _DEFINITIONS, _REPETITIONS = 1, 5, 6


@dataclass(frozen=True)
class _Chunk:
    column: bytes
    start: int
    size: int
    values: int


@dataclass(frozen=True)
class Layout:
    """Which columns a file has and where they lie; nothing where its footer is too large to be looked at."""

    names: tuple[str, ...]
    chunks: tuple[_Chunk, ...]
    end: int

    def check(self, data: Path | bytes, columns: Collection[str]) -> None:
        """Raise ``MalformedError`` unless the page headers of these columns can be true."""
        wanted = {column.encode() for column in columns}
        whole = view(data)
        for chunk in self.chunks:
            if chunk.column in wanted:
                _check_pages(whole, chunk, self.end)


def layout(data: Path | bytes) -> Layout:
    """What the footer says; ``MalformedError`` where it cannot be one."""
    whole = view(data)
    if whole[:4] != _MAGIC:
        raise MalformedError(say("it does not begin like one"))
    if len(whole) < 12 or whole[-4:] != _MAGIC:
        raise MalformedError(say("it does not end like one, as if it were cut short"))
    length = int.from_bytes(whole[-8:-4], "little")
    start = len(whole) - 8 - length
    if start < 4:
        raise MalformedError(say("its footer is said to be longer than the file"))
    if length > _LARGEST_FOOTER:
        return Layout((), (), start)
    footer = Reader(bytes(whole[start:-8])).struct()
    try:
        return Layout(tuple(_names(footer[_SCHEMA])), tuple(_chunks(footer)), start)
    except (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError):
        raise MalformedError(say("its footer does not say where the columns are")) from None


def _names(schema: Any) -> Iterator[str]:
    """The names of the columns, without those of the parts that a column may have."""
    at = 1
    for _ in range(schema[0][_CHILDREN]):
        yield schema[at][_NAME].decode()
        parts = 1
        while parts > 0:
            parts += schema[at].get(_CHILDREN, 0) - 1
            at += 1


def _chunks(footer: Any) -> Iterator[_Chunk]:
    for group in footer.get(_ROW_GROUPS, ()):
        for one in group[_CHUNKS]:
            chunk = one[_CHUNK]
            start = _DICTIONARY_OFFSET if chunk.get(_DICTIONARY_OFFSET) else _DATA_OFFSET
            size, values = _count(chunk, _SIZE), _count(chunk, _VALUES)
            yield _Chunk(bytes(chunk[_PATH][0]), _count(chunk, start), size, values)


def _check_pages(whole: memoryview, chunk: _Chunk, end: int) -> None:
    at, last, left = chunk.start, chunk.start + chunk.size, chunk.values
    while left:
        if not 4 <= at < last <= end:
            raise MalformedError(say("its pages do not lie where its footer says"))
        header = Reader(whole[at : min(end, at + _LARGEST_HEADER)])
        page = header.struct()
        at += header.at
        packed, unpacked = _count(page, _PACKED, end - at), _count(page, _UNPACKED)
        at += packed
        if _DICTIONARY_PAGE in page:
            _count(page[_DICTIONARY_PAGE], _PAGE_VALUES, unpacked)
        if _DATA_PAGE in page:
            left -= _count(page[_DATA_PAGE], _PAGE_VALUES, left)
        if _DATA_PAGE_2 in page:
            left -= _count(page[_DATA_PAGE_2], _PAGE_VALUES, left)
            _count(page[_DATA_PAGE_2], _DEFINITIONS, packed)
            _count(page[_DATA_PAGE_2], _REPETITIONS, packed)


def _count(fields: Any, number: int, most: int = _ANY) -> int:
    """A field that counts something, of which there can be at most so many."""
    value = fields.get(number) if isinstance(fields, dict) else None
    if not isinstance(value, int) or not 0 <= value <= most:
        raise MalformedError(say("it counts something that cannot be there"))
    return value
