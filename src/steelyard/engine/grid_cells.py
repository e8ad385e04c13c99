"""The thresholds that a curve is read at, and the scores that it tells apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.engine.columns import check_probabilities
from steelyard.engine.precision import Precision, rounded
from steelyard.kernels.score_bits import on_grid

MOST_THRESHOLDS = 1_000_000


def read_at(
    score: NDArray[Any], thresholds: int, *, strict: bool, metric: str, precision: Precision | None = None
) -> NDArray[Any]:
    """Scores, which must be from 0 to 1, each as the threshold that it counts at.

    Thresholds are compared in the precision of the scores, the array's if it is not told.
    """
    check_probabilities(score, metric)
    grid = rounded(np.arange(thresholds) / (thresholds - 1), precision or score.dtype.name)
    read = on_grid(np.ascontiguousarray(score).reshape(-1), grid.astype(score.dtype), strict=strict)
    return read.reshape(score.shape)
