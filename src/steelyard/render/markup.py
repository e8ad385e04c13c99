"""A result as Markdown, LaTeX or HTML; ids and slice names are text, whatever they contain."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape

from steelyard.printable import visible
from steelyard.render.system import Tabled
from steelyard.text import say

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
    cells = system.cells(limit)
    below = f"\n\n{markdown_text(cells.below)}" if cells.below else ""
    return pipe_table(cells.rows, cells.left, cells.best) + below


def latex(system: Tabled, limit: int | None = None) -> str:
    cells = system.cells(limit)
    written = [list(map(_latex, row)) for row in cells.rows]
    for row, column in cells.best:
        written[row + 1][column] = rf"\textbf{{{written[row + 1][column]}}}"
    head, *rows = [" & ".join(row) + r" \\" for row in written]
    table = "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * cells.left}{'r' * (len(written[0]) - cells.left)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            *([f"% {cells.below}"] if cells.below and not cells.captioned else []),
        ]
    )
    if not cells.captioned:
        return table
    caption = rf"\caption{{{_latex(cells.below)}}}"
    return "\n".join([r"\begin{table}", r"\centering", caption, table, r"\end{table}"])


def html(system: Tabled, limit: int = 200) -> str:
    """A table for a notebook, with the facts above and the notes below."""
    cells, told = system.cells(limit), system.told
    table = html_table(cells.rows, cells.left)
    hint = say("… {n:,} more {n:row|rows} in result.table()", n=cells.hidden)
    if cells.hidden_slices:
        hint = say(
            "… worst slices first; {n:,} more {n:slice|slices} in result.table()", n=cells.hidden_slices
        )
    more = f"<p>{_html(told(hint))}</p>" if cells.hidden else ""
    said = [*(f"→ {told(reading.said)}" for reading in system.readings), *map(told, system.notes)]
    notes = "".join(f"<li>{_html(note)}</li>" for note in said)
    facts = told(say("{parts:·}", parts=system.facts))
    return (
        f"<div><p><b>{_html(told(system.title))}</b><br>{_html(facts)}</p>"
        f"{table}{more}"
        f"<p>{_html(told(system.conventions))}</p>" + (f"<ul>{notes}</ul>" if notes else "") + "</div>"
    )


def pipe_table(
    rows: Sequence[Sequence[str]], left: int, best: Collection[tuple[int, int]] = frozenset()
) -> str:
    """Rows as a table of Markdown: the first is the header, the first ``left`` columns stand to the left.

    The ``best`` cells, by row and column below the header, are bold.
    """
    rule = ["---" if place < left else "---:" for place in range(len(rows[0]))]
    head, *body = [[markdown_text(cell) for cell in row] for row in rows]
    for row, column in best:
        body[row][column] = f"**{body[row][column]}**"
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])


def html_table(rows: Sequence[Sequence[str]], left: int) -> str:
    """Rows as a table of HTML: the first is the header, the first ``left`` columns stand to the left."""
    head = "".join(f"<th>{_html(name)}</th>" for name in rows[0])
    sides = ["left" if place < left else "right" for place in range(len(rows[0]))]
    lines = (
        "".join(
            f'<td style="text-align:{side}">{_html(cell)}</td>' for side, cell in zip(sides, row, strict=True)
        )
        for row in rows[1:]
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html(text: str) -> str:
    return escape(visible(text))


def markdown_text(text: str) -> str:
    return re.sub(r"([\\|`*_<>\[\]~$&])", r"\\\1", visible(text.replace("\n", " ")))


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in visible(text.replace("\n", " ")))
    guarded = _AFTER_A_ROW.sub(r"{\1}", escaped)
    return guarded.replace("–", "--")
