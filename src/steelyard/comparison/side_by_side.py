"""Which systems stand side by side, and which of their values are best."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count

import polars as pl

from steelyard.comparison.comparable import unlike
from steelyard.comparison.testing import CORRECTIONS, Procedure
from steelyard.messages import Message
from steelyard.messages.errors import SteelyardError, showing
from steelyard.messages.errors.showing import NothingToDrawError
from steelyard.messages.names import again, distinct
from steelyard.show import charts
from steelyard.show.charts import Chart, Compared, Each, Evaluated, Pairs, PerQuery
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
    return PagePart(
        systems=tuple(with_best(systems, labels)),
        unlike=labels,
        notes=notes,
        difference=_difference(*systems) if len(systems) == 2 else None,
    )


def _difference(one: System, other: System) -> Chart | Message | None:
    """The chart of the two; what it says where it cannot be drawn; None where there is nothing to draw."""
    if "difference" not in charts.available(one, other):
        return None
    try:
        return of_two("difference", {one.name: one, other.name: other})
    except NothingToDrawError:
        return None
    except SteelyardError as error:
        return error.said


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


def of_two(name: str, results: Mapping[str, Evaluated], **asked: str | None) -> Chart:
    """A chart of how the queries of one result differ from those of another, by a metric that both have."""
    charts.check(name, results, asked)
    if len(results) != 2:
        raise showing.needs_two(name=name, n=len(results))
    label = charts.chosen(name, results, asked.get("metric"))
    one, other = results
    mine, its = (charts.values(result, label) for result in results.values())
    draw = {"difference": charts.difference, "scatter": charts.scatter}[name]
    return draw((one, other), mine, paired(mine, its))


def paired(mine: PerQuery, its: PerQuery) -> Pairs:
    """The queries that have a value in both, the greatest difference first."""
    if mine.queries.dtype != its.queries.dtype:
        raise showing.ids_differ(one=str(mine.queries.dtype), other=str(its.queries.dtype))
    left, right = (pl.DataFrame({"query": each.queries, "value": each.values}) for each in (mine, its))
    both = left.join(right.rename({"value": "other"}), on="query", how="inner", maintain_order="left")
    gap = both.select("query", "value", "other", (pl.col("value") - pl.col("other")).alias("difference"))
    defined = gap.filter(pl.col("difference").is_finite())
    return Pairs(
        frame=defined.sort("difference", descending=True, maintain_order=True),
        undefined=both.height - defined.height,
        in_one_only=left.height + right.height - 2 * both.height,
    )


def shown(
    systems: Mapping[str, Evaluated],
    rows: pl.DataFrame,
    testing: Procedure,
    told: Message | None = None,
    notes: Sequence[Message] = (),
) -> Compared:
    """What the rows of a comparison show of systems, under their names, with the queries behind them."""
    first = next(iter(systems.values()))
    there = set(rows["metric"].to_list())
    made = Compared(
        rows=rows,
        metrics={one.label: one.metric for one in first.measured if one.label in there},
        by=first.by,
        level=testing.level,
        told=told,
        correction=None if testing.correct == "none" else CORRECTIONS[testing.correct],
        notes=tuple(notes),
        names={str(name): name for name in systems},
    )
    return replace(made, each=tuple(_each(systems, made))) if testing.paired else made


def _each(systems: Mapping[str, Evaluated], compared: Compared) -> Iterable[Each]:
    """Of every pair what each query has of the first metric that queries have a value of."""
    for system, baseline in compared.pairs:
        mine, its = systems[system], systems[baseline]
        both = [set(charts.metrics("difference", side)) for side in (mine, its)]
        label = next((label for label in compared.metrics if all(label in some for some in both)), None)
        if label is None:
            continue
        values, others = charts.values(mine, label), charts.values(its, label)
        try:
            pairs = paired(values, others)
        except SteelyardError:  # ids of two types: no query can be found again
            continue
        yield Each(system=system, baseline=baseline, mine=values, pairs=pairs)


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or, where others have it, the first of ``name (2)``, ``name (3)``, … that none has."""
    if name not in taken:
        return name
    return next(one for one in (again(name, nth) for nth in count(2)) if one not in taken)
