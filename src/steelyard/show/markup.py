"""A result as Markdown, LaTeX or HTML; ids and slice names are text, whatever they contain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from steelyard.messages import say
from steelyard.printable import visible
from steelyard.show.document import Document

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_AFTER_A_ROW = re.compile(r"^\s*([\[*])")  # the end of a row, and a rule, would take these for an option


def markdown(document: Document) -> str:
    """A pipe table as GitHub shows it."""
    return pipe_table([document.header, *document.cells()], len(document.words))


def latex(document: Document) -> str:
    """A booktabs table."""
    left = len(document.words)
    header = document.header
    head, *rows = [" & ".join(map(_latex, row)) + r" \\" for row in [header, *document.cells()]]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(header) - left)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def html(document: Document, limit: int = 200) -> str:
    """A table for a notebook, with the facts above and the notes below."""
    table = html_table([document.header, *document.cells(limit)], len(document.words))
    hidden = document.rows.height - limit
    hint = document.told(say("… {n:,} more {n:row|rows} in result.table()", n=hidden))
    more = f"<p>{_html(hint)}</p>" if hidden > 0 else ""
    told = document.told
    said = [*(f"→ {told(reading)}" for reading in document.readings), *map(told, document.notes)]
    notes = "".join(f"<li>{_html(note)}</li>" for note in said)
    facts = told(say("{parts:·}", parts=document.facts))
    return (
        f"<div><p><b>{_html(told(document.title))}</b><br>{_html(facts)}</p>"
        f"{table}{more}"
        f"<p>{_html(told(document.conventions))}</p>" + (f"<ul>{notes}</ul>" if notes else "") + "</div>"
    )


def pipe_table(rows: Sequence[Sequence[str]], left: int) -> str:
    """Rows as a table of Markdown: the first is the header, the first ``left`` columns stand to the left."""
    rule = ["---" if place < left else "---:" for place in range(len(rows[0]))]
    head, *body = [[markdown_text(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])


def html_table(rows: Sequence[Sequence[str]], left: int) -> str:
    """Rows as a table of HTML: the first is the header, the first ``left`` columns stand to the left."""
    head = "".join(f"<th>{_html(name)}</th>" for name in rows[0])
    body = "".join(
        f"<tr>{''.join(_cell(cell, place < left) for place, cell in enumerate(row))}</tr>" for row in rows[1:]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str, left: bool) -> str:
    align = "left" if left else "right"
    return f'<td style="text-align:{align}">{_html(text)}</td>'


def _html(text: str) -> str:
    return escape(visible(text))


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return re.sub(r"([\\|`*_<>\[\]~$&])", r"\\\1", visible(text.replace("\n", " ")))


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in visible(text.replace("\n", " ")))
    guarded = _AFTER_A_ROW.sub(r"{\1}", escaped)
    return guarded.replace("–", "--")
