"""What can be told of a parquet file before it is read: whether its footer and its page headers can be true.

The reader takes what a page header states on trust, and a negative count ends the whole process. So the
headers of the wanted columns are looked at first: some dozens of bytes for each page, none of its rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from steelyard.read.text import MalformedError, view
from steelyard.text import say

MAGIC = b"PAR1"
_LARGEST_FOOTER = 1 << 20  # some 10,000 column chunks; beyond, looking would take longer than reading
_LARGEST_HEADER = 1 << 20
_ANY = 2**63
# Numbers that the format gives to the fields: of the footer, a column, its chunks, a page, its values.
_SCHEMA, _ROW_GROUPS, _CHUNKS, _CHUNK = 2, 4, 1, 3
_NAME, _CHILDREN = 4, 5
_PATH, _VALUES, _SIZE, _DATA_OFFSET, _DICTIONARY_OFFSET = 3, 5, 7, 9, 11
_UNPACKED, _PACKED, _DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 2, 3, 5, 7, 8
_PAGE_VALUES, _DEFINITIONS, _REPETITIONS = 1, 5, 6
Fields: TypeAlias = dict[int, Any]
_DEEPEST = 16
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)


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
    whole = view(data)
    if whole[:4] != MAGIC:
        raise MalformedError(say("it does not begin like one"))
    if len(whole) < 12 or whole[-4:] != MAGIC:
        raise MalformedError(say("it does not end like one, as if it were cut short"))
    length = int.from_bytes(whole[-8:-4], "little")
    start = len(whole) - 8 - length
    if start < 4:
        raise MalformedError(say("its footer is said to be longer than the file"))
    if length > _LARGEST_FOOTER:
        return Layout((), (), start)
    footer = Thrift(bytes(whole[start:-8])).struct()
    try:
        return Layout(tuple(_names(footer[_SCHEMA])), tuple(_chunks(footer)), start)
    except (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError):
        raise MalformedError(say("its footer does not say where the columns are")) from None


def _names(schema: Any) -> Iterator[str]:
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
        header = Thrift(whole[at : min(end, at + _LARGEST_HEADER)])
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


class Thrift:
    """Reads structures of Thrift's compact protocol one after another; ``at`` is where the next one begins.

    A structure is the dict of its fields by number.

    >>> Thrift(bytes([0x15, 12, 0x18, 2, 104, 105, 0])).struct()
    {1: 6, 2: b'hi'}
    """

    def __init__(self, data: bytes | memoryview) -> None:
        self._data = data
        self.at = 0

    def struct(self) -> Fields:
        try:
            return self._struct(0)
        except IndexError:
            raise MalformedError(say("it ends too early, as if it were cut short")) from None

    def _struct(self, depth: int) -> Fields:
        fields: Fields = {}
        number = 0
        while head := self._data[self.at]:
            self.at += 1
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            if kind in _INTEGERS:
                fields[number] = self._integer()
            elif kind in (_TRUE, _FALSE):
                fields[number] = kind == _TRUE
            else:
                fields[number] = self._value(kind, depth + 1)
        self.at += 1
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise MalformedError(say("it is nested too deeply"))
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind == _STRUCT:
            return self._struct(depth)
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind in (_BYTE, _TRUE, _FALSE):  # true and false take a byte each in a list
            return self._bytes(1)
        raise MalformedError(say("it has a field of a type that does not exist"))

    def _list(self, depth: int) -> list[Any]:
        head = self._data[self.at]
        self.at += 1
        size = self._unsigned() if head >> 4 == 15 else head >> 4
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _integer(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        byte = self._data[self.at]
        self.at += 1
        if byte < 128:
            return byte
        value, shift = byte & 127, 7
        while byte & 128:
            byte = self._data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if shift > 70:
                raise MalformedError(say("it has a number that is too long"))
        return value

    def _bytes(self, count: int) -> bytes:
        start = self.at
        self.at += count
        if self.at > len(self._data):
            raise MalformedError(say("it ends too early, as if it were cut short"))
        return bytes(self._data[start : self.at])
