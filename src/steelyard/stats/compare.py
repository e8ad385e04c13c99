"""Every difference of a comparison, tested: each pair of systems, each metric, the whole and each slice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.influence import Cells, Influence
from steelyard.engine.slices import CLASS_COLUMNS
from steelyard.kernels.means import ratio
from steelyard.metrics import Metric
from steelyard.read.table import apart, exactly
from steelyard.stats.measured import Measured
from steelyard.stats.pairing import Paired, UnitSide, UnlikeUnitsError, paired, unpaired, with_every_unit
from steelyard.stats.run import FEW
from steelyard.stats.testing import CORRECTIONS, MOST_FLIPPED, STATISTICS, Procedure
from steelyard.text import Message, in_quotes, listed, say, sentences
from steelyard.text.errors import asking
from steelyard.text.labels import named

Pair = tuple[str, str]  # a system, and the one it is compared with


@dataclass(frozen=True, kw_only=True, eq=False)
class Contrast:
    """One metric of a system against a baseline: the whole, or all slices that both have.

    ``keys`` name each value: the slice columns, and the class if there is one.
    """

    label: str
    metric: Metric
    pair: Pair
    keys: pl.DataFrame
    value: Floats
    against: Floats
    test: str  # "" if there is none
    units: Paired | None = None
    sides: tuple[Measured, Measured]
    places: tuple[Ints, Ints] | None = None  # of the values among those of the slices; None for the whole
    paired: bool = True  # whether both sides have the same units
    replicates: Floats | None = None  # differences of resampled units, a row per replicate (bootstrap only)

    @property
    def n(self) -> Ints | None:
        """The units of each difference, of independent samples those of both; None if they are unknown."""
        if self.units is not None:
            return self.units.n
        counts = self._of_sides(lambda cells, weight: cells.totals((weight > 0).astype(np.float64)))
        if counts is None:
            return None
        return (np.minimum(*counts) if self.paired else counts[0] + counts[1]).astype(np.int64)

    @property
    def effective(self) -> Floats | None:
        """Kish's effective number of units of each difference; None if they are unknown."""
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
            count = counted(state.cells, state.cells.sums(state.weights)).repeat(max(1, len(side.entries)))
            counts.append(count if self.places is None else count[self.places[at]])
        return counts[0], counts[1]

    @property
    def difference(self) -> Floats:
        return self.value - self.against if self.units is None else self.units.difference

    @property
    def from_best(self) -> Contrast:
        """The contrast of the distances from 1 if that is the best value."""
        units = None if self.units is None else self.units.distances
        return self if units is None else replace(self, units=units, value=units.value, against=units.against)


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
    every: list[Contrast] = []
    by_label = [{metric.label: metric for metric in measured} for measured in systems.values()]
    for label in by_label[0]:
        if not all(label in labels for labels in by_label):
            continue
        metric = {name: labels[label] for name, labels in zip(systems, by_label, strict=True)}
        found = [one for pair in pairs for one in _contrasts(metric[pair[0]], metric[pair[1]], pair, testing)]
        if testing.test == "auto" and testing.paired:
            test = _suitable(
                [one.units for one in found if one.units and one.places is None], found[0].metric
            )
            found = [one if one.units is None else replace(one, test=test) for one in found]
        every += found
    return every


def _suitable(wholes: Sequence[Paired], metric: Metric) -> str:
    if all(units.hits.all() for units in wholes):
        return "mcnemar"
    if metric.tested == "randomisation" and any(units.n.max() > MOST_FLIPPED for units in wholes):
        return "t"
    return metric.tested


def _contrasts(mine: Measured, its: Measured, pair: Pair, testing: Procedure) -> Iterator[Contrast]:
    if mine.entries != its.entries:
        raise asking.other_classes(metric=mine.label, one=pair[1], other=pair[0])
    whole, sliced = zip(mine.influences, its.influences, strict=True)
    if mine.entries:
        whole = with_every_unit(whole[0]), with_every_unit(whole[1])
    classes = _classes(mine)
    yield _contrast(mine, its, pair, testing, classes, (mine.whole, its.whole), whole)
    if mine.slices is None or its.slices is None or mine.sliced is None or its.sliced is None:
        return
    numbers = apart(["value", "baseline value"], mine.slices.columns)
    numbered, others = (
        side.with_row_index(number) for side, number in zip((mine.slices, its.slices), numbers, strict=True)
    )
    by = exactly(mine.slices.columns)
    both = numbered.join(others, on=by, how="inner", nulls_equal=True, maintain_order="left")
    names = both.select(by)
    places = [both[name].cast(pl.Int64).to_numpy() for name in numbers]
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
    contrast = Contrast(
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
        return replace(contrast, test=_test_without_units(mine, its, pair, testing))
    if test == "delong" and metric.tested != "delong":
        raise asking.only_auc(metric=mine.label)
    system, baseline = UnitSide(value=value, influence=one), UnitSide(value=against, influence=other)
    if not testing.paired:
        units = unpaired(system, baseline)
        if metric.direction == "nearest_1":
            units = replace(units, distances=unpaired(system.from_1, baseline.from_1))
        return replace(contrast, units=units, test="welch" if test != "bootstrap" else test)
    means = metric.unit == "queries" and not metric.pooled and one.each is not None
    try:
        units = paired(system, baseline, means=means)
        if metric.direction == "nearest_1":
            units = replace(units, distances=paired(system.from_1, baseline.from_1, means=means))
    except UnlikeUnitsError:
        raise asking.units_differ(metric=mine.label, one=pair[1], other=pair[0]) from None
    if not units.n.any() and units.left_out.any():
        by = [] if mine.slices is None else [name for name in mine.slices.columns if name in keys.columns]
        if by:
            raise asking.nothing_shared_in_slices(
                metric=mine.label, one=pair[1], other=pair[0], columns=[in_quotes(name) for name in by]
            )
        raise asking.nothing_shared(metric=mine.label, one=pair[1], other=pair[0])
    return replace(contrast, units=units, value=units.value, against=units.against)


def _test_without_units(mine: Measured, its: Measured, pair: Pair, testing: Procedure) -> str:
    """The test without differences by unit: the bootstrap, if both sides have the same units."""
    if testing.test not in ("auto", "bootstrap"):
        raise asking.not_per_unit(metric=mine.label, test=testing.test)
    if mine.metric.interval() == "none" or not all(hasattr(side.state, "drawn") for side in (mine, its)):
        return ""
    if testing.paired and not same_units(mine, its):
        raise asking.units_differ(metric=mine.label, one=pair[1], other=pair[0])
    return "bootstrap"


def same_units(mine: Measured, its: Measured) -> bool:
    one, other = mine.state.drawn, its.state.drawn
    if one.names is None or other.names is None:
        return bool(one.n == other.n)
    return bool(one.names.equals(other.names))


_SHOWN = 3
_ENOUGH = 200  # units below which bootstrap tests find too much
_note = sentences(
    compared_on_one_unit="{labels}: no interval and no test, since there is only one unit.",
    compared_on_few_units="{labels}: effective sample size below {few}; the comparison is unreliable.",
    equal_differences="{labels}: the difference is the same for every unit, so the interval has no width.",
    infinite_difference="{labels}: a value is infinite, so there is neither an interval nor a test.",
    bootstrap_of_few_units="{labels}: with fewer than {enough} units the bootstrap test finds too many "
    "differences.",
    not_tested="{labels}: the difference is not tested, since there are no values by unit.",
    ties_turn_difference="{labels}: another order of tied scores could reverse the difference.",
    compared_on_common_units="{label}: {one} and {other} share {n:,} {n:unit|units}; {m:,} {m:unit has a "
    "value in only one of them and is|units have a value in only one of them and are} left out.",
)


def compare_notes(contrasts: Sequence[Contrast]) -> tuple[Message, ...]:
    """The notes on differences of the whole, one sentence for all metrics that it is true of."""
    whole = [one for one in contrasts if one.places is None]
    notes = []
    for key, holds in _HOLDS.items():
        if labels := list(dict.fromkeys(one.label for one in whole if holds(one))):
            notes.append(_note(key, labels=listed(labels, _SHOWN), few=FEW, enough=_ENOUGH))
    left_out: dict[Pair, Message] = {}  # of the first metric of each pair
    for one in whole:
        units = one.units
        if units is None or not units.left_out.any() or one.pair in left_out:
            continue
        at = int(units.left_out.argmax())
        left_out[one.pair] = _note(
            "compared_on_common_units",
            label=one.label,
            one=one.pair[0],
            other=one.pair[1],
            n=int(units.n[at]),
            m=int(units.left_out[at]),
        )
    return (*notes, *left_out.values())


def _of_units(holds: Callable[[Contrast, Paired], Flags]) -> Callable[[Contrast], bool]:
    return lambda one: one.units is not None and bool(np.any(holds(one, one.units)))


def _ties_matter(one: Contrast) -> bool:
    """Whether another order of tied rows could change the sign of the difference."""
    mine, its = (side.ties for side in one.sides)
    with np.errstate(invalid="ignore"):  # of infinite ones
        low = (one.value if mine is None else mine.low) - (one.against if its is None else its.high)
        high = (one.value if mine is None else mine.high) - (one.against if its is None else its.low)
    return bool(((one.difference != 0) & (low <= 0) & (high >= 0)).any()) and (mine or its) is not None


_HOLDS: dict[str, Callable[[Contrast], bool]] = {
    "compared_on_one_unit": _of_units(
        lambda one, units: (
            np.isnan(units.variance) & ~units.scarce & np.isfinite(units.difference) & np.isfinite(one.value)
        )
    ),
    "compared_on_few_units": _of_units(
        lambda _, units: np.isfinite(units.variance) & (units.effective < FEW - 1e-6)
    ),
    # the interval of McNemar's test has a width even then
    "equal_differences": _of_units(
        lambda one, units: (units.variance == 0) & (units.difference != 0) & (one.test != "mcnemar")
    ),
    "infinite_difference": lambda one: bool((np.isinf(one.value) | np.isinf(one.against)).any()),
    "bootstrap_of_few_units": lambda one: (
        one.test == "bootstrap" and one.n is not None and bool((one.n < _ENOUGH).any())
    ),
    "not_tested": lambda one: not one.test,
    "ties_turn_difference": _ties_matter,
}


def tested(testing: Procedure, tests: Mapping[str, str], n: int, in_slices: int) -> Message:
    """The tests and their correction in a few words; ``tests`` has the test of each metric."""
    kinds: dict[str, list[str]] = {}
    for label, test in tests.items():
        kinds.setdefault(test, []).append(label)
    parts: list[Message] = []
    for test, labels in kinds.items():
        title = STATISTICS[test].title
        parts.append(title if len(kinds) == 1 else named(title, listed(labels)))
    families = say("{correction} over {n:,} {n:test|tests}", correction=CORRECTIONS[testing.correct], n=n)
    if in_slices:
        families = say("{said}, and over {m:,} {m:test|tests} in slices", said=families, m=in_slices)
    return say("{parts:;}", parts=[*parts, families])
