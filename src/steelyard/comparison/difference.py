"""How the values of queries, or of groups, differ between two systems."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from steelyard.messages.errors import showing
from steelyard.show import charts
from steelyard.show.charts import Chart, Evaluated, Pairs, PerQuery


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
