"""How far the order of tied rows alone moves the numbers, as far as that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from steelyard.arrays import Flags, Floats
from steelyard.conventions import Ties
from steelyard.engine.align import Counted
from steelyard.engine.ranked import Ranked, order_matters, settle
from steelyard.engine.slices import slice_names
from steelyard.printable import Shown
from steelyard.stats.measured import Measured, TieRange
from steelyard.text import Message, listed, say, sentences

SHOWN = 3
_SAID = sentences(
    ties_averaged=(
        "{share:.1%} of rows are tied with another row of their query: each value of {labels} is the mean "
        "over their orders.",
        "{share:.1%} of rows are tied with another row of their query: each value is the mean over their "
        "orders.",
    ),
    ties_move="{share:.1%} of rows are tied with another row of their query; {moves:;}.",
    ties_change_nothing="{share:.1%} of rows are tied with another row of their query; {moves:;}.",
    # what their order does
    unknown="how far their order moves {labels} is not known",
    nothing=(
        "their order moves no value of {labels} by 0.0001",
        "their order moves no value by 0.0001",
    ),
    values="their order alone moves {ranges}",
    slices="their order moves no value on the whole by 0.0001, but {label} in slices: {ranges}",
    range="{name} within {low} – {high}",
    orders="{name} is {falling} by item_desc and {rising} by item_asc",
    by_item="{orders}, and other orders may lie beyond",
)

Orders = Callable[[Ties], Ranked]


def tie_notes(measured: Sequence[Measured], counted: Counted, *, alone: bool = True) -> list[Message]:
    """How many rows are tied, and what their order alone does to the metrics of one ranking.

    ``alone`` says that there is no other ranking, whose metrics a sentence could be taken for.
    """
    tally, convention = counted.tally, measured[0].need.rank
    if convention is None or not (counted.hits.tied > 1).any():
        return []
    share = tally.tied / max(tally.retrieved, 1)
    share = share if share >= 0.0005 else Shown(share, say("less than 0.1%"))
    labels = None if alone else listed([one.label for one in measured], SHOWN)
    if convention.ties == "expected":
        return [_SAID("ties_averaged", share=share, labels=labels)]

    @cache
    def orders(ties: Ties) -> Ranked:
        return measured[0].state if ties == convention.ties else settle(counted, convention, ties)

    bounded = [one for one in measured if one.ties is not None]
    matters = order_matters(counted, convention)
    unbounded = [one for one in measured if not one.metric.monotone and matters]
    moves = _ranges(bounded)
    if unbounded and not counted.aligned.predictions.has_items:
        of = listed([one.label for one in unbounded], SHOWN)
        moves.append(_SAID("unknown", labels=of))
    elif unbounded:
        moves.append(_by_item(unbounded, orders))
    if not moves and matters:
        moves = _sliced_ranges(bounded)
    key = "ties_move" if moves else "ties_change_nothing"
    return [_SAID(key, share=share, moves=moves or [_SAID("nothing", labels=labels)])]


def with_ties(one: Measured, orders: Orders, touched: Flags) -> Measured:
    """The same with what a monotone metric would be in the worst and in the best order of ties.

    ``touched`` are the queries in which a tie may move something.
    """

    def ends(*, sliced: bool) -> TieRange:
        low, high = (_means(one, orders(ties), sliced=sliced) for ties in ("pessimistic", "optimistic"))
        state = one.parts if sliced else one.state
        touches = np.bincount(state.segments, touched & state.counts, minlength=state.n_segments) > 0
        return TieRange(low=low, high=high, touched=touches)

    sliced = None if one.sliced is None else ends(sliced=True)
    return replace(one, ties=ends(sliced=False), sliced_ties=sliced)


def _ranges(measured: Sequence[Measured]) -> list[Message]:
    found = []
    for one in measured:
        assert one.ties is not None
        low, high = one.ties.low, one.ties.high
        if _moved(low, high).any():
            found.append(_range(one.label, low[0], high[0]))
    moved = listed(found, SHOWN)
    return [_SAID("values", ranges=moved)] if found else []


def _sliced_ranges(measured: Sequence[Measured]) -> list[Message]:
    """The slices of the first metric that is moved in one, though it is not on the whole."""
    for one in measured:
        if one.slices is None or one.sliced_ties is None:
            continue
        low, high = one.sliced_ties.low, one.sliced_ties.high
        apart = np.flatnonzero(_moved(low, high))
        if len(apart):
            widest = apart[np.argsort(low[apart] - high[apart], kind="stable")]
            names = slice_names(one.slices, widest[:SHOWN])
            ranges = [_range(name, low[at], high[at]) for name, at in zip(names, widest[:SHOWN], strict=True)]
            return [_SAID("slices", label=one.label, ranges=listed(ranges, SHOWN, len(widest)))]
    return []


def _range(name: str, low: float, high: float) -> Message:
    return _SAID("range", name=name, low=_number(low), high=_number(high))


def _moved(low: Floats, high: Floats) -> Flags:
    """Where a value moves by 0.0001 at least, or one order leaves it undefined and another does not."""
    moved: Flags = (high - low >= 0.0001) | (np.isnan(low) != np.isnan(high))
    return moved


def _by_item(measured: Sequence[Measured], orders: Orders) -> Message:
    """What metrics without known bounds are under the two orders by item."""
    found = []
    for one in measured[:SHOWN]:
        (falling,), (rising,) = (_means(one, orders(ties)) for ties in ("item_desc", "item_asc"))
        found.append(_SAID("orders", name=one.label, falling=_number(falling), rising=_number(rising)))
    return _SAID("by_item", orders=listed(found, SHOWN, len(measured)))


def _means(one: Measured, ranked: Ranked, *, sliced: bool = False) -> Floats:
    """The value over everything, or of each slice, had the ties stood in this order."""
    if ranked is one.state:
        return one.sliced if sliced and one.sliced is not None else one.whole
    metric, parts = one.metric, one.parts if sliced else one.state
    if metric.undefined == "error":  # of the order that counts, not of one that is only looked at
        metric = metric.replace(undefined="nan")
    like = replace(ranked, weight=parts.weight, segment=parts.segment, n_segments=parts.n_segments)
    return metric.measure(like)


def _number(value: float) -> Shown:
    return Shown(value, say("undefined") if np.isnan(value) else "")
