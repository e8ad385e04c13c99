"""Columns of labelled rows: labels, scores, predicted classes, probabilities and weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.messages import say
from steelyard.messages.errors import measuring, reading
from steelyard.read import schema
from steelyard.read.table import Part

PROBABILITY = "probability"
_WHOLE = r"^\s*[+-]?\d+\s*$"
_WRITTEN_OTHERWISE = r"^\s*[+-]?0\d"  # 007 is a name, not the number 7


def column(
    series: pl.Series,
    role: str,
    part: Part,
    *,
    untyped: bool,
    numbers: bool,
    classes: bool = False,
    named: frozenset[str] = frozenset(),
) -> pl.Series:
    """A column in the type its role has.

    ``numbers`` says that scores must be numbers, ``classes`` that they may be classes if they are whole.
    ``named`` are the classes that the caller named: a text such as NA is one of them, or no label.
    """
    if role in ("query", "item"):
        return schema.identifier(series, role, part)
    series = _narrowed(series) if role in ("label", "predicted") else series
    if role.startswith(PROBABILITY):
        return _probability(series, role, part, untyped=untyped)
    if role == "score":
        narrow = _narrowed(series)
        if classes and not numbers and narrow.dtype.is_integer():
            return _class(narrow, role, part, untyped=untyped, named=named)
        values = _score(series, part, untyped=untyped, numbers=numbers, named=named)
        return values.cast(pl.Int64) if classes and _are_whole(values, series, untyped) else values
    return _class(series, role, part, untyped=untyped, named=named)


def _narrowed(series: pl.Series) -> pl.Series:
    """Integers of 128 bits in 64 where they fit; others as floats, too large for a class."""
    if series.dtype not in (pl.Int128, pl.UInt128):
        return series
    narrow = series.cast(pl.Int64, strict=False)
    return narrow if narrow.null_count() == series.null_count() else series.cast(pl.Float64)


def weights(series: pl.Series, place: Callable[[int], str], *, untyped: bool, column: str = "") -> Floats:
    """Weights of rows: finite numbers of 0 or more; ``place`` says where a row stands."""
    readable = series.str.strip_chars() if untyped and series.dtype == pl.String else series
    if untyped or series.dtype.is_numeric():
        weight = readable.cast(pl.Float64, strict=False).to_numpy()  # with NaN for null
    else:
        weight = np.full(len(series), np.nan)
    bad = np.flatnonzero(~((weight >= 0) & np.isfinite(weight)))
    if len(bad):
        row = int(bad[0])
        raise measuring.bad_row_weight(place(row), column, schema.example(series, row))
    return weight


def _probability(series: pl.Series, role: str, part: Part, *, untyped: bool) -> pl.Series:
    """One number per row, or one list of numbers per row, the probability of each class."""
    if not isinstance(series.dtype, pl.List | pl.Array):
        return _kept(series, PROBABILITY, part, untyped=untyped).alias(role)
    if series.null_count():
        raise reading.missing_value(part.cell(schema.first(series.is_null()), PROBABILITY, series.name))
    if isinstance(series.dtype, pl.List):
        lengths = series.list.len()
        width, odd = int(lengths[0]), lengths != lengths[0]
        if odd.any() or not width:
            row = schema.first(odd) if odd.any() else 0
            raise reading.uneven_lists(part.cell(row, PROBABILITY, series.name), lengths[row], width)
    else:
        width = series.dtype.size
    inner = series.explode()
    if not inner.dtype.is_numeric():
        kind = schema.type_name(inner.dtype)
        raise reading.wrong_type(part.cell(0, PROBABILITY, series.name), inner[0], kind)
    if inner.null_count():
        row = schema.first(inner.is_null()) // width
        raise reading.missing_value(part.cell(row, PROBABILITY, series.name))
    return series.cast(pl.List(_precision(inner.dtype))).list.to_array(width).alias(role)


def _score(
    series: pl.Series, part: Part, *, untyped: bool, numbers: bool, named: frozenset[str]
) -> pl.Series:
    """Numbers in the precision they came in; where classes will do, also what is called a class."""
    if series.dtype in (pl.List, pl.Array):
        return _probability(series, PROBABILITY, part, untyped=untyped)
    if numbers or series.dtype.is_numeric() or (untyped and _all_numbers(series)):
        return _kept(series, "score", part, untyped=untyped)
    return _class(series, "score", part, untyped=untyped, named=named)


def _kept(series: pl.Series, role: str, part: Part, *, untyped: bool) -> pl.Series:
    """A checked number in the precision it came in, as a threshold is compared in it."""
    if series.dtype.is_float() and not series.null_count() and _are_finite(series, role):
        return series.alias(role)
    return schema.number(series, role, part, untyped=untyped).cast(_precision(series.dtype))


def _are_finite(series: pl.Series, role: str) -> bool:
    """Whether floats are all finite, or -inf where they are scores: no copy of millions of rows is needed."""
    values = series.to_numpy()
    lowest, highest = values.min(initial=0), values.max(initial=0)  # NaN where there is one
    return bool(highest < np.inf) and (role == "score" or bool(lowest > -np.inf))


def _precision(kind: pl.DataType) -> pl.DataType:
    """The type that numbers of a type are kept in."""
    return kind if kind in (pl.Float16, pl.Float32) else pl.Float64()


def _are_whole(values: pl.Series, series: pl.Series, untyped: bool) -> bool:
    """Whether scores are written as whole numbers, all of 64 bits; those read as scores are exact."""
    if values.dtype != pl.Float64 or not (untyped or series.dtype.is_integer()):
        return False
    whole = bool(((values == values.floor()) & (values.abs() < 2.0**63)).all())
    return whole and (not untyped or bool(series.str.contains(_WHOLE).all()))


def _class(series: pl.Series, role: str, part: Part, *, untyped: bool, named: frozenset[str]) -> pl.Series:
    """A class or a label as it came: text, whole numbers, true and false, or other numbers.

    What stands for a missing value is null, which only a label may be.
    """
    kind = series.dtype
    missing = schema.MISSING - named
    if untyped:
        values = _typed(series, missing)
    elif kind in (pl.String, pl.Categorical, pl.Enum):
        values = _without(series.cast(pl.String), missing)
    elif kind.is_float():
        values = series.set(series.is_nan(), None)
    elif kind.is_decimal():
        values = series.cast(pl.Float64)
    else:
        values = series
    if not (values.dtype in (pl.String, pl.Boolean, pl.Null) or values.dtype.is_numeric()):
        row = schema.first(series.is_not_null()) if series.null_count() < len(series) else 0
        value, remedy = schema.example(series, row), say("give text, numbers, or true and false")
        cell = part.cell(row, role, series.name)
        raise reading.wrong_type(cell, value, schema.type_name(kind), remedy=remedy)
    if role != "label" and values.null_count():
        row = schema.first(values.is_null())
        written = series.cast(pl.String)[row]
        may_be = reading.named_class(reading.FILL, written) if written and written.strip() else None
        raise reading.missing_value(part.cell(row, role, series.name), written=written, remedy=may_be)
    return values.alias(role)


def _without(text: pl.Series, missing: frozenset[str]) -> pl.Series:
    """Text with null for what stands for it."""
    there = text.str.strip_chars().is_in(sorted(missing)).fill_null(value=False)
    return text.set(there, None) if there.any() else text


def _typed(series: pl.Series, missing: frozenset[str]) -> pl.Series:
    """Text of a file without types: numbers where all of it is, true and false where all of it is."""
    text = _without(series.str.strip_chars(), frozenset({""}))
    found = _of_one_type(text)
    if found.dtype != pl.String:
        return found
    return _of_one_type(_without(text, missing))


def _of_one_type(text: pl.Series) -> pl.Series:
    if text.str.contains("^(?i:true|false)$").all():
        return text.str.to_lowercase() == "true"
    if not _all_numbers(text) or text.str.contains(_WRITTEN_OTHERWISE).any():
        return text
    whole = text.cast(pl.Int64, strict=False)
    if whole.null_count() == text.null_count():
        return whole
    return text.cast(pl.Float64).fill_nan(None)


def _all_numbers(series: pl.Series) -> bool:
    text = series.str.strip_chars()
    return text.cast(pl.Float64, strict=False).null_count() == series.null_count()
