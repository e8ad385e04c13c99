"""TREC runs and qrels: lines of fields with any whitespace between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from steelyard.messages import Message, say
from steelyard.messages.errors import opening
from steelyard.messages.errors.places import at_line
from steelyard.read.column_names import ALIASES, folded
from steelyard.read.formats import translated
from steelyard.read.table import Source, exactly

_BLANK = " \t\x0b\x0c\r"
_GAP = r"[ \t\x0b\x0c\r]+"
_FIELD = r"[^ \t\x0b\x0c\r]+"

_RUN_OR_QRELS = rf"^(?:{_GAP})?{_FIELD}{_GAP}(?:Q0|q0|0){_GAP}{_FIELD}{_GAP}-?[0-9]+(?:{_GAP}|$)"

_RUN = {"query": 0, "item": 2, "rank": 3, "score": 4}
_QRELS = {"query": 0, "item": 2, "relevance": 3}
_PAIRS = {"query": 0, "item": 2}
_FIELDS = {"predictions": _RUN, "truth": _QRELS, "exclude": _PAIRS}
_COLUMNS = {
    "predictions": say("a TREC run has 6 columns (query Q0 item rank score tag)"),
    "truth": say("a TREC qrels has 4 columns (query 0 item grade)"),
    "exclude": say("a TREC file has at least 4 columns (query 0 item …)"),
}
_TAG = "tag"
_NEEDED = {"predictions": 5, "truth": 4, "exclude": 4}
# What may follow: the tag of a run, and after it anything, as trec_eval has it; nothing in qrels.
_REST = {
    "predictions": f"(?:{_GAP}(?:{_FIELD}(?:{_GAP}(?<more>{_FIELD}.*)?)?)?)?$",
    "truth": f"(?:{_GAP})?$",
    "exclude": "",
}


def read(name: str, data: Path | bytes, table: str) -> Source:
    """A run or a qrels file, as ``table`` asks; ids stay text, and each row knows its line."""
    if table == "catalog":
        return _ids(name, data)
    table = "exclude" if table == "history" else table
    if table not in _FIELDS:
        raise opening.trec_kind(name, table)
    fields = _FIELDS[table]
    with translated(name, "TREC", data):
        lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
        parsed = _parse(lines, table).collect()
    comments = int(parsed["comment"].sum())
    rows = parsed.filter(~pl.col("comment")) if comments else parsed
    if not rows.height:
        raise opening.no_rows(name=name)
    if table == "truth" and _is_run(data, int(rows["number"][0])):
        raise opening.run_as_truth(name=name)
    if rows["query"].null_count():
        raise _other_width(name, data, table, int(rows.filter(pl.col("query").is_null())["number"][0]))
    said = say(
        "{table}: {n:,} {n:comment line (#) is|comment lines (#) are} left out.",
        key="comments",
        table=name,
        n=comments,
    )
    notes = [said] if comments else []
    if table == "predictions":
        notes += _wider(name, data, rows.filter(pl.col("more").is_not_null()))
    frame = rows.select(*fields)
    source = Source.of(frame, name, untyped=True, lines=rows["number"], notes=tuple(notes))
    return _tagged(source, frame, name, data) if table == "predictions" else source


def regular(data: bytes, columns: int, *, comments: bool) -> pl.DataFrame | None:
    """The fields of every line, in a fraction of the time; None unless all lines are alike.

    Each line must have just these columns with one blank, or one tab, between them, and with ``comments``
    none may begin with ``#``: then it is a file of separated values.
    """
    separator, other = ("\t", b" ") if b"\t" in data.partition(b"\n")[0] else (" ", b"\t")
    if data.startswith(b"\xef\xbb\xbf") or any(one in data for one in (other, b"\r", b"\x0b", b"\x0c")):
        return None
    try:
        found = pl.read_csv(
            data,
            has_header=False,
            separator=separator,
            quote_char=None,
            schema={f"field_{i}": pl.String for i in range(columns)},
        )
    except pl.exceptions.PolarsError:
        return None
    # a field that is empty or lacking is null, and so are all of a blank line
    if any(found.null_count().row(0)) or (comments and found["field_0"].str.starts_with("#").any()):
        return None
    return found


def irregular(data: bytes, columns: int, *, comments: bool, blank_lines: bool) -> pl.DataFrame:
    """The number, the text and the fields of every line; fields are null where a line has not as many.

    Where ``blank_lines`` may stand, what follows the last column is left out; with ``comments`` lines that
    begin with ``#`` are.
    """
    groups = _GAP.join(f"(?<field_{i}>{_FIELD})" for i in range(columns))
    rest = f"(?:{_GAP}|$)" if blank_lines else f"(?:{_GAP})?$"
    line = pl.col("line")
    lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
    if comments:
        lines = lines.filter(~line.str.contains(f"^(?:{_GAP})?#" if blank_lines else "^#"))
    if blank_lines:
        lines = lines.filter(line.str.contains(_FIELD))
    fields = line.str.extract_groups(f"^(?:{_GAP})?{groups}{rest}").alias("fields")
    return lines.select("number", "line", fields).unnest("fields").collect()


def _ids(name: str, data: Path | bytes) -> Source:
    """A list of ids, each a whole line; a first line that is a name of items is a header."""
    with translated(name, "TREC", data):
        lines = pl.scan_lines(data, name="item", row_index_name="number", row_index_offset=1, glob=False)
        item = pl.col("item").str.strip_prefix("\ufeff").str.strip_chars_end("\r")
        rows = lines.with_columns(item).filter(pl.col("item").str.contains(_FIELD)).collect()
    if rows.height and rows["item"].str.contains(_RUN_OR_QRELS).all():
        raise opening.trec_kind(name, "catalog")
    if rows.height and folded(rows["item"][0]) in ALIASES["item"]:
        rows = rows.slice(1)
    return Source.of(rows.select("item"), name, untyped=True, lines=rows["number"])


def _tagged(source: Source, frame: pl.DataFrame, name: str, data: Path | bytes) -> Source:
    """The same with the tag of each line, which is read when it is asked for."""

    def first(wanted: Sequence[str], rows: int | None) -> pl.DataFrame:
        known = frame.head(frame.height if rows is None else rows)
        if _TAG in wanted:
            with translated(name, "TREC", data):
                known = known.with_columns(_tags(data).head(known.height).collect().to_series())
        return known.select(exactly(wanted))

    return replace(
        source, columns=(*source.columns, _TAG), load=lambda wanted: first(wanted, None), peek=first
    )


def _tags(data: Path | bytes) -> pl.LazyFrame:
    line = pl.col("line")
    return (
        pl.scan_lines(data, glob=False)
        .with_columns(line.str.strip_prefix("\ufeff"))
        .filter(line.str.contains(_FIELD) & ~line.str.starts_with("#"))
        .select(line.str.extract(f"^(?:{_GAP})?(?:{_FIELD}{_GAP}){{5}}({_FIELD})").alias(_TAG))
    )


def _wider(name: str, data: Path | bytes, rows: pl.DataFrame) -> list[Message]:
    """A note on lines with more columns than a run has; an id with a space in it would shift the rank."""
    if not rows.height:
        return []
    shifted = rows.filter(pl.col("rank").cast(pl.Float64, strict=False).is_null())
    if shifted.height:
        raise _other_width(name, data, "predictions", int(shifted["number"][0]))
    said = say(
        "{table}: {n:,} {n:line has|lines have} more than 6 columns, as line {line:,}; "
        "what follows them is left out.",
        key="wide_lines",
        table=name,
        n=rows.height,
        line=int(rows["number"][0]),
    )
    return [said]


def _parse(lines: pl.LazyFrame, table: str) -> pl.LazyFrame:
    """The fields of each line; all null where there are too few or too many."""
    wanted = {place: role for role, place in _FIELDS[table].items()}
    groups = [f"(?<{wanted[i]}>{_FIELD})" if i in wanted else _FIELD for i in range(_NEEDED[table])]
    line = pl.col("line")
    return (
        lines.with_columns(line.str.strip_prefix("\ufeff"))
        .filter(line.str.contains(_FIELD))
        .select(
            "number",
            line.str.starts_with("#").alias("comment"),
            line.str.extract_groups(f"^(?:{_GAP})?{_GAP.join(groups)}{_REST[table]}").alias("fields"),
        )
        .unnest("fields")
    )


def _line(data: Path | bytes, number: int) -> str:
    return str(pl.scan_lines(data, glob=False).slice(number - 1, 1).collect().item()).strip(_BLANK + "\ufeff")


def _is_run(data: Path | bytes, number: int) -> bool:
    fields = _line(data, number).split()
    return len(fields) > 5 and fields[1].upper() == "Q0"


def _other_width(name: str, data: Path | bytes, table: str, number: int) -> Exception:
    line = _line(data, number)
    found = len(re.findall(_FIELD, line))
    other = None
    if table == "predictions" and found == 4:
        other = say("it looks like qrels: are predictions and truth swapped?")
    elif found > _NEEDED[table]:
        other = say("ids hold no white space, and nothing follows the last column;")
    return opening.trec_width(at_line(name, number), line, found, _COLUMNS[table], other)
