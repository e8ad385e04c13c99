"""The names of what charts and the page count."""

from __future__ import annotations

from steelyard.messages import Message, say

UNIT = {"queries": say("query"), "groups": say("group"), "rows": say("row")}
UNITS = {"queries": say("queries"), "groups": say("groups"), "rows": say("rows")}


def how_many(n: int, unit: str) -> Message:
    """A number of queries, groups or rows.

    >>> how_many(1, "queries"), how_many(1200, "rows").told("zh")
    ('1 query', '1,200 行')
    """
    if unit == "queries":
        return say("{n:,} {n:query|queries}", n=n)
    return say("{n:,} {n:group|groups}", n=n) if unit == "groups" else say("{n:,} {n:row|rows}", n=n)


def named(name: str, said: str) -> Message:
    """What is said of one of several."""
    return say("{name}: {said}", name=name, said=said)
