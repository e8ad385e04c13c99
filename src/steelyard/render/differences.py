"""Why two libraries print two numbers for one metric, as text, Markdown and HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard import processes
from steelyard.render.forms import Finding, Form
from steelyard.render.table import Cell, ShownTable, columns_of
from steelyard.text import Message, say
from steelyard.text.labels import in_table, signed
from steelyard.text.names import shown

LEFT_OUT = say("left out // of a query")
MOST_OF_GAP = say("queries that carry most of it")
CONVENTION = say("convention // that profiles differ in")
PART = say("part // of a gap")
MOST_QUERIES = 5
NOTHING = 1e-12  # what is smaller is rounding
_WIDEST_ID = 40


@dataclass(frozen=True, kw_only=True)
class Convention:
    """A convention in which two profiles differ: what each of them means, and what it carries of the gap."""

    fields: tuple[str, ...]  # one, or those that only mean something together
    values: tuple[str, str]
    meanings: tuple[Message, Message]
    part: float = math.nan  # 0 where nothing in the data depends on it; NaN where the gap cannot be parted

    @property
    def name(self) -> str:
        """The fields, as text has them."""
        return ", ".join(self.fields)


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """Two values of a metric, and which part of the way from one to the other each convention carries."""

    metric: str
    names: tuple[str, str]  # of the profiles
    values: tuple[float, float]
    conventions: tuple[Convention, ...] = ()
    orders: int = 0  # that the parts are means over; 0 where no order leads from one to the other
    skipped: int = 0  # orders that lead through a combination that means nothing
    drawn: bool = False  # whether orders were drawn, as there are very many
    combinations: int = 0  # that were measured
    refused: int = 0  # of these, how many mean nothing
    why: Message | None = None  # one of the reasons
    queries: pl.DataFrame | None = None  # what each carries, the greatest parts first
    notes: tuple[Message, ...] = ()

    @property
    def gap(self) -> float:
        return self.values[1] - self.values[0]

    @property
    def carried(self) -> list[Convention]:
        """The conventions that carry a part of the gap."""
        return [one for one in self.conventions if not (math.isnan(self.gap) or abs(one.part) <= NOTHING)]

    @property
    def head(self) -> Message:
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
    def quiet(self) -> list[Message]:
        """A note on the conventions that make no difference on this data, if there are any."""
        idle = [one.name for one in self.conventions if abs(one.part) <= NOTHING]
        if not idle or math.isnan(self.gap):
            return []
        if not self.carried:
            return [say("They differ in {names:and}, which changes nothing here.", names=idle)]
        return [say("They differ in {names:and} too, which changes nothing here.", names=idle)]

    def sentence(self, convention: Convention) -> Message:
        """What a convention means on either side."""
        return say(
            "{one_name}: {one}; {other_name}: {other}",
            one_name=self.names[0],
            one=convention.meanings[0],
            other_name=self.names[1],
            other=convention.meanings[1],
        )

    def most(self) -> list[dict[str, Any]]:
        """The queries that carry most of the gap."""
        processes.check()
        if self.queries is None:
            return []
        return self.queries.filter(pl.col("part").abs() > NOTHING).head(MOST_QUERIES).to_dicts()


def finding(attribution: Attribution, facts: Sequence[str], form: Form) -> Finding:
    """The conventions, in text with a line for each side, and the queries that carry most."""
    tables = tables_of(attribution)
    if form == "text" and attribution.carried:
        rows = []
        for convention in attribution.carried:
            (name, other), (meaning, of_other) = attribution.names, convention.meanings
            rows += [[signed(convention.part), convention.name, name, meaning], ["", "", other, of_other]]
        tables[0] = ShownTable(columns=columns_of([""] * 4, 4), rows=rows)
    return Finding(
        attribution.head,
        say("{parts:·}", parts=facts),
        tables,
        [*(("", note) for note in attribution.quiet), *(("! ", note) for note in attribution.notes)],
    )


def tables_of(attribution: Attribution, widest: int = _WIDEST_ID) -> list[ShownTable]:
    """What each convention carries, and the queries that carry most, as far as there are any."""
    conventions = [
        [*(Cell(text=text) for text in (convention.name, *convention.meanings)), _part(convention.part)]
        for convention in attribution.carried
    ]
    queries = [
        [
            Cell(text=shown(str(row["query"]), widest)),
            *map(_value, (row["one"], row["other"])),
            _part(row["part"]),
        ]
        for row in attribution.most()
    ]
    tables = [
        ShownTable(columns=columns_of([CONVENTION, *attribution.names, PART], 3), rows=conventions),
        ShownTable(
            columns=columns_of([say("query"), *attribution.names, PART], 1), rows=queries, caption=MOST_OF_GAP
        ),
    ]
    return [table for table in tables if table.rows]


def _part(part: float) -> Cell:
    return Cell(text=signed(part), sort=part)


def _value(value: float | None) -> Cell:
    return Cell(text=LEFT_OUT) if value is None else Cell(text=in_table(value), sort=value)
