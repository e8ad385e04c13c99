"""Curves of rankings: a metric at every cutoff, and precision over recall."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.arguments import number_of
from steelyard.arrays import Floats, Ints, numbers_of
from steelyard.engine.ranked import Ranked
from steelyard.kernels.means import is_weight
from steelyard.metrics import Metric
from steelyard.metrics.curves.options import cutoffs
from steelyard.text.errors import aligning, asking
from steelyard.text.errors.forms import number_in


def metric_at_k(
    metric: Metric, ranked: Ranked, ks: Iterable[int] | None = None, *, weights: Floats | None = None
) -> pl.DataFrame:
    """How a metric changes as people look further down the list.

    ``value`` is the metric with each cutoff k, over all queries as the metric says (its mean, its pooling);
    ``n`` counts the queries in it and ``undefined`` those left out. Without ``ks`` every k from 1 to the
    longest list; each k is measured by itself, so give ``ks`` for lists of many thousands. ``weights`` are
    those of the queries.

    The first hit stands at rank 2:

    >>> from steelyard.metrics import HitRate
    >>> metric_at_k(HitRate(), Ranked.of_lists([0, 1, 0])).select("k", "value").rows()
    [(1, 0.0), (2, 1.0), (3, 1.0)]
    """
    if getattr(metric, "reads", None) != "hits":
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


def precision_recall_at(ranked: Ranked, rel: float = 1.0, *, weights: Floats | None = None) -> pl.DataFrame:
    """How much longer lists find, and what they cost in quality: one row for every length.

    For each k from 1 to the longest list, the means of ``precision@k`` (over all queries) and ``recall@k``
    (over queries with a relevant item) under the default denominators. ``weights`` are those of the queries.
    Computed from the hits alone, all k at once. Empty where no query has a relevant item.

    Lists with hits at ranks 1 and 3, and at rank 2:

    >>> frame = precision_recall_at(Ranked.of_lists([[1, 0, 1], [0, 1]]))
    >>> frame["recall"].to_list()  # (1/2 + 0)/2, (1/2 + 1)/2, (1 + 1)/2
    [0.25, 0.75, 1.0]
    >>> frame["precision"].to_list()  # (1 + 0)/2, (1/2 + 1/2)/2, (2/3 + 1/3)/2
    [0.5, 0.5, 0.5]
    """
    least = number_of(rel)
    if least is None or not 0 < least < np.inf:
        raise asking.bad_value("precision_recall_at", "rel", rel, number_in(above=0))
    given = ranked.weight if weights is None else weights
    weight = np.ones(ranked.n_queries) if given is None else numbers_of("weight", given).astype(np.float64)
    for value in weight[~is_weight(weight)][:1]:
        raise aligning.weight_negative(place="precision_recall_at", value=float(value))
    relevant = ranked.n_relevant(least)
    weighed = weight * (relevant > 0)
    longest = int(ranked.retrieved.max(initial=0)) if weighed.any() else 0
    k = np.arange(1, longest + 1)
    groups = ranked.groups(least)
    each = groups.relevant * weight[groups.query]
    found = _found(each, groups.before, groups.tied, longest)
    found_share = _found(each / relevant[groups.query], groups.before, groups.tied, longest)
    return pl.DataFrame(
        {
            "k": k,
            "recall": found_share / (weighed.sum() or 1.0),
            "precision": found / k / (weight.sum() or 1.0),
        }
    )


def _found(amount: Floats, before: Ints, tied: Ints, longest: int) -> Floats:
    """How much is found in the first k places, for each k; a tie gives an equal part at each place."""
    alone = tied == 1
    at_rank = np.bincount(before[alone], amount[alone], minlength=longest).astype(np.float64, copy=False)
    if not alone.all():
        part, first, size = amount[~alone] / tied[~alone], before[~alone], tied[~alone]
        length = max(len(at_rank), int((first + size).max())) + 1
        change = np.bincount(first, part, minlength=length) - np.bincount(
            first + size, part, minlength=length
        )
        at_rank = np.cumsum(change) + np.pad(at_rank, (0, length - len(at_rank)))
    return np.cumsum(at_rank)[:longest]
