"""Classes as a caller gives them: text or whole numbers, checked and numbered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Ints
from steelyard.text.errors import measuring
from steelyard.text.errors.base import by_rounding

Class: TypeAlias = str | int

TOLERANCE = 1e-3  # how far a row of probabilities may sum from 1: files hold rounded ones
_LARGEST = np.uint64(2**63 - 1)
BINARY: tuple[Class, ...] = (0, 1)


def class_values(role: str, column: NDArray[Any]) -> NDArray[Any]:
    if column.dtype.kind == "f":
        huge = np.abs(column, dtype=np.float64) >= 2.0**63
        bad = np.flatnonzero(~(column == np.floor(column)) | huge)
        if len(bad) and np.isnan(column[bad[0]]):
            raise measuring.no_value(row=int(bad[0]), column=role, role=role)
        if len(bad):
            raise measuring.not_a_class(row=int(bad[0]), column=role, role=role, value=column[bad[0]].item())
    if column.dtype == np.uint64 and len(huge := np.flatnonzero(column > _LARGEST)):
        raise measuring.not_a_class(row=int(huge[0]), column=role, role=role, value=column[huge[0]].item())
    if column.dtype.kind in "buif":
        return column.astype(np.int64)
    return column if column.dtype.kind == "U" else column.astype(str)


def checked_probabilities(probability: NDArray[Any]) -> NDArray[Any]:
    own = probability.dtype in (np.float16, np.float32, np.float64)
    kept = probability if own else probability.astype(np.float64)
    bad = np.argwhere(~((kept >= 0) & (kept <= 1)))
    if len(bad):
        row, column = bad[0]
        value = float(kept[row, column])
        if by_rounding(value, value):
            raise measuring.rounded_probability(row=int(row), value=value)
        raise measuring.bad_probability(row=int(row), value=value)
    total = kept.sum(axis=1, dtype=np.float64)
    off = np.flatnonzero(np.abs(total - 1) > TOLERANCE)
    if len(off):
        raise measuring.probabilities_not_one(
            row=int(off[0]), total=float(total[off[0]]), tolerance=TOLERANCE
        )
    # -0.0 passes as a probability, and its bits are not those of 0.0
    return kept if kept.min(initial=1) > 0 else kept + kept.dtype.type(0)


def columns_of(labels: NDArray[Any], n: int) -> tuple[Class, ...]:
    """The classes that ``n`` columns stand for when nobody named them."""
    values = class_values("label", labels)
    seen = np.unique(values)
    if len(seen) == n:
        return tuple(seen.tolist())
    # 1 alone beside two columns is 0 and 1; beside three it may as well be the first of 1, 2, 3
    begins = not len(seen) or (values.dtype.kind == "i" and (seen[0] == 0 or (n == 2 and seen[0] == 1)))
    if begins and (not len(seen) or seen[-1] < n):
        return tuple(range(n))
    raise measuring.columns_differ(m=n, n=len(seen), classes=seen.tolist())


def class_names(classes: Sequence[Any]) -> tuple[Class, ...]:
    """Classes as they were named, each once, all text or all whole numbers."""
    try:
        given = [name.item() if isinstance(name, np.generic) else name for name in classes]
    except TypeError:
        raise measuring.bad_classes(classes) from None
    if isinstance(classes, str | bytes) or not all(
        isinstance(name, str | int) or (isinstance(name, float) and name.is_integer()) for name in given
    ):
        raise measuring.bad_classes(classes)
    names = tuple(name if isinstance(name, str) else int(name) for name in given)
    if len({isinstance(name, str) for name in names}) > 1:
        raise measuring.kinds_differ()
    for at, name in enumerate(names):
        if name in names[:at]:
            raise measuring.class_twice(name=name)
    return names


def _places(role: str, column: NDArray[Any], names: tuple[Class, ...], *, others: bool) -> Ints:
    if not len(column):
        return np.zeros(0, np.int64)
    known = np.array(names) if names else column[:0]
    if len(known) and (known.dtype.kind == "i") != (column.dtype.kind == "i"):
        raise measuring.kinds_differ()
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known, column, sorter=order), max(len(known) - 1, 0))
    found = known[order[at]] == column if len(known) else np.zeros(len(column), bool)
    if others:
        return np.where(found, order[at], len(names))
    if not found.all():
        row = int(np.flatnonzero(~found)[0])
        raise measuring.unknown_class(
            row=row, column=role, role=role, value=column[row].item(), classes=names
        )
    return order[at]


def _in_zero_one(column: NDArray[Any]) -> bool:  # as none at all are
    if not len(column):
        return True
    return column.dtype.kind == "i" and bool(column.min() >= 0 and column.max() <= 1)


def zeros_and_ones(role: str, matrix: NDArray[Any]) -> NDArray[np.uint8]:
    bad = np.argwhere((matrix != 0) & (matrix != 1))
    if len(bad):
        row, column = bad[0]
        raise measuring.matrix_not_binary(row=int(row), role=role, value=matrix[row, column].item())
    return matrix.astype(np.uint8)


def class_codes(
    columns: dict[str, pl.Series], classes: Sequence[Class] | None, *, others: bool = False
) -> tuple[list[Ints], tuple[Class, ...]]:
    """Each column as places in a list of classes, and that list: ``classes``, or those there are, sorted.

    With ``others`` a class that was not named has the place behind the last one.
    """
    names = None if classes is None else class_names(classes)
    texts = all(column.dtype == pl.String for column in columns.values())
    if texts and (names is None or all(isinstance(name, str) for name in names)):
        if names is None:
            seen = pl.concat([column.unique() for column in columns.values()]).unique().sort()
            names = tuple(seen.to_list())
        return [
            _places_of_names(role, column, names, others=others) for role, column in columns.items()
        ], names
    values = {role: class_values(role, _numbers(column)) for role, column in columns.items()}
    if names is not None:
        return [_places(*one, names, others=others) for one in values.items()], names
    if all(_in_zero_one(column) for column in values.values()):
        return [column.astype(np.int64, copy=False) for column in values.values()], BINARY
    if len({column.dtype.kind for column in values.values()}) > 1:
        raise measuring.kinds_differ()
    found = np.unique(np.concatenate([np.unique(column) for column in values.values()]))
    return [np.searchsorted(found, column) for column in values.values()], tuple(found.tolist())


def classes_of_columns(label: pl.Series, columns: Sequence[str], n: int) -> tuple[Class, ...]:
    """The classes that ``n`` columns of probabilities stand for.

    Where the names of columns end in the names of all classes (``p_cat``, ``p_dog``) they say it, in upper or
    lower case; where none does, the columns stand in the sorted order of the classes. Where only some do, it
    is for the caller to say.

    >>> classes_of_columns(pl.Series(["dog", "cat"]), ["p_Dog", "p_Cat"], 2)
    ('dog', 'cat')
    """
    classes = np.unique(class_values("label", _numbers(label.unique().drop_nulls()))).tolist()
    said = [_class_said(name, classes, flags=label.dtype == pl.Boolean) for name in columns]
    if len(columns) != n or all(one is None for one in said):
        return columns_of(np.array(classes), n)
    if sorted(str(one) for one in said if one is not None) != sorted(map(str, classes)):
        raise measuring.columns_named_in_part(columns=columns, classes=classes)
    return tuple(
        _like(name, classes) if one is None else one for name, one in zip(columns, said, strict=True)
    )


def _class_said(column: str, classes: Sequence[Class], *, flags: bool) -> Class | None:
    """The class that the name of a column ends in: all of it, or after a sign, or a number after letters."""
    texts = {str(name): name for name in classes}
    if flags:
        texts |= {text: name for text, name in (("false", 0), ("true", 1)) if name in classes}
    folded = column.casefold()
    for text in sorted(texts, key=len, reverse=True):
        before = folded.removesuffix(text.casefold())
        sign = not before[-1:].isalnum() or (text.isdigit() and before[-1:].isalpha())
        if before != folded and sign:
            return texts[text]
    return None


def _like(column: str, classes: Sequence[Class]) -> Class:
    """The name of a class without rows, as the column has it after its last sign."""
    name = re.split(r"[\W_]+", column)[-1] or column
    whole = all(isinstance(one, int) for one in classes)
    digits = re.search(r"\d+$", name)
    return int(digits[0]) if whole and digits else name


def _numbers(column: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    if column.dtype == pl.String:
        return np.array(column.to_list(), dtype=str)
    return column.to_numpy()


def _places_of_names(role: str, column: pl.Series, names: Sequence[Class], *, others: bool) -> Ints:
    at = column.cast(pl.Enum([str(name) for name in names]), strict=False).to_physical()
    if others:
        return at.cast(pl.Int64).fill_null(len(names)).to_numpy()
    if at.null_count() > column.null_count():
        row = int(at.is_null().arg_true()[0])
        raise measuring.unknown_class(row=row, column=role, role=role, value=column[row], classes=names)
    return at.cast(pl.Int64).to_numpy()


def columns_named_after(classes: Sequence[Class], columns: Sequence[str]) -> list[str]:
    """The columns whose names are one beginning and the name of a class each, if every class has one.

    >>> columns_named_after(["a", "b"], ["label", "prob_b", "prob_a"])
    ['prob_a', 'prob_b']
    """
    ends = [str(name) for name in classes]
    for column in columns:
        beginning = column.removesuffix(ends[0])
        named = [beginning + end for end in ends]
        if beginning and column == named[0] and set(named) <= set(columns):
            return named
    return []
