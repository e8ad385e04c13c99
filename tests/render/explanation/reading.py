"""Numbers read back from the text that an explanation shows."""

from __future__ import annotations

import math
import re
from itertools import product

HALF = 0.5e-4 * (1 + 1e-9)  # what four decimals may hide
_FUNCTIONS = {"min": min, "max": max, "log": math.log, "sqrt": math.sqrt}
_COLUMN = re.compile(r"\S+(?: \S+)*")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.])")


def tables(text):
    """The tables of a text: lists of (header, cells), one below the other or side by side.

    All columns must stand to the right, as they do where no item has a name.
    """
    found = []
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if not re.match(r"\s+(rank  |hits  sum of|recall  hits)", line):
            continue
        rows = []
        for below in lines[at + 1 :]:
            if not below.strip():
                break
            rows.append(below)
        columns, start = [], 0
        for span in _COLUMN.finditer(line):
            cells = [row[start : span.end()].strip() for row in rows if not row.strip().startswith("…")]
            columns.append((span[0], cells))
            start = span.end()
        for first in [place for place, (name, _) in enumerate(columns) if name == "rank"] or [0]:
            rest = columns[first:]
            later = [place for place, (name, _) in enumerate(rest[1:], 1) if name == "rank"]
            found.append(dict(_trimmed(rest[: later[0]] if later else rest)))
    return found


def _trimmed(columns):
    """Columns without the empty rows that a longer table beside them leaves."""
    height = max((at + 1 for _, cells in columns for at, cell in enumerate(cells) if cell), default=0)
    return [(name, cells[:height]) for name, cells in columns]


def numbers(cells):
    """The numbers among some cells; the row of sums is not one of them where it has a name."""
    return [float(cell) for cell in cells if _NUMBER.fullmatch(cell)]


def arithmetic(text):
    """The lines ``name = expression = value`` and ``name = value``, as (name, expression, value)."""
    found = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(" = ")]
        if len(parts) in (2, 3) and (_NUMBER.fullmatch(parts[-1]) or parts[-1] in ("–", "undefined")):
            found.append((parts[0], parts[1] if len(parts) == 3 else None, parts[-1]))
    return found


def bounds(expression):
    """What an expression may be worth, its decimals having been rounded."""
    plain = expression.replace("×", "*").replace("^", "**")
    spans = list(_NUMBER.finditer(plain))
    spread = [(0.0,) if "." not in span[0] else (-HALF, HALF) for span in spans]
    values = []
    for moves in product(*spread):
        written, end = "", 0
        for span, move in zip(spans, moves, strict=True):
            written += plain[end : span.start()] + f"({float(span[0]) + move!r})"
            end = span.end()
        values.append(float(eval(written + plain[end:], _FUNCTIONS)))
    return min(values), max(values)
