"""TREC runs and qrels, and lists of ids: one line per row, fields between white space."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import polars as pl

from steelyard.read.frames import of_frame
from steelyard.read.roles import ALIASES, folded
from steelyard.read.table import PLACE, Source, Tidied, exactly
from steelyard.read.text import GZIP, ZSTD, Data, blocks, start
from steelyard.text import Message, say, sentences
from steelyard.text.errors import reading
from steelyard.text.errors.forms import at_line

_note = sentences(
    comments="{table}: {n:,} {n:comment line (#) is|comment lines (#) are} skipped.",
    wide_lines="{table}: {n:,} {n:line has|lines have} more than 6 columns, as line {line:,}; "
    "the rest of the line is ignored.",
)
_BLANK = " \t\x0b\x0c\r"
GAP = r"[ \t\x0b\x0c\r]+"
_FIELD = r"[^ \t\x0b\x0c\r]+"

_SKIPPED, _MORE = "\0comment", "more"
_COMMENT = pl.col(_SKIPPED)
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
    misfit: int | None  # the number of the first such line, from 1


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
    layout = _LAYOUTS[table]
    columns = [column for column in layout.columns + layout.optional if not column.startswith("_")]

    def rows_of(lines: pl.LazyFrame) -> tuple[pl.LazyFrame, tuple[Message, ...]]:
        notes = _checked(name, data, table, lines)
        return lines.filter(~_COMMENT).select(exactly([*columns, PLACE])), notes

    @cache
    def scanned() -> tuple[pl.LazyFrame, tuple[Message, ...]]:
        return rows_of(scan_lines(data, layout))

    @cache
    def loaded() -> tuple[pl.DataFrame, tuple[Message, ...]]:
        rows, notes = rows_of(scan_lines(data, layout, _collected))
        return rows.collect(), notes

    def peek(wanted: Sequence[str], rows: int) -> pl.DataFrame:
        lines = _by_pattern(data, layout).filter(~_COMMENT)
        return lines.select(exactly(wanted)).head(rows).collect()

    return Source(
        name=name,
        columns=tuple(columns),
        load=lambda wanted: loaded()[0].select(exactly(wanted)),
        peek=peek,
        scan=lambda: scanned()[0],
        slow=True,
        inspect=lambda _columns, _roles: scanned()[1],
        tidy=lambda frame, _roles: Tidied(frame, loaded()[0][PLACE], loaded()[1]),
        untyped=True,
        lines=True,
    )


def _checked(name: str, data: Data, table: str, lines: pl.LazyFrame) -> tuple[Message, ...]:
    """Refuse lines of another width; notes on comments and on what follows the last column."""
    number, odd = pl.col(PLACE), pl.col("query").is_null() & ~_COMMENT
    looks = {
        "rows": (~_COMMENT).sum(),
        "first": number.filter(~_COMMENT).min(),
        "odd": number.filter(odd).min(),
    }
    looks["comments"] = _COMMENT.sum()
    if _MORE in lines.collect_schema():
        wide = pl.col(_MORE).is_not_null() & ~_COMMENT
        # an id with a space in it shifts the rank
        shifted = wide & pl.col("rank").cast(pl.Float64, strict=False).is_null()
        looks |= {
            "wide": wide.sum(),
            "line": number.filter(wide).min(),
            "shifted": number.filter(shifted).min(),
        }
    seen = lines.select(**looks).collect(engine="streaming").row(0, named=True)
    if not seen["rows"]:
        raise reading.no_rows(name=name)
    if table == "truth":
        first = line_at(data, seen["first"]).strip(_BLANK + "\ufeff").split()
        if len(first) > 5 and first[1].upper() == "Q0":
            raise reading.run_as_truth(name=name)
    misfit = seen["odd"] or seen.get("shifted")
    if misfit is not None:
        raise _other_width(name, data, table, misfit)
    notes = [_note("comments", table=name, n=seen["comments"])] if seen["comments"] else []
    if seen.get("wide"):
        notes.append(_note("wide_lines", table=name, n=seen["wide"], line=seen["line"]))
    return tuple(notes)


Keep = Callable[[pl.LazyFrame], pl.LazyFrame]


def _collected(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.collect().lazy()


def scan_lines(data: Data, layout: Layout, keep: Keep = lambda rows: rows) -> pl.LazyFrame:
    """The fields of every line, and its number: by a pattern, or in a fraction of the time if all are alike.

    ``keep`` may collect the rows, which are read more than once.
    """
    alike = _alike(data, layout, keep)
    return keep(_by_pattern(data, layout)) if alike is None else alike


def _alike(data: Data, layout: Layout, keep: Keep) -> pl.LazyFrame | None:
    """The lines as separated values; None unless every line has all columns, with one blank between them."""
    separator = _only_blank(data)
    if separator is None:
        return None
    first = pl.col(layout.columns[0]).str
    # a field that is empty or missing is null, and so are all fields of a blank line
    odd = pl.any_horizontal(pl.col(layout.columns).is_null().any(), first.starts_with("\ufeff").any())
    if layout.comment:
        odd |= first.starts_with("#").any()
    try:
        rows = keep(
            pl.scan_csv(
                data,
                has_header=False,
                separator=separator,
                quote_char=None,
                schema=dict.fromkeys(layout.columns + layout.optional, pl.String),
                truncate_ragged_lines=not layout.rest,
                glob=False,
                row_index_name=PLACE,
                row_index_offset=1,
            )
        )
        if rows.select(odd).collect(engine="streaming").item():
            return None
    except pl.exceptions.PolarsError:
        return None
    return rows.with_columns(pl.lit(value=False).alias(_SKIPPED))


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
    rows = scan_lines(data, layout, _collected).filter(~_COMMENT).collect()
    fields = rows.drop(PLACE, _SKIPPED)
    wrong = fields.to_series(0).is_null()
    return Lines(fields, int(rows[PLACE][wrong.arg_max() or 0]) if wrong.any() else None)


def _by_pattern(data: Data, layout: Layout) -> pl.LazyFrame:
    line = pl.col("line")
    lines = pl.scan_lines(data, row_index_name=PLACE, row_index_offset=1, glob=False)
    if layout.byte_order_mark:
        lines = lines.with_columns(line.str.strip_prefix("\ufeff"))
    if layout.blank_lines:
        lines = lines.filter(line.str.contains(_FIELD))
    groups = GAP.join(f"(?<{column}>{_FIELD})" for column in layout.columns)
    return lines.select(
        PLACE,
        (line.str.contains(layout.comment) if layout.comment else pl.lit(value=False)).alias(_SKIPPED),
        line.str.extract_groups(f"^(?:{GAP})?{groups}{layout.rest}").alias("fields"),
    ).unnest("fields")


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
    numbers = rows["number"].alias(PLACE)
    return of_frame(
        rows.select("item"),
        name,
        untyped=True,
        lines=True,
        scan=lambda: rows.select("item", numbers).lazy(),
        tidy=lambda frame, _roles: Tidied(frame, numbers),
    )


def _other_width(name: str, data: Data, table: str, number: int) -> Exception:
    line = line_at(data, number).strip(_BLANK + "\ufeff")
    found = len(re.findall(_FIELD, line))
    other = None
    if table == "predictions" and found == 4:
        other = say("it looks like qrels: are predictions and truth swapped?")
    elif found > len(_LAYOUTS[table].columns):
        other = say("ids hold no white space, and nothing follows the last column;")
    return reading.trec_width(at_line(name, number), line, found, _WIDTHS[table], other)
