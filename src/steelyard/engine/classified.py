"""Rows with a class and a predicted class, reduced segment by segment in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Frozen, Ints, once
from steelyard.engine.columns import (
    BINARY,
    SINGLE,
    Class,
    Precision,
    class_names,
    classes_of_columns,
    finite_scores,
    floats,
    in_single,
    own,
    read_at,
    rounded,
    zeros_and_ones,
)
from steelyard.engine.influence import Segmented
from steelyard.engine.protocol import Need
from steelyard.engine.scored import Scored
from steelyard.kernels.means import segment_sum
from steelyard.text import Message, say
from steelyard.text.errors import measuring
from steelyard.text.errors.forms import dimensions

_OUTCOMES = ((1, 1), (0, 1), (1, 0), (0, 0))  # truth and prediction of a label: tp, fp, fn, tn


@dataclass(frozen=True, kw_only=True)
class Counts(Frozen):
    """The weight of rows of each segment (first axis) and class (second axis).

    ``tp`` were rightly called the class, ``fp`` wrongly; ``fn`` are of the class and were called another;
    ``tn`` are the rest. ``exists`` says which classes there are: in truth or predictions, or named.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    exists: Flags
    classes: tuple[Class, ...]
    one_label: bool = True

    @property
    def support(self) -> Floats:
        return self.tp + self.fn

    @property
    def positive(self) -> int | None:  # the second of two classes
        return 1 if len(self.classes) == 2 and self.one_label else None

    def pooled(self) -> Counts:
        return self._made(lambda part: (part * self.exists).sum(axis=1), self.exists.sum(axis=1) > 0)

    def only(self, at: int) -> Counts:
        return self._made(lambda part: part[:, at], self.exists[:, at])

    def _made(self, take: Callable[[Floats], Floats], exists: Flags) -> Counts:
        return replace(
            self, tp=take(self.tp), fp=take(self.fp), fn=take(self.fn), tn=take(self.tn), exists=exists
        )


@dataclass(frozen=True, kw_only=True)
class Classified(Segmented):
    """Rows with their class and what was predicted.

    ``truth`` and ``predicted`` are places in ``classes``, or matrices of 0 and 1 with a column per class
    where a row may have several labels. ``named`` says that the caller named the classes: each of them
    exists, seen or not. With ``others`` there are classes besides, whose place is behind the last one: rows
    of them, or called one, are of none of the classes.
    """

    classes: tuple[Class, ...]
    truth: NDArray[Any]
    predicted: NDArray[Any] | None = None
    # a column per class, float32 or float64, as given; any scores where a row may have several labels
    probability: NDArray[Any] | None = None
    named: bool = False
    others: bool = False

    def facts(self) -> list[Message]:
        return [say("{n:,} {n:class|classes}", key="classes", n=len(self.classes))]

    def sizes(self) -> Message:
        rows = int(self.rows[0])
        return say("rows {rows:,} · classes {n:,}", key="classified_facts", rows=rows, n=len(self.classes))

    @classmethod
    def of_scored(cls, rows: Scored, threshold: float, *, strict: bool, single: bool = False) -> Classified:
        """Labelled scores that a threshold turns into 0 and 1, made once for each threshold.

        The threshold is compared in the precision of the scores: 0.7 in single precision meets 0.7. With
        ``single`` that is single precision, whatever the scores came in.
        """
        if single:
            rows = rows.in_single()

        def made() -> Classified:
            called = calls(rows.score, threshold, strict=strict, precision=rows.precision)
            return cls(
                n_rows=rows.n_rows,
                classes=BINARY,
                truth=rows.label.astype(np.int64),
                predicted=called.astype(np.int64),
                **rows.of_rows(),
            )

        return rows.made_once(("classified", threshold, strict), made)

    @property
    def one_label(self) -> bool:
        return self.truth.ndim == 1

    @once
    def called(self) -> NDArray[Any]:  # as given, else the most probable
        return self.most_probable if self.predicted is None else self.predicted

    @property
    def scores(self) -> NDArray[Any]:  # of each class
        assert self.probability is not None
        return self.probability

    @once
    def most_probable(self) -> Ints:  # the first of several
        if not len(self.classes):
            return np.zeros(self.n_rows, np.int64)
        best: Ints = self.scores.argmax(axis=1).astype(np.int64)
        return best

    @once
    def counts(self) -> Counts:
        tp, fp, fn, tn = self._of_one_label() if self.one_label else self._of_several_labels()
        seen = (tp + fp + fn) > 0
        exists = (self.total() > 0)[:, None] & (seen | self.named)
        return Counts(
            tp=tp, fp=fp, fn=fn, tn=tn, exists=exists, classes=self.classes, one_label=self.one_label
        )

    @once
    def row_counts(self) -> Counts:  # weights apart
        tp, fp, fn, tn = (
            ((self.truth == truth) & (self.called == called)).sum(axis=1).astype(np.float64)
            for truth, called in _OUTCOMES
        )
        return Counts(
            tp=tp,
            fp=fp,
            fn=fn,
            tn=tn,
            exists=np.ones(self.n_rows, bool),
            classes=self.classes,
            one_label=False,
        )

    @once
    def class_rows(self) -> Ints:  # those of weight 0 apart
        counted = (self.weights > 0).astype(np.float64)
        if self.condensed is not None:
            counted *= self.condensed.count
        return replace(self, weight=counted).support.astype(np.int64)

    @once
    def support(self) -> Floats:  # the weight of each class, whatever it was called
        n = len(self.classes)
        if not self.one_label:
            return self._by_class(self.truth.T)
        every = n + self.others
        code = self.segments * every + self.truth
        found = segment_sum(self.weights, code, self.n_segments * every)
        return found.reshape(self.n_segments, every)[:, :n]

    @once
    def confusion(self) -> Floats:  # by segment, class and predicted class
        n = len(self.classes) + self.others
        cell = (self.segments * n + self.truth) * n + self.called
        found = segment_sum(self.weights, cell, self.n_segments * n * n)
        every = found.reshape(self.n_segments, n, n)
        return every[:, :-1, :-1] if self.others else every

    def read_at(self, thresholds: int, *, strict: bool, metric: str) -> Self:
        if (given := self.probability) is None:
            return self
        return self.made_once(
            ("read at", thresholds, strict),
            lambda: replace(self, probability=read_at(given, thresholds, strict=strict, metric=metric)),
        )

    def in_single(self) -> Self:
        if (given := self.probability) is None or given.dtype == SINGLE:
            return self
        return self.made_once(SINGLE, lambda: replace(self, probability=in_single(given)))

    def seen_alone(self) -> Self:  # without those that the caller alone named
        return self.made_once("seen alone", lambda: replace(self, named=False)) if self.named else self

    def top_label(self) -> Scored:
        best = self.scores[np.arange(self.n_rows), self.most_probable]
        return self._scored(self.truth == self.most_probable, best)

    def one_against_rest(self, at: int) -> Scored:
        mine = self.truth == at if self.one_label else self.truth[:, at] == 1
        return self._scored(mine, self.scores[:, at])

    def every_class(self) -> Scored:
        cells = np.repeat(np.arange(self.n_rows), len(self.classes))
        return self._cells(**self.of_rows(cells))

    def row_by_row(self) -> Scored:  # each a segment, weights apart
        row = np.repeat(np.arange(self.n_rows), len(self.classes))
        return self._cells(segment=row, n_segments=self.n_rows)

    def _cells(self, **fields: Any) -> Scored:
        places = np.arange(len(self.classes))
        mine = self.truth[:, None] == places if self.one_label else self.truth == 1
        score = np.ascontiguousarray(self.scores).reshape(-1)
        return Scored.of(mine.reshape(-1).astype(np.uint8), score, **fields)

    def one_against_other(self, at: int, other: int) -> Scored:
        kept = np.flatnonzero((self.truth == at) | (self.truth == other))
        return Scored.of(
            (self.truth[kept] == at).astype(np.uint8),
            np.ascontiguousarray(self.scores[kept, at]),
            **self.of_rows(kept),
        )

    def _scored(self, label: Flags, score: NDArray[Any]) -> Scored:
        return Scored.of(label.astype(np.uint8), np.ascontiguousarray(score), **self.of_rows())

    def _of_one_label(self) -> tuple[Floats, Floats, Floats, Floats]:
        n, called = len(self.classes) + self.others, self.called
        hit = self.truth == called
        truth, predicted = self.segments * n + self.truth, self.segments * n + called
        right, wrong = self.weights * hit, self.weights * ~hit

        def by_class(weight: Floats, code: Ints) -> Floats:
            return segment_sum(weight, code, self.n_segments * n).reshape(self.n_segments, n)

        tp, fp, fn = by_class(right, truth), by_class(wrong, predicted), by_class(wrong, truth)
        # sums of the other classes, not differences from the whole: no rest where there is none
        tn = np.maximum(_others(tp + fn) - fp, 0.0)
        kept = slice(len(self.classes))
        return tp[:, kept], fp[:, kept], fn[:, kept], tn[:, kept]

    def _of_several_labels(self) -> tuple[Floats, Floats, Floats, Floats]:
        columns = list(zip(self.truth.T, self.called.T, strict=True))
        tp, fp, fn, tn = (
            self._by_class((true == truth) & (predicted == called) for true, predicted in columns)
            for truth, called in _OUTCOMES
        )
        return tp, fp, fn, tn

    def _by_class(self, columns: Iterable[NDArray[Any]]) -> Floats:  # one at a time: there may be many
        totals = [self.total(column) for column in columns]
        return np.stack(totals, axis=1) if totals else np.zeros((self.n_segments, 0))


def calls(
    score: NDArray[Any], threshold: float, *, strict: bool, precision: Precision | None = None
) -> Flags:
    cut = float(rounded(threshold, precision or score.dtype.name))
    called: Flags = score > cut if strict else score >= cut
    return called


def _others(values: Floats) -> Floats:
    """For each class the sum of all other classes, without subtraction."""
    before = np.cumsum(values, axis=1)
    after = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
    out = np.zeros_like(values)
    out[:, 1:] += before[:, :-1]
    out[:, :-1] += after[:, 1:]
    return out


def holds_several(label: pl.Series) -> bool:
    return label.dtype.is_nested()


def check_alike(label: pl.Series, predicted: pl.Series) -> None:
    if holds_several(label) != holds_several(predicted):
        raise measuring.several_beside_one()


def check_several(need: Need) -> None:
    if need.reads != "classes" and not need.several_labels:
        raise measuring.needs_one_label(metric=need.name)
    if need.labels in ("one_per_row", "two_classes"):
        raise measuring.too_many_labels(metric=need.name, labels=need.labels)


def of_columns(
    label: pl.Series,
    predicted: pl.Series | NDArray[Any],
    need: Need,
    named: tuple[Class, ...] | None,
    columns: Sequence[str] = (),
    **fields: Any,
) -> Classified:
    """Columns of labels, and of what was called or a matrix of scores, whose ``columns`` may have names."""
    others = need.unnamed == "other" and named is not None
    if isinstance(predicted, np.ndarray):
        names = named or _classes(label, predicted.shape[1], columns)
    else:
        check_alike(label, predicted)
        names = named or _classes_of_both(label, predicted)
    truth = _matrix("label", label, names, others=others)
    if isinstance(predicted, pl.Series):
        predicted = _matrix("predicted class", predicted, names, others=others)
    if truth.shape != predicted.shape:
        raise measuring.matrices_differ(truth=dimensions(truth.shape), predicted=dimensions(predicted.shape))
    if others and len(names) < truth.shape[1]:  # columns that were named by their numbers
        some = [name for name in names if isinstance(name, int) and 0 <= name < truth.shape[1]]
        if len(some) == len(names):
            truth, predicted = truth[:, some], predicted[:, some]
    scores, bar = need.reads == "scores", need.threshold
    if scores:
        predicted = own(finite_scores(predicted))
    elif bar is not None and predicted.dtype.kind not in "bui":
        shown = floats(predicted)
        predicted = calls(in_single(shown) if bar.single else shown, bar.at, strict=bar.strict)
    classes = class_names(names)
    if len(classes) != truth.shape[1]:
        raise measuring.columns_differ(m=truth.shape[1], n=len(classes), classes=classes)
    return Classified(
        n_rows=len(truth),
        classes=classes,
        truth=zeros_and_ones("truth", truth),
        predicted=None if scores else zeros_and_ones("predicted", predicted),
        probability=predicted if scores else None,
        named=True,
        **fields,
    )


def _classes(label: pl.Series, n: int, columns: Sequence[str]) -> tuple[Class, ...]:
    """The classes that ``n`` columns of scores stand for, where nobody named them."""
    if isinstance(label.dtype, pl.List):
        return classes_of_columns(label.explode().drop_nulls(), columns, n)
    return _places(label)


def _classes_of_both(label: pl.Series, predicted: pl.Series) -> tuple[Class, ...]:
    """The classes of labels and predictions: those that lists hold, sorted, else by their places."""
    listed = [column for column in (label, predicted) if isinstance(column.dtype, pl.List)]
    if len(listed) < 2:
        return _places(predicted if isinstance(label.dtype, pl.List) else label)
    seen = pl.concat([column.explode() for column in listed]).drop_nulls()
    return tuple(seen.unique().sort().to_list())


def _places(column: pl.Series) -> tuple[Class, ...]:
    """The classes of a column with a place for each: the names of its fields, or whole numbers from 0."""
    if isinstance(column.dtype, pl.Struct):
        return tuple(one.name for one in column.dtype.fields)
    assert isinstance(column.dtype, pl.Array)
    return tuple(range(column.dtype.shape[0]))


def _matrix(role: str, column: pl.Series, names: Sequence[Class], *, others: bool) -> NDArray[Any]:
    if isinstance(column.dtype, pl.Array):
        return column.to_numpy()
    if isinstance(column.dtype, pl.Struct):
        fields = [one.name for one in column.dtype.fields]
        ordered = [str(name) for name in names] if set(fields) == set(map(str, names)) else fields
        return np.column_stack([column.struct.field(name).to_numpy() for name in ordered])
    lengths = column.list.len().to_numpy()
    row = np.repeat(np.arange(len(column)), lengths)
    texts = column.filter(pl.Series(lengths > 0)).explode()
    at = texts.cast(pl.Enum([str(name) for name in names]), strict=False).to_physical()
    known: Flags = at.is_not_null().to_numpy()
    if not others and not known.all():
        first = int(np.flatnonzero(~known)[0])
        raise measuring.unknown_class(
            row=int(row[first]), column=role, role=role, value=texts[first], classes=names
        )
    found = np.zeros((len(column), len(names)), np.uint8)
    found[row[known], at.drop_nulls().to_numpy()] = 1
    return found
