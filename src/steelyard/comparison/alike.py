"""Which values of several systems can be compared: same conventions, same truth, same queries or rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.messages import Message, listed, say
from steelyard.messages.names import shown
from steelyard.show.labels import MOST_NAMES
from steelyard.show.system import System

Found = dict[Any, list[str]]  # metrics by what differs in them


def unlike(systems: Sequence[System]) -> tuple[frozenset[str], tuple[Message, ...]]:
    """The metrics of which no system is the best, since they were not measured alike, and why."""
    conventions: Found = {}
    truths: Found = {}
    queries: Found = {}
    rows: Found = {}
    for label in dict.fromkeys(label for system in systems for label in system.metrics):
        having = [system for system in systems if label in system.metrics]
        if len(having) < 2:
            continue
        if fields := differing([system.spec[label] for system in having]):
            conventions.setdefault(fields, []).append(label)
        true = tuple(dict.fromkeys(_truths_of(having)))
        if len(true) > 1:
            truths.setdefault(true, []).append(label)
        each = [next(one for one in system.measured if one.label == label) for system in having]
        lists = [one.units for one in each if one.units is not None and one.metric.unit == "queries"]
        if len(lists) == len(each) and (counts := _shared(lists)) is not None:
            queries.setdefault(counts, []).append(label)
        elif not lists and len({one.size for one in each}) > 1:
            sizes = [one.size for one in each]
            rows.setdefault((min(sizes), max(sizes)), []).append(label)
    notes = (
        *(_conventions(labels, fields) for fields, labels in conventions.items()),
        *(_truths(labels, true) for true, labels in truths.items()),
        *(_queries(labels, *counts) for counts, labels in queries.items()),
        *(_rows(labels, *span) for span, labels in rows.items()),
    )
    every = [labels for found in (conventions, truths, queries, rows) for labels in found.values()]
    return frozenset(label for labels in every for label in labels), notes


def _truths_of(systems: Sequence[System]) -> list[str]:
    """The names of their truths; where they share one, with what tells them apart, as far as it is known."""
    names = [system.truth or "" for system in systems]
    known = [system.fingerprint for system in systems]
    if len(set(names)) > 1 or None in known:
        return names
    return [f"{name} {(mark or '')[:8]}" for name, mark in zip(names, known, strict=True)]


def differing(specs: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """The fields in which specifications differ; the profile is a name for their values only."""
    names = dict.fromkeys(name for one in specs for name in one if name != "profile")
    return tuple(name for name in names if any(one.get(name) != specs[0].get(name) for one in specs[1:]))


def _shared(lists: Sequence[pl.Series]) -> tuple[int, int, int] | None:
    """How many queries all have, and the fewest and most that one has; None where they are the same."""
    if all(one.equals(lists[0]) for one in lists[1:]):
        return None
    frames = [pl.DataFrame({"query": one.cast(pl.String)}) for one in lists]
    both = frames[0]
    for other in frames[1:]:
        both = both.join(other, on="query", how="semi")
    sizes = [frame.height for frame in frames]
    return None if both.height == max(sizes) else (both.height, min(sizes), max(sizes))


def _conventions(labels: Sequence[str], fields: Sequence[str]) -> Message:
    return say(
        "{metrics}: the systems were measured under different conventions ({fields}), "
        "so none is marked best.",
        metrics=_some(labels),
        fields=_some(fields),
    )


def _truths(labels: Sequence[str], truths: Sequence[str]) -> Message:
    return say(
        "{metrics}: the systems were measured against different truth ({truths}), so none is marked best.",
        metrics=_some(labels),
        truths=_some(truths, limit=60),
    )


def _queries(labels: Sequence[str], shared: int, low: int, high: int) -> Message:
    return say(
        "{metrics}: the systems were measured on different queries "
        "(all share {both:,}, each has {each}), so none is marked best.",
        metrics=_some(labels),
        both=shared,
        each=_span(low, high),
    )


def _rows(labels: Sequence[str], low: int, high: int) -> Message:
    return say(
        "{metrics}: the systems were measured on different numbers of rows ({each}), so none is marked best.",
        metrics=_some(labels),
        each=_span(low, high),
    )


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _some(names: Sequence[str], limit: int = 36) -> Message:
    return listed([shown(name, limit) for name in names], MOST_NAMES)
