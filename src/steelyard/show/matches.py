"""The conventions that give a printed number, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from steelyard.messages import ENGLISH, Message, say
from steelyard.printable import decimal, visible
from steelyard.show.markup import html_table, markdown_text, pipe_table
from steelyard.show.text import aligned, indented, wrapped

MOST_GROUPS, MOST_OF_A_GROUP = 12, 12  # that a terminal is shown; every form holds all of them
_FEWEST, _MOST = 4, 15  # decimals


@dataclass(frozen=True)
class Line:
    """A value, the text that asks for it, whose convention it is, and what was changed in it."""

    value: float
    text: str
    library: str | Message
    changed: Message
    decimals: int  # of the claim

    def cells(self, lang: str, *, again: bool) -> list[str]:
        """The line as text; ``again`` says that its value stands above it already."""
        told = [
            part.told(lang) if isinstance(part, Message) else part for part in (self.library, self.changed)
        ]
        value = decimal(self.value, min(max(self.decimals + 2, _FEWEST), _MOST))
        return ["=" if again else value, self.text, *told]


Group = Sequence[Sequence[Line]]  # conventions of the same values, each with a line for every claim


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """All that was found: a sentence, the conventions by their values, and what is to be said beside them."""

    head: Message
    facts: Message
    groups: Sequence[Group]
    nearest: Sequence[Group]
    suspects: Sequence[Message]
    notes: Sequence[Message]
    lang: str = ENGLISH

    def told(self, said: Message) -> str:
        """A message in the language of the sheet, whatever the names in it hold."""
        return visible(said.told(self.lang))

    def rows(self, most: int | None = None) -> list[list[str]]:
        """The conventions as a table, its heads first; at most so many of each group."""
        heads = [say("value"), say("as -m"), say("library"), say("changed")]
        rows = [[self.told(one) for one in heads]]
        for group in self._shown(most):
            for place, lines in enumerate(group[:most]):
                rows += [line.cells(self.lang, again=place > 0) for line in lines]
            if more := len(group[most:]) if most else 0:
                rows.append(["=", self.told(say("… {n:,} more", n=more)), "", ""])
        return rows

    def _shown(self, most: int | None) -> Sequence[Group]:
        groups = self.groups or self.nearest
        return groups if most is None else groups[:MOST_GROUPS]

    @property
    def above(self) -> str:
        """What stands above a table that holds what was not asked for."""
        return self.told(say("nearest:")) if self.nearest and not self.groups else ""

    @property
    def hidden(self) -> int:
        """How many groups a terminal is not shown."""
        return max(0, len(self.groups) - MOST_GROUPS)

    @property
    def sentences(self) -> list[tuple[str, Message]]:
        """What is said below the table, each with its sign."""
        suspected = [("? ", one) for one in self.suspects]
        return [*suspected, *(("! ", note) for note in self.notes)]


def text(sheet: Sheet, width: int | None = None) -> str:
    """The sentence, the table and the notes; of very many conventions the first ones."""
    lines = [wrapped(sheet.told(sheet.head), width), wrapped(sheet.told(sheet.facts), width)]
    if sheet.groups or sheet.nearest:
        table = aligned(sheet.rows(MOST_OF_A_GROUP), 4)
        lines += ["", *([sheet.above] if sheet.above else []), indented(table)]
    if sheet.hidden:
        more = say("… {n:,} more {n:value|values}; all of them: --format json", n=sheet.hidden)
        lines.append(indented(sheet.told(more)))
    said = [wrapped(sign + sheet.told(one), width) for sign, one in sheet.sentences]
    return "\n".join([*lines, *([""] if said else []), *said])


def markdown(sheet: Sheet) -> str:
    """The same as Markdown, every convention."""
    parts = [f"**{markdown_text(sheet.told(sheet.head))}**", markdown_text(sheet.told(sheet.facts))]
    if sheet.groups or sheet.nearest:
        parts += [*([markdown_text(sheet.above)] if sheet.above else []), pipe_table(sheet.rows(), 4)]
    said = [f"- {markdown_text(sheet.told(one))}" for _, one in sheet.sentences]
    return "\n\n".join([*parts, *(["\n".join(said)] if said else [])])


def html(sheet: Sheet) -> str:
    """The same for a notebook."""
    table = html_table(sheet.rows(MOST_OF_A_GROUP), 4) if sheet.groups or sheet.nearest else ""
    said = "".join(f"<li>{escape(sheet.told(one))}</li>" for _, one in sheet.sentences)
    head, facts, above = (
        escape(one) for one in (sheet.told(sheet.head), sheet.told(sheet.facts), sheet.above)
    )
    return (
        f"<div><p><b>{head}</b><br>{facts}</p>{f'<p>{above}</p>' if above else ''}{table}"
        f"{f'<ul>{said}</ul>' if said else ''}</div>"
    )
