"""What the rows of each unit have together, in one pass: the sums that intervals of very many rows need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import in_parallel, pick
from steelyard.kernels.group import read_only

_SHARES = 2  # of the rows, whatever the processors: sums of fractions depend on it in their last digits


def placement_sums(
    code: Ints, n: int, label: NDArray[np.uint8], placement: Floats, weight: Floats | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Of each unit the weight of its negatives and positives, and of what both outdo, weighed.

    >>> code, label = np.array([0, 1, 0]), np.array([1, 0, 0], np.uint8)
    >>> placement_sums(code, 2, label, np.array([1.5, 1.0, 0.5]), None)
    (array([1., 1.]), array([1., 0.]), array([0.5, 1. ]), array([1.5, 0. ]))
    """
    found: Floats = pick(len(code), _placement_sums, _placement_twin)(code, n, label, placement, weight)
    return found[0], found[1], found[2], found[3]


def _placement_twin(
    code: Ints, n: int, label: NDArray[np.uint8], placement: Floats, weight: Floats | None
) -> Floats:
    side = 2 * code + label
    worth = placement if weight is None else placement * weight
    sums = [np.bincount(side, part, minlength=2 * n).reshape(n, 2) for part in (weight, worth)]
    return np.concatenate([part.astype(np.float64).T for part in sums])


def _placement_sums(
    code: Ints, n: int, label: NDArray[np.uint8], placement: Floats, weight: Floats | None
) -> Floats:
    weights = None if weight is None else read_only(weight)
    sums = np.zeros((_SHARES, 4, n))
    offsets = np.linspace(0, len(code), _SHARES + 1).astype(np.int64)
    in_parallel(_placement_loop, offsets, np.arange(_SHARES + 1))(
        read_only(code), read_only(label), read_only(placement), weights, sums
    )
    total: Floats = sums.sum(axis=0)
    return total


def _placement_loop(
    offsets: Ints,
    shares: Ints,
    code: Ints,
    label: NDArray[np.uint8],
    placement: Floats,
    weight: Floats | None,
    sums: Floats,
) -> None:
    for share in range(offsets.size - 1):
        mine = sums[shares[share]]
        for i in range(offsets[share], offsets[share + 1]):
            unit, side = code[i], label[i]
            if weight is None:
                mine[side, unit] += 1.0
                mine[2 + side, unit] += placement[i]
            else:
                mine[side, unit] += weight[i]
                mine[2 + side, unit] += placement[i] * weight[i]
