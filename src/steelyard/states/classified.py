"""Rows with a class and a predicted class, reduced segment by segment in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats, Ints
from steelyard.errors import classes as errors
from steelyard.kernels.means import segment_sum
from steelyard.states.scored import Scored
from steelyard.states.segmented import Segmented

Class: TypeAlias = str | int

TOLERANCE = 1e-6  # how far a row of probabilities may sum from 1
BINARY: tuple[Class, ...] = (0, 1)


@dataclass(frozen=True, kw_only=True)
class Counts:
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
        """The weight of rows that are of the class."""
        return self.tp + self.fn

    @property
    def positive(self) -> int | None:
        """Which class is the positive one: the second of two."""
        return 1 if len(self.classes) == 2 and self.one_label else None

    def pooled(self) -> Counts:
        """All classes that exist as one."""
        return self._made(lambda part: (part * self.exists).sum(axis=1), self.exists.sum(axis=1) > 0)

    def only(self, at: int) -> Counts:
        """One class alone."""
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
    exists, seen or not.
    """

    classes: tuple[Class, ...]
    truth: NDArray[Any]
    predicted: NDArray[Any] | None = None
    probability: NDArray[Any] | None = None  # a column per class; float32 or float64, as given
    named: bool = False

    @classmethod
    def of_labels(
        cls,
        labels: NDArray[Any],
        predicted: NDArray[Any],
        *,
        classes: Sequence[Class] | None = None,
        **fields: Any,
    ) -> Classified:
        """True and predicted classes, all text or all whole numbers.

        Without ``classes`` there are those in truth or predictions, sorted; labels of 0 and 1 alone always
        are the two classes 0 and 1.

        >>> Classified.of_labels(np.array(["b", "a"]), np.array(["a", "a"])).classes
        ('a', 'b')
        """
        (truth, called), names = coded({"label": labels, "predicted class": predicted}, classes)
        return cls(
            n_rows=len(truth),
            classes=names,
            truth=truth,
            predicted=called,
            named=classes is not None,
            **fields,
        )

    @classmethod
    def of_scores(
        cls,
        label: NDArray[Any],
        score: NDArray[Any],
        threshold: float = 0.5,
        *,
        strict: bool = False,
        classes: Sequence[Class] | None = None,
        **fields: Any,
    ) -> Classified:
        """Labels of 0 and 1, and scores that a threshold turns into 0 and 1.

        The threshold is compared in the precision of the scores: 0.7 in single precision meets 0.7.
        """
        called = score > float(threshold) if strict else score >= float(threshold)
        return cls(
            n_rows=len(label),
            classes=BINARY if classes is None else tuple(classes),
            truth=label.astype(np.int64),
            predicted=called.astype(np.int64),
            named=classes is not None,
            **fields,
        )

    @classmethod
    def of_probabilities(
        cls,
        labels: NDArray[Any],
        probability: NDArray[Any],
        *,
        classes: Sequence[Class] | None = None,
        **fields: Any,
    ) -> Classified:
        """Classes, and a probability for each class; the most probable class counts as predicted.

        Where two are equally probable, the first in order counts. Without ``classes`` the columns stand
        for the sorted classes of the truth, or for 0, 1, 2 … if the truth is whole numbers below their
        count.
        """
        given = checked_probabilities(probability)
        names = columns_of(labels, given.shape[1]) if classes is None else tuple(classes)
        (truth,), names = coded({"label": labels}, names)
        if len(names) != given.shape[1]:
            raise errors.columns_differ(given.shape[1], names)
        return cls(
            n_rows=len(truth),
            classes=names,
            truth=truth,
            probability=given,
            named=classes is not None,
            **fields,
        )

    @classmethod
    def of_matrices(
        cls,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        *,
        classes: Sequence[Class] | None = None,
        **fields: Any,
    ) -> Classified:
        """Several labels per row: matrices of 0 and 1 with a column per class."""
        if truth.shape != predicted.shape:
            raise errors.matrices_differ(truth.shape, predicted.shape)
        names = _names(range(truth.shape[1]) if classes is None else classes)
        if len(names) != truth.shape[1]:
            raise errors.columns_differ(truth.shape[1], names)
        return cls(
            n_rows=len(truth),
            classes=names,
            truth=_zeros_and_ones("truth", truth),
            predicted=_zeros_and_ones("predicted", predicted),
            named=True,
            **fields,
        )

    @property
    def one_label(self) -> bool:
        """Whether each row has one class, not several."""
        return self.truth.ndim == 1

    @cached_property
    def called(self) -> NDArray[Any]:
        """The predicted classes: as given, else the most probable."""
        if self.predicted is not None:
            return self.predicted
        assert self.probability is not None
        if not len(self.classes):
            return np.zeros(self.n_rows, np.int64)
        best: Ints = self.probability.argmax(axis=1).astype(np.int64)
        return best

    @cached_property
    def counts(self) -> Counts:
        """Right and wrong by segment and class."""
        tp, fp, fn, tn = self._of_one_label() if self.one_label else self._of_several_labels()
        seen = (tp + fp + fn) > 0
        exists = (self.total() > 0)[:, None] & (seen | self.named)
        return Counts(
            tp=tp, fp=fp, fn=fn, tn=tn, exists=exists, classes=self.classes, one_label=self.one_label
        )

    @cached_property
    def confusion(self) -> Floats:
        """The weight of rows by segment, class and predicted class."""
        n = len(self.classes)
        cell = (self.segments * n + self.truth) * n + self.called
        return segment_sum(self.weights, cell, self.n_segments * n * n).reshape(self.n_segments, n, n)

    def top_label(self) -> Scored:
        """Whether the most probable class was the right one, with its probability as the score."""
        assert self.probability is not None
        best = self.probability[np.arange(self.n_rows), self.called]
        return self._scored(self.truth == self.called, best)

    def one_against_rest(self, at: int) -> Scored:
        """The class as 1 and all others as 0, scored by the probability of the class."""
        assert self.probability is not None
        return self._scored(self.truth == at, self.probability[:, at])

    def one_against_other(self, at: int, other: int) -> Scored:
        """The rows of two classes alone, scored by the probability of the first."""
        assert self.probability is not None
        kept = np.flatnonzero((self.truth == at) | (self.truth == other))
        return Scored.of(
            (self.truth[kept] == at).astype(np.uint8),
            np.ascontiguousarray(self.probability[kept, at]),
            weight=None if self.weight is None else self.weight[kept],
            segment=None if self.segment is None else self.segment[kept],
            n_segments=self.n_segments,
        )

    def _scored(self, label: Flags, score: NDArray[Any]) -> Scored:
        return Scored.of(
            label.astype(np.uint8),
            np.ascontiguousarray(score),
            weight=self.weight,
            segment=self.segment,
            n_segments=self.n_segments,
        )

    def _of_one_label(self) -> tuple[Floats, Floats, Floats, Floats]:
        n, called = len(self.classes), self.called
        hit = self.truth == called
        truth, predicted = self.segments * n + self.truth, self.segments * n + called
        right, wrong = self.weights * hit, self.weights * ~hit

        def by_class(weight: Floats, code: Ints) -> Floats:
            return segment_sum(weight, code, self.n_segments * n).reshape(self.n_segments, n)

        tp, fp, fn = by_class(right, truth), by_class(wrong, predicted), by_class(wrong, truth)
        # sums of the other classes, not differences from the whole: no rest where there is none
        return tp, fp, fn, np.maximum(_others(tp + fn) - fp, 0.0)

    def _of_several_labels(self) -> tuple[Floats, Floats, Floats, Floats]:
        called = self.called

        def by_class(truth: int, said: int) -> Floats:
            cells = [
                self.total((self.truth[:, at] == truth) & (called[:, at] == said))
                for at in range(len(self.classes))
            ]
            return np.stack(cells, axis=1) if cells else np.zeros((self.n_segments, 0))

        return by_class(1, 1), by_class(0, 1), by_class(1, 0), by_class(0, 0)


def coded(
    columns: dict[str, NDArray[Any]], classes: Sequence[Class] | None
) -> tuple[list[Ints], tuple[Class, ...]]:
    """Each column as places in one list of classes, and that list."""
    values = {role: class_values(role, column) for role, column in columns.items()}
    if classes is not None:
        names = _names(classes)
        return [_places(role, column, names) for role, column in values.items()], names
    if all(column.dtype.kind == "i" and _in_zero_one(column) for column in values.values()):
        return list(values.values()), BINARY
    kinds = {column.dtype.kind for column in values.values() if len(column)}
    if len(kinds) > 1:
        raise errors.kinds_differ(*sorted(map(_kind, kinds)))
    seen = np.unique(np.concatenate([np.unique(column) for column in values.values() if len(column)]))
    return [np.searchsorted(seen, column) for column in values.values()], tuple(seen.tolist())


def class_values(role: str, column: NDArray[Any]) -> NDArray[Any]:
    """Classes as int64 or text; booleans and whole floats are whole numbers."""
    if column.ndim != 1:
        raise errors.not_one_column(role, column.shape)
    if column.dtype.kind == "O":
        column = _of_objects(role, column)
    if column.dtype.kind == "f":
        bad = np.flatnonzero(~(column == np.floor(column)) | np.isinf(column))
        if len(bad) and np.isnan(column[bad[0]]):
            raise errors.null_class(role, int(bad[0]))
        if len(bad):
            raise errors.not_a_class(role, int(bad[0]), column[bad[0]].item())
    if column.dtype.kind in "buif":
        return column.astype(np.int64)
    return column if column.dtype.kind == "U" else column.astype(str)


def checked_probabilities(probability: NDArray[Any]) -> NDArray[Any]:
    """A column per class, each row summing to 1."""
    kept = probability if probability.dtype in (np.float32, np.float64) else probability.astype(np.float64)
    bad = np.argwhere(~((kept >= 0) & (kept <= 1)))
    if len(bad):
        row, column = bad[0]
        raise errors.bad_probability(int(row), float(kept[row, column]))
    total = kept.sum(axis=1, dtype=np.float64)
    off = np.flatnonzero(np.abs(total - 1) > TOLERANCE)
    if len(off):
        raise errors.probabilities_not_one(int(off[0]), float(total[off[0]]), TOLERANCE)
    return kept


def columns_of(labels: NDArray[Any], n: int) -> tuple[Class, ...]:
    """The classes that ``n`` columns stand for when nobody named them."""
    values = class_values("label", labels)
    seen = np.unique(values)
    if len(seen) == n:
        return tuple(seen.tolist())
    if not len(seen) or (values.dtype.kind == "i" and seen[0] >= 0 and seen[-1] < n):
        return tuple(range(n))
    raise errors.columns_differ(n, seen.tolist())


def _names(classes: Sequence[Any]) -> tuple[Class, ...]:
    names = tuple(name if isinstance(name, str) else int(name) for name in classes)
    if len({isinstance(name, str) for name in names}) > 1:
        raise errors.kinds_differ("text", "whole numbers")
    for at, name in enumerate(names):
        if name in names[:at]:
            raise errors.class_twice(name)
    return names


def _places(role: str, column: NDArray[Any], names: tuple[Class, ...]) -> Ints:
    if not len(column):
        return np.zeros(0, np.int64)
    known = np.array(names) if names else column[:0]
    if len(known) and _kind(known.dtype.kind) != _kind(column.dtype.kind):
        raise errors.kinds_differ(*sorted((_kind(known.dtype.kind), _kind(column.dtype.kind))))
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known, column, sorter=order), max(len(known) - 1, 0))
    found = known[order[at]] == column if len(known) else np.zeros(len(column), bool)
    if not found.all():
        row = int(np.flatnonzero(~found)[0])
        raise errors.unknown_class(role, row, column[row].item(), names)
    return order[at]


def _kind(code: str) -> str:
    return "whole numbers" if code == "i" else "text"


def _in_zero_one(column: NDArray[Any]) -> bool:
    return not len(column) or bool(column.min() >= 0 and column.max() <= 1)


def _of_objects(role: str, column: NDArray[Any]) -> NDArray[Any]:
    for row, value in enumerate(column):
        if value is None or value != value:
            raise errors.null_class(role, row)
    if all(isinstance(value, str) for value in column):
        return column.astype(str)
    if any(isinstance(value, str) for value in column):
        raise errors.kinds_differ("text", "whole numbers")
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        raise errors.not_a_class(role, 0, column[0]) from None


def _zeros_and_ones(role: str, matrix: NDArray[Any]) -> NDArray[np.uint8]:
    bad = np.argwhere((matrix != 0) & (matrix != 1))
    if len(bad):
        row, column = bad[0]
        raise errors.matrix_not_binary(role, int(row), matrix[row, column].item())
    return matrix.astype(np.uint8)


def _others(values: Floats) -> Floats:
    """For each class the sum of all other classes, without subtraction."""
    before = np.cumsum(values, axis=1)
    after = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
    out = np.zeros_like(values)
    out[:, 1:] += before[:, :-1]
    out[:, :-1] += after[:, 1:]
    return out
