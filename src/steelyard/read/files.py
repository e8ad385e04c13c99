"""Paths to tables: which files are meant, and of which kind each is."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from steelyard.read import formats, text
from steelyard.read.formats import BINARY, FORMATS, SEPARATORS
from steelyard.read.roles import is_role
from steelyard.read.table import Source
from steelyard.text import say
from steelyard.text.errors import opening
from steelyard.text.errors.base import SteelyardError
from steelyard.text.errors.places import reason_of

PathLike: TypeAlias = str | os.PathLike[str]

KINDS = {ending: kind for kind, form in FORMATS.items() for ending in form.endings.split()}
_COMPRESSED = frozenset({"gz", "gzip", "zst", "zstd"})
_NOT_READ = (
    "json xlsx xls ods pkl pickle npy npz avro orc zip tar bz2 xz 7z db sqlite duckdb h5 hdf5 mat sav dta "
    "xml html pdf"
)
_FOREIGN = frozenset(_NOT_READ.split())

_PACKED = say("decompress it first; .gz and .zst are read as they are")
_PICKLE = (say("a Python pickle"), say("give the object in Python: pandas.read_pickle(…)"))
# The place of a sign, the sign, what begins so, and what to do with it. None of it begins a text.
_SIGNS = (
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
_UTF_32, _UTF_16 = (b"\xff\xfe\0\0", b"\0\0\xfe\xff"), (b"\xff\xfe", b"\xfe\xff")
_SAVED = re.compile(rb"PK\x03\x04.{26}manifest[.]json", re.DOTALL)  # how a saved result begins
_HEAD = 65536
_NUMBER = re.compile(r"[+-]?[0-9]+([.][0-9]+)?")
STDIN = "-"


def is_there(path: Path) -> bool:
    """Whether a path leads to something; a name that is too long, or that holds a NUL, does not."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises


@dataclass(eq=False)
class Pipe(os.PathLike[str]):
    """A pipe, a device or standard input: it can be read once, and keeps its content for all readers."""

    path: str
    _content: bytes | None = None

    def __fspath__(self) -> str:
        return self.path

    def read_bytes(self) -> bytes:
        if self._content is None:
            stdin = self.path == STDIN
            self._content = sys.stdin.buffer.read() if stdin else Path(self.path).read_bytes()
        return self._content


def pipe_of(source: PathLike) -> Pipe | None:
    if isinstance(source, Pipe):
        return source
    path = Path(source)
    is_pipe = os.fspath(source) == STDIN or (is_there(path) and not path.is_file() and not path.is_dir())
    return Pipe(os.fspath(source)) if is_pipe else None


def paths(source: PathLike | Sequence[PathLike]) -> tuple[str, list[tuple[str, Path | Pipe]]]:
    if isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        path = Path(text).expanduser() if text.startswith("~/") else Path(text)
        pipe = source if isinstance(source, Pipe) else pipe_of(text if text == STDIN else path)
        if pipe is not None:
            name = say("standard input") if text == STDIN else text
            return name, [(name, pipe)]
        if not any(sign in text for sign in "*?[") or is_there(path):
            return text, [(text, path)]
        return text, [(str(match), match) for match in _matches(path, text)]
    found = [pair for one in source for pair in paths(one)[1]]
    if not found:
        raise opening.no_files()
    first = os.fspath(source[0])
    more = len(source) - 1
    return (say("{first} and {n} more", first=first, n=more) if more else first), found


def like_path(text: str) -> bool:
    """Whether a text could be meant as a path: there is such a file, or it is written as one."""
    path = Path(text)
    endings = {ending.lstrip(".").lower() for ending in path.suffixes}
    written = (
        text == STDIN or "/" in text or os.sep in text or bool(endings & {*KINDS, *_COMPRESSED, *_FOREIGN})
    )
    return written or is_there(path) or (any(sign in text for sign in "*?[") and any(Path().glob(text)))


def _matches(path: Path, text: str) -> list[Path]:
    anchor = Path(path.anchor)
    try:
        matches = sorted(anchor.glob(str(path.relative_to(anchor))))
    except OSError as error:
        raise opening.unreadable(name=text, reason=reason_of(error)) from None
    files = [match for match in matches if match.is_file() and not match.name.startswith(".")]
    if not files:
        raise opening.no_match(pattern=text)
    return files


def open_file(name: str, path: Path | Pipe, table: str) -> Source:
    """One file as a source of columns; ``table`` says what a TREC file holds."""
    kind = _kind(name, Path(path))
    data = _checked(name, path)
    if not data:
        raise opening.empty_file(name=name)
    head = text.start(data, _HEAD)
    if _SAVED.match(head):
        raise opening.saved_result(name=name)
    found = next((kind for kind, sign in BINARY.items() if head.startswith(sign)), None)
    if kind is None:
        kind = found
    elif found not in (None, kind):
        raise opening.other_ending(name=name, format=found)
    if kind not in BINARY:
        kind = _checked_text(name, data, head, kind, table)
    return FORMATS[kind].open(name, data, head, table)


def _checked_text(name: str, data: Path | bytes, head: bytes, kind: str | None, table: str) -> str:
    first = text.first_lines(data, head)
    for content in (head, first):
        for place, sign, what, remedy in _SIGNS:
            if content.startswith(sign, place):
                raise opening.foreign(name=name, what=what, remedy=remedy)
        if content.startswith(_UTF_32):
            raise opening.utf16(name=name, encoding="UTF-32", from_code="utf-32")
        if content.startswith(_UTF_16):
            raise opening.utf16(name=name, encoding="UTF-16", from_code="utf-16")
        start = content[:64]  # ASCII as UTF-16 without a mark: every other byte is 0
        if len(start) > 3 and (not any(start[::2]) or not any(start[1::2])):
            raise opening.utf16(name=name, encoding="UTF-16", from_code="utf-16")
    with formats.translated(name, kind or "text", data):
        text.check(name, data)
    return kind or _sniffed(first, table)


def _kind(name: str, path: Path) -> str | None:
    *_, inner, last = ["", "", *(ending.lstrip(".").lower() for ending in path.suffixes)]
    if last == "steelyard":
        raise opening.saved_result(name=name)
    if last in _FOREIGN:
        raise opening.unsupported_format(name, last, formats=formats.ALL)
    if last not in _COMPRESSED:
        return KINDS.get(last)
    kind = KINDS.get(inner)
    if kind in BINARY:
        raise opening.unsupported_compression(name=name, format=kind, ending=last, formats=formats.TEXT)
    return kind


def _checked(name: str, path: Path | Pipe) -> Path | bytes:
    """A path that can be opened; a pipe can be read only once, so it is read now."""
    try:
        if isinstance(path, Pipe):
            return path.read_bytes()
        if path.is_dir():
            inside = sorted(each.suffix for each in path.iterdir() if each.suffix.lstrip(".") in KINDS)
            usual = max(inside, key=inside.count) if inside else ".parquet"
            raise opening.is_folder(name=name, pattern=str(Path(name) / f"*{usual}"))
        with path.open("rb") as file:
            return path if file.read(1) else b""
    except FileNotFoundError:
        missing = Path(path)
        if missing.is_symlink():
            raise opening.leads_nowhere(name=name, target=os.fspath(missing.readlink())) from None
        siblings = [each.name for each in missing.parent.iterdir()] if missing.parent.is_dir() else []
        raise opening.file_not_found(
            name, folder=str(missing.parent), siblings=siblings, wanted=missing.name
        ) from None
    except PermissionError:
        raise opening.permission_denied(name=name) from None
    except (OSError, ValueError) as error:
        if isinstance(error, SteelyardError):
            raise
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise opening.unreadable(name=name, reason=reason) from None


def check_there(source: PathLike | Sequence[PathLike]) -> None:
    """Refuse a table whose files are not all there, before another table is read."""
    for name, path in paths(source)[1]:
        if isinstance(path, Path) and not is_there(path):
            _checked(name, path)  # which says why


def _sniffed(beginning: bytes, table: str) -> str:
    """The kind of a text whose ending says nothing, by its first line; TREC unless it looks otherwise.

    A catalogue without a header is a list of ids, and a comma may stand in an id.
    """
    lines = beginning.decode("utf-8-sig", errors="replace").splitlines()
    line = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if line.lstrip().startswith("{"):
        return "jsonl"
    for kind, separator in SEPARATORS.items():
        fields = [field.strip().strip('"') for field in line.split(separator)]
        named = any(map(is_role, fields)) and not any(map(_NUMBER.fullmatch, fields))
        like_csv = kind == "csv" and table != "catalog" and len(line.split()) < 4
        if len(fields) > 1 and (named or like_csv):
            return kind
    return "TREC"
