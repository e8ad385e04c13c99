"""One metric, measured; and the tables of all that were measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import UnionType
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Frozen, Ints
from steelyard.conventions import Certainty, Ties
from steelyard.engine.columns import KEPT, Class
from steelyard.engine.influence import Cells, Influence, Sampled
from steelyard.engine.kept import DroppedRows, kept
from steelyard.engine.protocol import Need
from steelyard.engine.ranked import Ranked
from steelyard.engine.slices import CLASS_COLUMNS, ENDS, RESULT_COLUMNS
from steelyard.metrics import Metric
from steelyard.stats.intervals import Limits, influence_by_moves, influence_of, limits_of
from steelyard.text import say
from steelyard.text.errors import reading

COVERAGE = ("used", "all_positive", "all_negative", "share_of_rows")
_OF_CERTAINTY = {
    "interval": pl.String,
    "level": pl.Float64,
    "unit": pl.String,
    "units": pl.Int64,
    "effective_units": pl.Float64,
    "standard_error": pl.Float64,
}
_EACH = 5  # queries from either end


@dataclass(frozen=True, kw_only=True, eq=False)
class TieRange(Frozen):
    """What values would be, had ties stood in their worst and in their best order."""

    low: Floats
    high: Floats
    touched: Flags  # of each value, whether there is a tie whose order might move it


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured(Frozen):
    """One metric, measured: its value over everything and in each slice, and what it was read from.

    ``state`` is what the metric read, all in one segment, and ``parts`` the same with each slice a segment.
    If a value is a mean over units, such as queries, ``each`` are their values and ``units`` their names.
    """

    label: str
    metric: Metric
    state: Any
    whole: Floats
    each: Floats | None = None
    units: pl.Series | None = None
    parts: Any = None
    sliced: Floats | None = None
    entries: tuple[tuple[Class, ...], ...] = ()  # what each value stands for, where there are several
    slices: pl.DataFrame | None = None  # the name of each slice, a column for each slice column
    support: pl.DataFrame | None = None  # of the whole, then of each slice, if it is known
    thresholded: bool = False  # whether a threshold decided which class was predicted
    limits: Limits | None = None  # of the whole; None without an interval
    sliced_limits: Limits | None = None
    drawn: str = "rows"  # the cluster (resampling unit): a column, else queries or rows
    left: tuple[Influence | None, Influence | None] = (None, None)  # of both, where the rows were dropped
    ties: TieRange | None = None  # if the order of tied rows may move the value, and both ends are known
    sliced_ties: TieRange | None = None
    sampled: tuple[Any, Any] | None = None  # the units of both, where they are not those of the states

    @classmethod
    def of(
        cls,
        label: str,
        metric: Metric,
        state: Any,
        slices: pl.DataFrame | None,
        parts: Any,
        certainty: Certainty,
        moved: Sequence[tuple[Any, Floats]] | None = None,
        **fields: Any,
    ) -> Measured:
        """``moved`` are units, and how much each moves the value, where these were measured elsewhere."""
        read = [state] if parts is None else [state, parts]
        if hasattr(metric, "prepare") and certainty.ci != "none":
            for segments in read:
                metric.prepare(segments)
        each = metric.each(state)
        whole = metric.measure(state, each)
        sliced = None if slices is None else metric.measure(parts, each)
        units, of_units = state, parts
        if moved is None:
            influence, of_slices = [
                None
                if certainty.ci == "none" or values is None
                else influence_of(metric, segments, values, each)
                for segments, values in ((state, whole), (parts, sliced))
            ]
        else:
            influence, of_slices, *_ = (*(influence_by_moves(metric, *one) for one in moved), None)
            units, of_units, *_ = (*(rows for rows, _ in moved), None)
        support = [columns for segments in read if (columns := metric.support(segments))]
        return cls(
            label=label,
            metric=metric,
            state=state,
            whole=whole,
            each=each,
            units=metric.units(state),
            entries=tuple(metric.entries(state)),
            parts=parts,
            sliced=sliced,
            slices=slices,
            support=pl.concat([pl.DataFrame(dict(columns)) for columns in support]) if support else None,
            limits=limits_of(metric, units, whole, each, influence, certainty),
            sliced_limits=(
                None if sliced is None else limits_of(metric, of_units, sliced, each, of_slices, certainty)
            ),
            left=(influence, of_slices),
            drawn=units.drawn.sentence,
            sampled=None if moved is None else (units, of_units),
            **fields,
        )

    def kept(self) -> Measured:
        """The same as a result keeps it: without the rows, where they are very many."""
        if isinstance(self.state, Ranked):  # hits are few
            return replace(self, left=(None, None))
        k = getattr(self.metric, "k", None)
        state, parts = kept(self.state, k), kept(self.parts, k)
        known = state is self.state or self.left == (None, None)  # or nobody asked for it
        left = (None, None) if known else self._few_influences
        return replace(self, state=state, parts=parts, left=left, sampled=None)

    def slim(self) -> Measured:
        """The values alone, without what they were read from; of a mean over queries also what moves it."""
        left = self._few_influences[0] if self.metric.unit == "queries" and not self.entries else None
        return replace(self, state=DroppedRows(n_rows=self.size), parts=None, left=(left, None), sampled=None)

    def in_order(self, ranked: Ranked, *, sliced: bool = False) -> Floats:
        """The value of the whole, or of each slice, under another order of ties."""
        if ranked is self.state:
            return self.sliced if sliced and self.sliced is not None else self.whole
        metric, parts = self.metric, self.parts if sliced else self.state
        if metric.undefined == "error":  # only the order that counts may refuse
            metric = metric.replace(undefined="nan")
        like = replace(ranked, weight=parts.weight, segment=parts.segment, n_segments=parts.n_segments)
        return metric.measure(like)

    def with_ties(self, orders: Callable[[Ties], Ranked], touched: Flags) -> Measured:
        """The same with the values of a monotone metric under the worst and the best order of ties.

        ``touched`` are the queries in which a tie may move something.
        """

        def ends(*, sliced: bool) -> TieRange:
            low, high = (self.in_order(orders(ties), sliced=sliced) for ties in ("pessimistic", "optimistic"))
            state = self.parts if sliced else self.state
            touches = np.bincount(state.segments, touched & state.counts, minlength=state.n_segments) > 0
            return TieRange(low=low, high=high, touched=touches)

        sliced = None if self.sliced is None else ends(sliced=True)
        return replace(self, ties=ends(sliced=False), sliced_ties=sliced)

    @property
    def influences(self) -> tuple[Influence | None, Influence | None]:
        """How much each unit moves the value of the whole, and those of the slices, if it is known."""
        state, parts = self.sampled or (self.state, self.parts)
        if not isinstance(state, Sampled):
            return self.left
        whole = self._influence(self.left[0], state, self.whole)
        return whole, None if self.sliced is None else self._influence(self.left[1], parts, self.sliced)

    def _influence(self, known: Influence | None, state: Any, values: Floats) -> Influence | None:
        influence = influence_of(self.metric, state, values, self.each) if known is None else known
        if influence is None:
            return None
        cells: Cells = state.cells
        if _same(influence.owner, cells.owner) and _same(influence.unit, cells.unit):
            return replace(influence, weight=state.cell_weight)
        if cells.owner is None and influence.unit is not None:  # a unit has one weight in every value
            return replace(influence, weight=state.cell_weight[influence.unit])
        return influence

    @property
    def _few_influences(self) -> tuple[Influence | None, Influence | None]:
        whole, sliced = self.influences
        return (
            whole if whole is not None and whole.size <= KEPT else None,
            sliced if sliced is not None and sliced.size <= KEPT else None,
        )

    @cached_property
    def need(self) -> Need:
        return self.metric.need()

    @property
    def size(self) -> int:
        return int(self.state.size)

    @property
    def values(self) -> Floats:
        assert self.each is not None
        return self.each

    @property
    def unit_names(self) -> pl.Series:
        assert self.units is not None
        return self.units

    def rows(self, state: Any, values: Floats, limits: Limits | None, ties: TieRange | None) -> pl.DataFrame:
        n, undefined = self.metric.covered(state, values, self.each)
        flat = values.reshape(-1)
        unknown = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(flat))
        label = pl.Series([self.label]).new_from_index(0, len(flat))
        columns: dict[str, Any] = {"metric": label, "value": flat, **dict.fromkeys(ENDS, unknown)}
        if limits is not None and limits.kind != "none":
            columns |= {"ci_low": limits.low, "ci_high": limits.high}
        if ties is not None:  # null where no tie touches a value
            for name, end in (("tie_low", ties.low), ("tie_high", ties.high)):
                columns[name] = pl.Series(end).set(pl.Series(~ties.touched), None)
        columns |= {"n": n.reshape(-1).astype(np.int64), "undefined": undefined.reshape(-1).astype(np.int64)}
        for at, name in enumerate(CLASS_COLUMNS[: len(self.entries[0])] if self.entries else ()):
            classes = [str(entry[at]) for entry in self.entries] * len(values)
            columns[name] = pl.Series(classes, dtype=pl.String)
        return pl.DataFrame(columns)


def _same(one: Ints | None, other: Ints | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def of_state(measured: Iterable[Measured], kind: type | UnionType) -> list[Measured]:
    return [one for one in measured if isinstance(one.state, kind)]


def tidy(measured: Sequence[Measured], by: Sequence[str]) -> pl.DataFrame:
    """A tidy frame: slice columns, metric, value, its interval and its range by ties, n, undefined.

    The whole comes first. Values per class have the columns ``class`` and ``predicted``.
    """
    parts = []
    for one in measured:
        whole = one.rows(one.state, one.whole, one.limits, one.ties)
        if one.slices is None or one.sliced is None:
            parts.append(whole)
            continue
        values = one.rows(one.parts, one.sliced, one.sliced_limits, one.sliced_ties)
        width = max(1, len(one.entries))
        names = one.slices.select(pl.all().repeat_by(width).explode()) if width > 1 else one.slices
        nowhere = [pl.lit(None, pl.String).alias(name) for name in one.slices.columns]
        parts += [whole.with_columns(nowhere), pl.concat([names, values], how="horizontal")]
    rows = pl.concat(parts, how="diagonal_relaxed")
    used = [name for name in RESULT_COLUMNS if name in rows.columns]
    # a mapping, since a list of columns would rename one without a name
    return pl.DataFrame({name: rows[name] for name in [*by, *used]})


def group_coverage(measured: Sequence[Measured], by: Sequence[str]) -> pl.DataFrame:
    """How many groups each mean over groups uses, as a tidy frame; the whole comes first, then each slice."""
    parts = []
    for one in measured:
        if one.support is None:
            continue
        for name in by:
            if name in one.support.columns:
                raise reading.repeated_column(name=say("the table of groups"), column=name)
        names = pl.DataFrame({name: [None] for name in by}, schema=dict.fromkeys(by, pl.String))
        if one.slices is not None:
            names = pl.concat([names, one.slices])
        label = pl.repeat(one.label, one.support.height, dtype=pl.String, eager=True).alias("metric")
        parts.append(pl.concat([*([names] if by else []), label.to_frame(), one.support], how="horizontal"))
    return pl.concat(parts) if parts else pl.DataFrame()


def certainty_table(
    rows: pl.DataFrame, measured: Sequence[Measured], by: Sequence[str], certainty: Certainty
) -> pl.DataFrame:
    """The values of the tidy table with their intervals, and what these were made of."""
    for name in by:
        if name in _OF_CERTAINTY:
            raise reading.repeated_column(name=say("the table of intervals"), column=name)
    kept = [*by, "metric", *CLASS_COLUMNS, "value", "ci_low", "ci_high"]
    parts = []
    for one in measured:  # in the order of the tidy table
        for values, limits in ((one.whole, one.limits), (one.sliced, one.sliced_limits)):
            if values is not None:
                n, known = values.size, limits is not None and limits.kind != "none"
                parts.append(
                    {
                        "interval": [limits.kind if limits else "none"] * n,
                        "level": [certainty.level] * n,
                        "unit": [one.drawn] * n,
                        "units": limits.units if limits and known else [None] * n,
                        "effective_units": limits.fewest if limits and known else [None] * n,
                        "standard_error": limits.error if limits and known else [None] * n,
                    }
                )
    basis = pl.concat([pl.DataFrame(part, schema=_OF_CERTAINTY, strict=False) for part in parts])
    return pl.DataFrame({name: rows[name] for name in kept if name in rows.columns} | basis.to_dict())


def extremes(one: Measured) -> tuple[Ints, Ints]:
    """The queries with the lowest and the highest values; a few queries all count as the lowest.

    Of equal values, queries with the most relevant items come first.
    """
    order = by_value(one)
    if len(order) <= 2 * _EACH:
        return order, order[:0]
    relevant = one.state.n_relevant(relevance_of(one))[order]
    highest: Ints = order[np.lexsort((-relevant, -one.values[order]))[:_EACH]]
    return order[:_EACH], highest


def by_value(one: Measured) -> Ints:
    """The queries with a value, the lowest first, then those with the most relevant items."""
    assert one.each is not None
    defined = np.flatnonzero(~np.isnan(one.each))
    relevant = one.state.n_relevant(relevance_of(one))
    order: Ints = defined[np.lexsort((-relevant[defined], one.each[defined]))]
    return order


def relevance_of(one: Measured) -> float:
    return float(getattr(one.metric, "rel", 1.0))
