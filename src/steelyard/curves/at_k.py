"""A ranking metric at every cutoff."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from steelyard.arrays import Floats
from steelyard.curves.options import cutoffs
from steelyard.messages.errors import asking
from steelyard.metrics import Metric, RankingMetric
from steelyard.rank import Ranked


def metric_at_k(
    metric: Metric, ranked: Ranked, ks: Iterable[int] | None = None, *, weights: Floats | None = None
) -> pl.DataFrame:
    """How a metric changes as people look further down the list.

    ``value`` is the metric with each cutoff k, over all queries as the metric says (its mean, its pooling);
    ``n`` counts the queries in it and ``undefined`` those left out. Without ``ks`` every k from 1 to the
    longest list; each k is measured by itself, so give ``ks`` for lists of many thousands. ``weights`` are
    those of the queries.

    Examples
    --------
    The first hit stands at rank 2:

    >>> from steelyard.metrics import HitRate
    >>> metric_at_k(HitRate(), Ranked.of_lists([0, 1, 0])).select("k", "value").rows()
    [(1, 0.0), (2, 1.0), (3, 1.0)]
    """
    if not isinstance(metric, RankingMetric):
        raise asking.not_a_metric(metric)
    if metric.at == "never":
        raise asking.takes_no_cutoff(name=metric.name)
    wanted = range(1, int(ranked.retrieved.max(initial=0)) + 1) if ks is None else cutoffs(metric.name, ks)
    weighed = ranked if weights is None else replace(ranked, weight=weights)
    rows = []
    for k in wanted:
        cut = metric.replace(k=k).for_truth(ranked.max_grade)
        each = cut.each(weighed)
        whole = cut.measure(weighed, each)
        (n,), (undefined,) = cut.covered(weighed, whole, each)
        rows.append((k, float(whole[0]), int(n), int(undefined)))
    schema = {"k": pl.Int64, "value": pl.Float64, "n": pl.Int64, "undefined": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")
