"""The few types that all later stages know, and the checks that a column must pass to have one.

Ids of two tables are compared only when they are of one type, and never by guessing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.kernels.means import is_weight
from steelyard.read.table import Part, Table
from steelyard.text import say
from steelyard.text.errors import measuring, reading
from steelyard.text.errors.forms import short, word

LARGEST = 2**63 - 1
EXACT = 2**53
# How programs write that there is no value.
MISSING = frozenset(
    {"", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "Null", "None", "nan", "NaN", r"\N"}
)
PROBABILITY = "probability"
SEVERAL_LABELS = ("label:", "predicted:")  # roles of columns of 0 and 1 with the name of one each
_FIRST_ROWS = 1000
_WHOLE = r"^\s*[+-]?\d+\s*$"
_WRITTEN_OTHERWISE = r"^\s*[+-]?0\d"  # 007 is a name, not the number 7


def first(mask: pl.Series) -> int:
    return int(mask.arg_true()[0])


def example(series: pl.Series, row: int) -> object:
    """One value, to be shown in a message; some dates are too far away for Python."""
    try:
        return series[row]
    except (ValueError, OverflowError, pl.exceptions.PanicException):
        return say("out of range")


def number(series: pl.Series, role: str, part: Part, untyped: bool) -> pl.Series:
    """A column of finite 64-bit floats; a score may also be -inf, which means not retrieved."""
    column = series.name
    values = series.alias(role)
    if untyped or series.dtype != pl.Float64:
        values = (_parsed if untyped else _widened)(series, role, part).alias(role)
    if values.null_count():
        row = first(values.is_null())
        cell = part.cell(row, role, column)
        text = str(series[row]).strip()
        if not untyped or series[row] is None or not text:
            raise reading.missing_value(cell=cell)
        if text in MISSING:
            raise reading.written_missing(cell=cell, written=series[row])
        raise reading.not_number(cell=cell, value=series[row])
    # In Polars a NaN is larger than +inf, so that one comparison finds both.
    bad = values >= float("inf") if role == "score" else ~values.is_finite()
    if bad.any():
        row = first(bad)
        raise reading.not_finite(part.cell(row, role, column), role, str(series[row]).strip())
    if role == "relevance" and (large := values.abs() > 1e60).any():
        row = first(large)
        raise reading.grade_too_large(cell=part.cell(row, role, column), value=values[row])
    # NumPy, as Polars takes "+ 0.0" for nothing to do; -0.0 would sort apart from 0.0 by its bits.
    return pl.Series(role, values.to_numpy() + 0.0)


def _parsed(series: pl.Series, role: str, part: Part) -> pl.Series:
    values = series.cast(pl.Float64, strict=False)
    if values.null_count() != series.null_count():
        if role == "relevance" and series.str.contains("^(?i:true|false)$").all():
            return series.str.to_lowercase().eq("true").cast(pl.Float64)
        values = series.str.strip_chars().cast(pl.Float64, strict=False)
    large = ((values.abs() >= EXACT) & values.is_finite()).fill_null(value=False)
    if large.any():
        text = series.str.strip_chars()
        whole = large & text.str.contains(r"^[+-]?[0-9]+$")  # 9007199254740993 is, 9.1e15 is not
        exact = text.cast(pl.Int128, strict=False)  # which holds up to 38 digits
        _check_same(exact, values, whole, text, role, part)
    return values


def _widened(series: pl.Series, role: str, part: Part) -> pl.Series:
    kind = series.dtype
    if kind == pl.Null or (kind == pl.Boolean and role == "relevance"):
        return series.cast(pl.Float64)
    if kind in (pl.List, pl.Array):
        raise reading.holds_lists(part.name, role, series.name)
    if not kind.is_numeric():
        row = first(series.is_not_null()) if series.null_count() < len(series) else 0
        raise reading.wrong_type(
            cell=part.cell(row, role, series.name), value=example(series, row), type=type_name(kind)
        )
    values = series.cast(pl.Float64)
    if kind in (pl.Int64, pl.UInt64, pl.Int128, pl.UInt128):
        bounds = [bound for bound in (series.min(), series.max()) if isinstance(bound, int)]
        if max(map(abs, bounds), default=0) > EXACT:
            _check_same(series.cast(pl.Int128), values, series.is_not_null(), series, role, part)
    return values


def _check_same(
    exact: pl.Series, floats: pl.Series, which: pl.Series, written: pl.Series, role: str, part: Part
) -> None:
    lost = which & (exact.is_null() | exact.ne_missing(floats.cast(pl.Int128, strict=False)))
    if lost.any():
        row = first(lost)
        raise reading.inexact_number(cell=part.cell(row, role, written.name), value=written[row])


def identifier(series: pl.Series, role: str, part: Part, *, of_all: bool = True) -> pl.Series:
    """A column of ids: text, 64-bit integers, or unsigned ones where they need the last bit.

    Without ``of_all`` there are others, which may need it.
    """
    column, kind = series.name, series.dtype
    if series.null_count():
        row = first(series.is_null())
        raise reading.missing_value(cell=part.cell(row, role, column), remedy=reading.FILL_ID)
    if kind in (pl.String, pl.Int64):
        return series.alias(role)
    if kind in (pl.Categorical, pl.Enum):
        return series.cast(pl.String).alias(role)
    if kind.is_integer():
        for whole in (pl.Int64, pl.UInt64) if of_all or kind != pl.UInt64 else (pl.UInt64,):
            with suppress(pl.exceptions.InvalidOperationError):
                return series.cast(whole).alias(role)
        row = first((series > LARGEST) | (series < -LARGEST - 1))
        raise reading.id_too_large(cell=part.cell(row, role, column), value=series[row])
    if kind in (pl.List, pl.Array):
        raise reading.holds_lists(part.name, role, column)
    row = first(series.is_nan()) if kind.is_float() and series.is_nan().any() else 0
    raise reading.id_type(part.cell(row, role, column), column, type_name(kind), example(series, row))


def type_name(kind: pl.DataType) -> str:
    if kind == pl.String:
        return say("text")
    return str(kind).lower()


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
    if role == "unit":
        return _unit(series, untyped=untyped)
    if role.startswith(SEVERAL_LABELS):
        return _class(series, "predicted", part, untyped=untyped, named=named).alias(role)
    if role in ("label", "predicted") and series.dtype.is_nested():
        return _labels(series, role, part)
    series = _in_64_bits(series) if role in ("label", "predicted") else series
    if role.startswith(PROBABILITY):
        return _probability(series, role, part, untyped=untyped)
    if role == "score":
        narrow = _in_64_bits(series)
        if classes and not numbers and narrow.dtype.is_integer():
            return _class(narrow, role, part, untyped=untyped, named=named)
        values = _score(series, part, untyped=untyped, numbers=numbers, named=named)
        return values.cast(pl.Int64) if classes and _are_whole(values, series, untyped) else values
    return _class(series, role, part, untyped=untyped, named=named)


def _labels(series: pl.Series, role: str, part: Part) -> pl.Series:
    """Several labels per row: lists of classes as text, or 0 and 1 for each class in lists or fields."""
    kind = series.dtype
    if role != "label" and series.null_count():
        raise reading.missing_value(cell=part.cell(first(series.is_null()), role, series.name))
    if isinstance(kind, pl.Struct):
        plain = all(one.dtype.is_numeric() or one.dtype == pl.Boolean for one in kind.fields)
        if not plain or not kind.fields:
            raise reading.wrong_type(
                cell=part.cell(0, role, series.name), value=series[0], type=type_name(kind)
            )
        return series.alias(role)
    lists = series.arr.to_list() if isinstance(kind, pl.Array) else series
    row = pl.Series(np.repeat(np.arange(len(lists)), lists.list.len().fill_null(0).to_numpy()))
    inner = lists.filter(lists.list.len() > 0).explode()
    if inner.null_count():
        raise reading.missing_value(cell=part.cell(int(row[first(inner.is_null())]), role, series.name))
    if not len(inner) or inner.dtype in (pl.String, pl.Categorical, pl.Enum):
        return lists.cast(pl.List(pl.String)).alias(role)
    if not (inner.dtype.is_numeric() or inner.dtype == pl.Boolean):
        remedy = say("give lists of text, or of 0 and 1 for each class")
        cell = part.cell(int(row[0]), role, series.name)
        raise reading.wrong_type(
            cell=cell, value=example(inner, 0), type=type_name(inner.dtype), remedy=remedy
        )
    lengths = lists.list.len()
    width = int(lengths.drop_nulls()[0])
    odd = (lengths != width).fill_null(value=False)
    if odd.any():
        raise reading.uneven_labels(
            cell=part.cell(first(odd), role, series.name), n=int(lengths[first(odd)]), first=width
        )
    return lists.list.to_array(width).alias(role)


def _unit(series: pl.Series, *, untyped: bool) -> pl.Series:
    """What tells rows apart that belong together, though nobody asked for it; whole numbers may be floats.

    Fractions are measurements and name nothing, whatever their column is called.
    """
    nothing = pl.repeat(None, len(series), dtype=pl.String, eager=True).alias("unit")
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object, pl.Duration):
        return nothing
    if untyped and _are_fractions(series):
        return nothing
    if series.dtype.is_float():
        known = series.fill_nan(None)
        if not (known.drop_nulls() == known.drop_nulls().floor()).all():
            return nothing
        series = known.cast(pl.Int64, strict=False)
    if series.dtype.is_integer() and series.dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
        series = series.cast(pl.Int64)
    return series.alias("unit")


def _are_fractions(texts: pl.Series) -> bool:
    for some in (texts.head(_FIRST_ROWS), texts):
        known = some.drop_nulls()
        numbers = known.str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.null_count():
            return False
    return bool((numbers != numbers.floor()).any())


def _in_64_bits(series: pl.Series) -> pl.Series:
    """Integers of 128 bits in 64 where they fit; others as floats, too large for a class."""
    if series.dtype not in (pl.Int128, pl.UInt128):
        return series
    narrow = series.cast(pl.Int64, strict=False)
    return narrow if narrow.null_count() == series.null_count() else series.cast(pl.Float64)


def weights(series: pl.Series, place: Callable[[int], str], *, untyped: bool, column: str = "") -> Floats:
    readable = series.str.strip_chars() if untyped and series.dtype == pl.String else series
    if untyped or series.dtype.is_numeric():
        weight = readable.cast(pl.Float64, strict=False).to_numpy()  # with NaN for null
    else:
        weight = np.full(len(series), np.nan)
    if not (fits := is_weight(weight)).all():
        row = int(fits.argmin())
        raise measuring.bad_row_weight(place(row), column, example(series, row))
    return weight


def _probability(series: pl.Series, role: str, part: Part, *, untyped: bool) -> pl.Series:
    if not isinstance(series.dtype, pl.List | pl.Array):
        return _kept(series, PROBABILITY, part, untyped=untyped).alias(role)
    if series.null_count():
        raise reading.missing_value(cell=part.cell(first(series.is_null()), PROBABILITY, series.name))
    lengths = series.list.len() if isinstance(series.dtype, pl.List) else series.arr.len()
    if not len(lengths):
        return series.alias(role)
    width, odd = int(lengths[0]), lengths != lengths[0]
    if odd.any() or not width:
        row = first(odd) if odd.any() else 0
        cell = part.cell(row, PROBABILITY, series.name)
        if not width:
            raise reading.one_number(cell=cell, n=lengths[row])
        raise reading.uneven_lists(cell=cell, n=lengths[row], first=width)
    inner = series.explode()
    if not inner.dtype.is_numeric():
        kind = type_name(inner.dtype)
        raise reading.wrong_type(cell=part.cell(0, PROBABILITY, series.name), value=inner[0], type=kind)
    if inner.null_count():
        row = first(inner.is_null()) // width
        raise reading.missing_value(cell=part.cell(row, PROBABILITY, series.name))
    return series.cast(pl.List(_precision(inner.dtype))).list.to_array(width).alias(role)


def _score(
    series: pl.Series, part: Part, *, untyped: bool, numbers: bool, named: frozenset[str]
) -> pl.Series:
    """Numbers in the precision they came in; where classes will do, also what is called a class."""
    if series.dtype in (pl.List, pl.Array):
        if not numbers and isinstance(series.dtype, pl.List | pl.Array) and series.dtype.inner == pl.String:
            return _labels(series, "predicted", part)
        return _probability(series, PROBABILITY, part, untyped=untyped)
    if numbers or series.dtype.is_numeric() or (untyped and _all_numbers(series)):
        return _kept(series, "score", part, untyped=untyped)
    return _class(series, "score", part, untyped=untyped, named=named)


def _kept(series: pl.Series, role: str, part: Part, *, untyped: bool) -> pl.Series:
    """A checked number in the precision it came in, as a threshold is compared in it."""
    if series.dtype.is_float() and not series.null_count():  # no copy of millions of rows is needed
        values = series.to_numpy()
        lowest, highest = values.min(initial=0), values.max(initial=0)  # NaN where there is one
        if highest < np.inf and (role == "score" or lowest > -np.inf):
            return series.alias(role)
    return number(series, role, part, untyped=untyped).cast(_precision(series.dtype))


def _precision(kind: pl.DataType) -> pl.DataType:
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
    missing = MISSING - named
    if untyped:
        values = typed(series, missing)
    elif kind in (pl.String, pl.Categorical, pl.Enum):
        values = _without(series.cast(pl.String), missing)
    elif kind.is_float():
        values = series.set(series.is_nan(), None)
    elif kind.is_decimal():
        values = series.cast(pl.Float64)
    else:
        values = series
    if not (values.dtype in (pl.String, pl.Boolean, pl.Null) or values.dtype.is_numeric()):
        row = first(series.is_not_null()) if series.null_count() < len(series) else 0
        value, remedy = example(series, row), say("give text, numbers, or true and false")
        cell = part.cell(row, role, series.name)
        raise reading.wrong_type(cell=cell, value=value, type=type_name(kind), remedy=remedy)
    if role != "label" and values.null_count():
        row = first(values.is_null())
        written = series.cast(pl.String)[row]
        if written and written.strip():
            may_be = reading.named_class(reading.FILL, written)
            cell = part.cell(row, role, series.name)
            raise reading.written_missing(cell=cell, written=written, remedy=may_be)
        raise reading.missing_value(cell=part.cell(row, role, series.name))
    return values.alias(role)


def _without(text: pl.Series, missing: frozenset[str]) -> pl.Series:
    there = text.str.strip_chars().is_in(sorted(missing)).fill_null(value=False)
    return text.set(there, None) if there.any() else text


def typed(series: pl.Series, missing: frozenset[str]) -> pl.Series:
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


def reconcile(left: Table, right: Table, column: str) -> tuple[pl.Series, pl.Series]:
    """One column of both tables, in one type, so that equal ids are equal.

    Text from a file without types meets integers only when every value survives the way to an integer and
    back ('007' does not); typed text and integers are never taken for each other.
    """
    mine, theirs = left.frame[column], right.frame[column]
    if mine.dtype == theirs.dtype:
        return mine, theirs
    if not len(mine) or not len(theirs):
        # no id at all: it has no type to insist on
        shared = mine.dtype if len(mine) else theirs.dtype
        return mine.cast(shared), theirs.cast(shared)
    if mine.dtype == pl.String:
        mine = _integers(left, right, column)
    elif theirs.dtype == pl.String:
        theirs = _integers(right, left, column)
    return together(mine, theirs, left.name, right.name)


def together(
    left: pl.Series, right: pl.Series, left_name: str, right_name: str
) -> tuple[pl.Series, pl.Series]:
    """Signed and unsigned ids in one type, exactly: floats would merge neighbours above 2**53."""
    if left.dtype == right.dtype:
        return left, right
    signed, unsigned = (left_name, right_name) if left.dtype == pl.Int64 else (right_name, left_name)
    for kind in (pl.UInt64, pl.Int64):
        with suppress(pl.exceptions.InvalidOperationError):
            return left.cast(kind), right.cast(kind)
    raise reading.signed_against_unsigned(role=left.name, signed=signed, unsigned=unsigned)


def _integers(texts: Table, numbers: Table, column: str) -> pl.Series:
    text = texts.frame[column]
    if not texts.untyped:
        value, number = _twins(text, numbers.frame[column])
        raise reading.text_against_integers(
            role=word(column), text=texts.name, numbers=numbers.name, value=short(value), number=number
        )
    lost = text.is_not_null()
    for kind in (pl.Int64, pl.UInt64):
        values = text.cast(kind, strict=False)
        changed = values.cast(pl.String).ne_missing(text)  # it is not written as the text was
        if not changed.any():
            return values
        lost &= changed
    if not lost.any():
        raise reading.signed_and_unsigned(role=column, signed=texts.name)
    row = first(lost)
    raise reading.text_not_integer(
        place=texts.place(row), role=word(column), value=short(text[row]), numbers=numbers.name
    )


def _twins(text: pl.Series, numbers: pl.Series) -> tuple[str, int]:
    alike = text.head(1000).cast(numbers.dtype, strict=False)
    rows = (alike.is_not_null() & alike.is_in(numbers.head(1000).implode())).arg_true()
    if len(rows):
        return text[rows[0]], int(alike[rows[0]])
    return text[0], int(numbers[0])
