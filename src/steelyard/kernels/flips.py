"""The randomisation test: how often random signs give a sum as far from 0 as the one that was found."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Floats, Ints, Keys
from steelyard.kernels.choose import called_in_loops, in_parallel, use_kernel
from steelyard.kernels.draws import stream_keys, unit_keys, word_of, words_of

DRAWS = 100_000
EXACT = 20  # nonzero numbers, up to which all signs are gone through
_NEARLY = 1e-12  # of the sum of sizes: what is nearer counts as equal

_UNITS = 8  # units that share a table of the sums of their signs
_BITS = 64  # draws that a word holds
_WORDS = 32  # words of a chunk: the sums of its draws stay in the processor's cache
_COLUMNS = 16  # that are added up together, for the same reason
_LANES = 4  # columns that are added at once
_TABLES = 128  # that the twin makes at once
_WORK_PER_ROW = 400  # signs that are looked at while a kernel reads a row

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
    in_kernel = use_kernel(n * draws // _WORK_PER_ROW)
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
