"""Which part of a gap each of several changes carries, averaged over the orders they can be made in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.arrays import Floats


@dataclass(frozen=True)
class GapParts:
    """The part of each change, how many orders they are means over, and how many lead through nothing."""

    parts: Floats
    orders: int
    skipped: int


def parts_of(
    n: int, value: Callable[[int], float | None], orders: Sequence[Sequence[int]] | None = None
) -> GapParts | None:
    """The part that each of ``n`` changes carries of the way from none of them to all.

    ``value`` gives the value once some changes are made, as the bits of a number, or None where that
    combination means nothing. Every order in which the changes can be made one by one gives each its step;
    the part of a change is the mean of its steps over the orders that lead through no such combination, so
    that the parts add up to the whole way. None where every order does. ``orders`` are some to take instead
    of all, each the changes in their order.

    >>> made = parts_of(2, {0: 0.0, 1: 0.5, 2: 0.25, 3: 1.0}.get)
    >>> made.parts.tolist(), made.orders, made.skipped
    ([0.625, 0.375], 2, 0)
    """
    if orders is not None:
        return _parts_along(n, value, orders)
    whole = (1 << n) - 1
    values = [value(made) for made in range(whole + 1)]
    # how many orders lead from none to each combination, and from each to all
    there, onward = [0] * (whole + 1), [0] * (whole + 1)
    there[0], onward[whole] = int(values[0] is not None), int(values[whole] is not None)
    for made in range(whole + 1):
        for one in _among(made, n):
            if values[made] is not None:
                there[made] += there[made ^ one]
    for made in range(whole, -1, -1):
        for one in _among(whole ^ made, n):
            if values[made] is not None:
                onward[made] += onward[made | one]
    led = there[whole]
    if not led:
        return None
    parts = np.zeros(n)
    for made in range(whole + 1):
        before = values[made]
        for one in _among(whole ^ made, n):
            after = values[made | one]
            if before is not None and after is not None:
                ways = there[made] * onward[made | one]
                parts[one.bit_length() - 1] += ways / led * (after - before)
    return GapParts(parts, led, math.factorial(n) - led)


def _among(bits: int, n: int) -> list[int]:
    return [1 << at for at in range(n) if bits >> at & 1]


def drawn_orders(n: int, count: int, seed: int) -> list[list[int]]:
    """Orders of ``n`` changes, drawn with a seed: half of them, and the same the other way round.

    >>> [sorted(order) for order in drawn_orders(3, 4, seed=0)]
    [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
    """
    draw = np.random.default_rng(seed)
    half = [draw.permutation(n).tolist() for _ in range(count // 2)]
    return [*half, *(order[::-1] for order in half)]


def along(orders: Sequence[Sequence[int]]) -> Iterator[int]:
    """Every combination that these orders lead through, as the bits of a number.

    >>> list(along([[1, 0]]))
    [0, 2, 3]
    """
    for order in orders:
        made = 0
        yield made
        for one in order:
            made |= 1 << one
            yield made


def _parts_along(
    n: int, value: Callable[[int], float | None], orders: Sequence[Sequence[int]]
) -> GapParts | None:
    steps = np.zeros(n)
    led = 0
    for order in orders:
        values = [value(made) for made in along([order])]
        known = [one for one in values if one is not None]
        if len(known) < len(values):
            continue
        led += 1
        steps[list(order)] += np.diff(known)
    return GapParts(steps / led, led, len(orders) - led) if led else None
