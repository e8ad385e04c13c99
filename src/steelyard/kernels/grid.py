"""Scores as a curve tells them apart that is read at some thresholds alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Ints
from steelyard.kernels.choose import in_parallel, read_only, row_shares, use_kernel


def on_grid(score: NDArray[Any], grid: NDArray[Any], *, strict: bool) -> NDArray[Any]:
    """Each score as the threshold of the grid, which rises evenly from 0 to 1, that it counts at.

    A score counts at the highest threshold that it reaches. With ``strict`` it must be above a threshold to
    pass it, and counts at the first that it does not pass; the lowest, which stands a little below 0 then, is
    passed by all. Either way a score that counts at a threshold stays there if it is read again.

    >>> scores, grid = np.array([0.0, 0.2, 0.25, 0.9, 1.0]), np.arange(5) / 4
    >>> on_grid(scores, grid, strict=False)
    array([0.  , 0.  , 0.25, 0.75, 1.  ])
    >>> on_grid(scores, grid, strict=True)
    array([0.25, 0.25, 0.25, 1.  , 1.  ])
    """
    if not use_kernel(len(score)):
        at = np.searchsorted(grid, score, side="left" if strict else "right")
        return grid[np.maximum(at, 1) if strict else at - 1]
    read = np.empty_like(score)
    in_parallel(_read_loop, row_shares(len(score)))(read_only(score), read_only(grid), strict, read)
    return read


def _read_loop(
    offsets: Ints, score: NDArray[Any], grid: NDArray[Any], strict: bool, read: NDArray[Any]
) -> None:
    last = grid.size - 1
    for row in range(offsets[0], offsets[-1]):
        one = score[row]
        at = min(int(one * last), last)  # near its place: thresholds were rounded
        while grid[at] > one:
            at -= 1
        while at < last and grid[at + 1] <= one:
            at += 1
        if strict and (at == 0 or grid[at] < one):
            at += 1
        read[row] = grid[at]
