"""How much each unit moves a value: what intervals and paired tests are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Frozen, Ints
from steelyard.engine.drawn_sums import DrawnSums
from steelyard.engine.units import Cells
from steelyard.kernels.drawn_sums import Often
from steelyard.kernels.means import ratio, scaled, times_power

_ROUNDED = 1e-12  # moves that add up to less come from rounding alone
_WHOLE = 1e-9  # a unit with more than all but this of a denominator holds it alone


@dataclass(frozen=True, kw_only=True, eq=False)
class Influence(Frozen):
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
        total = cells.spread(cells.totals(under))
        moves = ratio(over - cells.spread(value) * under, total)
        return cls.of_cells(cells, (moves,), (ratio(under, total),), each=ratio(over, under))

    @classmethod
    def of_cells(
        cls,
        cells: Cells,
        moves: tuple[Floats, ...],
        share: tuple[Floats, ...],
        each: Floats | None = None,
    ) -> Influence:
        """That of cells, one array for each denominator."""
        return cls(
            moves=np.stack(moves),
            share=np.stack(share),
            n_values=cells.n_segments,
            owner=cells.owner,
            unit=cells.unit,
            each=each,
        )

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.share[0])

    @property
    def total(self) -> Floats:
        """How much each cell moves its value, all denominators together."""
        moves: Floats = self.moves.sum(axis=0)
        return moves

    @property
    def stretched(self) -> Floats:
        """The same, each part as if its unit had not helped to make the value it is compared with."""
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(self.moves == 0, 0.0, self.moves / np.sqrt(1.0 - self.share))
            stretched: Floats = parts.sum(axis=0)
        return stretched

    @property
    def variance(self) -> Floats:
        """The variance of each value; NaN where one unit holds a whole denominator."""
        alone = self.per_value(np.any(self.share > 1 - _WHOLE, axis=0)) > 0
        with np.errstate(over="ignore"):
            squares = self.per_value(self.stretched**2) + (0.0 if self.added is None else self.added)
        return np.where(alone | (self.effective < 1 + _WHOLE), np.nan, squares)

    @property
    def error(self) -> Floats:
        """The standard error of each value: the root of its variance, whatever the size of the values."""
        stretched = self.stretched
        known, exponent = scaled(np.where(np.isfinite(stretched), stretched, 0.0), self.owner, self.n_values)
        root = times_power(np.sqrt(self.per_value(known**2)), exponent)
        if self.added is not None:
            root = np.hypot(root, np.sqrt(self.added))
        unknown = self.per_value(~np.isfinite(stretched)) > 0
        return np.where(unknown | np.isnan(self.variance), np.nan, root)

    @property
    def effective(self) -> Floats:
        """Kish's effective number of units of each value, by the denominator that has fewest."""
        found: Floats = self.of_parts.min(axis=0)
        return found

    @property
    def of_parts(self) -> Floats:
        """The effective number of units of each denominator, a row for each of them."""
        with np.errstate(divide="ignore"):
            found = 1.0 / np.stack([self.per_value(part * part) for part in self.share])
        return np.where(np.isfinite(found), found, 0.0)

    @property
    def carriers(self) -> Floats:
        """How many units the variance of each value comes from: (Σd²)² / Σd⁴ of their moves."""
        known, _ = scaled(np.nan_to_num(self.stretched), self.owner, self.n_values)
        squares = known**2
        found = ratio(self.per_value(squares) ** 2, self.per_value(squares**2))
        if self.added is not None:  # rounding is no spread there
            found = np.where(self.per_value(self.stretched**2) <= _ROUNDED * self.added, np.inf, found)
        return np.where(np.isnan(found), np.inf, found)

    @property
    def scarce(self) -> Flags:
        """Which values have a class with too few units for an interval."""
        if self.rarest is None:
            return np.zeros(self.n_values, bool)
        found: Flags = self.rarest < self.least - 1e-6
        return found

    @property
    def equal(self) -> Flags:
        """Which rates have equal units, a row for each denominator: no unit moves them."""
        found: Flags = np.stack([self.per_value(np.abs(part)) for part in self.moves]) <= _ROUNDED
        return found

    @property
    def units(self) -> Ints:
        """How many units each value rests on."""
        counts = (np.nan_to_num(self.share) != 0) | (np.nan_to_num(self.moves) != 0)
        return self.per_value(np.any(counts, axis=0)).astype(np.int64)

    def redrawn(self, value: Floats, often: Often) -> Floats:
        """Ratios of sums with units as often as they were drawn: a row per value, a column per draw."""
        cells = Cells(
            n=self.share.shape[1], n_segments=self.n_values, code=None, owner=self.owner, unit=self.unit
        )
        share, sums = np.nan_to_num(self.share[0]), DrawnSums.of(cells)
        # not by the value of the unit alone: it may add to what is divided and not to what divides
        with np.errstate(invalid="ignore"):
            over = np.nan_to_num(self.moves[0] + cells.spread(value) * share)
        return ratio(sums.sums(often, over), sums.sums(often, share))

    def per_value(self, cells: Floats | np.ndarray) -> Floats:
        """Values of cells, added up by the value they belong to."""
        if self.owner is None:
            return np.array([float(np.sum(cells))])
        return np.bincount(self.owner, cells, minlength=self.n_values).astype(np.float64, copy=False)
