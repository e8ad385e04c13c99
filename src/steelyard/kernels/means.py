"""Sums and means of many segments at once: exact where it matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.kernels.choose import compiled, in_parallel, read_only, use_kernel

_EXACT = 2.0**53  # whole numbers below this add up without rounding
_AT_ONCE = 1 << 15  # rows
_FEW = 1000  # values that ``math.fsum`` adds faster than arrays are cut
_HUGE = 2.0**960  # sums of any number of values below this are finite, and so are the cuts


def is_weight(values: Floats) -> Flags:
    """Which numbers can be weights: products of four sums of them are ordinary numbers. NaN is no weight.

    >>> is_weight(np.array([0.0, 2.5, 1e-70, -1.0]))
    array([ True,  True, False, False])
    """
    found: Flags = (values == 0) | ((values >= 1e-60) & (values <= 1e60))
    return found


def segment_mean(
    values: Floats, segment: Ints, n: int, weights: Floats | None, kind: str, floor: float
) -> Floats:
    """The mean of each segment, NaN for one without values; undefined (NaN) values are left out.

    Sums are exact, so that the order of the values makes no difference.

    >>> values, segment = np.array([1.0, 0.0, np.nan, 0.25]), np.array([0, 0, 0, 1])
    >>> segment_mean(values, segment, 3, None, "arithmetic", 1e-5)
    array([0.5 , 0.25,  nan])
    >>> segment_mean(values, segment, 3, None, "median", 1e-5)
    array([0.5 , 0.25,  nan])
    """
    defined = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    if not defined.all():
        values, segment = values[defined], segment[defined]
    weight = None if weights is None else weights[defined]
    if kind == "median":
        return _median(values, segment, n, np.ones(len(values)) if weight is None else weight)
    if kind == "geometric":
        values = np.log(np.maximum(values, floor))
    total = np.bincount(segment, minlength=n) if weight is None else exact_sums(weight, segment, n)
    mean = ratio(exact_sums(values if weight is None else values * weight, segment, n), total)
    return np.exp(mean) if kind == "geometric" else mean


def segment_sum(values: Floats | Ints | Flags, segment: Ints, n: int) -> Floats:
    """The sum of each segment, in order, so that the same data gives the same bits.

    >>> segment_sum(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 3)
    array([5., 0., 2.])
    """
    if len(values) <= _AT_ONCE:
        return np.bincount(segment, weights=values, minlength=n).astype(np.float64, copy=False)
    sums = np.zeros(n)  # bincount copies what is read-only, or no float64
    for start in range(0, len(values), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        np.add.at(sums, segment[part], values[part].astype(np.float64, copy=False))
    return sums


def class_sums(weight: Floats, label: NDArray[np.uint8], segment: Ints, n: int) -> tuple[Floats, Floats]:
    """The weight of rows labelled 0 and of those labelled 1 in each segment, in order as ``segment_sum``.

    >>> class_sums(np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1], np.uint8), np.array([0, 0, 1]), 2)
    (array([2., 0.]), array([1., 4.]))
    """
    sums = np.zeros(2 * n)
    for start in range(0, len(weight), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        np.add.at(sums, 2 * segment[part] + label[part], weight[part])
    return sums[::2], sums[1::2]


def log_loss_sum(label: NDArray[np.uint8], probability: NDArray[Any], clip: float) -> float:
    """The sum of -ln of the probability given to what happened, in one pass over unweighted rows.

    Logarithms of products of eight: an eighth of the work, and exact to a few units in the last place.

    >>> round(log_loss_sum(np.array([1, 0], np.uint8), np.array([0.99, 0.01]), 1e-15), 12)
    0.020100671707
    """
    if use_kernel(len(label)):
        return float(compiled(_log_loss_loop)(read_only(label), read_only(probability), clip))
    return float(log_losses(label, probability, clip).sum())


def log_losses(label: NDArray[np.uint8], probability: NDArray[Any], clip: float) -> Floats:
    """-ln of the probability given to what happened in each row, in parts that stay in the cache.

    >>> log_losses(np.array([1, 0], np.uint8), np.array([1.0, 0.5]), 1e-15)
    array([0.        , 0.69314718])
    """
    losses = np.empty(len(label))
    with np.errstate(divide="ignore"):
        for start in range(0, len(label), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            given = np.where(label[part] == 1, probability[part], 1.0 - probability[part].astype(np.float64))
            losses[part] = 0.0 - np.log(np.maximum(given, clip))  # no -0.0
    return losses


def exact_sums(values: Floats, segment: Ints, n: int) -> Floats:
    """The sum of each segment, rounded once: what ``math.fsum`` gives for its values alone.

    Each round cuts values at a place coarse enough for the upper parts of a segment to be added without
    rounding (Rump, Ogita and Oishi 2008) and goes on with what is below the cut, until nothing is. The few
    sums of a segment are then added as ``fsum`` adds.

    >>> exact_sums(np.array([1e16, 1.0, -1e16, 0.5]), np.array([0, 0, 0, 1]), 2)
    array([1. , 0.5])
    """
    if n == 1 and len(values) <= _FEW:
        try:
            return np.array([math.fsum(values.tolist())])
        except (OverflowError, ValueError):  # infinities of both signs, or sums beyond the largest number
            pass
    usual = np.abs(values) < _HUGE
    if not usual.all():
        beyond = segment_sum(np.where(usual, 0.0, values), segment, n)
        return beyond + exact_sums(values[usual], segment[usual], n)
    count = np.array([len(segment)]) if n == 1 else np.bincount(segment, minlength=n)
    terms = np.frexp(count.astype(np.float64))[1] + 1
    parts: list[Floats] = []
    while values.any():
        # the sum of any part of a segment stays below this power of two
        cut = np.ldexp(1.5, np.frexp(largest(values, segment, n))[1] + terms)
        cut = cut if n == 1 else cut[segment]
        upper = (values + cut) - cut
        parts.append(segment_sum(upper, segment, n))
        values = values - upper
    return _added(parts, n)


def _added(parts: list[Floats], n: int) -> Floats:
    """A few numbers of each of ``n`` segments, added as ``math.fsum`` adds (Shewchuk 1997)."""
    apart: list[Floats] = []
    for part in parts:
        grown = part
        for at, small in enumerate(apart):
            grown, apart[at] = _two_sum(grown, small)
        apart.append(grown)
    total, lost, beyond = np.zeros(n), np.zeros(n), np.zeros(n)
    for small in reversed(apart):
        settled = lost == 0
        beyond = np.where(settled | (beyond != 0), beyond, np.sign(small))
        more, left = _two_sum(total, small)
        total, lost = np.where(settled, more, total), np.where(settled, left, lost)
    # half a unit was rounded to even, and what is left beyond it says which way it should have gone
    twice = 2 * lost
    nearer = total + twice
    half: Flags = (nearer - total == twice) & (lost != 0) & (np.sign(lost) == beyond)
    return np.where(half, nearer, total)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """``a + b`` rounded, and what the rounding lost."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def largest(values: Floats, segment: Ints | None, n: int) -> Floats:
    if segment is None or n == 1:
        return np.array([max(values.max(initial=0.0), -values.min(initial=0.0))])
    found = np.zeros(n)
    np.maximum.at(found, segment, np.abs(values))
    return found


def ratio(numerator: Floats | Ints, denominator: Floats | Ints) -> Floats:
    """``numerator / denominator``, NaN where the denominator is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def running_sums(part: Floats, place: Ints) -> Floats:
    """The running sum within each segment; ``place`` counts from 0 at the first entry of each.

    Counts are exact in one sum over all, less what stood before the segment. Other weights are added within
    the segment only, in steps of 1, 2, 4, ...: beside a heavy segment a light one would lose its digits.
    """
    if not len(part):
        return part
    one = np.cumsum(part)
    if place[-1] == len(part) - 1:
        return one
    if one[-1] < _EXACT and bool(np.all(part == np.floor(part))):
        first = np.arange(len(part)) - place
        before: Floats = (one - part)[first]
        return one - before
    running = part.copy()
    step = 1
    while step <= int(place.max()):
        running[step:] += np.where(place[step:] >= step, running[:-step], 0.0)
        step *= 2
    return running


def _log_loss_loop(label: NDArray[np.uint8], probability: NDArray[Any], clip: float) -> float:
    total = 0.0
    lost = 0.0  # what the running sum could not hold (Neumaier)
    n = label.size
    i = 0
    while i < n:
        end = min(n, i + 8)
        product = 1.0
        for j in range(i, end):
            given = np.float64(probability[j])
            if label[j] == 0:
                given = 1.0 - given
            product *= max(given, clip)
        term = -np.log(product)
        grown = total + term
        lost += (total - grown) + term if abs(total) >= abs(term) else (term - grown) + total
        total = grown
        i = end
    return total + lost


def _median(values: Floats, segment: Ints, n: int, weight: Floats) -> Floats:
    """The middle of each segment by weight; where half the weight is met exactly, the mean of two."""
    out = np.full(n, np.nan)
    if not len(values):
        return out
    order = np.lexsort((values, segment))
    values, segment, weight = values[order], segment[order], weight[order]
    within = running_sums(weight, np.arange(len(segment)) - np.searchsorted(segment, segment))
    half = segment_sum(weight, segment, n)[segment] / 2
    # weights are added up in floating point: what differs by their last digits is the same
    reached = within >= half * (1 - 1e-12)
    past = within > half * (1 + 1e-12)
    for least in (reached, past):
        owner, first = np.unique(segment[least], return_index=True)
        middle = values[least][first]
        out[owner] = middle if least is reached else (out[owner] + middle) / 2
    return out


DrawCounts = NDArray[np.uint8]  # how many times each unit counts: a row per unit, a column per draw
_WORK_PER_ROW = 16  # numbers that are added up while a kernel reads a row
_PRODUCTS = 1 << 21  # products that the twin holds at a time


def list_sums(offsets: Ints, item: Ints, worth: Floats) -> Floats:
    """The sum of ``worth``, which each item has, over the items of each list, in their order.

    >>> list_sums(np.array([0, 2, 2, 3]), np.array([1, 0, 1]), np.array([0.5, 2.0]))
    array([2.5, 0. , 2. ])
    """
    n = len(offsets) - 1
    if not use_kernel(len(item)):
        return np.bincount(np.repeat(np.arange(n), np.diff(offsets)), worth[item], n).astype(np.float64)
    found, lists = np.zeros(n), np.arange(n + 1)  # cut with the offsets: a share writes its own lists
    in_parallel(_sums_loop, offsets, lists)(item, worth, found)
    return found


def _sums_loop(offsets: Ints, lists: Ints, item: Ints, worth: Floats, found: Floats) -> None:
    for at in range(offsets.size - 1):
        total = 0.0
        for entry in range(offsets[at], offsets[at + 1]):
            total += worth[item[entry]]
        found[lists[at]] = total


def count_below(offsets: Ints, item: Ints, place: Ints, limit: Ints) -> Ints:
    """How many items of each list have a place below its limit.

    >>> count_below(np.array([0, 2, 3]), np.array([1, 0, 1]), np.array([5, 2]), np.array([3, 2]))
    array([1, 0])
    """
    n = len(offsets) - 1
    if not use_kernel(len(item)):
        query = np.repeat(np.arange(n), np.diff(offsets))
        return np.bincount(query[place[item] < limit[query]], minlength=n)
    found = np.zeros(n, np.int64)
    in_parallel(_below_loop, offsets, np.arange(n + 1))(item, place, limit, found)
    return found


def _below_loop(offsets: Ints, lists: Ints, item: Ints, place: Ints, limit: Ints, found: Ints) -> None:
    for at in range(offsets.size - 1):
        n = 0
        for entry in range(offsets[at], offsets[at + 1]):
            n += place[item[entry]] < limit[lists[at]]
        found[lists[at]] = n


def first_ranks(offsets: Ints, item: Ints, n: int) -> Ints:
    """The highest place, counted from 1, that each of ``n`` items has in any list; 0 where it is in none.

    >>> first_ranks(np.array([0, 2, 4]), np.array([2, 0, 0, 2]), 4)
    array([1, 0, 1, 0])
    """
    if use_kernel(len(item)):
        found: Ints = compiled(_ranks_loop)(offsets, item, np.zeros(n, np.int64))
        return found
    rank = np.arange(1, len(item) + 1) - np.repeat(offsets[:-1], np.diff(offsets))
    found = np.full(n, len(item) + 1)
    np.minimum.at(found, item, rank)
    return np.where(found > len(item), 0, found)


def _ranks_loop(offsets: Ints, item: Ints, found: Ints) -> Ints:
    for at in range(offsets.size - 1):
        for entry in range(offsets[at], offsets[at + 1]):
            rank, one = entry - offsets[at] + 1, item[entry]
            if found[one] == 0 or rank < found[one]:
                found[one] = rank
    return found


def drawn_sums(draw_counts: DrawCounts, unit: Ints, owner: Ints, n: int, values: Floats) -> Floats:
    """The sum of each owner's cells for each draw; cells are in the order of their owners.

    >>> draw_counts = np.array([[1, 0], [2, 3]], np.uint8)  # two units, two draws
    >>> unit, owner = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> drawn_sums(draw_counts, unit, owner, 2, np.array([10.0, 1.0, 5.0]))
    array([[12.,  3.],
           [10., 15.]])
    """
    sums = np.zeros((n, draw_counts.shape[1]))
    if use_kernel(len(unit) * draw_counts.shape[1] // _WORK_PER_ROW):
        compiled(_drawn_loop)(np.ascontiguousarray(draw_counts), unit, owner, values, sums)
    elif len(unit):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        step = max(1, _PRODUCTS // len(unit))
        for draw in range(0, draw_counts.shape[1], step):
            part = slice(draw, draw + step)
            products = draw_counts[unit, part] * values[:, None]
            sums[owner[first], part] = np.add.reduceat(products, first, axis=0)
    return sums


def _drawn_loop(draw_counts: DrawCounts, unit: Ints, owner: Ints, values: Floats, sums: Floats) -> None:
    for cell in range(unit.size):
        for draw in range(draw_counts.shape[1]):
            sums[owner[cell], draw] += draw_counts[unit[cell], draw] * values[cell]
