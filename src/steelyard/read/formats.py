"""Files that name their columns: parquet, csv, tsv, jsonl, arrow."""

from __future__ import annotations

import codecs
import glob
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from steelyard.errors import opening
from steelyard.errors.base import SteelyardError
from steelyard.read import tidy
from steelyard.read.table import Source, Tidied, exactly

Data = Path | bytes
Tidy = Callable[[pl.DataFrame, Mapping[str, str]], Tidied]
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 20


def _lazy(
    name: str, kind: str, data: Data, scan: pl.LazyFrame, *, untyped: bool = False, tidied: Tidy | None = None
) -> Source:
    columns = _columns(name, kind, data, scan)

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        with translated(name, kind, data):
            return scan.select(exactly(wanted)).collect()

    def peek(wanted: Sequence[str], rows: int) -> pl.DataFrame:
        with translated(name, kind, data):
            return scan.select(exactly(wanted)).head(rows).collect()

    return Source(
        name=name, columns=columns, load=load, peek=peek, untyped=untyped, headed=untyped, tidy=tidied
    )


def _columns(name: str, kind: str, data: Data, scan: pl.LazyFrame) -> tuple[str, ...]:
    with translated(name, kind, data):
        return tuple(scan.collect_schema().names())


def _parquet(name: str, data: Data, _head: bytes) -> Source:
    return _lazy(name, "parquet", data, pl.scan_parquet(data, glob=False, hive_partitioning=False))


def _arrow(name: str, data: Data, head: bytes) -> Source:
    if head.startswith(b"ARROW1"):
        return _lazy(name, "arrow", data, pl.scan_ipc(data, glob=False, hive_partitioning=False))
    with translated(name, "arrow", data):
        return Source.of(pl.read_ipc_stream(data), name)


def _jsonl(name: str, data: Data, _head: bytes) -> Source:
    # Every line counts for the types: an id that is text only in line 5,000 must not be lost.
    source = data if isinstance(data, bytes) else glob.escape(str(data))
    return _lazy(
        name,
        "jsonl",
        data,
        pl.scan_ndjson(source, infer_schema_length=None),
        tidied=lambda frame, roles: tidy.jsonl(name, data, frame, roles),
    )


def _csv(name: str, data: Data, _head: bytes) -> Source:
    return _separated(name, "csv", data, ",")


def _tsv(name: str, data: Data, _head: bytes) -> Source:
    return _separated(name, "tsv", data, "\t")


def _separated(name: str, kind: str, data: Data, separator: str) -> Source:
    scan = pl.scan_csv(data, separator=separator, infer_schema=False, glob=False)
    raw = pl.scan_csv(data, separator=separator, infer_schema=False, glob=False, quote_char=None)
    _check_header(name, data, _columns(name, kind, data, scan))

    def tidied(frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        with translated(name, kind, data):
            return tidy.separated(name, scan, raw, frame, roles)

    return _lazy(name, kind, data, scan, untyped=True, tidied=tidied)


def _check_header(name: str, data: Data, columns: Sequence[str]) -> None:
    """The reader replaces bad bytes of a header, while it refuses those of the rows."""
    header = "".join(columns)
    if "\0" in header:
        raise opening.utf16(name)
    if "\ufffd" in header:
        line = _bad_line(data)
        if line is not None or _start(data).startswith(ZSTD):
            raise opening.not_utf8(name, line)


OPENERS: dict[str, Callable[[str, Data, bytes], Source]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "jsonl": _jsonl,
    "csv": _csv,
    "tsv": _tsv,
}


def first_lines(data: Data, head: bytes) -> bytes:
    """The first lines, decompressed, or nothing when they cannot be read."""
    if head.startswith(GZIP):
        try:
            return zlib.decompressobj(wbits=31).decompress(head, _CHUNK)
        except zlib.error:
            return b""
    return _first_line(data).encode() if head.startswith(ZSTD) else head


def _first_line(data: Data) -> str:
    try:
        return str(pl.scan_lines(data, glob=False).head(1).collect().item())
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return ""


@contextmanager
def translated(name: str, kind: str, data: Data) -> Iterator[None]:
    """Turn whatever the file reader says into one of our errors; it knows neither the line nor the remedy."""
    try:
        yield
    except SteelyardError:
        raise
    except pl.exceptions.NoDataError:
        raise opening.empty_file(name) from None
    except PermissionError:
        raise opening.permission_denied(name) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise _explained(name, kind, data, str(error).strip()) from None


def _explained(name: str, kind: str, data: Data, reason: str) -> SteelyardError:
    low = reason.lower()
    reason = reason.split("\n")[0]
    if kind in ("parquet", "arrow"):
        return opening.corrupt(name, kind, reason)
    if "gzip header" in low or "unexpected end of file" in low:
        return opening.trailing_bytes(name) if _has_trailing(data) else opening.truncated(name)
    if "incomplete frame" in low:
        return opening.truncated(name)
    if "utf-8" in low or "utf8" in low:
        return opening.not_utf8(name, _bad_line(data))
    if kind == "jsonl":
        return _bad_json(name, data, reason)
    if "more fields" in low:
        return _extra_fields(name, kind, data)
    if "dtype `str`" in low:
        reason = "a quote is opened and not closed"
    return opening.corrupt(name, kind, reason)


def _bad_line(data: Data) -> int | None:
    """The first line that is not UTF-8, found in one pass over the bytes; None where it cannot be told."""
    if _start(data).startswith(ZSTD):
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    try:
        for chunk in _chunks(data):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                return lines + error.object[: error.start].count(b"\n")
            lines += chunk.count(b"\n")
    except (OSError, EOFError):
        return None
    return None


def _start(data: Data) -> bytes:
    if isinstance(data, bytes):
        return data[:4]
    with data.open("rb") as file:
        return file.read(4)


def _has_trailing(data: Data) -> bool:
    """Whether something follows a whole gzip member that is not another one."""
    rest = data if isinstance(data, bytes) else data.read_bytes()
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


def _chunks(data: Data) -> Iterator[bytes]:
    """The bytes, decompressed where the standard library can."""
    packed = _start(data).startswith(GZIP)
    if isinstance(data, bytes):
        yield gzip.decompress(data) if packed else data
        return
    with gzip.open(data) if packed else data.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _bad_json(name: str, data: Data, reason: str) -> SteelyardError:
    try:
        lines = pl.scan_lines(data, glob=False).collect().to_series()
    except (pl.exceptions.PolarsError, OSError):
        return opening.bad_json(name, None, reason)
    if not (lines.str.strip_chars() != "").any():
        return opening.empty_file(name)
    for number, line in enumerate(lines, 1):
        try:
            if line.strip() and not isinstance(json.loads(line, parse_constant=_refused), dict):
                return opening.bad_json(name, number, "another JSON value")
        except ValueError as error:
            return opening.bad_json(name, number, str(error))
    return opening.json_types(name, reason)


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _extra_fields(name: str, kind: str, data: Data) -> SteelyardError:
    separator = "," if kind == "csv" else "\t"
    lines = pl.scan_lines(data, glob=False).collect().to_series()
    fields = lines.str.count_matches(separator, literal=True) + 1
    width = int(fields[0])
    # Quotes may hide separators and line ends: then the line is not known for sure, so none is named.
    rows = (fields > width).arg_true()
    sure = len(rows) > 0 and not lines.head(int(rows[0]) + 1).str.contains('"', literal=True).any()
    return opening.extra_fields(name, int(rows[0]) + 1 if sure else None, width)
