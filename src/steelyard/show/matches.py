"""The conventions that give a printed number, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.messages import Message, say
from steelyard.printable import decimal
from steelyard.show.finding import Block, Finding, Form

MOST_GROUPS, MOST_OF_A_GROUP = 12, 12  # that a terminal is shown; every form holds all of them
_FEWEST, _MOST = 4, 15  # decimals


@dataclass(frozen=True)
class ClaimLine:
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


Group = Sequence[Sequence[ClaimLine]]  # conventions of the same values, each with a line for every claim


@dataclass(frozen=True, kw_only=True)
class MatchSheet(Finding):
    """All that was found: a sentence, the conventions by their values, and what is to be said beside them."""

    head: Message
    facts: Message
    groups: Sequence[Group]
    nearest: Sequence[Group]
    suspects: Sequence[Message]

    def opening(self) -> tuple[str, str]:
        return self.told(self.head), self.told(self.facts)

    def blocks(self, form: Form) -> list[Block]:
        if not (self.groups or self.nearest):
            return []
        hidden = max(0, len(self.groups) - MOST_GROUPS)
        more = say("… {n:,} more {n:value|values}; all of them: --format json", n=hidden)
        return [
            Block(
                self._rows(None if form == "markdown" else MOST_OF_A_GROUP),
                4,
                above="" if self.groups else self.told(say("nearest:")),
                below=self.told(more) if hidden else "",
            )
        ]

    @property
    def sentences(self) -> list[tuple[str, str]]:
        return [*(("? ", self.told(one)) for one in self.suspects), *super().sentences]

    def _rows(self, most: int | None) -> list[list[str]]:
        """The conventions as a table; at most so many of each group."""
        rows = [[self.told(one) for one in (say("value"), say("as -m"), say("library"), say("changed"))]]
        groups = self.groups or self.nearest
        for group in groups if most is None else groups[:MOST_GROUPS]:
            for place, lines in enumerate(group[:most]):
                rows += [line.cells(self.lang, again=place > 0) for line in lines]
            if more := len(group[most:]) if most else 0:
                rows.append(["=", self.told(say("… {n:,} more", n=more)), "", ""])
        return rows
