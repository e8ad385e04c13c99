"""One metric, measured; and all of them as one tidy table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Frozen, Ints
from steelyard.engine.binned import KEPT, Gone, kept
from steelyard.engine.class_values import Class
from steelyard.engine.influence import Influence
from steelyard.engine.units import Cells, Drawn
from steelyard.measure.certain import influence_of, limits_of
from steelyard.measure.certainty import Certainty
from steelyard.measure.intervals import Limits
from steelyard.measure.slices import CLASS_COLUMNS, ENDS, RESULT_COLUMNS
from steelyard.metrics import Metric
from steelyard.read.table import exactly


@dataclass(frozen=True, kw_only=True, eq=False)
class TieRange(Frozen):
    """What values would be, had ties stood in their worst and in their best order."""

    low: Floats
    high: Floats
    touched: Flags  # of each value, whether there is a tie whose order might move it

    def ends(self) -> dict[str, pl.Series]:
        """The columns of a table, null where no tie touches a value."""
        return {
            name: pl.Series(end).set(pl.Series(~self.touched), None)
            for name, end in (("tie_low", self.low), ("tie_high", self.high))
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured(Frozen):
    """One metric, measured: its value over everything and in each slice, and what it was read from.

    ``state`` is what the metric read, all in one segment, and ``parts`` the same with each slice a segment.
    Where a value is a mean over units, such as queries, ``each`` are their values and ``units`` their names.
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
    rests_on: pl.DataFrame | None = None  # of the whole, then of each slice, where the metric tells it
    thresholded: bool = False  # whether a threshold decided which class was predicted
    limits: Limits | None = None  # of the whole; None where no interval was asked for
    sliced_limits: Limits | None = None
    drawn: str = "rows"  # what is drawn as one: the column that names it, else queries or rows
    left: tuple[Influence | None, Influence | None] = (None, None)  # of both, where the rows are let go
    ties: TieRange | None = None  # where the order of tied rows may move the value, and both ends are known
    sliced_ties: TieRange | None = None

    @classmethod
    def of(
        cls,
        label: str,
        metric: Metric,
        state: Any,
        slices: pl.DataFrame | None,
        parts: Any,
        certainty: Certainty,
        **fields: Any,
    ) -> Measured:
        """Measure the whole, and every slice, each with its limits."""
        if hasattr(metric, "prepare") and certainty.ci != "none":
            for one in (state, parts):
                if one is not None:
                    metric.prepare(one)
        each = metric.each(state)
        whole = metric.measure(state, each)
        sliced = None if slices is None else metric.measure(parts, each)
        known = [
            None if certainty.ci == "none" or values is None else influence_of(metric, one, values, each)
            for one, values in ((state, whole), (parts, sliced))
        ]
        limits = limits_of(metric, state, whole, each, known[0], certainty)
        of_slices = None if sliced is None else limits_of(metric, parts, sliced, each, known[1], certainty)
        basis = [found for one in (state, parts) if one is not None and (found := metric.rests_on(one))]
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
            rests_on=pl.concat([pl.DataFrame(dict(one)) for one in basis]) if basis else None,
            limits=limits,
            sliced_limits=of_slices,
            left=(known[0], known[1]),
            drawn=state.drawn.told,
            **fields,
        )

    def kept(self) -> Measured:
        """The same as a result keeps it: without the rows, where they are very many."""
        k = getattr(self.metric, "k", None)
        state, parts = kept(self.state, k), kept(self.parts, k)
        known = state is self.state or self.left == (None, None)  # or nobody asked for it
        left = (None, None) if known else self._few_influences
        return replace(self, state=state, parts=parts, left=left)

    def slim(self) -> Measured:
        """The values alone, without what they were read from; of a mean over queries also what moves it."""
        left = self._few_influences[0] if self.metric.unit == "queries" and not self.entries else None
        return replace(self, state=Gone(n_rows=self.size), parts=None, left=(left, None))

    @property
    def influences(self) -> tuple[Influence | None, Influence | None]:
        """How much each unit moves the value of the whole, and those of the slices, as far as it is known."""
        if not isinstance(self.state, Drawn):
            return self.left
        one, other = (
            None if values is None else self._influence(known, state, values)
            for known, state, values in zip(
                self.left, (self.state, self.parts), (self.whole, self.sliced), strict=True
            )
        )
        return one, other

    def _influence(self, known: Influence | None, state: Any, values: Floats) -> Influence | None:
        found = influence_of(self.metric, state, values, self.each) if known is None else known
        if found is None:
            return None
        cells: Cells = state.cells
        if _same(found.owner, cells.owner) and _same(found.unit, cells.unit):
            return replace(found, weight=state.cell_weight)
        if cells.owner is None and found.unit is not None:  # a unit weighs the same in every value
            return replace(found, weight=state.cell_weight[found.unit])
        return found

    @property
    def _few_influences(self) -> tuple[Influence | None, Influence | None]:
        """Those of so many units as can be kept."""
        whole, sliced = (one if one is not None and one.size <= KEPT else None for one in self.influences)
        return whole, sliced

    @property
    def size(self) -> int:
        """How many rows or queries it was measured on."""
        found: int = self.state.size
        return found

    @property
    def values(self) -> Floats:
        """The value of each unit, where the metric has some."""
        assert self.each is not None
        return self.each

    @property
    def unit_names(self) -> pl.Series:
        """The names of its units, where the metric has some."""
        assert self.units is not None
        return self.units

    @property
    def left_out(self) -> Flags:
        """Which units count and have no value."""
        undefined: Flags = self.state.counts & np.isnan(self.values)
        return undefined

    def tidy_rows(self) -> pl.DataFrame:
        """Its rows of the tidy table: the whole, then every slice."""
        whole = self._rows(self.state, self.whole, self.limits, self.ties)
        if self.slices is None or self.sliced is None:
            return whole
        values = self._rows(self.parts, self.sliced, self.sliced_limits, self.sliced_ties)
        each = max(1, len(self.entries))
        names = self.slices.select(pl.all().repeat_by(each).explode()) if each > 1 else self.slices
        return under(whole, pl.concat([names, values], how="horizontal"), self.slices.columns)

    def _rows(self, state: Any, values: Floats, limits: Limits | None, ties: TieRange | None) -> pl.DataFrame:
        n, undefined = self.metric.covered(state, values, self.each)
        ends: dict[str, Floats | pl.Series] = {}
        if limits is not None and limits.kind != "none":
            ends |= {"ci_low": limits.low, "ci_high": limits.high}
        if ties is not None:
            ends |= ties.ends()
        frame = _frame(self.label, values.reshape(-1), ends, n.reshape(-1), undefined.reshape(-1))
        entries = self.entries
        if not entries:
            return frame
        columns = [
            pl.Series(name, [str(entry[at]) for entry in entries] * len(values), dtype=pl.String)
            for at, name in enumerate(CLASS_COLUMNS[: len(entries[0])])
        ]
        return frame.with_columns(columns)


def _same(one: Ints | None, other: Ints | None) -> bool:
    if one is None or other is None:
        return one is other
    return one is other or np.array_equal(one, other)


def of_state(measured: Iterable[Measured], kind: type | UnionType) -> list[Measured]:
    """Those that read a state of this kind, and still have it."""
    return [one for one in measured if isinstance(one.state, kind)]


def tidy(measured: Sequence[Measured], by: Sequence[str]) -> pl.DataFrame:
    """A tidy frame: slice columns, metric, value, its interval and its range by ties, n, undefined.

    The whole comes first.

    Where a metric has a value per class there also are the columns ``class`` and ``predicted``.
    """
    every = pl.concat([one.tidy_rows() for one in measured], how="diagonal_relaxed")
    used = [name for name in RESULT_COLUMNS if name in every.columns]
    return every.select(exactly([*by, *used]))


def under(whole: pl.DataFrame, sliced: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The row of the whole, which has null in the slice columns, above those of the slices."""
    nowhere = [pl.lit(None, pl.String).alias(name) for name in columns]
    return pl.concat([whole.with_columns(nowhere).select(exactly(sliced.columns)), sliced])


def _frame(
    label: str, values: Floats, ends: Mapping[str, Floats | pl.Series], n: Ints, undefined: Ints
) -> pl.DataFrame:
    unknown = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(values))
    return pl.DataFrame(
        {
            "metric": pl.Series([label]).new_from_index(0, len(values)),
            "value": values,
            **{name: ends.get(name, unknown) for name in ENDS},
            "n": n.astype(np.int64),
            "undefined": undefined.astype(np.int64),
        }
    )
