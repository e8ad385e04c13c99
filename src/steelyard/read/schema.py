"""The few types that all later stages know, and the checks that a column must pass to have one."""

from __future__ import annotations

import polars as pl

from steelyard.messages import say
from steelyard.messages.errors import reading
from steelyard.read.table import Part

LARGEST = 2**63 - 1
EXACT = 2**53
# How programs write that there is no value.
MISSING = frozenset(
    {"", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "Null", "None", "nan", "NaN", r"\N"}
)


def first(mask: pl.Series) -> int:
    """The first row where ``mask`` holds."""
    return int(mask.arg_true()[0])


def example(series: pl.Series, row: int) -> object:
    """One value, to be shown in a message; some dates are too far away for Python."""
    try:
        return series[row]
    except (ValueError, OverflowError, pl.exceptions.PanicException):
        return say("out of range")


def number(series: pl.Series, role: str, part: Part, *, untyped: bool) -> pl.Series:
    """A column of finite 64-bit floats; a score may also be -inf, which means not retrieved."""
    column = series.name
    values = (_parsed(series, role, part) if untyped else _widened(series, role, part)).alias(role)
    if values.null_count():
        row = first(values.is_null())
        if untyped and str(series[row]).strip() in MISSING:
            raise reading.missing_value(part.cell(row, role, column), written=series[row])
        if untyped and series[row] is not None:
            raise reading.not_number(part.cell(row, role, column), series[row])
        raise reading.missing_value(part.cell(row, role, column))
    # In Polars a NaN is larger than +inf, so that one comparison finds both.
    bad = values >= float("inf") if role == "score" else ~values.is_finite()
    if bad.any():
        row = first(bad)
        raise reading.not_finite(part.cell(row, role, column), role, str(series[row]).strip())
    # NumPy, as Polars takes "+ 0.0" for nothing to do; -0.0 would sort apart from 0.0 by its bits.
    return pl.Series(role, values.to_numpy() + 0.0)


def _parsed(series: pl.Series, role: str, part: Part) -> pl.Series:
    values = series.cast(pl.Float64, strict=False)
    if values.null_count() != series.null_count():
        if role == "relevance" and series.str.contains("^(?i:true|false)$").all():
            return series.str.to_lowercase().eq("true").cast(pl.Float64)
        values = series.str.strip_chars().cast(pl.Float64, strict=False)
    _check_text_exact(series, values, role, part)
    return values


def _widened(series: pl.Series, role: str, part: Part) -> pl.Series:
    kind = series.dtype
    if kind == pl.Boolean and role == "relevance":
        return series.cast(pl.Float64)
    if kind == pl.Null:
        return series.cast(pl.Float64)
    if kind in (pl.List, pl.Array):
        raise reading.holds_lists(part.name, role, series.name)
    if not kind.is_numeric():
        row = first(series.is_not_null()) if series.null_count() < len(series) else 0
        raise reading.wrong_type(part.cell(row, role, series.name), example(series, row), type_name(kind))
    values = series.cast(pl.Float64)
    if kind in (pl.Int64, pl.UInt64, pl.Int128, pl.UInt128):
        _check_exact(series, values, role, part)
    return values


def _check_exact(series: pl.Series, values: pl.Series, role: str, part: Part) -> None:
    bounds = [bound for bound in (series.min(), series.max()) if isinstance(bound, int)]
    if all(abs(bound) <= EXACT for bound in bounds):
        return
    _refuse(_differ(series.cast(pl.Int128), values), series, role, part)


def _check_text_exact(series: pl.Series, values: pl.Series, role: str, part: Part) -> None:
    """The same for text that is written as an integer: 9007199254740993 is, 9.1e15 is not."""
    large = ((values.abs() >= EXACT) & values.is_finite()).fill_null(value=False)
    if not large.any():
        return
    text = series.str.strip_chars()
    whole = large & text.str.contains(r"^[+-]?[0-9]+$")
    exact = text.cast(pl.Int128, strict=False)
    # More than 38 digits are taken to be lost.
    _refuse(whole & (exact.is_null() | _differ(exact, values)), text, role, part)


def _differ(exact: pl.Series, values: pl.Series) -> pl.Series:
    return exact.ne_missing(values.cast(pl.Int128, strict=False))


def _refuse(lost: pl.Series, series: pl.Series, role: str, part: Part) -> None:
    if lost.any():
        row = first(lost)
        raise reading.inexact_number(part.cell(row, role, series.name), series[row])


def identifier(series: pl.Series, role: str, part: Part) -> pl.Series:
    """A column of ids: text, 64-bit integers, or unsigned ones where they need the last bit."""
    column, kind = series.name, series.dtype
    if series.null_count():
        row = first(series.is_null())
        raise reading.missing_value(part.cell(row, role, column), remedy=reading.FILL_ID)
    if kind in (pl.String, pl.Int64):
        return series.alias(role)
    if kind in (pl.Categorical, pl.Enum):
        return series.cast(pl.String).alias(role)
    if kind.is_integer():
        return _narrowed(series, role, part).alias(role)
    if kind in (pl.List, pl.Array):
        raise reading.holds_lists(part.name, role, column)
    row = first(series.is_nan()) if kind.is_float() and series.is_nan().any() else 0
    raise reading.id_type(part.cell(row, role, column), column, type_name(kind), example(series, row))


def _narrowed(series: pl.Series, role: str, part: Part) -> pl.Series:
    try:
        return series.cast(pl.Int64)
    except pl.exceptions.InvalidOperationError:
        pass
    try:
        return series.cast(pl.UInt64)
    except pl.exceptions.InvalidOperationError:
        row = first((series > LARGEST) | (series < -LARGEST - 1))
        raise reading.id_too_large(part.cell(row, role, series.name), series[row]) from None


def type_name(kind: pl.DataType) -> str:
    """The name of a type as a message has it."""
    if kind == pl.String:
        return say("text")
    return str(kind).lower()
