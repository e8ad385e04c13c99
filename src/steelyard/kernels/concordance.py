"""Positives against negatives: what AUC and GAUC are made of, and what each row has to do with it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import compiled, in_parallel, use_kernel
from steelyard.kernels.group import Dealt, dealt, in_given_order
from steelyard.kernels.means import running_sums
from steelyard.kernels.pairs import between_loop, cell_loop, lift_loop, place_loop

_SHARES = 2  # of the buckets, whatever the processors: sums of fractions depend on it in their last digits


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
    """How often a positive scores above a negative of its segment: the pairs of ``placements`` alone.

    >>> scores, labels = np.array([0.8, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], np.uint8)
    >>> concordance(scores, labels, np.array([1, 0, 1, 0]), 2).twice
    array([2, 2])
    >>> concordance(scores, labels, weight=np.array([1.0, 2.0, 0.5, 0.0]))
    Concordance(twice=array([2.]), positives=array([3.]), negatives=array([0.5]))
    """
    return placements(score, label, segment, n_segments, weight, placing=False).pairs


def placements(
    score: NDArray[Any],
    label: NDArray[np.uint8],
    segment: Ints | None = None,
    n_segments: int = 1,
    weight: Floats | None = None,
    *,
    placing: bool = True,
) -> Placed:
    """How often a positive scores above a negative of its segment, and what each row has to do with it.

    For a positive, the placement is the weight of negatives below it, for a negative that of positives above
    it, ties counting half. Without ``placing`` only the pairs are counted. Without weights they are
    integers throughout, so every order of rows and every machine gives the same bits; with them every number
    of processors. Scores are compared in the precision they come in; ``segment`` is None where all rows
    are one.

    >>> scores, labels = np.array([0.8, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], np.uint8)
    >>> pairs, placement = placements(scores, labels)
    >>> pairs
    Concordance(twice=array([7]), positives=array([2]), negatives=array([2]))
    >>> placement
    array([2. , 1.5, 1.5, 2. ])
    """
    if len(score) and use_kernel(len(score)):
        placed = dealt(score, label, segment, n_segments, weight)
        pairs, below, above, in_bins = _placed_in_bins(placed, np.float64 if placing else None)
        if in_bins is None:
            return Placed(pairs, np.empty(0))
        in_parallel(lift_loop, placed.offsets, placed.firsts)(placed.room, below, above, in_bins)
        return Placed(pairs, in_given_order(placed, in_bins))
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
    if len(score) and use_kernel(len(score)):
        cells = dealt(score, label, segment, n_segments, weight, code)
        fits = weight is None and len(score) < 1 << 31  # twice a placement, a number of rows
        pairs, below, above, twice = _placed_in_bins(cells, np.uint32 if fits else np.float64)
        parts = np.zeros((_SHARES, n_cells, 4))
        buckets = np.linspace(0, len(cells.offsets) - 1, _SHARES + 1).astype(np.int64)
        in_parallel(cell_loop, buckets, np.arange(_SHARES + 1))(
            cells.offsets, cells.firsts, cells.room, cells.weight, cells.code, below, above, twice, parts
        )
        sums = parts.sum(axis=0).T
    else:
        pairs, placement = placements(score, label, segment, n_segments, weight)
        side = 2 * code + 1 - label
        worth = placement if weight is None else placement * weight
        both = [np.bincount(side, part, 2 * n_cells).reshape(n_cells, 2) for part in (weight, worth)]
        sums = np.concatenate([part.astype(np.float64).T for part in both])
    return CellPairs(pairs, *sums)


def _placed_in_bins(rows: Dealt, placing: Any) -> tuple[Concordance, Floats, Floats, Any]:
    """The pairs, what lies below and above each bin, and twice what each row outdoes in its own bin."""
    kind = np.int64 if rows.weight is None else np.float64
    twice, positives, negatives = (np.zeros(rows.firsts[-1], kind) for _ in range(3))
    placement = None if placing is None else np.empty(len(rows.room), placing)
    in_parallel(place_loop, rows.offsets, rows.firsts)(
        rows.room, rows.weight, rows.bins, rows.longest, twice, positives, negatives, placement
    )
    below, above = np.zeros(len(twice)), np.zeros(len(twice))
    found = [rows.by_segment(part) for part in (twice, positives, negatives)]
    if found[0].shape[1] > 1:
        compiled(between_loop)(*found, rows.by_segment(below), rows.by_segment(above))
    return Concordance(*(part.sum(axis=1) for part in found)), below, above, placement


def _before(part: NDArray[Any], place: Ints) -> NDArray[Any]:
    """How much of ``part`` stands at the entries of the same segment before."""
    running = running_sums(part, place)
    before: NDArray[Any] = np.where(place > 0, np.concatenate((running[:0], [0], running))[:-1], 0)
    return before.astype(part.dtype)
