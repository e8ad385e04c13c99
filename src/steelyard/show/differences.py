"""Why two libraries print two numbers for one metric, as text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from steelyard.messages import ENGLISH, Message, say
from steelyard.messages.names import shown
from steelyard.printable import visible
from steelyard.show.labels import in_table, signed
from steelyard.show.markup import html_table, markdown_text, pipe_table
from steelyard.show.text import aligned, indented, wrapped

_WIDEST_ID = 40


@dataclass(frozen=True, kw_only=True)
class Carried:
    """A convention that carries a part of the gap: what it means on each side."""

    name: str
    one: Message
    other: Message
    part: float


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query that carries a part of the gap; None where a side leaves it out."""

    name: str
    one: float | None
    other: float | None
    part: float


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Two numbers of one metric, what lies between them, and what is to be said of it."""

    metric: str
    names: tuple[str, str]  # of the profiles
    values: tuple[float, float]
    facts: tuple[str, ...]  # what was read, and the libraries
    carried: Sequence[Carried]
    idle: Sequence[str]  # conventions that differ and carry nothing
    queries: Sequence[Query]
    notes: Sequence[Message]
    lang: str = ENGLISH

    @property
    def gap(self) -> float:
        """How much more the second number is."""
        return self.values[1] - self.values[0]

    @property
    def head(self) -> Message:
        """Both numbers in a sentence."""
        one, other = map(in_table, self.values)
        figures = {"metric": self.metric, "one": self.names[0], "other": self.names[1], "value": one}
        if self.gap == 0:
            return say("{metric} is {value} under {one}, and the same under {other}", **figures)
        return say(
            "{metric} is {value} under {one}, {second} under {other}: {gap}",
            **figures,
            second=other,
            gap=signed(self.gap),
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

    def told(self, said: str) -> str:
        """A message in the language of the sheet, whatever the names in it hold."""
        return visible(said.told(self.lang) if isinstance(said, Message) else said)

    def lines(self) -> list[list[str]]:
        """The conventions with a line for each side."""
        return [
            line
            for one in self.carried
            for line in (
                [signed(one.part), one.name, self.names[0], self.told(one.one)],
                ["", "", self.names[1], self.told(one.other)],
            )
        ]

    def rows(self) -> list[list[str]]:
        """The conventions as a table, its heads first."""
        heads = [
            self.told(say("convention // that profiles differ in")),
            *self.names,
            self.told(say("part // of a gap")),
        ]
        return [
            heads,
            *([one.name, self.told(one.one), self.told(one.other), signed(one.part)] for one in self.carried),
        ]

    def query_rows(self) -> list[list[str]]:
        """The queries as a table, its heads first."""
        heads = [self.told(say("query")), *self.names, self.told(say("part // of a gap"))]
        out = self.told(LEFT_OUT)
        return [
            heads,
            *(
                [
                    shown(one.name, _WIDEST_ID),
                    *(out if value is None else in_table(value) for value in (one.one, one.other)),
                    signed(one.part),
                ]
                for one in self.queries
            ),
        ]

    @property
    def sentences(self) -> list[tuple[str, str]]:
        """What is said below, each with its sign."""
        quiet = [("", self.told(self.quiet))] if self.quiet is not None else []
        return [*quiet, *(("! ", self.told(note)) for note in self.notes)]


LEFT_OUT = say("left out // of a query")
MOST_OF_GAP = say("queries that carry most of it")


def text(sheet: Sheet, width: int | None = None) -> str:
    """Both numbers, a line for each convention, and the queries that carry most."""
    lines = [
        wrapped(sheet.told(sheet.head), width),
        wrapped(sheet.told(say("{parts:·}", parts=sheet.facts)), width),
    ]
    if sheet.carried:
        lines += ["", indented(aligned(sheet.lines(), 4))]
    if sheet.queries:
        lines += ["", sheet.told(MOST_OF_GAP), indented(aligned(sheet.query_rows(), 1))]
    said = [wrapped(sign + words, width) for sign, words in sheet.sentences]
    return "\n".join([*lines, *([""] if said else []), *said])


def markdown(sheet: Sheet) -> str:
    """The same as Markdown."""
    facts = markdown_text(sheet.told(say("{parts:·}", parts=sheet.facts)))
    parts = [f"**{markdown_text(sheet.told(sheet.head))}**", facts]
    if sheet.carried:
        parts.append(pipe_table(sheet.rows(), 3))
    if sheet.queries:
        parts += [markdown_text(sheet.told(MOST_OF_GAP)), pipe_table(sheet.query_rows(), 1)]
    said = [f"- {markdown_text(words)}" for _, words in sheet.sentences]
    return "\n\n".join([*parts, *(["\n".join(said)] if said else [])])


def html(sheet: Sheet) -> str:
    """The same for a notebook."""
    head, facts = (escape(sheet.told(one)) for one in (sheet.head, say("{parts:·}", parts=sheet.facts)))
    table = html_table(sheet.rows(), 3) if sheet.carried else ""
    queries = ""
    if sheet.queries:
        queries = f"<p>{escape(sheet.told(MOST_OF_GAP))}</p>{html_table(sheet.query_rows(), 1)}"
    said = "".join(f"<li>{escape(words)}</li>" for _, words in sheet.sentences)
    return f"<div><p><b>{head}</b><br>{facts}</p>{table}{queries}{f'<ul>{said}</ul>' if said else ''}</div>"
