"""Classes as numbers, without a look at each row in Python."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.engine.class_values import Class, class_values, coded, columns_of
from steelyard.messages.errors import measuring


def class_codes(
    columns: dict[str, pl.Series], classes: Sequence[Class] | None, *, others: bool = False
) -> tuple[list[Ints], tuple[Class, ...]]:
    """Each column as places in a list of classes, and that list: ``classes``, or those there are, sorted.

    With ``others`` a class that was not named has the place behind the last one.
    """
    texts = [column.dtype == pl.String for column in columns.values()]
    named = classes is None or all(isinstance(name, str) for name in classes)
    if not (all(texts) and named):
        numbers = {role: _numbers(column) for role, column in columns.items()}
        return coded(numbers, classes, others=others)
    if classes is None:
        seen = pl.concat([column.unique() for column in columns.values()]).unique().sort()
        names: tuple[Class, ...] = tuple(seen.to_list())
    else:
        (_, names) = coded({}, classes)
    return [_places(role, column, names, others=others) for role, column in columns.items()], names


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
    if sorted(map(str, filter(_is_named, said))) != sorted(map(str, classes)):
        raise measuring.columns_named_in_part(columns=columns, classes=classes)
    return tuple(
        _like(name, classes) if one is None else one for name, one in zip(columns, said, strict=True)
    )


def _is_named(one: Class | None) -> bool:
    return one is not None


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


def _places(role: str, column: pl.Series, names: Sequence[Class], *, others: bool) -> Ints:
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
