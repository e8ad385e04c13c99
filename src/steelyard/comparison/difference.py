"""How the values of queries, or of groups, differ between two systems."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from steelyard.messages.errors import showing
from steelyard.show import charts
from steelyard.show.charts import Chart, Evaluated, Pairs, PerQuery


def difference(results: Mapping[str, Evaluated], **asked: str | None) -> Chart:
    """The chart of where one of two results is better than the other, by a metric that both have."""
    charts.check("difference", results, asked)
    if len(results) != 2:
        raise showing.needs_two(name="difference", n=len(results))
    label = charts.chosen("difference", results, asked.get("metric"))
    one, other = ((name, charts.values(result, label)) for name, result in results.items())
    return difference_of(one, other)


def difference_of(one: tuple[str, PerQuery], other: tuple[str, PerQuery]) -> Chart:
    """The same from the values of two systems."""
    (name, mine), (against, its) = one, other
    return charts.difference((name, against), mine, paired(mine, its))


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
