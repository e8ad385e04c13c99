"""One row per position: what every explanation of a ranking begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.messages import Message, say
from steelyard.rank import ShownList
from steelyard.show.explanation.explanation import SUM, Column, Of, Steps

LIST = say("as ranked", key="list")
NO_RELEVANT = say("there is no relevant item, so that the value is undefined.", key="undefined_relevant")
NO_HIT = say("no hit among what is read: the value is 0.", key="no_hit_zero")
HITS = Of(LIST, "hit", named=say("hits"))
_ROWS = 30  # that a reader sees
_FIRST = 10  # of them, whatever they hold


def read(shown: ShownList, k: int | None) -> ShownList:
    """The items that a metric reads: those that may stand among the first k."""
    return shown.where(shown.within(k) > 0)


def inside(shown: ShownList, k: int | None) -> Floats:
    """How much of each item is among the first k: 1, or its chance where it is in an open tie."""
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
    """A table with rank, item and grade of what was read, and further columns of a metric.

    ``important`` rows of all items are seen even where there are many.
    """
    kept = shown.within(k) > 0
    some = shown.where(kept)
    table = [
        Column.of(say("rank"), some.rank, "rank"),
        *([] if some.items is None else [Column.of(say("item"), some.items, "text")]),
        Column.of(say("grade"), some.grade),
        *columns,
    ]
    made = Steps(name=LIST, columns=tuple(table), total=tuple(total), total_name=total_name)
    return limited(made, important[kept])


def limited(steps: Steps, important: Flags) -> Steps:
    """The same steps with at most about 30 rows to be seen: the first ones, and the important ones."""
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


def read_notes(shown: ShownList, k: int | None) -> tuple[Message, ...]:
    """What a reader of a list must know: how much of it was read, unjudged items, ties that stand open."""
    some = read(shown, k)
    notes = []
    if not len(shown):
        notes.append(say("nothing was shown for this query.", key="empty_list"))
    below = int(shown.ranked.retrieved[0]) - len(some)
    if below > 0:
        said = say("items below the cutoff, which are not read: {n:,}.", key="below_cutoff", n=below)
        notes.append(said)
    unjudged = int(np.isnan(some.grade).sum())
    if unjudged:
        said = say(
            "items without a judgement (–): {n:,} of the {read:,} that are read; they count as not relevant.",
            key="unjudged_items",
            n=unjudged,
            read=len(some),
        )
        notes.append(said)
    if (some.tied > 1).any():
        said = say(
            "a range of ranks is a tie: each of its items stands at each of its places with the same chance, "
            "and the row has the mean over them.",
            key="open_ties",
        )
        notes.append(said)
    return tuple(notes)
