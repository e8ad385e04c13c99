"""Which values of several systems can be compared: same conventions, same truth, same queries or rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from steelyard.messages import Message, listed, say
from steelyard.show.labels import shown
from steelyard.show.page.systems import Part, labels

MOST_NAMES = 6


@dataclass(frozen=True)
class Unlike:
    """The metrics of which no system is the best, since they were not measured alike, and why."""

    metrics: frozenset[str] = frozenset()
    notes: tuple[Message, ...] = ()


@dataclass
class _Found:
    """Metrics by what differs in them."""

    conventions: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    truths: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    queries: dict[tuple[int, int, int], list[str]] = field(default_factory=dict)  # shared, fewest, most
    rows: dict[tuple[int, int], list[str]] = field(default_factory=dict)


def unlike(part: Part) -> Unlike:
    """What keeps values of these systems from being compared, metric by metric."""
    found = _Found()
    shared: dict[tuple[int, ...], tuple[int, int, int] | None] = {}
    for label in labels(part):
        having = [placed.system for placed in part if label in placed.system.metrics]
        if len(having) < 2:
            continue
        if fields := _differing([system.spec[label] for system in having]):
            found.conventions.setdefault(fields, []).append(label)
        truths = dict.fromkeys(system.truth or "" for system in having)
        if len(truths) > 1:
            found.truths.setdefault(tuple(truths), []).append(label)
        each = [next(one for one in system.measured if one.label == label) for system in having]
        lists = [one.units for one in each if one.units is not None and one.metric.unit == "queries"]
        if len(lists) == len(each):
            key = tuple(map(id, lists))
            if key not in shared:  # metrics of one ranking have the same queries
                shared[key] = _shared(lists)
            if (counts := shared[key]) is not None:
                found.queries.setdefault(counts, []).append(label)
        elif not lists:
            rows = [one.size for one in each]
            if min(rows) != max(rows):
                found.rows.setdefault((min(rows), max(rows)), []).append(label)
    return _told(found)


def _differing(specs: Sequence[object]) -> tuple[str, ...]:
    """The fields in which specifications differ; the profile is a name for their values only."""
    dicts = [dict(spec) for spec in specs]  # type: ignore[call-overload]
    names = dict.fromkeys(name for one in dicts for name in one if name != "profile")
    return tuple(name for name in names if any(one.get(name) != dicts[0].get(name) for one in dicts[1:]))


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


def _told(found: _Found) -> Unlike:
    notes = [
        say(
            "{metrics}: the systems were measured under different conventions ({fields}), "
            "so none is marked best.",
            metrics=_some(having),
            fields=_some(names),
        )
        for names, having in found.conventions.items()
    ]
    notes += [
        say(
            "{metrics}: the systems were measured against different truth ({truths}), "
            "so none is marked best.",
            metrics=_some(having),
            truths=_some(truths, limit=60),
        )
        for truths, having in found.truths.items()
    ]
    notes += [
        say(
            "{metrics}: the systems were measured on different queries "
            "(all share {both:,}, each has {each}), so none is marked best.",
            metrics=_some(having),
            both=both,
            each=_span(low, high),
        )
        for (both, low, high), having in found.queries.items()
    ]
    notes += [
        say(
            "{metrics}: the systems were measured on different numbers of rows ({each}), "
            "so none is marked best.",
            metrics=_some(having),
            each=_span(*span),
        )
        for span, having in found.rows.items()
    ]
    every = [
        *found.conventions.values(),
        *found.truths.values(),
        *found.queries.values(),
        *found.rows.values(),
    ]
    return Unlike(frozenset(label for some in every for label in some), tuple(notes))


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _some(names: Sequence[str], limit: int = 36) -> Message:
    return listed([shown(name, limit) for name in names], MOST_NAMES)
