"""Several systems as one that every form can show: a column says which system a row is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from steelyard.render.system import System
from steelyard.render.wide import Wide
from steelyard.text import Message, listed, say
from steelyard.text.labels import named
from steelyard.version import VERSION

SYSTEM = "system"  # the column that says it


def together(systems: Sequence[System]) -> System:
    """The rows of all systems below one another, and once what is said of all of them."""
    first = systems[0]
    return replace(
        first,
        title=_title(systems),
        facts=tuple(_once(systems, lambda one: (say("{parts:·}", parts=list(one.facts)),))),
        conventions=say("{parts:·}", parts=_once(systems, lambda one: (one.conventions,))),
        readings=tuple(
            replace(reading, text=named(one.name, reading.text))
            for one in systems
            for reading in one.readings
        ),
        notes=tuple(_once(systems, lambda one: one.notes)),
        by=(SYSTEM, *first.by),
        rows=with_system([(one.name, one.rows) for one in systems]),
        wide=_wide(systems),
    )


def with_system(frames: Sequence[tuple[str, pl.DataFrame]]) -> pl.DataFrame:
    parts = [
        frame.insert_column(0, pl.repeat(str(name), frame.height, dtype=pl.String, eager=True).alias(SYSTEM))
        for name, frame in ((name, frame.clone()) for name, frame in frames)
    ]
    return pl.concat(parts, how="diagonal_relaxed")


def _title(systems: Sequence[System]) -> Message:
    names, truth = [one.name for one in systems], systems[0].truth
    if truth is None:
        return say("steelyard {version} · {predictions}", version=VERSION, predictions=names)
    return say(
        "steelyard {version} · {predictions} against {truth}", version=VERSION, predictions=names, truth=truth
    )


def _once(systems: Sequence[System], said: Callable[[System], tuple[Message, ...]]) -> list[Message]:
    held: dict[Message, list[str]] = {}
    for system in systems:
        for sentence in dict.fromkeys(said(system)):
            held.setdefault(sentence, []).append(system.name)
    return [
        sentence if len(names) == len(systems) else named(listed(names), sentence)
        for sentence, names in held.items()
    ]


def _wide(systems: Sequence[System]) -> Wide | None:
    shapes = [(one.name, one.wide) for one in systems if one.wide is not None]
    if not shapes:
        return None
    return replace(
        shapes[0][1],
        frame=with_system([(name, shape.frame) for name, shape in shapes]),
        left_out=sum(shape.left_out for _, shape in shapes),
    )
