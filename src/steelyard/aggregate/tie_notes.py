"""How far the order of tied rows alone moves the numbers, as far as that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from steelyard.aggregate.slices import Slices, slice_names
from steelyard.aggregate.summary import Measured
from steelyard.align import Tally
from steelyard.arrays import Flags, Floats
from steelyard.conventions import Ties
from steelyard.printable import decimal
from steelyard.rank import Counted, Ranked, order_matters, settle

SHOWN = 3

Orders = Callable[[Ties], Ranked]


def tie_notes(
    measured: Sequence[Measured], counted: Counted, slices: Slices | None, *, alone: bool = True
) -> list[str]:
    """How many rows are tied, and what their order alone does to the metrics of one ranking.

    ``alone`` says that there is no other ranking, whose metrics a sentence could be taken for.
    """
    tally, convention = counted.tally, measured[0].metric.rank()
    if not tally.tied_hits:
        return []
    tied = f"{_share(tally)} of rows are tied with another row of their query"
    if convention.ties == "expected":
        each = "each value" if alone else f"each value of {_listed([one.label for one in measured])}"
        return [f"{tied}: {each} is the mean over their orders."]

    @cache
    def orders(ties: Ties) -> Ranked:
        return measured[0].ranked if ties == convention.ties else settle(counted, convention, ties)

    bounded = [one for one in measured if one.metric.monotone]
    matters = order_matters(counted, convention)
    unbounded = [one for one in measured if not one.metric.monotone and matters]
    said = _ranges(bounded, orders) if matters else ""
    if unbounded and not counted.aligned.predictions.has_items:
        of = _listed([one.label for one in unbounded])
        said = "; ".join(filter(None, [said, f"how far their order moves {of} is not known"]))
    elif unbounded:
        said = "; ".join(filter(None, [said, _by_item(unbounded, orders)]))
    if not said and matters and slices is not None:
        said = _sliced_ranges(bounded, orders, slices)
    which = "no value" if alone else f"no value of {_listed([one.label for one in measured])}"
    return [f"{tied}; {said or f'their order moves {which} by 0.0001'}."]


def _ranges(measured: Sequence[Measured], orders: Orders) -> str:
    """The metrics whose worst and best order differ, each with its range."""
    found = []
    for one in measured:
        low, high = (_means(one, orders(ties)) for ties in ("pessimistic", "optimistic"))
        if _moved(low, high).any():
            found.append(f"{one.label} within {_number(low[0])} – {_number(high[0])}")
    return f"their order alone moves {_listed(found)}" if found else ""


def _sliced_ranges(measured: Sequence[Measured], orders: Orders, slices: Slices) -> str:
    """The slices of the first metric that is moved in one, though it is not on the whole."""
    for one in measured:
        low, high = (_means(one, orders(ties), slices) for ties in ("pessimistic", "optimistic"))
        apart = np.flatnonzero(_moved(low, high))
        if len(apart):
            widest = apart[np.argsort(low[apart] - high[apart], kind="stable")]
            names = slice_names(slices.labels, widest[:SHOWN])
            ranges = [
                f"{name} within {_number(low[at])} – {_number(high[at])}"
                for name, at in zip(names, widest[:SHOWN], strict=True)
            ]
            where = _listed(ranges, len(widest))
            return f"their order moves no value on the whole by 0.0001, but {one.label} in slices: {where}"
    return ""


def _moved(low: Floats, high: Floats) -> Flags:
    """Where a value moves by 0.0001 at least, or one order leaves it undefined and another does not."""
    moved: Flags = (high - low >= 0.0001) | (np.isnan(low) != np.isnan(high))
    return moved


def _by_item(measured: Sequence[Measured], orders: Orders) -> str:
    """What metrics without known bounds are under the two orders by item."""
    found = []
    for one in measured[:SHOWN]:
        (falling,), (rising,) = (_means(one, orders(ties)) for ties in ("item_desc", "item_asc"))
        found.append(f"{one.label} is {_number(falling)} by item_desc and {_number(rising)} by item_asc")
    return f"{_listed(found, len(measured))}, and other orders may lie beyond"


def _means(one: Measured, ranked: Ranked, slices: Slices | None = None) -> Floats:
    """The value over everything, or of each slice, had the ties stood in this order."""
    metric = one.metric
    if metric.undefined == "error":  # of the order that counts, not of one that is only looked at
        metric = metric.replace(undefined="nan")
    segment, n = np.zeros(ranked.n_queries, np.int64), 1
    if slices is not None:
        segment, n = slices.codes(ranked.queries), slices.labels.height
    values = one.values if ranked is one.ranked else metric.measure(ranked)
    return metric.summarise(ranked, values, segment, n, one.weights)


def _listed(texts: Sequence[str], number: int | None = None) -> str:
    """The first few, and how many more there are."""
    more = (len(texts) if number is None else number) - SHOWN
    return ", ".join(texts[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _number(value: float) -> str:
    return "undefined" if np.isnan(value) else decimal(value)


def _share(tally: Tally) -> str:
    share = tally.tied / max(tally.retrieved, 1)
    return f"{share:.1%}" if share >= 0.0005 else "less than 0.1%"
