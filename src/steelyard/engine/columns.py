"""Columns of labelled rows, checked: labels of 0 and 1, scores, ratings, groups."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from steelyard.arrays import Floats, Ints, numbers_of
from steelyard.engine.influence import UNNAMED, Units
from steelyard.kernels.choose import row_shares
from steelyard.kernels.group import distinct
from steelyard.kernels.rows import on_grid
from steelyard.text import say
from steelyard.text.errors import aligning, measuring


def binary(label: NDArray[Any]) -> NDArray[np.uint8]:
    """Labels as 0 and 1; booleans and 0.0 / 1.0 are fine, anything else is an error."""
    if label.dtype.kind in "bui":
        fits = not len(label) or bool(label.min() >= 0 and label.max() <= 1)
    else:
        fits = bool(((label == 0) | (label == 1)).all())
    if fits:
        return label.astype(np.uint8, copy=False)
    row = int(np.flatnonzero((label != 0) & (label != 1))[0])
    found = np.unique(label)
    raise measuring.labels_not_binary(row, label[row].item(), found[:5].tolist(), len(found))


def floats(score: NDArray[Any]) -> NDArray[Any]:
    """Scores as floats of the precision they have; -0.0 becomes 0.0 and NaN is an error."""
    kept = score if score.dtype in (np.float16, np.float32, np.float64) else score.astype(np.float64)
    lowest = kept.min(initial=np.inf)  # NaN where there is one
    if np.isnan(lowest):
        raise measuring.score_is_nan(*map(int, np.argwhere(np.isnan(kept))[0]))
    return kept if lowest > 0 else kept + kept.dtype.type(0)


def finite_scores(scores: NDArray[Any]) -> NDArray[Any]:
    """A matrix of scores as floats; -inf is the lowest score there is, NaN and +inf are errors."""
    kept = floats(scores)
    if kept.size and np.isposinf(kept.max()):
        row = int(np.argwhere(np.isposinf(kept))[0][0])
        raise measuring.value_not_finite(row=row, role="score", value=np.inf)
    return kept


def check_probabilities(score: NDArray[Any], metric: str) -> None:
    if not score.size:
        return
    low, high = float(score.min()), float(score.max())
    if low < 0 or high > 1:
        at = tuple(np.argwhere((score < 0) | (score > 1))[0])
        raise measuring.not_a_probability(metric, int(at[0]), float(score[at]), low, high)


def ratings(role: str, values: NDArray[Any]) -> Floats:
    """Numbers as float64, all finite, of a size whose squares are numbers."""
    column = numbers_of(role, values).astype(np.float64, copy=False)
    lowest, highest = column.min(initial=0), column.max(initial=0)  # NaN where there is one
    if not (np.isfinite(lowest) and np.isfinite(highest)):
        bad = np.flatnonzero(~np.isfinite(column))
        raise measuring.value_not_finite(row=int(bad[0]), column=role, role=role, value=float(column[bad[0]]))
    most = max(-lowest, highest)
    if most > 1e60:
        row = int(np.abs(column).argmax())
        raise measuring.rating_size(row=row, column=role, role=role, value=float(column[row]))
    return column


def grouped(groups: pl.Series) -> tuple[Ints, pl.Series]:
    """A number for each group, text or whole numbers, and the names that the numbers stand for, rising.

    Whole numbers that lie close together are their own, so that some names may have no row.

    >>> number, names = grouped(pl.Series(["b", "a", "b"]))
    >>> number, names.to_list()
    (array([1, 0, 1]), ['a', 'b'])
    >>> grouped(pl.Series([7, 9, 7]))[0]
    array([0, 2, 0])
    """
    if not len(groups):
        return np.zeros(0, np.int64), groups
    if groups.dtype != pl.String:
        return _grouped_numbers(groups)
    texts = groups.rechunk()
    _, number = distinct(_hashed(texts))
    first = np.empty(int(number.max()) + 1, np.int64)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    met = texts.gather(first) + ""  # written anew, so that they lie close together
    if not _are_named(texts, met, number):
        # two different texts share a 64-bit hash: number the texts themselves
        return texts.rank("dense").to_numpy().astype(np.int64) - 1, texts.unique().sort()
    names = met.sort()
    place = np.empty(len(names), np.int64)
    place[distinct(_hashed(names))[1]] = np.arange(len(names))
    return place[number], names


def _hashed(texts: pl.Series) -> Ints:
    return texts.hash(seed=2026).to_numpy().view(np.int64)


def _are_named(texts: pl.Series, names: pl.Series, number: Ints) -> bool:
    """Whether every text is the name that its number stands for; every share of the rows on its own."""

    def in_share(rows: tuple[int, int]) -> bool:
        share = slice(*rows)
        return bool((names.gather(number[share]) == texts[share]).all())

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return all(pool.map(in_share, pairwise(row_shares(len(texts)).tolist())))


def _grouped_numbers(groups: pl.Series) -> tuple[Ints, pl.Series]:
    given = groups.to_numpy()
    if given.dtype.kind not in "iu" or given.dtype == np.uint64:
        found, number = np.unique(given, return_inverse=True)
        return number.reshape(-1).astype(np.int64), pl.Series(groups.name, found, dtype=groups.dtype)
    codes = given.astype(np.int64, copy=False)
    high = int(given.view(f"u{given.itemsize}").max())  # without its sign what is below 0 is huge
    if high < len(codes):
        return codes, pl.Series(groups.name, np.arange(high + 1)).cast(groups.dtype)
    low, high = int(codes.min()), int(codes.max())
    if high - low < len(codes):
        return codes - low, pl.Series(groups.name, np.arange(low, high + 1)).cast(groups.dtype)
    found, number = distinct(codes)
    return number, pl.Series(groups.name, found).cast(groups.dtype)


def named_units(values: pl.Series, column: str | None) -> Units:
    """The units that a column names; a row without a value is a unit of its own.

    Whole numbers may be floats, as frames hold them beside missing ones; fractions name nothing.

    >>> units = named_units(pl.Series(["b", None, "b", None]), "user")
    >>> units.code, units.n
    (array([0, 1, 0, 2]), 3)
    """
    if values.dtype.is_float():
        known = values.fill_nan(None)
        whole = known.cast(pl.Int64, strict=False)
        if whole.null_count() > known.null_count() or not bool((known == whole).all()):
            raise aligning.no_unit(column=column or values.name, type=say("a fraction"))
        values = whole
    plain = values if values.dtype == pl.String or values.dtype.is_integer() else values.cast(pl.String)
    missing = plain.is_null().to_numpy()
    if not missing.any():
        code, names = grouped(plain)
        return Units(n=len(names), code=code, names=names, column=column)
    code = np.zeros(len(plain), np.int64)
    code[~missing], names = grouped(plain.drop_nulls())
    without = int(missing.sum())
    code[missing] = len(names) + np.arange(without)
    unnamed = UNNAMED + pl.Series(names.name, np.flatnonzero(missing)).cast(pl.String)
    every = pl.concat([names.cast(pl.String), unnamed])
    return Units(n=len(every), code=code, names=every, column=column, unnamed=without)


MOST_THRESHOLDS = 1_000_000


def read_at(
    score: NDArray[Any], thresholds: int, *, strict: bool, metric: str, precision: Precision | None = None
) -> NDArray[Any]:
    """Scores, which must be from 0 to 1, each as the threshold that it counts at.

    Thresholds are compared in the precision of the scores, the array's if it is not told.
    """
    check_probabilities(score, metric)
    grid = rounded(np.arange(thresholds) / (thresholds - 1), precision or score.dtype.name)
    read = on_grid(np.ascontiguousarray(score).reshape(-1), grid.astype(score.dtype), strict=strict)
    return read.reshape(score.shape)


Precision: TypeAlias = str  # the name of a NumPy type: float16, float32 or float64

SINGLE: Precision = "float32"


def rounded(values: ArrayLike, precision: Precision) -> Floats:
    """Thresholds or borders as near as scores of a precision can come to them, in float64.

    In single precision 0.7 is a little less than 0.7, and so is the threshold:

    >>> float(rounded(0.7, "float32")), bool(np.float32(0.7) >= rounded(0.7, "float32"))
    (0.699999988079071, True)
    """
    with np.errstate(over="ignore"):  # beyond the largest number of a precision lies infinity
        return np.asarray(values, np.float64).astype(precision).astype(np.float64)


def in_single(values: NDArray[Any]) -> NDArray[Any]:  # there is one zero
    with np.errstate(over="ignore"):
        return values.astype(SINGLE) + np.float32(0)
