"""Quotes of a csv or tsv file that the reader stumbled over, looked for after it has failed."""

from __future__ import annotations

import re

import polars as pl

from steelyard.read.text import Data

_MOST = 100_000
_CLOSING = re.compile(r'(?:[^"]|"")*"(?!")')


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
