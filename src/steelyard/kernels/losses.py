"""Losses added up over rows in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats
from steelyard.kernels.choose import compiled, read_only, use_kernel

_AT_ONCE = 1 << 15  # rows


def log_loss_sum(label: NDArray[np.uint8], probability: NDArray[Any], clip: float) -> float:
    """The sum of -ln of the probability given to what happened, in one pass over unweighted rows.

    Logarithms of products of eight: an eighth of the work, and exact to a few units in the last place.

    >>> round(log_loss_sum(np.array([1, 0], np.uint8), np.array([0.99, 0.01]), 1e-15), 12)
    0.020100671707
    """
    if use_kernel(len(label)):
        return float(compiled(_log_loss_loop)(read_only(label), read_only(probability), clip))
    given: Floats = np.where(label == 1, probability, 1.0 - probability.astype(np.float64))
    return float(-np.log(np.maximum(given, clip)).sum())


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
