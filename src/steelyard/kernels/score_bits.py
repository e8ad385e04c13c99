"""Scores as whole numbers in the same order, rows counted by the first bits of theirs, scores on a grid."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import called_in_loops, compiled, in_parallel, read_only, row_shares, use_kernel

Bits = NDArray[Any]  # the scores' bits, as unsigned integers of their width


class PrefixCounts(NamedTuple):
    """Positives and negatives by the leading bits of their score, in the order of the scores."""

    positives: Ints
    negatives: Ints


def prefix_counts(score: NDArray[Any], label: NDArray[np.uint8], bits: int) -> PrefixCounts:
    """Count rows by the first ``bits`` bits of their score: one pass, no sort.

    >>> counts = prefix_counts(np.array([-1.0, 2.0]), np.array([0, 1], np.uint8), 2)
    >>> counts.positives, counts.negatives
    (array([0, 0, 0, 1]), array([0, 1, 0, 0]))
    """
    counts = np.zeros((2, 1 << bits), np.int64)
    if use_kernel(len(score)):
        raw, top = raw_bits(score)
        shift = raw.dtype.type(raw.itemsize * 8 - bits)
        compiled(_prefix_loop)(raw, top, ~raw.dtype.type(0), read_only(label), shift, counts)
    else:
        key = ordered_bits(score)
        bin_ = (key >> key.dtype.type(key.itemsize * 8 - bits)).astype(np.int64)
        for side in (0, 1):
            counts[side] = np.bincount(bin_[label == side], minlength=1 << bits)
    return PrefixCounts(counts[1], counts[0])


def ordered_bits(score: NDArray[Any]) -> Bits:
    """Unsigned integers in the order of the scores; 0.0 and -0.0 are one.

    >>> bits = ordered_bits(np.array([-2.0, -1.0, 0.0, 3.0]))
    >>> bool(np.all(bits[1:] > bits[:-1]))
    True
    """
    raw, top = raw_bits(score + score.dtype.type(0))
    return np.where(raw >= top, ~raw, raw | top)


def from_ordered_bits(bits: Bits) -> NDArray[Any]:
    """The scores that ``ordered_bits`` made integers of.

    >>> from_ordered_bits(ordered_bits(np.array([-2.0, 0.0, 3.0])))
    array([-2.,  0.,  3.])
    """
    top = bits.dtype.type(1) << bits.dtype.type(bits.dtype.itemsize * 8 - 1)
    raw = np.where(bits >= top, bits ^ top, ~bits)
    scores: NDArray[Any] = raw.view(np.float32 if bits.dtype == np.uint32 else np.float64)
    return scores


def prefix_edges(bins: Ints, bits: int, dtype: Any) -> Floats:
    """The lowest score that the first ``bits`` bits put into each of these bins.

    >>> prefix_edges(np.array([1, 3]), 2, np.float64)
    array([-2.,  2.])
    """
    kind = np.uint32 if dtype == np.float32 else np.uint64
    whole: Bits = bins.astype(kind)
    return from_ordered_bits(whole << kind(kind(0).itemsize * 8 - bits)).astype(np.float64)


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
    in_parallel(_grid_loop, row_shares(len(score)))(read_only(score), read_only(grid), strict, read)
    return read


def raw_bits(score: NDArray[Any]) -> tuple[Bits, Any]:
    """The bits of scores as they are, and the one of the sign: what ``key_of`` takes."""
    kind = np.uint32 if score.dtype == np.float32 else np.uint64
    return read_only(score).view(kind), kind(1) << kind(kind(0).itemsize * 8 - 1)


@called_in_loops
def key_of(raw: Any, top: Any, ones: Any) -> Any:
    """What ``ordered_bits`` gives one score: ``top``, the bits of -0.0, is also what 0.0 becomes."""
    return raw ^ ones if raw > top else raw | top


def _prefix_loop(raw: Bits, top: Any, ones: Any, label: NDArray[np.uint8], shift: Any, counts: Ints) -> None:
    for i in range(raw.size):
        counts[label[i], np.int64(key_of(raw[i], top, ones) >> shift)] += 1


def _grid_loop(
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
