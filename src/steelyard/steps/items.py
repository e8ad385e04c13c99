"""Item by item: what most explanations of all lists together begin with."""

from __future__ import annotations

from steelyard.arrays import Ints
from steelyard.engine.top_lists import TopLists
from steelyard.messages import Message, say
from steelyard.steps.arithmetic import Steps
from steelyard.steps.rows import Values, table, together, walked

ITEMS = say("item by item", key="item_steps")
EXPOSURE = say("exposure")
CATALOG = say("items of the catalogue", key="catalog_items")
NOTHING_SHOWN = say("nothing is shown, so that the value is undefined.", key="undefined_shown")
_WEIGHTED = say("lists have weights: what is counted here are sums of them.", key="weighted_lists")


def item_steps(lists: TopLists, item: Ints, *values: Values) -> Steps:
    """Items with their numbers, in order: the first and the last one by one, those between in sums."""
    pieces = walked(len(item))
    rest = say(
        "… stands for {rows:,} items between the first and the last, with their sums.", rows=together(pieces)
    )
    named = Values(say("item"), item, "count", "text", names=lists.background.items)
    total = [one.key for one in values if one.rest == "sum"]
    return table(ITEMS, [named, *values], pieces, total=total if len(item) > 1 else (), rest=rest)


def list_notes(lists: TopLists) -> tuple[Message, ...]:
    """What a reader must know where lists have weights."""
    return () if lists.weight is None else (_WEIGHTED,)
