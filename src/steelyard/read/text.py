"""Text files: bytes that no text has, wrong quotes, what csv and jsonl may spoil."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.read.headers import reason_of
from steelyard.read.table import IDS, PLACE, Tidied, exactly
from steelyard.text import Message, in_quotes, say, sentences
from steelyard.text.errors import reading
from steelyard.text.errors.base import SteelyardError
from steelyard.text.errors.forms import at_line, json_reason, short, value_at

Data = Path | bytes
Trouble = Callable[[str, int | None], SteelyardError]  # the name of a file and a line of it
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20
_LF, _CR = b"\n\r"
_MOST = 100_000
_FIRST_ROWS = 1000
_CLOSING = re.compile(r'(?:[^"]|"")*"(?!")')
_AT_MOST = 1000
_note = sentences(
    blank_lines="{table}: {n:,} {n:blank line is|blank lines are} skipped.",
    spaces="{table}: every {columns:and} begins with a space, which is removed.",
)


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
        trouble = reading.nul_byte if "\0" in line else reading.lone_return
        raise trouble(name, number, unpack=unpack)


def _first_trouble(data: Data) -> tuple[Trouble, int] | None:
    """What is wrong with the bytes, and where: three looks at each block, all faster than the disk."""
    before = 0
    for block in blocks(data):
        if b"\0" in block:
            return reading.nul_byte, before + block.index(b"\0")
        if b"\r" in block:
            values = np.frombuffer(block + b" ", dtype=np.uint8)
            alone = np.flatnonzero((values[:-1] == _CR) & (values[1:] != _LF))
            if len(alone):
                return reading.lone_return, before + int(alone[0])
        if not block.isascii():
            try:
                block.decode()
            except UnicodeDecodeError as error:
                return reading.not_utf8, before + error.start
        before += len(block)
    return None


def _unpacking_trouble(name: str, data: Data, reason: str) -> SteelyardError:
    packed_by_gzip = start(data).startswith(GZIP)
    if "utf8" in reason or "utf-8" in reason:
        try:
            found = _first_trouble(data) if packed_by_gzip else None
        except (EOFError, OSError, zlib.error):  # what was packed is odd because the packing is damaged
            return reading.damaged(name=name)
        return reading.not_utf8(name, _line(data, found[1]) if found is not None else None)
    if packed_by_gzip and _has_trailing(data):
        return reading.trailing_bytes(name=name)
    if "unexpected end of file" in reason or "incomplete frame" in reason:
        return reading.cut_short(name=name)
    return reading.damaged(name=name)


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


@dataclass(frozen=True)
class Separated:
    """A csv or tsv file without its blank lines, and without the space after each separator.

    ``raw`` is the same file read without quotes: a space inside of quotes belongs to the value. ``numbered``
    has the number of each row.
    """

    name: str
    numbered: pl.LazyFrame
    raw: pl.LazyFrame

    def tidied(self, frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        """Loaded columns as ``scan`` has them."""
        rows, between = None, 0
        # A blank line has no second field, so that a file without missing values costs nothing here.
        missing = any(column.null_count() for column in frame)
        if missing and frame.select(_blank()).to_series().any():
            blank = self.numbered.select(_blank()).collect().to_series()
            if blank.any():
                frame, rows = frame.filter(~blank), (~blank).arg_true() + 1
                last = rows.max()
                between = last - len(rows) if isinstance(last, int) else 0
        spaced = self._spaced(frame.lazy(), frame.columns)
        frame = frame.with_columns(_unspaced(spaced))
        return Tidied(frame, rows, self._notes(between, spaced, roles))

    def scan(self) -> pl.LazyFrame:
        rows = self.numbered.filter(~_blank())
        return rows.with_columns(_unspaced(self._spaced(rows, self._columns())))

    def inspect(self, columns: Sequence[str], roles: Mapping[str, str]) -> tuple[Message, ...]:
        """The notes of ``tidied`` on columns that were scanned."""
        rows = self.numbered.filter(~_blank())
        last, n = rows.select(pl.col(PLACE).max(), n=pl.len()).collect(engine="streaming").row(0)
        return self._notes((last or 0) - n, self._spaced(rows, columns), roles)

    def _columns(self) -> list[str]:
        return [name for name in self.numbered.collect_schema() if name != PLACE]

    def _spaced(self, rows: pl.LazyFrame, columns: Sequence[str]) -> list[str]:
        """The columns whose every value begins with a space outside of quotes."""
        spaced = _begin_with_space(rows.head(_FIRST_ROWS), columns, empty=True)
        spaced = spaced and _begin_with_space(rows, spaced)
        places = self._columns() if spaced else []
        return [column for column in spaced if self._outside_quotes(places.index(column))]

    def _outside_quotes(self, place: int) -> bool:
        column = self.raw.collect_schema().names()[place]
        with suppress(pl.exceptions.PolarsError):  # separators inside of quotes
            return bool(_begin_with_space(self.raw, [column]))
        return False

    def _notes(self, between: int, spaced: Sequence[str], roles: Mapping[str, str]) -> tuple[Message, ...]:
        notes = [_note("blank_lines", table=self.name, n=between)] if between else []
        numbers = {column for role, column in roles.items() if role not in IDS}  # may have spaces in any case
        told = [in_quotes(short(column.strip())) for column in spaced if column not in numbers]
        return (*notes, *([_note("spaces", table=self.name, columns=told)] if told else []))


def _blank() -> pl.Expr:
    values = pl.all().exclude(PLACE).fill_null("").str.strip_chars()
    return pl.all_horizontal(values == "").alias("blank")


def _begin_with_space(rows: pl.LazyFrame, columns: Sequence[str], *, empty: bool = False) -> list[str]:
    """The columns whose every value does; those without a value if ``empty``."""
    if not columns:
        return []
    every = exactly(columns).str.starts_with(" ").all().name.prefix("all ")
    told = rows.select(every, exactly(columns).count().name.prefix("some ")).collect(engine="streaming")
    found = told.row(0, named=True)
    return [name for name in columns if found[f"all {name}"] and (empty or found[f"some {name}"])]


def _unspaced(columns: Sequence[str]) -> pl.Expr:
    values = exactly(columns).str.strip_chars(" ")
    # the reader of the file took quotes after a space for text
    inside = values.str.slice(1, values.str.len_chars() - 2).str.replace_all('""', '"', literal=True)
    quoted = values.str.contains('(?s)^".*"$')
    return pl.when(quoted).then(inside).otherwise(values)


def check_json_ids(
    name: str, data: Path | bytes, schema: Mapping[str, pl.DataType], roles: Mapping[str, str]
) -> None:
    """Refuse ids that are numbers in some lines and text in others.

    The reader makes text of both, which would make one id of 1 and "1".
    """
    for role in IDS:
        column = roles.get(role)
        if column is not None and schema[column] == pl.String:
            _check_quoted(name, data, role, column)


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
            raise reading.bad_json(place=at_line(name, number), reason=json_trouble(error)) from None
        if value is not None and not isinstance(value, str):
            cell = value_at(at_line(name, number), role, column)
            raise reading.mixed_json(cell=cell, value=short(json.dumps(value)))
