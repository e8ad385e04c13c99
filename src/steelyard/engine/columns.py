"""Columns of labelled rows, checked: labels of 0 and 1, scores, ratings, groups."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
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
from steelyard.text.errors import measuring, reading
from steelyard.text.errors.base import by_rounding


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

    Small whole numbers with many rows each are their own, so that some names may have no row.

    >>> number, names = grouped(pl.Series(["b", "a", "b"]))
    >>> number, names.to_list()
    (array([1, 0, 1]), ['a', 'b'])
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
    if high < len(codes) // 16:  # with many rows each, names without rows take little memory
        return codes, pl.Series(groups.name, np.arange(high + 1)).cast(groups.dtype)
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
            raise reading.no_unit(column=column or values.name, type=say("a fraction"))
        values = whole
    if values.dtype == pl.Duration:
        raise reading.no_unit(column=column or values.name, type=say("a duration"))
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


KEPT = 1_000_000  # rows that are kept as they are


def own(values: NDArray[Any]) -> NDArray[Any]:
    """Values that a result will keep, as they are now: the caller may change his array later."""
    return values.copy() if values.size <= KEPT and not values.flags.owndata else values


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
    stated = [_class_stated(name, classes, flags=label.dtype == pl.Boolean) for name in columns]
    if len(columns) != n or all(one is None for one in stated):
        return columns_of(np.array(classes), n)
    if sorted(str(one) for one in stated if one is not None) != sorted(map(str, classes)):
        raise measuring.columns_named_in_part(columns=columns, classes=classes)
    return tuple(
        _like(name, classes) if one is None else one for name, one in zip(columns, stated, strict=True)
    )


def _class_stated(column: str, classes: Sequence[Class], *, flags: bool) -> Class | None:
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
