"""Labelled rows on one machine: clicks, classes or ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard import read
from steelyard.arrays import Floats, Ints
from steelyard.engine.columns import Class, class_names
from steelyard.engine.labelled import KEYS, LabelledRows, likely_probability, match, rows_of
from steelyard.engine.protocol import OF_ROWS, Account, Call, Names, Need, Tally, Wanted
from steelyard.engine.row_states import RowStates
from steelyard.engine.scored import Scored
from steelyard.engine.slices import Segments, Slices, check_kind, covered_in
from steelyard.progress import Tell
from steelyard.read import Table, Wants, schema
from steelyard.read.rows import row_arrays
from steelyard.read.sources import ONE_OBJECT, read_from_one
from steelyard.text import Message, say
from steelyard.text.errors import measuring, reading
from steelyard.text.errors.forms import column_of, word


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows with labels, and the states that metrics read of them."""

    states: RowStates
    tables: tuple[Table, ...]  # predictions and truth, or the one that is both
    tally: Tally
    names: Names
    slices: Slices | None = None
    coverage: pl.DataFrame | None = None  # of the truth, slice by slice
    table_notes: tuple[Message, ...] = ()  # about the tables together

    @classmethod
    def read(cls, call: Call, wanted: Wanted, tell: Tell, segments: Segments | None = None) -> Rows:
        if call.exclude is not None:
            raise measuring.exclude_of_rows()
        call.warm_up()
        wants = _wants(wanted, grouped=segments is not None)
        if call.truth is None and read.is_column(call.predictions):
            raise reading.array_without_labels(name=word("predictions"))
        if call.truth is not None and read.are_columns(call.predictions, call.truth):
            return _of_arrays(call, wanted, wants)
        if call.truth is not None:
            tell(say("matching predictions and truth"))
        return _of_tables(call, wanted, wants, segments)

    @property
    def hold_a_ranking(self) -> bool:
        has = set(self.states.frame.columns)
        return len(self.tables) > 1 and {"query", "item"} <= has <= {"query", "item", "label", "score"}

    def only(self, kept: Ints) -> Rows:
        some = RowStates(labelled=self.states.labelled.only(kept), named=self.states.named)
        return replace(self, states=some)

    def account(self) -> Account:
        coverage = {} if self.coverage is None else {"rows": self.coverage}
        return Account(tally=self.tally, slice_coverage=coverage, inputs=self.inputs())

    def inputs(self) -> dict[str, pl.DataFrame]:  # of two tables by their keys
        names = KEYS if len(self.tables) > 1 else ()
        labels, rows = self.tables[-1].frame, self.states.frame
        truth = labels.select([name for name in (*names, "label") if name in labels.columns])
        keys = rows.select([name for name in names if name in rows.columns])
        found = {"truth": truth, **({"units": keys} if keys.width else {})}
        if self.slices is not None:
            found["slices"] = pl.DataFrame([*keys, *self.slices.columns()])
        for role, values in {"units": self.states.unit_column, "weights": self.states.weight}.items():
            if values is not None:
                found[role] = pl.DataFrame([*keys, pl.Series(role, values)])
        return {f"{OF_ROWS}{role}": table for role, table in found.items()}

    def state(self, need: Need) -> Any:
        return self.states.state(need)

    def split(self, need: Need, _state: Any) -> tuple[pl.DataFrame | None, Any]:
        return None if self.slices is None else self.slices.labels, self.states.split(need)

    @property
    def weighted(self) -> bool:
        return self.states.weight is not None

    def moved(self, _need: Need) -> list[tuple[Any, Floats]] | None:
        """Where intervals come from other rows than values: units, and how much each moves the value."""
        return None

    def thresholded(self, need: Need) -> bool:
        return self.states.thresholded(need)

    def state_notes(self, _need: Need, state: Any) -> Sequence[Message]:
        return self.states.notes(state)

    @property
    def score_column(self) -> str | None:
        """The column that the scores came from."""
        return self.tables[0].roles.get("score") if self.tables else None

    def likely_score(self) -> str | None:
        """A column that seems to hold probabilities and was not read."""
        return likely_probability(self.tables[0]) if self.score_column else None

    def notes(self) -> list[Message]:
        return [*self.table_notes, *(note for table in self.tables for note in table.notes)]


def _wants(wanted: Wanted, *, grouped: bool) -> Wants:  # with the query where grouped
    needs = wanted.needs
    reads = {need.reads for need in needs}
    return Wants(
        scores=not reads.isdisjoint(("scores", "ratings")),
        classes="classes" in reads,
        ratings="ratings" in reads,
        groups=grouped or wanted.groups or any(need.groups for need in needs),
        thresholds=any(need.threshold is not None and need.threshold.stated for need in needs),
        named=frozenset(map(str, wanted.classes or ())),
        units=wanted.intervals and wanted.unit is None,
    )


def _of_arrays(call: Call, wanted: Wanted, wants: Wants) -> Rows:
    named = {
        "columns": call.columns,
        "by": wanted.by or call.by_table is not None,
        "weights": isinstance(call.weights, str),
        "unit": wanted.unit is not None,
    }
    for argument in (name for name, value in named.items() if value):
        raise reading.arrays_without_columns(argument=argument)
    for name, data in (("predictions", call.predictions), ("truth", call.truth)):
        if not read.is_array(data):
            raise reading.lone_array(name=word(name))
    if call.weights is not None and not read.is_array(call.weights):
        raise measuring.table_of_weights()
    table_notes = (ONE_OBJECT,) if call.predictions is call.truth else ()
    found = read.row_arrays(
        call.predictions, call.truth, numbers=wants.scores, named=wants.named, weights=call.weights
    )
    weigher = None if call.weights is None else say("an array")
    return _rows(rows_of(found), wanted, weigher, table_notes=table_notes)


def _of_tables(call: Call, wanted: Wanted, wants: Wants, segments: Segments | None) -> Rows:
    columns = call.columns
    table_notes: tuple[Message, ...] = ()
    weights = read.weight_column(columns) if call.weights is None else call.weights
    if weights is not None and not isinstance(weights, str):
        raise measuring.table_of_weights()
    by_tables = [] if segments is None else [segments.table]
    by = [column for column in wanted.by if segments is None or not segments.holds(column)]
    unit = wanted.unit
    if unit is not None and segments is not None and segments.holds(unit):
        unit = None
    extra = [*by, *([weights] if weights else []), *([unit] if unit else [])]
    if call.truth is None:
        predicted = true = read.row_table(call.predictions, "labelled", wants, columns=columns, extra=extra)
        read.check_columns(columns, predicted, *by_tables)
        read.check_weight(weights, predicted)
        found = rows_of(predicted)
    else:
        predicted = read.row_table(call.predictions, "predictions", wants, columns=columns, extra=extra)
        true = read.row_table(call.truth, "truth", wants, columns=columns, extra=extra)
        read.check_columns(columns, predicted, true, *by_tables)
        read.check_weight(weights, true)
        table_notes = read_from_one(call.predictions, call.truth, predicted, true)
        found = match(predicted, true)
        if wants.groups and "query" not in found.frame.columns:
            raise reading.missing_column(predicted.name, "query", predicted.columns, near=None)
    if not predicted.part and not np.any(~found.unlabelled()):
        raise measuring.no_labelled_row(name=true.name)
    slices = None
    if wanted.by:
        values = {column: _values(found, column, "slice", segments) for column in wanted.by}
        slices = Slices.of(values, part=predicted.part)
    if segments is not None:
        table_notes += tuple(segments.notes(found.frame["query"].unique(), predicted))
    if weights is None:
        return _rows(found, wanted, slices=slices, segments=segments, table_notes=table_notes)
    weight = pl.Series("weight", _row_weights(found, weights))
    found = replace(found, frame=found.frame.with_columns(weight))
    weigher = say("column '{column}'", column=weights)
    return _rows(found, wanted, weigher, slices=slices, segments=segments, table_notes=table_notes)


def _rows(
    found: LabelledRows,
    wanted: Wanted,
    weigher: Message | None = None,
    *,
    slices: Slices | None = None,
    segments: Segments | None = None,
    table_notes: tuple[Message, ...],
) -> Rows:
    predicted, *true = found.tables
    unit = None
    if wanted.unit is not None:
        unit = _values(found, wanted.unit, "draw", segments).alias(wanted.unit)
    codes = None if slices is None else slices.codes
    n_slices = 0 if slices is None else len(slices)
    states = RowStates(
        labelled=found.without_extra(),  # further columns are large
        named=wanted.classes,
        slices=codes,
        n_slices=n_slices,
        unit=unit,
        may_be_empty=predicted.part,
    )
    weightless = 0 if states.weight is None else int(np.count_nonzero(states.weight == 0))
    return Rows(
        states=states,
        tables=states.labelled.tables,
        tally=found.tally.also(weightless=weightless),
        names=Names(predictions=predicted.name, truth=true[0].name if true else None, weights=weigher),
        slices=slices,
        coverage=_coverage(found, wanted.by, segments),
        table_notes=table_notes,
    )


def _values(found: LabelledRows, column: str, purpose: str, segments: Segments | None) -> pl.Series:
    """What a column to slice or to draw by says of each row."""
    if segments is not None and segments.holds(column):
        return segments.values(column, found.frame["query"], found.tables[0])
    values = found.further(column, purpose)
    check_kind(column, found.holder(column), purpose)
    return values


def _coverage(found: LabelledRows, by: Sequence[str], segments: Segments | None) -> pl.DataFrame | None:
    """The coverage of the truth slice by slice; None where the truth does not know the slices."""
    truth, at = found.tables[-1], found.at[-1]
    known = truth.extra
    if segments is not None and "query" in truth.frame.columns:
        held = [column for column in by if segments.holds(column)]
        known = known.with_columns(
            segments.values(one, truth.frame["query"], truth).alias(one) for one in held
        )
    if at is None or not by or not set(by) <= set(known.columns):
        return None
    slices = Slices.of({column: known[column] for column in by}, part=truth.part)
    covered = np.zeros(len(slices.codes), bool)
    covered[at] = True
    return covered_in(slices.labels, slices.codes, covered)


def _row_weights(found: LabelledRows, column: str) -> Floats:
    values, holder = found.further(column, "weigh"), found.holder(column)
    weight = schema.weights(
        values, lambda row: found.place_beside(row, column), untyped=holder.untyped, column=column
    )
    if not weight.any() and not holder.part:
        raise reading.row_weights_all_zero(where=column_of(column, holder.name))
    return weight


def states_of_arrays(
    predicted: Any,
    true: Any,
    *,
    numbers: bool,
    groups: Any = None,
    weights: Any = None,
    classes: Sequence[Class] | None = None,
) -> RowStates:
    """Plain arrays, by the same door as those of ``evaluate``; ``numbers`` says what predictions must be."""
    named = None if classes is None else class_names(classes)
    found = row_arrays(
        predicted,
        true,
        numbers=numbers,
        named=frozenset(map(str, named or ())),
        weights=weights,
        groups=groups,
        may_be_empty=True,
    )
    return RowStates(labelled=rows_of(found), named=named, may_be_empty=True)


def scored_arrays(asked: str, scores: Any, labels: Any, weights: Any = None) -> Scored:
    """Labels of 0 and 1 with a score each, by the same door; ``asked`` is who wants them."""
    states = states_of_arrays(scores, labels, weights=weights, numbers=True)
    state = states.state(Need(reads="scores", metric=asked))
    if not isinstance(state, Scored):
        raise measuring.not_one_column(role="score", shape=state.probability.shape)
    return state
