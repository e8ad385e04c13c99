"""Which systems stand side by side, and which of their values are best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.read.table import exactly
from steelyard.render.system import BEST, PagePart, System
from steelyard.stats.comparable import differing
from steelyard.text import Message, listed, say
from steelyard.text.labels import MOST_NAMES
from steelyard.text.names import distinct, shown


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
    names = values.select(exactly(by)).unique(maintain_order=True).with_row_index("place of the slice")
    placed = values.join(names, on=exactly(by), how="left", nulls_equal=True, maintain_order="left")
    return placed.sort("place of the slice", maintain_order=True).drop("place of the slice")


Found = dict[Any, list[str]]  # metrics by what differs in them


def unlike(systems: Sequence[System]) -> tuple[frozenset[str], tuple[Message, ...]]:
    """The metrics that no system can win, because their conventions differ, and why."""
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
        *(
            say(
                "{metrics}: the systems were measured under different conventions ({fields}), "
                "so none is marked best.",
                metrics=_some(labels),
                fields=_some(fields),
            )
            for fields, labels in conventions.items()
        ),
        *(
            say(
                "{metrics}: the systems were measured against different truth ({truths}), "
                "so none is marked best.",
                metrics=_some(labels),
                truths=_some(true, limit=60),
            )
            for true, labels in truths.items()
        ),
        *(
            say(
                "{metrics}: the systems were measured on different queries "
                "(all share {both:,}, each has {each}), so none is marked best.",
                metrics=_some(labels),
                both=shared,
                each=_span(low, high),
            )
            for (shared, low, high), labels in queries.items()
        ),
        *(
            say(
                "{metrics}: the systems were measured on different numbers of rows ({each}), "
                "so none is marked best.",
                metrics=_some(labels),
                each=_span(low, high),
            )
            for (low, high), labels in rows.items()
        ),
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
