"""Precision over recall: of scored rows, and at every cutoff of ranked lists."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.arguments import number_of
from steelyard.arrays import Floats, Ints
from steelyard.curves.falling import Falling, tidy
from steelyard.kernels.means import ratio
from steelyard.kernels.scales import scaled_weights
from steelyard.messages.errors import asking
from steelyard.messages.errors.forms import number_in
from steelyard.rank import Ranked
from steelyard.states import Scored


def precision_recall(scored: Scored) -> pl.DataFrame:
    """How clean your picks stay as you pick up more of everything worth having.

    One row per distinct score, thresholds falling: of the rows with ``score >= threshold``, ``precision`` is
    the share that is positive; ``recall`` is the share of all positives among them. ``base_rate`` is the
    precision of taking every row. The area of the steps ``(recall - recall before)·precision`` is exactly
    ``pr_auc``. There is no row at recall 0, where precision is undefined. Without a positive the frame is
    empty; where rows are in segments there is one curve per segment.

    Examples
    --------
    The positives come first and third of four:

    >>> from steelyard.curves import scored
    >>> frame = precision_recall(scored([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> frame["recall"].to_list(), frame["precision"].to_list()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.6666666666666666, 0.5])
    """
    falling = Falling.of(scored, both_classes=False)
    drawn = ~falling.origin
    precision = ratio(falling.positives, falling.taken)[drawn]
    segment = falling.segment[drawn]
    last = np.searchsorted(segment, segment, side="right") - 1
    return tidy(
        scored,
        segment,
        threshold=falling.threshold[drawn],
        recall=falling.share(falling.positives)[drawn],
        precision=precision,
        base_rate=precision[last],
    )


def precision_recall_at(ranked: Ranked, rel: float = 1.0, *, weights: Floats | None = None) -> pl.DataFrame:
    """How much longer lists find, and what they cost in quality: one row for every length.

    For each k from 1 to the longest list, the means of ``precision@k`` (over all queries) and ``recall@k``
    (over queries with a relevant item) under the house's denominators. ``weights`` are those of the queries.
    Computed from the hits alone, all k at once. Empty where no query has a relevant item.

    Examples
    --------
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
    weight = np.ones(ranked.n_queries) if given is None else scaled_weights(given, None, 1).values
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
