"""Signs and weights drawn by a hash of the unit: the same on every machine, in any order, in any parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Ints, Keys, offsets_of
from steelyard.kernels.choose import called_in_loops, compiled, in_parallel, row_shares, use_kernel
from steelyard.text.errors import measuring

Counts = NDArray[np.uint8]

_SIGNS, _WEIGHTS = 1, 2  # the streams
_PER_WORD = 2  # replicates that one word gives their 32 bits each
_WORK_PER_ROW = 16  # numbers that are drawn while a kernel reads a row

_FULL = (1 << 64) - 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = (np.uint64(bits) for bits in (30, 27, 31, 32))
_LOW_HALF = np.uint64(0xFFFFFFFF)

_OFFSET, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_BETWEEN = np.uint64(0x1F)  # stands between columns
_NULL = np.uint64(0xFF)  # stands in no UTF-8

# floor(2^32 · P(X ≤ k)) of a Poisson variable of mean 1
_POISSON = np.array(
    [
        *(1580030168, 3160060337, 3950075421, 4213413783, 4279248373, 4292415291, 4294609777),
        *(4294923276, 4294962463, 4294966817, 4294967252, 4294967292, 4294967295),
    ],
    np.uint64,
)


def unit_keys(*columns: pl.Series) -> Keys:
    """A number for each unit, from its text: of one column, or of several together.

    Text counts as its UTF-8, a whole number as its decimal digits (42 and "42" are one unit), booleans as
    true and false, dates and times as ISO 8601 writes them (those with a time zone in UTC), and several
    columns are joined by the byte 0x1F; a null is the byte 0xFF, which no text has. The 64-bit FNV-1a hash
    of that is mixed once more.

    >>> [hex(key) for key in unit_keys(pl.Series(["u1", "42"]))]
    ['0x715fdd7b59a9a19f', '0xa428ce5471163b02']
    >>> unit_keys(pl.Series([42])) == unit_keys(pl.Series(["42"]))
    array([ True])
    """
    state = np.full(len(columns[0]), _OFFSET)
    for at, column in enumerate(columns):
        if at:
            state = (state ^ _BETWEEN) * _PRIME
        text = _text(column)
        lengths = text.str.len_bytes().fill_null(0).to_numpy()
        joined = np.frombuffer((text.str.join("").item() or "").encode(), np.uint8)
        hashed = compiled(_hash_loop) if use_kernel(len(text)) else _hashed_twin
        hashed(state, joined, offsets_of(lengths))
        if text.null_count():
            state = np.where(text.is_null().to_numpy(), (state ^ _NULL) * _PRIME, state)
    return _mixed(state)


def poisson_weights(seed: int, keys: Keys, first: int, last: int) -> Counts:
    """How often each unit counts in the replicates from ``first`` up to ``last``: Poisson numbers of mean 1.

    A row per unit, a column per replicate. A replicate's weights are the same in whatever parts it is drawn.

    >>> poisson_weights(0, unit_keys(pl.Series(["u1"])), 0, 12)
    array([[1, 0, 1, 0, 2, 0, 3, 1, 0, 1, 1, 2]], dtype=uint8)
    """
    own = stream_keys(seed, keys, _WEIGHTS)
    weights = np.zeros((len(own), last - first), np.uint8)
    if use_kernel(weights.size // _WORK_PER_ROW):
        in_parallel(_poisson_loop, row_shares(len(own)))(own, np.uint64(first), weights)
        return weights
    words = words_of(own, first // _PER_WORD, -(-last // _PER_WORD))
    bits = np.stack([words & _LOW_HALF, words >> _32], axis=2).reshape(len(own), 2 * words.shape[1])
    begin = first % _PER_WORD
    for threshold in _POISSON:
        weights += bits[:, begin : begin + last - first] >= threshold
    return weights


def stream_keys(seed: int, keys: Keys, stream: int = _SIGNS) -> Keys:
    start = np.array([(seed + int(_GOLDEN) * stream) & _FULL], np.uint64)
    return _mixed(keys ^ _mixed(start))


@called_in_loops
def word_of(own: Any, j: Any) -> Any:
    """Word ``j``, a uint64, of a unit whose key is ``own`` in the stream."""
    return _mix(own + _GOLDEN * (j + np.uint64(1)))


def words_of(own: Keys, first: int, last: int) -> Keys:
    """The words from ``first`` up to ``last`` of units with these keys in a stream, a row per unit."""
    words: Keys = word_of(own[:, None], np.arange(first, last, dtype=np.uint64))
    return words


@called_in_loops
def _mix(z: Any) -> Any:
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


def _mixed(z: Keys) -> Keys:
    mixed: Keys = _mix(z)
    return mixed


def _text(units: pl.Series) -> pl.Series:
    kind = units.dtype
    if kind == pl.Date:
        return units.dt.to_string("%Y-%m-%d")
    if isinstance(kind, pl.Datetime):
        form = "%Y-%m-%dT%H:%M:%S%.f"  # with 3, 6 or 9 decimals, as many as it takes
        if kind.time_zone:
            return units.dt.convert_time_zone("UTC").dt.to_string(f"{form}Z")
        return units.dt.to_string(form)
    if not (kind.is_integer() or isinstance(kind, pl.String | pl.Boolean | pl.Categorical | pl.Enum)):
        raise measuring.units_without_text(name=units.name, type=str(kind))
    return units.cast(pl.String)


def _hash_loop(state: Keys, joined: NDArray[np.uint8], offsets: Ints) -> None:
    for unit in range(state.size):
        one = state[unit]
        for at in range(offsets[unit], offsets[unit + 1]):
            one = (one ^ np.uint64(joined[at])) * _PRIME
        state[unit] = one


def _hashed_twin(state: Keys, joined: NDArray[np.uint8], offsets: Ints) -> None:
    lengths = np.diff(offsets)
    for at in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > at)
        byte = joined[offsets[longer] + at].astype(np.uint64)
        state[longer] = (state[longer] ^ byte) * _PRIME


def _poisson_loop(shares: Ints, own: Keys, first: Any, weights: Counts) -> None:
    for unit in range(shares[0], shares[-1]):
        for at in range(weights.shape[1]):
            replicate = first + np.uint64(at)
            word = word_of(own[unit], replicate // np.uint64(_PER_WORD))
            bits = word >> _32 if replicate % np.uint64(_PER_WORD) else word & _LOW_HALF
            count = 0
            for threshold in _POISSON:
                count += bits >= threshold
            weights[unit, at] = count
