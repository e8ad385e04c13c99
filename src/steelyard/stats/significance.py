"""The p-value and the confidence limits of each difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints, Keys
from steelyard.conventions import Certainty, alpha_of
from steelyard.kernels.distributions import normal_quantile, student_quantile
from steelyard.kernels.draws import EXACT, flipped_tails, unit_keys
from steelyard.kernels.means import segment_sum
from steelyard.read.table import exactly
from steelyard.stats.compare import Contrast, same_units
from steelyard.stats.pairing import Paired
from steelyard.stats.resample import resampled, spread
from steelyard.stats.testing import (
    GRID,
    REPLICATES,
    STATISTICS,
    Procedure,
    bootstrap_means,
    hit_limits,
    percentile_test,
    sizes,
    without_dust,
)
from steelyard.text import Message, say
from steelyard.text.errors import asking

Mode = Literal["point", "harm", "non_inferior"]
Slice = tuple[str | None, ...]  # a value per slice column; all None for the whole
_IN_TAIL = 10  # replicates that must lie beyond a percentile limit


@dataclass(frozen=True, kw_only=True, eq=False)
class Significance:
    """The p-value and the limits of each difference of a contrast; NaN where there is none."""

    p: Floats
    low: Floats
    high: Floats
    floored: Flags  # whether p is the smallest that the draws can show


def verdicts(contrasts: Sequence[Contrast], testing: Procedure) -> list[Significance]:
    """The significance of every contrast; randomisation flips the signs of all together."""
    keys = _Keys()
    flipped = iter(_flipped([one for one in contrasts if one.test == "randomisation"], keys, testing))
    results = []
    for one in replicated(contrasts, testing):
        p = next(flipped) if one.test == "randomisation" else _tails(one)
        low, high = limits(one, testing.level)
        p = np.where(_testable(one), p, np.nan)
        results.append(Significance(p=p, low=low, high=high, floored=p <= _floor(one, testing)))
    return results


def replicated(contrasts: Sequence[Contrast], testing: Procedure) -> list[Contrast]:
    """The contrasts; those with a bootstrap test get the differences of resampled units."""
    keys = _Keys()
    return [
        replace(one, replicates=_replicates(one, keys, testing))
        if one.test == "bootstrap" and one.replicates is None
        else one
        for one in contrasts
    ]


def limits(one: Contrast, level: float) -> tuple[Floats, Floats]:
    """The limits of each difference at any level; NaN where there are none.

    Shares of hits have Tango's score interval, other metrics Student's t. A bootstrap contrast needs its
    replicates (``replicated``). Their percentiles are the limits while each tail holds ten of them; beyond
    that, Student's t with their standard deviation.
    """
    if one.test == "mcnemar" and one.units is not None:
        ends = hit_limits(one.units.ahead, one.units.behind, np.maximum(one.units.n, 1), level)
        low, high = np.where(_testable(one), ends, np.nan)
        return low, high
    if one.replicates is not None and (1 - level) / 2 * REPLICATES > _IN_TAIL - 1e-6:
        return _percentiles(one, one.replicates, level)
    if one.replicates is not None and one.effective is not None:
        freedom, error = np.maximum(one.effective - 1.0, 1.0), spread(one.replicates)
    elif one.units is not None:
        freedom, error = one.units.freedom, np.sqrt(one.units.variance)
    else:
        return np.full(len(one.value), np.nan), np.full(len(one.value), np.nan)
    wide = np.where(_testable(one), student_quantile((1 + level) / 2, freedom) * error, np.nan)
    least, most = one.metric.within()
    return np.maximum(one.difference - wide, least - most), np.minimum(one.difference + wide, most - least)


def _floor(one: Contrast, testing: Procedure) -> Floats | float:
    if one.replicates is not None:
        return percentile_test(np.where(np.isnan(one.replicates), np.nan, 1.0))
    if one.test != "randomisation" or one.units is None:
        return 0.0
    flipped = segment_sum(one.units.adds != 0, one.units.owner, len(one.value)) > EXACT  # else all signs
    return np.where(flipped, 1 / (testing.draws + 1), 0.0)


def _percentiles(one: Contrast, drawn: Floats, level: float) -> tuple[Floats, Floats]:
    tail, known = (1 - level) / 2, _testable(one)
    ends = np.nanquantile(np.where(known, drawn, 0.0), [tail, 1 - tail], axis=0)
    near = np.abs(ends - one.difference) <= GRID * np.maximum(1.0, np.abs(one.value))
    low, high = np.where(known, np.where(near, one.difference, ends), np.nan)
    return low, high


def _testable(one: Contrast) -> Flags:
    """Which differences have more than one unit and are finite.

    With too few units of a class, only tests that need no variance are possible.
    """
    known: Flags = np.isfinite(one.difference)
    if one.replicates is not None:
        known = known & np.isfinite(one.replicates).any(axis=0)
    if one.units is not None:
        return known & (
            np.isfinite(one.units.variance) | (one.units.scarce & (not STATISTICS[one.test].needs_variance))
        )
    return known & (one.n is not None and one.n > 1)


def _tails(one: Contrast) -> Floats:
    if one.replicates is not None:
        same = (np.nan_to_num(one.replicates) == 0).all(axis=0)
        return np.where(same, 1.0, percentile_test(one.replicates))
    if one.units is None or (p_values := STATISTICS[one.test].p_values) is None:
        return np.full(len(one.value), np.nan)
    return p_values(one.units, one.label)


def _replicates(one: Contrast, keys: _Keys, testing: Procedure) -> Floats:
    units = one.units
    if units is not None and units.means:
        assert units.each is not None
        assert units.its is not None
        of_cells, means = keys.of(units), np.full((REPLICATES, len(one.value)), np.nan)
        with np.errstate(invalid="ignore"):
            apart = np.where(units.adds == 0, 0.0, units.each - units.its)
        for value, cells in units.by_value():
            share = units.share[cells]
            means[:, value] = bootstrap_means(apart[cells], of_cells[cells], share, seed=testing.seed)
        return means
    drawable = all(hasattr(side.state, "drawn") for side in one.sides)
    if testing.paired and drawable and not same_units(*one.sides):
        raise asking.units_differ(metric=one.label, one=one.pair[1], other=one.pair[0])
    replicates, of_rows = [], _row_keys(one) if testing.paired else None
    for at, side in enumerate(one.sides):
        seed = testing.seed + (at if not testing.paired else 0)  # independent samples, independent draws
        certainty = Certainty(seed=seed, replicates=REPLICATES)
        sliced = one.places is not None
        state, influence = side.parts if sliced else side.state, side.influences[sliced]
        measured = side.sliced if sliced else side.whole
        if state is None or measured is None or not hasattr(state, "drawn"):
            return np.full((REPLICATES, len(one.value)), np.nan)
        values = resampled(one.metric, state, measured.reshape(-1), influence, side.each, certainty, of_rows)
        replicates.append(values if one.places is None else values[:, one.places[at]])
    mine, theirs = replicates
    with np.errstate(invalid="ignore"):
        return without_dust(mine - theirs, sizes(mine, theirs))


def _row_keys(one: Contrast) -> Keys | None:
    """The keys of rows without a unit, by their content; None where units have names.

    Keys by place would give other replicates for another order of the rows.
    """
    states = [side.parts for side in one.sides if side.parts is not None]  # slices settle ties alone
    states += [side.state for side in one.sides]
    if not all(hasattr(state, "drawn") and state.drawn.are_rows for state in states):
        return None
    n = one.sides[0].state.size
    held = [getattr(state, field.name) for state in states for field in fields(state)]
    columns = [np.atleast_2d(x.T) for x in held if isinstance(x, np.ndarray) and x.shape[:1] == (n,)]
    rank = np.empty(n, np.int64)
    rank[np.lexsort(np.concatenate(columns))] = np.arange(n)
    return unit_keys(pl.Series(rank))


class _Keys:
    """The keys of units, made once for all contrasts with the same names."""

    def __init__(self) -> None:
        self._known: list[tuple[pl.Series, Keys]] = []

    def of(self, units: Paired) -> Keys:
        names = units.names
        if names is None:
            return unit_keys(pl.Series(units.unit))
        for other, known in self._known:
            if other is names:
                return known[units.unit]
        self._known.append((names, unit_keys(names)))
        return self._known[-1][1][units.unit]


def _flipped(contrasts: Sequence[Contrast], keys: _Keys, testing: Procedure) -> list[Floats]:
    """The p-values of randomisation, by contrast: values over the same units are columns of one table."""
    p_values = [np.full(len(one.value), np.nan) for one in contrasts]
    together: dict[tuple[int, bytes], list[tuple[Floats, Floats, int]]] = {}
    for one, into in zip(contrasts, p_values, strict=True):
        if one.units is None:
            continue
        of_cells = None if one.units.names is None else keys.of(one.units)
        for value, cells in one.units.by_value():
            column, packed = one.units.adds[cells], b""
            if of_cells is not None:
                order = np.argsort(of_cells[cells], kind="stable")
                column, packed = column[order], of_cells[cells][order].tobytes()
            together.setdefault((len(cells), packed), []).append((column, into, value))
    for (_, packed), columns in together.items():
        table = np.stack([column for column, _, _ in columns], axis=1)
        of_units = np.frombuffer(packed, np.uint64) if packed else None
        tails = flipped_tails(table, of_units, testing.draws, testing.seed)
        for (_, into, value), tail in zip(columns, tails, strict=True):
            into[value] = tail
    return p_values


class DropLimits(NamedTuple):
    """The interval of a drop, at the level 1 - ``alpha``, which is corrected for so many ``tests``."""

    low: float
    high: float
    n: int
    effective: float  # sample size
    left_out: int  # units that only one side has
    alpha: float
    tests: int = 1

    @property
    def level(self) -> float:
        return 1 - self.alpha

    @property
    def fewest(self) -> int:
        """The units below which no interval can decide: n random signs agree with probability 2⁻ⁿ."""
        return math.ceil(-math.log2(self.alpha / 2))

    def needed(self, drop: float, allowed: float) -> int | None:
        """How many units would move the interval to one side of the limit if the drop stayed the same.

        >>> DropLimits(-0.02, 0.06, n=100, effective=100, left_out=0, alpha=0.05).needed(0.02, 0.01)
        1600
        """
        gap = drop - allowed
        if not self.low <= allowed <= self.high or not gap:
            return None
        half = drop - self.low if gap > 0 else self.high - drop
        units = self.n * (half / gap) ** 2
        return math.ceil(units) if self.n < units < 1e15 else None


def drop_limits(
    contrasts: Sequence[Contrast], by: Sequence[str], mode: Mode, level: float
) -> dict[str, dict[Slice, DropLimits]]:
    """The interval of each drop by metric and slice.

    A gate in mode ``harm`` fails if one slice fails, so intervals of slices are corrected for their number
    (Bonferroni). In mode ``non_inferior`` every slice has to pass, which needs no correction.
    """
    drops: dict[str, dict[Slice, DropLimits]] = {}
    folded = [one.from_best for one in contrasts]
    for family in ([one for one in folded if (one.places is None) is whole] for whole in (True, False)):
        tests = sum(int(np.isfinite(one.difference).sum()) for one in family) if mode == "harm" else 1
        alpha = alpha_of(level) / max(tests, 1)
        for one in family:
            none = np.zeros(len(one.value), np.int64)
            n, effective = (none if known is None else known for known in (one.n, one.effective))
            low, high = limits(one, 1 - alpha)
            if mode == "non_inferior":
                low, high = _with_width(one, low, high, effective, alpha)
            if one.metric.direction == "higher":
                low, high = 0.0 - high, 0.0 - low
            left_out = none if one.units is None else one.units.left_out
            keys = one.keys.select(exactly(by)).rows() if one.places is not None else [(None,) * len(by)]
            columns = low.tolist(), high.tolist(), n.tolist(), effective.tolist(), left_out.tolist()
            for at, *figures in zip(keys, *columns, strict=True):
                drops.setdefault(one.label, {})[at] = DropLimits._make((*figures, alpha, tests))
    return drops


def _with_width(
    one: Contrast, low: Floats, high: Floats, effective: Floats | Ints, alpha: float
) -> tuple[Floats, Floats]:
    """The limits; if all units differ by the same, wider by the share of units that may differ otherwise.

    By Wilson's limit, n units without an exception leave a share of z² / (n + z²), each of which can differ
    by the whole range of the metric.
    """
    least, most = one.metric.within()
    z = normal_quantile(np.array([1 - alpha / 2]))[0]
    wide = (most - least) * z**2 / (effective + z**2)
    alike = low == high
    return np.where(alike, low - wide, low), np.where(alike, high + wide, high)


def doubt_of(known: DropLimits | None) -> Message | None:
    """Why an interval of a drop cannot decide; None if it can."""
    if known is None or known.n == 0:
        return say("it is unknown how the difference varies between units")
    if known.left_out:
        return say(
            "{n:,} {n:unit is|units are} measured on one side only; use missing=keep, or compare independent "
            "samples (paired=False, --unpaired)",
            n=known.left_out,
        )
    if known.effective < known.fewest - 1e-6:
        return say(
            "the effective sample size is {n}; {tests:,} {tests:test needs|tests together need} "
            "{fewest:,} or more",
            n=f"{known.effective:.3g}",
            tests=known.tests,
            fewest=known.fewest,
        )
    if math.isnan(known.low) or math.isnan(known.high):
        return say("the difference has no interval")
    return None
