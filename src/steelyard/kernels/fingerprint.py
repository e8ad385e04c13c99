"""A number that two tables of truth share when they hold the same judgements, however they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

_ROWS = 1 << 14  # what is worked on at a time stays in the processor's cache
_WORD = 8
_DIGITS = 16  # of a lane, in hexadecimal
# two numbers of 64 bits per row, made in the same way with different odd multipliers
_STEP = np.array([[0x9E3779B97F4A7C15], [0xC2B2AE3D27D4EB4F]], np.uint64)
_LAST = np.array([[0xD6E8FEB86659FD93], [0xFF51AFD7ED558CCD]], np.uint64)
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
_NOTHING = np.array([(1 << 64) - 1], np.uint64)  # longer than any text: there is none


def fingerprint(
    queries: pl.Series | None, items: pl.Series | None, grades: pl.Series | NDArray[Any], *, first: int = 0
) -> str:
    """The fingerprint of a truth, 128 bits in hexadecimal digits; the order of the rows does not matter.

    It is the sum, modulo 2^64 in each half, of a hash of each row: of its query, its item and its grade.
    Rows without an item are told apart by query and label. Rows without a query have their place for one,
    counted from ``first``: their order is all that says which label belongs to which prediction.

    An id counts as its text, so that 7 and "7" are one, a grade or a label as a number of 64 bits (a class
    that is text, as its text). Nothing depends on the machine, nor on the versions of NumPy and Polars.

    >>> truth = pl.DataFrame({"query": [1, 1, 2], "item": ["a", "b", "a"], "grade": [1, 0, 3]})
    >>> fingerprint(truth["query"], truth["item"], truth["grade"])
    '87d93fbb238f86484f5342aed66fd033'
    >>> again = truth.reverse().cast(pl.String)
    >>> fingerprint(again["query"], again["item"], again["grade"].cast(pl.Float64))
    '87d93fbb238f86484f5342aed66fd033'
    """
    given = pl.Series(grades)
    total = np.zeros(2, np.uint64)
    for start in range(0, len(given), _ROWS):
        n = min(_ROWS, len(given) - start)
        state = np.repeat(_STEP, n, axis=1)
        if queries is None:
            _add_ids(state, pl.int_range(first + start, first + start + n, eager=True))
        else:
            _add_ids(state, queries.slice(start, n))
        if items is None:
            _add(state, _NOTHING)
        else:
            _add_ids(state, items.slice(start, n))
        _add_grades(state, given.slice(start, n))
        state *= _LAST
        state ^= state >> np.uint64(29)
        total += state.sum(axis=1)
    return _hexadecimal(total.tolist())


def merged_fingerprints(one: str, other: str) -> str:
    """The fingerprint of two parts together, from those of the parts.

    >>> truth = pl.DataFrame({"query": [1, 1, 2], "item": ["a", "b", "a"], "grade": [1, 0, 3]})
    >>> parts = [fingerprint(part["query"], part["item"], part["grade"]) for part in (truth[:1], truth[1:])]
    >>> merged_fingerprints(*parts) == fingerprint(truth["query"], truth["item"], truth["grade"])
    True
    """
    lanes = [[int(text[at : at + _DIGITS], 16) for at in (0, _DIGITS)] for text in (one, other)]
    return _hexadecimal([sum(lane) % (1 << 64) for lane in zip(*lanes, strict=True)])


def _hexadecimal(lanes: list[int]) -> str:
    return "".join(f"{lane:0{_DIGITS}x}" for lane in lanes)


def _add(state: NDArray[np.uint64], word: NDArray[np.uint64]) -> None:
    state ^= word
    state *= _STEP
    state ^= state >> np.uint64(32)


def _add_grades(state: NDArray[np.uint64], grades: pl.Series) -> None:
    if isinstance(grades.dtype, pl.String | pl.Categorical | pl.Enum):
        _add_ids(state, grades)
        return
    number = grades.cast(pl.Float64).to_numpy() + 0.0  # -0.0 is 0.0
    number[np.isnan(number)] = np.nan
    _add(state, number.view(np.uint64))


def _add_ids(state: NDArray[np.uint64], ids: pl.Series) -> None:
    """Every id by its length in bytes, then eight of its bytes at a time."""
    text = _text(ids)
    length = text.str.len_bytes().fill_null(0).to_numpy().astype(np.int64)
    said = length.astype(np.uint64)
    if text.null_count():
        said[text.is_null().to_numpy()] = _NOTHING
    _add(state, said)
    joined = np.frombuffer(text.str.join("").item().encode() + bytes(_WORD), np.uint8)
    words = np.ndarray(len(joined) - _WORD + 1, "<u8", joined, strides=(1,))  # one from every byte on
    start = np.cumsum(length) - length
    for at in range(0, int(length.max(initial=0)), _WORD):
        longer = np.flatnonzero(length > at)
        word = words[start[longer] + at] & _MASKS[np.minimum(length[longer] - at, _WORD)]
        if len(longer) == len(length):
            _add(state, word)
        else:
            part = state[:, longer]
            _add(part, word)
            state[:, longer] = part


def _text(ids: pl.Series) -> pl.Series:
    """Ids as text; dates by the integers behind them, numbers with a fraction by their bits."""
    if ids.dtype.is_float():
        number, whole = ids.cast(pl.Float64), ids.cast(pl.Int64, strict=False)
        bits = pl.Series(number.to_numpy().view(np.uint64)).cast(pl.String)
        return pl.select(pl.when(number == whole).then(whole.cast(pl.String)).otherwise(bits)).to_series()
    if ids.dtype.is_temporal():
        ids = ids.to_physical()
    elif ids.dtype == pl.Boolean:
        ids = ids.cast(pl.UInt8)
    return ids.cast(pl.String)
