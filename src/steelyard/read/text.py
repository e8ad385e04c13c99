"""The bytes of files, and of text files those that no text has, wrong quotes, and what formats may spoil."""

from __future__ import annotations

import gzip
import io
import json
import mmap
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.read.table import IDS, Tidied
from steelyard.text import Message, in_quotes, say
from steelyard.text.errors import opening, reading
from steelyard.text.errors.base import SteelyardError
from steelyard.text.errors.forms import at_line, json_reason, short, value_at

Data = Path | bytes
Trouble = Callable[[str, int | None], SteelyardError]  # the name of a file and a line of it
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20
_LF, _CR = b"\n\r"
_MOST = 100_000
_CLOSING = re.compile(r'(?:[^"]|"")*"(?!")')
_AT_MOST = 1000


class MalformedError(ValueError):
    """Bytes that are not of the stated format; the one argument is the message that says why."""


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


def check(name: str, data: Data) -> None:
    """Refuse a NUL byte, a carriage return without a line feed, and what is not UTF-8, by its line."""
    if not start(data).startswith((GZIP, ZSTD)):
        found = _first_trouble(data)
        if found is not None:
            trouble, at = found
            raise trouble(name, _line(data, at))
        return
    # Polars decompresses faster than the standard library, which has no zstd before Python 3.14.
    lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
    try:
        odd = lines.filter(pl.col("line").str.contains("[\0\r]")).head(1).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unpacking_trouble(name, data, str(error).lower()) from None
    unpack = "gunzip -c" if start(data).startswith(GZIP) else "zstd -dc"
    for number, line in odd.rows():
        trouble = opening.nul_byte if "\0" in line else opening.lone_return
        raise trouble(name, number, unpack=unpack)


def _first_trouble(data: Data) -> tuple[Trouble, int] | None:
    """What is wrong with the bytes, and where: three looks at each block, all faster than the disk."""
    before = 0
    for block in blocks(data):
        if b"\0" in block:
            return opening.nul_byte, before + block.index(b"\0")
        if b"\r" in block:
            values = np.frombuffer(block + b" ", dtype=np.uint8)
            alone = np.flatnonzero((values[:-1] == _CR) & (values[1:] != _LF))
            if len(alone):
                return opening.lone_return, before + int(alone[0])
        if not block.isascii():
            try:
                block.decode()
            except UnicodeDecodeError as error:
                return opening.not_utf8, before + error.start
        before += len(block)
    return None


def _unpacking_trouble(name: str, data: Data, reason: str) -> SteelyardError:
    packed_by_gzip = start(data).startswith(GZIP)
    if "utf8" in reason or "utf-8" in reason:
        try:
            found = _first_trouble(data) if packed_by_gzip else None
        except (EOFError, OSError, zlib.error):  # what was packed is odd because the packing is damaged
            return opening.damaged(name=name)
        return opening.not_utf8(name, _line(data, found[1]) if found is not None else None)
    if packed_by_gzip and _has_trailing(data):
        return opening.trailing_bytes(name=name)
    if "unexpected end of file" in reason or "incomplete frame" in reason:
        return opening.cut_short(name=name)
    return opening.damaged(name=name)


def _line(data: Data, at: int) -> int:
    line = 1
    for block in blocks(data):
        line += block.count(b"\n", 0, at)
        at -= len(block)
        if at < 0:
            break
    return line


def blocks(data: Data) -> Iterator[bytes]:
    """The bytes in blocks of whole lines, decompressed where the standard library can."""
    file = io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")
    with file, gzip.open(file) if start(data).startswith(GZIP) else file as plain:
        while block := plain.read(_BLOCK):
            yield block + plain.readline()


def whole(data: Data) -> bytes:
    return data if isinstance(data, bytes) else data.read_bytes()


def start(data: Data, size: int = 4) -> bytes:
    if isinstance(data, bytes):
        return data[:size]
    with data.open("rb") as file:
        return file.read(size)


def first_lines(data: Data, head: bytes) -> bytes:
    if head.startswith(GZIP):
        try:
            return zlib.decompressobj(wbits=31).decompress(head, _BLOCK)
        except zlib.error:
            return b""
    if not head.startswith(ZSTD):
        return head
    try:
        return str(pl.scan_lines(data, glob=False).head(1).collect().item()).encode()
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return b""


def _has_trailing(data: Data) -> bool:
    rest = whole(data)
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


def lone_quote(data: Data, separator: str) -> int | None:
    """The line with the first quote that is lone: within a plain field, before more text, or never closed.

    Only the first lines with quotes are looked at: a message must not wait for a whole table.
    """
    try:
        lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
        quoted = lines.filter(pl.col("line").str.contains('"', literal=True)).head(_MOST + 1).collect()
    except (pl.exceptions.PolarsError, OSError):
        return None
    opened: int | None = None  # the line where a field in quotes began that goes on
    for number, line in quoted.rows():
        left_open = _reads(line.rstrip("\r"), separator, within=opened is not None)
        if left_open is None:
            return number if opened is None else opened
        opened = (number if opened is None or _CLOSING.match(line) else opened) if left_open else None
    return opened if quoted.height <= _MOST else None


def _reads(line: str, separator: str, *, within: bool) -> bool | None:
    """Whether a field in quotes is still open at the end of a line; None where a quote is lone.

    ``within`` says that one is open at its beginning.
    """
    at, odd = 0, False
    while at <= len(line):
        if within or line.startswith('"', at):
            closing = _CLOSING.match(line, at if within else at + 1)
            if closing is None:
                return True
            within, at = False, closing.end()
            if at < len(line) and line[at] != separator:
                return None
            at += 1
        else:
            field = line[at:].partition(separator)[0]
            odd ^= field.count('"') % 2 == 1  # two of them, as in 19" x 20", are read as they are
            at += len(field) + 1
    return None if odd else False


def separated(
    name: str, scan: pl.LazyFrame, raw: pl.LazyFrame, frame: pl.DataFrame, roles: Mapping[str, str]
) -> Tidied:
    """Columns of a csv or tsv file without its blank lines, and without the space after each separator.

    ``raw`` is the same file read without quotes: a space inside of quotes belongs to the value.
    """
    notes, rows = [], None
    is_blank = pl.all_horizontal(pl.all().fill_null("").str.strip_chars() == "").alias("blank")
    # A blank line has no second field, so that a file without missing values costs nothing here.
    missing = any(column.null_count() for column in frame)
    if missing and frame.select(is_blank).to_series().any():
        blank = scan.select(is_blank).collect().to_series()
        if blank.any():
            frame, rows = frame.filter(~blank), (~blank).arg_true() + 1
            last = rows.max()
            between = int(blank.head(last).sum()) if isinstance(last, int) else 0
            note = say(
                "{table}: {n:,} {n:blank line is|blank lines are} skipped.",
                key="blank_lines",
                table=name,
                n=between,
            )
            notes += [note] if between else []
    spaced = [column.name for column in frame if _spaced(column)]
    if spaced:
        columns = scan.collect_schema().names()
        spaced = [column for column in spaced if _spaced_outside_quotes(raw, columns.index(column))]
    if spaced:
        frame = frame.with_columns(_unquoted(pl.selectors.by_name(*spaced).str.strip_chars(" ")))
        numbers = {column for role, column in roles.items() if role not in IDS}  # may have spaces in any case
        told = [in_quotes(short(column.strip())) for column in spaced if column not in numbers]
        note = say(
            "{table}: every {columns:and} begins with a space, which is removed.",
            key="spaces",
            table=name,
            columns=told,
        )
        notes += [note] if told else []
    return Tidied(frame, rows, tuple(notes))


def _unquoted(values: pl.Expr) -> pl.Expr:
    """Without the quotes that the reader of the file took for text, as a space stood before them."""
    inside = values.str.slice(1, values.str.len_chars() - 2).str.replace_all('""', '"', literal=True)
    return pl.when(values.str.contains('(?s)^".*"$')).then(inside).otherwise(values)


def _spaced(column: pl.Series) -> bool:
    values = column.drop_nulls()
    return len(values) > 0 and values[0].startswith(" ") and bool(values.str.starts_with(" ").all())


def _spaced_outside_quotes(raw: pl.LazyFrame, place: int) -> bool:
    with suppress(pl.exceptions.PolarsError):  # separators inside of quotes
        return _spaced(raw.select(pl.nth(place)).collect().to_series())
    return False


def jsonl(name: str, data: Path | bytes, frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
    """The columns as they are: ids that are numbers in some lines and text in others are an error.

    The reader makes text of both, which would make one id of 1 and "1".
    """
    for role in IDS:
        column = roles.get(role)
        if column is not None and frame.schema[column] == pl.String:
            _check_quoted(name, data, role, column)
    return Tidied(frame)


def json_trouble(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return say("it is nested too deeply")
    return json_reason(error) if isinstance(error, json.JSONDecodeError) else reason_of(error)


def _check_quoted(name: str, data: Path | bytes, role: str, column: str) -> None:
    key = re.escape(json.dumps(column, ensure_ascii=False))
    lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
    # The key may also stand in an object inside of the object: then the line itself says so.
    suspects = lines.filter(pl.col("line").str.contains(rf'{key}\s*:\s*[^"\sn]')).head(_AT_MOST).collect()
    for number, line in suspects.rows():
        try:
            value = json.loads(line).get(column)
        except (ValueError, RecursionError) as error:
            raise opening.bad_json(place=at_line(name, number), reason=json_trouble(error)) from None
        if value is not None and not isinstance(value, str):
            cell = value_at(at_line(name, number), role, column)
            raise reading.mixed_json(cell=cell, value=short(json.dumps(value)))
