"""Lists of items on one machine: each distinct convention is aligned and ranked once, then shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from steelyard import read
from steelyard.arrays import Floats
from steelyard.ask import Request
from steelyard.conventions import Align, Order, Rank, Scores, Ties
from steelyard.engine.align import Aligned, align
from steelyard.engine.background import Beside
from steelyard.engine.call import Call, Names
from steelyard.engine.coding import Encoded, encode, encode_labelled
from steelyard.engine.columns import named_units
from steelyard.engine.grid import EncodedGrid, align_grid
from steelyard.engine.kept_lists import Lists
from steelyard.engine.listing import Listing, no_truth
from steelyard.engine.need import Need
from steelyard.engine.order import Counted, count, settle, touched_by_ties
from steelyard.engine.ranked import Ranked
from steelyard.engine.tally import Tally
from steelyard.engine.top_lists import TopLists
from steelyard.engine.units import Units
from steelyard.measure.certainty import Certainty
from steelyard.measure.measured import Measured, of_state
from steelyard.measure.notes import all_notes
from steelyard.measure.slices import (
    Segments,
    Slices,
    column_values,
    constant_column,
    covered_in,
    slice_queries,
    table_with,
)
from steelyard.measure.tie_notes import with_ties
from steelyard.messages import Message, say
from steelyard.messages.errors import ColumnError, aligning, reading
from steelyard.messages.errors.opening import table_missing
from steelyard.messages.errors.places import column_of
from steelyard.metrics import Metric
from steelyard.metrics.asked import Asked
from steelyard.progress import Tell
from steelyard.read import Grid, Table
from steelyard.read.order_notes import order_notes
from steelyard.read.same_source import read_from_one
from steelyard.read.system_notes import system_notes


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One convention under which lists were ranked, and what it decided."""

    align: Align
    rank: Rank
    tally: Tally


@dataclass(frozen=True)
class QueryWeights:
    """How much each query counts in a mean; ``name`` is where that was said."""

    frame: pl.DataFrame
    name: str

    @classmethod
    def of(cls, frame: pl.DataFrame, name: str) -> QueryWeights:
        """Weights that are numbers of 0 or more."""
        weight = frame["weight"].fill_null(np.nan)
        bad = frame.filter((weight < 0) | ~weight.is_finite())
        if bad.height:
            place = say("{name}, query {query}", name=name, query=bad["query"][0])
            raise aligning.weight_negative(place=place, value=bad["weight"][0])
        return cls(frame, name)

    def for_queries(self, queries: pl.Series) -> Floats:
        """The weight of each of these queries; each must have one, and one of them must count."""
        asked = queries.alias("query").to_frame()
        found = asked.join(self.frame, on="query", how="left", maintain_order="left")["weight"]
        if found.null_count():
            raise aligning.weight_missing(
                n=found.null_count(), name=self.name, query=queries.filter(found.is_null())[0]
            )
        if not found.sum():
            raise aligning.weights_all_zero(where=self.name)
        return found.to_numpy()


@dataclass(frozen=True, kw_only=True)
class RankingTables:
    """The tables of rankings as they were read; ``truth`` is ``predictions`` where the labels are inside."""

    predictions: Table
    truth: Table
    exclude: Table | None
    by: tuple[str, ...]
    weights: Table | str | None
    segments: Segments | None = None
    grid: Grid | None = None  # matrices that stay as they are; the two tables then have no rows
    table_notes: tuple[Message, ...] = ()  # what is to be said of the tables together
    beside: Beside = Beside()
    judged: bool = True  # whether there is a truth; without one ``truth`` has no row

    @classmethod
    def read(
        cls,
        call: Call,
        request: Request,
        orders: frozenset[str],
        needs: Sequence[Need],
        segments: Segments | None = None,
    ) -> RankingTables:
        """Read every table of a call, only the columns it needs."""
        judged = call.truth is not None or any(
            need.reads != "lists" or "truth" in need.tables for need in needs
        )
        call.warm_up()
        predictions, truth, columns = call.predictions, call.truth, call.columns
        grid = None
        weights = read.weight_column(columns) if call.weights is None else call.weights
        by, unit = request.by, request.certainty.unit
        further_by = [*by, *([unit] if unit else [])]
        further_by = [column for column in further_by if segments is None or not segments.holds(column)]
        extra = [*further_by, *([weights] if isinstance(weights, str) else [])]
        if truth is not None and (read.is_matrix(predictions) or read.is_matrix(truth)):
            grid = read.grid(predictions, truth)
            said, true = read.matrices(predictions, truth) if grid is None else grid.without_rows()
        elif not judged and read.is_matrix(predictions):
            said = read.matrix_alone(predictions)
            true = no_truth(said)
        elif not judged:
            said = read.predictions(predictions, columns=columns, extra=extra, orders=orders)
            true = no_truth(said)
        elif truth is None:
            said = true = _labelled(call, needs, extra, orders)
        else:
            said = read.predictions(predictions, columns=columns, extra=extra, orders=orders)
            true = read.truth(truth, columns=columns, extra=extra)
        if call.exclude is not None and "item" not in said.frame.columns:
            raise reading.missing_column(said.name, "item", said.columns, near=None)
        removed = None if call.exclude is None else read.pairs(call.exclude, columns=columns)
        if isinstance(weights, str):
            read.check_weight(weights, true)
        elif weights is not None:
            weights = read.query_weights(weights, columns=columns)
        beside = Beside.read(call.beside, columns, orders)
        of_segments = None if segments is None else segments.table
        further = [table for table in (removed, weights, of_segments) if isinstance(table, Table)]
        further += beside.tables.values()
        read.check_columns(columns, *([said] if said is true or not judged else [said, true]), *further)
        table_notes = (*read_from_one(predictions, truth, said, true), *beside.notes)
        if not read.is_matrix(predictions):
            table_notes += system_notes(said) + order_notes(said, orders, columns, alone=truth is None)
        return cls(
            predictions=said,
            truth=true,
            exclude=removed,
            by=tuple(by),
            weights=weights,
            grid=grid,
            table_notes=table_notes,
            segments=segments,
            beside=beside,
            judged=judged,
        )

    @property
    def tables(self) -> list[Table]:
        """Predictions and truth, or the one table that is both."""
        alone = self.truth is self.predictions or not self.judged
        return [self.predictions] if alone else [self.predictions, self.truth]

    def encoded(self) -> Encoded | EncodedGrid:
        """The ids as numbers; one table that is its own truth needs no item ids."""
        if self.grid is not None:
            return EncodedGrid.of(self.grid, self.exclude)
        alone = self.predictions is self.truth and "item" not in self.predictions.frame.columns
        if alone:
            return encode_labelled(self.predictions)
        return encode(self.predictions, self.truth, self.exclude)

    @property
    def grades(self) -> Floats:
        """The grades of the whole truth; of a matrix those other than 0."""
        return self.truth.frame["relevance"].to_numpy() if self.grid is None else self.grid.grade

    @property
    def max_grade(self) -> float:
        """The highest grade of the whole truth."""
        return float(self.grades.max(initial=0.0))

    def slices(self, encoded: Encoded | EncodedGrid) -> Slices | None:
        """The slice of each query, or None where no column was asked for."""
        return slice_queries(self.by, encoded.queries, self._with_queries(encoded), self.segments)

    def unit_of(self, encoded: Encoded | EncodedGrid, column: str | None) -> pl.DataFrame | None:
        """The unit of each query as (query, value), or None where no column was named for it."""
        if column is None or column == self.tables[0].roles.get("query"):
            return None
        if self.segments is not None and self.segments.holds(column):
            values = self.segments.values(column, encoded.queries, self.tables[0])
            return pl.DataFrame({"query": encoded.queries, "value": values})
        return column_values(column, "draw", self._with_queries(encoded))

    def query_weights(self, encoded: Encoded | EncodedGrid) -> QueryWeights | None:
        """The weight of every query that has one, or None where all count the same."""
        if self.weights is None:
            return None
        if isinstance(self.weights, str):
            table, query = table_with(self.weights, "weigh", self._with_queries(encoded))
            found = constant_column(self.weights, table, query).rename({"value": "weight"})
            found = found.with_columns(_as_weights(found["weight"], self.weights, table))
            return QueryWeights.of(found, column_of(self.weights, table.name))
        query = _in_type_of(encoded, self.weights)
        found = pl.DataFrame({"query": query, "weight": self.weights.frame["weight"]})
        if found["query"].is_duplicated().any():
            twice = found["query"].filter(found["query"].is_duplicated())[0]
            raise aligning.weight_doubled(name=self.weights.name, query=twice)
        return QueryWeights.of(found, self.weights.name)

    def _with_queries(self, encoded: Encoded | EncodedGrid) -> list[tuple[Table, pl.Series]]:
        sides = [(self.predictions, encoded.predictions.queries), (self.truth, encoded.truth.queries)]
        return sides[: len(self.tables)]


@dataclass(frozen=True, kw_only=True)
class Rankings:
    """Lists of items: two tables, one with grades inside, or two matrices."""

    tables: RankingTables
    encoded: Encoded | EncodedGrid
    max_grade: float
    slices: Slices | None = None
    weights: QueryWeights | None = None
    certainty: Certainty = Certainty()
    unit_of: pl.DataFrame | None = None  # the unit of each query, where a column names it
    _aligned: dict[tuple[Align, Order, bool], Aligned] = field(default_factory=dict)
    _counted: dict[tuple[Align, Order, Scores, bool], Counted] = field(default_factory=dict)
    _rankings: dict[tuple[Align, Rank], Ranking] = field(default_factory=dict)
    _ranked: dict[Need, Ranked] = field(default_factory=dict)
    _ordered: dict[tuple[Need, Ties], Ranked] = field(default_factory=dict)  # in orders not asked for
    longest: int | None = None  # how many items of a list are read at most; None for whole lists
    _lists: dict[Need, TopLists] = field(default_factory=dict)
    _listed: dict[tuple[Align, Rank], Ranking] = field(default_factory=dict)  # of lists as a whole

    @classmethod
    def read(
        cls,
        call: Call,
        request: Request,
        asked: Sequence[Asked],
        tell: Tell,
        segments: Segments | None = None,
    ) -> Rankings:
        """Number the ids, and give every query its slice and its weight."""
        needs = [one.metric.need() for one in asked]
        orders = frozenset(
            need.convention[1].order if one.states("order") else "default"
            for one, need in zip(asked, needs, strict=True)
        )
        tables = RankingTables.read(call, request, orders, needs, segments)
        tell(say("matching predictions and truth"))
        encoded = tables.encoded()
        return cls(
            tables=tables,
            encoded=encoded,
            max_grade=tables.max_grade,
            slices=tables.slices(encoded),
            weights=tables.query_weights(encoded),
            longest=_longest(needs),
            certainty=request.certainty,
            unit_of=tables.unit_of(encoded, request.certainty.unit),
        )

    def settled(self) -> Mapping[str, Any]:
        """The conventions that the data leaves no choice about."""
        columns = self.tables.predictions.frame.columns
        order = next((name for name in ("score", "rank") if name in columns), "given")
        return {"order": order} | ({} if "item" in columns else {"ties": "expected"})

    def reads(self, one: Asked) -> tuple[Metric, Any]:
        """A metric as the whole truth settles it, and the state that it reads."""
        metric = one.metric.for_truth(self.max_grade)
        need = metric.need(one.stated)
        return metric, self.ranked(need) if need.reads == "hits" else self.top_lists(need)

    def let_go(self, *, aligned: bool = True) -> None:
        """Forget the orders that were made, and the alignments: of many rows each takes much memory."""
        kept = (self._aligned, self._counted, self._rankings, self._listed) if aligned else ()
        for made in (self._ranked, self._ordered, self._lists, *kept):
            made.clear()

    def measure(self, one: Asked) -> Measured:
        """One value for every query, for everything and for each slice."""
        metric, state = self.reads(one)
        need = metric.need(one.stated)
        labels = parts = None
        if self.slices is not None:
            codes, labels = self.slices.inhabited(state.queries)
            parts = replace(state, segment=codes, n_segments=labels.height)
        made = Measured.of(one.label, metric, state, labels, parts, self.certainty)
        if need.reads != "hits" or not metric.monotone:
            return made
        touched = touched_by_ties(self.counted(need), need.convention[1])
        if not touched.any():
            return made
        return with_ties(made, lambda ties: self._in_order(need, ties), touched)

    def _in_order(self, need: Need, ties: Ties) -> Ranked:
        """The hits with ties in some order, whatever was asked for."""
        if need.convention[1].ties == ties:
            return self.ranked(need)
        if (need, ties) not in self._ordered:
            self._ordered[need, ties] = settle(self.counted(need), need.convention[1], ties)
        return self._ordered[need, ties]

    def top_lists(self, need: Need) -> TopLists:
        """The first items of every list, as many as any metric reads."""
        if need not in self._lists:
            lists = self.listing.lists(need, self.longest)
            weight = None if self.weights is None else self.weights.for_queries(lists.queries)
            self._lists[need] = replace(lists, weight=weight, units=self._units(lists.queries))
            meeting, order = need.convention
            ranking = Ranking(align=meeting, rank=order, tally=self.listing.tally(need, lists))
            self._listed.setdefault(need.convention, ranking)
        return self._lists[need]

    @cached_property
    def listing(self) -> Listing:
        """Where lists as a whole come from."""
        encoded = self.encoded
        if isinstance(encoded, EncodedGrid):  # every cell is a row
            encoded = encoded.encoded(np.arange(len(encoded.queries)))
        return Listing.of(encoded, self.tables.beside, judged=self.tables.judged, exclude=self.tables.exclude)

    def ranked(self, need: Need) -> Ranked:
        """The hits in their places."""
        if need not in self._ranked:
            ranked = settle(self.counted(need), need.convention[1])
            weight = None if self.weights is None else self.weights.for_queries(ranked.queries)
            self._ranked[need] = replace(ranked, weight=weight, units=self._units(ranked.queries))
        return self._ranked[need]

    def _units(self, queries: pl.Series) -> Units | None:
        """The units of some queries; None where each is one of its own."""
        if self.unit_of is None:
            return None
        asked = queries.alias("query").to_frame()
        of_query = asked.join(self.unit_of, on="query", how="left", maintain_order="left")["value"]
        return named_units(of_query, self.certainty.unit)

    def counted(self, need: Need) -> Counted:
        """The hits with their counts, ties open."""
        meeting, order = need.convention
        key = (meeting, order.order, order.scores, need.judged_zeros)
        if key not in self._counted:
            met = (meeting, order.order, need.judged_zeros and isinstance(self.encoded, EncodedGrid))
            if met not in self._aligned:
                self._aligned[met] = self._align(*met)
            self._counted[key] = count(self._aligned[met], order, self.max_grade, zeros=need.judged_zeros)
        counted = self._counted[key]
        self._rankings.setdefault(need.convention, Ranking(align=meeting, rank=order, tally=counted.tally))
        return counted

    def _align(self, convention: Align, order: Order, zeros: bool) -> Aligned:
        if not isinstance(self.encoded, EncodedGrid):
            return align(self.encoded, convention, order)
        if zeros:  # a matrix does not say which of its cells are judged
            return align(self.encoded.encoded(np.arange(len(self.encoded.queries))), convention, order)
        return align_grid(self.encoded, convention, order)

    @property
    def lists(self) -> Lists:
        """The lists themselves, to be shown."""
        return Lists(encoded=self.encoded, max_grade=self.max_grade)

    def slice_coverage(self) -> dict[str, pl.DataFrame]:
        """How many judged queries of each slice have predictions."""
        if self.slices is None or not self.tables.judged:
            return {}
        queries = self.encoded.truth.queries.unique(maintain_order=True)
        predicted = queries.is_in(self.encoded.predictions.queries.unique().implode())
        codes, labels = self.slices.inhabited(queries)
        return {"queries": covered_in(labels, codes, predicted.to_numpy())}

    def inputs(self) -> dict[str, pl.DataFrame]:
        """The judgements and the tables beside them; slices, units and weights of the judged queries."""
        tables, judged = self.tables, self.tables.judged
        found = {"truth": self._judgements()} if judged else {}
        found |= {} if tables.exclude is None else {"exclude": tables.exclude.frame.select("query", "item")}
        found |= tables.beside.inputs()
        if judged and self.slices is None and self.unit_of is None and self.weights is None:
            return found
        side = self.encoded.truth if judged else self.encoded.predictions
        queries = side.queries.unique().alias("query").to_frame()
        if self.slices is not None:
            found["slices"] = queries.with_columns(self.slices.columns(queries["query"]))
        if self.unit_of is not None:
            found["units"] = queries.join(self.unit_of, on="query", how="left")
        elif not judged:
            found["units"] = queries
        if self.weights is not None:
            found["weights"] = queries.join(self.weights.frame, on="query", how="left")
        return found

    def _judgements(self) -> pl.DataFrame:
        """The truth; of a matrix the grades other than 0."""
        grid, frame = self.tables.grid, self.tables.truth.frame
        if grid is None:
            return frame.select([name for name in ("query", "item", "relevance") if name in frame.columns])
        row, column = np.divmod(grid.cell, grid.shape[1])
        return pl.DataFrame({"query": row, "item": column, "relevance": grid.grade})

    @property
    def names(self) -> Names:
        """Where everything was read."""
        tables = self.tables
        return Names(
            predictions=tables.predictions.name,
            truth=None if len(tables.tables) == 1 else tables.truth.name,
            weights=None if self.weights is None else self.weights.name,
            exclude=None if tables.exclude is None else tables.exclude.name,
        )

    @property
    def tally(self) -> Tally:
        """What was read and what became of it, under the first convention."""
        found = self.rankings[0].tally
        outside = [one.tally.outside_catalog for one in self._listed.values() if one.tally.outside_catalog]
        return found.also(outside_catalog=outside[0]) if outside else found

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """Every convention that was ranked, with its tally."""
        return (*self._rankings.values(), *self._listed.values())

    def notes(self, measured: Sequence[Measured], every: bool, /) -> list[Message]:
        """What a reader must know of these rankings; ``every`` says that nothing else was measured."""
        said = [*self.tables.table_notes, *(note for table in self.tables.tables for note in table.notes)]
        if not any(
            one.metric.need().reads == "hits" or "truth" in one.metric.need().tables for one in measured
        ):
            said = [note for note in said if note.key != "no_grades"]
        if self.tables.segments is not None and measured:
            said += self.tables.segments.notes(measured[0].state.queries, self.tables.predictions)
        hits = of_state(measured, Ranked)
        found = all_notes(
            hits,
            lambda metric: self.counted(metric.need()),
            of_state(measured, TopLists),
            lambda need: self._listed[need.convention].tally,
            every=every,
        )
        return [*said, *(self._nothing_judged() if hits else []), *found]

    def _nothing_judged(self) -> list[Message]:
        """Said where no retrieved item has a judgement, which is seldom meant."""
        if isinstance(self.encoded, EncodedGrid) or not self.tables.judged:
            return []  # columns of matrices have one name on both sides
        sides = (self.encoded.predictions, self.encoded.truth)
        if (self.encoded.judgement >= 0).any() or any(side.items is None for side in sides):
            return []
        predicted, judged = (side.items[0] for side in sides if side.items is not None)
        said = say(
            "no item of {predictions} has a judgement in {truth}: items such as '{predicted}' against "
            "'{judged}'; check that both name items the same way.",
            key="nothing_judged",
            predictions=sides[0].table.name,
            truth=sides[1].table.name,
            predicted=str(predicted),
            judged=str(judged),
        )
        return [said]


def _labelled(call: Call, needs: Sequence[Need], extra: Sequence[str], orders: frozenset[str]) -> Table:
    """One table with the labels inside; beside metrics of lists, the truth may have been forgotten."""
    try:
        return read.labelled(call.predictions, columns=call.columns, extra=extra, orders=orders)
    except ColumnError:
        lacking = next((one for one in needs if one.reads != "lists" or "truth" in one.tables), None)
        if lacking is None or all(one.reads != "lists" for one in needs):
            raise
        raise table_missing(metric=lacking.metric, table="truth", option="truth") from None


def _longest(needs: Sequence[Need]) -> int | None:
    """How many items of each list metrics of lists as a whole read at most."""
    tops = [need.top for need in needs if need.reads == "lists"]
    return None if None in tops else max((top for top in tops if top is not None), default=None)


def _in_type_of(encoded: Encoded | EncodedGrid, table: Table) -> pl.Series:
    """The query ids of a further table in the type of the encoded ones."""
    every = Table(
        frame=encoded.queries.alias("query").to_frame(),
        extra=pl.DataFrame(),
        name=encoded.predictions.table.name,
        untyped=encoded.predictions.table.untyped,
        listed=False,
    )
    ids, mine = read.reconcile(every, table, "query")
    return mine if ids.dtype == encoded.queries.dtype else mine.cast(encoded.queries.dtype)


def _as_weights(values: pl.Series, column: str, table: Table) -> pl.Series:
    """A column as weights; files without types hold them as text."""
    readable = table.untyped or values.dtype.is_numeric()
    weights = (values if readable else pl.repeat(None, len(values), eager=True)).cast(
        pl.Float64, strict=False
    )
    wrong = values.filter(weights.is_null() & values.is_not_null())
    if len(wrong):
        raise aligning.weight_not_number(column=column_of(column, table.name), value=repr(wrong[0]))
    return weights
