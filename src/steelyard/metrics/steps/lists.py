"""Tables of lists: one row per position, or per item shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.memory import ShownList
from steelyard.engine.top_lists import ShownItems, TopLists
from steelyard.kernels.count import hit_chance
from steelyard.metrics.steps import (
    SUM,
    Column,
    Line,
    Made,
    Of,
    Parts,
    Steps,
    applying,
    sum_of,
)
from steelyard.metrics.steps.rows import shortened
from steelyard.text import Message, say

LIST = say("as ranked", key="list")
NO_HIT = say("no hit among what is read: the value is 0.", key="no_hit_zero")
EMPTY_LIST = say("nothing was shown for this query.", key="empty_list")
HITS = Of(LIST, "hit", named=say("hits"))
RELEVANT, ACHIEVABLE = say("relevant items"), say("relevant items, at most k")

_OPEN_TIES = say(
    "a range of ranks is a tie: each of its items stands at each of its places with the same chance, "
    "and the row has the mean over them.",
    key="open_ties",
)
_ROWS = 30  # shown of a long list
_FIRST = 10  # of these, the first ones


def read(shown: ShownList, k: int | None) -> ShownList:
    """The items that may be among the first k."""
    return shown.where(shown.within(k) > 0)


def inside(shown: ShownList, k: int | None) -> Floats:
    """The chance of each item to be among the first k: 1 unless its tie is open."""
    return shown.within(k) / shown.tied


def list_steps(
    shown: ShownList,
    k: int | None,
    columns: Sequence[Column],
    *,
    important: Flags,
    total: Sequence[str] = (),
    total_name: str = SUM,
) -> Steps:
    """A table with rank, item and grade of the first k, and further columns.

    ``important`` rows are shown even if there are many.
    """
    kept = shown.within(k) > 0
    some = shown.where(kept)
    items = () if some.items is None else (Column.of(say("item"), some.items, "text"),)
    rank, grade = Column.of(say("rank"), some.rank, "rank"), Column.of(say("grade"), some.grade)
    table = (rank, *items, grade, *columns)
    steps = Steps(name=LIST, columns=table, total=tuple(total), total_name=total_name)
    return limited(steps, important[kept])


def shown_steps(lists: TopLists, shown: ShownItems, columns: Sequence[Column], *, total: str = "") -> Steps:
    """A table with rank and item of one list, and further columns."""
    rank = Column.of(say("rank"), shown.rank, "rank")
    item = Column.of(say("item"), item_names(lists, shown.item), "text")
    table = (rank, item, *columns)
    return first_rows(Steps(name=LIST, columns=table, total=(total,) if total else ()))


def first_rows(steps: Steps) -> Steps:
    return shortened(steps, np.arange(steps.height) < _FIRST)


def item_names(lists: TopLists, item: Ints) -> list[str]:
    return lists.background.items.gather(item).cast(pl.String).to_list()


def mean_over(steps: str, column: str) -> Made:
    return sum_of(steps, column) / Of(steps, column, "count", named=say("items // that count"))


def mean_steps(
    lists: TopLists, shown: ShownItems, columns: Sequence[Column], notes: tuple[Message, ...] = ()
) -> Parts:
    """One list, and the mean of the last column."""
    last = columns[-1].key
    table = shown_steps(lists, shown, columns, total=last)
    return Parts(steps=(table,), lines=(Line(mean_over(LIST, last)),), notes=notes)


def limited(steps: Steps, important: Flags) -> Steps:
    """The same steps with about 30 rows shown: the first ones and the important ones."""
    if steps.height <= _ROWS:
        return steps
    first = np.arange(steps.height) < _FIRST
    rows = np.flatnonzero(first | (important & (np.cumsum(important & ~first) <= _ROWS - _FIRST)))
    left = steps.height - len(rows)
    hits = int(important.sum()) - int(important[rows].sum())
    hidden = say("… rows without a grade that counts, not shown: {rows:,}", rows=left)
    if hits:
        hidden = say(
            "… rows not shown: {rows:,}, {hits:,} of them with a grade that counts", rows=left, hits=hits
        )
    return replace(steps, shown=tuple(rows.tolist()), hidden=hidden)


def read_notes(shown: ShownList, k: int | None, *, unjudged: bool = True) -> tuple[Message, ...]:
    """Notes about a list: items not read, items without judgement, open ties."""
    some = read(shown, k)
    below, without = int(shown.ranked.retrieved[0]) - len(some), int(np.isnan(some.grade).sum())
    not_judged = say(
        "items without a judgement (–): {n:,} of the {read:,} that are read; they count as not relevant.",
        key="unjudged_items",
        n=without,
        read=len(some),
    )
    return applying(
        (not len(shown), EMPTY_LIST),
        (below > 0, say("items below the cutoff, which are not read: {n:,}.", key="below_cutoff", n=below)),
        (unjudged and without, not_judged),
        ((some.tied > 1).any(), _OPEN_TIES),
    )


@dataclass(frozen=True, kw_only=True)
class ListParts:
    """What a metric adds to the table of a list: columns, lines, further tables and notes."""

    columns: Sequence[Column]
    lines: tuple[Line, ...]
    total: tuple[str, ...] = ()
    total_name: str = SUM
    further: tuple[Steps, ...] = ()
    notes: Sequence[Message] = ()
    relevant: bool = True  # False if the value is undefined because no item is relevant


def hit_parts(shown: ShownList, k: int | None, rel: float, *lines: Line) -> ListParts:
    some = read(shown, k)
    hit = (some.known >= rel) * inside(some, k)
    columns = (Column.of(say("hit"), hit), Column.of(say("running"), np.cumsum(hit)))
    return ListParts(columns=columns, lines=lines, total=("hit",), total_name=HITS.named)


def first_hit(shown: ShownList, k: int | None, rel: float) -> tuple[Ints, Floats] | None:
    """The ranks where the first hit may stand and their chances; None if its tie is not open."""
    first = shown.ranked.first_groups(rel)
    if not len(first.query) or first.tied[0] == 1:
        return None
    tied, relevant = int(first.tied[0]), int(first.relevant[0])
    places = min(int(first.within(shown.ranked.limit(k))[0]), tied - relevant + 1)
    place = np.arange(1, places + 1)
    reached = hit_chance(np.full(places, tied), np.full(places, relevant), place)
    return int(first.before[0]) + place, np.diff(reached, prepend=0.0)


FIRST = say("where the first hit may stand", key="first")


def first_hit_steps(rank: Ints, chance: Floats, *further: Column) -> Steps:
    """The ranks where the first hit may stand, with further columns; the last one is added up."""
    columns = (
        Column.of(say("rank"), [str(place) for place in rank.tolist()], "rank"),
        Column.of(say("chance // a probability"), chance, "decimal"),
        *further,
    )
    return limited(Steps(name=FIRST, columns=columns, total=(columns[-1].key,)), np.zeros(len(rank), bool))
