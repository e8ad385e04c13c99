"""What can be told of an arrow file before it is read: whether its messages can be true.

The reader takes the sizes that a message states on trust, and one that is too large ends the whole process.
So the messages are looked at first: one for each batch of rows, and none of its values.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from steelyard.messages import say
from steelyard.read.binary import MalformedError, view
from steelyard.read.flatbuffers import BYTE, INT, LONG, UNSIGNED, Table, unpacked

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


def names(data: Path | bytes) -> list[str]:
    """The names of the columns, doubled ones too; ``MalformedError`` where the file cannot be sound."""
    whole = view(data)
    return _of_file(whole) if whole[: len(MAGIC)] == MAGIC else _of_stream(whole)


def _of_file(whole: memoryview) -> list[str]:
    if len(whole) < 2 * len(MAGIC) or whole[-len(MAGIC) :] != MAGIC:
        raise MalformedError(say("it does not end like one, as if it were cut short"))
    end = len(whole) - len(MAGIC) - 4
    start = end - unpacked(INT, whole, end)
    if not 0 < start < end:
        raise MalformedError(say("its footer is said to be longer than the file"))
    footer = Table.root(whole[start:end])
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
    if message is None or message.integer(_KIND, BYTE) != _SCHEMA:
        raise MalformedError(say("it does not begin like one"))
    found = _named(message.table(_HEADER))
    while at < len(whole):
        message, at = _message(whole, at)
        if message is None:
            break
        at += _check_batch(message, whole[at:])
    return found


def _message(whole: memoryview, at: int) -> tuple[Table | None, int]:
    """The message at a place, None where the last one was before it, and where its body begins."""
    size = unpacked(UNSIGNED, whole, at)
    at += 4
    if size == _CONTINUED:  # as all do since 2019
        size = unpacked(UNSIGNED, whole, at)
        at += 4
    if not size:
        return None, at
    if size > len(whole) - at:
        raise MalformedError(say("it ends too early, as if it were cut short"))
    return Table.root(whole[at : at + size]), at + size


def _check_batch(message: Table, rest: memoryview) -> int:
    """The size of a message's body, which begins ``rest``, if all that it should hold fits in."""
    size = message.integer(_BODY, LONG)
    batch = message.table(_HEADER)
    if batch is not None and message.integer(_KIND, BYTE) == _DICTIONARY:
        batch = batch.table(_DICTIONARY_BATCH)
    if batch is None or not 0 <= size <= len(rest):
        raise MalformedError(say("it ends too early, as if it were cut short"))
    counts = np.frombuffer(batch.entries(_NODES, _PAIR.itemsize), _PAIR)
    buffers = np.frombuffer(batch.entries(_BUFFERS, _PAIR.itemsize), _PAIR)
    starts, sizes = buffers["first"], buffers["second"]
    if (
        batch.integer(_ROWS, LONG) < 0
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
        most = _MOST.get(compression.integer(_CODEC, BYTE), 0)
        for start, packed in zip(starts.tolist(), sizes.tolist(), strict=True):
            # The unpacked size comes first, or -1 for what is not packed.
            if packed and not (packed >= 8 and -1 <= unpacked(LONG, rest, start) <= packed * most):
                raise MalformedError(say("it counts something that cannot be there"))
    return size


def _named(schema: Table | None) -> list[str]:
    fields = schema.tables(_FIELDS) if schema is not None else ()
    return [bytes(field.entries(_NAME, 1)).decode() for field in fields]
