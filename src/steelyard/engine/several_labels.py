"""Rows that may have several labels: matrices, lists or several columns, with a place for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Flags, Floats
from steelyard.engine.binned import own
from steelyard.engine.class_values import Class, class_names, classes_of_columns, zeros_and_ones
from steelyard.engine.classified import Classified, calls
from steelyard.engine.columns import check_probabilities, finite_scores, floats, in_single
from steelyard.engine.protocol import Need, Threshold
from steelyard.read.row_arrays import Matrices
from steelyard.text import Message
from steelyard.text.errors import measuring
from steelyard.text.errors.places import dimensions


def holds_several(label: pl.Series) -> bool:
    return label.dtype.is_nested()


def check_alike(label: pl.Series, said: pl.Series) -> None:
    if holds_several(label) != holds_several(said):
        raise measuring.several_beside_one()


def check_several(need: Need) -> None:
    if need.reads != "classes" and not need.several_labels:
        raise measuring.needs(need.name, "one label")
    if need.labels in ("one_per_row", "two_classes"):
        raise measuring.too_many_labels(metric=need.name, labels=need.labels)


def of_columns(
    label: pl.Series,
    said: pl.Series | NDArray[Any],
    need: Need,
    named: tuple[Class, ...] | None,
    columns: Sequence[str] = (),
    **fields: Any,
) -> Classified:
    """Columns of labels, and of what was called or a matrix of scores, whose ``columns`` may have names."""
    others = need.unnamed == "other" and named is not None
    if isinstance(said, np.ndarray):
        names = named or _classes(label, said.shape[1], columns)
    else:
        check_alike(label, said)
        names = named or _classes_of_both(label, said)
    truth = _matrix("label", label, names, others=others)
    called = said if isinstance(said, np.ndarray) else _matrix("predicted class", said, names, others=others)
    return of_matrices(truth, called, need, names, **fields)


def of_matrices(
    truth: NDArray[Any], said: NDArray[Any], need: Need, named: tuple[Class, ...] | None, **fields: Any
) -> Classified:
    scores, bar = need.reads == "scores", threshold_of(said, need)
    if need.unnamed == "other" and (some := _columns_named(named, truth.shape[1])):
        truth, said = truth[:, some], said[:, some]
    if scores:
        said = own(finite_scores(said))
    elif bar is not None:
        shown = floats(said)
        said = calls(in_single(shown) if bar.single else shown, bar.at, strict=bar.strict)
    if truth.shape != said.shape:
        raise measuring.matrices_differ(truth=dimensions(truth.shape), predicted=dimensions(said.shape))
    classes = class_names(range(truth.shape[1]) if named is None else named)
    if len(classes) != truth.shape[1]:
        raise measuring.columns_differ(m=truth.shape[1], n=len(classes), classes=classes)
    return Classified(
        n_rows=len(truth),
        classes=classes,
        truth=zeros_and_ones("truth", truth),
        predicted=None if scores else zeros_and_ones("predicted", said),
        probability=said if scores else None,
        named=True,
        **fields,
    )


def threshold_of(said: NDArray[Any], need: Need) -> Threshold | None:
    if need.threshold is None or said.ndim != 2 or said.dtype.kind in "bui":
        return None
    return need.threshold


def _columns_named(named: tuple[Class, ...] | None, n: int) -> list[int]:
    """The columns that were named by their numbers, which are their classes; empty where all were."""
    if named is None or len(named) >= n:
        return []
    whole = [name for name in named if isinstance(name, int) and 0 <= name < n]
    return whole if len(whole) == len(named) else []


def _classes(label: pl.Series, n: int, columns: Sequence[str]) -> tuple[Class, ...]:
    """The classes that ``n`` columns of scores stand for, where nobody named them."""
    if isinstance(label.dtype, pl.List):
        return classes_of_columns(label.explode().drop_nulls(), columns, n)
    return _places(label)


def _classes_of_both(label: pl.Series, said: pl.Series) -> tuple[Class, ...]:
    """The classes of labels and predictions: those that lists hold, sorted, else by their places."""
    listed = [column for column in (label, said) if isinstance(column.dtype, pl.List)]
    if len(listed) < 2:
        return _places(said if isinstance(label.dtype, pl.List) else label)
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


@dataclass(frozen=True, kw_only=True)
class MatrixStates:
    """Several labels per row: two matrices with a column per class."""

    matrices: Matrices
    named: tuple[Class, ...] | None = None
    frame: ClassVar[pl.DataFrame] = pl.DataFrame()  # matrices have no columns with names
    _states: dict[tuple[Any, ...], Classified] = field(default_factory=dict)

    @property
    def weight(self) -> Floats | None:
        return self.matrices.weight

    def state(self, need: Need) -> Any:
        check_several(need)
        truth, said = self.matrices.truth, self.matrices.said
        if len(truth) != len(said):
            raise measuring.counts_differ("predictions", len(truth), len(said))
        key = threshold_of(said, need), need.reads, need.unnamed, need.weighted
        if key not in self._states:
            weight = self.weight if need.weighted else None
            self._states[key] = of_matrices(truth, said, need, self.named, weight=weight)
        found = self._states[key]
        if need.probabilities and found.probability is not None:
            check_probabilities(found.probability, need.name)
        return found

    def thresholded(self, _need: Need) -> bool:  # a threshold is never told of matrices
        return False

    def split(self, _need: Need) -> None:
        """The same in slices: of matrices there are none."""

    def notes(self, _state: Any) -> list[Message]:
        return []
