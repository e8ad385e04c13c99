"""Labels and predictions as plain arrays, one entry per row."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import array_of, numbers_of
from steelyard.messages import say
from steelyard.messages.errors import ColumnError, measuring, measuring_classes, opening
from steelyard.messages.errors.forms import must_be
from steelyard.messages.errors.places import word
from steelyard.read import files, frames, labels, objects, pandas_columns
from steelyard.read.table import Part, Source, Table

_NAME = say("the arrays", key="arrays")


@dataclass(frozen=True)
class Matrices:
    """Several labels per row: truth and predictions with a column per class."""

    truth: NDArray[Any]
    said: NDArray[Any]


def is_column(data: object) -> bool:
    """Whether ``data`` is an array, a Series, or a list of plain values, to go with another one."""
    if isinstance(data, list | tuple):
        return bool(data) and not isinstance(data[0], str | os.PathLike)
    return hasattr(data, "__array__") and not hasattr(data, "columns")


def are_columns(said: Any, true: Any) -> bool:
    """Whether predictions and labels are plain values; two lists of text are unless one could be a path."""
    if is_column(said) or is_column(true):
        return True
    if not (_are_texts(said) and _are_texts(true)) or len(said) != len(true):
        return False
    return not any(map(files.like_path, {*said, *true}))


def _are_texts(data: object) -> bool:
    return isinstance(data, list | tuple) and all(isinstance(one, str) for one in data)


def row_arrays(
    said: Any, true: Any, *, numbers: bool, named: frozenset[str] = frozenset()
) -> Table | Matrices:
    """Predictions and labels of one length, as a table of rows; two matrices are several labels per row.

    ``numbers`` says that the predictions must be numbers; ``named`` are classes that the caller named.
    """
    scores, given = _array(said, "predictions"), _array(true, "truth")
    if len(scores) != len(given):
        raise measuring.arrays_differ(len(scores), len(given))
    if not len(given):
        raise opening.no_rows(name=word("predictions"))
    for role, array in (("label", given), ("score", scores)):
        if array.ndim > 2:
            raise measuring_classes.not_one_column(role, array.shape)
    if given.ndim == 2:
        return Matrices(given, scores if scores.dtype.kind in "buif" else numbers_of("score", scores))
    part = Part(name=_NAME, height=len(given))
    if scores.ndim == 2:
        said_column = labels.column(_wide(scores), labels.PROBABILITY, part, untyped=False, numbers=True)
    else:
        score = _series("score", said, scores)
        said_column = labels.column(
            score, "score", part, untyped=False, numbers=numbers, classes=True, named=named
        )
    as_given = _series("label", true, given)
    label = labels.column(as_given, "label", part, untyped=False, numbers=False, named=named)
    return Table(
        frame=pl.DataFrame([label, said_column]),
        extra=pl.DataFrame(height=len(given)),
        name=_NAME,
        untyped=False,
        listed=False,
        parts=(part,),
        roles={"label": "label"},
        sources=(Source.of(as_given.to_frame(), _NAME),),
    )


def _array(data: Any, name: str) -> NDArray[Any]:
    if not is_column(data) and not _are_texts(data):
        raise opening.lone_array(name=word(name))
    return array_of(name, data)


def _wide(scores: NDArray[Any]) -> pl.Series:
    own = scores.dtype if scores.dtype in (np.float16, np.float32) else np.float64
    try:
        return pl.Series(labels.PROBABILITY, np.ascontiguousarray(scores, own))
    except (TypeError, ValueError):
        remedy = say("give one number for each class in every row")
        what, numbers = say("probabilities"), say("numbers")
        raise must_be(what, numbers, scores.flat[0], remedy=remedy, kind=ColumnError) from None


def _series(name: str, given: Any, values: NDArray[Any]) -> pl.Series:
    if isinstance(given, pl.Series):
        return given.alias(name)
    if frames.is_of(given, "pandas", "Series"):
        return pandas_columns.as_polars(given, name, _NAME)
    return series_of(name, values)


def series_of(name: str, values: NDArray[Any]) -> pl.Series:
    """An array as a column; where its values are no plain ones, an error says so."""
    return objects.series_of(name, values.tolist() if values.dtype.kind in "OU" else values, _NAME)
