"""Headers of parquet and arrow files, checked before Polars reads the files.

Polars trusts the sizes and counts of headers, and a wrong one ends the whole process. Only headers are read
here: of parquet those of the wanted columns, of arrow one for each batch of rows.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from steelyard.text import Message, say

PARQUET = b"PAR1"
ARROW = b"ARROW1"

_BEGINNING = say("it does not begin like one")
_ENDING = say("it does not end like one, as if it were cut short")
_CUT_SHORT = say("it ends too early, as if it were cut short")
_LONG_FOOTER = say("its footer states a length beyond the file")
_NO_ROWS = say("its footer points to where no rows are")
_COUNT = say("it counts something that cannot be there")


class MalformedError(ValueError):
    """Bytes that are not of the stated format; the one argument is the message that says why."""


def reason_of(error: BaseException) -> str:
    """Why something could not be read: as a message where it is ours, else in the words of the reader."""
    if isinstance(error, MalformedError):
        why: Message = error.args[0]
        return why
    return str(error).strip()


def view(data: Path | bytes) -> memoryview:
    """The bytes of a file. The disk is read only where they are looked at."""
    if isinstance(data, bytes):
        return memoryview(data)
    with data.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _require(fits: bool, reason: Message) -> None:
    if not fits:
        raise MalformedError(reason)


_LARGEST_FOOTER = 1 << 20  # some 10,000 column chunks; a larger one takes longer to check than to read
_LARGEST_HEADER = 1 << 20
_ANY = 2**63
# Numbers that parquet gives to the fields: of the footer, a column, its chunks, a page, its values.
_SCHEMA, _ROW_GROUPS, _CHUNKS, _CHUNK = 2, 4, 1, 3
_NAME, _CHILDREN = 4, 5
_PATH, _VALUES, _SIZE, _DATA_OFFSET, _DICTIONARY_OFFSET = 3, 5, 7, 9, 11
_UNPACKED, _PACKED, _DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 2, 3, 5, 7, 8
_PAGE_VALUES, _DEFINITIONS, _REPETITIONS = 1, 5, 6
Fields: TypeAlias = dict[int, Any]


class Chunk(NamedTuple):
    """The values of one column in one group of rows, and where its pages lie."""

    column: bytes
    start: int
    size: int
    values: int


@dataclass(frozen=True)
class ParquetLayout:
    """Which columns a parquet file has and where they lie; empty where its footer is too large to check."""

    names: tuple[str, ...]
    chunks: tuple[Chunk, ...]
    end: int

    def check(self, data: Path | bytes, columns: Collection[str]) -> None:
        """Raise ``MalformedError`` unless the page headers of these columns can be true."""
        wanted = {column.encode() for column in columns}
        whole = view(data)
        for chunk in self.chunks:
            if chunk.column in wanted:
                _check_pages(whole, chunk, self.end)


def parquet_layout(data: Path | bytes) -> ParquetLayout:
    whole = view(data)
    _require(whole[:4] == PARQUET, _BEGINNING)
    _require(len(whole) >= 12 and whole[-4:] == PARQUET, _ENDING)
    length = int.from_bytes(whole[-8:-4], "little")
    start = len(whole) - 8 - length
    _require(start >= 4, _LONG_FOOTER)
    if length > _LARGEST_FOOTER:
        return ParquetLayout((), (), start)
    footer = Thrift(bytes(whole[start:-8])).struct()
    try:
        return ParquetLayout(tuple(_column_names(footer[_SCHEMA])), tuple(_chunks(footer)), start)
    except (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError):
        raise MalformedError(say("its footer does not say where the columns are")) from None


def _column_names(schema: Any) -> Iterator[str]:
    at = 1
    for _ in range(schema[0][_CHILDREN]):
        yield schema[at][_NAME].decode()
        parts = 1
        while parts > 0:
            parts += schema[at].get(_CHILDREN, 0) - 1
            at += 1


def _chunks(footer: Any) -> Iterator[Chunk]:
    for group in footer.get(_ROW_GROUPS, ()):
        for column in group[_CHUNKS]:
            chunk = column[_CHUNK]
            start = _DICTIONARY_OFFSET if chunk.get(_DICTIONARY_OFFSET) else _DATA_OFFSET
            size, values = _count(chunk, _SIZE), _count(chunk, _VALUES)
            yield Chunk(bytes(chunk[_PATH][0]), _count(chunk, start), size, values)


def _check_pages(whole: memoryview, chunk: Chunk, end: int) -> None:
    at, last, left = chunk.start, chunk.start + chunk.size, chunk.values
    while left:
        _require(4 <= at < last <= end, say("its pages do not lie where its footer says"))
        header = Thrift(whole[at : min(end, at + _LARGEST_HEADER)])
        page = header.struct()
        at += header.at
        packed, unpacked = _count(page, _PACKED, end - at), _count(page, _UNPACKED)
        at += packed
        if _DICTIONARY_PAGE in page:
            _count(page[_DICTIONARY_PAGE], _PAGE_VALUES, unpacked)
        for kind in (_DATA_PAGE, _DATA_PAGE_2):
            left -= _count(page[kind], _PAGE_VALUES, left) if kind in page else 0
        for levels in (_DEFINITIONS, _REPETITIONS) if _DATA_PAGE_2 in page else ():
            _count(page[_DATA_PAGE_2], levels, packed)


def _count(fields: Any, number: int, most: int = _ANY) -> int:
    """A field that counts something, at most ``most``."""
    value = fields.get(number) if isinstance(fields, dict) else None
    if not isinstance(value, int) or not 0 <= value <= most:
        raise MalformedError(_COUNT)
    return value


_DEEPEST = 16
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)
_WIDTHS = {_TRUE: 1, _FALSE: 1, _BYTE: 1, _DOUBLE: 8}  # in a list true and false take a byte each


class Thrift:
    """Reads structures of Thrift's compact protocol one after another; ``at`` is where the next one begins.

    A structure is the dict of its fields by number.

    >>> Thrift(bytes([0x15, 12, 0x18, 2, 104, 105, 0])).struct()
    {1: 6, 2: b'hi'}
    """

    def __init__(self, data: bytes | memoryview) -> None:
        self._data = data
        self.at = 0

    def struct(self, depth: int = 0) -> Fields:
        fields: Fields = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind in _WIDTHS:
            return self._bytes(_WIDTHS[kind])
        _require(depth <= _DEEPEST, say("it is nested too deeply"))
        if kind == _STRUCT:
            return self.struct(depth)
        _require(kind in (_LIST, _SET), say("it has a field of a type that does not exist"))
        head = self._byte()
        size = self._unsigned() if head >> 4 == 15 else head >> 4
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _integer(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) > 127:
            value, shift = value | (byte & 127) << shift, shift + 7
            _require(shift < 77, say("it has a number that is too long"))
        return value | byte << shift

    def _byte(self) -> int:
        if self.at >= len(self._data):
            raise MalformedError(_CUT_SHORT)
        self.at += 1
        return self._data[self.at - 1]

    def _bytes(self, count: int) -> bytes:
        self.at += count
        _require(self.at <= len(self._data), _CUT_SHORT)
        return bytes(self._data[self.at - count : self.at])


_CONTINUED = 0xFFFFFFFF
# Numbers that arrow gives to the fields: of the footer, of a message and its kinds, of a batch of rows.
_FOOTER_SCHEMA, _FOOTER_DICTIONARIES, _FOOTER_BATCHES = 1, 2, 3
_KIND, _HEADER, _BODY = 1, 2, 3
_SCHEMA_MESSAGE, _DICTIONARY_MESSAGE = 1, 2
_FIELDS, _FIELD_NAME, _DICTIONARY_BATCH = 1, 0, 1
_ROWS, _NODES, _BUFFERS, _COMPRESSION, _CODEC = 0, 1, 2, 3, 0
_BLOCK = np.dtype([("start", "<i8"), ("message", "<i4"), ("gap", "<i4"), ("body", "<i8")])
# How many bytes one packed byte can stand for: LZ4 counts lengths in bytes of up to 255, and a block of zstd
# that repeats one byte has four for 128 KiB.
_MOST = {0: 255, 1: 1 << 15}
_INT8, _INT16, _INT32, _UINT32, _INT64 = (Struct(f"<{form}") for form in "bHiIq")


def arrow_names(data: Path | bytes) -> list[str]:
    """The names of the columns, doubled ones too; ``MalformedError`` where the file cannot be sound."""
    whole = view(data)
    return _of_file(whole) if whole[: len(ARROW)] == ARROW else _of_stream(whole)


def _of_file(whole: memoryview) -> list[str]:
    _require(len(whole) >= 2 * len(ARROW) and whole[-len(ARROW) :] == ARROW, _ENDING)
    end = len(whole) - len(ARROW) - 4
    start = end - _unpacked(_INT32, whole, end)
    _require(0 < start < end, _LONG_FOOTER)
    footer = _Flat.root(whole[start:end])
    for number in (_FOOTER_DICTIONARIES, _FOOTER_BATCHES):
        for block in np.frombuffer(footer.entries(number, _BLOCK.itemsize), _BLOCK):
            message, at = _message(whole[:start], int(block["start"]))
            if message is None or at != block["start"] + block["message"]:
                raise MalformedError(_NO_ROWS)
            _require(_checked_batch(message, whole[at:start]) == block["body"], _NO_ROWS)
    return _named(footer.table(_FOOTER_SCHEMA))


def _of_stream(whole: memoryview) -> list[str]:
    message, at = _message(whole, 0)
    if message is None or message.integer(_KIND, _INT8) != _SCHEMA_MESSAGE:
        raise MalformedError(_BEGINNING)
    names = _named(message.table(_HEADER))
    while at < len(whole):
        message, at = _message(whole, at)
        if message is None:
            break
        at += _checked_batch(message, whole[at:])
    return names


def _message(whole: memoryview, at: int) -> tuple[_Flat | None, int]:
    """The message at a place, None where the last one was before it, and where its body begins."""
    size = _unpacked(_UINT32, whole, at)
    at += 4
    if size == _CONTINUED:  # as all do since 2019
        size = _unpacked(_UINT32, whole, at)
        at += 4
    if not size:
        return None, at
    _require(size <= len(whole) - at, _CUT_SHORT)
    return _Flat.root(whole[at : at + size]), at + size


def _checked_batch(message: _Flat, rest: memoryview) -> int:
    """The size of a message's body, which begins ``rest``, if all that it should hold fits in."""
    size = message.integer(_BODY, _INT64)
    batch = message.table(_HEADER)
    if batch is not None and message.integer(_KIND, _INT8) == _DICTIONARY_MESSAGE:
        batch = batch.table(_DICTIONARY_BATCH)
    if batch is None or not 0 <= size <= len(rest):
        raise MalformedError(_CUT_SHORT)
    values, nulls = batch.pairs(_NODES)  # of each column
    starts, sizes = batch.pairs(_BUFFERS)
    natural = batch.integer(_ROWS, _INT64) >= 0
    natural = natural and all(bool((part >= 0).all()) for part in (values, nulls, starts, sizes))
    _require(natural and bool((nulls <= values).all() and (starts <= size - sizes).all()), _COUNT)
    compression = batch.table(_COMPRESSION)
    if compression is not None:
        most = _MOST.get(compression.integer(_CODEC, _INT8), 0)
        for start, packed in zip(starts.tolist(), sizes.tolist(), strict=True):
            # the unpacked size comes first, or -1 for what is not packed
            fits = not packed or (packed >= 8 and -1 <= _unpacked(_INT64, rest, start) <= packed * most)
            _require(fits, _COUNT)
    return size


def _named(schema: _Flat | None) -> list[str]:
    fields = schema.tables(_FIELDS) if schema is not None else ()
    return [bytes(field.entries(_FIELD_NAME, 1)).decode() for field in fields]


@dataclass(frozen=True)
class _Flat:
    """A FlatBuffers table in ``data``: it begins with the way back to a list of where its fields lie.

    >>> table = _Flat.root(bytes([10, 0, 0, 0, 6, 0, 8, 0, 4, 0, 6, 0, 0, 0, 7, 0, 0, 0]))
    >>> table.integer(0, _INT32), table.integer(1, _INT32)
    (7, 0)
    """

    data: bytes | memoryview
    at: int

    @classmethod
    def root(cls, data: bytes | memoryview) -> _Flat:
        return cls(data, _unpacked(_UINT32, data, 0))

    def _place(self, number: int) -> int | None:
        """Where field ``number`` lies; None where it is left out."""
        listing = self.at - _unpacked(_INT32, self.data, self.at)
        if 4 + 2 * number >= _unpacked(_INT16, self.data, listing):
            return None
        offset = _unpacked(_INT16, self.data, listing + 4 + 2 * number)
        return self.at + offset if offset else None

    def _pointed(self, place: int) -> _Flat:
        return _Flat(self.data, place + _unpacked(_UINT32, self.data, place))

    def integer(self, number: int, form: Struct) -> int:
        place = self._place(number)
        return 0 if place is None else _unpacked(form, self.data, place)

    def table(self, number: int) -> _Flat | None:
        place = self._place(number)
        return None if place is None else self._pointed(place)

    def entries(self, number: int, width: int) -> memoryview:
        start, count = self._list(number)
        end = start + width * count
        _require(end <= len(self.data), say("a list in it is longer than itself"))
        return memoryview(self.data)[start:end]

    def pairs(self, number: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """A list of pairs of integers: the first of each, then the second of each."""
        return np.frombuffer(self.entries(number, 16), "<i8").reshape(-1, 2).T

    def tables(self, number: int) -> Iterator[_Flat]:
        start, count = self._list(number)
        return (self._pointed(start + 4 * i) for i in range(count))

    def _list(self, number: int) -> tuple[int, int]:
        place = self._place(number)
        if place is None:
            return 0, 0
        start = self._pointed(place).at
        return start + 4, _unpacked(_UINT32, self.data, start)


def _unpacked(form: Struct, data: bytes | memoryview, at: int) -> int:
    _require(0 <= at <= len(data) - form.size, say("it points to where nothing is"))
    return int(form.unpack_from(data, at)[0])
