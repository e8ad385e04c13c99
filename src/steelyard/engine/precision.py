"""The precision that scores came in: what they are compared with is rounded to it first."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steelyard.arrays import Floats

Precision: TypeAlias = str  # the name of a NumPy type: float16, float32 or float64

SINGLE: Precision = "float32"


def rounded(values: ArrayLike, precision: Precision) -> Floats:
    """Thresholds or borders as near as scores of a precision can come to them, in float64.

    In single precision 0.7 is a little less than 0.7, and so is the threshold:

    >>> float(rounded(0.7, "float32")), bool(np.float32(0.7) >= rounded(0.7, "float32"))
    (0.699999988079071, True)
    """
    with np.errstate(over="ignore"):  # beyond the largest number of a precision lies infinity
        return np.asarray(values, np.float64).astype(precision).astype(np.float64)


def in_single(values: NDArray[Any]) -> NDArray[Any]:
    """Scores in single precision; one beyond it is infinite, and there is one zero."""
    with np.errstate(over="ignore"):
        return values.astype(SINGLE) + np.float32(0)
