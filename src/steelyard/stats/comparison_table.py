"""The tidy table of a comparison: a row for each metric, slice, system and baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.conventions import alpha_of
from steelyard.engine.memory import Lists
from steelyard.engine.slices import CLASS_COLUMNS, is_whole
from steelyard.kernels.means import segment_sum
from steelyard.metrics import Metric
from steelyard.metrics.base import Direction, gained
from steelyard.read.table import apart, exactly
from steelyard.stats.compare import Contrast
from steelyard.stats.measured import Measured
from steelyard.stats.significance import Significance
from steelyard.stats.testing import Procedure, corrected, detectable, effect_size
from steelyard.text.errors import SteelyardError, asking
from steelyard.text.labels import FLOORED, GAIN, STANDING

COLUMNS = (
    *("metric", *CLASS_COLUMNS, "system", "baseline", "value", "difference", "ci_low", "ci_high"),
    *("p", "p_corrected", "effect", "better", "same", "worse", "n", "detectable", "detectable_corrected"),
)
WORKINGS = ("standard deviation of a unit", FLOORED, GAIN, STANDING)  # columns that the table does not show
DEVIATION = WORKINGS[0]
_LEAST, _MOST = "least of its values", "greatest of its values"
RESERVED = (*COLUMNS, *WORKINGS, _LEAST, _MOST)  # no slice column may have these names
_UNKNOWN = (
    *(DEVIATION, "ci_low", "ci_high", "p", "p_corrected", "effect"),
    *("detectable", "detectable_corrected"),
)


def table(
    contrasts: Sequence[Contrast], verdicts: Sequence[Significance], by: Sequence[str], testing: Procedure
) -> pl.DataFrame:
    """The rows, metric by metric: the whole, then its slices, each with every pair; unknown values are null.

    The p-values of the whole are corrected as one family of tests, those of slices as another.
    """
    frames = []
    for sliced in (False, True):
        family = [
            both for both in zip(contrasts, verdicts, strict=True) if (both[0].places is not None) == sliced
        ]
        p_values = np.concatenate([np.empty(0), *(verdict.p for _, verdict in family)])
        tests = max(1, int(np.isfinite(p_values).sum()))
        ends = np.cumsum([len(verdict.p) for _, verdict in family])
        adjusted = np.split(corrected(p_values, testing.correct), ends[:-1])
        frames += [
            _frame(contrast, verdict, p, by, testing, tests)
            for (contrast, verdict), p in zip(family, adjusted, strict=False)
        ]
    rows = pl.concat(frames, how="diagonal_relaxed")
    rows = rows.with_columns(pl.col(name).fill_nan(None) for name in _UNKNOWN)
    rows = with_standing(rows, {one.label: one.metric.direction for one in contrasts}, testing.level)
    used = [*by, *(name for name in (*COLUMNS, *WORKINGS) if name in rows.columns)]
    return rows.select(exactly(used))[_order(rows, by)]


def with_standing(rows: pl.DataFrame, directions: Mapping[str, Direction], level: float) -> pl.DataFrame:
    """The rows with how much better the system is, and whether that is statistically significant."""
    way = pl.col("metric").replace_strict(list(directions), list(directions.values()), return_dtype=pl.String)
    value, difference, p = pl.col("value"), pl.col("difference"), pl.col("p_corrected")
    gain = (
        pl.when(way == "nearest_1")
        .then(gained(value, value - difference, "nearest_1"))
        .when(way == "lower")
        .then(-difference)
        .when(way == "higher")
        .then(difference)
        .fill_nan(None)
    )
    rows = rows.with_columns(gain.alias(GAIN))
    standing = (
        pl.when(p.is_null())
        .then(pl.lit("untested"))
        .when(p >= alpha_of(level))
        .then(pl.lit("open"))
        .when(pl.col(GAIN) > 0)
        .then(pl.lit("better"))
        .when(pl.col(GAIN) < 0)
        .then(pl.lit("worse"))
        .otherwise(pl.lit("apart"))
    )
    return rows.with_columns(standing.alias(STANDING))


def _order(rows: pl.DataFrame, by: Sequence[str]) -> Ints:
    """The order of the rows by the first places of their metric and of their slice."""
    (place,) = apart(["place"], rows.columns)
    places = []
    for keys in (["metric"], by):
        if keys:
            names = rows.select(exactly(keys))
            first = names.unique(maintain_order=True).with_row_index(place)
            how: dict[str, Any] = {"how": "left", "nulls_equal": True, "maintain_order": "left"}
            places.append(names.join(first, on=exactly(keys), **how)[place].to_numpy())
    return np.lexsort(places[::-1])


def _frame(
    one: Contrast, verdict: Significance, adjusted: Floats, by: Sequence[str], testing: Procedure, tests: int
) -> pl.DataFrame:
    units = one.units
    n = len(one.value)
    unknown = np.full(n, np.nan)
    system, baseline = one.pair
    effect = least = least_corrected = deviation = unknown
    if units is not None:
        variance = np.where(units.variance > 0, units.variance, np.nan)
        deviation = np.sqrt(variance * units.n)
        if units.welch is None:
            effect = effect_size(units.difference, variance, units.n.astype(np.float64))
        least, least_corrected = (detectable(variance, units.freedom, testing.level, of) for of in (1, tests))
    columns = {
        "metric": pl.repeat(one.label, n, dtype=pl.String, eager=True),
        "system": pl.repeat(system, n, dtype=pl.String, eager=True),
        "baseline": pl.repeat(baseline, n, dtype=pl.String, eager=True),
        "value": one.value,
        "difference": one.difference,
        "ci_low": verdict.low,
        "ci_high": verdict.high,
        "p": verdict.p,
        "p_corrected": adjusted,
        "effect": effect,
        **_better(one),
        "n": one.n,
        "detectable": least,
        "detectable_corrected": least_corrected,
        DEVIATION: deviation,
        FLOORED: verdict.floored,
    }
    sliced = {name: pl.repeat(None, n, dtype=pl.String, eager=True) for name in by}
    sliced |= {column.name: column for column in one.keys}
    return pl.DataFrame({**sliced, **columns}).with_columns(
        pl.col("better", "same", "worse", "n").cast(pl.Int64)
    )


def _better(one: Contrast) -> dict[str, Ints | None]:
    """The units with a better, an equal and a worse value; None where no side is better."""
    units, way = one.units, one.metric.direction
    unknown = units is None or units.welch is not None or way == "none"
    if units is None or unknown or (way == "nearest_1" and units.each is None):
        return dict.fromkeys(("better", "same", "worse"))
    gain = units.gain(way)
    known = ~np.isnan(gain)
    owner, gain, n = units.owner[known], gain[known], len(one.value)
    flags = {"better": gain > 0, "same": gain == 0, "worse": gain < 0}
    return {name: segment_sum(flag, owner, n).astype(np.int64) for name, flag in flags.items()}


def not_common(rows: pl.DataFrame, by: Sequence[str]) -> tuple[str, ...]:
    """The metrics whose values of a system depend on the system it is compared with."""
    differing = _sides(rows, by).filter(_differ(_LEAST, _MOST))
    return tuple(differing["metric"].unique(maintain_order=True))


def with_common(rows: pl.DataFrame, compared: pl.DataFrame, system: str, by: Sequence[str]) -> pl.DataFrame:
    """The rows of a system with its values on the shared units, if these are the same in all pairs."""
    keys = exactly(_keys(compared, by))
    common = _sides(compared, by).filter(pl.col("system") == system, ~_differ(_LEAST, _MOST))
    common = common.filter(~pl.col("metric").is_in(not_common(compared, by))).drop("system", _MOST)
    both = rows.join(common, on=keys, how="left", nulls_equal=True, maintain_order="left")
    other = _differ(_LEAST, "value").fill_null(False)
    return both.with_columns(pl.when(other).then(_LEAST).otherwise("value").alias("value")).drop(_LEAST)


def _keys(rows: pl.DataFrame, by: Sequence[str]) -> list[str]:
    return [*by, "metric", *(name for name in CLASS_COLUMNS if name in rows.columns)]


def _sides(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The least and the greatest value of each system over all pairs."""
    keys = exactly(_keys(rows, by))
    value = pl.col("value")
    systems = rows.select(keys, "system", value)
    baselines = rows.select(keys, pl.col("baseline").alias("system"), value - pl.col("difference"))
    known = pl.concat([systems, baselines]).with_columns(value.fill_nan(None))
    groups = known.group_by(keys, "system", maintain_order=True)
    return groups.agg(value.min().alias(_LEAST), value.max().alias(_MOST))


def _differ(one: str, other: str) -> pl.Expr:
    """Whether two columns differ by more than rounding; equal infinite values do not."""
    gap, size = (pl.col(one) - pl.col(other)).abs(), pl.max_horizontal(pl.col(one).abs(), pl.lit(1.0))
    return (pl.col(one) != pl.col(other)) & (gap > 1e-9 * size)


def lost_slices(compared: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The slices where a system that is better on the whole is worse, the worst first."""
    overall, gain = apart(["overall", "gain overall"], compared.columns)
    keys = ["metric", *(name for name in CLASS_COLUMNS if name in compared.columns), "system", "baseline"]
    whole = is_whole(compared, by)
    of_whole = compared.filter(whole).select(
        exactly(keys), pl.col("difference").alias(overall), pl.col(GAIN).alias(gain)
    )
    both = compared.filter(~whole).join(of_whole, on=keys, nulls_equal=True, maintain_order="left")
    lost = both.filter((pl.col(gain) > 0) & (pl.col(GAIN) < 0)).sort(GAIN, maintain_order=True)
    names = [name for name in compared.columns if name not in WORKINGS]
    names.insert(names.index("difference") + 1, overall)
    return lost.select(exactly(names))


SHOWN = 10  # items of a list


@dataclass(frozen=True, kw_only=True)
class ShownItem:
    """One item of a list; ``grade`` is None where it has no judgement."""

    item: str | None
    grade: float | None


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A query that moved: its values with both systems, and the list of each, best first."""

    query: object
    better: bool
    value: float
    baseline: float
    shown: tuple[ShownItem, ...] = ()
    shown_by_baseline: tuple[ShownItem, ...] = ()

    @property
    def difference(self) -> float:
        return self.value - self.baseline

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        lists = {
            name: [vars(item) for item in getattr(self, name)] for name in ("shown", "shown_by_baseline")
        }
        return {**vars(self), "query": str(self.query), "difference": self.difference, **lists}


def moved(
    mine: Measured, its: Measured, lists: tuple[Lists | None, Lists | None], n: int, items: int = SHOWN
) -> tuple[Moved, ...]:
    """The ``n`` queries that gained most, then the ``n`` that lost most."""
    if mine.units is None or its.units is None:
        raise asking.no_units_to_move(metric=mine.label)
    names = [mine.units, its.units]
    if mine.units.dtype != its.units.dtype:
        names = [units.cast(pl.String) for units in names]
    left = pl.DataFrame({"query": names[0], "value": mine.values})
    right = pl.DataFrame({"query": names[1], "baseline": its.values})
    both = left.join(right, on="query", how="inner", maintain_order="left")
    both = both.filter(pl.col("value").is_finite() & pl.col("baseline").is_finite())
    way = mine.metric.direction
    gain = gained(both["value"], both["baseline"], "higher" if way == "none" else way)
    moves = []
    for better in (True, False):
        some = both.with_columns(gain.alias("gain")).filter(gain > 0 if better else gain < 0)
        some = some.sort(pl.col("gain").abs(), "query", descending=[True, False]).head(n)
        for query, value, baseline, _ in some.rows():
            shown, by_baseline = (_shown(side, mine.metric, query, items) for side in lists)
            moves.append(
                Moved(
                    query=query,
                    better=better,
                    value=value,
                    baseline=baseline,
                    shown=shown,
                    shown_by_baseline=by_baseline,
                )
            )
    return tuple(moves)


def _shown(lists: Lists | None, metric: Metric, query: object, items: int) -> tuple[ShownItem, ...]:
    if lists is None or metric.reads not in ("hits", "lists"):
        return ()
    try:
        lists.check(query)
        (ranked,) = lists.shown(metric.need(), [query])
    except (SteelyardError, ValueError):  # not kept, or a query of the other system alone
        return ()
    grades = [None if np.isnan(grade) else float(grade) for grade in ranked.grade[:items]]
    names = [None] * len(grades) if ranked.items is None else list(ranked.items[:items])
    return tuple(ShownItem(item=name, grade=grade) for name, grade in zip(names, grades, strict=True))
