"""A result as plain text: aligned columns for a terminal or a pipe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from rich.cells import cell_len

from steelyard.arguments import whole_of
from steelyard.printable import fitted, visible
from steelyard.render.system import Tabled
from steelyard.render.table import ShownTable
from steelyard.text import say
from steelyard.text.errors import OutputError
from steelyard.text.errors.forms import must_be

TERMINAL_ROWS = 60


def table(system: Tabled, limit: int | None = None) -> str:
    return table_text(system.cells(limit), system.lang)


def full(system: Tabled, limit: int | None = None, width: int | None = None) -> str:
    """What was evaluated, the numbers, the conventions and the notes.

    Sentences, but not the table, are wrapped to ``width``.
    """
    cells = system.without_grids().cells(limit)
    lines = [*_head(system, width), ""]
    if cells.rows:
        lines.append(indented(table_text(cells, system.lang)))
    for name, grid in system.grids().items():
        between = [""] if cells.rows else []
        lines += [*between, f"  {name}", indented(table_text(grid, system.lang))]
    if cells.hidden:
        more = say("… {n:,} more {n:row|rows}; every row: --format csv, or result.table()", n=cells.hidden)
        if n := cells.hidden_slices:
            more = say(
                "… worst slices first; {n:,} more {n:slice is|slices are} hidden; "
                "every row: --format csv, or result.table()",
                n=n,
            )
        lines.append(indented(system.render(more)))
    conventions = say("conventions  {conventions}", conventions=system.conventions)
    return "\n".join([*lines, "", _told(system, conventions, width), *_notes(system, width)])


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
    """Return the width of lines, or refuse it; None means lines of any length."""
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


def table_text(table: ShownTable, lang: str) -> str:
    below = ["", table.below(lang)] if table.notes else []
    return "\n".join([aligned(table.texts(lang), table.left), *below])


def _head(system: Tabled, width: int | None) -> list[str]:
    facts = say("{parts:·}", parts=system.facts)
    return [_told(system, system.title, width), _told(system, facts, width)]


def _notes(system: Tabled, width: int | None) -> list[str]:
    read = [_told(system, reading.sentence, width, "→ ") for reading in system.readings]
    return [*read, *(_told(system, note, width, "! ") for note in system.notes)]


def _told(system: Tabled, sentence: str, width: int | None, sign: str = "") -> str:
    return wrapped(visible(sign + system.render(sentence)), width)


def _padded(text: str, width: int, left: bool) -> str:
    space = " " * (width - cell_len(text))
    return text + space if left else space + text


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "†": r"$^{\dagger}$",
    "∞": r"$\infty$",
    **{
        raised: f"$^{{{letter}}}$"
        for raised, letter in zip("ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ", "abcdefghijklmnop", strict=True)
    },
}
_AFTER_A_ROW = re.compile(r"^\s*([\[*])")  # the end of a row, and a rule, would take these for an option


def markdown(system: Tabled, limit: int | None = None) -> str:
    table = system.cells(limit)
    below = [markdown_text(table.below(system.lang))] if table.notes else []
    return "\n\n".join([markdown_table(table, system.lang), *below])


def latex(system: Tabled, limit: int | None = None) -> str:
    table = system.cells(limit)
    below = table.below(system.lang)
    head, *rows = table.texts(system.lang, _latex, r"\textbf{%s}")
    lines = [
        rf"\begin{{tabular}}{{{'l' * table.left}{'r' * (len(head) - table.left)}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.captioned:
        caption = rf"\caption{{{_latex(below)}}}"
        lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
    elif below:
        lines.append(f"% {below}")
    return "\n".join(lines)


def html(system: Tabled, limit: int = 200) -> str:
    """A table for a notebook, with the facts above and the notes below."""
    cells, words = system.cells(limit), system.render
    table = html_table(cells, system.lang)
    hint = say("… {n:,} more {n:row|rows} in result.table()", n=cells.hidden)
    if cells.hidden_slices:
        hint = say(
            "… worst slices first; {n:,} more {n:slice|slices} in result.table()", n=cells.hidden_slices
        )
    more = f"<p>{html_text(words(hint))}</p>" if cells.hidden else ""
    more += f"<p>{html_text(cells.below(system.lang))}</p>" if cells.notes else ""
    sentences = [*(f"→ {words(reading.sentence)}" for reading in system.readings), *map(words, system.notes)]
    notes = "".join(f"<li>{html_text(sentence)}</li>" for sentence in sentences)
    facts = words(say("{parts:·}", parts=system.facts))
    return (
        f"<div><p><b>{html_text(words(system.title))}</b><br>{html_text(facts)}</p>"
        f"{table}{more}"
        f"<p>{html_text(words(system.conventions))}</p>" + (f"<ul>{notes}</ul>" if notes else "") + "</div>"
    )


def markdown_table(table: ShownTable, lang: str) -> str:
    """A table of Markdown; what is best is bold."""
    head, *rows = table.texts(lang, markdown_text, "**%s**")
    rule = ["---:" if column.number else "---" for column in table.columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def html_table(table: ShownTable, lang: str) -> str:
    names, *rows = table.texts(lang, html_text)
    head = "".join(f"<th>{name}</th>" for name in names)
    sides = ["right" if column.number else "left" for column in table.columns]
    lines = (
        "".join(f'<td style="text-align:{side}">{cell}</td>' for side, cell in zip(sides, row, strict=True))
        for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_text(text: str) -> str:
    return escape(visible(text))


def markdown_text(text: str) -> str:
    return re.sub(r"([\\|`*_<>\[\]~$&])", r"\\\1", visible(text.replace("\n", " ")))


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in visible(text.replace("\n", " ")))
    guarded = _AFTER_A_ROW.sub(r"{\1}", escaped)
    return guarded.replace("–", "--")
