"""The kinds of files that can be read: what they are called, their endings, and what opens them."""

from __future__ import annotations

import codecs
import glob
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import polars as pl

from steelyard.read import arrow, parquet, text, trec
from steelyard.read.frames import of_frame, of_lists
from steelyard.read.table import Source, Tidied, check_unique, exactly
from steelyard.read.text import Data, MalformedError, reason_of
from steelyard.text import Message, say
from steelyard.text.errors import opening
from steelyard.text.errors.base import SteelyardError
from steelyard.text.errors.places import at_line

# What a reader says in the words of its own code: unwrap(), Result::, InvalidByte(1, 96), Error { … }.
_CODE = re.compile(r"[{}]|::|\w\(|panic|out-of-spec|index out of bounds")

Tidy = Callable[[pl.DataFrame, Mapping[str, str]], Tidied]


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
    scan: pl.LazyFrame,
    *,
    tidied: Tidy | None = None,
    check: Callable[[Sequence[str]], None] | None = None,
) -> Source:
    """A file that is scanned; ``check`` looks at the wanted columns before the reader does."""
    with translated(name, kind, data):
        columns = scan.collect_schema()

    def load(wanted: Sequence[str], rows: int | None = None) -> pl.DataFrame:
        with translated(name, kind, data):
            if check is not None:
                check(wanted)
            chosen = scan.select(exactly(wanted))
            return (chosen if rows is None else chosen.head(rows)).collect()

    return Source(
        name=name,
        columns=tuple(columns),
        load=load,
        peek=load,
        untyped=kind in SEPARATORS,
        separator=SEPARATORS.get(kind, ""),
        lists=of_lists(columns),
        tidy=tidied,
    )


def _parquet(name: str, data: Data, _head: bytes, _table: str) -> Source:
    with translated(name, "parquet", data):
        layout = parquet.layout(data)
        check_unique(layout.names, name)
    scan = pl.scan_parquet(data, glob=False, hive_partitioning=False)
    return _lazy(name, "parquet", data, scan, check=lambda wanted: layout.check(data, wanted))


def _arrow(name: str, data: Data, head: bytes, _table: str) -> Source:
    with translated(name, "arrow", data):
        check_unique(arrow.names(data), name)
        if not head.startswith(arrow.MAGIC):
            return of_frame(pl.read_ipc_stream(data), name)
    return _lazy(name, "arrow", data, pl.scan_ipc(data, glob=False, hive_partitioning=False))


def _jsonl(name: str, data: Data, _head: bytes, _table: str) -> Source:
    if text.start(data).startswith(codecs.BOM_UTF8):
        data = text.whole(data)[len(codecs.BOM_UTF8) :]
    # Every line counts for the types: an id that is text only in line 5,000 must not be lost.
    source = data if isinstance(data, bytes) else glob.escape(str(data))
    return _lazy(
        name,
        "jsonl",
        data,
        pl.scan_ndjson(source, infer_schema_length=None),
        tidied=lambda frame, roles: text.jsonl(name, data, frame, roles),
    )


def _separated(kind: str, name: str, data: Data, _head: bytes, _table: str) -> Source:
    scan_csv = partial(pl.scan_csv, data, separator=SEPARATORS[kind], infer_schema=False, glob=False)
    scan, raw = scan_csv(), scan_csv(quote_char=None)

    def tidied(frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        with translated(name, kind, data):
            return text.separated(name, scan, raw, frame, roles)

    return _lazy(name, kind, data, scan, tidied=tidied)


def _trec(name: str, data: Data, _head: bytes, table: str) -> Source:
    with translated(name, "TREC", data):
        source = trec.read(name, data, table)
    if source is None:
        raise opening.trec_kind(name, table, formats=ALL)
    return source


FORMATS = {
    "parquet": Format("parquet pq", _parquet, sign=parquet.MAGIC),
    "csv": Format("csv", partial(_separated, "csv"), separator=","),
    "tsv": Format("tsv tab", partial(_separated, "tsv"), separator="\t"),
    "jsonl": Format("jsonl ndjson", _jsonl),
    "arrow": Format("arrow feather ipc", _arrow, words=say("arrow or feather"), sign=arrow.MAGIC),
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
        raise opening.empty_file(name=name) from None
    except PermissionError:
        raise opening.permission_denied(name=name) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        panic = isinstance(error, pl.exceptions.PanicException)
        in_code = isinstance(error, pl.exceptions.PolarsError) and _CODE.search(str(error)) is not None
        if kind in BINARY and (panic or in_code):
            raise opening.corrupt(name=name, format=kind, reason=say("it is damaged inside")) from None
        raise _explained(name, kind, data, reason_of(error)) from None


def _explained(name: str, kind: str, data: Data, reason: str) -> SteelyardError:
    more_fields = "more fields" in reason.lower()
    reason = reason if isinstance(reason, Message) else reason.split("\n")[0]
    if kind == "jsonl":
        return _bad_json(name, data, reason)
    quote = text.lone_quote(data, SEPARATORS[kind]) if kind in SEPARATORS else None
    if quote is not None:
        return opening.lone_quote(place=at_line(name, quote))
    if more_fields and kind in SEPARATORS:
        return _extra_fields(name, kind, data)
    return opening.corrupt(name=name, format=kind, reason=reason)


def _bad_json(name: str, data: Data, reason: str) -> SteelyardError:
    try:
        lines = pl.scan_lines(data, glob=False).collect().to_series()
    except (pl.exceptions.PolarsError, OSError):
        return opening.bad_json(name, None, reason)
    if not (lines.str.strip_chars() != "").any():
        return opening.empty_file(name=name)
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line, parse_constant=_refused, parse_float=_finite) if line.strip() else {}
            if not isinstance(value, dict):
                return opening.bad_json(name, number, say("another JSON value"))
        except (ValueError, RecursionError) as error:
            return opening.bad_json(name, number, text.json_trouble(error))
    return opening.json_types(name=name, reason=reason)


def _refused(constant: str) -> None:
    raise MalformedError(say("{constant} is not JSON", constant=constant))


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise MalformedError(say("{number} is too large a number", number=number))
    return value


def _extra_fields(name: str, kind: str, data: Data) -> SteelyardError:
    separator = SEPARATORS[kind]
    lines = pl.scan_lines(data, glob=False).collect().to_series()
    fields = lines.str.count_matches(separator, literal=True) + 1
    width = int(fields[0])
    # Quotes may hide separators and line ends: then the line is not known for sure, so none is named.
    rows = (fields > width).arg_true()
    sure = len(rows) > 0 and not lines.head(int(rows[0]) + 1).str.contains('"', literal=True).any()
    return opening.extra_fields(place=at_line(name, int(rows[0]) + 1 if sure else None), width=width)
