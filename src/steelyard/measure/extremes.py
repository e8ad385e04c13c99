"""The queries that did best and worst: those whose lists are worth a look."""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Ints
from steelyard.measure.measured import Measured

EACH = 5  # from either end


def extremes(one: Measured) -> tuple[Ints, Ints]:
    """The queries with the lowest and those with the highest values; where they are few all are the lowest.

    Of equal values those of the queries with the most relevant items come first.
    """
    order = by_value(one)
    if len(order) <= 2 * EACH:
        return order, order[:0]
    relevant = one.state.n_relevant(relevance_of(one))[order]
    highest: Ints = order[np.lexsort((-relevant, -one.values[order]))[:EACH]]
    return order[:EACH], highest


def by_value(one: Measured) -> Ints:
    """The queries with a value, the lowest first; of equal ones those with the most relevant items."""
    defined = np.flatnonzero(~np.isnan(one.values))
    relevant = one.state.n_relevant(relevance_of(one))
    order: Ints = defined[np.lexsort((-relevant[defined], one.values[defined]))]
    return order


def relevance_of(one: Measured) -> float:
    """The lowest grade that counts as relevant to a metric."""
    return float(getattr(one.metric, "rel", 1.0))
