"""Files that hold tables: the kind of each file, and how to open it."""

from __future__ import annotations

import codecs
import glob
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from steelyard.read import headers, text
from steelyard.read.frames import of_frame
from steelyard.read.roles import is_role
from steelyard.read.streams import of_stream_file
from steelyard.read.table import PLACE, Source, Tidied, check_unique, exactly, of_lists
from steelyard.read.text import Data
from steelyard.read.trec import trec
from steelyard.text import Message, say
from steelyard.text.errors import reading
from steelyard.text.errors.base import SteelyardError
from steelyard.text.errors.forms import at_line, reason_of

# What a reader says in the words of its own code: unwrap(), Result::, InvalidByte(1, 96), Error { … }.
_CODE = re.compile(r"[{}]|::|\w\(|panic|out-of-spec|index out of bounds")


@dataclass(frozen=True)
class Format:
    """A kind of file; ``open`` gets its name, its content, how that begins, and what the table is for.

    ``words`` name it to a reader where its name does not. Without ``sign``, the first bytes, it is text.
    """

    endings: str
    open: Callable[[str, Data, bytes, str], Source]
    words: str = ""
    sign: bytes = b""
    separator: str = ""


def _lazy(
    name: str,
    kind: str,
    data: Data,
    rows: pl.LazyFrame,
    *,
    check: Callable[[Sequence[str]], None] | None = None,
    **fields: Any,
) -> Source:
    """A file that is scanned; ``check`` looks at the wanted columns before the reader does."""
    with translated(name, kind, data):
        columns = rows.collect_schema()

    def load(wanted: Sequence[str], first: int | None = None) -> pl.DataFrame:
        with translated(name, kind, data):
            if check is not None:
                check(wanted)
            chosen = rows.select(exactly(wanted))
            return (chosen if first is None else chosen.head(first)).collect()

    return Source(
        **{
            "name": name,
            "columns": tuple(columns),
            "load": load,
            "peek": load,
            "scan": lambda: rows,
            "slow": kind not in BINARY,
            "check": None if check is None else translated(name, kind, data)(check),
            "guard": partial(translated, name, kind, data),
            "untyped": kind in SEPARATORS,
            "separator": SEPARATORS.get(kind, ""),
            "lists": of_lists(columns),
            **fields,
        }
    )


def _parquet(name: str, data: Data, _head: bytes, _table: str) -> Source:
    with translated(name, "parquet", data):
        layout = headers.parquet_layout(data)
        check_unique(layout.names, name)
    scan = partial(pl.scan_parquet, data, glob=False, hive_partitioning=False)
    numbered = partial(scan, row_index_name=PLACE, row_index_offset=1)
    return _lazy(name, "parquet", data, scan(), check=partial(layout.check, data), numbered=numbered)


def _arrow(name: str, data: Data, head: bytes, _table: str) -> Source:
    with translated(name, "arrow", data):
        check_unique(headers.arrow_names(data), name)
        if not head.startswith(headers.ARROW):
            return _arrow_stream(name, data)
    scan = partial(pl.scan_ipc, data, glob=False, hive_partitioning=False)
    return _lazy(
        name, "arrow", data, scan(), numbered=partial(scan, row_index_name=PLACE, row_index_offset=1)
    )


def _arrow_stream(name: str, data: Data) -> Source:
    if isinstance(data, bytes) or find_spec("pyarrow") is None:
        return of_frame(pl.read_ipc_stream(data), name)
    source, within = of_stream_file(data, name), partial(translated, name, "arrow", data)
    return replace(source, load=within()(source.load), guard=within)


def _jsonl(name: str, data: Data, _head: bytes, _table: str) -> Source:
    if text.start(data).startswith(codecs.BOM_UTF8):
        data = text.whole(data)[len(codecs.BOM_UTF8) :]
    # Every line counts for the types: an id that is text only in line 5,000 must not be lost.
    source = data if isinstance(data, bytes) else glob.escape(str(data))
    scan = pl.scan_ndjson(source, infer_schema_length=None)

    def inspect(_columns: Sequence[str], roles: Mapping[str, str]) -> tuple[Message, ...]:
        text.check_json_ids(name, data, scan.collect_schema(), roles)
        return ()

    def tidied(frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        text.check_json_ids(name, data, frame.schema, roles)
        return Tidied(frame)

    return _lazy(name, "jsonl", data, scan, tidy=tidied, inspect=inspect)


def _separated(kind: str, name: str, data: Data, _head: bytes, _table: str) -> Source:
    scan_csv = partial(pl.scan_csv, data, separator=SEPARATORS[kind], infer_schema=False, glob=False)
    numbered = scan_csv(row_index_name=PLACE, row_index_offset=1)
    file = text.Separated(name, numbered, scan_csv(quote_char=None))
    within = translated(name, kind, data)
    return _lazy(
        name,
        kind,
        data,
        scan_csv(),
        tidy=within(file.tidied),
        scan=within(file.scan),
        inspect=within(file.inspect),
    )


def _trec(name: str, data: Data, _head: bytes, table: str) -> Source:
    within = translated(name, "TREC", data)
    source = within(trec)(name, data, table)
    if source is None:
        raise reading.trec_kind(name, table, formats=ALL)
    guarded = {
        step: within(getattr(source, step))
        for step in ("load", "peek", "scan", "inspect")
        if getattr(source, step)
    }
    return replace(source, **guarded, guard=partial(translated, name, "TREC", data))


FORMATS = {
    "parquet": Format("parquet pq", _parquet, sign=headers.PARQUET),
    "csv": Format("csv", partial(_separated, "csv"), separator=","),
    "tsv": Format("tsv tab", partial(_separated, "tsv"), separator="\t"),
    "jsonl": Format("jsonl ndjson", _jsonl),
    "arrow": Format("arrow feather ipc", _arrow, words=say("arrow or feather"), sign=headers.ARROW),
    "TREC": Format("trec run qrels qrel", _trec, words=say("TREC runs and qrels")),
}
BINARY = {name: form.sign for name, form in FORMATS.items() if form.sign}
TEXT = [name for name in FORMATS if name not in BINARY]
SEPARATORS = {name: form.separator for name, form in FORMATS.items() if form.separator}
ALL = say("{items}", items=[form.words or name for name, form in FORMATS.items()])


@contextmanager
def translated(name: str, kind: str, data: Data) -> Iterator[None]:
    """Turn whatever the file reader says into one of our errors; it knows neither the line nor the remedy."""
    try:
        yield
    except SteelyardError:
        raise
    except pl.exceptions.NoDataError:
        raise reading.empty_file(name=name) from None
    except PermissionError:
        raise reading.permission_denied(name=name) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        panic = isinstance(error, pl.exceptions.PanicException)
        in_code = isinstance(error, pl.exceptions.PolarsError) and _CODE.search(str(error)) is not None
        if kind in BINARY and (panic or in_code):
            raise reading.corrupt(name=name, format=kind, reason=say("it is damaged inside")) from None
        raise _explained(name, kind, data, headers.reason_of(error)) from None


def _explained(name: str, kind: str, data: Data, reason: str) -> SteelyardError:
    more_fields = "more fields" in reason.lower()
    reason = reason if isinstance(reason, Message) else reason.split("\n")[0]
    if kind == "jsonl":
        return _bad_json(name, data, reason)
    quote = text.lone_quote(data, SEPARATORS[kind]) if kind in SEPARATORS else None
    if quote is not None:
        return reading.lone_quote(place=at_line(name, quote))
    if more_fields and kind in SEPARATORS:
        return _extra_fields(name, kind, data)
    return reading.corrupt(name=name, format=kind, reason=reason)


def _bad_json(name: str, data: Data, reason: str) -> SteelyardError:
    try:
        lines = pl.scan_lines(data, glob=False).collect().to_series()
    except (pl.exceptions.PolarsError, OSError):
        return reading.bad_json(place=name, reason=reason)
    if not (lines.str.strip_chars() != "").any():
        return reading.empty_file(name=name)
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line, parse_constant=_refused, parse_float=_finite) if line.strip() else {}
            if not isinstance(value, dict):
                return reading.bad_json(place=at_line(name, number), reason=say("another JSON value"))
        except (ValueError, RecursionError) as error:
            return reading.bad_json(place=at_line(name, number), reason=text.json_trouble(error))
    return reading.json_types(name=name, reason=reason)


def _refused(constant: str) -> None:
    raise headers.MalformedError(say("{constant} is not JSON", constant=constant))


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise headers.MalformedError(say("{number} is too large a number", number=number))
    return value


def _extra_fields(name: str, kind: str, data: Data) -> SteelyardError:
    separator = SEPARATORS[kind]
    lines = pl.scan_lines(data, glob=False).collect().to_series()
    fields = lines.str.count_matches(separator, literal=True) + 1
    width = int(fields[0])
    # Quotes may hide separators and line ends: then the line is not known for sure, so none is named.
    rows = (fields > width).arg_true()
    sure = len(rows) > 0 and not lines.head(int(rows[0]) + 1).str.contains('"', literal=True).any()
    return reading.extra_fields(place=at_line(name, int(rows[0]) + 1 if sure else None), width=width)


PathLike: TypeAlias = str | os.PathLike[str]
KINDS = {ending: kind for kind, form in FORMATS.items() for ending in form.endings.split()}
COMPRESSED = frozenset({"gz", "gzip", "zst", "zstd"})
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


def is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises


@dataclass(eq=False)
class Pipe(os.PathLike[str]):
    """A pipe, a device or standard input: it can be read once, and keeps its content for all readers."""

    path: str
    kept: Path | None = None  # the file that holds the content, where it may be too large for memory
    _content: bytes | None = None

    def __fspath__(self) -> str:
        return self.path

    def read_bytes(self) -> bytes:
        if self._content is None:
            stdin = self.path == STDIN
            self._content = sys.stdin.buffer.read() if stdin else Path(self.path).read_bytes()
        return self._content

    def keep_in(self, file: Path) -> None:
        """Keep what was not read yet in a file."""
        if self._content is not None:
            return
        stdin = self.path == STDIN
        with sys.stdin.buffer if stdin else Path(self.path).open("rb") as source, file.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        self.kept = file


def pipe_of(source: PathLike) -> Pipe | None:
    if isinstance(source, Pipe):
        return source
    path = Path(source)
    is_pipe = os.fspath(source) == STDIN or (is_there(path) and not path.is_file() and not path.is_dir())
    return Pipe(os.fspath(source)) if is_pipe else None


def like_path(text: str) -> bool:
    """Whether a text could be meant as a path: there is such a file, or it is written as one."""
    path = Path(text)
    endings = {ending.lstrip(".").lower() for ending in path.suffixes}
    written = (
        text == STDIN or "/" in text or os.sep in text or bool(endings & {*KINDS, *COMPRESSED, *_FOREIGN})
    )
    return written or is_there(path) or (any(sign in text for sign in "*?[") and any(Path().glob(text)))


def open_file(name: str, path: Path | Pipe, table: str) -> Source:
    """One file as a source of columns; ``table`` says what a TREC file holds."""
    kind = _kind(name, Path(path))
    data = readable(name, path)
    if not data:
        raise reading.empty_file(name=name)
    head = text.start(data, _HEAD)
    if _SAVED.match(head):
        raise reading.saved_result(name=name)
    found = next((kind for kind, sign in BINARY.items() if head.startswith(sign)), None)
    if kind is None:
        kind = found
    elif found not in (None, kind):
        raise reading.other_ending(name=name, format=found)
    if kind not in BINARY:
        kind = _checked_text(name, data, head, kind, table)
    return FORMATS[kind].open(name, data, head, table)


def _checked_text(name: str, data: Path | bytes, head: bytes, kind: str | None, table: str) -> str:
    first = text.first_lines(data, head)
    for content in (head, first):
        for place, sign, what, remedy in _SIGNS:
            if content.startswith(sign, place):
                raise reading.foreign(name=name, what=what, remedy=remedy)
        if content.startswith(_UTF_32):
            raise reading.utf16(name=name, encoding="UTF-32", from_code="utf-32")
        if content.startswith(_UTF_16):
            raise reading.utf16(name=name, encoding="UTF-16", from_code="utf-16")
        start = content[:64]  # ASCII as UTF-16 without a mark: every other byte is 0
        if len(start) > 3 and (not any(start[::2]) or not any(start[1::2])):
            raise reading.utf16(name=name, encoding="UTF-16", from_code="utf-16")
    with translated(name, kind or "text", data):
        text.check(name, data)
    return kind or _sniffed(first, table)


def endings_of(path: Path) -> tuple[str, str]:
    *_, inner, last = ["", "", *(ending.lstrip(".").lower() for ending in path.suffixes)]
    return inner, last


def _kind(name: str, path: Path) -> str | None:
    inner, last = endings_of(path)
    if last == "steelyard":
        raise reading.saved_result(name=name)
    if last in _FOREIGN:
        raise reading.unsupported_format(name, last, formats=ALL)
    if last not in COMPRESSED:
        return KINDS.get(last)
    kind = KINDS.get(inner)
    if kind in BINARY:
        raise reading.unsupported_compression(name=name, format=kind, ending=last, formats=TEXT)
    return kind


def readable(name: str, path: Path | Pipe) -> Path | bytes:
    """A path that can be opened; a pipe can be read only once, so it is read now."""
    try:
        if isinstance(path, Pipe):
            if path.kept is None:
                return path.read_bytes()
            path = path.kept
        if path.is_dir():
            raise reading.is_folder(name=name, pattern=str(Path(name) / "*.parquet"))
        with path.open("rb") as file:
            return path if file.read(1) else b""
    except FileNotFoundError:
        missing = Path(path)
        if missing.is_symlink():
            raise reading.leads_nowhere(name=name, target=os.fspath(missing.readlink())) from None
        siblings = [each.name for each in missing.parent.iterdir()] if missing.parent.is_dir() else []
        raise reading.file_not_found(
            name, folder=str(missing.parent), siblings=siblings, wanted=missing.name
        ) from None
    except PermissionError:
        raise reading.permission_denied(name=name) from None
    except (OSError, ValueError) as error:
        if isinstance(error, SteelyardError):
            raise
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise reading.unreadable(name=name, reason=reason) from None


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
