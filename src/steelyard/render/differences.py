"""Why two libraries print two numbers for one metric, as text, Markdown and HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard import processes
from steelyard.render.finding import Finding, Form, teller
from steelyard.render.system import TextTable
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

    def sentence(self, one: Convention) -> Message:
        """What a convention means on either side."""
        return say(
            "{one_name}: {one}; {other_name}: {other}",
            one_name=self.names[0],
            one=one.meanings[0],
            other_name=self.names[1],
            other=one.meanings[1],
        )

    def most(self) -> list[dict[str, Any]]:
        """The queries that carry most of the gap."""
        processes.check()
        if self.queries is None:
            return []
        return self.queries.filter(pl.col("part").abs() > NOTHING).head(MOST_QUERIES).to_dicts()


def finding(found: Attribution, facts: Sequence[str], form: Form, lang: str) -> Finding:
    """The conventions, in text with a line for each side, and the queries that carry most."""
    told = teller(lang)
    names = list(found.names)
    conventions, heads = [], [told(CONVENTION), *names, told(PART)]
    for one in found.carried:
        mine, its, part = *map(told, one.meanings), signed(one.part)
        if form == "text":
            conventions += [[part, one.name, names[0], mine], ["", "", names[1], its]]
        else:
            conventions.append([one.name, mine, its, part])
    queries = [[told(say("query")), *names, told(PART)]]
    for row in found.most():
        values = [told(LEFT_OUT) if row[side] is None else in_table(row[side]) for side in ("one", "other")]
        queries.append([shown(str(row["query"]), _WIDEST_ID), *values, signed(row["part"])])
    blocks = [TextTable(conventions, 4) if form == "text" else TextTable([heads, *conventions], 3)]
    return Finding(
        told(found.head),
        told(say("{parts:·}", parts=facts)),
        [
            *(blocks if conventions else []),
            *([TextTable(queries, 1, told(MOST_OF_GAP))] if queries[1:] else []),
        ],
        [*(("", told(one)) for one in found.quiet), *(("! ", told(one)) for one in found.notes)],
    )
