"""A number that two tables share when they hold the same rows, however they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.kernels.choose import compiled, read_only, use_kernel

_ROWS = 1 << 18  # that the kernel takes at a time
_ROWS_OF_TWIN = 1 << 16  # what NumPy works on stays in the processor's cache
_WORD = 8
_STEP = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xD6E8FEB86659FD93)  # which makes the second half of the first
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
_NOTHING = np.uint64(0xE7037ED1A0B428DB)  # a missing value; the pattern of no small integer
_TEXT = np.uint64(0xA0761D6478BD642F)  # where the hash of a text begins
_32, _29 = np.uint64(32), np.uint64(29)
_BEGIN_INTEGERS = np.frombuffer(b"-0123456789", np.uint8)
_KEYS = frozenset({"query", "item"})
Words = NDArray[np.uint64]


def fingerprint(table: pl.DataFrame, places: NDArray[Any] | None = None, entries: int = 0) -> str:
    """The fingerprint of a table, 128 bits in hexadecimal digits; the order of the rows does not matter.

    It is the sum, modulo 2^64 in each half, of a hash of each row: of its values, column by column. In a
    table without a query and without an item the place of each row is part of it. Of a part of a table,
    ``places`` are those of its rows in the whole, and ``entries`` is the number of list entries before it.

    A value counts by what it is, not by its type: 7, 7.0 and "7" are one, NaN is a missing value, and a date
    is the integer behind it. Lists of texts are sets. Nothing depends on the machine, nor on the versions of
    NumPy and Polars.

    >>> truth = pl.DataFrame({"query": [1, 1, 2], "item": ["a", "b", "a"], "grade": [1, 0, 3]})
    >>> fingerprint(truth)
    'b324ee1fefc43e7726750d77460c4d13'
    >>> fingerprint(truth.reverse().cast(pl.String)) == fingerprint(truth)
    True
    """
    if [kind for kind in table.schema.values() if kind.is_nested()]:
        lists, table = has_lists(table), _flat(table, places)
        places = np.arange(entries, entries + table.height) if lists and places is not None else places
    placed = _KEYS.isdisjoint(table.columns)
    in_kernel = use_kernel(table.height)
    rows = max(1, (_ROWS if in_kernel else _ROWS_OF_TWIN) // max(table.width, 1))
    enums = {name: kind.categories for name, kind in table.schema.items() if isinstance(kind, pl.Enum)}
    codes = {name: _words(categories) for name, categories in enums.items()}
    total = np.zeros(2, np.uint64)
    for start in range(0, table.height, rows):
        columns = [_words(column, codes.get(column.name)) for column in table.slice(start, rows)]
        words = columns[0][None, :] if len(columns) == 1 else np.stack(columns)
        end = start + words.shape[1] * placed
        mine = np.arange(start, end) if places is None else places[start:end]
        mine = mine.astype(np.uint64)
        if in_kernel:
            total += compiled(_summed_loop)(read_only(words), read_only(mine))
        else:
            total += _summed_twin(words, mine)
    return f"{total[0]:016x}{total[1]:016x}"


def has_lists(table: pl.DataFrame) -> bool:
    """Whether a row of a table is several when its lists are flat."""
    return any(isinstance(kind, pl.List) for kind in table.schema.values())


def n_entries(table: pl.DataFrame) -> int:
    """How many rows a table has when its lists are flat."""
    return _flat(table).height if has_lists(table) else table.height


def _summed_loop(words: Words, places: Words) -> Words:
    one, other = np.uint64(0), np.uint64(0)
    for row in range(words.shape[1]):
        state = _STEP
        if len(places):
            state += places[row] * _STEP
        for column in range(words.shape[0]):
            state = (state ^ words[column, row]) * _STEP
            state ^= state >> _32
        state *= _OTHER
        state ^= state >> _29
        half = state * _STEP
        one += state
        other += half ^ (half >> _32)
    return np.array([one, other], np.uint64)


def _summed_twin(words: Words, places: Words) -> Words:
    state = places * _STEP + _STEP if len(places) else np.full(words.shape[1], _STEP)
    for word in words:
        state ^= word
        state *= _STEP
        state ^= state >> _32
    state *= _OTHER
    state ^= state >> _29
    half = state * _STEP
    half ^= half >> _32
    return np.array([state.sum(dtype=np.uint64), half.sum(dtype=np.uint64)])


def _flat(table: pl.DataFrame, places: NDArray[Any] | None = None) -> pl.DataFrame:
    """The same without nested columns: a field is a column, an entry of a list is a row."""
    for name, kind in table.schema.items():
        if isinstance(kind, pl.Struct):
            fields = table[name].struct.unnest()
            ordered = sorted(fields, key=lambda field: field.name)
            return _flat(
                table.drop(name).hstack([one.alias(f"{name}.{one.name}") for one in ordered]), places
            )
        if isinstance(kind, pl.Array):
            return _flat(table.with_columns(table[name].arr.to_struct()), places)
        if isinstance(kind, pl.List):
            rows = table.with_columns(table[name].list.sort())
            if _KEYS.isdisjoint(table.columns):
                number = np.arange(table.height) if places is None else places
                rows = rows.insert_column(0, pl.Series("row", number))
            return _flat(rows.explode(name))
    return table


def _words(values: pl.Series, of_codes: Words | None = None) -> Words:
    """A number of 64 bits for each value; ``of_codes`` has those of an enumeration."""
    kind = values.dtype
    words: Words
    if of_codes is not None:
        known = of_codes if len(of_codes) else np.array([_NOTHING])
        words = known[values.to_physical().fill_null(0).to_numpy()]
    elif kind.is_float():  # whole numbers as integers, others as their bits
        number = values.cast(pl.Float64).to_numpy()  # a missing value as NaN
        inside = np.abs(number) < 2.0**63
        whole = np.where(inside, number, 0.0).astype(np.int64)
        words = np.where(inside & (whole == number), whole.view(np.uint64), number.view(np.uint64))
        return np.where(np.isnan(number), _NOTHING, words)
    elif kind.is_integer() or kind.is_temporal() or kind == pl.Boolean:
        integers = values.to_physical().cast(pl.Int64, strict=False)
        if integers.null_count() > values.null_count():  # integers of more than 64 bits
            return _words(values.cast(pl.String))
        words = integers.fill_null(0).to_numpy().view(np.uint64)
    else:
        words = _text_words(values.cast(pl.String))
    if values.null_count():
        words = np.where(values.is_null().to_numpy(), _NOTHING, words)
    return words


def _text_words(text: pl.Series) -> Words:
    """Texts that write an integer as that; others by their length in bytes, then eight bytes at a time."""
    known = text.fill_null("") if text.null_count() else text
    length = known.str.len_bytes().to_numpy().astype(np.int64)
    joined = np.frombuffer(known.str.join("").item().encode() + bytes(_WORD), np.uint8)
    words = np.ndarray(len(joined) - _WORD + 1, "<u8", joined, strides=(1,))  # one from every byte on
    start = np.cumsum(length) - length
    state: Words = (_TEXT ^ length.astype(np.uint64)) * _STEP
    state ^= state >> _32
    for at in range(0, int(length.max(initial=0)), _WORD):
        longer = np.flatnonzero(length > at)
        part = state[longer]
        part ^= words[start[longer] + at] & _MASKS[np.minimum(length[longer] - at, _WORD)]
        part *= _STEP
        part ^= part >> _32
        state[longer] = part
    if not np.isin(joined[start], _BEGIN_INTEGERS).any():
        return state
    whole = text.cast(pl.Int64, strict=False)
    written = (whole.cast(pl.String) == text).fill_null(False).to_numpy()
    return np.where(written, whole.fill_null(0).to_numpy().view(np.uint64), state)
