"""The units that are resampled as one, such as queries or users, and how much each moves a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import UNSTORED, Flags, Floats, Frozen, Ints, once
from steelyard.kernels.group import distinct
from steelyard.kernels.means import DrawCounts, drawn_sums, largest, ratio, segment_sum
from steelyard.text import Message, say

UNNAMED = "\0"  # begins the names of units that have none, before their place; no column's text begins so

_ROUNDED = 1e-12  # moves that add up to less come from rounding alone

_WHOLE = 1e-9  # a unit with more than all but this of a denominator holds it alone


@dataclass(frozen=True, kw_only=True, eq=False)
class Units(Frozen):
    """The unit of each row, or of each query, by number, and the names of the units.

    Without ``code`` every row, or every query, is a unit of its own; without ``names`` units are known by
    their place.
    """

    n: int
    code: Ints | None = None
    names: pl.Series | None = None
    unnamed: int = 0  # rows or queries without a name, each a unit of its own
    column: str | None = None  # that names them; None where queries, or rows, are the units
    buckets: bool = field(default=False, metadata=UNSTORED)  # whether each holds several units, by a hash

    def only(self, kept: Ints) -> Units:
        return replace(self, code=kept if self.code is None else self.code[kept])

    @property
    def are_rows(self) -> bool:
        return (self.code is None and self.names is None) or (self.buckets and self.column is None)

    @property
    def sentence(self) -> str:
        rows = self.buckets or (self.code is None and self.names is None)
        return self.column or ("rows" if rows else "queries")


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells(Frozen):
    """The parts of the units that lie in one segment each.

    ``code`` is the cell of each row, None where each row is one; ``owner`` the segment of each cell, None
    where there is one segment; ``unit`` the number of its unit, None where cells and units are the same.
    """

    n: int
    n_segments: int
    code: Ints | None
    owner: Ints | None
    unit: Ints | None

    @classmethod
    def of(cls, units: Units, segment: Ints | None, n_segments: int) -> Cells:
        if segment is None:
            return cls(n=units.n, n_segments=n_segments, code=units.code, owner=None, unit=None)
        if units.code is None:
            return cls(n=units.n, n_segments=n_segments, code=None, owner=segment, unit=None)
        code, owner, unit = crossed(segment, units.code, units.n)
        return cls(n=len(owner), n_segments=n_segments, code=code, owner=owner, unit=unit)

    def sums(self, values: Any) -> Floats:
        if self.code is None:
            return np.asarray(values, np.float64)
        return segment_sum(values, self.code, self.n)

    def totals(self, values: Floats) -> Floats:
        if self.owner is None:
            return np.array([values.sum()])
        return segment_sum(values, self.owner, self.n_segments)

    def spread(self, values: Floats) -> Floats:  # for each cell
        return values if self.owner is None else values[self.owner]


def crossed(segment: Ints, code: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Each pair of a segment and a code that occurs, numbered: of each row, then both of each number."""
    pair = segment * n
    pair += code
    pairs, pair = distinct(pair)
    return pair, pairs // n, pairs % n


class Sampled:
    """What a state of rows or queries knows of its units; by default each row or query is one."""

    if TYPE_CHECKING:
        units: Units | None
        segment: Ints | None
        n_segments: int

        @property
        def size(self) -> int:
            """How many rows or queries there are."""

        @property
        def weights(self) -> Floats:
            """How much each row or query counts."""

    @once
    def drawn(self) -> Units:
        """The units that were named; else every row, or every query, is one."""
        return self.units or Units(n=self.size, names=getattr(self, "queries", None))

    @property
    def cells(self) -> Cells:
        return Cells.of(self.drawn, self.segment, self.n_segments)

    @property
    def cell_weight(self) -> Floats:
        return self.cells.sums(self.weights)


@dataclass(frozen=True, kw_only=True, eq=False)
class OfQueries(Sampled, Frozen):
    """What a state of queries knows of them besides its lists."""

    queries: pl.Series
    weight: Floats | None = None  # of each query, where they do not count alike
    segment: Ints | None = None  # the slice of each query, None where all are one
    n_segments: int = 1
    units: Units | None = None  # what queries belong together when chance is weighed

    @property
    def n_queries(self) -> int:
        return len(self.queries)

    size = n_queries  # as every state has it

    @property
    def segments(self) -> Ints:
        return np.zeros(self.n_queries, np.int64) if self.segment is None else self.segment

    @property
    def counts(self) -> Flags:  # not those of weight 0
        return np.ones(self.n_queries, bool) if self.weight is None else self.weight > 0

    @property
    def weights(self) -> Floats:
        return np.ones(self.n_queries) if self.weight is None else self.weight


class Moves:
    """How much each cell moves each denominator of a value, and the share of the cell in it."""

    if TYPE_CHECKING:
        moves: Floats
        share: Floats

    @property
    def stretched(self) -> Floats:
        """All parts added up, each as if its unit had not helped to make the value it is compared with."""
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(self.moves == 0, 0.0, self.moves / np.sqrt(1.0 - self.share))
            stretched: Floats = parts.sum(axis=0)
        return stretched


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnSums(Frozen):
    """Cells in the ``order`` of their segments, with the unit and the segment of each in that order."""

    order: Ints
    unit: Ints
    owner: Ints
    n: int

    @classmethod
    def of(cls, cells: Cells) -> DrawnSums:
        owner = np.zeros(cells.n, np.int64) if cells.owner is None else cells.owner
        order = np.argsort(owner, kind="stable")
        unit = order if cells.unit is None else cells.unit[order]
        return cls(order=order, unit=unit, owner=owner[order], n=cells.n_segments)

    def sums(self, draw_counts: DrawCounts, values: Floats) -> Floats:  # a row per segment, a column per draw
        return drawn_sums(draw_counts, self.unit, self.owner, self.n, values[self.order])


@dataclass(frozen=True, kw_only=True, eq=False)
class Influence(Moves, Frozen):
    """The derivative of each value by the weight of each unit, and the share of the unit in its denominator.

    ``moves`` and ``share`` have a row for each denominator of the metric and a column for each cell: a unit,
    or the part of it that lies in a segment. The moves of all units add up to 0. ``owner`` is the place of
    the value that a cell belongs to, None where there is one value, and ``unit`` the number of the unit, None
    where cells are units. ``each`` is what the metric would be for the unit alone, where that is known, and
    ``weight`` that of its rows or queries. ``rarest`` is the effective number of units of the rarest class,
    for metrics that depend on it; with fewer than ``least`` of them there is no interval. ``added`` is the
    variance of classes whose units are all equal, which their moves do not show.
    """

    moves: Floats
    share: Floats
    n_values: int = 1
    owner: Ints | None = None
    unit: Ints | None = None
    each: Floats | None = None
    weight: Floats | None = None
    names: pl.Series | None = None  # of the units, by their numbers; None where they are known by their place
    rarest: Floats | None = None
    least: int = 0
    added: Floats | None = None

    @classmethod
    def of_ratio(cls, cells: Cells, over: Floats, under: Floats, value: Floats) -> Influence:
        """That of a ratio of sums, from what the rows of each cell add to both sides."""
        total = cells.totals(under)
        if cells.owner is not None:
            total, value = total[cells.owner], value[cells.owner]
        return cls(
            moves=ratio(over - value * under, total)[None],
            share=ratio(under, total)[None],
            n_values=cells.n_segments,
            owner=cells.owner,
            unit=cells.unit,
            each=ratio(over, under),
        )

    @classmethod
    def of_cells(
        cls,
        cells: Cells,
        moves: tuple[Floats, ...],
        share: tuple[Floats, ...],
    ) -> Influence:  # one array for each denominator
        return cls(
            moves=np.stack(moves),
            share=np.stack(share),
            n_values=cells.n_segments,
            owner=cells.owner,
            unit=cells.unit,
        )

    @property
    def size(self) -> int:
        return len(self.share[0])

    @property
    def total(self) -> Floats:
        moves: Floats = self.moves.sum(axis=0)
        return moves

    @property
    def variance(self) -> Floats:  # NaN where one unit holds a whole denominator
        alone = self.per_value(np.any(self.share > 1 - _WHOLE, axis=0)) > 0
        with np.errstate(over="ignore"):
            squares = self.per_value(self.stretched**2) + (0.0 if self.added is None else self.added)
        return np.where(alone | (self.effective < 1 + _WHOLE), np.nan, squares)

    @property
    def error(self) -> Floats:  # standard errors
        stretched = self.stretched
        unknown = ~np.isfinite(stretched)
        root = np.sqrt(self.per_value(np.where(unknown, 0.0, stretched) ** 2))
        if self.added is not None:
            root = np.hypot(root, np.sqrt(self.added))
        unknown |= np.any(self.share > 1 - _WHOLE, axis=0)
        return np.where((self.per_value(unknown) > 0) | (self.effective < 1 + _WHOLE), np.nan, root)

    @once
    def effective(self) -> Floats:  # Kish's number of units, by the denominator that has fewest
        found: Floats = self.of_parts.min(axis=0)
        return found

    @property
    def of_parts(self) -> Floats:  # a row for each denominator
        with np.errstate(divide="ignore"):
            found = 1.0 / np.stack([self.per_value(part * part) for part in self.share])
        return np.where(np.isfinite(found), found, 0.0)

    @property
    def carriers(self) -> Floats:
        """How many units the variance of each value comes from: (Σd²)² / Σd⁴ of their moves."""
        known = np.nan_to_num(self.stretched)
        size = np.frexp(largest(known, self.owner, self.n_values))[1]  # fourth powers of some are no numbers
        squares = np.ldexp(known, -(size if self.owner is None else size[self.owner])) ** 2
        found = ratio(self.per_value(squares) ** 2, self.per_value(squares**2))
        if self.added is not None:  # rounding is no spread there
            found = np.where(self.per_value(self.stretched**2) <= _ROUNDED * self.added, np.inf, found)
        return np.where(np.isnan(found), np.inf, found)

    @property
    def scarce(self) -> Flags:  # too few units of a class for an interval
        if self.rarest is None:
            return np.zeros(self.n_values, bool)
        found: Flags = self.rarest < self.least - 1e-6
        return found

    @property
    def equal(self) -> Flags:  # a row for each denominator
        found: Flags = np.stack([self.per_value(np.abs(part)) for part in self.moves]) <= _ROUNDED
        return found

    @property
    def units(self) -> Ints:  # that each value rests on
        counts = (np.nan_to_num(self.share) != 0) | (np.nan_to_num(self.moves) != 0)
        return self.per_value(np.any(counts, axis=0)).astype(np.int64)

    def redrawn(self, value: Floats, draw_counts: DrawCounts) -> Floats:
        """Ratios of sums with each unit counted as it was drawn: a row per value, a column per draw."""
        cells = Cells(
            n=self.share.shape[1], n_segments=self.n_values, code=None, owner=self.owner, unit=self.unit
        )
        share, sums = np.nan_to_num(self.share[0]), DrawnSums.of(cells)
        # not by the value of the unit alone: it may add to what is divided and not to what divides
        with np.errstate(invalid="ignore"):
            over = np.nan_to_num(self.moves[0] + cells.spread(value) * share)
        return ratio(sums.sums(draw_counts, over), sums.sums(draw_counts, share))

    def per_value(self, cells: Floats | np.ndarray) -> Floats:
        if self.owner is None:
            return np.array([float(np.sum(cells))])
        return np.bincount(self.owner, cells, minlength=self.n_values).astype(np.float64, copy=False)


T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class Condensed(Frozen):
    """What entries hold that stand for several rows each: how many, and the mean of each term over them.

    ``scores`` are up to three distinct scores of all rows, the lowest; ``lowest`` rows have a score of -inf.
    """

    count: Ints  # rows of weight 0 apart
    terms: pl.DataFrame
    n_rows: int
    scores: Floats
    lowest: int


@dataclass(frozen=True, kw_only=True)
class Segmented(Sampled, Frozen):
    """Rows with an optional weight each; ``segment`` is the slice of each row, None where all are one."""

    n_rows: int
    weight: Floats | None = None
    segment: Ints | None = None
    n_segments: int = 1
    units: Units | None = None  # what rows belong together when chance is weighed
    # of entries that stand for several rows each: what sums need of these
    condensed: Condensed | None = field(default=None, compare=False, metadata=UNSTORED)
    # what several metrics need of the same rows; never copied along to other rows
    shared: dict[Any, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False, metadata=UNSTORED
    )

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self) if one.init} | {"shared": {}}

    def made_once(self, key: object, make: Callable[[], T]) -> T:
        if key not in self.shared:
            self.shared[key] = make()
        return cast("T", self.shared[key])

    def of_rows(self, kept: Ints | None = None) -> dict[str, Any]:
        """What a state of the same rows, or of some of them, has of them beside their values."""
        weight, segment, units = self.weight, self.segment, self.units
        if kept is not None:
            weight = None if weight is None else weight[kept]
            segment = None if segment is None else segment[kept]
            units = self.drawn.only(kept)
        known = {"weight": weight, "segment": segment, "n_segments": self.n_segments, "units": units}
        return known | {"condensed": self.condensed} if kept is None else known

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @property
    def sliced(self) -> bool:
        return self.segment is not None

    @property
    def segments(self) -> Ints:  # zeros where all rows are one
        return np.zeros(self.n_rows, np.int64) if self.segment is None else self.segment

    @once
    def cells(self) -> Cells:
        return super().cells

    @once
    def weights(self) -> Floats:
        return np.broadcast_to(1.0, self.n_rows) if self.weight is None else self.weight

    def weighed(self, values: NDArray[Any] | None = None) -> NDArray[Any]:
        if values is None:
            return self.weights
        if self.weight is None:
            return values.astype(np.float64, copy=False)
        # a row of weight 0 is no row, even where its value is infinite
        return np.where(self.weight > 0, values, 0.0) * self.weights

    def total(self, values: NDArray[Any] | None = None) -> Floats:  # in each segment
        weighted = self.weighed(values)
        if self.segment is None:
            return np.array([weighted.sum()])
        return segment_sum(weighted, self.segment, self.n_segments)

    def per_cell(self, values: NDArray[Any]) -> Floats:
        return self.cells.sums(values if self.weight is None else self.weighed(values))

    @once
    def cell_weight(self) -> Floats:
        return self.cells.sums(self.weights)

    def facts(self) -> list[Message]:
        return []

    def sizes(self) -> Message:
        return say("rows {rows:,}", key="rated_facts", rows=int(self.rows[0]))

    @property
    def size(self) -> int:
        return self.n_rows

    @once
    def rows(self) -> Ints:  # those of weight 0 apart
        if self.condensed is None:
            return segment_sum(self.weights > 0, self.segments, self.n_segments).astype(np.int64)
        return self.rows_of(np.ones(self.n_rows, bool))

    def rows_of(self, those: Flags) -> Ints:
        """How many of some rows each segment has, those of weight 0 apart."""
        counted = those if self.weight is None else those & (self.weights > 0)
        values = counted if self.condensed is None else counted * self.condensed.count
        return segment_sum(values, self.segments, self.n_segments).astype(np.int64)
