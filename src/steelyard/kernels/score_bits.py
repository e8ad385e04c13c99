"""Scores as whole numbers in the same order, and rows counted by the first bits of theirs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import called_in_loops, compiled, read_only, use_kernel

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
