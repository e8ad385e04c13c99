"""The tidy table of a comparison: a row for each metric, slice, system and baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.engine.slices import CLASS_COLUMNS, is_whole
from steelyard.kernels.means import segment_sum
from steelyard.metrics.base import gained
from steelyard.read.table import exactly
from steelyard.stats.compare import Contrast
from steelyard.stats.p_values import effect_size
from steelyard.stats.significance import Significance
from steelyard.stats.testing import Procedure, corrected, detectable
from steelyard.text.labels import FLOORED

COLUMNS = (
    *("metric", *CLASS_COLUMNS, "system", "baseline", "value", "difference", "ci_low", "ci_high"),
    *("p", "p_corrected", "effect", "better", "same", "worse", "n", "detectable", "detectable_corrected"),
)
WORKINGS = ("deviation", FLOORED)  # columns that the table does not show; the first is of a unit's difference
_UNKNOWN = (
    *("deviation", "ci_low", "ci_high", "p", "p_corrected", "effect"),
    *("detectable", "detectable_corrected"),
)


def table(
    contrasts: Sequence[Contrast], verdicts: Sequence[Significance], by: Sequence[str], testing: Procedure
) -> pl.DataFrame:
    """The rows, metric by metric: the whole, then its slices, each with every pair; null is not known.

    The p-values of the whole are corrected as one family of tests, those of slices as another.
    """
    frames = []
    for sliced in (False, True):
        family = [
            both for both in zip(contrasts, verdicts, strict=True) if (both[0].places is not None) == sliced
        ]
        every = np.concatenate([np.empty(0), *(verdict.p for _, verdict in family)])
        tests = max(1, int(np.isfinite(every).sum()))
        ends = np.cumsum([len(verdict.p) for _, verdict in family])
        adjusted = np.split(corrected(every, testing.correct), ends[:-1])
        frames += [
            _frame(contrast, verdict, p, by, testing, tests)
            for (contrast, verdict), p in zip(family, adjusted, strict=False)
        ]
    rows = pl.concat(frames, how="diagonal_relaxed")
    used = [*by, *(name for name in (*COLUMNS, *WORKINGS) if name in rows.columns)]
    unknown = [pl.col(name).fill_nan(None) for name in _UNKNOWN]
    return rows.select(exactly(used)).with_columns(unknown)[_order(rows, by)]


def _order(rows: pl.DataFrame, by: Sequence[str]) -> Ints:
    metrics = rows["metric"].unique(maintain_order=True)
    first = metrics.to_frame().with_row_index("place")
    place = [rows.select("metric").join(first, on="metric", how="left", maintain_order="left")["place"]]
    if by:
        names = rows.select(exactly(by))
        slices = names.unique(maintain_order=True).with_row_index("place of the slice")
        found = names.join(slices, on=exactly(by), how="left", nulls_equal=True, maintain_order="left")
        place.append(found["place of the slice"])
    return np.lexsort([one.to_numpy() for one in reversed(place)])


def _frame(
    one: Contrast, verdict: Significance, adjusted: Floats, by: Sequence[str], testing: Procedure, tests: int
) -> pl.DataFrame:
    units = one.units
    n = len(one.value)
    unknown = np.full(n, np.nan)
    system, baseline = one.pair
    effect = least = least_corrected = deviation = unknown
    if units is not None:
        variance = np.where(units.variance > 0, units.variance, np.nan)  # without one nothing is known
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
        "deviation": deviation,
        FLOORED: verdict.floored,
    }
    sliced = {name: pl.repeat(None, n, dtype=pl.String, eager=True) for name in by}
    sliced |= {column.name: column for column in one.keys}
    made = pl.DataFrame({**sliced, **columns})
    counts = [pl.col(name).cast(pl.Int64) for name in ("better", "same", "worse", "n")]
    return made.with_columns(counts)


def _better(one: Contrast) -> dict[str, Ints | None]:
    """How many units the system serves better, the same and worse; None where no side is better."""
    units, way = one.units, one.metric.direction
    if units is None or units.welch is not None or way == "none":
        return dict.fromkeys(("better", "same", "worse"))
    if way == "nearest_1" and units.each is None:
        return dict.fromkeys(("better", "same", "worse"))
    gain = units.gain(way)
    known = ~np.isnan(gain)
    owner, gain, n = units.owner[known], gain[known], len(one.value)
    found = {"better": gain > 0, "same": gain == 0, "worse": gain < 0}
    return {name: segment_sum(flags, owner, n).astype(np.int64) for name, flags in found.items()}


_LEAST, _MOST = "least of its values", "greatest of its values"


def not_common(rows: pl.DataFrame, by: Sequence[str]) -> tuple[str, ...]:
    """The metrics for which the values of a system depend on the system it is compared with."""
    apart = _sides(rows, by).filter(_differ(_LEAST, _MOST))
    return tuple(apart["metric"].unique(maintain_order=True))


def with_common(rows: pl.DataFrame, compared: pl.DataFrame, system: str, by: Sequence[str]) -> pl.DataFrame:
    """The rows of a system with its values on the units that it shares, where these are always the same."""
    keys = exactly(_keys(compared, by))
    common = _sides(compared, by).filter(pl.col("system") == system, ~_differ(_LEAST, _MOST))
    common = common.filter(~pl.col("metric").is_in(not_common(compared, by))).drop("system", _MOST)
    both = rows.join(common, on=keys, how="left", nulls_equal=True, maintain_order="left")
    other = _differ(_LEAST, "value").fill_null(False)
    return both.with_columns(pl.when(other).then(_LEAST).otherwise("value").alias("value")).drop(_LEAST)


def _keys(rows: pl.DataFrame, by: Sequence[str]) -> list[str]:
    return [*by, "metric", *(name for name in CLASS_COLUMNS if name in rows.columns)]


def _sides(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The least and the greatest value that each system has, beside whatever it is compared with."""
    keys = exactly(_keys(rows, by))
    value = pl.col("value")
    sides = [
        rows.select(keys, "system", value),
        rows.select(keys, pl.col("baseline").alias("system"), value - pl.col("difference")),
    ]
    known = pl.concat(sides).with_columns(value.fill_nan(None))
    spans = known.group_by(keys, "system", maintain_order=True)
    return spans.agg(value.min().alias(_LEAST), value.max().alias(_MOST))


def _differ(one: str, other: str) -> pl.Expr:
    """Whether two columns differ by more than rounding; infinite values do not from themselves."""
    gap, size = (pl.col(one) - pl.col(other)).abs(), pl.max_horizontal(pl.col(one).abs(), pl.lit(1.0))
    return (pl.col(one) != pl.col(other)) & (gap > 1e-9 * size)


def lost_slices(compared: pl.DataFrame, by: Sequence[str], ways: Mapping[str, str]) -> pl.DataFrame:
    """The slices where a system that is better on the whole is worse, the worst first."""
    rows = compared.drop(WORKINGS).with_columns(_gain(ways).alias("gain in this row"))
    keys = ["metric", *(name for name in CLASS_COLUMNS if name in rows.columns), "system", "baseline"]
    whole = is_whole(rows, by)
    of_whole = rows.filter(whole).select(
        *keys, pl.col("difference").alias("overall"), pl.col("gain in this row").alias("gain overall")
    )
    both = rows.filter(~whole).join(of_whole, on=keys, nulls_equal=True, maintain_order="left")
    lost = both.filter((pl.col("gain overall") > 0) & (pl.col("gain in this row") < 0))
    at = lost.columns.index("difference") + 1
    order = [*lost.columns[:at], "overall", *lost.columns[at:]]
    used = [name for name in dict.fromkeys(order) if name not in ("gain in this row", "gain overall")]
    return lost.sort("gain in this row", maintain_order=True).select(used)


def _gain(ways: Mapping[str, str]) -> pl.Expr:
    """How much better a row's system is than its baseline; null where no side is better."""
    way = pl.col("metric").replace_strict(list(ways), list(ways.values()), return_dtype=pl.String)
    value, difference = pl.col("value"), pl.col("difference")
    gain = pl.when(way == "nearest_1").then(gained(value, value - difference, "nearest_1"))
    return gain.when(way == "lower").then(-difference).when(way == "higher").then(difference)
