"""Draws by hash: the definition in whole numbers, worked figures, and the moments that they must have."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kernels.choose import forced
from steelyard.kernels.draws import poisson_weights, stream_keys, unit_keys, words_of
from steelyard.text.errors import ColumnError

from ..tables import each_row

FULL = (1 << 64) - 1
SIDES = ["kernel", "twin"]


def mix(z):
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & FULL
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & FULL
    return z ^ z >> 31


def key(data: bytes) -> int:
    state = 0xCBF29CE484222325
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 & FULL
    return mix(state)


def word(seed, stream, of, j):
    golden = 0x9E3779B97F4A7C15
    return mix(mix(of ^ mix(seed + golden * stream & FULL)) + golden * (j + 1) & FULL)


def weight(seed, of, replicate):
    bits = word(seed, 2, of, replicate // 2) >> (32 if replicate % 2 else 0) & 0xFFFFFFFF
    below, term, found = 0.0, math.exp(-1), 0
    while True:
        below += term
        if bits < math.floor(2**32 * below) or found == 13:
            return found
        found += 1
        term /= found


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.mark.parametrize("side", SIDES)
@given(st.lists(st.none() | texts, min_size=1, max_size=30))
def test_keys_by_their_definition(side, units):
    with forced(side):
        found = unit_keys(pl.Series(units, dtype=pl.String))
    assert found.tolist() == [key(b"\xff" if one is None else one.encode()) for one in units]


def test_worked_keys_and_draws():
    keys = unit_keys(pl.Series(["u1", "42", "", "查询"]))
    assert keys.tolist() == [0x715FDD7B59A9A19F, 0xA428CE5471163B02, 0xF52A15E9A9B5E89B, 0x54DD45140843690D]
    assert words_of(stream_keys(0, keys[:1]), 0, 1).tolist() == [[0xA652022340BF70DD]]
    signs = [words_of(stream_keys(0, keys[:1]), 0, 1).item() >> draw & 1 for draw in range(16)]
    assert "".join("-+"[sign] for sign in signs) == "+-+++-++----+++-"
    for side in SIDES:
        with forced(side):
            found = poisson_weights(0, keys[:2], 0, 12).tolist()
        assert found == [[1, 0, 1, 0, 2, 0, 3, 1, 0, 1, 1, 2], [1, 0, 0, 0, 2, 0, 1, 1, 1, 0, 0, 1]]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("first", "last"), [(0, 7), (1, 6), (5, 5), (998, 1003)])
def test_draws_by_their_definition(side, first, last):
    units = [f"unit {n}" for n in range(40)]
    keys = unit_keys(pl.Series(units))
    for seed in (0, 7, 2**64 - 1, -3):
        with forced(side):
            found = poisson_weights(seed, keys, first, last)
        assert found.dtype == np.uint8
        assert found.tolist() == [
            [weight(seed, key(one.encode()), replicate) for replicate in range(first, last)] for one in units
        ]
        words = [[word(seed, 1, key(one.encode()), j) for j in range(first, last)] for one in units]
        assert words_of(stream_keys(seed, keys), first, last).tolist() == words


WHEN = [datetime(2026, 1, 2, 3, 4, 5), datetime(1999, 12, 31, 23, 59, 59, 500_000)]
WRITTEN = {
    "integers": (pl.Series([-7, 2**63 - 1]), ["-7", "9223372036854775807"]),
    "unsigned": (pl.Series([7, 2**64 - 1], dtype=pl.UInt64), ["7", "18446744073709551615"]),
    "bytes": (pl.Series([1, 2], dtype=pl.Int8), ["1", "2"]),
    "booleans": (pl.Series([True, False]), ["true", "false"]),
    "categories": (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]),
    "enum": (pl.Series(["b", "a"], dtype=pl.Enum(["a", "b"])), ["b", "a"]),
    "dates": (pl.Series([date(2026, 11, 16), date(1, 2, 3)]), ["2026-11-16", "0001-02-03"]),
    "milliseconds": (
        pl.Series(WHEN, dtype=pl.Datetime("ms")),
        ["2026-01-02T03:04:05", "1999-12-31T23:59:59.500"],
    ),
    "nanoseconds": (
        pl.Series(WHEN, dtype=pl.Datetime("ns")),
        ["2026-01-02T03:04:05", "1999-12-31T23:59:59.500"],
    ),
    "zones": (
        pl.Series(WHEN).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
        ["2026-01-02T03:04:05Z", "1999-12-31T23:59:59.500Z"],
    ),
    "in chunks": (pl.concat([pl.Series(["a"]), pl.Series(["b"])], rechunk=False), ["a", "b"]),
}


@each_row("kind", WRITTEN)
def test_what_is_no_text_counts_as_it_is_written(kind):
    units, written = WRITTEN[kind]
    assert unit_keys(units).tolist() == [key(one.encode()) for one in written]


@pytest.mark.parametrize("units", [[0.5], [timedelta(1)], [[1]], [b"a"]])
def test_what_cannot_be_a_unit(units):
    with pytest.raises(ColumnError, match="the units of 'user' are of type") as raised:
        unit_keys(pl.Series("user", units))
    assert "unit=NAME" in raised.value.remedy


def test_several_columns_are_joined():
    found = unit_keys(pl.Series(["a", "a\x1f", None]), pl.Series([1, 2, 3]), pl.Series([True, None, False]))
    assert found.tolist() == [key(b"a\x1f1\x1ftrue"), key(b"a\x1f\x1f2\x1f\xff"), key(b"\xff\x1f3\x1ffalse")]
    assert unit_keys(pl.Series(["1\x1f2"])) == unit_keys(pl.Series([1]), pl.Series([2]))


def test_no_units():
    keys = unit_keys(pl.Series([], dtype=pl.String))
    assert keys.shape == (0,)
    assert poisson_weights(0, keys, 0, 3).shape == (0, 3)
    assert words_of(stream_keys(0, keys), 0, 3).shape == (0, 3)


@pytest.fixture(scope="module")
def many():
    keys = unit_keys(pl.Series(np.arange(20_000)))
    with forced("kernel"):
        return keys, poisson_weights(0, keys, 0, 400)


def test_weights_are_poisson(many):
    _, weights = many
    n = weights.size
    counts = np.bincount(weights.ravel(), minlength=14)
    expected = np.array([n / math.e / math.factorial(k) for k in range(8)])
    expected = np.append(expected, n - expected.sum())
    seen = np.append(counts[:8], counts[8:].sum())
    assert weights.mean() == pytest.approx(1, abs=4 / math.sqrt(n))
    assert weights.var() == pytest.approx(1, abs=4 * math.sqrt(3 / n))  # the fourth moment is 4
    assert ((seen - expected) ** 2 / expected).sum() < 26.1  # chi-square on 8 df, one in a thousand


def test_weights_hang_together_in_no_way(many):
    """Correlations of replicates, of units, of two seeds and of sign bits: standard normal when scaled."""
    keys, weights = many
    centred = weights - 1.0
    of_units = centred[:200] @ centred[:200].T / math.sqrt(weights.shape[1])
    other_seed = (centred * (poisson_weights(1, keys, 0, 400) - 1.0)).sum(axis=0)
    bits = np.unpackbits(words_of(stream_keys(0, keys[:2000]), 0, 4).view(np.uint8), axis=1) * 2.0 - 1
    found = {
        "replicates": (centred.T @ centred / math.sqrt(len(keys)))[np.triu_indices(400, 1)],
        "units": of_units[np.triu_indices(200, 1)],
        "seeds": other_seed / math.sqrt(len(keys)),
        "signs": (bits.T @ bits / math.sqrt(len(bits)))[np.triu_indices(256, 1)],
    }
    for name, z in found.items():
        assert z.mean() == pytest.approx(0, abs=4.5 / math.sqrt(len(z))), name
        assert z.std() == pytest.approx(1, abs=0.05 if len(z) > 1000 else 0.15), name


def test_signs_are_fair(many):
    keys, _ = many
    ones = np.unpackbits(words_of(stream_keys(3, keys), 0, 8).view(np.uint8)).mean()
    assert ones == pytest.approx(0.5, abs=2 / math.sqrt(len(keys) * 512))


def test_seeds_draw_anew():
    keys = unit_keys(pl.Series(["a", "b"]))
    found = [poisson_weights(seed, keys, 0, 200).tobytes() for seed in (0, 1, 2)]
    assert all(one != other for one, other in combinations(found, 2))
