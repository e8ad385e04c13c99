"""Positives against negatives: what AUC and GAUC are made of, and what each row has to do with it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import compiled, in_parallel, pick
from steelyard.kernels.deal import Dealt, dealt, in_given_order
from steelyard.kernels.means import running_sums
from steelyard.kernels.pair_counts import pairs_loop
from steelyard.kernels.pair_weights import between_loop, cell_loop, lift_loop, place_loop
from steelyard.kernels.scales import largest

_SHARES = 2  # of the buckets, whatever the processors: sums of fractions depend on it in their last digits
_VANISHING = 2.0**-500  # a product of two sums of weights below which its terms may have vanished


class Concordance(NamedTuple):
    """Per segment: twice the pairs in which the positive stands above (a tie counts one), and both counts.

    Of rows with weights it is the weight of pairs, the product of both, and of rows.
    """

    twice: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]


class Placed(NamedTuple):
    """The pairs of each segment, and for every row the weight of what it stands on the right side of."""

    pairs: Concordance
    placement: Floats


class CellPairs(NamedTuple):
    """The pairs of each segment; per cell the weight of both classes, and of what they outdo together."""

    pairs: Concordance
    positives: Floats
    negatives: Floats
    by_positives: Floats
    by_negatives: Floats


def concordance(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None = None,
    n_segments: int = 1,
    weight: Floats | None = None,
) -> Concordance:
    """Count, within each segment, how often a positive scores above a negative.

    Without weights integers throughout, so every order of rows and every machine gives the same bits; with
    them every number of processors. Scores are compared in the precision they come in; ``segment`` is None
    where all rows are one. Weights may be of any size: where products of them are no ordinary numbers, those
    of each class in a segment are divided by a power of two of their own.

    >>> scores, labels = np.array([0.8, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], np.uint8)
    >>> concordance(scores, labels)
    Concordance(twice=array([7]), positives=array([2]), negatives=array([2]))
    >>> concordance(scores, labels, np.array([1, 0, 1, 0]), 2).twice
    array([2, 2])
    >>> concordance(scores, labels, weight=np.array([1.0, 2.0, 0.5, 0.0]))
    Concordance(twice=array([2.]), positives=array([3.]), negatives=array([0.5]))
    """
    if weight is None:
        count = pick(len(score), _counted, _counted_twin)
        return Concordance(*count(score, label, segment, n_segments))
    found = _of_all(score, label, segment, n_segments, weight, placing=False).pairs
    if _fits(found):
        return found
    fit = _scaled_by_class(weight, label, segment, n_segments)
    return _of_all(score, label, segment, n_segments, fit, placing=False).pairs


def placements(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None = None,
    n_segments: int = 1,
    weight: Floats | None = None,
) -> Placed:
    """For each row the weight of the other class of its segment on the right side of it, ties counting half.

    For a positive that is the weight of negatives below it, for a negative of positives above it. The pairs
    are the same bits as ``concordance`` gives, and cost nothing more.

    >>> scores, labels = np.array([0.8, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], np.uint8)
    >>> placements(scores, labels).placement
    array([2. , 1.5, 1.5, 2. ])
    """
    found = _of_all(score, label, segment, n_segments, weight, placing=True)
    if weight is None or _fits(found.pairs):
        return found
    return found._replace(pairs=concordance(score, label, segment, n_segments, weight))


def cell_pairs(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None,
    n_segments: int,
    weight: Floats | None,
    code: Ints,
    n_cells: int,
) -> CellPairs:
    """What the rows of each cell, which lie in one segment, outdo together; ``code`` is the cell of each row.

    The same sums as of ``placements`` times weights, without bringing these back into the order of the rows.

    >>> scores, labels = np.array([0.8, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], np.uint8)
    >>> cell_pairs(scores, labels, None, 1, None, np.array([0, 1, 1, 0]), 2).by_positives
    array([2. , 1.5])
    """
    sums = pick(len(score), _cell_sums, _cell_sums_twin)
    pairs, found = sums(score, label, segment, n_segments, weight, code, n_cells)
    if weight is not None and not _fits(pairs):
        pairs = concordance(score, label, segment, n_segments, weight)
    return CellPairs(pairs, found[0], found[1], found[2], found[3])


def _cell_sums_twin(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None,
    n_segments: int,
    weight: Floats | None,
    code: Ints,
    n_cells: int,
) -> tuple[Concordance, Floats]:
    pairs, placement = _placed_twin(score, label, segment, n_segments, weight, placing=True)
    side = 2 * code + 1 - label
    worth = placement if weight is None else placement * weight
    sums = [np.bincount(side, part, minlength=2 * n_cells).reshape(n_cells, 2) for part in (weight, worth)]
    return pairs, np.concatenate([part.astype(np.float64).T for part in sums])


def _cell_sums(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None,
    n_segments: int,
    weight: Floats | None,
    code: Ints,
    n_cells: int,
) -> tuple[Concordance, Floats]:
    if not len(score):
        return _cell_sums_twin(score, label, segment, n_segments, weight, code, n_cells)
    rows = dealt(score, label, segment, n_segments, weight, code)
    pairs, below, above, placement = _placed_in_bins(rows, placing=True)
    sums = np.zeros((_SHARES, n_cells, 4))
    buckets = np.linspace(0, len(rows.offsets) - 1, _SHARES + 1).astype(np.int64)
    in_parallel(cell_loop, buckets, np.arange(_SHARES + 1))(
        rows.offsets, rows.firsts, rows.room, rows.weight, rows.code, below, above, placement, sums
    )
    found: Floats = sums.sum(axis=0).T
    return pairs, found


def _of_all(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None,
    n_segments: int,
    weight: Floats | None,
    *,
    placing: bool,
) -> Placed:
    found: Placed = pick(len(score), _placed, _placed_twin)(
        score, label, segment, n_segments, weight, placing=placing
    )
    return found


def _fits(found: Concordance) -> bool:
    """Whether no product of weights was too large or too small for a number."""
    with np.errstate(over="ignore", under="ignore"):
        both = found.positives * found.negatives
    there = (found.positives > 0) & (found.negatives > 0)
    return bool(np.all(((both > _VANISHING) & (both < 1 / _VANISHING)) | ~there))


def _scaled_by_class(weight: Floats, label: NDArray[np.uint8], segment: Ints | None, n: int) -> Floats:
    side = label.astype(np.int64) if segment is None else 2 * segment + label
    exponent = np.frexp(largest(weight, side, 2 * n))[1]
    with np.errstate(under="ignore"):
        fit: Floats = np.ldexp(weight, -exponent[side])
    return fit


def _counted(
    score: NDArray[Any], label: NDArray[np.uint8], segment: Ints | None, n_segments: int
) -> tuple[Ints, Ints, Ints]:
    if not len(score):
        return np.zeros(n_segments, np.int64), np.zeros(n_segments, np.int64), np.zeros(n_segments, np.int64)
    rows = dealt(score, label, segment, n_segments)
    twice, positives, negatives = (np.zeros(rows.firsts[-1], np.int64) for _ in range(3))
    in_parallel(pairs_loop, rows.offsets, rows.firsts)(
        rows.room, rows.bins, rows.longest, twice, positives, negatives
    )
    twice, positives, negatives = (rows.by_segment(part) for part in (twice, positives, negatives))
    below = np.cumsum(negatives, axis=1) - negatives
    twice = twice + 2 * positives * below
    return twice.sum(axis=1), positives.sum(axis=1), negatives.sum(axis=1)


def _placed(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None,
    n_segments: int,
    weight: Floats | None,
    *,
    placing: bool,
) -> Placed:
    if not len(score):
        kind = np.int64 if weight is None else np.float64
        return Placed(Concordance(*(np.zeros(n_segments, kind) for _ in range(3))), np.zeros(0))
    rows = dealt(score, label, segment, n_segments, weight)
    pairs, below, above, placement = _placed_in_bins(rows, placing=placing)
    if placement is None:
        return Placed(pairs, np.empty(0))
    in_parallel(lift_loop, rows.offsets, rows.firsts)(rows.room, below, above, placement)
    return Placed(pairs, in_given_order(rows, placement))


def _placed_in_bins(rows: Dealt, *, placing: bool) -> tuple[Concordance, Floats, Floats, Floats | None]:
    """The pairs, what lies in other bins below and above each, and what each dealt row outdoes in its own."""
    kind = np.int64 if rows.weight is None else np.float64
    twice, positives, negatives = (np.zeros(rows.firsts[-1], kind) for _ in range(3))
    placement = np.empty(len(rows.room)) if placing else None
    in_parallel(place_loop, rows.offsets, rows.firsts)(
        rows.room, rows.weight, rows.bins, rows.longest, twice, positives, negatives, placement
    )
    below, above = np.zeros(len(twice)), np.zeros(len(twice))
    found = [rows.by_segment(part) for part in (twice, positives, negatives)]
    if found[0].shape[1] > 1:
        compiled(between_loop)(*found, rows.by_segment(below), rows.by_segment(above))
    return Concordance(*(part.sum(axis=1) for part in found)), below, above, placement


def _counted_twin(
    score: NDArray[Any], label: NDArray[np.uint8], segment: Ints | None, n_segments: int
) -> Concordance:
    return _placed_twin(score, label, segment, n_segments, None, placing=False).pairs


def _placed_twin(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None,
    n_segments: int,
    weight: Floats | None,
    *,
    placing: bool,
) -> Placed:
    segment = np.zeros(len(score), np.int64) if segment is None else segment
    order = np.lexsort((score, segment))
    segment, score, label = segment[order], score[order], label[order]
    new = np.ones(len(order), bool)
    new[1:] = (segment[1:] != segment[:-1]) | (score[1:] != score[:-1])
    run = np.cumsum(new) - 1
    owner = segment[new]
    kind = np.int64 if weight is None else np.float64
    weighs = np.ones(len(order)) if weight is None else weight[order]
    positives, negatives = (np.bincount(run, weighs * side).astype(kind) for side in (label, 1 - label))
    place = np.arange(len(owner)) - np.searchsorted(owner, owner)
    below = _before(negatives, place)
    with np.errstate(over="ignore", under="ignore"):
        inside = positives * (2 * below + negatives)
    twice = np.zeros(n_segments, kind)
    np.add.at(twice, owner, inside)
    totals = (np.bincount(owner, part, minlength=n_segments).astype(kind) for part in (positives, negatives))
    pairs = Concordance(twice, *totals)
    if not placing:
        return Placed(pairs, np.empty(0))
    from_top = (np.searchsorted(owner, owner, side="right") - 1 - np.arange(len(owner)))[::-1]
    above = _before(positives[::-1], from_top)[::-1]
    placement = np.empty(len(order))
    placement[order] = np.where(label == 1, (below + negatives / 2)[run], (above + positives / 2)[run])
    return Placed(pairs, placement)


def _before(part: NDArray[Any], place: Ints) -> NDArray[Any]:
    """How much of ``part`` stands at the entries of the same segment before."""
    running = running_sums(part, place)
    before: NDArray[Any] = np.where(place > 0, np.concatenate((running[:0], [0], running))[:-1], 0)
    return before.astype(part.dtype)
