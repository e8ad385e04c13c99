"""A result as Markdown, LaTeX or HTML; ids and slice names are text, whatever they contain."""

from __future__ import annotations

import re
from html import escape

from steelyard.report.document import Document

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def markdown(document: Document) -> str:
    """A pipe table as GitHub shows it."""
    left = len(document.by) + 1
    header = document.header
    rule = ["---" if place < left else "---:" for place in range(len(header))]
    head, *rows = [[_markdown(cell) for cell in row] for row in [header, *document.cells()]]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def latex(document: Document) -> str:
    """A booktabs table."""
    left = len(document.by) + 1
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
    left = len(document.by) + 1
    head = "".join(f"<th>{escape(name)}</th>" for name in document.header)
    body = "".join(f"<tr>{''.join(_cell(cell, place < left) for place, cell in enumerate(row))}</tr>"
                   for row in document.cells(limit))  # fmt: skip
    hidden = document.rows.height - limit
    rows = "row" if hidden == 1 else "rows"
    more = f"<p>… {hidden:,} more {rows} in result.table()</p>" if hidden > 0 else ""
    notes = "".join(f"<li>{escape(note)}</li>" for note in document.notes)
    return (
        f"<div><p><b>{escape(document.title)}</b><br>{escape(' · '.join(document.facts))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
        f"<p>{escape(document.conventions)}</p>" + (f"<ul>{notes}</ul>" if notes else "") + "</div>"
    )


def _cell(text: str, left: bool) -> str:
    align = "left" if left else "right"
    return f'<td style="text-align:{align}">{escape(text)}</td>'


def _markdown(text: str) -> str:
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", text).replace("\n", " ")


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return escaped.replace("–", "--").replace("\n", " ")
