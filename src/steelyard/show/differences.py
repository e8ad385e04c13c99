"""Why two libraries print two numbers for one metric, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.messages import Message, say
from steelyard.messages.names import shown
from steelyard.show.finding import Block, Finding, Form
from steelyard.show.labels import in_table, signed

LEFT_OUT = say("left out // of a query")
MOST_OF_GAP = say("queries that carry most of it")
_WIDEST_ID = 40


@dataclass(frozen=True, kw_only=True)
class Carried:
    """A convention that carries a part of the gap: what it means on each side."""

    name: str
    one: Message
    other: Message
    part: float


@dataclass(frozen=True, kw_only=True)
class GapQuery:
    """A query that carries a part of the gap; None where a side leaves it out."""

    name: str
    one: float | None
    other: float | None
    part: float


@dataclass(frozen=True, kw_only=True)
class GapSheet(Finding):
    """Two numbers of one metric, what lies between them, and what is to be said of it."""

    metric: str
    names: tuple[str, str]  # of the profiles
    values: tuple[float, float]
    facts: tuple[str, ...]  # what was read, and the libraries
    carried: Sequence[Carried]
    idle: Sequence[str]  # conventions that differ and carry nothing
    queries: Sequence[GapQuery]

    @property
    def head(self) -> Message:
        one, other = map(in_table, self.values)
        figures = {"metric": self.metric, "one": self.names[0], "other": self.names[1], "value": one}
        gap = self.values[1] - self.values[0]
        if gap == 0:
            return say("{metric} is {value} under {one}, and the same under {other}", **figures)
        return say(
            "{metric} is {value} under {one}, {second} under {other}: {gap}",
            **figures,
            second=other,
            gap=signed(gap),
        )

    @property
    def quiet(self) -> Message | None:
        """The conventions that make no difference on this data; None where there are none."""
        if not self.idle:
            return None
        if not self.carried:
            return say("They differ in {names:and}, which changes nothing here.", names=list(self.idle))
        return say("They differ in {names:and} too, which changes nothing here.", names=list(self.idle))

    def sentence(self, one: Carried) -> Message:
        """What a convention means on either side."""
        return say(
            "{one_name}: {one}; {other_name}: {other}",
            one_name=self.names[0],
            one=one.one,
            other_name=self.names[1],
            other=one.other,
        )

    def opening(self) -> tuple[str, str]:
        return self.told(self.head), self.told(say("{parts:·}", parts=self.facts))

    def blocks(self, form: Form) -> list[Block]:
        """The conventions, in text with a line for each side, and the queries that carry most."""
        blocks = []
        if self.carried:
            blocks.append(Block(self._lines(), 4) if form == "text" else Block(self._rows(), 3))
        if self.queries:
            blocks.append(Block(self._query_rows(), 1, above=self.told(MOST_OF_GAP)))
        return blocks

    @property
    def sentences(self) -> list[tuple[str, str]]:
        """The conventions that make no difference, and the notes."""
        quiet = [("", self.told(self.quiet))] if self.quiet is not None else []
        return [*quiet, *super().sentences]

    def _lines(self) -> list[list[str]]:
        return [
            line
            for one in self.carried
            for line in (
                [signed(one.part), one.name, self.names[0], self.told(one.one)],
                ["", "", self.names[1], self.told(one.other)],
            )
        ]

    def _rows(self) -> list[list[str]]:
        convention, part = say("convention // that profiles differ in"), say("part // of a gap")
        return [
            [self.told(convention), *self.names, self.told(part)],
            *([one.name, self.told(one.one), self.told(one.other), signed(one.part)] for one in self.carried),
        ]

    def _query_rows(self) -> list[list[str]]:
        out = self.told(LEFT_OUT)
        rows = [[self.told(say("query")), *self.names, self.told(say("part // of a gap"))]]
        for one in self.queries:
            values = [out if value is None else in_table(value) for value in (one.one, one.other)]
            rows.append([shown(one.name, _WIDEST_ID), *values, signed(one.part)])
        return rows
