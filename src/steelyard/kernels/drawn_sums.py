"""Sums over cells that count as often as their units were drawn, of many draws at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import compiled, use_kernel

Often = NDArray[np.uint8]  # how often each unit counts: a row per unit, a column per draw

_WORK_PER_ROW = 16  # numbers that are added up while a kernel reads a row
_AT_ONCE = 1 << 21  # products that the twin holds at a time


def drawn_sums(often: Often, unit: Ints, owner: Ints, n: int, values: Floats) -> Floats:
    """The sum of each owner's cells for each draw; cells are in the order of their owners.

    >>> often = np.array([[1, 0], [2, 3]], np.uint8)  # two units, two draws
    >>> unit, owner = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> drawn_sums(often, unit, owner, 2, np.array([10.0, 1.0, 5.0]))
    array([[12.,  3.],
           [10., 15.]])
    """
    sums = np.zeros((n, often.shape[1]))
    if use_kernel(len(unit) * often.shape[1] // _WORK_PER_ROW):
        compiled(_loop)(np.ascontiguousarray(often), unit, owner, values, sums)
    elif len(unit):
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        step = max(1, _AT_ONCE // len(unit))
        for draw in range(0, often.shape[1], step):
            part = slice(draw, draw + step)
            products = often[unit, part] * values[:, None]
            sums[owner[first], part] = np.add.reduceat(products, first, axis=0)
    return sums


def _loop(often: Often, unit: Ints, owner: Ints, values: Floats, sums: Floats) -> None:
    for cell in range(unit.size):
        for draw in range(often.shape[1]):
            sums[owner[cell], draw] += often[unit[cell], draw] * values[cell]
