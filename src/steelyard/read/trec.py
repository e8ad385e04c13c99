"""TREC runs and qrels: lines of fields with any whitespace between them."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from steelyard.read.frames import of_frame
from steelyard.read.roles import ALIASES, folded
from steelyard.read.table import Source
from steelyard.read.text import GZIP, ZSTD, Data, blocks, start
from steelyard.text import Message, say
from steelyard.text.errors import opening
from steelyard.text.errors.forms import at_line

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


def read(name: str, data: Data, table: str) -> Source | None:
    """A run or a qrels file, as ``table`` asks, or None where it cannot hold that; ids stay text."""
    if table == "catalog":
        return _ids(name, data)
    table = "exclude" if table == "history" else table
    if table not in _LAYOUTS:
        return None
    lines = read_lines(data, _LAYOUTS[table])
    fields, numbers = lines.fields, lines.numbers
    if not fields.height:
        raise opening.no_rows(name=name)
    if table == "truth":
        first = line_at(data, int(numbers[0])).strip(_BLANK + "\ufeff").split()
        if len(first) > 5 and first[1].upper() == "Q0":
            raise opening.run_as_truth(name=name)
    if lines.misfit is not None:
        raise _other_width(name, data, table, lines.misfit)
    note = say(
        "{table}: {n:,} {n:comment line (#) is|comment lines (#) are} skipped.",
        key="comments",
        table=name,
        n=lines.comments,
    )
    notes = [note] if lines.comments else []
    if "more" in fields.columns:
        notes += _wider(name, data, lines)
    kept = fields.drop(pl.selectors.starts_with("_"), "more", strict=False)
    return of_frame(kept, name, untyped=True, lines=numbers, notes=tuple(notes))


def _separated(data: Data, layout: Layout) -> Lines | None:
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
    if (separated := _separated(data, layout)) is not None:
        return separated
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


def _ids(name: str, data: Data) -> Source | None:
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
    yield say(
        "{table}: {n:,} {n:line has|lines have} more than 6 columns, as line {line:,}; "
        "the rest of the line is ignored.",
        key="wide_lines",
        table=name,
        n=rows.height,
        line=int(rows["number"][0]),
    )


def _other_width(name: str, data: Data, table: str, number: int) -> Exception:
    line = line_at(data, number).strip(_BLANK + "\ufeff")
    found = len(re.findall(_FIELD, line))
    other = None
    if table == "predictions" and found == 4:
        other = say("it looks like qrels: are predictions and truth swapped?")
    elif found > len(_LAYOUTS[table].columns):
        other = say("ids hold no white space, and nothing follows the last column;")
    return opening.trec_width(at_line(name, number), line, found, _WIDTHS[table], other)
