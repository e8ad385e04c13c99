"""Two systems on the units that both have: what each unit adds to the difference between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Frozen, Ints
from steelyard.engine.influence import Influence, Moves
from steelyard.kernels.means import ratio, segment_sum
from steelyard.metrics.base import Direction, gained
from steelyard.stats.testing import GRID, differences, largest, sizes, without_dust

_MOST_CELLS = 1 << 23  # of units and classes, above which only those are kept that count
_ALONE = 1e-9  # of a denominator: what others must hold of it


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitSide:
    """The values of one system, and how much each unit moves them."""

    value: Floats
    influence: Influence

    @property
    def from_1(self) -> UnitSide:
        """The same as distances from 1, of values for which that is the best."""
        sign = np.where(self.value < 1 - GRID, -1.0, 1.0)
        one = self.influence
        of_cell = sign[0] if one.owner is None else sign[one.owner]
        each = None if one.each is None else of_cell * (one.each - 1)
        return UnitSide(
            value=sign * (self.value - 1), influence=replace(one, moves=of_cell * one.moves, each=each)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Paired(Frozen):
    """Some values of a system and of its baseline, on the units that both have.

    There is a cell for each unit of each value: ``owner`` is the value it belongs to, ``unit`` the number of
    the unit in the baseline, ``adds`` what it adds to the difference. For means and other ratios, ``each``
    and ``its`` are the system's and the baseline's values of the unit alone.
    """

    value: Floats
    against: Floats
    owner: Ints
    unit: Ints
    adds: Floats
    share: Floats  # of the unit in the value
    variance: Floats  # of each difference; NaN where one unit holds a whole denominator, or a class is scarce
    scarce: Flags  # whether a class has too few units for a variance
    effective: Floats  # Kish's effective number of units, the fewest of all denominators
    n: Ints  # the units that both have
    left_out: Ints  # those that only one has
    means: bool  # whether values are means over units with the same share in both systems
    counts: Flags  # whether the unit counts in one of the two values, and not by its rows alone
    each: Floats | None = None
    its: Floats | None = None
    names: pl.Series | None = None  # of the units; None if places stand for them
    distances: Paired | None = None  # from 1, if that is the best value
    welch: Floats | None = None  # degrees of freedom of independent samples, whose units are not paired

    @property
    def difference(self) -> Floats:
        """The system's value minus the baseline's; 0 if no unit differs."""
        moved = segment_sum(self.adds != 0, self.owner, len(self.value)) > 0
        with np.errstate(invalid="ignore"):
            gap = without_dust(self.value - self.against, sizes(self.value, self.against))
        return np.where(moved | (self.n == 0), gap, 0.0)

    @property
    def freedom(self) -> Floats:
        """The degrees of freedom of Student's t; those of Welch for independent samples."""
        return np.maximum(self.effective - 1, 1.0) if self.welch is None else self.welch

    def gain(self, way: Direction) -> Floats:
        """How much better the system is for each unit: by the unit's two values, else by what it adds."""
        added = -self.adds if way == "lower" else self.adds
        if way == "nearest_1" and self.distances is not None:
            added = -self.distances.adds
        added = np.where(self.counts & (self.adds != 0), added, 0.0)
        if self.each is None or self.its is None:
            return added
        known: Direction = "higher" if way == "none" else way
        with np.errstate(invalid="ignore"):
            own = without_dust(gained(self.each, self.its, known), largest(self.each, self.its))
        own = np.where(self.each == self.its, 0.0, own)  # infinite ones too
        return np.where(np.isnan(own), added, own)

    def by_value(self) -> Iterator[tuple[int, Ints]]:
        if len(self.value) == 1:
            if len(self.owner):
                yield 0, np.arange(len(self.owner))
            return
        order = np.argsort(self.owner, kind="stable")
        ends = np.cumsum(np.bincount(self.owner, minlength=len(self.value)))
        for value, cells in enumerate(np.split(order, ends[:-1])):
            if len(cells):
                yield value, cells

    def apart(self, cells: Ints) -> Floats:
        """The differences of some units: of the units' values, or of what each adds.

        What a unit adds is scaled to values of about 1, so that rounding errors stay below 1e-12.
        """
        share = self.share[cells]
        if not self.means or np.ptp(share) > _ALONE * share.max():
            return self.adds[cells] * len(cells) / sizes(self.value, self.against)[self.owner[cells]]
        assert self.each is not None
        assert self.its is not None
        return differences(self.its[cells], self.each[cells])

    @property
    def hits(self) -> Flags:
        """Which values are shares of hits: units are 0 or 1 in both systems and have equal shares."""
        n = len(self.value)
        if self.each is None or self.its is None:
            return np.zeros(n, bool)
        share = 1.0 / self.n[self.owner]
        with np.errstate(invalid="ignore"):
            apart = self.each - self.its
            fits = (np.abs(self.share - share) <= _ALONE * share) & (
                np.abs(self.adds - apart * share) <= _ALONE * share
            )
        fits &= np.isin(self.each, (0.0, 1.0)) & np.isin(self.its, (0.0, 1.0))
        return np.asarray(segment_sum(~fits, self.owner, n) == 0)

    @property
    def ahead(self) -> Ints:
        """The units of each value where only the system has a hit."""
        return segment_sum(self.adds > 0, self.owner, len(self.value)).astype(np.int64)

    @property
    def behind(self) -> Ints:
        """The units of each value where only the baseline has a hit."""
        return segment_sum(self.adds < 0, self.owner, len(self.value)).astype(np.int64)


def with_every_unit(influence: Influence | None) -> Influence | None:
    """The influence with a cell for each unit of each value, also for units that do not count there."""
    if influence is None or influence.weight is None or influence.unit is None or influence.owner is None:
        return influence
    n_values, n_units = influence.n_values, 1 + int(influence.unit.max(initial=-1))
    n = n_values * n_units
    if not influence.size < n <= _MOST_CELLS:
        return influence
    place = influence.owner * n_units + influence.unit
    weight = np.zeros(n_units)
    weight[influence.unit] = influence.weight
    cells = _Cells(moves=influence.moves, share=influence.share, each=influence.each, weight=None)
    wide = cells.placed(place, n)
    return replace(
        influence,
        moves=wide.moves,
        share=wide.share,
        each=wide.each,
        weight=np.tile(weight, n_values),
        owner=np.repeat(np.arange(n_values), n_units),
        unit=np.tile(np.arange(n_units), n_values),
    )


class UnlikeUnitsError(ValueError):
    """A value needs units that only one of two systems has."""


def paired(system: UnitSide, baseline: UnitSide, *, means: bool) -> Paired:
    """What each unit adds to the difference of two systems, value by value.

    ``means`` says that the values are means over units, which use the units with a value in both. Other
    ratios use the units that both know; other metrics need the same units in both.

    >>> from steelyard.engine.influence import Cells
    >>> cells = Cells(n=2, n_segments=1, code=None, owner=None, unit=None)
    >>> one, other = (
    ...     UnitSide(value=np.array([x.mean()]), influence=Influence.of_ratio(cells, x, np.ones(2), x.mean()))
    ...     for x in (np.array([0.5, 1.0]), np.array([0.5, 0.25]))
    ... )
    >>> found = paired(one, other, means=True)
    >>> found.adds, found.difference, found.n
    (array([0.   , 0.375]), array([0.375]), array([2]))
    """
    n = len(system.value)
    mine, its, owner, unit, lost = _together(system, baseline)
    either: Flags = mine.there | its.there
    kept = (
        mine.there & its.there
        if means
        else either | (_with_rows(mine, its) & ~_alike(mine, its, owner, n)[owner])
    )
    left_out = lost + segment_sum(either & ~kept, owner, n)
    mine, its, owner, unit = mine.only(kept), its.only(kept), owner[kept], unit[kept]
    value, against = system.value, baseline.value
    if left_out.any():
        if mine.each is None or its.each is None:
            raise UnlikeUnitsError
        fewer = left_out > 0
        mine, value = mine.anew(value, owner, fewer)
        its, against = its.anew(against, owner, fewer)
    count = segment_sum(np.ones(len(owner)), owner, n).astype(np.int64)
    alike = _alike(mine, its, owner, n)
    size = sizes(value, against) / np.maximum(count, 1)
    variance, scarce = _enough(_variance(mine, its, owner, size), system, baseline)
    if mine.weight is not None and its.weight is not None:
        weight = np.maximum(mine.weight, its.weight)  # a cell of one system has weight 0 in the other
        of_rows = ratio(weight, segment_sum(weight, owner, n)[owner])
    else:
        of_rows = (mine.share.mean(axis=0) + its.share.mean(axis=0)) / 2
    share = np.where(alike[owner], mine.share.mean(axis=0), of_rows)
    if means and alike.all():
        assert mine.each is not None
        assert its.each is not None
        adds = share * without_dust(mine.each - its.each, largest(mine.each, its.each))
    else:
        with np.errstate(invalid="ignore"):
            adds = mine.moves.sum(axis=0) - its.moves.sum(axis=0) + (value - against)[owner] * share
        adds = without_dust(adds, size[owner])
    return Paired(
        value=value,
        against=against,
        owner=owner,
        unit=unit,
        adds=adds,
        share=share,
        variance=variance,
        scarce=scarce,
        effective=np.minimum(mine.effective(owner, n), its.effective(owner, n)),
        n=count,
        left_out=left_out.astype(np.int64),
        means=means and bool(alike.all()),
        each=mine.each,
        its=its.each,
        counts=either[kept],
        names=baseline.influence.names,
    )


def unpaired(system: UnitSide, baseline: UnitSide) -> Paired:
    """Two independent samples: the units of both, with Welch's degrees of freedom.

    >>> from steelyard.engine.influence import Cells
    >>> cells = Cells(n=2, n_segments=1, code=None, owner=None, unit=None)
    >>> one, other = (
    ...     UnitSide(value=np.array([x.mean()]), influence=Influence.of_ratio(cells, x, np.ones(2), x.mean()))
    ...     for x in (np.array([0.5, 1.0]), np.array([0.25, 0.75]))
    ... )
    >>> found = unpaired(one, other)  # each mean of two has the variance 0.5² / 4
    >>> found.difference, found.variance, found.freedom, found.n
    (array([0.25]), array([0.125]), array([2.]), array([4]))
    """
    n = len(system.value)
    (mine, owner), (its, its_owner) = (_Cells.of(side).counting(side) for side in (system, baseline))
    adds = mine.moves.sum(axis=0) + system.value[owner] * mine.share.mean(axis=0)
    its_adds = its.moves.sum(axis=0) + baseline.value[its_owner] * its.share.mean(axis=0)
    samples = system.influence, baseline.influence
    variances, effective = [one.variance for one in samples], [one.effective for one in samples]
    both = variances[0] + variances[1]
    fewer = np.minimum(*effective)
    spread = sum(ratio(one**2, many - 1) for one, many in zip(variances, effective, strict=True))
    welch = ratio(both**2, np.asarray(spread))
    every = np.concatenate([owner, its_owner])
    variance, scarce = _enough(both, system, baseline)
    return Paired(
        value=system.value,
        against=baseline.value,
        owner=every,
        unit=np.arange(len(every)),
        adds=np.concatenate([adds, -its_adds]),
        share=np.concatenate([mine.share.mean(axis=0), its.share.mean(axis=0)]),
        variance=variance,
        scarce=scarce,
        effective=fewer,
        n=segment_sum(np.ones(len(every)), every, n).astype(np.int64),
        left_out=np.zeros(n, np.int64),
        means=False,
        counts=np.ones(len(every), bool),
        welch=np.where(both > 0, welch, np.maximum(fewer - 1, 1.0)),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Cells(Moves):
    """One side, cell by cell: how much each moves its value, and its share in each denominator.

    ``each`` is the value of the cell alone if the whole is a ratio of sums, ``weight`` that of its rows.
    """

    moves: Floats
    share: Floats
    each: Floats | None
    weight: Floats | None

    @classmethod
    def of(cls, side: UnitSide) -> _Cells:
        influence = side.influence
        moves, share, each = influence.moves, influence.share, influence.each
        if each is not None:  # only a ratio of sums has values of cells alone
            whole = side.value if influence.owner is None else side.value[influence.owner]
            with np.errstate(invalid="ignore"):
                off = np.where(share[0] > 0, moves[0] - (each - whole) * share[0], 0.0)
            if len(share) > 1 or np.any(np.abs(off) > _ALONE * np.abs(moves[0]).max(initial=0.0)):
                each = None
        return cls(moves=moves, share=share, each=each, weight=influence.weight)

    @property
    def there(self) -> Flags:
        moving = (np.nan_to_num(self.share) != 0) | (np.nan_to_num(self.moves) != 0)
        return np.asarray(np.any(moving, axis=0))

    def counting(self, side: UnitSide) -> tuple[_Cells, Ints]:
        owner, _ = _places(side.influence)
        return self.only(self.there), owner[self.there]

    def only(self, kept: Flags) -> _Cells:
        return self._each(lambda column: column[..., kept])

    def placed(self, place: Ints, n: int) -> _Cells:
        def spread(column: Floats) -> Floats:
            wide = np.zeros((*column.shape[:-1], n))
            wide[..., place] = column
            return wide

        cells = self._each(spread)
        if cells.each is None:
            return cells
        absent = np.ones(n, bool)
        absent[place] = False
        return replace(cells, each=np.where(absent, np.nan, cells.each))

    def _each(self, change: Callable[[Floats], Floats]) -> _Cells:
        return _Cells(
            moves=change(self.moves),
            share=change(self.share),
            each=None if self.each is None else change(self.each),
            weight=None if self.weight is None else change(self.weight),
        )

    def anew(self, value: Floats, owner: Ints, fewer: Flags) -> tuple[_Cells, Floats]:
        """The cells and their values, measured again where there are ``fewer`` cells."""
        assert self.each is not None
        moves, share = self.moves[0], self.share[0]
        over = np.where(share > 0, share * self.each, moves)
        under = segment_sum(share, owner, len(value))
        value = np.where(fewer, ratio(segment_sum(over, owner, len(value)), under), value)
        under = under[owner]
        again = ratio(over, under) - value[owner] * ratio(share, under)
        moves = np.where(fewer[owner], again, moves)
        share = np.where(fewer[owner], ratio(share, under), share)
        return _Cells(moves=moves[None], share=share[None], each=self.each, weight=self.weight), value

    def effective(self, owner: Ints, n: int) -> Floats:
        with np.errstate(divide="ignore"):
            kish = np.min([1.0 / segment_sum(part * part, owner, n) for part in self.share], axis=0)
        return np.where(np.isfinite(kish), kish, 0.0)


def _together(system: UnitSide, baseline: UnitSide) -> tuple[_Cells, _Cells, Ints, Ints, Floats]:
    """The cells of both on shared units, their values and units, and how many units only one has."""
    one, other, n_values = system.influence, baseline.influence, len(system.value)
    mine, its = _Cells.of(system), _Cells.of(baseline)
    (owner, unit), (its_owner, its_unit) = _places(one), _places(other)
    number = _numbers(one.names, other.names)
    if number is None and np.array_equal(owner, its_owner) and np.array_equal(unit, its_unit):
        return mine, its, owner, unit, np.zeros(n_values)
    known = np.ones(len(its_unit), bool)
    if number is not None:
        unit = number[unit]
        known = np.isin(its_unit, number)
    found = unit >= 0
    lost = segment_sum(mine.there & ~found, owner, n_values)
    lost = lost + segment_sum(its.there & ~known, its_owner, n_values)
    width = 1 + max(int(unit.max(initial=0)), int(its_unit.max(initial=0)))
    pair, its_pair = owner[found] * width + unit[found], its_owner[known] * width + its_unit[known]
    every = np.union1d(pair, its_pair)
    mine = mine.only(found).placed(np.searchsorted(every, pair), len(every))
    its = its.only(known).placed(np.searchsorted(every, its_pair), len(every))
    return mine, its, every // width, every % width, lost


def _places(influence: Influence) -> tuple[Ints, Ints]:
    n = influence.share.shape[1]
    owner = np.zeros(n, np.int64) if influence.owner is None else influence.owner
    return owner, np.arange(n) if influence.unit is None else influence.unit


def _numbers(mine: pl.Series | None, its: pl.Series | None) -> Ints | None:
    """The number of each of my units among the others, -1 for none; None if the names are the same."""
    if mine is None or its is None or mine.equals(its):
        return None
    if mine.dtype != its.dtype:
        mine, its = mine.cast(pl.String), its.cast(pl.String)
    numbered = pl.DataFrame({"name": its}).with_row_index("number")
    numbers = mine.alias("name").to_frame().join(numbered, on="name", how="left", maintain_order="left")
    return numbers["number"].cast(pl.Int64).fill_null(-1).to_numpy()


def _alike(mine: _Cells, its: _Cells, owner: Ints, n: int) -> Flags:
    """Which values have the same shares in both systems."""
    close = np.isclose(mine.share, its.share, rtol=1e-9, atol=0, equal_nan=True)
    return np.asarray(segment_sum(np.any(~close, axis=0), owner, n) == 0)


def _with_rows(mine: _Cells, its: _Cells) -> Flags:
    if mine.weight is None or its.weight is None:
        return np.zeros(mine.share.shape[1], bool)
    return np.asarray(np.maximum(mine.weight, its.weight) > 0)


def _variance(mine: _Cells, its: _Cells, owner: Ints, size: Floats) -> Floats:
    n = len(size)
    with np.errstate(invalid="ignore"):
        apart = without_dust(mine.stretched - its.stretched, size[owner])
    variance = segment_sum(apart**2, owner, n)
    alone = np.zeros(n)
    for side in (mine, its):
        alone += segment_sum(np.any(side.share > 1 - _ALONE, axis=0), owner, n)
    few = np.minimum(mine.effective(owner, n), its.effective(owner, n)) < 1 + _ALONE
    return np.where((alone > 0) | few, np.nan, variance)


def _enough(variance: Floats, system: UnitSide, baseline: UnitSide) -> tuple[Floats, Flags]:
    """The variances, NaN for values that have a class with too few units, and which these are."""
    scarce = (system.influence.scarce | baseline.influence.scarce) & np.isfinite(variance)
    return np.where(scarce, np.nan, variance), scarce
