"""Slices, tallies, names and notes of several parts put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.engine.protocol import Names, Tally
from steelyard.engine.slices import COVERED, Slices
from steelyard.printable import NONE
from steelyard.text import Message
from steelyard.text.errors import merging


def merged_slices(keys: Sequence[pl.DataFrame | None]) -> tuple[Slices | None, list[Ints] | None]:
    """The slices of all parts, and the number among them of each slice of each part."""
    known = [frame for frame in keys if frame is not None]
    if not known:
        return None, None
    check_types([dict(frame.schema) for frame in known])
    every = pl.concat(known)
    slices = Slices.of_keys(every)
    return slices, np.split(slices.codes, np.cumsum([frame.height for frame in known])[:-1])


def check_types(schemas: Sequence[Mapping[str, pl.DataType]]) -> None:
    for schema in schemas[1:]:
        for name, kind in schema.items():
            if schemas[0][name] != kind:
                raise merging.types_differ(what=name, one=str(schemas[0][name]), other=str(kind))


def merged_coverage(frames: Sequence[pl.DataFrame | None], slices: Slices | None) -> pl.DataFrame | None:
    """How much of the truth each slice covers, in the order of the slices."""
    known = [frame for frame in frames if frame is not None]
    if not known or slices is None:
        return None
    names = slices.labels.columns
    counts = pl.concat(known).group_by(names).agg(pl.sum(name) for name in COVERED)
    known_order = slices.labels.with_row_index("number")
    placed = counts.join(known_order, on=names, how="left", nulls_equal=True)
    if not placed["number"].null_count():
        return placed.sort("number").drop("number")
    # a slice without a prediction has no value here, only a name
    by_name = [pl.when(pl.col(name) != NONE).then(pl.col(name)) for name in names]
    return placed.sort(by_name, nulls_last=False).drop("number")


def merged_tally(tallies: Sequence[Tally]) -> Tally:
    counts = Counter[str]()
    for tally in tallies:
        counts.update(tally.to_dict())
    return Tally.of(**counts)


def merged_names(names: Sequence[Names]) -> Names:
    """Where all parts were read; of several files the first and the last."""
    found: dict[str, Any] = {}
    for role in vars(names[0]):
        several = list(dict.fromkeys(getattr(one, role) for one in names))
        found[role] = several[0] if len(several) == 1 else f"{several[0]} … {several[-1]}"
    return Names(**found)


def merged_notes(notes: Sequence[Sequence[Message]]) -> tuple[Message, ...]:
    """The notes of all parts; those that differ only in a number of rows or queries are one, with the sum."""
    found: dict[Any, Message] = {}
    for note in (note for several in notes for note in several):
        figures = {name: value for name, value in note.figures.items() if name != "n"}
        key = (note.template, note.key, repr(figures))
        if key in found and "n" in note.figures:
            n = found[key].figures["n"] + note.figures["n"]
            note = Message(note.template, {**note.figures, "n": n}, note.key)
        found[key] = note
    return tuple(found.values())
