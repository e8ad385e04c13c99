"""Labelled rows as the states that metrics read: each is made once, then shared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints
from steelyard.engine.classified import Classified, check_alike, check_several, holds_several, of_columns
from steelyard.engine.columns import (
    SINGLE,
    Class,
    binary,
    check_probabilities,
    checked_probabilities,
    class_codes,
    classes_of_columns,
    columns_named_after,
    floats,
    in_single,
    named_units,
    own,
    ratings,
    rounded,
)
from steelyard.engine.influence import Units
from steelyard.engine.labelled import LabelledRows
from steelyard.engine.protocol import Need, Reads, Threshold
from steelyard.engine.scored import Rated, Scored
from steelyard.text import Message, say, sentences, some
from steelyard.text.errors import RowError, measuring, reading

State: TypeAlias = Any  # Scored, Classified or Rated, whichever a metric reads

_PROBABILITY = "probability"

_SHOWN = 10  # classes that a note names
_note = sentences(
    order_of_classes="the probabilities belong to the classes {classes}, in this order.",
    columns_of_classes="the columns of probabilities belong to classes: {pairs}.",
)


@dataclass(frozen=True, kw_only=True)
class RowStates:
    """Labelled rows in memory; ``named`` are the classes that the caller named.

    ``slices`` has the slice of every row, None where rows are not sliced.
    """

    labelled: LabelledRows
    named: tuple[Class, ...] | None = None
    slices: Ints | None = None
    n_slices: int = 0
    unit: pl.Series | None = None  # what rows belong together, where a column was named for it
    may_be_empty: bool = False  # whether no row, or none that weighs, is a value that is undefined
    _states: dict[tuple[Any, ...], State] = field(default_factory=dict)
    _units: dict[str, Units | None] = field(default_factory=dict)

    @property
    def weight(self) -> Floats | None:
        return self.frame["weight"].to_numpy() if "weight" in self.frame.columns else None

    @property
    def frame(self) -> pl.DataFrame:
        return self.labelled.frame

    @cached_property
    def classes(self) -> tuple[Class, ...] | None:
        """The classes that were named; of whole numbers if the labels are, though a command line has text."""
        if self.named is None or self.frame["label"].dtype == pl.String or self.several_labels:
            return self.named
        flags = {"false": 0, "true": 1} if self.frame["label"].dtype == pl.Boolean else {}
        named = [flags.get(str(name).lower(), name) for name in self.named]
        whole = all(str(name).lstrip("-").isdigit() for name in named)
        return tuple(int(name) for name in named) if whole else self.named

    @property
    def several_labels(self) -> bool:
        return holds_several(self.frame["label"])

    def state(self, need: Need) -> State:
        if self.several_labels:
            return self._of_several_labels(need)
        kind = self._kind(need)
        key = kind, need.unlabelled, need.unnamed, need.weighted, need.single
        if key not in self._states:
            makers = {"ratings": self._rated, "scores": self._scored, "classes": self._classified}
            with self._placed(need):
                self._states[key] = makers[kind](need)
        state = self._states[key]
        if (
            isinstance(state, Classified)
            and need.labels in ("not_many", "two_classes")
            and len(state.classes) > 2
        ):
            raise measuring.too_many_classes(metric=need.name, labels=need.labels, n=len(state.classes))
        if need.threshold is not None:
            return self._at_threshold(need, need.threshold, state)
        if need.groups and isinstance(state, Classified):
            raise measuring.only_binary(metric=need.name)
        if need.reads == "scores" and isinstance(state, Scored):
            if need.groups and state.group is None:
                raise measuring.needs_groups(metric=need.name)
            if need.probabilities:
                with self._placed(need):
                    check_probabilities(state.score, need.name)
        return state

    def thresholded(self, need: Need) -> bool:
        if need.threshold is None:
            return False
        return self._by_scores(need) if self.several_labels else self._kind(need) == "scores"

    def _by_scores(self, need: Need) -> bool:
        stated = need.threshold is not None and need.threshold.stated
        called = "predicted" in self.frame.columns and not stated
        return bool(self._score_columns) and (need.reads == "scores" or not called)

    @cached_property
    def _score_columns(self) -> list[str]:
        return [name for name in self.frame.columns if name.startswith(_PROBABILITY)]

    @property
    def _called(self) -> list[str]:  # how these are called where they came from
        return [name.partition(":")[2] for name in self._score_columns]

    def _of_several_labels(self, need: Need) -> Classified:
        check_several(need)
        by_scores = self._by_scores(need)
        has = self.frame.columns
        if not by_scores and (need.reads == "scores" or "predicted" not in has):
            if need.reads == "classes" and not self.frame["score"].dtype.is_float():
                check_alike(self.frame["label"], self.frame["score"])
            raise measuring.needs_probabilities(metric=need.name)
        if not by_scores and need.threshold is not None and need.threshold.stated:
            raise measuring.threshold_without_scores(metric=need.name)
        threshold = need.threshold if by_scores and need.reads == "classes" else None
        key = need.reads, threshold, need.unlabelled, need.unnamed, need.weighted
        if key not in self._states:
            with self._placed(need):
                predicted = self._probabilities(need) if by_scores else self._column("predicted", need)
                self._states[key] = of_columns(
                    self._column("label", need),
                    predicted,
                    need,
                    self.classes,
                    self._called,
                    weight=self._weights(need),
                    units=self.units(need),
                )
        state: Classified = self._states[key]
        if need.probabilities and state.probability is not None:
            with self._placed(need):
                check_probabilities(state.probability, need.name)
        return state

    def _at_threshold(self, need: Need, threshold: Threshold, state: State) -> State:
        if not isinstance(state, Scored):
            if threshold.stated:
                raise measuring.threshold_without_scores(metric=need.name)
            return state
        if (classes := self.classes) is None:
            return state
        at, strict, _, single = threshold
        classified = Classified.of_scored(state, at, strict=strict, single=single)
        return state.made_once(
            ("named", classes, at, strict, single),
            lambda: replace(classified, classes=classes, named=True),
        )

    def split(self, need: Need) -> State | None:
        if self.slices is None:
            return None
        state, segment = self.state(need), self._read(self.slices, need)
        return state.made_once("split", lambda: replace(state, segment=segment, n_segments=self.n_slices))

    def rows_read(self, need: Need) -> Ints | None:  # None for all
        if not self.labelled.tally.unlabelled:
            return None
        if need.unlabelled == "error":
            missing = self.labelled.unlabelled()
            first = int(np.flatnonzero(missing)[0])
            written, text = self.labelled.written(first), self.frame["label"].dtype == pl.String
            error = measuring.unlabelled(first, int(missing.sum()), written, text=text)
            raise error.placed(lambda row: self.labelled.place(row, "label"))
        if not len(self._with_label) and not self.may_be_empty:
            raise measuring.no_labelled_row(name=self.labelled.tables[-1].name)
        return self._with_label

    @cached_property
    def _with_label(self) -> Ints:
        return np.flatnonzero(~self.labelled.unlabelled())

    @contextmanager
    def _placed(self, need: Need) -> Iterator[None]:  # errors name the row in the user's file
        try:
            yield
        except RowError as error:
            kept, column = self.rows_read(need), error.column
            raise error.placed(
                lambda row: self.labelled.place(row if kept is None else int(kept[row]), column)
            ) from None

    def _kind(self, need: Need) -> Reads:
        has = self.frame.columns
        if need.reads == "scores":
            return "scores" if "score" in has or not self._score_columns else "classes"
        if need.reads != "classes":
            return need.reads
        if need.threshold is None and "score" in has and self.frame.schema["score"].is_integer():
            return "classes"  # without a threshold 0 and 1 are no scores
        stated = need.threshold is not None and need.threshold.stated
        if stated and "score" in has and self._are_scores(stated=True):
            return "scores"  # a threshold acts on scores, though the classes are there too
        if self._score_columns or "predicted" in has or not self._are_scores(stated=stated):
            return "classes"
        return "scores"

    def _are_scores(self, *, stated: bool) -> bool:
        """Whether the scores of class metrics are numbers that a threshold turns into two classes.

        Whole numbers are classes where some are neither 0 nor 1 or the caller named whole numbers as classes,
        unless a threshold is stated for them.
        """
        label, score = (self.frame.schema[name] for name in ("label", "score"))
        if not score.is_numeric():
            return False
        if score.is_integer() and not stated:
            named = self.classes is not None and all(isinstance(name, int) for name in self.classes)
            if named or not self._in_zero_one["score"]:
                return False
        if self.classes is not None:
            return len(self.classes) == 2
        return label != pl.String and self._in_zero_one["label"]

    @cached_property
    def _in_zero_one(self) -> dict[str, bool]:  # nulls apart
        return {name: _in_zero_one(self.frame[name]) for name in ("label", "score")}

    def units(self, need: Need) -> Units | None:
        if need.unlabelled not in self._units:
            self._units[need.unlabelled] = self._made_units(need)
        return self._units[need.unlabelled]

    def _made_units(self, need: Need) -> Units | None:
        if self.unit is not None:
            return named_units(self._read(self.unit, need), self.unit.name)
        name = self._unit_role
        if name is None:
            return None
        values = self._column(name, need)
        if name == "unit" and values.null_count() == len(values) and not self.may_be_empty:
            return None
        named = (table.roles.get(name) for table in self.labelled.tables)
        return named_units(values, next(filter(None, named), None))  # as it is called where it came from

    @property
    def _unit_role(self) -> str | None:
        """The role of the column that names units: the unit where it has values, else the query.

        Of a part the other rows may have values.
        """
        columns = self.frame.columns
        if "unit" in columns and (self.may_be_empty or self.frame["unit"].null_count() < self.frame.height):
            return "unit"
        return "query" if "query" in columns else None

    @property
    def unit_column(self) -> pl.Series | None:
        return self.unit if self.unit is not None or not self._unit_role else self.frame[self._unit_role]

    def _read(self, values: Any, need: Need) -> Any:
        kept = self.rows_read(need)
        return values if kept is None else values[kept]

    def _column(self, name: str, need: Need) -> pl.Series:
        column: pl.Series = self._read(self.frame[name], need)
        return column

    def _weights(self, need: Need) -> Floats | None:
        if not need.weighted or self.weight is None:
            return None
        weight = self._read(self.weight, need)
        if not weight.any() and not self.may_be_empty:
            raise measuring.no_weight_left()
        return own(weight)

    def _rated(self, need: Need) -> Rated:
        return Rated.of(
            own(ratings("label", self._number("label", need))),
            own(ratings("score", self._number("score", need))),
            weight=self._weights(need),
            units=self.units(need),
        )

    def _number(self, role: str, need: Need) -> NDArray[Any]:
        if role not in self.frame.columns:
            raise measuring.needs_number(metric=need.name)
        values = self._column(role, need)
        if not (values.dtype.is_numeric() or values.dtype == pl.Boolean):
            numbers = values.cast(pl.Float64, strict=False)
            row = int(numbers.is_null().arg_true()[0]) if numbers.null_count() else 0
            raise reading.not_a_number(row=row, column=role, cell=role, value=values[row])
        return rounded(values, SINGLE) if role in need.single else values.to_numpy()

    def _scored(self, need: Need) -> Scored:
        label = self._column("label", need)
        if self.classes is not None:
            (codes,), names = class_codes({"label": label}, self.classes)
            if len(names) != 2:
                raise measuring.score_of_many(need.name, names, self._named_after(names))
            truth = binary(codes)
        else:
            if label.dtype == pl.String:
                self._refuse_text(label)
            truth = own(binary(label.to_numpy()))
        group: dict[str, Any] = {}
        units = self.units(need)
        if "query" in self.frame.columns:
            named = units if self.unit is None and self._unit_role == "query" else None
            named = named or named_units(self._column("query", need), None)
            group = {"group": named.code, "n_groups": named.n, "groups": named.names}
        score = own(floats(self._column("score", need).to_numpy()))
        score = in_single(score) if "score" in need.single else score
        return Scored.of(truth, score, weight=self._weights(need), units=units, **group)

    def _refuse_text(self, label: pl.Series) -> None:
        numbers = label.str.strip_chars().cast(pl.Float64, strict=False)
        odd = (~((numbers == 0) | (numbers == 1))).fill_null(value=True)
        row = int(odd.arg_true()[0]) if odd.any() else 0
        found = label.unique().drop_nulls().sort().to_list()
        raise measuring.labels_not_binary(row, label[row], found, columns=self._named_after(found))

    def _named_after(self, found: Sequence[Class]) -> list[str]:
        """The columns of the predictions that are named after three or more classes, one each."""
        return columns_named_after(found, self.labelled.tables[0].columns) if len(found) > 2 else []

    def _classified(self, need: Need) -> Classified:
        label = self._column("label", need)
        weight = self._weights(need)
        several = self._score_columns
        predicted = "predicted" if "predicted" in self.frame.columns else None if several else "score"
        if predicted is not None:
            check_alike(label, self.frame[predicted])
        columns, names, probability = {"label": label}, self.classes, None
        if several:
            given = self._probabilities(need)
            probability = in_single(given) if "score" in need.single else given
            if names is None:
                names = classes_of_columns(label, self._called, given.shape[1])
            elif len(names) != given.shape[1]:
                raise measuring.columns_differ(m=given.shape[1], n=len(names), classes=names)
            columns |= {"predicted class": self._column(predicted, need)} if predicted else {}
        else:
            assert predicted is not None
            columns = self._of_one_kind(label, self._column(predicted, need))
        others = need.unnamed == "other" and names is not None and not several
        (truth, *called), names = class_codes(columns, names, others=others)
        return Classified(
            n_rows=len(label),
            classes=names,
            truth=truth,
            predicted=called[0] if called else None,
            probability=None if probability is None else checked_probabilities(probability),
            named=self.classes is not None,
            others=others,
            weight=weight,
            units=self.units(need),
        )

    def _of_one_kind(self, label: pl.Series, predicted: pl.Series) -> dict[str, pl.Series]:
        """Labels and predicted classes; the whole numbers of a file without types are text beside text."""
        columns = {"label": label, "predicted class": predicted}
        kinds = {column.dtype == pl.String for column in columns.values()}
        if label.dtype == pl.String and predicted.dtype.is_float():
            raise measuring.scores_beside_text(label.unique().drop_nulls().sort().head(2).to_list())
        for (role, column), side in zip(columns.items(), (-1, 0), strict=True):
            if len(kinds) > 1 and column.dtype.is_integer() and self.labelled.tables[side].untyped:
                columns[role] = column.cast(pl.String)
        return columns

    def _probabilities(self, need: Need) -> NDArray[Any]:
        several = self._score_columns
        if len(several) == 1:
            return own(self._column(several[0], need).to_numpy())
        return np.column_stack([self._column(name, need).to_numpy() for name in several])

    def notes(self, state: State) -> list[Message]:
        columns = self._called
        if self.classes is not None or not columns or not isinstance(state, Classified):
            return []
        if len(columns) == 1 and isinstance(self.frame["label"].dtype, pl.Array):  # classes have no names
            return []
        if len(columns) == 1:
            shown = some([str(name) for name in state.classes[:_SHOWN]], _SHOWN, len(state.classes))
            return [_note("order_of_classes", classes=shown)]
        pairs = [
            say("{column} = {name}", key="column", column=column, name=str(name))
            for column, name in zip(columns, state.classes, strict=True)
        ]
        return [_note("columns_of_classes", pairs=some(pairs, _SHOWN))]


def _in_zero_one(values: pl.Series) -> bool:
    if not values.dtype.is_numeric():
        return values.dtype == pl.Boolean
    if values.dtype.is_integer():
        there = values.drop_nulls().to_numpy()
        return bool(there.min(initial=0) >= 0 and there.max(initial=0) <= 1)
    return bool(((values == 0) | (values == 1)).all())  # nulls apart
