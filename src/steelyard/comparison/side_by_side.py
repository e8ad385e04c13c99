"""Which systems stand side by side, and which of their values are best."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import count

import polars as pl

from steelyard.comparison.comparable import unlike
from steelyard.messages.names import again, distinct
from steelyard.read.table import exactly
from steelyard.show.system import BEST, PagePart, System


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


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or, where others have it, the first of ``name (2)``, ``name (3)``, … that none has."""
    if name not in taken:
        return name
    return next(one for one in (again(name, nth) for nth in count(2)) if one not in taken)
