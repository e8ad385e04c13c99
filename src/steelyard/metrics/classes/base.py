"""Metrics of classes: what was called by its right name, and what was not."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arguments import number_of
from steelyard.arrays import Floats, Ints
from steelyard.conventions import choice, number
from steelyard.engine.classified import Classified, Counts
from steelyard.engine.columns import BINARY, Class
from steelyard.engine.influence import Influence, Segmented
from steelyard.engine.protocol import Need, Reads, Threshold
from steelyard.engine.rows import states_of_arrays
from steelyard.engine.scored import RowSums, Scored
from steelyard.kernels.means import ratio
from steelyard.metrics.base import Interval, abstract
from steelyard.metrics.classes.averages import MeanOfValues, averaged_steps, undefined_class_notes
from steelyard.metrics.classes.influence import averaged_influence
from steelyard.metrics.rows.base import (
    LabelledMetric,
    Rows,
    RowScores,
    filled,
    row_scores_choice,
    strict_flag,
)
from steelyard.metrics.steps import Parts, Quantity
from steelyard.metrics.steps.rows import COUNTED, CountNames, RowValues
from steelyard.read.sources import predictions_first
from steelyard.text import Message, say
from steelyard.text.errors import measuring

ClassAverage = Literal["binary", "micro", "macro", "weighted", "samples", "none"]
UndefinedClass = Literal["zero", "zero_seen", "one", "skip"]
Unnamed = Literal["error", "other"]

AVERAGES = {
    "binary": "the positive class alone: the second of two",
    "micro": "counts of all classes added up, then one division (微平均)",
    "macro": "the plain mean over classes (宏平均)",
    "weighted": "the mean over classes by their share of the rows (加权平均)",
    "samples": "the mean over rows of several labels, each row's labels counted by themselves (样本平均)",
    "none": "one value per class",
}


# `undefined_class` decides inside an average; `undefined` is for the whole
UNDEFINED_AVERAGE = {
    "nan": "an undefined average is NaN",
    "zero": "an undefined average counts 0",
    "half": "an undefined average counts 0.5",
    "one": "an undefined average counts 1",
    "error": "an undefined average is an error",
}


def unnamed_choice() -> Any:
    return choice(
        default="error",
        about="A class that is none of those that were named.",
        meaning={
            "error": "a class that was not named is an error",
            "other": "a class that was not named is none of those that count, and a note says so",
        },
    )


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ClassMetric(LabelledMetric):
    """A metric of rows with a class and a predicted class.

    A subclass gives ``per_segment``: for each slice a value, or a row of values; NaN where undefined.
    """

    reads: ClassVar[Reads] = "classes"

    @abstract("measure")
    def per_segment(self, classified: Classified) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_segment")

    def measure(self, rows: Rows, each: Floats | None = None) -> Floats:
        return filled(self, self.per_segment(self.view(rows)), rows.n_segments, rows=True)

    def view(self, rows: Rows) -> Classified:
        """The rows as classes; a metric with a threshold makes classes of scores."""
        if isinstance(rows, Scored):
            raise measuring.needs_classes(metric=str(self))
        return rows

    @predictions_first
    def of(
        self,
        predictions: ArrayLike,
        truth: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        classes: Sequence[Class] | None = None,
    ) -> float | list[Any]:
        """The value for predicted and true classes; a list where there are several values.

        ``predictions`` are classes, or scores (floats) for labels of 0 and 1, or a 2-D array of
        probabilities with a column per class. Two matrices of 0 and 1 are several labels per row.
        ``classes`` names the classes in order; of two, the second is the positive one.

        >>> from steelyard.metrics import Accuracy
        >>> Accuracy().of(predictions=["cat", "cat", "dog"], truth=["cat", "dog", "dog"])
        0.6666666666666666
        >>> Accuracy().of([0.9, 0.5, 0.1], [1, 0, 0])
        0.6666666666666666
        """
        states = states_of_arrays(predictions, truth, weights=weights, classes=classes, numbers=False)
        rows = self.view(states.state(self.need()))
        return self._shown(self.measure(rows)[0], rows)

    def _shown(self, value: Floats, rows: Classified) -> float | list[Any]:
        return float(value) if np.ndim(value) == 0 else value.tolist()


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ThresholdMetric(ClassMetric):
    """A metric of classes that also takes scores: a threshold turns them into 0 and 1.

    A subclass gives ``value``: a number for each slice from the counts of right and wrong.
    """

    threshold: float = number(default=0.5, meaning="a score of at least this is positive")
    strict: bool = strict_flag()
    scores: RowScores = row_scores_choice()

    counted: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn", "tn")  # the counts that make a difference

    def need(self, stated: Collection[str] = ()) -> Need:
        by_user = not {"threshold", "strict"}.isdisjoint(stated)
        return dataclasses.replace(
            super().need(stated),
            threshold=Threshold(self.threshold, self.strict, by_user, self.scores == "float32"),
            unnamed=getattr(self, "unnamed", "error"),
        )

    def reduced_to(self, state: Rows) -> RowSums | None:
        """What was called; rows that may have several labels stay as they are."""
        if isinstance(state, Scored):
            return RowSums(keys=(self.view(state).called,))
        own = self.view(state)
        return RowSums() if state.one_label and (own is state or state.predicted is not None) else None

    @abstract("per_segment")
    def value(self, counts: Counts) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define value")

    def per_segment(self, classified: Classified) -> Floats:
        return self.value(classified.counts)

    def view(self, rows: Rows) -> Classified:
        single = self.scores == "float32"
        if isinstance(rows, Classified):
            return rows.in_single() if single and rows.predicted is None else rows
        return Classified.of_scored(rows, self.threshold, strict=self.strict, single=single)

    def of_counts(
        self,
        *,
        tp: float | None = None,
        fp: float | None = None,
        fn: float | None = None,
        tn: float | None = None,
    ) -> float | list[Any]:
        """The value of two classes given as counts; counts that the metric does not use are optional.

        >>> from steelyard.metrics import F1
        >>> F1().of_counts(tp=1, fp=1, fn=3)
        0.3333333333333333
        """
        counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        missing = [name for name in self.counts_needed() if counts[name] is None]
        if missing:
            raise measuring.counts_missing(metric=str(self), missing=missing)
        weights = []
        for name, count in counts.items():
            weight = 0.0 if count is None else number_of(count)
            if weight is None or not 0 <= weight < math.inf:
                raise measuring.bad_count(name=name, value=repr(count))
            weights.append(weight)
        return self.of(predictions=[1, 1, 0, 0], truth=[1, 0, 1, 0], weights=weights)

    def extra_figures(self, rows: Rows) -> Mapping[str, Floats]:
        classified = self.view(rows)
        if not classified.one_label:
            return {}
        support = classified.counts.support
        return {"majority": ratio(support.max(axis=1, initial=0.0), support.sum(axis=1))}

    def idle(self, state: Any) -> set[str]:
        if not isinstance(state, Classified):
            return {"unnamed"}
        scores = set() if state.predicted is None else {"scores"}
        return {"threshold", "strict"} | scores | (set() if state.others else {"unnamed"})

    def without_effect(self, state: Any) -> set[str]:
        double, single = (self.replace(scores=name).view(state).called for name in ("as_given", "float32"))
        return super().without_effect(state) | ({"scores"} if np.array_equal(double, single) else set())

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        # `unnamed` was applied when the rows were read
        idle = {*ThresholdMetric.idle(self, state), "unnamed"}
        return [choice for choice in super().choices(state) if choice[0] not in idle]

    def facts(self, rows: Rows, label: str = "") -> list[Message]:
        classified = self.view(rows)
        if not classified.others:
            return []
        places = np.maximum(classified.truth, classified.called)
        n = int(classified.rows_of(places == len(classified.classes)).sum())
        note = say(
            "{metric}: {n:,} {n:row has|rows have} a true or predicted class that is not named; "
            "it counts as no class (unnamed=other).",
            key="unnamed_classes",
            metric=label or str(self),
            n=n,
        )
        return [note] if n else []

    def counts_needed(self) -> tuple[str, ...]:
        return self.counted


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class AveragedMetric(MeanOfValues, ThresholdMetric):
    """A metric with a value per class, and averages of them.

    A subclass gives ``parts``, the numerator and the denominator. A class in neither truth nor predictions
    of a slice is left out there, unless the caller named it.
    """

    average: ClassAverage = choice(
        default="binary", meaning=AVERAGES, about="How the values of classes become one."
    )

    undefined_class: UndefinedClass = choice(
        default="zero",
        about="A class without a value inside macro and weighted, a row without one inside samples.",
        meaning={
            "zero": "an undefined class counts 0 in an average, and a note says so",
            "zero_seen": "the same; a class in neither truth nor predictions is left out of macro",
            "one": "an undefined class counts 1 in an average",
            "skip": "an undefined class is left out of an average",
        },
    )

    unnamed: Unnamed = unnamed_choice()

    limits: ClassVar[Interval] = "logit"

    def view(self, rows: Rows) -> Classified:
        classified = super().view(rows)
        seen_alone = self.average == "macro" and self.undefined_class == "zero_seen"
        return classified.seen_alone() if seen_alone else classified

    def counts_needed(self) -> tuple[str, ...]:
        return self.counted if self.average == "binary" else ThresholdMetric.counted

    def told_fields(self) -> tuple[str, ...]:
        return (*self.always_told, *(("undefined_class",) if self.is_mean else ()))

    def meaning(self, name: str) -> str | None:
        if name == "undefined" and self.is_mean:
            return UNDEFINED_AVERAGE[self.undefined]
        return super().meaning(name)

    def idle(self, state: Any) -> set[str]:
        return super().idle(state) | (set() if self.is_mean else {"undefined_class"})

    @abstract("value")
    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        raise NotImplementedError(f"{type(self).__name__} must define parts")

    def arithmetic(self, counts: CountNames) -> Quantity | None:
        """The formula in the names of counts; None if ``parts`` works with numbers only."""
        names: Any = counts
        try:
            over, under = self.parts(names)
        except (AttributeError, TypeError):
            return None
        formula: Any = over / under
        return formula if isinstance(formula, Quantity) else None

    def influence(self, rows: Rows, values: Floats, each: Floats | None = None) -> Influence | None:
        own = type(self)
        if own.value is not AveragedMetric.value or own.per_segment is not AveragedMetric.per_segment:
            return None  # a formula of its own
        return averaged_influence(self, self.view(rows), values)

    def interval(self) -> Interval:
        return self.limits if np.isfinite(self.bounds).all() else "t"

    def steps(self, state: Rows) -> Parts:
        return averaged_steps(self, self.view(state))

    def value(self, counts: Counts) -> Floats:
        if self.average == "binary":
            return self._binary(counts)
        if self.average == "micro":
            return ratio(*self.parts(counts.pooled()))
        if self.average == "samples":
            raise measuring.samples_of_one_label(metric=str(self))
        each = self.by_class(counts)
        if self.average == "none":
            return each
        weight = counts.support if self.average == "weighted" else counts.exists.astype(np.float64)
        each, counted = self.inside(each)
        weight = weight * counted
        return ratio((each * weight).sum(axis=1), weight.sum(axis=1))

    def per_segment(self, classified: Classified) -> Floats:
        return self.of_rows(classified) if self.average == "samples" else self.value(classified.counts)

    def by_row(self, classified: Classified) -> Floats:
        if classified.one_label:
            raise measuring.samples_of_one_label(metric=str(self))
        return ratio(*self.parts(classified.row_counts))

    def row_columns(self, rows: Classified) -> list[RowValues]:
        return [RowValues(name, getattr(rows.row_counts, name.key)) for name in COUNTED]

    def by_class(self, counts: Counts) -> Floats:
        """The value of each class; NaN if it is undefined or the class does not exist."""
        return np.where(counts.exists, ratio(*self.parts(counts)), np.nan)

    def _binary(self, counts: Counts) -> Floats:
        others = [name for name in AVERAGES if name != "binary"]
        if not counts.one_label:
            raise measuring.binary_of_several(metric=str(self), averages=others)
        if len(counts.classes) > 2:
            others.remove("samples")
            raise measuring.binary_of_many(
                metric=str(self), averages=others, n=len(counts.classes), classes=counts.classes
            )
        if counts.positive is None:
            return np.full(len(counts.tp), np.nan)
        return ratio(*self.parts(counts.only(counts.positive)))

    def covered(self, rows: Segmented, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        if values.ndim == 1:
            return super().covered(rows, values)
        assert isinstance(rows, Classified | Scored)
        support = self.view(rows).class_rows
        undefined = np.isnan(values)
        return np.where(undefined, 0, support), np.where(undefined, support, 0)

    def entries(self, rows: Rows) -> list[tuple[Class, ...]]:
        if self.average != "none":
            return []
        return [(name,) for name in (rows.classes if isinstance(rows, Classified) else BINARY)]

    def facts(self, rows: Rows, label: str = "") -> list[Message]:
        classified, label = self.view(rows), label or str(self)
        notes = super().facts(classified, label)
        if self.average == "binary":
            return [*notes, *_which_is_positive(classified, label)]
        if self.average == "samples":
            return [*notes, *self.row_facts(classified, label)]
        if self.average in ("macro", "weighted"):
            counts = classified.counts
            # a class of weight 0 changes nothing
            counted = counts.exists if self.average == "macro" else counts.support > 0
            undefined = counted & np.isnan(self.by_class(counts))
            notes += undefined_class_notes(label, classified.classes, undefined, self.undefined_class)
        if self.average == "macro" and self.undefined_class == "zero_seen":
            unseen = super().view(rows).counts.exists & ~classified.counts.exists
            notes += undefined_class_notes(label, classified.classes, unseen, "zero_seen", "skip")
        return notes


def _which_is_positive(classified: Classified, label: str) -> list[Message]:
    names = classified.classes
    if names == BINARY or len(names) > 2:
        return []
    if len(names) == 1:
        note = say(
            "{metric}: only class '{only}' is there, so none is positive; "
            "name both in classes, the positive one second.",
            key="one_class",
            metric=label,
            only=names[0],
        )
    else:
        note = say(
            "{metric}: the positive class is '{positive}', the second of '{first}' and '{positive}'.",
            key="positive_class",
            metric=label,
            first=names[0],
            positive=names[1],
        )
    return [note]
