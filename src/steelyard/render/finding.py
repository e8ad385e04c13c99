"""What a search found as text, Markdown and HTML: a sentence, its facts, tables, and what is said below."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Literal, NamedTuple

from steelyard.printable import visible
from steelyard.render.markup import html_table, markdown_text, pipe_table
from steelyard.render.system import TextTable
from steelyard.render.text import aligned, indented, wrapped
from steelyard.text import Message

Form = Literal["text", "markdown", "html"]


class Finding(NamedTuple):
    """A sentence with the finding and its data, the tables, and the notes below with their signs."""

    head: str
    facts: str
    blocks: list[TextTable]
    sentences: list[tuple[str, str]]


def teller(lang: str) -> Callable[[str], str]:
    """What tells a message or text on one line, in a language."""
    return lambda said: visible(said.told(lang) if isinstance(said, Message) else said)


def text(found: Finding, width: int | None = None) -> str:
    """The sentence, the tables and the notes."""
    lines = [wrapped(line, width) for line in (found.head, found.facts)]
    for block in found.blocks:
        above, below = ([line] if line else [] for line in (block.above, block.below))
        lines += ["", *above, indented(aligned(block.rows, block.left)), *map(indented, below)]
    said = [wrapped(sign + words, width) for sign, words in found.sentences]
    return "\n".join([*lines, *([""] if said else []), *said])


def markdown(found: Finding) -> str:
    parts = [f"**{markdown_text(found.head)}**", markdown_text(found.facts)]
    for block in found.blocks:
        parts += [markdown_text(block.above)] if block.above else []
        parts.append(pipe_table(block.rows, block.left))
    said = [f"- {markdown_text(words)}" for _, words in found.sentences]
    return "\n\n".join([*parts, *(["\n".join(said)] if said else [])])


def html(found: Finding) -> str:
    tables = "".join(
        (f"<p>{escape(block.above)}</p>" if block.above else "") + html_table(block.rows, block.left)
        for block in found.blocks
    )
    said = "".join(f"<li>{escape(words)}</li>" for _, words in found.sentences)
    head = f"<p><b>{escape(found.head)}</b><br>{escape(found.facts)}</p>"
    return f"<div>{head}{tables}{f'<ul>{said}</ul>' if said else ''}</div>"
