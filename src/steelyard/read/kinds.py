"""What a file is by its first bytes, whatever its ending says; and its bytes without a copy."""

from __future__ import annotations

import mmap
from pathlib import Path

from steelyard.messages import Message, say
from steelyard.messages.errors import opening

BINARY = {"parquet": b"PAR1", "arrow": b"ARROW1"}

_PACKED = say("decompress it first; .gz and .zst are read as they are")
_PICKLE = (say("a Python pickle"), say("give the object in Python: pandas.read_pickle(…)"))
# The place of a sign, the sign, what begins so, and what to do with it. None of it begins a text.
_FOREIGN = (
    (0, b"PK\x03\x04", say("a zip archive or a spreadsheet"), say("unzip it, or save the sheet as csv")),
    (0, bytes.fromhex("d0cf11e0a1b11ae1"), say("an old spreadsheet"), say("save the sheet as csv")),
    (
        0,
        b"SQLite format 3\0",
        say("an SQLite database"),
        say("export the table: sqlite3 -header -csv FILE 'select …'"),
    ),
    (8, b"DUCK", say("a DuckDB database"), say("give the relation in Python: duckdb.connect(…).table(…)")),
    (0, b"\x93NUMPY", say("a NumPy array"), say("give the array in Python: numpy.load(…)")),
    (0, b"\x89HDF", say("an HDF5 file"), say("give the frame in Python: pandas.read_hdf(…)")),
    (0, b"Obj\x01", say("an Avro file"), say("convert it to parquet")),
    (4, b"1AY&SY", say("compressed with bzip2"), _PACKED),
    (0, b"\xfd7zXZ\0", say("compressed with xz"), _PACKED),
    (0, b"7z\xbc\xaf", say("a 7z archive"), _PACKED),
    *((0, bytes([0x80, version]), *_PICKLE) for version in (2, 3, 4, 5)),
)
_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def by_content(head: bytes) -> str | None:
    """The kind of a binary file that can be read."""
    return next((kind for kind, sign in BINARY.items() if head.startswith(sign)), None)


def check_foreign(name: str, head: bytes) -> None:
    """Refuse what is known and is no text."""
    for place, sign, what, remedy in _FOREIGN:
        if head.startswith(sign, place):
            raise opening.foreign(name=name, what=what, remedy=remedy)


def check_encoding(name: str, head: bytes) -> None:
    """Refuse text in units of more than one byte."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            raise opening.utf16(name=name, encoding=encoding, from_code=encoding.lower())
    start = head[:64]
    # ASCII as UTF-16 without a mark: every other byte is 0.
    if len(start) > 3 and (not any(start[::2]) or not any(start[1::2])):
        raise opening.utf16(name=name, encoding="UTF-16", from_code="utf-16")


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
