"""Several systems: which are shown side by side, which values are best, and one table of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.read.table import apart, exactly
from steelyard.render.system import BEST, PagePart, System
from steelyard.render.table import Wide
from steelyard.text import Message, listed, say
from steelyard.text.labels import MOST_NAMES, named
from steelyard.text.names import distinct, shown
from steelyard.version import VERSION


def side_by_side(systems: Sequence[System]) -> list[PagePart]:
    """Systems that share a metric, directly or through others, in one part; the rest apart."""
    names = distinct(system.name for system in systems)
    groups: list[tuple[set[str], list[System]]] = []
    for place, (system, name) in enumerate(zip(systems, names, strict=True)):
        labels, members = set(system.metrics), [replace(system, name=name, place=place)]
        for group in [group for group in groups if group[0] & labels]:
            groups.remove(group)
            labels, members = labels | group[0], [*group[1], *members]
        groups.append((labels, members))
    ordered = [sorted(members, key=lambda one: one.place) for _, members in groups]
    return [_part(members) for members in sorted(ordered, key=lambda members: members[0].place)]


def _part(systems: list[System]) -> PagePart:
    labels, notes = unlike(systems)
    return PagePart(systems=tuple(with_best(systems, labels)), unlike=labels, notes=notes)


def with_best(systems: Sequence[System], unlike: frozenset[str] = frozenset()) -> list[System]:
    """The systems with a column ``best`` in their rows; no value of the metrics in ``unlike`` is.

    A value of a slice stands against those of systems that are sliced alike, one of the whole against all.
    """
    kinds = list(dict.fromkeys(system.by for system in systems))
    # numbered, so that a column may have any name
    keys = [f"by {place}" for place in range(max(map(len, kinds)))]
    frames = []
    for system in systems:
        sliced = [system.rows[name].alias(key) for name, key in zip(system.by, keys, strict=False)]
        of_class = [system.rows[name] for name in ("class", "predicted") if name in system.rows.columns]
        labels, values = system.rows["metric"], system.rows["value"].fill_nan(None)
        ways = {label: metric.direction for label, metric in system.metrics.items() if label not in unlike}
        way = labels.replace_strict(list(ways), list(ways.values()), default="none", return_dtype=pl.String)
        frames.append(
            pl.DataFrame([*sliced, *of_class, labels, values, way.alias("direction")]).with_columns(
                pl.lit(system.place).alias("place"), pl.lit(kinds.index(system.by)).alias("kind")
            )
        )
    every = pl.concat(frames, how="diagonal")
    sliced_by = [key for key in keys if key in every.columns]
    whole = pl.all_horizontal(pl.col(sliced_by).is_null()) if sliced_by else pl.lit(True)
    alike = [name for name in every.columns if name not in ("value", "place", "kind", "direction")]
    together = [*alike, pl.when(~whole).then(pl.col("kind"))]
    value, direction = pl.col("value"), pl.col("direction")
    nearness = pl.when(direction == "nearest_1").then(-(value - 1).abs()).otherwise(value)
    good = pl.when(direction == "lower").then(-value).otherwise(nearness)
    differ = value.min().over(together) != value.max().over(together)
    best = (direction != "none") & differ & (good == good.max().over(together))
    marked = every.select("place", best.fill_null(False).alias(BEST))
    return [
        replace(system, rows=system.rows.with_columns(marked.filter(pl.col("place") == system.place)[BEST]))
        for system in systems
    ]


def best_values(
    systems: Sequence[System], by: Sequence[str], classes: Sequence[str], labels: Sequence[str]
) -> pl.DataFrame:
    """The value of each system, and which is the best; the whole of all first, then slice by slice."""
    keys = exactly([*by, "metric", *classes])
    frames = [
        one.rows.filter(pl.col("metric").is_in(labels))
        .select(keys, "value", BEST)
        .with_columns(pl.lit(one.name, pl.String).alias("system"))
        for one in with_best(systems)
    ]
    values = pl.concat(frames, how="diagonal_relaxed")
    if not by:
        return values
    (place,) = apart(["place"], values.columns)
    names = values.select(exactly(by)).unique(maintain_order=True).with_row_index(place)
    placed = values.join(names, on=exactly(by), how="left", nulls_equal=True, maintain_order="left")
    return placed.sort(place, maintain_order=True).drop(place)


def unlike(systems: Sequence[System]) -> tuple[frozenset[str], tuple[Message, ...]]:
    """The metrics that no system can win, because they were measured differently, and why."""
    differ: dict[Message, list[str]] = {}
    for label in dict.fromkeys(label for system in systems for label in system.metrics):
        having = [system for system in systems if label in system.metrics]
        for reason in _reasons(having, label) if len(having) > 1 else ():
            differ.setdefault(reason, []).append(label)
    notes = tuple(
        say("{metrics}: {reason}, so none is marked best.", metrics=_some(labels), reason=reason)
        for reason, labels in differ.items()
    )
    return frozenset(label for labels in differ.values() for label in labels), notes


def _reasons(systems: Sequence[System], label: str) -> Iterator[Message]:
    from steelyard.stats.comparable import differing

    if fields := differing([system.spec[label] for system in systems]):
        yield say("the systems were measured under different conventions ({fields})", fields=_some(fields))
    truths = list(dict.fromkeys(_truths_of(systems)))
    if len(truths) > 1:
        yield say(
            "the systems were measured against different truth ({truths})", truths=_some(truths, limit=60)
        )
    measured = [next(one for one in system.measured if one.label == label) for system in systems]
    lists = [one.units for one in measured if one.units is not None and one.metric.unit == "queries"]
    sizes = [one.size for one in measured]
    if len(lists) == len(measured) and (counts := _shared(lists)) is not None:
        both, low, high = counts
        yield say(
            "the systems were measured on different queries (all share {both:,}, each has {each})",
            both=both,
            each=_span(low, high),
        )
    elif not lists and len(set(sizes)) > 1:
        yield say(
            "the systems were measured on different numbers of rows ({each})",
            each=_span(min(sizes), max(sizes)),
        )


def _truths_of(systems: Sequence[System]) -> list[str]:
    """The names of their truths; where all have one name, with the fingerprints if all are known."""
    names = [system.truth or "" for system in systems]
    if len(set(names)) > 1 or any(system.fingerprint is None for system in systems):
        return names
    return [f"{system.truth or ''} {(system.fingerprint or '')[:8]}" for system in systems]


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


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _some(names: Sequence[str], limit: int = 36) -> Message:
    return listed([shown(name, limit) for name in names], MOST_NAMES)


SYSTEM = "system"  # the column that says it


def together(systems: Sequence[System]) -> System:
    """One system with the rows of all, and with sentences that hold for all only once."""
    first = systems[0]
    return replace(
        first,
        title=title_of([one.name for one in systems], first.truth),
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


def title_of(predictions: str | list[str], truth: str | None) -> Message:
    named: dict[str, Any] = {"version": VERSION, "predictions": predictions}
    if truth is None:
        return say("steelyard {version} · {predictions}", **named)
    return say("steelyard {version} · {predictions} against {truth}", truth=truth, **named)


def _once(systems: Sequence[System], sentences: Callable[[System], tuple[Message, ...]]) -> list[Message]:
    held: dict[Message, list[str]] = {}
    for system in systems:
        for sentence in dict.fromkeys(sentences(system)):
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
