"""One evaluation under way: the rankings it measures, and the labelled rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard.align import LabelledRows, RowTally
from steelyard.arrays import Floats, Ints
from steelyard.engines import Local, LocalMatrices, LocalRows, shown_lists
from steelyard.inputs import Inputs, Names, QueryWeights, RowInputs
from steelyard.measure import Measured, RowMeasured, RowSlices, Slices, all_notes, row_notes
from steelyard.messages import Message, say
from steelyard.messages.errors import asking
from steelyard.metrics import GAUC, LabelledMetric, RankingMetric, by_name
from steelyard.metrics.asked import Asked
from steelyard.rank import ShownList
from steelyard.states import Class


@dataclass(frozen=True, kw_only=True)
class RankingRun:
    """Lists of items: two tables, or one with grades inside."""

    tables: Inputs
    engine: Local
    slices: Slices | None
    weights: QueryWeights | None

    @classmethod
    def of(cls, tables: Inputs) -> RankingRun:
        """Number the ids, and give every query its slice and its weight."""
        if tables.grid is not None:
            engine = Local.of_grid(tables.grid, tables.exclude)
        else:
            engine = Local.of(tables.predictions, tables.truth, tables.exclude)
        return cls(
            tables=tables,
            engine=engine,
            slices=tables.slices(engine.encoded),
            weights=tables.query_weights(engine.encoded),
        )

    def measure(self, label: str, asked: RankingMetric) -> Measured:
        """One value for every query."""
        metric = asked.for_truth(self.engine.max_grade)
        ranked = self.engine.ranked(metric)
        weight = None if self.weights is None else self.weights.for_queries(ranked.queries)
        values = metric.measure(ranked)
        return Measured(label=label, metric=metric, ranked=ranked, values=values, weights=weight)

    def shown(self, metric: RankingMetric, queries: Sequence[object]) -> list[ShownList]:
        """The items of some queries in ranked order, each with its place and its grade."""
        return shown_lists(self.engine, metric, queries)

    @property
    def names(self) -> Names:
        """Where everything was read."""
        tables = self.tables
        return Names(
            predictions=tables.predictions.name,
            truth=None if tables.truth is tables.predictions else tables.truth.name,
            weights=None if self.weights is None else self.weights.name,
            exclude=None if tables.exclude is None else tables.exclude.name,
        )

    def notes(self, measured: Sequence[Measured], *, every: bool = True) -> list[Message]:
        """What a reader must know of these rankings; ``every`` says that nothing else was measured."""
        found = all_notes(measured, self.engine.counted, self.slices, every=every)
        return [*self.tables.notes, *self.engine.notes(), *found]


@dataclass(frozen=True, kw_only=True)
class RowRun:
    """Rows with labels: clicks, classes or ratings."""

    found: RowInputs
    engine: LocalRows | LocalMatrices
    slices: RowSlices | None

    @classmethod
    def of(cls, found: RowInputs, named: tuple[Class, ...] | None, asked: Sequence[Asked]) -> RowRun:
        """Give every row its slice and its weight; ``named`` are the classes that the caller named."""
        if not isinstance(found.rows, LabelledRows):
            matrices = LocalMatrices(found.rows.truth, found.rows.said, named, found.weight)
            return cls(found=found, engine=matrices, slices=None)
        at_thresholds = frozenset(one.metric for one in asked if one.states("threshold", "strict"))
        engine = LocalRows(found.rows, named, found.row_weights(), at_thresholds)
        return cls(found=found, engine=engine, slices=found.slices())

    @property
    def tally(self) -> RowTally:
        """What was read and what became of it."""
        rows, weight = self.found.rows, self.engine.weight
        read = rows.tally if isinstance(rows, LabelledRows) else RowTally(rows=len(rows.truth), unlabelled=0)
        return replace(read, weightless=0 if weight is None else int(np.count_nonzero(weight == 0)))

    def check(self, asked: Sequence[Asked]) -> None:
        """Refuse threshold metrics of two tables that hold a ranking: recall is not recall@k."""
        rows = self.found.rows
        if not isinstance(rows, LabelledRows) or len(rows.tables) == 1:
            return
        has = rows.frame.columns
        if {"query", "item"} <= set(has) and set(has) <= {"query", "item", "label", "score"}:
            for one in asked:
                metric, plain = one.metric, not one.stated - {"beta"}  # a threshold says what is meant
                if f"{metric.name}@k" in by_name() and metric.at == "never" and plain:
                    raise asking.needs_cutoff(metric.text().partition("(")[0])

    def measure(self, label: str, metric: LabelledMetric) -> RowMeasured:
        """One value for the whole, and one for each slice."""
        state = self.engine.state(metric)
        sliced = None
        if self.slices is not None and isinstance(self.engine, LocalRows):
            parts = self.engine.sliced(metric, self.slices.codes, self.slices.labels.height)
            sliced = (parts, metric.measure(parts))
        return RowMeasured(
            label=label,
            metric=metric,
            state=state,
            whole=metric.measure(state),
            sliced=sliced,
            per_group=self._per_group(metric, state),
            group_names=self._group_names(metric),
            thresholded=isinstance(self.engine, LocalRows) and self.engine.thresholded(metric),
        )

    def _per_group(self, metric: LabelledMetric, state: Any) -> Callable[[], tuple[pl.Series, Floats]] | None:
        """The AUC of each group, where a metric is a mean over groups."""
        found = self._group_names(metric)
        if not isinstance(metric, GAUC) or found is None:
            return None

        def values() -> tuple[pl.Series, Floats]:
            names, numbers = found()
            return names, metric.per_group(state)[numbers]

        return values

    def _group_names(self, metric: LabelledMetric) -> Callable[[], tuple[pl.Series, Ints]] | None:
        """The groups there are and their numbers, where a metric is a mean over groups."""
        engine = self.engine
        if not isinstance(metric, GAUC) or not isinstance(engine, LocalRows):
            return None
        return lambda: engine.group_names(metric)

    def notes(self, measured: Sequence[RowMeasured]) -> list[Message]:
        """What a reader must know of these rows."""
        rows = self.found.rows
        said = rows.tables[0] if isinstance(rows, LabelledRows) else None
        notes = [*self.found.notes, *row_notes(measured, self.slices, self.tally, said)]
        if isinstance(self.engine, LocalRows):
            notes += [note for one in measured for note in self.engine.notes(one.metric)]
        return list(dict.fromkeys(notes))

    @property
    def names(self) -> Names:
        """Where everything was read."""
        rows = self.found.rows
        if not isinstance(rows, LabelledRows):
            return Names(predictions=say("the arrays", key="arrays"))
        said, *true = rows.tables
        weights = say("an array") if self.found.weight is not None else None
        weights = say("column '{column}'", column=self.found.weights) if self.found.weights else weights
        return Names(predictions=said.name, truth=true[0].name if true else None, weights=weights)
