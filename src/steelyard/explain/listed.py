"""One row per position: what every explanation of a ranking begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.explain.explanation import Column, Note, Steps
from steelyard.rank import ShownList

LIST = "list"
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
    total_name: str = "sum",
) -> Steps:
    """A table with rank, item and grade of what was read, and further columns of a metric.

    ``important`` rows of all items are seen even where there are many.
    """
    kept = shown.within(k) > 0
    some = shown.where(kept)
    of_items = [] if some.items is None else [Column.of("item", some.items, "text")]
    table = (Column.of("rank", some.rank, "rank"), *of_items, Column.of("grade", some.grade), *columns)
    return limited(
        Steps(name=LIST, columns=table, total=tuple(total), total_name=total_name), important[kept]
    )


def limited(steps: Steps, important: Flags) -> Steps:
    """The same steps with at most about 30 rows to be seen: the first ones, and the important ones."""
    if steps.height <= _ROWS:
        return steps
    first = np.arange(steps.height) < _FIRST
    rows = np.flatnonzero(first | (important & (np.cumsum(important & ~first) <= _ROWS - _FIRST)))
    hidden = steps.height - len(rows)
    further = int(important.sum()) - int(important[rows].sum())
    key = "hidden_rows_and_hits" if further else "hidden_rows"
    note = Note(key=key, values={"rows": hidden, "hits": further})
    return replace(steps, shown=tuple(rows.tolist()), hidden=note)


def read_notes(shown: ShownList, k: int | None) -> tuple[Note, ...]:
    """What a reader of a list must know: how much of it was read, unjudged items, ties that stand open."""
    some = read(shown, k)
    notes = []
    if not len(shown):
        notes.append(Note(key="empty_list"))
    below = int(shown.ranked.retrieved[0]) - len(some)
    if below > 0:
        notes.append(Note(key="below_cutoff", values={"items": below}))
    unjudged = int(np.isnan(some.grade).sum())
    if unjudged:
        notes.append(Note(key="unjudged_items", values={"items": unjudged, "read": len(some)}))
    if (some.tied > 1).any():
        notes.append(Note(key="open_ties"))
    return tuple(notes)
