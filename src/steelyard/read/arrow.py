"""What can be told of an arrow file before it is read: whether its messages can be true.

The reader takes the sizes that a message states on trust, and one that is too large ends the whole process.
So the messages are looked at first: one for each batch of rows, and none of its values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from struct import Struct

import numpy as np

from steelyard.read.text import MalformedError, view
from steelyard.text import say

MAGIC = b"ARROW1"
_CONTINUED = 0xFFFFFFFF
# Numbers that the format gives to the fields: of the footer, of a message and its kinds, of a batch of rows.
_FOOTER_SCHEMA, _FOOTER_DICTIONARIES, _FOOTER_BATCHES = 1, 2, 3
_KIND, _HEADER, _BODY = 1, 2, 3
_SCHEMA, _DICTIONARY = 1, 2
_FIELDS, _NAME, _DICTIONARY_BATCH = 1, 0, 1
_ROWS, _NODES, _BUFFERS, _COMPRESSION, _CODEC = 0, 1, 2, 3, 0
_BLOCK = np.dtype([("start", "<i8"), ("message", "<i4"), ("gap", "<i4"), ("body", "<i8")])
# The start and the size of a buffer; or how many values a column has, and how many of them are null.
_PAIR = np.dtype([("first", "<i8"), ("second", "<i8")])
# How many bytes one packed byte can stand for: LZ4 counts lengths in bytes of up to 255, and a block of zstd
# that repeats one byte has four for 128 KiB.
_MOST = {0: 255, 1: 1 << 15}
_BYTE, _SHORT, _INT, _UNSIGNED, _LONG = (Struct(f"<{form}") for form in "bHiIq")


def names(data: Path | bytes) -> list[str]:
    """The names of the columns, doubled ones too; ``MalformedError`` where the file cannot be sound."""
    whole = view(data)
    return _of_file(whole) if whole[: len(MAGIC)] == MAGIC else _of_stream(whole)


def _of_file(whole: memoryview) -> list[str]:
    if len(whole) < 2 * len(MAGIC) or whole[-len(MAGIC) :] != MAGIC:
        raise MalformedError(say("it does not end like one, as if it were cut short"))
    end = len(whole) - len(MAGIC) - 4
    start = end - _unpacked(_INT, whole, end)
    if not 0 < start < end:
        raise MalformedError(say("its footer is said to be longer than the file"))
    footer = _Flat.root(whole[start:end])
    for number in (_FOOTER_DICTIONARIES, _FOOTER_BATCHES):
        for block in np.frombuffer(footer.entries(number, _BLOCK.itemsize), _BLOCK):
            message, at = _message(whole[:start], int(block["start"]))
            if message is None or at != block["start"] + block["message"]:
                raise MalformedError(say("its footer points to where no rows are"))
            if _check_batch(message, whole[at:start]) != block["body"]:
                raise MalformedError(say("its footer points to where no rows are"))
    return _named(footer.table(_FOOTER_SCHEMA))


def _of_stream(whole: memoryview) -> list[str]:
    message, at = _message(whole, 0)
    if message is None or message.integer(_KIND, _BYTE) != _SCHEMA:
        raise MalformedError(say("it does not begin like one"))
    found = _named(message.table(_HEADER))
    while at < len(whole):
        message, at = _message(whole, at)
        if message is None:
            break
        at += _check_batch(message, whole[at:])
    return found


def _message(whole: memoryview, at: int) -> tuple[_Flat | None, int]:
    """The message at a place, None where the last one was before it, and where its body begins."""
    size = _unpacked(_UNSIGNED, whole, at)
    at += 4
    if size == _CONTINUED:  # as all do since 2019
        size = _unpacked(_UNSIGNED, whole, at)
        at += 4
    if not size:
        return None, at
    if size > len(whole) - at:
        raise MalformedError(say("it ends too early, as if it were cut short"))
    return _Flat.root(whole[at : at + size]), at + size


def _check_batch(message: _Flat, rest: memoryview) -> int:
    """The size of a message's body, which begins ``rest``, if all that it should hold fits in."""
    size = message.integer(_BODY, _LONG)
    batch = message.table(_HEADER)
    if batch is not None and message.integer(_KIND, _BYTE) == _DICTIONARY:
        batch = batch.table(_DICTIONARY_BATCH)
    if batch is None or not 0 <= size <= len(rest):
        raise MalformedError(say("it ends too early, as if it were cut short"))
    counts = np.frombuffer(batch.entries(_NODES, _PAIR.itemsize), _PAIR)
    buffers = np.frombuffer(batch.entries(_BUFFERS, _PAIR.itemsize), _PAIR)
    starts, sizes = buffers["first"], buffers["second"]
    if (
        batch.integer(_ROWS, _LONG) < 0
        or (counts["first"] < 0).any()
        or (counts["second"] < 0).any()
        or (counts["second"] > counts["first"]).any()
        or (starts < 0).any()
        or (sizes < 0).any()
        or (starts > size - sizes).any()
    ):
        raise MalformedError(say("it counts something that cannot be there"))
    compression = batch.table(_COMPRESSION)
    if compression is not None:
        most = _MOST.get(compression.integer(_CODEC, _BYTE), 0)
        for start, packed in zip(starts.tolist(), sizes.tolist(), strict=True):
            # The _unpacked size comes first, or -1 for what is not packed.
            if packed and not (packed >= 8 and -1 <= _unpacked(_LONG, rest, start) <= packed * most):
                raise MalformedError(say("it counts something that cannot be there"))
    return size


def _named(schema: _Flat | None) -> list[str]:
    fields = schema.tables(_FIELDS) if schema is not None else ()
    return [bytes(field.entries(_NAME, 1)).decode() for field in fields]


@dataclass(frozen=True)
class _Flat:
    """A table in ``data``: it begins with the way back to a list that says where each of its fields lies.

    >>> table = _Flat.root(bytes([10, 0, 0, 0, 6, 0, 8, 0, 4, 0, 6, 0, 0, 0, 7, 0, 0, 0]))
    >>> table.integer(0, _INT), table.integer(1, _INT)
    (7, 0)
    """

    data: bytes | memoryview
    at: int

    @classmethod
    def root(cls, data: bytes | memoryview) -> _Flat:
        return cls(data, _unpacked(_UNSIGNED, data, 0))

    def _place(self, number: int) -> int | None:
        """Where field ``number`` lies; None where it is left out."""
        listing = self.at - _unpacked(_INT, self.data, self.at)
        if 4 + 2 * number >= _unpacked(_SHORT, self.data, listing):
            return None
        offset = _unpacked(_SHORT, self.data, listing + 4 + 2 * number)
        return self.at + offset if offset else None

    def integer(self, number: int, form: Struct) -> int:
        place = self._place(number)
        return 0 if place is None else _unpacked(form, self.data, place)

    def table(self, number: int) -> _Flat | None:
        place = self._place(number)
        return None if place is None else self._pointed(place)

    def _pointed(self, place: int) -> _Flat:
        return _Flat(self.data, place + _unpacked(_UNSIGNED, self.data, place))

    def entries(self, number: int, width: int) -> memoryview:
        start, count = self._list(number)
        end = start + width * count
        if end > len(self.data):
            raise MalformedError(say("a list in it is longer than itself"))
        return memoryview(self.data)[start:end]

    def tables(self, number: int) -> Iterator[_Flat]:
        start, count = self._list(number)
        return (self._pointed(start + 4 * i) for i in range(count))

    def _list(self, number: int) -> tuple[int, int]:
        place = self._place(number)
        if place is None:
            return 0, 0
        start = self._pointed(place).at
        return start + 4, _unpacked(_UNSIGNED, self.data, start)


def _unpacked(form: Struct, data: bytes | memoryview, at: int) -> int:
    if not 0 <= at <= len(data) - form.size:
        raise MalformedError(say("it points to where nothing is"))
    return int(form.unpack_from(data, at)[0])
