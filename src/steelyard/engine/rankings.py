"""Lists of items on one machine: each distinct convention is aligned and ranked once, then shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from steelyard import read
from steelyard.arrays import Floats
from steelyard.conventions import Align, Order, Rank, Scores, Ties
from steelyard.engine.align import Aligned, align, align_grid
from steelyard.engine.background import NO_SIDE_TABLES, SideTables
from steelyard.engine.coding import Encoded, EncodedGrid, encode, encode_labelled
from steelyard.engine.columns import named_units
from steelyard.engine.influence import Units
from steelyard.engine.protocol import Account, Call, Names, Need, Ranking, Tally, Wanted
from steelyard.engine.ranked import Counted, Ranked, count, settle
from steelyard.engine.slices import (
    Segments,
    Slices,
    column_values,
    constant_column,
    covered_in,
    slice_queries,
    table_with,
)
from steelyard.engine.top_lists import Listing, TopLists, no_truth
from steelyard.progress import Tell
from steelyard.read import Grid, Table, schema
from steelyard.read.sources import order_notes, read_from_one, system_notes
from steelyard.read.table import looked_up
from steelyard.text import Message, say
from steelyard.text.errors import ColumnError, reading
from steelyard.text.errors.forms import column_of
from steelyard.text.errors.reading import table_missing


@dataclass(frozen=True)
class QueryWeights:
    """How much each query counts in a mean; ``name`` is where the weights come from."""

    frame: pl.DataFrame
    name: str
    part: bool = False  # whether there are further queries

    @classmethod
    def of(
        cls, query: pl.Series, weight: pl.Series, name: str, *, untyped: bool = False, part: bool = False
    ) -> QueryWeights:
        def place(row: int) -> Message:
            return say("{name}, query {query}", name=name, query=query[row])

        checked = schema.weights(weight, place, untyped=untyped)
        return cls(pl.DataFrame({"query": query, "weight": checked}), name, part)

    def for_queries(self, queries: pl.Series) -> Floats:
        """The weight of each of these queries; each must have one, and one of them must count."""
        weights = looked_up(queries, self.frame["query"], self.frame["weight"])
        if n_missing := weights.null_count():
            first = queries.filter(weights.is_null())[0]
            raise reading.weight_missing(n=n_missing, name=self.name, query=first)
        if not weights.sum() and not self.part:
            raise reading.weights_all_zero(where=self.name)
        return weights.to_numpy()


class OpenedTables(NamedTuple):
    """The tables of one call, checked; the fields are those of ``Rankings``."""

    predictions: Table
    truth: Table
    grid: Grid | None
    exclude: Table | None
    weigher: Table | str | None  # a table of query weights, or the column that holds them
    side_tables: SideTables
    judged: bool
    tables: list[Table]  # predictions, and the truth if it is another table
    notes: tuple[Message, ...]

    @classmethod
    def read(cls, call: Call, wanted: Wanted, segments: Segments | None) -> OpenedTables:
        columns = call.columns
        call.warm_up()
        weigher = read.weight_column(columns) if columns and call.weights is None else call.weights
        extra = [*wanted.by, *([wanted.unit] if wanted.unit else [])]
        if segments is not None:
            extra = [column for column in extra if not segments.holds(column)]
        if isinstance(weigher, str):
            extra.append(weigher)
        judged = call.truth is not None or any(map(_reads_truth, wanted.needs))
        predicted, true, grid = _tables(call, wanted, extra, judged=judged)
        tables = [predicted, true] if judged and true is not predicted else [predicted]
        if call.exclude is not None and "item" not in predicted.frame.columns:
            raise reading.missing_column(predicted.name, "item", predicted.columns, near=None)
        exclude = None if call.exclude is None else read.pairs(call.exclude, columns=columns)
        if isinstance(weigher, str):
            read.check_weight(weigher, true)
        elif weigher is not None:
            weigher = read.query_weights(weigher, columns=columns)
        side_tables = NO_SIDE_TABLES
        notes = read_from_one(call.predictions, call.truth, predicted, true)
        if call.side_tables:
            side_tables = SideTables.read(call.side_tables, columns, wanted.orders)
            notes += tuple(side_tables.notes)
        if columns:
            given = (exclude, weigher, None if segments is None else segments.table)
            further = [table for table in given if isinstance(table, Table)]
            read.check_columns(columns, *tables, *further, *side_tables.tables.values())
        if not read.is_matrix(call.predictions):
            notes += system_notes(predicted)
            if not predicted.part:
                notes += order_notes(predicted, wanted.orders, columns, alone=call.truth is None)
        return cls(predicted, true, grid, exclude, weigher, side_tables, judged, tables, notes)


@dataclass(frozen=True, kw_only=True)
class Rankings:
    """Lists of items: two tables, one with grades inside, or two matrices.

    ``truth`` is ``predictions`` where the grades are inside, and has no row where there is no truth.
    """

    predictions: Table
    truth: Table
    exclude: Table | None
    grid: Grid | None  # matrices that stay as they are; the two tables then have no rows
    encoded: Any  # Encoded or EncodedGrid; None where no row is kept
    judged: bool  # whether there is a truth
    max_grade: float
    settled: dict[str, Any]  # the conventions that the data leaves no choice about
    side_tables: SideTables
    table_notes: tuple[Message, ...]  # about the tables together
    segments: Segments | None = None
    slices: Slices | None = None
    weights: QueryWeights | None = None
    unit: str | None = None  # the column that names units
    unit_of: pl.DataFrame | None = None  # the unit of each query, where a column names it
    some: bool = False  # whether the rows of some queries only are kept
    longest: int | None = None  # how many items of a list are read at most; None for whole lists
    _aligned: dict[tuple[Align, Order, bool], Aligned] = field(default_factory=dict)
    _counted: dict[tuple[Align, Order, Scores, bool], Counted] = field(default_factory=dict)
    _rankings: dict[tuple[Align, Rank], Ranking] = field(default_factory=dict)
    _states: dict[Need, Ranked | TopLists] = field(default_factory=dict)
    _ordered: dict[tuple[Need, Ties], Ranked] = field(default_factory=dict)  # in orders not asked for
    _listed: dict[tuple[Align, Rank], Ranking] = field(default_factory=dict)  # of lists as a whole

    @classmethod
    def of(cls, opened: OpenedTables, wanted: Wanted, tell: Tell, segments: Segments | None) -> Rankings:
        predicted, true, grid, weigher = opened.predictions, opened.truth, opened.grid, opened.weigher
        tell(say("matching predictions and truth"))
        encoded: Encoded | EncodedGrid
        if grid is not None:
            encoded = EncodedGrid.of(grid, opened.exclude)
        elif predicted is true and "item" not in predicted.frame.columns:
            encoded = encode_labelled(predicted)
        else:
            encoded = encode(predicted, true, opened.exclude)
        has, unit = predicted.frame.columns, wanted.unit
        order = "score" if "score" in has else "rank" if "rank" in has else "given"
        grades = true.frame["relevance"].to_numpy() if grid is None else grid.grade
        queries = (encoded.predictions.queries, encoded.truth.queries)
        sides = list(zip(opened.tables, queries, strict=False))
        tops = [need.top for need in wanted.needs if need.reads == "lists"]
        return cls(
            predictions=predicted,
            truth=true,
            exclude=opened.exclude,
            grid=grid,
            encoded=encoded,
            judged=opened.judged,
            side_tables=opened.side_tables,
            table_notes=opened.notes,
            segments=segments,
            max_grade=float(grades.max(initial=0.0)),
            settled={"order": order} if "item" in has else {"order": order, "ties": "expected"},
            slices=slice_queries(wanted.by, encoded.queries, sides, segments) if wanted.by else None,
            weights=None if weigher is None else _query_weights(weigher, encoded, sides),
            unit=unit,
            unit_of=None if unit is None else _unit_of(unit, encoded, sides, segments),
            longest=None if not tops or None in tops else max(top for top in tops if top is not None),
        )

    @property
    def tables(self) -> list[Table]:
        two = self.judged and self.truth is not self.predictions
        return [self.predictions, self.truth] if two else [self.predictions]

    @property
    def names(self) -> Names:
        return Names(
            predictions=self.predictions.name,
            truth=self.truth.name if self.judged and self.truth is not self.predictions else None,
            weights=None if self.weights is None else self.weights.name,
            exclude=None if self.exclude is None else self.exclude.name,
        )

    @property
    def grades(self) -> Floats:  # of a matrix those other than 0
        return self.truth.frame["relevance"].to_numpy() if self.grid is None else self.grid.grade

    def clear_caches(self, *, aligned: bool = True) -> None:  # each takes much memory of many rows
        kept = (self._aligned, self._counted, self._rankings, self._listed) if aligned else ()
        for made in (self._states, self._ordered, *kept):
            made.clear()

    def state(self, need: Need) -> Ranked | TopLists:
        if need in self._states:
            return self._states[need]
        found: Ranked | TopLists
        if need.reads == "hits":
            found = settle(self.counted(need), need.convention[1])
        else:
            found = self.listing.lists(need, self.longest)
            meeting, rank = need.convention
            tally = self.listing.tally(need, found)
            self._listed.setdefault(need.convention, Ranking(align=meeting, rank=rank, tally=tally))
        if self.weights is not None or self.unit_of is not None:
            found = self.attached(found)
        self._states[need] = found
        return found

    def attached(self, state: Ranked | TopLists) -> Ranked | TopLists:
        """The same with the weights and the units of its queries."""
        weight = None if self.weights is None else self.weights.for_queries(state.queries)
        return replace(state, weight=weight, units=self._units(state.queries))

    def split(
        self, _need: Need, state: Ranked | TopLists
    ) -> tuple[pl.DataFrame | None, Ranked | TopLists | None]:
        if self.slices is None:
            return None, None
        codes, labels = self.slices.inhabited(state.queries)
        return labels, replace(state, segment=codes, n_segments=labels.height)

    def ordered(self, need: Need, ties: Ties) -> Ranked:
        if need.convention[1].ties == ties:
            asked = self.state(need)
            assert isinstance(asked, Ranked)
            return asked
        if (need, ties) not in self._ordered:
            self._ordered[need, ties] = settle(self.counted(need), need.convention[1], ties)
        return self._ordered[need, ties]

    def listed_tally(self, need: Need) -> Tally:
        return self._listed[need.convention].tally

    @cached_property
    def listing(self) -> Listing:
        encoded = self.encoded
        if isinstance(encoded, EncodedGrid):  # every cell is a row
            encoded = encoded.encoded(np.arange(len(encoded.queries)))
        return Listing.of(encoded, self.side_tables, judged=self.judged, exclude=self.exclude)

    def _units(self, queries: pl.Series) -> Units | None:  # None where each is one of its own
        if self.unit_of is None:
            return None
        return named_units(looked_up(queries, self.unit_of["query"], self.unit_of["value"]), self.unit)

    def count_key(self, need: Need) -> tuple[Align, Order, Scores, bool]:
        """What decides how hits are counted; orders of ties share it."""
        meeting, order = need.convention
        return meeting, order.order, order.scores, need.judged_zeros

    def counted(self, need: Need) -> Counted:  # ties open
        convention = need.convention
        meeting, order = convention
        key = (meeting, order.order, order.scores, need.judged_zeros)
        if key not in self._counted:
            met = (meeting, order.order, need.judged_zeros and isinstance(self.encoded, EncodedGrid))
            if met not in self._aligned:
                if isinstance(self.encoded, EncodedGrid):  # which does not say what is judged with 0
                    made = align_grid(self.encoded, meeting, order.order, as_rows=need.judged_zeros)
                else:
                    made = align(self.encoded, meeting, order.order)
                self._aligned[met] = made
            self._counted[key] = count(self._aligned[met], order, self.max_grade, zeros=need.judged_zeros)
        counted = self._counted[key]
        if convention not in self._rankings:
            self._rankings[convention] = Ranking(align=meeting, rank=order, tally=counted.tally)
        return counted

    def account(self) -> Account:
        rankings, coverage = (*self._rankings.values(), *self._listed.values()), {}
        tally = rankings[0].tally
        outside = [n for one in self._listed.values() if (n := one.tally.outside_catalog)]
        if self.slices is not None and self.judged:
            coverage["queries"] = self._covered(self.slices)
        return Account(
            tally=tally.also(outside_catalog=outside[0]) if outside else tally,
            rankings=rankings,
            slice_coverage=coverage,
            inputs=self._inputs(),
        )

    def _covered(self, slices: Slices) -> pl.DataFrame:
        queries = self.encoded.truth.queries.unique(maintain_order=True)
        predicted = queries.is_in(self.encoded.predictions.queries.unique().implode())
        codes, labels = slices.inhabited(queries)
        return covered_in(labels, codes, predicted.to_numpy())

    def _inputs(self) -> dict[str, pl.DataFrame]:
        found, grid = {}, self.grid
        if grid is not None:  # the grades other than 0
            row, column = np.divmod(grid.cell, grid.shape[1])
            found["truth"] = pl.DataFrame({"query": row, "item": column, "relevance": grid.grade})
        elif self.judged:
            frame = self.truth.frame
            names = [name for name in ("query", "item", "relevance") if name in frame.columns]
            found["truth"] = pl.DataFrame([frame[name] for name in names])
        if self.exclude is not None:
            found["exclude"] = self.exclude.frame.select("query", "item")
        if self.side_tables is not NO_SIDE_TABLES:
            found |= self.side_tables.inputs()
        if self.judged and self.slices is None and self.unit_of is None and self.weights is None:
            return found
        side = self.encoded.truth if self.judged else self.encoded.predictions
        queries = side.queries.unique().alias("query").to_frame()
        if self.slices is not None:
            found["slices"] = queries.with_columns(self.slices.columns(queries["query"]))
        if self.unit_of is not None:
            found["units"] = queries.join(self.unit_of, on="query", how="left")
        elif not self.judged:
            found["units"] = queries
        if self.weights is not None:
            found["weights"] = queries.join(self.weights.frame, on="query", how="left")
        return found

    def notes(self, states: Sequence[Ranked | TopLists], *, graded: bool) -> list[Message]:
        notes = [*self.table_notes, *[note for table in self.tables for note in table.notes]]
        if not graded:
            notes = [note for note in notes if note.key != "no_grades"]
        if self.segments is not None and states:
            notes += self.segments.notes(states[0].queries, self.predictions)
        return notes

    @property
    def any_judged(self) -> bool:
        return not isinstance(self.encoded, EncodedGrid) and bool((self.encoded.judgement >= 0).any())

    def nothing_judged(self) -> list[Message]:
        """Said where no retrieved item has a judgement, which is seldom meant."""
        if isinstance(self.encoded, EncodedGrid) or not self.judged:
            return []  # columns of matrices have one name on both sides
        sides = (self.encoded.predictions, self.encoded.truth)
        if self.any_judged or not all(side.items is not None and len(side.items) for side in sides):
            return []
        predicted, judged = (side.items[0] for side in sides if side.items is not None)
        note = say(
            "no item of {predictions} has a judgement in {truth}: items such as '{predicted}' against "
            "'{judged}'; check that both name items the same way.",
            key="nothing_judged",
            predictions=sides[0].table.name,
            truth=sides[1].table.name,
            predicted=str(predicted),
            judged=str(judged),
        )
        return [note]


def _reads_truth(need: Need) -> bool:
    return need.reads != "lists" or "truth" in need.tables


def _tables(
    call: Call, wanted: Wanted, extra: Sequence[str], *, judged: bool
) -> tuple[Table, Table, Grid | None]:
    """Predictions and truth, which is the same table where the grades are inside; or matrices."""
    predictions, truth, columns, orders = call.predictions, call.truth, call.columns, wanted.orders
    cells = read.is_matrix(predictions)
    if truth is not None and (cells or read.is_matrix(truth)):
        grid = read.grid(predictions, truth)
        two = read.matrices(predictions, truth) if grid is None else grid.without_rows()
        return (*two, grid)
    if truth is None and judged:
        predicted = _labelled(call, wanted.needs, extra, orders)
        return predicted, predicted, None
    if cells:
        predicted = read.matrix_alone(predictions)
    else:
        predicted = read.predictions(predictions, columns=columns, extra=extra, orders=orders)
    true = no_truth(predicted) if truth is None else read.truth(truth, columns=columns, extra=extra)
    return predicted, true, None


def _labelled(call: Call, needs: Sequence[Need], extra: Sequence[str], orders: frozenset[str]) -> Table:
    """One table with the labels inside; where metrics of lists are asked for too, a truth may be missing."""
    try:
        return read.labelled(call.predictions, columns=call.columns, extra=extra, orders=orders)
    except ColumnError:
        lacking = next(filter(_reads_truth, needs), None)
        if lacking is None or all(need.reads != "lists" for need in needs):
            raise
        raise table_missing(metric=lacking.name, table="truth", option="truth") from None


Sides = Sequence[tuple[Table, pl.Series]]  # each table with the query of its rows


def _unit_of(
    column: str, encoded: Encoded | EncodedGrid, sides: Sides, segments: Segments | None
) -> pl.DataFrame | None:
    """The unit of each query as (query, value), or None where that is the query."""
    predictions = sides[0][0]
    if column == predictions.roles.get("query"):
        return None
    if segments is not None and segments.holds(column):
        values = segments.values(column, encoded.queries, predictions)
        return pl.DataFrame({"query": encoded.queries, "value": values})
    return column_values(column, "draw", sides)


def _query_weights(weigher: Table | str, encoded: Encoded | EncodedGrid, sides: Sides) -> QueryWeights:
    """The weight of every query that has one."""
    if isinstance(weigher, str):
        table, query = table_with(weigher, "weigh", sides)
        found, name = constant_column(weigher, table, query), column_of(weigher, table.name)
        return QueryWeights.of(found["query"], found["value"], name, untyped=table.untyped, part=table.part)
    every = replace(encoded.predictions.table, frame=encoded.queries.alias("query").to_frame())
    _, query = read.reconcile(every, weigher, "query")
    query = query.cast(encoded.queries.dtype)
    if query.is_duplicated().any():
        raise reading.weight_doubled(name=weigher.name, query=query.filter(query.is_duplicated())[0])
    return QueryWeights.of(query, weigher.frame["weight"], weigher.name, part=weigher.part)
