"""What a search found as text, Markdown and HTML: a sentence, its facts, tables, and what is said below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

from steelyard.messages import ENGLISH, Message
from steelyard.printable import visible
from steelyard.show.markup import html_table, markdown_text, pipe_table
from steelyard.show.text import aligned, indented, wrapped

Form = Literal["text", "markdown", "html"]


class Block(NamedTuple):
    """A table, its heads first, with a line above it and one below."""

    rows: list[list[str]]
    left: int  # columns that stand to the left
    above: str = ""
    below: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding(ABC):
    """What every form of a finding is made from; ``lang`` is the language that it is told in."""

    notes: Sequence[Message]
    lang: str = ENGLISH

    @abstractmethod
    def opening(self) -> tuple[str, str]:
        """The sentence that says what was found, and on what."""

    @abstractmethod
    def blocks(self, form: Form) -> list[Block]:
        """The tables, as far as this form shows them."""

    @property
    def sentences(self) -> list[tuple[str, str]]:
        """What is said below the tables, each with its sign."""
        return [("! ", self.told(note)) for note in self.notes]

    def told(self, said: str) -> str:
        return visible(said.told(self.lang) if isinstance(said, Message) else said)


def text(found: Finding, width: int | None = None) -> str:
    """The sentence, the tables and the notes."""
    lines = [wrapped(line, width) for line in found.opening()]
    for block in found.blocks("text"):
        above, below = ([line] if line else [] for line in (block.above, block.below))
        lines += ["", *above, indented(aligned(block.rows, block.left)), *map(indented, below)]
    said = [wrapped(sign + words, width) for sign, words in found.sentences]
    return "\n".join([*lines, *([""] if said else []), *said])


def markdown(found: Finding) -> str:
    head, facts = map(markdown_text, found.opening())
    parts = [f"**{head}**", facts]
    for block in found.blocks("markdown"):
        parts += [markdown_text(block.above)] if block.above else []
        parts.append(pipe_table(block.rows, block.left))
    said = [f"- {markdown_text(words)}" for _, words in found.sentences]
    return "\n\n".join([*parts, *(["\n".join(said)] if said else [])])


def html(found: Finding) -> str:
    head, facts = map(escape, found.opening())
    tables = "".join(
        (f"<p>{escape(block.above)}</p>" if block.above else "") + html_table(block.rows, block.left)
        for block in found.blocks("html")
    )
    said = "".join(f"<li>{escape(words)}</li>" for _, words in found.sentences)
    return f"<div><p><b>{head}</b><br>{facts}</p>{tables}{f'<ul>{said}</ul>' if said else ''}</div>"
