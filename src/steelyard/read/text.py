"""Text files: bytes that no text has, wrong quotes, what csv and jsonl may spoil, TREC runs and qrels."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.read.frames import of_frame
from steelyard.read.headers import reason_of
from steelyard.read.roles import ALIASES, folded
from steelyard.read.table import IDS, Source, Tidied
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
_CLOSING = re.compile(r'(?:[^"]|"")*"(?!")')
_AT_MOST = 1000
_note = sentences(
    blank_lines="{table}: {n:,} {n:blank line is|blank lines are} skipped.",
    spaces="{table}: every {columns:and} begins with a space, which is removed.",
    comments="{table}: {n:,} {n:comment line (#) is|comment lines (#) are} skipped.",
    wide_lines="{table}: {n:,} {n:line has|lines have} more than 6 columns, as line {line:,}; "
    "the rest of the line is ignored.",
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
            notes += [_note("blank_lines", table=name, n=between)] if between else []
    spaced = [column.name for column in frame if _spaced(column)]
    if spaced:
        columns = scan.collect_schema().names()
        spaced = [column for column in spaced if _spaced_outside_quotes(raw, columns.index(column))]
    if spaced:
        values = pl.selectors.by_name(*spaced).str.strip_chars(" ")
        # the reader of the file took quotes after a space for text
        inside = values.str.slice(1, values.str.len_chars() - 2).str.replace_all('""', '"', literal=True)
        quoted = values.str.contains('(?s)^".*"$')
        frame = frame.with_columns(pl.when(quoted).then(inside).otherwise(values))
        numbers = {column for role, column in roles.items() if role not in IDS}  # may have spaces in any case
        told = [in_quotes(short(column.strip())) for column in spaced if column not in numbers]
        notes += [_note("spaces", table=name, columns=told)] if told else []
    return Tidied(frame, rows, tuple(notes))


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
            raise reading.bad_json(place=at_line(name, number), reason=json_trouble(error)) from None
        if value is not None and not isinstance(value, str):
            cell = value_at(at_line(name, number), role, column)
            raise reading.mixed_json(cell=cell, value=short(json.dumps(value)))


_BLANK = " \t\x0b\x0c\r"
GAP = r"[ \t\x0b\x0c\r]+"
_FIELD = r"[^ \t\x0b\x0c\r]+"

_RUN_OR_QRELS = rf"^(?:{GAP})?{_FIELD}{GAP}(?:Q0|q0|0){GAP}{_FIELD}{GAP}-?[0-9]+(?:{GAP}|$)"

NOTHING_MORE = f"(?:{GAP})?$"


@dataclass(frozen=True)
class Layout:
    """The columns of a file, and what else its lines may hold; ``rest`` and ``comment`` are patterns.

    Without ``rest`` anything may follow the columns; without ``comment`` no line is a comment.
    """

    columns: tuple[str, ...]
    optional: tuple[str, ...] = ()  # columns that ``rest`` names too
    rest: str = NOTHING_MORE
    comment: str = "^#"
    blank_lines: bool = True
    byte_order_mark: bool = True  # whether it is left out where a line begins with it


@dataclass(frozen=True)
class Lines:
    """The fields of each line that is neither blank nor a comment, all null where the line does not fit."""

    fields: pl.DataFrame
    numbers: pl.Series  # of the lines, from 1
    comments: int = 0

    @property
    def misfit(self) -> int | None:
        wrong = self.fields.to_series(0).is_null()
        return int(self.numbers[wrong.arg_max() or 0]) if wrong.any() else None


# What may follow the score of a run: the tag, and after it anything, as in trec_eval.
_TAG_AND_MORE = f"(?:{GAP}(?:(?<tag>{_FIELD})(?:{GAP}(?<more>{_FIELD}.*)?)?)?)?$"
_LAYOUTS = {
    "predictions": Layout(("query", "_", "item", "rank", "score"), optional=("tag",), rest=_TAG_AND_MORE),
    "truth": Layout(("query", "_", "item", "relevance")),
    "exclude": Layout(("query", "_", "item", "_grade"), rest=""),
}
_WIDTHS = {
    "predictions": say("a TREC run has 6 columns (query Q0 item rank score tag)"),
    "truth": say("a TREC qrels has 4 columns (query 0 item grade)"),
    "exclude": say("a TREC file has at least 4 columns (query 0 item …)"),
}


def trec(name: str, data: Data, table: str) -> Source | None:
    """A run or a qrels file, as ``table`` asks, or None where it cannot hold that; ids stay text."""
    if table == "catalog":
        return _id_lines(name, data)
    table = "exclude" if table == "history" else table
    if table not in _LAYOUTS:
        return None
    lines = read_lines(data, _LAYOUTS[table])
    fields, numbers = lines.fields, lines.numbers
    if not fields.height:
        raise reading.no_rows(name=name)
    if table == "truth":
        first = line_at(data, int(numbers[0])).strip(_BLANK + "\ufeff").split()
        if len(first) > 5 and first[1].upper() == "Q0":
            raise reading.run_as_truth(name=name)
    if lines.misfit is not None:
        raise _other_width(name, data, table, lines.misfit)
    notes = [_note("comments", table=name, n=lines.comments)] if lines.comments else []
    if "more" in fields.columns:
        notes += _wider(name, data, lines)
    kept = fields.drop(pl.selectors.starts_with("_"), "more", strict=False)
    return of_frame(kept, name, untyped=True, lines=numbers, notes=tuple(notes))


def _alike(data: Data, layout: Layout) -> Lines | None:
    """The lines as separated values; None unless every line has all columns, with one blank between them."""
    separator = _only_blank(data)
    if separator is None:
        return None
    try:
        fields = pl.read_csv(
            data,
            has_header=False,
            separator=separator,
            quote_char=None,
            schema=dict.fromkeys(layout.columns + layout.optional, pl.String),
            truncate_ragged_lines=not layout.rest,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    # a field that is empty or missing is null, and so are all fields of a blank line
    if any(fields.select(layout.columns).null_count().row(0)):
        return None
    first = fields.to_series(0).str
    if (layout.comment and first.starts_with("#").any()) or first.starts_with("\ufeff").any():
        return None
    return Lines(fields, pl.int_range(1, fields.height + 1, dtype=pl.UInt32, eager=True))


def _only_blank(data: Data) -> str | None:
    """The one kind of white space in the lines of a file that is not packed: the blank or the tab."""
    if start(data).startswith((GZIP, ZSTD, BOM_UTF8)):
        return None
    used: set[str] = set()
    for block in blocks(data):
        used.update(blank for blank in _BLANK if blank.encode() in block)
        if used not in ({" "}, {"\t"}):
            return None
    return used.pop() if used else None


def read_lines(data: Data, layout: Layout) -> Lines:
    """The fields of every line: by a pattern, or in a fraction of the time where all lines are alike."""
    if (alike := _alike(data, layout)) is not None:
        return alike
    line = pl.col("line")
    lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
    if layout.byte_order_mark:
        lines = lines.with_columns(line.str.strip_prefix("\ufeff"))
    if layout.blank_lines:
        lines = lines.filter(line.str.contains(_FIELD))
    groups = GAP.join(f"(?<{column}>{_FIELD})" for column in layout.columns)
    parsed = lines.select(
        "number",
        (line.str.contains(layout.comment) if layout.comment else pl.lit(value=False)).alias("comment"),
        line.str.extract_groups(f"^(?:{GAP})?{groups}{layout.rest}").alias("fields"),
    ).collect()
    rows = parsed.filter(~pl.col("comment"))
    return Lines(rows["fields"].struct.unnest(), rows["number"], parsed.height - rows.height)


def line_at(data: Data, number: int) -> str:
    return str(pl.scan_lines(data, glob=False).slice(number - 1, 1).collect().item())


def _id_lines(name: str, data: Data) -> Source | None:
    """A list of ids, each a whole line; a first line that is a name of items is a header."""
    lines = pl.scan_lines(data, name="item", row_index_name="number", row_index_offset=1, glob=False)
    item = pl.col("item").str.strip_prefix("\ufeff").str.strip_chars_end("\r")
    rows = lines.with_columns(item).filter(pl.col("item").str.contains(_FIELD)).collect()
    if rows.height and rows["item"].str.contains(_RUN_OR_QRELS).all():
        return None
    if rows.height and folded(rows["item"][0]) in ALIASES["item"]:
        rows = rows.slice(1)
    return of_frame(rows.select("item"), name, untyped=True, lines=rows["number"])


def _wider(name: str, data: Data, lines: Lines) -> Iterator[Message]:
    """A note on lines with more columns than a run has; an id with a space in it would shift the rank."""
    rows = lines.fields.select("rank", "more", number=lines.numbers).drop_nulls("more")
    if not rows.height:
        return
    shifted = rows.filter(pl.col("rank").cast(pl.Float64, strict=False).is_null())
    if shifted.height:
        raise _other_width(name, data, "predictions", int(shifted["number"][0]))
    yield _note("wide_lines", table=name, n=rows.height, line=int(rows["number"][0]))


def _other_width(name: str, data: Data, table: str, number: int) -> Exception:
    line = line_at(data, number).strip(_BLANK + "\ufeff")
    found = len(re.findall(_FIELD, line))
    other = None
    if table == "predictions" and found == 4:
        other = say("it looks like qrels: are predictions and truth swapped?")
    elif found > len(_LAYOUTS[table].columns):
        other = say("ids hold no white space, and nothing follows the last column;")
    return reading.trec_width(at_line(name, number), line, found, _WIDTHS[table], other)
