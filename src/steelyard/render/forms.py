"""The forms of anything with a table: text, Markdown, HTML, JSON, and a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Literal, NamedTuple

from steelyard.arguments import is_one_of
from steelyard.printable import visible
from steelyard.render import output
from steelyard.render import text as plain
from steelyard.render.table import ShownTable
from steelyard.render.text import (
    aligned,
    html_table,
    html_text,
    indented,
    markdown_table,
    markdown_text,
    wrapped,
)
from steelyard.text import Message, say, told
from steelyard.text.errors import OutputError
from steelyard.text.errors.forms import check_language, must_be, unknown

Form = Literal["text", "markdown", "html"]
FORMS = ("table", "json", "csv", "markdown", "latex")
READ = {"table": plain.table, "markdown": plain.markdown, "latex": plain.latex}  # by people
_WIDEST_INDENT = 100


def json_text(value: Mapping[str, Any], indent: int | None) -> str:
    """Plain values as JSON; each level is indented by ``indent`` spaces, None gives one line."""
    if not (indent is None or (type(indent) is int and 0 <= indent <= _WIDEST_INDENT)):
        remedy = say("give one from 0 to {most}", most=_WIDEST_INDENT)
        raise must_be("indent", say("None or a whole number"), indent, remedy=remedy, kind=OutputError)
    text = StringIO()  # json.dumps keeps every piece of it until the end
    json.dump(value, text, indent=indent, ensure_ascii=False, allow_nan=False)
    return text.getvalue()


def rendered(
    form: str,
    lang: str,
    known: Collection[str] = FORMS,
    *,
    json: Callable[[], str],
    csv: Callable[[], str],
    told: Callable[[], str],
) -> str:
    """One of the forms as text; json and csv, which programs read, are the same in every language."""
    if not is_one_of(form, known):
        raise unknown(say("unknown format '{name}'", name=str(form)), form, known, kind=OutputError)
    check_language(lang)
    if form == "json":
        return json()
    if form == "csv":
        return csv().rstrip("\n")
    return told()


def write(path: str | Path, form: str | None, render: Callable[[str], str]) -> None:
    """Write one of the forms to a file, whole or not at all; by default the one its ending names.

    A name without an ending gets JSON.
    """
    target = output.path_of(path)
    if form is None:
        output.check_ending(target)
        form = output.form_of(target) or "json"
    output.write_text(target, render(form) + "\n")


class Finding(NamedTuple):
    """What a search found: a sentence, its data, tables, and notes, each with its sign in a terminal."""

    head: Message
    facts: Message
    tables: list[ShownTable]
    notes: list[tuple[str, Message]]


def finding_text(finding: Finding, lang: str, width: int | None = None) -> str:
    def told(text: str) -> str:
        return visible(text.told(lang) if isinstance(text, Message) else text)

    lines = [wrapped(told(text), width) for text in (finding.head, finding.facts)]
    for table in finding.tables:
        caption = [told(table.caption)] if table.caption else []
        below = [f"  {told(note)}" for note in table.notes]
        lines += ["", *caption, indented(aligned(table.texts(lang), table.left)), *below]
    notes = [wrapped(sign + told(note), width) for sign, note in finding.notes]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def finding_markdown(finding: Finding, lang: str) -> str:
    parts = [f"**{markdown_text(finding.head.told(lang))}**", markdown_text(finding.facts.told(lang))]
    for table in finding.tables:
        parts += [markdown_text(told(table.caption, lang))] if table.caption else []
        parts.append(markdown_table(table, lang))
    notes = [f"- {markdown_text(note.told(lang))}" for _, note in finding.notes]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])


def finding_html(finding: Finding, lang: str) -> str:
    tables = "".join(
        (f"<p>{html_text(told(table.caption, lang))}</p>" if table.caption else "") + html_table(table, lang)
        for table in finding.tables
    )
    notes = "".join(f"<li>{html_text(note.told(lang))}</li>" for _, note in finding.notes)
    head, facts = (html_text(text.told(lang)) for text in (finding.head, finding.facts))
    return f"<div><p><b>{head}</b><br>{facts}</p>{tables}{f'<ul>{notes}</ul>' if notes else ''}</div>"
