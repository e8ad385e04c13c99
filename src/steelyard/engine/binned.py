"""What a result keeps of very many rows: how many lie in narrow bins of scores, and the rows are let go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Floats, Frozen, Ints
from steelyard.engine.classified import Classified
from steelyard.engine.list_summary import ListSummary
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.engine.segmented import Segmented
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.means import segment_sum
from steelyard.kernels.rows import ordered_bits, prefix_counts, prefix_edges

KEPT = 1_000_000  # rows that are kept as they are
_BITS = 20  # of a score in single precision: a bin is as wide as a two-thousandth of its scores
_SLICED_BITS = 18  # a five-hundredth
_MOST_BINS = 1 << 24


@dataclass(frozen=True, kw_only=True)
class Gone:
    """In the place of a state that was let go: how many rows or queries it had."""

    n_rows: int

    @property
    def size(self) -> int:
        return self.n_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupValues(Frozen):
    """Groups under the names that metrics read of rows, each a segment of its own."""

    rows: Ints
    positives: Floats
    negatives: Floats
    auc: Floats

    @property
    def n_segments(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class Binned(Frozen):
    """Rows by the leading bits of their score, under the names that curves read of rows.

    The scores of the ``table`` are the lowest of each bin; ``count`` and ``squares`` are the rows in it and
    the sum of their squared weights.
    """

    n_rows: int
    table: ScoreTable
    count: Floats
    squares: Floats
    weighted: bool
    sliced: bool
    inner: GroupValues | None = None

    @property
    def n_segments(self) -> int:
        return self.table.n_segments

    @property
    def score(self) -> Floats:
        return self.table.score

    @property
    def positives(self) -> Floats:
        return self.table.total_positives

    @property
    def negatives(self) -> Floats:
        return self.table.total_negatives

    def in_bins(self, of_entry: Ints, n: int) -> tuple[Floats, Floats]:
        return segment_sum(self.count, of_entry, n), segment_sum(self.squares, of_entry, n)

    @property
    def by_group(self) -> tuple[GroupValues, Ints]:
        assert self.inner is not None
        return self.inner, np.zeros(self.inner.n_segments, np.int64)


ByScore = Scored | Binned  # what curves read


def own(values: NDArray[Any]) -> NDArray[Any]:
    """Values that a result will keep, as they are now: the caller may change his array later."""
    return values.copy() if values.size <= KEPT and not values.flags.owndata else values


def kept(state: Any, k: int | None = None) -> Any:
    """A state as a result keeps it: as it is, or, where rows are very many, without them.

    Of lists the first k are summed up; in slices nothing is shown of them.
    """
    if isinstance(state, TopLists) and state.numbers > KEPT:
        return ListSummary.of(state, k) if state.segment is None else Gone(n_rows=state.n_queries)
    if not isinstance(state, Segmented) or state.n_rows <= KEPT:
        return state
    return state.made_once("kept", lambda: _kept(state))


def _kept(state: Segmented) -> Binned | Gone:
    scored = binary_scores(state)
    return _binned(scored) if isinstance(scored, Scored) else Gone(n_rows=state.n_rows)


def binary_scores(state: Any) -> ByScore | None:
    """Labels of 0 and 1 with scores, if there are any; of two classes the second is the positive one."""
    if isinstance(state, Classified) and state.probability is not None and len(state.classes) == 2:
        return state.one_against_rest(1) if state.one_label else None
    return state if isinstance(state, ByScore) else None


def _binned(given: Scored) -> Binned | Gone:
    with np.errstate(over="ignore"):  # beyond single precision a score is infinite
        scored = replace(given, score=given.score.astype(np.float32, copy=False))
    bits = _SLICED_BITS if scored.sliced else _BITS
    if scored.n_segments << bits > _MOST_BINS:
        return Gone(n_rows=scored.n_rows)
    entry, positives, negatives, count, squares = _counted(scored, bits)
    table = ScoreTable(
        owner=entry >> bits,
        score=prefix_edges(entry & ((1 << bits) - 1), bits, scored.score.dtype),
        positives=positives,
        negatives=negatives,
        n_segments=scored.n_segments,
        counted=not scored.weighted,
        precision=scored.precision,
    )
    inner = None
    if given.group is not None and not given.sliced:
        groups, _ = given.by_group
        inner = GroupValues(
            rows=groups.rows, positives=groups.positives, negatives=groups.negatives, auc=groups.auc
        )
    return Binned(
        n_rows=scored.n_rows,
        table=table,
        count=count,
        squares=squares,
        weighted=scored.weighted,
        sliced=scored.sliced,
        inner=inner,
    )


def _counted(scored: Scored, bits: int) -> tuple[Ints, Floats, Floats, Floats, Floats]:
    if scored.weight is None and scored.segment is None:
        counts = prefix_counts(scored.score, scored.label, bits)
        entry = np.flatnonzero(counts.positives + counts.negatives)
        positives: Floats = counts.positives[entry].astype(np.float64)
        negatives: Floats = counts.negatives[entry].astype(np.float64)
        return entry, positives, negatives, positives + negatives, positives + negatives
    place = ordered_bits(scored.score)
    place >>= place.dtype.type(place.dtype.itemsize * 8 - bits)
    n = scored.n_segments << bits
    if scored.weight is None:
        place <<= place.dtype.type(1)
        place |= scored.label
        of_label = np.bincount(_in_segments(scored, place, bits + 1), minlength=2 * n).reshape(n, 2)
        entry = np.flatnonzero(of_label.any(axis=1))
        found = of_label[entry].astype(np.float64)
        both = found.sum(axis=1)
        return entry, found[:, 1], found[:, 0], both, both
    code = _in_segments(scored, place, bits)
    label, weight = scored.label == 1, scored.weights
    every = [weight * label, weight * ~label, weight > 0, weight * weight]
    sums = [np.bincount(code, part, n) for part in every]
    entry = np.flatnonzero(sums[2])
    over, under, count, squares = (part[entry].astype(np.float64) for part in sums)
    return entry, over, under, count, squares


def _in_segments(scored: Scored, place: NDArray[Any], bits: int) -> Ints:
    """Numbers below 2^bits with the segment of each row before them."""
    if scored.segment is None:
        return place.astype(np.int64)
    code = scored.segment << bits
    code |= place
    return code
