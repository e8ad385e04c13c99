"""A result as plain text: aligned columns for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from steelyard.arguments import whole_of
from steelyard.printable import fitted, visible
from steelyard.render.system import Tabled, TextTable
from steelyard.text import Message, say
from steelyard.text.errors import OutputError
from steelyard.text.errors.forms import must_be

TERMINAL_ROWS = 60


def table(system: Tabled, limit: int | None = None) -> str:
    return _table(system.cells(limit))


def full(system: Tabled, limit: int | None = None, width: int | None = None) -> str:
    """What was evaluated, the numbers, the conventions and the notes.

    Sentences, but not the table, are wrapped to ``width``.
    """
    listed = system.without_grids()
    lines = [*_head(system, width), ""]
    cells = listed.cells(limit)
    if cells.rows[1:]:
        lines.append(indented(_table(cells)))
    for name, grid in system.grids().items():
        between = [""] if cells.rows[1:] else []
        lines += [*between, f"  {name}", indented(aligned(grid, 1))]
    if cells.hidden:
        lines.append(indented(system.told(_more(cells))))
    conventions = say("conventions  {conventions}", conventions=system.conventions)
    lines += ["", _told(system, conventions, width), *_notes(system, width)]
    return "\n".join(lines)


def talk(system: Tabled, width: int | None = None) -> str:
    conventions = _told(system, system.conventions, width)
    return "\n".join([*_head(system, width), conventions, *_notes(system, width)])


def wrapped(text: str, width: int | None) -> str:
    """Text in lines of at most ``width``, all but the first indented; a longer word stays whole.

    >>> print(wrapped("ties by item, descending", 14))
    ties by item,
      descending
    """
    width = check_width(width)
    return text if width is None else "\n".join(fitted(text, width, "  "))


def check_width(width: int | None) -> int | None:
    """How many characters a line holds, if it can be that; None for lines of any length."""
    if width is not None and whole_of(width) is None:
        raise must_be("width", say("None or a whole number"), width, kind=OutputError)
    return width


def aligned(rows: Sequence[Sequence[str]], left: int) -> str:
    """Columns of equal width, the first ``left`` of them to the left and the others to the right.

    >>> print(aligned([["metric", "value"], ["mrr", "0.5000"]], 1))
    metric   value
    mrr     0.5000
    """
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    sides = [place < left for place in range(len(widths))]
    return "\n".join("  ".join(map(_padded, row, widths, sides)).rstrip() for row in shown)


def indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _table(cells: TextTable) -> str:
    below = ["", cells.below] if cells.below else []
    return "\n".join([aligned(cells.rows, cells.left), *below])


def _more(cells: TextTable) -> Message:
    if cells.hidden_slices:
        return say(
            "… worst slices first; {n:,} more {n:slice is|slices are} hidden; every row: --format csv, or "
            "result.table()",
            n=cells.hidden_slices,
        )
    return say("… {n:,} more {n:row|rows}; every row: --format csv, or result.table()", n=cells.hidden)


def _head(system: Tabled, width: int | None) -> list[str]:
    facts = say("{parts:·}", parts=system.facts)
    return [_told(system, system.title, width), _told(system, facts, width)]


def _notes(system: Tabled, width: int | None) -> list[str]:
    read = [_told(system, reading.said, width, "→ ") for reading in system.readings]
    return [*read, *(_told(system, note, width, "! ") for note in system.notes)]


def _told(system: Tabled, sentence: str, width: int | None, sign: str = "") -> str:
    return wrapped(visible(sign + system.told(sentence)), width)


def _padded(text: str, width: int, left: bool) -> str:
    space = " " * (width - cell_len(text))
    return text + space if left else space + text
