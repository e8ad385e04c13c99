"""Every difference of a comparison, tested: each pair of systems, each metric, the whole and each slice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import Cells, Influence
from steelyard.engine.slices import CLASS_COLUMNS
from steelyard.kernels.means import ratio
from steelyard.metrics import Metric
from steelyard.read.table import exactly
from steelyard.stats.measured import Measured
from steelyard.stats.pairing import Paired, UnitSide, UnlikeUnitsError, paired, unpaired, with_every_unit
from steelyard.stats.testing import MOST_FLIPPED, Procedure
from steelyard.text import in_quotes
from steelyard.text.errors import comparing

Pair = tuple[str, str]  # a system, and the one it is compared with


@dataclass(frozen=True, kw_only=True, eq=False)
class Contrast:
    """One metric of a system against a baseline: the whole, or all slices that both have.

    ``keys`` say what each value stands for: the slice columns, and the class where there is one.
    """

    label: str
    metric: Metric
    pair: Pair
    keys: pl.DataFrame
    value: Floats
    against: Floats
    test: str  # that suits it, or that was asked for; "" where there is none
    units: Paired | None = None
    sides: tuple[Measured, Measured]
    places: tuple[Ints, Ints] | None = None  # of the values among those of the slices; None for the whole
    paired: bool = True  # whether both sides have the same units
    replicates: Floats | None = None  # differences of resampled units, a row per replicate (bootstrap only)

    @property
    def n(self) -> Ints | None:
        """The units of each difference, of independent samples those of both; None where nobody knows."""
        if self.units is not None:
            return self.units.n
        found = self._of_sides(lambda cells, weight: cells.totals((weight > 0).astype(np.float64)))
        if found is None:
            return None
        return (np.minimum(*found) if self.paired else found[0] + found[1]).astype(np.int64)

    @property
    def effective(self) -> Floats | None:
        """Kish's effective number of units of each difference; None where they are not known."""
        if self.units is not None:
            return self.units.effective
        kish = self._of_sides(lambda cells, weight: ratio(cells.totals(weight) ** 2, cells.totals(weight**2)))
        return None if kish is None else np.minimum(*kish)

    def _of_sides(self, counted: Callable[[Cells, Floats], Floats]) -> tuple[Floats, Floats] | None:
        counts = []
        for at, side in enumerate(self.sides):
            state = side.state if self.places is None else side.parts
            if not hasattr(state, "cells"):
                return None
            found = counted(state.cells, state.cells.sums(state.weights)).repeat(max(1, len(side.entries)))
            counts.append(found if self.places is None else found[self.places[at]])
        return counts[0], counts[1]

    @property
    def difference(self) -> Floats:
        return self.value - self.against if self.units is None else self.units.difference

    @property
    def from_best(self) -> Contrast:
        """The same of how far both systems are from 1, where that is the best value."""
        if self.units is None or self.units.distances is None:
            return self
        units = self.units.distances
        return replace(self, units=units, value=units.value, against=units.against)


def pairs_of(names: Sequence[str], baseline: str | None) -> list[Pair]:
    """Each system against the baseline; without one every pair, the later against the earlier.

    >>> pairs_of(["a", "b", "c"], None)
    [('b', 'a'), ('c', 'a'), ('c', 'b')]
    """
    if baseline is not None:
        return [(name, baseline) for name in names if name != baseline]
    return [(name, other) for at, name in enumerate(names) for other in names[:at]]


def contrasts(
    systems: Mapping[str, Sequence[Measured]], pairs: Sequence[Pair], testing: Procedure
) -> list[Contrast]:
    found: list[Contrast] = []
    first = next(iter(systems.values()))
    for label in [one.label for one in first]:
        measured = {name: one for name, its in systems.items() for one in its if one.label == label}
        if len(measured) < len(systems):
            continue
        of_metric = [
            contrast
            for pair in pairs
            for contrast in _contrasts(measured[pair[0]], measured[pair[1]], pair, testing)
        ]
        found += _suited(of_metric) if testing.test == "auto" and testing.paired else of_metric
    return found


def _suited(found: Sequence[Contrast]) -> list[Contrast]:
    whole = [one.units for one in found if one.units is not None and one.places is None]
    test = found[0].metric.tested
    if all(one.hits.all() for one in whole):
        test = "mcnemar"
    elif test == "randomisation" and any(one.n.max() > MOST_FLIPPED for one in whole):
        test = "t"
    return [one if one.units is None else replace(one, test=test) for one in found]


def _contrasts(mine: Measured, its: Measured, pair: Pair, testing: Procedure) -> Iterator[Contrast]:
    if mine.entries != its.entries:
        raise comparing.other_classes(metric=mine.label, one=pair[1], other=pair[0])
    whole, sliced = zip(mine.influences, its.influences, strict=True)
    if mine.entries:
        whole = with_every_unit(whole[0]), with_every_unit(whole[1])
    classes = _classes(mine)
    yield _contrast(mine, its, pair, testing, classes, (mine.whole, its.whole), whole)
    if mine.slices is None or its.slices is None or mine.sliced is None or its.sliced is None:
        return
    names, places = _common_slices(mine.slices, its.slices)
    width = max(1, len(mine.entries))
    keys = names.select(pl.all().repeat_by(width).explode()) if width > 1 else names
    if classes.width:
        every = pl.concat([classes] * names.height) if names.height else classes.clear()
        keys = pl.concat([keys, every], how="horizontal")
    at, its_at = ((place[:, None] * width + np.arange(width)).reshape(-1) for place in places)
    values = mine.sliced.reshape(-1)[at], its.sliced.reshape(-1)[its_at]
    moved = [_at(one, place) for one, place in zip(sliced, (at, its_at), strict=True)]
    found = _contrast(mine, its, pair, testing, keys, values, moved)
    yield replace(found, places=(at, its_at))


def _classes(one: Measured) -> pl.DataFrame:
    if not one.entries:
        return pl.DataFrame()
    names = CLASS_COLUMNS[: len(one.entries[0])]
    return pl.DataFrame(
        {name: [str(entry[at]) for entry in one.entries] for at, name in enumerate(names)},
        schema=dict.fromkeys(names, pl.String),
    )


def _common_slices(mine: pl.DataFrame, its: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Ints, Ints]]:
    by = mine.columns
    both = mine.with_row_index("mine of two").join(
        its.with_row_index("its of two"), on=exactly(by), how="inner", nulls_equal=True, maintain_order="left"
    )
    places = (both[name].cast(pl.Int64).to_numpy() for name in ("mine of two", "its of two"))
    return both.select(exactly(by)), (next(places), next(places))


def _at(influence: Influence | None, place: Ints) -> Influence | None:
    if influence is None:
        return None
    if len(place) == influence.n_values and np.array_equal(place, np.arange(len(place))):
        return influence
    owner = np.zeros(influence.share.shape[1], np.int64) if influence.owner is None else influence.owner
    number = np.full(influence.n_values, -1)
    number[place] = np.arange(len(place))
    kept = np.flatnonzero(number[owner] >= 0)
    unit = kept if influence.unit is None else influence.unit[kept]
    return replace(
        influence,
        moves=influence.moves[:, kept],
        share=influence.share[:, kept],
        each=None if influence.each is None else influence.each[kept],
        weight=None if influence.weight is None else influence.weight[kept],
        owner=number[owner[kept]],
        unit=unit,
        rarest=None if influence.rarest is None else influence.rarest[place],
        added=None if influence.added is None else influence.added[place],
        n_values=len(place),
    )


def _contrast(
    mine: Measured,
    its: Measured,
    pair: Pair,
    testing: Procedure,
    keys: pl.DataFrame,
    values: tuple[Floats, Floats],
    influences: Sequence[Influence | None],
) -> Contrast:
    value, against = (one.reshape(-1) for one in values)
    metric = mine.metric
    test = metric.tested if testing.test == "auto" else testing.test
    made = Contrast(
        label=mine.label,
        metric=metric,
        pair=pair,
        keys=keys,
        value=value,
        against=against,
        test=test,
        sides=(mine, its),
        paired=testing.paired,
    )
    one, other = influences
    if one is None or other is None:
        return replace(made, test=_test_without_units(mine, its, pair, testing))
    if test == "delong" and metric.tested != "delong":
        raise comparing.only_auc(metric=mine.label)
    system, baseline = UnitSide(value=value, influence=one), UnitSide(value=against, influence=other)
    if not testing.paired:
        units = unpaired(system, baseline)
        if metric.direction == "nearest_1":
            units = replace(units, distances=unpaired(system.from_1, baseline.from_1))
        return replace(made, units=units, test="welch" if test != "bootstrap" else test)
    means = metric.unit == "queries" and not metric.pooled and one.each is not None
    try:
        units = paired(system, baseline, means=means)
        if metric.direction == "nearest_1":
            units = replace(units, distances=paired(system.from_1, baseline.from_1, means=means))
    except UnlikeUnitsError:
        raise comparing.units_differ(metric=mine.label, one=pair[1], other=pair[0]) from None
    if not units.n.any() and units.left_out.any():
        by = [] if mine.slices is None else [name for name in mine.slices.columns if name in keys.columns]
        if by:
            raise comparing.nothing_shared_in_slices(
                metric=mine.label, one=pair[1], other=pair[0], columns=[in_quotes(name) for name in by]
            )
        raise comparing.nothing_shared(metric=mine.label, one=pair[1], other=pair[0])
    return replace(made, units=units, value=units.value, against=units.against, test=test)


def _test_without_units(mine: Measured, its: Measured, pair: Pair, testing: Procedure) -> str:
    """How to test where nobody knows what each unit adds: by resampling, if both have the same units."""
    if testing.test not in ("auto", "bootstrap"):
        raise comparing.not_per_unit(metric=mine.label, test=testing.test)
    if mine.metric.interval() == "none" or not all(hasattr(side.state, "drawn") for side in (mine, its)):
        return ""
    if testing.paired and not same_units(mine, its):
        raise comparing.units_differ(metric=mine.label, one=pair[1], other=pair[0])
    return "bootstrap"


def same_units(mine: Measured, its: Measured) -> bool:
    one, other = mine.state.drawn, its.state.drawn
    if one.names is None or other.names is None:
        return bool(one.n == other.n)
    return bool(one.names.equals(other.names))
