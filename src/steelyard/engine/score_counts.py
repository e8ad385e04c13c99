"""All scores of one class, and how many rows of both classes are at and between them.

Metrics that depend only on the order of scores do not tell rows of the other class between two neighbours
apart, so these rows are one entry. Rows are read twice: first to hold the scores of the class, then to be
counted. Only one class must fit in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints, once
from steelyard.engine.influence import Condensed, Units
from steelyard.engine.merged_accounts import (
    merged_slices,
    merged_tally,
)
from steelyard.engine.partial_rows import numbers_among
from steelyard.engine.protocol import Need, Tally
from steelyard.engine.rows import Rows
from steelyard.engine.scored import Scored, ScoreTable
from steelyard.engine.scored_parts import DISTINCT, distinct_scores
from steelyard.engine.slices import Slices
from steelyard.kernels.concordance import Concordance
from steelyard.kernels.places import by_score, last_not_above
from steelyard.text.errors import merging

_AT_ONCE = 4_000_000  # scores


class OfScores(NamedTuple):
    """Numbers for each held score: rows of its class, rows of the other at it, and those up to the next."""

    own: NDArray[Any]
    tied: NDArray[Any]
    between: NDArray[Any]  # and one more at the beginning of each segment, for what is below all


class _Scores(NamedTuple):
    """The distinct scores of the segments of one part, rising, and where each segment begins."""

    score: NDArray[Any]
    starts: Ints


@dataclass(eq=False)
class HeldScores:
    """The distinct scores of one class in each segment, with the weight of the rows at and between them."""

    held: int  # the class, 0 or 1
    n_segments: int
    starts: Ints  # where the scores of each segment begin; the last is their number
    score: NDArray[Any]
    precision: Any
    weight: OfScores
    rows: Ints  # of both classes in each segment, those of weight 0 apart
    seen: Flags  # the segments that have rows

    @classmethod
    def of(cls, one: OneNeed, pieces: Sequence[_Scores], numbers: Sequence[Ints], n: int) -> HeldScores:
        """``numbers`` are those of the segments of each piece among all ``n``."""
        of_segment: list[list[NDArray[Any]]] = [[] for _ in range(n)]
        for piece, number in zip(pieces, numbers, strict=True):
            for own, segment in enumerate(number.tolist()):  # slices are few
                of_segment[segment].append(piece.score[piece.starts[own] : piece.starts[own + 1]])
        scores = [np.unique(np.concatenate(mine)) for mine in of_segment]
        starts = np.cumsum([0, *map(len, scores)])
        size = int(starts[-1])
        dtype = np.float64 if one.weighted or one.n_rows >> 32 else np.uint32
        weight = OfScores(*(np.zeros(size + more, dtype) for more in (0, 0, n)))
        rows, seen = np.zeros((n, 2), np.int64), np.zeros(n, bool)
        score = np.concatenate(scores) if scores else np.zeros(0)
        return cls(one.held, n, starts, score, one.precision, weight, rows, seen)

    def add(self, rows: Scored, number: Ints) -> None:
        """Count the rows of one part; ``number`` is that of each of its segments."""
        table = rows.table
        own = table.positives if self.held else table.negatives
        other = table.negatives if self.held else table.positives
        starts, kind = np.searchsorted(table.owner, np.arange(table.n_segments + 1)), self.weight.own.dtype
        for segment, to in enumerate(number.tolist()):
            begin, end = starts[segment : segment + 2].tolist()
            first, last = self.starts[to : to + 2].tolist()
            known = self.score[first:last]
            score = table.score[begin:end]
            place = np.searchsorted(known, score.astype(self.score.dtype), side="right")
            exact = place > 0
            exact[exact] = known[place[exact] - 1] == score[exact]
            if (own[begin:end][~exact] > 0).any():
                raise merging.totals_changed()
            self.weight.own[first + place[exact] - 1] += own[begin:end][exact].astype(kind)
            self.weight.tied[first + place[exact] - 1] += other[begin:end][exact].astype(kind)
            place, weight = place[~exact], other[begin:end][~exact]
            if len(place):
                new = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
                self.weight.between[first + to + place[new]] += np.add.reduceat(weight, new).astype(kind)
        counts = rows.weights > 0
        for label in (0, 1):
            self.rows[number, label] += rows.rows_of(counts & (rows.label == label))
        self.seen[number[rows.segments]] = True

    @property
    def gap_owner(self) -> Ints:
        return np.repeat(np.arange(self.n_segments), np.diff(self.starts) + 1)

    def gap_scores(self, gap: Ints, owner: Ints) -> NDArray[Any]:
        """A score that stands for all rows between two held ones: the next float after the lower one."""
        if not len(self.score):
            return np.full(len(gap), -np.inf, self.score.dtype)
        at = gap - owner - 1
        next_to = np.nextafter(self.score[np.maximum(at, 0)], self.score.dtype.type(np.inf))
        found: NDArray[Any] = np.where(at < self.starts[owner], self.score.dtype.type(-np.inf), next_to)
        return found

    def state(self, one: OneNeed) -> CountedRows:
        """The counts as metrics read them of rows."""
        gap = np.flatnonzero(self.weight.between)
        owner = self.gap_owner[gap]
        place = gap - owner  # before which score
        of_class = [
            np.insert(self.weight.own.astype(np.float64), place, 0.0),
            np.insert(self.weight.tied.astype(np.float64), place, self.weight.between[gap]),
        ]
        table = ScoreTable(
            owner=np.insert(np.repeat(np.arange(self.n_segments), np.diff(self.starts)), place, owner),
            score=np.insert(self.score.astype(np.float64), place, self.gap_scores(gap, owner)),
            positives=of_class[1 - self.held],
            negatives=of_class[self.held],
            n_segments=self.n_segments,
            counted=not one.weighted,
            precision=self.precision,
        )
        nothing = np.zeros(0)
        return CountedRows(
            n_rows=0,
            label=nothing.astype(np.uint8),
            score=nothing.astype(self.score.dtype),
            precision=self.precision,
            weight=nothing if one.weighted else None,
            segment=nothing.astype(np.int64),
            n_segments=self.n_segments,
            units=one.units,
            condensed=Condensed(
                count=nothing.astype(np.int64),
                terms=pl.DataFrame(),
                n_rows=one.n_rows,
                scores=one.few,
                lowest=one.lowest,
            ),
            counts=table,
            of_class=self.rows,
            seen=self.seen,
        )

    def only(self, segment: int) -> HeldScores:
        first, last = self.starts[segment : segment + 2].tolist()
        parts = (first, last), (first, last), (first + segment, last + segment + 1)
        weight = OfScores(*(held[slice(*part)] for held, part in zip(self.weight, parts, strict=True)))
        starts, mine = np.array([0, last - first]), slice(segment, segment + 1)
        score, rows, seen = self.score[first:last], self.rows[mine], self.seen[mine]
        return HeldScores(self.held, 1, starts, score, self.precision, weight, rows, seen)

    def moves(self, metric: Any, one: OneNeed) -> OfScores:
        """How much a row in each place moves the value of its segment; one segment after the other."""
        each = [self.only(segment)._moves(metric, one) for segment in range(self.n_segments)]
        return OfScores(*map(np.concatenate, zip(*each, strict=True)))

    def _moves(self, metric: Any, one: OneNeed) -> OfScores:
        every = self.state(one)
        values = metric.measure(every)
        found = []
        for kind, weight in zip(OfScores._fields, self.weight, strict=True):
            moves = np.zeros(len(weight))
            there = np.flatnonzero(weight)
            label = self.held if kind == "own" else 1 - self.held
            for at in (there[low : low + _AT_ONCE] for low in range(0, len(there), _AT_ONCE)):
                score = self.gap_scores(at, np.zeros_like(at)) if kind == "between" else self.score[at]
                rows = Scored.of(np.full(len(at), label, np.uint8), score, precision=self.precision)
                moves[at] = np.nan_to_num(metric.moves_among(rows, every, values))
            found.append(moves)
        return OfScores(*found)

    def of_rows(self, values: OfScores, rows: Scored, number: Ints, order: Ints) -> Floats:
        """The value of each row of a part."""
        segment = None if rows.segment is None else number[rows.segment]
        at = last_not_above(self.score, self.starts, rows.score, segment, order)
        to = np.zeros(rows.n_rows, np.int64) if segment is None else segment
        below = at < 0
        gap = np.where(below, self.starts[to] - 1, at) + to + 1
        exact = ~below
        exact[exact] = self.score[at[exact]] == rows.score[exact]
        mine = rows.label == self.held
        if (mine & ~exact & (rows.weights > 0)).any():
            raise merging.totals_changed()
        at[below] = 0
        if not len(self.score):
            return values.between[gap]
        found = np.where(mine, values.own[at], values.tied[at])
        return np.where(exact, found, values.between[gap])


@dataclass(frozen=True, kw_only=True)
class CountedRows(Scored):
    """Counts at each score in place of rows; ``of_class`` has the rows of both classes by segment."""

    counts: ScoreTable
    of_class: Ints
    seen: Flags  # the segments that have rows, if only of weight 0

    @once
    def table(self) -> ScoreTable:
        return self.counts

    @once
    def rows(self) -> Ints:
        rows: Ints = self.of_class.sum(axis=1)
        return rows

    @once
    def positives(self) -> Floats:
        return self.counts.total_positives

    @once
    def negatives(self) -> Floats:
        return self.counts.total_negatives

    @once
    def pairs(self) -> Concordance:
        table, kind = self.counts, np.float64 if self.weighted else np.int64
        starts = np.searchsorted(table.owner, np.arange(self.n_segments + 1))
        twice = np.zeros(self.n_segments, kind)
        for segment in range(self.n_segments):  # one after the other: they are large
            mine = slice(*starts[segment : segment + 2])
            negatives = table.negatives[mine].astype(kind)
            below: NDArray[Any] = np.cumsum(negatives)
            below *= 2
            below -= negatives
            twice[segment] = (below * table.positives[mine].astype(kind)).sum()
        return Concordance(twice, self.positives.astype(kind), self.negatives.astype(kind))


@dataclass(eq=False)
class OneNeed:
    """What is known so far of the scores that equal needs read."""

    held: int
    may_turn: bool  # whether the other class may be held
    precision: Any
    few: Floats  # up to three distinct scores
    lowest: int = 0
    n_rows: int = 0
    weighted: bool = False
    units: Units | None = None  # their name alone
    pieces: list[tuple[_Scores, _Scores | None]] = field(default_factory=list)
    whole: HeldScores | None = None
    sliced: HeldScores | None = None
    of_class: Floats = field(default_factory=lambda: np.zeros(2))
    states: dict[bool, Scored] = field(default_factory=dict)
    moves: dict[tuple[str, bool], OfScores] = field(default_factory=dict)


@dataclass(eq=False)
class OrderTotals:
    """The order of all scores, from two passes over the parts: ``hold`` each, ``settle``, ``count`` each."""

    bits = None  # scores are whole
    slices: Slices | None = None
    tally: Tally = field(default_factory=Tally)
    entered: set[Need] = field(default_factory=set)  # those that the values of a large group were given for
    _needs: dict[Need, OneNeed] = field(default_factory=dict)
    _keys: list[pl.DataFrame | None] = field(default_factory=list)

    def hold(self, rows: Rows, asked: Sequence[tuple[str, Any, Need]]) -> None:
        """Keep the scores of the rarer class of a part; of the positives where a metric walks over them."""
        self._keys.append(None if rows.slices is None else rows.slices.keys)
        for need in dict.fromkeys(need for _, _, need in asked):
            state = rows.state(need)
            if not isinstance(state, Scored):
                continue
            if need not in self._needs:
                walks = any(metric.walks_positives for _, metric, of in asked if of == need)
                rare = int(walks or state.positives[0] <= state.negatives[0])
                self._needs[need] = OneNeed(
                    held=rare, may_turn=not walks, precision=state.precision, few=np.zeros(0)
                )
            one = self._needs[need]
            one.of_class += np.array([state.negatives[0], state.positives[0]])
            one.weighted |= state.weighted
            one.few = np.unique(np.append(one.few, distinct_scores(state)))[:DISTINCT]
            one.lowest += state.n_lowest
            one.n_rows += state.n_rows
            parts = rows.split(need, state)[1]
            sliced = None if parts is None else _of_class(parts, one.held)
            one.pieces.append((_of_class(state, one.held), sliced))

    @property
    def size(self) -> tuple[int, int]:
        """How many scores are held: of all rows by the need that has most, and in all."""
        whole = [sum(len(piece.score) for piece, _ in one.pieces) for one in self._needs.values()]
        pairs = (pair for one in self._needs.values() for pair in one.pieces)
        return max(whole, default=0), sum(len(piece.score) for pair in pairs for piece in pair if piece)

    @property
    def is_wrong(self) -> bool:
        """Whether the other class would have far fewer scores than the one that the first part chose."""
        kinds = [
            (one.of_class[one.held], one.of_class[1 - one.held])
            for one in self._needs.values()
            if one.may_turn
        ]
        return any(held > 2 * other for held, other in kinds)

    def turn(self) -> None:
        """Begin again, with the rarer class."""
        self._keys.clear()
        for need, one in self._needs.items():
            rarer = int(one.of_class[1] <= one.of_class[0]) if one.may_turn else one.held
            self._needs[need] = OneNeed(held=rarer, may_turn=False, precision=one.precision, few=one.few[:0])

    def settle(self) -> None:
        self.slices, codes = merged_slices(self._keys)
        for one in self._needs.values():
            pieces, of_slices = zip(*one.pieces, strict=True)
            zeros = [np.zeros(1, np.int64)] * len(pieces)
            one.whole = HeldScores.of(one, pieces, zeros, 1)
            if self.slices is not None and codes is not None:
                one.sliced = HeldScores.of(one, of_slices, codes, len(self.slices))
            one.pieces.clear()

    def name_units(self, rows: Rows) -> None:
        """Keep the name of the units, which are not read to count scores."""
        for need, one in self._needs.items():
            units = rows.state(need).units
            one.units = None if units is None else Units(n=0, column=units.column)

    def count(self, rows: Rows) -> None:
        self.tally = merged_tally([self.tally, rows.tally])
        for need, one in self._needs.items():
            state = rows.state(need)
            assert one.whole is not None
            one.whole.add(state, np.zeros(1, np.int64))
            if one.sliced is not None and rows.slices is not None:
                one.sliced.add(rows.split(need, state)[1], numbers_among(rows.slices, self.slices))

    def state(self, need: Need) -> Scored:
        return self._state(need, sliced=False)

    def split(self, need: Need, _state: Any) -> tuple[pl.DataFrame | None, Any]:
        if self.slices is None:
            return None, None
        return self.slices.labels, self._state(need, sliced=True)

    def has(self, metric: Any, need: Need) -> bool:
        """Whether the value of a metric comes from the order of scores."""
        return metric.by_order and need in self._needs

    def moves(
        self, label: str, metric: Any, need: Need, part: Scored, slices: Slices | None
    ) -> Floats | None:
        """How much each row of a part moves the value of all rows, or with ``slices`` that of its slice."""
        if not self.has(metric, need):
            return None
        one, key = self._needs[need], (label, slices is not None)
        counts = one.whole if slices is None else one.sliced
        assert counts is not None
        if key not in one.moves:
            one.moves[key] = counts.moves(metric, one)
        number = np.zeros(1, np.int64) if slices is None else numbers_among(slices, self.slices)
        order = part.made_once("by score", lambda: by_score(part.score))
        return counts.of_rows(one.moves[key], part, number, order)

    def _state(self, need: Need, *, sliced: bool) -> Scored:
        one = self._needs[need]
        one.moves.clear()  # all parts are reduced by now
        if sliced not in one.states:
            counts = one.sliced if sliced else one.whole
            assert counts is not None
            one.states[sliced] = counts.state(one)
            counts.weight = OfScores(*(part[:0] for part in counts.weight))  # the state has it now
        return one.states[sliced]


def _of_class(rows: Scored, label: int) -> _Scores:
    """The distinct scores of the rows of one class that have weight."""
    kept = np.flatnonzero((rows.label == label) & (rows.weights > 0))
    mine = Scored.of(
        rows.label[kept],
        rows.score[kept],
        segment=None if rows.segment is None else rows.segment[kept],
        n_segments=rows.n_segments,
    )
    starts = np.searchsorted(mine.table.owner, np.arange(rows.n_segments + 1))
    return _Scores(mine.table.score.astype(rows.score.dtype), starts)
