"""How likely each difference is by chance alone, and between which limits the true one lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints, Keys
from steelyard.comparison.compare import Contrast, same_units
from steelyard.comparison.paired import (
    REPLICATES,
    bootstrap_means,
    mcnemar,
    percentile_test,
    sign_test,
    t_test,
    wilcoxon,
)
from steelyard.comparison.pairing import GRID, Paired
from steelyard.comparison.testing import Procedure
from steelyard.kernels.distributions import student_quantile
from steelyard.kernels.draws import unit_keys
from steelyard.kernels.flips import flipped_tails
from steelyard.measure.certainty import Certainty
from steelyard.measure.resample import resampled
from steelyard.messages.errors import comparing


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdict:
    """The p-value and the limits of each difference of a contrast; NaN where there is none."""

    p: Floats
    low: Floats
    high: Floats

    @classmethod
    def unknown(cls, n: int) -> Verdict:
        """Of differences that cannot be tested."""
        nothing = np.full(n, np.nan)
        return cls(p=nothing, low=nothing, high=nothing)


def verdicts(contrasts: Sequence[Contrast], testing: Procedure) -> list[Verdict]:
    """Those of every contrast; the signs of all are flipped together."""
    keys = _Keys()
    flipped = iter(_flipped([one for one in contrasts if one.test == "randomisation"], keys, testing))
    return [
        _verdict(one, next(flipped) if one.test == "randomisation" else None, keys, testing)
        for one in contrasts
    ]


def _verdict(one: Contrast, flipped: Floats | None, keys: _Keys, testing: Procedure) -> Verdict:
    if one.test == "bootstrap":
        return _of_replicates(_replicates(one, keys, testing), one, testing)
    if one.units is None:
        return Verdict.unknown(len(one.value))
    units, difference = one.units, one.units.difference
    p = flipped if flipped is not None else _tails(one, units)
    known = np.isfinite(units.variance) & np.isfinite(difference)
    wide = student_quantile((1 + testing.level) / 2, units.freedom) * np.sqrt(units.variance)
    least, most = one.metric.within()
    farthest = most - least
    return Verdict(
        p=np.where(known, p, np.nan),
        low=np.maximum(difference - wide, -farthest),
        high=np.minimum(difference + wide, farthest),
    )


def _tails(one: Contrast, units: Paired) -> Floats:
    """The p-values of a test that draws nothing."""
    if one.test in ("t", "delong"):
        return t_test(units.difference, units.variance, units.freedom)
    p = np.full(len(one.value), np.nan)
    for value, cells in _by_value(units):
        if one.test == "wilcoxon":
            p[value] = wilcoxon(units.apart(cells))
        elif one.test == "sign":
            p[value] = sign_test(units.apart(cells))
        elif units.means and units.each is not None and units.its is not None:
            if not units.equal_shares(cells):
                raise comparing.weighted_hits(metric=one.label)
            p[value] = mcnemar(units.its[cells], units.each[cells], one.label)
        else:
            raise comparing.not_per_unit(metric=one.label, test=one.test)
    return p


def _replicates(one: Contrast, keys: _Keys, testing: Procedure) -> Floats:
    """The differences of resampled units, a row for each replicate."""
    units = one.units
    if units is not None and units.means:
        assert units.each is not None
        assert units.its is not None
        of_cells, found = keys.of(units), np.full((REPLICATES, len(one.value)), np.nan)
        with np.errstate(invalid="ignore"):
            apart = np.where(units.adds == 0, 0.0, units.each - units.its)
        for value, cells in _by_value(units):
            share = units.share[cells]
            found[:, value] = bootstrap_means(apart[cells], of_cells[cells], share, seed=testing.seed)
        return found
    if all(hasattr(side.state, "drawn") for side in one.sides) and not same_units(*one.sides):
        raise comparing.units_differ(metric=one.label, one=one.pair[1], other=one.pair[0])
    certainty = Certainty(seed=testing.seed, replicates=REPLICATES)
    drawn = []
    for at, side in enumerate(one.sides):
        sliced = one.places is not None
        state, influence = side.parts if sliced else side.state, side.influences[sliced]
        measured = side.sliced if sliced else side.whole
        if state is None or measured is None or not hasattr(state, "drawn"):
            return np.full((REPLICATES, len(one.value)), np.nan)
        values = resampled(one.metric, state, measured.reshape(-1), influence, side.each, certainty)
        drawn.append(values if one.places is None else values[:, one.places[at]])
    gap: Floats = drawn[0] - drawn[1]
    return gap


def _of_replicates(drawn: Floats, one: Contrast, testing: Procedure) -> Verdict:
    tail = (1 - testing.level) / 2
    known = np.isfinite(one.difference) & np.isfinite(drawn).any(axis=0)
    known &= _several_units(one)
    ends = np.nanquantile(np.where(known, drawn, 0.0), [tail, 1 - tail], axis=0)
    ends = np.where(
        np.abs(ends - one.difference) <= GRID * np.maximum(1.0, np.abs(one.value)), one.difference, ends
    )
    p = percentile_test(drawn)
    same = known & (np.nan_to_num(drawn) == 0).all(axis=0)
    found = np.where(same, 1.0, p), *ends
    return Verdict(
        **dict(zip(("p", "low", "high"), (np.where(known, x, np.nan) for x in found), strict=True))
    )


def _several_units(one: Contrast) -> Flags:
    """Whether a difference rests on more than one unit."""
    if one.units is not None:
        return np.isfinite(one.units.variance)
    return np.full(len(one.value), all(side.state.drawn.n > 1 for side in one.sides))


class _Keys:
    """The key of each unit, made once for all that share their names."""

    def __init__(self) -> None:
        self._known: list[tuple[pl.Series, Keys]] = []

    def of(self, units: Paired) -> Keys:
        """The keys of the cells of some units."""
        names = units.names
        if names is None:
            return unit_keys(pl.Series(units.unit))
        for other, known in self._known:
            if other is names:
                return known[units.unit]
        made = unit_keys(names)
        self._known.append((names, made))
        return made[units.unit]


def _flipped(contrasts: Sequence[Contrast], keys: _Keys, testing: Procedure) -> list[Floats]:
    """The p-values of randomisation, by contrast: values over the same units are columns of one table."""
    found = [np.full(len(one.value), np.nan) for one in contrasts]
    together: dict[bytes, list[tuple[Floats, Floats, int]]] = {}
    for one, into in zip(contrasts, found, strict=True):
        if one.units is None:
            continue
        of_cells = keys.of(one.units)
        for value, cells in _by_value(one.units):
            key = of_cells[cells]
            order = np.argsort(key, kind="stable")
            column = one.units.adds[cells][order]
            together.setdefault(key[order].tobytes(), []).append((column, into, value))
    for packed, columns in together.items():
        table = np.stack([column for column, _, _ in columns], axis=1)
        tails = flipped_tails(table, np.frombuffer(packed, np.uint64), testing.draws, testing.seed)
        for (_, into, value), tail in zip(columns, tails, strict=True):
            into[value] = tail
    return found


def _by_value(units: Paired) -> Iterator[tuple[int, Ints]]:
    """Each value that rests on units, with its cells."""
    if len(units.value) == 1:
        if len(units.owner):
            yield 0, np.arange(len(units.owner))
        return
    order = np.argsort(units.owner, kind="stable")
    ends = np.cumsum(np.bincount(units.owner, minlength=len(units.value)))
    for value, cells in enumerate(np.split(order, ends[:-1])):
        if len(cells):
            yield value, cells
