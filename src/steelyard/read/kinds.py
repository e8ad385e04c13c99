"""What a file is by its first bytes, whatever its ending says."""

from __future__ import annotations

from steelyard.errors import opening

BINARY = {"parquet": b"PAR1", "arrow": b"ARROW1"}

_PACKED = "decompress it first; .gz and .zst are read as they are"
# The place of a sign, the sign, what begins so, and what to do with it. None of it begins a text.
_FOREIGN = (
    (0, b"PK\x03\x04", "a zip archive or a spreadsheet", "unzip it, or save the sheet as csv"),
    (0, bytes.fromhex("d0cf11e0a1b11ae1"), "an old spreadsheet", "save the sheet as csv"),
    (0, b"SQLite format 3\0", "an SQLite database", "export the table: sqlite3 -header -csv FILE 'select …'"),
    (8, b"DUCK", "a DuckDB database", "give the relation in Python: duckdb.connect(…).table(…)"),
    (0, b"\x93NUMPY", "a NumPy array", "give the array in Python: numpy.load(…)"),
    (0, b"\x89HDF", "an HDF5 file", "give the frame in Python: pandas.read_hdf(…)"),
    (0, b"Obj\x01", "an Avro file", "convert it to parquet"),
    (4, b"1AY&SY", "compressed with bzip2", _PACKED),
    (0, b"\xfd7zXZ\0", "compressed with xz", _PACKED),
    (0, b"7z\xbc\xaf", "a 7z archive", _PACKED),
    (0, b"\x80\x02", "a Python pickle", "give the object in Python: pandas.read_pickle(…)"),
    (0, b"\x80\x03", "a Python pickle", "give the object in Python: pandas.read_pickle(…)"),
    (0, b"\x80\x04", "a Python pickle", "give the object in Python: pandas.read_pickle(…)"),
    (0, b"\x80\x05", "a Python pickle", "give the object in Python: pandas.read_pickle(…)"),
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
            raise opening.foreign(name, what, remedy)


def check_encoding(name: str, head: bytes) -> None:
    """Refuse text in units of more than one byte."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            raise opening.utf16(name, encoding)
    start = head[:64]
    # ASCII as UTF-16 without a mark: every other byte is 0.
    if len(start) > 3 and (not any(start[::2]) or not any(start[1::2])):
        raise opening.utf16(name)
