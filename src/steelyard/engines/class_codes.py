"""Classes as numbers, without a look at each row in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.errors import classes as errors
from steelyard.states import Class
from steelyard.states.class_values import coded, columns_of


def class_codes(
    columns: dict[str, pl.Series], classes: Sequence[Class] | None
) -> tuple[list[Ints], tuple[Class, ...]]:
    """Each column as places in a list of classes, and that list: ``classes``, or those there are, sorted."""
    texts = [column.dtype == pl.String for column in columns.values()]
    named = classes is None or all(isinstance(name, str) for name in classes)
    if not (all(texts) and named):
        numbers = {role: _numbers(column) for role, column in columns.items()}
        return coded(numbers, classes)
    if classes is None:
        seen = pl.concat([column.unique() for column in columns.values()]).unique().sort()
        names: tuple[Class, ...] = tuple(seen.to_list())
    else:
        (_, names) = coded({}, classes)
    return [_places(role, column, names) for role, column in columns.items()], names


def classes_of_columns(label: pl.Series, columns: Sequence[str], n: int) -> tuple[Class, ...]:
    """The classes that ``n`` columns of probabilities stand for.

    Where the columns are called by the classes (``p_cat``, ``p_dog``) their names say it; else they stand in
    the sorted order of the classes.

    >>> classes_of_columns(pl.Series(["dog", "cat"]), ["p_dog", "p_cat"], 2)
    ('dog', 'cat')
    """
    seen = label.unique().sort()
    by_text = {str(name): name for name in _numbers(seen).tolist()}
    for start in range(min(map(len, columns), default=0) + 1):
        called = [name[start:] for name in columns]
        alike = len({name[:start] for name in columns}) == 1
        if alike and len(called) == n and set(by_text) <= set(called):
            return tuple(by_text.get(name, _like(name, seen.dtype)) for name in called)
    return columns_of(_numbers(seen), n)


def _like(name: str, kind: pl.DataType) -> Class:
    return int(name) if kind.is_integer() and name.lstrip("-").isdigit() else name


def _numbers(column: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    if column.dtype == pl.String:
        return np.array(column.to_list(), dtype=str)
    return column.to_numpy()


def _places(role: str, column: pl.Series, names: Sequence[Class]) -> Ints:
    at = column.cast(pl.Enum([str(name) for name in names]), strict=False).to_physical()
    if at.null_count() > column.null_count():
        row = int(at.is_null().arg_true()[0])
        raise errors.unknown_class(role, row, column[row], names)
    return at.cast(pl.Int64).to_numpy()
