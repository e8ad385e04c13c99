"""TREC runs and qrels: lines of fields with any whitespace between them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from steelyard.errors import opening
from steelyard.read.formats import translated
from steelyard.read.table import Source

_BLANK = " \t\x0b\x0c\r"
_GAP = r"[ \t\x0b\x0c\r]+"
_FIELD = r"[^ \t\x0b\x0c\r]+"

_RUN = {"query": 0, "item": 2, "rank": 3, "score": 4}
_QRELS = {"query": 0, "item": 2, "relevance": 3}
_PAIRS = {"query": 0, "item": 2}
_FIELDS = {"predictions": _RUN, "truth": _QRELS, "exclude": _PAIRS}
_WORDS = {
    "predictions": ("TREC run", "6 columns (query Q0 item rank score tag)"),
    "truth": ("TREC qrels", "4 columns (query 0 item grade)"),
    "exclude": ("TREC file", "at least 4 columns (query 0 item …)"),
}


def read(name: str, data: Path | bytes, table: str) -> Source:
    """A run or a qrels file, as ``table`` asks; ids stay text, and each row knows its line."""
    if table not in _FIELDS:
        raise opening.trec_kind(name, table)
    fields = _FIELDS[table]
    width = 5 if table == "predictions" else 4
    with translated(name, "TREC", data):
        lines = pl.scan_lines(data, row_index_name="number", row_index_offset=1, glob=False)
        parsed = _parse(lines, fields, width).collect()
    comments = int(parsed["comment"].sum())
    rows = parsed.filter(~pl.col("comment")) if comments else parsed
    if not rows.height:
        raise opening.no_rows(name)
    if rows["query"].null_count():
        raise _too_narrow(name, data, table, int(rows.filter(pl.col("query").is_null())["number"][0]))
    if table == "truth" and _is_run(data, int(rows["number"][0])):
        raise opening.run_as_truth(name)
    counted = "1 comment line (#) is" if comments == 1 else f"{comments:,} comment lines (#) are"
    notes = (f"{name}: {counted} left out",) if comments else ()
    return Source.of(rows.select(*fields), name, untyped=True, lines=rows["number"], notes=notes)


def _parse(lines: pl.LazyFrame, fields: dict[str, int], width: int) -> pl.LazyFrame:
    wanted = {place: role for role, place in fields.items()}
    groups = [f"(?<{wanted[i]}>{_FIELD})" if i in wanted else _FIELD for i in range(width)]
    line = pl.col("line")
    return (
        lines.with_columns(line.str.strip_prefix("\ufeff"))
        .filter(line.str.contains(_FIELD))
        .select(
            "number",
            line.str.starts_with("#").alias("comment"),
            line.str.extract_groups(f"^(?:{_GAP})?{_GAP.join(groups)}").alias("fields"),
        )
        .unnest("fields")
    )


def _line(data: Path | bytes, number: int) -> str:
    return str(pl.scan_lines(data, glob=False).slice(number - 1, 1).collect().item()).strip(_BLANK + "\ufeff")


def _is_run(data: Path | bytes, number: int) -> bool:
    fields = _line(data, number).split()
    return len(fields) > 5 and fields[1].upper() == "Q0"


def _too_narrow(name: str, data: Path | bytes, table: str, number: int) -> Exception:
    line = _line(data, number)
    kind, needed = _WORDS[table]
    found = len(line.split())
    other = (
        "it looks like qrels: are predictions and truth swapped? "
        if table == "predictions" and found == 4
        else ""
    )
    return opening.trec_width(
        f"{name}, line {number:,}", line, kind=kind, found=found, needed=needed, other=other
    )
