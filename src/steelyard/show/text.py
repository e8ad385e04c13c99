"""A result as plain text: aligned columns for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from steelyard.messages import say
from steelyard.printable import fitted, visible
from steelyard.show.document import Document

TERMINAL_ROWS = 60


def table(document: Document, limit: int | None = None) -> str:
    """The numbers alone, in aligned columns."""
    left = len(document.words)
    return aligned([document.header, *document.cells(limit)], left)


def full(document: Document, limit: int | None = None, width: int | None = None) -> str:
    """What was evaluated, the numbers, the conventions and the notes.

    Sentences, but not the table, are wrapped to ``width``.
    """
    listed = document.without_grids()
    lines = [*_head(document, width), ""]
    lines += [indented(table(listed, limit))] if listed.rows.height else []
    for name, grid in document.grids().items():
        lines += [*([""] * bool(listed.rows.height)), f"  {name}", indented(aligned(grid, 1))]
    hidden = listed.rows.height - (limit or listed.rows.height)
    if hidden > 0:
        more = say("… {n:,} more {n:row|rows}; every row: --format csv, or result.table()", n=hidden)
        lines.append(indented(document.told(more)))
    conventions = say("conventions  {conventions}", conventions=document.conventions)
    lines += ["", _told(document, conventions, width), *_notes(document, width)]
    return "\n".join(lines)


def talk(document: Document, width: int | None = None) -> str:
    """All but the table: what was evaluated, the conventions and the notes."""
    conventions = _told(document, document.conventions, width)
    return "\n".join([*_head(document, width), conventions, *_notes(document, width)])


def wrapped(text: str, width: int | None) -> str:
    """Text in lines of at most ``width``, all but the first indented; a longer word stays whole.

    >>> print(wrapped("ties by item, descending", 14))
    ties by item,
      descending
    """
    return text if width is None else "\n".join(fitted(text, width, "  "))


def aligned(rows: Sequence[Sequence[str]], left: int) -> str:
    """Columns of equal width, the first ``left`` of them to the left and the others to the right.

    >>> print(aligned([["metric", "value"], ["mrr", "0.5000"]], 1))
    metric   value
    mrr     0.5000
    """
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    return "\n".join("  ".join(map(_padded, row, widths, _sides(left, len(row)))).rstrip() for row in shown)


def indented(text: str) -> str:
    """The same lines, two spaces further in."""
    return "\n".join(f"  {line}" for line in text.splitlines())


def _head(document: Document, width: int | None) -> list[str]:
    facts = say("{parts:·}", parts=document.facts)
    return [_told(document, document.title, width), _told(document, facts, width)]


def _notes(document: Document, width: int | None) -> list[str]:
    read = [_told(document, reading, width, "→ ") for reading in document.readings]
    return [*read, *(_told(document, note, width, "! ") for note in document.notes)]


def _told(document: Document, sentence: str, width: int | None, sign: str = "") -> str:
    """A sentence for a terminal, whatever the names in it contain."""
    return wrapped(visible(sign + document.told(sentence)), width)


def _sides(left: int, columns: int) -> list[bool]:
    return [place < left for place in range(columns)]


def _padded(text: str, width: int, left: bool) -> str:
    space = " " * (width - cell_len(text))
    return text + space if left else space + text
