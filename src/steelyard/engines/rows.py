"""The engine of one machine for labelled rows: each state is made once, then shared by the metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.align import LabelledRows
from steelyard.arrays import Floats, Ints
from steelyard.engines.class_codes import class_codes, classes_of_columns, columns_named_after
from steelyard.kernels.group import distinct
from steelyard.messages import Message, say, some
from steelyard.messages.errors import RowError, measuring, measuring_classes, reading
from steelyard.metrics import ClassMetric, LabelledMetric, Metric, RatingMetric, RowMetric, ThresholdMetric
from steelyard.metrics.rating import ratings
from steelyard.metrics.row import binary, floats, numbered
from steelyard.states import Class, Classified, Rated, Scored

State = Scored | Classified | Rated
_PROBABILITY = "probability"
_SHOWN = 10  # classes that a note names


@dataclass(frozen=True)
class LocalRows:
    """Labelled rows in memory; ``weight`` is that of each row, ``named`` are the classes the caller named."""

    rows: LabelledRows
    named: tuple[Class, ...] | None = None
    weight: Floats | None = None
    at_thresholds: frozenset[Metric] = frozenset()  # metrics whose threshold the caller stated
    _states: dict[tuple[str, str], State] = field(default_factory=dict)
    _sliced: dict[tuple[int, int, int], tuple[State, Ints, State]] = field(default_factory=dict)

    @cached_property
    def classes(self) -> tuple[Class, ...] | None:
        """The classes that were named; of whole numbers if the labels are, though a command line has text."""
        if self.named is None or self.rows.frame["label"].dtype == pl.String:
            return self.named
        flags = {"false": 0, "true": 1} if self.rows.frame["label"].dtype == pl.Boolean else {}
        named = [flags.get(str(name).lower(), name) for name in self.named]
        whole = all(str(name).lstrip("-").isdigit() for name in named)
        return tuple(int(name) for name in named) if whole else self.named

    def state(self, metric: LabelledMetric) -> State:
        """The rows as a metric reads them, all in one segment."""
        kind = self._kind(metric)
        key = (kind, metric.unlabelled)
        if key not in self._states:
            with self._placed(metric):
                self._states[key] = getattr(self, f"_{kind}")(metric)
        state = self._states[key]
        if isinstance(metric, ThresholdMetric):
            return self._thresholded_state(metric, state)
        if isinstance(metric, RowMetric) and isinstance(state, Scored):
            if metric.needs_groups and state.group is None:
                raise measuring_classes.needs(str(metric), "groups")
            with self._placed(metric):
                metric.check(state.score)
        return state

    def thresholded(self, metric: LabelledMetric) -> bool:
        """Whether a metric's threshold decides which class was predicted."""
        return isinstance(metric, ThresholdMetric) and self._kind(metric) == "scored"

    def _thresholded_state(self, metric: ThresholdMetric, state: State) -> State:
        """Scores as classes of the names that were given; a threshold without scores means nothing."""
        if not isinstance(state, Scored):
            if metric in self.at_thresholds:
                raise measuring_classes.threshold_without_scores(metric=str(metric))
            return state
        if self.classes is None:
            return state
        key = ("named", self.classes, metric.threshold, metric.strict)
        if key not in state.shared:
            state.shared[key] = replace(metric.view(state), classes=self.classes, named=True)
        made: Classified = state.shared[key]
        return made

    def sliced(self, metric: LabelledMetric, codes: Ints, n: int) -> State:
        """The same with each slice a segment; ``codes`` has the slice of every row there is."""
        state = self.state(metric)
        key = (id(state), id(codes), n)
        if key not in self._sliced:
            kept = self.kept(metric)
            segment = codes if kept is None else codes[kept]
            # what the key is made of is kept alive: an id must not come to mean something else
            self._sliced[key] = state, codes, replace(state, segment=segment, n_segments=n)
        return self._sliced[key][2]

    def kept(self, metric: LabelledMetric) -> Ints | None:
        """The rows that a metric reads, None for all."""
        if not self.rows.tally.unlabelled:
            return None
        if metric.unlabelled == "error":
            missing = self.rows.unlabelled()
            first = int(np.flatnonzero(missing)[0])
            written, text = self.rows.written(first), self.rows.frame["label"].dtype == pl.String
            error = measuring.unlabelled(first, int(missing.sum()), written, text=text)
            raise error.placed(lambda row: self.rows.place(row, "label"))
        if not len(self._labelled):
            raise measuring.no_labelled_row(self.rows.tables[-1].name, self.rows.tally.rows)
        return self._labelled

    @cached_property
    def _labelled(self) -> Ints:
        return np.flatnonzero(~self.rows.unlabelled())

    def group_names(self, metric: LabelledMetric) -> tuple[pl.Series, Ints]:
        """The groups there are, and the number of each."""
        ids = self._column("query", metric)
        numbers, _ = group_numbers(ids)
        pairs = pl.DataFrame({"query": ids, "number": numbers}).unique("number", keep="first").sort("query")
        return pairs["query"], pairs["number"].to_numpy()

    @contextmanager
    def _placed(self, metric: LabelledMetric) -> Iterator[None]:
        """Errors name the row in the user's file."""
        try:
            yield
        except RowError as error:
            kept, column = self.kept(metric), error.column
            raise error.placed(
                lambda row: self.rows.place(row if kept is None else int(kept[row]), column)
            ) from None

    def _kind(self, metric: LabelledMetric) -> str:
        has = self.rows.frame.columns
        probabilities = any(name.startswith(_PROBABILITY) for name in has)
        if isinstance(metric, RatingMetric):
            return "rated"
        if isinstance(metric, RowMetric):
            return "scored" if "score" in has or not probabilities else "classified"
        if "score" in has and metric in self.at_thresholds and self._thresholded(metric):
            return "scored"  # a threshold acts on scores, though the classes are there too
        if probabilities or "predicted" in has or not self._thresholded(metric):
            return "classified"
        return "scored"

    def _thresholded(self, metric: LabelledMetric) -> bool:
        """Whether the scores of class metrics are numbers that a threshold turns into two classes.

        Whole numbers are classes where some are neither 0 nor 1 or the caller named whole numbers as classes,
        unless the metric states a threshold for them.
        """
        label, score = (self.rows.frame.schema[name] for name in ("label", "score"))
        if not score.is_numeric():
            return False
        if score.is_integer() and metric not in self.at_thresholds:
            named = self.classes is not None and all(isinstance(name, int) for name in self.classes)
            if named or not self._in_zero_one["score"]:
                return False
        if self.classes is not None:
            return len(self.classes) == 2
        return label != pl.String and self._in_zero_one["label"]

    @cached_property
    def _in_zero_one(self) -> dict[str, bool]:
        """Whether labels and scores are all 0 or 1, nulls apart."""
        return {name: _in_zero_one(self.rows.frame[name]) for name in ("label", "score")}

    def _column(self, name: str, metric: LabelledMetric) -> pl.Series:
        kept = self.kept(metric)
        values = self.rows.frame[name]
        return values if kept is None else values.gather(kept)

    def _weights(self, metric: LabelledMetric) -> Floats | None:
        kept = self.kept(metric)
        weight = self.weight if self.weight is None or kept is None else self.weight[kept]
        if weight is not None and not weight.any():
            raise measuring.no_weight_left()
        return weight

    def _rated(self, metric: LabelledMetric) -> Rated:
        return Rated.of(
            ratings("label", self._number("label", metric)),
            ratings("score", self._number("score", metric)),
            weight=self._weights(metric),
        )

    def _number(self, role: str, metric: LabelledMetric) -> NDArray[Any]:
        if role not in self.rows.frame.columns:
            raise measuring_classes.needs(str(metric), "number")
        values = self._column(role, metric)
        if not (values.dtype.is_numeric() or values.dtype == pl.Boolean):
            numbers = values.cast(pl.Float64, strict=False)
            row = int(numbers.is_null().arg_true()[0]) if numbers.null_count() else 0
            raise reading.not_a_number(role, row, values[row])
        return values.to_numpy()

    def _scored(self, metric: LabelledMetric) -> Scored:
        label = self._column("label", metric)
        if self.classes is not None:
            (codes,), names = class_codes({"label": label}, self.classes)
            if len(names) != 2:
                raise measuring_classes.score_of_many(str(metric), names, self._named_after(names))
            truth = binary(codes)
        else:
            if label.dtype == pl.String:
                self._refuse_text(label)
            truth = binary(label.to_numpy())
        group: dict[str, Any] = {}
        if "query" in self.rows.frame.columns:
            of_row, n = group_numbers(self._column("query", metric))
            group = {"group": of_row, "n_groups": n}
        score = floats(self._column("score", metric).to_numpy())
        return Scored.of(truth, score, weight=self._weights(metric), **group)

    def _refuse_text(self, label: pl.Series) -> None:
        """Text labels that nobody named, by the first that is neither 0 nor 1."""
        numbers = label.str.strip_chars().cast(pl.Float64, strict=False)
        odd = (~((numbers == 0) | (numbers == 1))).fill_null(value=True)
        row = int(odd.arg_true()[0]) if odd.any() else 0
        found = label.unique().drop_nulls().sort().to_list()
        raise measuring.labels_not_binary(row, label[row], found, columns=self._named_after(found))

    def _named_after(self, found: Sequence[Class]) -> list[str]:
        """The columns of the predictions that are named after three or more classes, one each."""
        return columns_named_after(found, self.rows.tables[0].columns) if len(found) > 2 else []

    def _classified(self, metric: LabelledMetric) -> Classified:
        label = self._column("label", metric)
        weight = self._weights(metric)
        has = self.rows.frame.columns
        several = [name for name in has if name.startswith(_PROBABILITY)]
        said = "predicted" if "predicted" in has else None if several else "score"
        if not several:
            assert said is not None
            columns = self._of_one_kind(label, self._column(said, metric))
            (truth, called), names = class_codes(columns, self.classes)
            return Classified(
                n_rows=len(label),
                classes=names,
                truth=truth,
                predicted=called,
                named=self.classes is not None,
                weight=weight,
            )
        probability = self._probabilities(several, metric)
        names = self._column_classes(label, several, probability.shape[1])
        (truth, *called_too), names = class_codes(
            {"label": label} | ({"predicted class": self._column(said, metric)} if said else {}), names
        )
        made = Classified.of_probabilities(
            truth, probability, classes=tuple(range(len(names))), weight=weight
        )
        predicted = called_too[0] if called_too else None
        return replace(made, classes=names, predicted=predicted, named=self.classes is not None)

    def _of_one_kind(self, label: pl.Series, said: pl.Series) -> dict[str, pl.Series]:
        """Labels and predicted classes; the whole numbers of a file without types are text beside text."""
        columns = {"label": label, "predicted class": said}
        kinds = {column.dtype == pl.String for column in columns.values()}
        if label.dtype == pl.String and said.dtype.is_float():
            raise measuring_classes.scores_beside_text(label.unique().drop_nulls().sort().head(2).to_list())
        for (role, column), side in zip(columns.items(), (-1, 0), strict=True):
            if len(kinds) > 1 and column.dtype.is_integer() and self.rows.tables[side].untyped:
                columns[role] = column.cast(pl.String)
        return columns

    def _column_classes(self, label: pl.Series, several: Sequence[str], n: int) -> tuple[Class, ...]:
        if self.classes is not None:
            if len(self.classes) != n:
                raise measuring_classes.columns_differ(n, self.classes)
            return self.classes
        return classes_of_columns(label, [name.partition(":")[2] for name in several], n)

    def _probabilities(self, several: Sequence[str], metric: LabelledMetric) -> NDArray[Any]:
        if len(several) == 1:
            return self._column(several[0], metric).to_numpy()
        return np.column_stack([self._column(name, metric).to_numpy() for name in several])

    def notes(self, metric: LabelledMetric) -> list[Message]:
        """Which column stands for which class, where names or order decided it."""
        several = [name for name in self.rows.frame.columns if name.startswith(_PROBABILITY)]
        state = self.state(metric)
        if self.classes is not None or not several or not isinstance(state, Classified):
            return []
        columns = [name.partition(":")[2] for name in several]
        if len(columns) == 1:
            shown = some([str(name) for name in state.classes[:_SHOWN]], _SHOWN, len(state.classes))
            said = say(
                "the probabilities stand for the classes {classes}, in this order.",
                key="order_of_classes",
                classes=shown,
            )
            return [said]
        pairs = [
            say("{column} = {name}", key="column", column=column, name=str(name))
            for column, name in zip(columns, state.classes, strict=True)
        ]
        said = say(
            "the columns of probabilities stand for classes: {pairs}.",
            key="columns_of_classes",
            pairs=some(pairs, _SHOWN),
        )
        return [said]


def _in_zero_one(values: pl.Series) -> bool:
    if not values.dtype.is_numeric():
        return values.dtype == pl.Boolean
    return bool(((values == 0) | (values == 1)).all())  # nulls apart


def group_numbers(group: pl.Series) -> tuple[Ints, int]:
    """A number for each group, text or integers, in the order of their names."""
    if group.dtype != pl.String or not len(group):
        return numbered(group.to_numpy())
    # the codes of a category depend on what else the process holds: in the order of the names they do not
    _, code = distinct(group.cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy())
    n = int(code.max()) + 1
    first = np.empty(n, np.int64)
    first[code[::-1]] = np.arange(len(code) - 1, -1, -1)
    place = np.empty(n, np.int64)
    place[group.gather(first).arg_sort().to_numpy()] = np.arange(n)
    return place[code], n


@dataclass(frozen=True)
class LocalMatrices:
    """Several labels per row: two matrices with a column per class."""

    truth: NDArray[Any]
    said: NDArray[Any]
    classes: tuple[Class, ...] | None = None
    weight: Floats | None = None

    def state(self, metric: LabelledMetric) -> Classified:
        """The rows as a metric of classes reads them."""
        if not isinstance(metric, ClassMetric):
            raise measuring_classes.needs(str(metric), "one label")
        return metric.classified(self.truth, self.said, self.weight, self.classes)
