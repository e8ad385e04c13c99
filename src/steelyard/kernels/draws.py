"""Signs and weights drawn by a hash of the unit: the same on every machine, in any order, in any parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints, Keys, offsets_of
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


DRAWS = 100_000
EXACT = 20  # nonzero numbers, up to which all signs are gone through
_NEARLY = 1e-12  # of the sum of sizes: what is nearer counts as equal
_UNITS = 8  # units that share a table of the sums of their signs
_BITS = 64  # draws that a word holds
_WORDS = 32  # words of a chunk: the sums of its draws stay in the processor's cache
_COLUMNS = 16  # that are added up together, for the same reason
_LANES = 4  # columns that are added at once
_TABLES = 128  # that the twin makes at once
_SIGNS_PER_ROW = 400  # signs that are looked at while a kernel reads a row
_LOW_BYTE = np.uint64(0xFF)
_SWAPS = tuple(
    (np.uint64(bits), np.uint64(mask))
    for bits, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
)


def flipped_tails(
    z: Floats, keys: Keys | None, draws: int = DRAWS, seed: int = 0, exact: int = EXACT
) -> Floats:
    """The two-sided p-value of each column's sum, when every unit's sign is by chance; a row per unit.

    Columns with up to ``exact`` numbers other than 0 go through all signs. For the others ``draws`` signs are
    drawn for each unit by the hash of its key, the same for all columns, and p is (b + 1)/(draws + 1) where
    b of them are as far from 0. Sums run in the order of the keys, whatever order the rows have. Without
    keys, units are drawn by the order of their sizes. A column of zeros has p = 1.

    >>> flipped_tails(np.array([[0.5, 1.0], [0.25, -1.0], [0.25, 0.0]]), np.arange(3, dtype=np.uint64))
    array([0.25, 1.  ])
    """
    if keys is not None:
        order = np.argsort(keys, kind="stable")
        z, keys = z[order], keys[order]
    nonzero = np.count_nonzero(z, axis=0)
    least = np.abs(z.sum(axis=0)) - _NEARLY * np.abs(z).sum(axis=0)
    if keys is None:  # a random sign makes -z and z the same
        z, keys = np.sort(np.abs(z), axis=0), unit_keys(pl.Series(np.arange(len(z))))
    tails = np.ones(z.shape[1])
    for column in np.flatnonzero((nonzero > 0) & (nonzero <= exact)):
        tails[column] = _of_all_signs(z[:, column], least[column])
    many = np.flatnonzero(nonzero > exact)
    own = stream_keys(seed, keys)
    for at in range(0, len(many), _COLUMNS):
        some = many[at : at + _COLUMNS]
        tails[some] = (_as_far(z[:, some], own, least[some], draws) + 1) / (draws + 1)
    return tails


def _as_far(z: Floats, own: Keys, least: Floats, draws: int) -> Ints:
    used = np.flatnonzero(z.any(axis=1))
    n, columns = -(-len(used) // _UNITS) * _UNITS, z.shape[1]
    keys = np.zeros(n, np.uint64)
    keys[: len(used)] = own[used]
    in_kernel = use_kernel(n * draws // _SIGNS_PER_ROW)
    padded = np.zeros((n, -(-columns // _LANES) * _LANES if in_kernel else columns))
    padded[: len(used), :columns] = z[used]
    if not in_kernel:
        return _flipped_twin(padded, keys, least, draws)
    chunks = np.arange(-(-draws // (_WORDS * _BITS)) + 1)
    counts: Ints = np.sum(in_parallel(_flip_loop, chunks)(padded, keys, least, draws), axis=0)
    return counts


def _of_all_signs(z: Floats, least: float) -> float:
    """Half of them, that is: the other half has the same sums with the other sign."""
    first, *others = z[z != 0]
    sums = np.array([first])
    for one in others:
        sums = np.concatenate([sums + one, sums - one])
    return float(np.count_nonzero(np.abs(sums) >= least)) / len(sums)


def _flipped_twin(z: Floats, own: Keys, least: Floats, draws: int) -> Ints:
    sums = np.zeros((draws, z.shape[1]))
    for unit in range(0, len(z), _UNITS * _TABLES):
        some = slice(unit, unit + _UNITS * _TABLES)
        tables = _sign_tables(z[some])
        for first in range(0, draws, _WORDS * _BITS):
            part = sums[first : first + _WORDS * _BITS]
            for table, row in zip(tables, _table_rows(own[some], first, len(part)), strict=True):
                part += np.take(table, row, axis=0)
    counts: Ints = np.count_nonzero(np.abs(sums) >= least, axis=0)
    return counts


def _table_rows(own: Keys, first: int, draws: int) -> NDArray[np.uint8]:
    """For every eight units the signs of some draws, a byte each: bit i is the sign of unit i."""
    words = words_of(own, first // _BITS, -(-(first + draws) // _BITS))
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=draws, bitorder="little")
    eights = bits.reshape(-1, _UNITS, draws)
    rows = np.zeros((len(eights), draws), np.uint8)
    for i in range(_UNITS):
        rows |= eights[:, i] << i
    return rows


def _sign_tables(z: Floats) -> Floats:
    """For every eight units the sum of each way their signs can fall."""
    eights = z.reshape(-1, _UNITS, z.shape[1])
    tables = np.zeros((len(eights), 1 << _UNITS, z.shape[1]))
    for i in range(_UNITS):
        tables[:, 0] -= eights[:, i]
    for i in range(_UNITS):
        tables[:, 1 << i : 2 << i] = tables[:, : 1 << i] + 2 * eights[:, i, None]
    return tables


@called_in_loops
def _sign_table(z: Floats, table: Floats) -> None:
    """The sums of eight units for each way their signs can fall: bit i of the row is the sign of unit i."""
    for column in range(z.shape[1]):
        table[0, column] = 0.0
        for i in range(_UNITS):
            table[0, column] -= z[i, column]
    for i in range(_UNITS):
        for row in range(1 << i):
            for column in range(z.shape[1]):
                table[(1 << i) + row, column] = table[row, column] + 2 * z[i, column]


@called_in_loops
def _transposed(words: Keys, shift: Any) -> Any:
    """Eight bits of each of eight words, as eight bytes: byte r has bit r of all the words."""
    x = np.uint64(0)
    for i in range(_UNITS):
        x |= ((words[i] >> shift) & _LOW_BYTE) << np.uint64(_UNITS * i)
    for bits, mask in _SWAPS:
        swap = (x ^ (x >> bits)) & mask
        x ^= swap ^ (swap << bits)
    return x


def _flip_loop(chunks: Ints, z: Floats, own: Keys, least: Floats, draws: int) -> Ints:
    """Count the draws of some chunks that are as far from 0, in each column."""
    n, columns = z.shape
    found = np.zeros(least.size, np.int64)
    table = np.empty((1 << _UNITS, columns))
    sums = np.empty((_WORDS * _BITS, columns))
    words = np.empty(_UNITS, np.uint64)
    for chunk in range(chunks[0], chunks[-1]):
        sums[:] = 0.0
        for unit in range(0, n, _UNITS):
            _sign_table(z[unit : unit + _UNITS], table)
            for word in range(_WORDS):
                for i in range(_UNITS):
                    words[i] = word_of(own[unit + i], np.uint64(chunk * _WORDS + word))
                for byte in range(_BITS // _UNITS):
                    which = _transposed(words, np.uint64(_UNITS * byte))
                    first = word * _BITS + byte * _UNITS
                    for draw in range(first, first + _UNITS):
                        row = which & _LOW_BYTE
                        which >>= np.uint64(8)
                        for column in range(columns):
                            sums[draw, column] += table[row, column]
        for draw in range(min(_WORDS * _BITS, draws - chunk * _WORDS * _BITS)):
            for column in range(least.size):
                found[column] += abs(sums[draw, column]) >= least[column]
    return found
