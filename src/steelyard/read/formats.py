"""Files that name their columns: parquet, csv, tsv, jsonl, arrow."""

from __future__ import annotations

import codecs
import glob
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from steelyard.errors import reading
from steelyard.errors.base import SteelyardError
from steelyard.read.table import Source, exactly

Data = Path | bytes
_CHUNK = 1 << 20


def _lazy(name: str, kind: str, data: Data, scan: pl.LazyFrame, *, untyped: bool = False) -> Source:
    with translated(name, kind, data):
        columns = tuple(scan.collect_schema().names())

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        with translated(name, kind, data):
            return scan.select(exactly(wanted)).collect()

    return Source(name=name, columns=columns, load=load, untyped=untyped, headed=untyped)


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
    return _lazy(name, "jsonl", data, pl.scan_ndjson(source, infer_schema_length=None))


def _csv(name: str, data: Data, _head: bytes) -> Source:
    return _separated(name, "csv", data, ",")


def _tsv(name: str, data: Data, _head: bytes) -> Source:
    return _separated(name, "tsv", data, "\t")


def _separated(name: str, kind: str, data: Data, separator: str) -> Source:
    scan = pl.scan_csv(data, separator=separator, infer_schema=False, glob=False)
    return _lazy(name, kind, data, scan, untyped=True)


OPENERS: dict[str, Callable[[str, Data, bytes], Source]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "jsonl": _jsonl,
    "csv": _csv,
    "tsv": _tsv,
}


def first_line(data: bytes) -> str:
    """The first line of compressed bytes, or nothing when they cannot be read."""
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
        raise reading.empty_file(name) from None
    except PermissionError:
        raise reading.permission_denied(name) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise _explained(name, kind, data, str(error).strip()) from None


def _explained(name: str, kind: str, data: Data, reason: str) -> SteelyardError:
    low = reason.lower()
    reason = reason.split("\n")[0]
    if kind in ("parquet", "arrow"):
        return reading.corrupt(name, kind, reason)
    if "unexpected end of file" in low or "incomplete frame" in low:
        return reading.truncated(name)
    if "utf-8" in low or "utf8" in low:
        return reading.not_utf8(name, _bad_line(data))
    if kind == "jsonl":
        return _bad_json(name, data, reason)
    if "more fields" in low:
        return _extra_fields(name, kind, data)
    if "dtype `str`" in low:
        reason = "a quote is opened and not closed"
    return reading.corrupt(name, kind, reason)


def _bad_line(data: Data) -> int | None:
    """The first line that is not UTF-8, found in one pass over the bytes."""
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


def _chunks(data: Data) -> Iterator[bytes]:
    """The bytes, decompressed where the standard library can."""
    if isinstance(data, bytes):
        yield gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        return
    with data.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(data) if packed else data.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _bad_json(name: str, data: Data, reason: str) -> SteelyardError:
    try:
        lines = pl.scan_lines(data, glob=False).collect().to_series()
    except (pl.exceptions.PolarsError, OSError):
        return reading.bad_json(name, None, reason)
    if not (lines.str.strip_chars() != "").any():
        return reading.empty_file(name)
    for number, line in enumerate(lines, 1):
        try:
            if line.strip() and not isinstance(json.loads(line, parse_constant=_refused), dict):
                return reading.bad_json(name, number, "another JSON value")
        except ValueError as error:
            return reading.bad_json(name, number, str(error))
    return reading.bad_json(name, None, reason)


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
    return reading.extra_fields(name, int(rows[0]) + 1 if sure else None, width)
