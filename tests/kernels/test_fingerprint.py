"""The fingerprint of a table depends on the values of its rows and on nothing else."""

from __future__ import annotations

import re
import struct
from datetime import date
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import kernels
from steelyard.kernels import fingerprint as module
from steelyard.kernels.fingerprint import fingerprint

FULL = (1 << 64) - 1


def by_hand(rows, placed=False) -> str:
    """The definition in whole numbers, row by row and byte by byte."""
    step = 0x9E3779B97F4A7C15
    sums = [0, 0]
    for place, row in enumerate(rows):
        state = step * (place + 1 if placed else 1) & FULL
        for value in row:
            state = added(state, word(value))
        state = state * 0xD6E8FEB86659FD93 & FULL
        state ^= state >> 29
        half = state * step & FULL
        sums[0] += state
        sums[1] += half ^ half >> 32
    return "".join(f"{total & FULL:016x}" for total in sums)


def added(state, number):
    state = (state ^ number) * 0x9E3779B97F4A7C15 & FULL
    return state ^ state >> 32


def word(value) -> int:
    """Integers as they are, also those that a text writes; other numbers as their bits."""
    if value is None or value != value:
        return 0xE7037ED1A0B428DB
    if isinstance(value, float):
        return (
            int(value) & FULL if value == int(value) else int.from_bytes(struct.pack("<d", value), "little")
        )
    if isinstance(value, int) or re.fullmatch("0|-?[1-9][0-9]{0,17}", value):
        return int(value) & FULL
    data = value.encode()
    state = added(0xA0761D6478BD642F, len(data))
    for at in range(0, len(data), 8):
        state = added(state, int.from_bytes(data[at : at + 8], "little"))
    return state


ids = st.text(max_size=20).filter(lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text))
grades = st.floats(-1e18, 1e18)
tables = st.lists(st.tuples(ids, ids, grades), max_size=30)


def of(rows) -> str:
    schema = {"query": pl.String, "item": pl.String, "grade": pl.Float64}
    return fingerprint(pl.DataFrame(rows, schema=schema, orient="row"))


@given(tables)
def test_it_is_the_sum_of_the_hashes_of_rows(rows):
    assert of(rows) == by_hand(rows)


def test_large_tables_are_read_in_parts(monkeypatch):
    rows = [(f"q{n % 7}", f"item {n}", float(n % 3)) for n in range(100)]
    whole = of(rows)
    monkeypatch.setattr(module, "_ROWS_OF_TWIN", 9)
    assert of(rows) == whole == by_hand(rows)


def test_it_never_changes():
    """Results that were saved are compared with those of later versions."""
    assert of([]) == "0" * 32
    assert of([("q", "a", 1.0)]) == PINNED


PINNED = "db49eb17d16660167fd3f98a0b9f7044"


@pytest.mark.parametrize("placed", [True, False])
def test_the_kernel_and_its_twin_agree(placed):
    rng = np.random.default_rng(0)
    rows = [(at % 7 - 3, score) for at, score in enumerate(rng.normal(size=50).tolist())]
    table = pl.DataFrame(rows, schema=["user" if placed else "query", "score"], orient="row")
    found = set()
    for side in ("kernel", "twin"):
        with kernels.forced(side):
            found.add(fingerprint(table))
    assert found == {by_hand(rows, placed)}


@given(tables, st.randoms())
def test_the_order_of_rows_does_not_matter(rows, random):
    mixed = list(rows)
    random.shuffle(mixed)
    assert of(mixed) == of(rows)


def sum_of(one, other):
    """The sum of two fingerprints, modulo 2^64 in each half."""
    halves = [[int(text[at : at + 16], 16) for at in (0, 16)] for text in (one, other)]
    return "".join(f"{sum(half) % 2**64:016x}" for half in zip(*halves, strict=True))


@given(tables, tables)
def test_parts_are_added(one, other):
    assert sum_of(of(one), of(other)) == of(one + other)


TRUTH = pl.DataFrame({"query": [7, 7, 12], "item": [101, 102, 101], "grade": [1, 0, 2]})
KINDS = {
    "int32": TRUTH.cast(pl.Int32),
    "uint64": TRUTH.cast(pl.UInt64),
    "text": TRUTH.with_columns(pl.col("query", "item").cast(pl.String)),
    "categories": TRUTH.with_columns(pl.col("query", "item").cast(pl.String).cast(pl.Categorical)),
    "enum": TRUTH.with_columns(pl.col("query").cast(pl.String).cast(pl.Enum(["12", "7"]))),
    "whole floats": TRUTH.with_columns(pl.col("query", "item").cast(pl.Float64)),
    "float32 grades": TRUTH.with_columns(pl.col("grade").cast(pl.Float32)),
    "in chunks": pl.concat([TRUTH[:1], TRUTH[1:]], rechunk=False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_how_ids_and_grades_are_stored_does_not_matter(kind):
    expected = by_hand([("7", "101", 1.0), ("7", "102", 0.0), ("12", "101", 2.0)])
    assert fingerprint(KINDS[kind]) == expected


def test_zero_has_no_sign():
    assert of([("q", "a", -0.0)]) == of([("q", "a", 0.0)])


DIFFERENT = {
    "as it is": [("q1", "a", 1.0), ("q2", "b", 0.0)],
    "another grade": [("q1", "a", 2.0), ("q2", "b", 0.0)],
    "grades changed places": [("q1", "a", 0.0), ("q2", "b", 1.0)],
    "items changed places": [("q1", "b", 1.0), ("q2", "a", 0.0)],
    "another border": [("q1a", "", 1.0), ("q2", "b", 0.0)],
    "doubled": [("q1", "a", 1.0), ("q2", "b", 0.0), ("q2", "b", 0.0)],
    "a row less": [("q1", "a", 1.0)],
    "zero at the end": [("q1", "a\0", 1.0), ("q2", "b", 0.0)],
    "leading zero": [("q01", "a", 1.0), ("q2", "b", 0.0)],
    "longer": [("q1", "a" * 8, 1.0), ("q2", "b", 0.0)],
    "longer still": [("q1", "a" * 9, 1.0), ("q2", "b", 0.0)],
}


def test_whatever_differs_is_seen():
    found = {name: of(rows) for name, rows in DIFFERENT.items()}
    assert len(set(found.values())) == len(DIFFERENT)


def test_rows_that_hardly_differ_are_far_apart_in_either_half():
    n = 1000
    singles = [of([(f"u{one}", str(one % 10), 1.0)]) for one in range(n)]
    for half in (slice(0, 16), slice(16, 32)):
        assert len({single[half] for single in singles}) == n
    flips = [bin(int(one, 16) ^ int(other, 16)).count("1") for one, other in pairwise(singles)]
    assert 63 < np.mean(flips) < 65  # of 128 bits, half change with one letter


def test_rows_without_keys_are_told_apart_by_their_place():
    labels = pl.DataFrame({"label": [1, 0, 1, 1]}, schema={"label": pl.UInt8})
    found = fingerprint(labels)
    assert found == by_hand([(1,), (0,), (1,), (1,)], placed=True)
    assert found != fingerprint(labels[[1, 0, 2, 3]])


def test_values_that_are_missing_are_one_and_the_same():
    ints, floats, none = (
        pl.DataFrame({"query": ["u"], "label": pl.Series([value], dtype=kind)})
        for value, kind in ((None, pl.Int64), (-np.nan, pl.Float64), (0, pl.Int64))
    )
    assert fingerprint(ints) == fingerprint(floats) == by_hand([("u", None)])
    assert fingerprint(ints) != fingerprint(none)
    assert fingerprint(ints) != of_unit(-1)  # a usual code for unknown is a value


def of_unit(label):
    return fingerprint(pl.DataFrame({"query": ["u"], "label": [label]}))


@pytest.mark.parametrize(
    "ids",
    [
        pl.Series([0.5, 2.0, None, 1e300]),
        pl.Series([date(2026, 1, 2), date(2026, 1, 3), None]),
        pl.Series([True, False, None]),
        pl.Series(["", None, "é", "😀" * 40, "-", "-7", "007"]),
        pl.Series([2**63, 2**64 - 1], dtype=pl.UInt64),
        pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"])),
    ],
)
def test_values_of_every_type(ids):
    singles = {fingerprint(ids.slice(at, 1).to_frame("query")) for at in range(len(ids))}
    assert len(singles) == len(ids)
    together = "0" * 32
    for single in singles:
        together = sum_of(together, single)
    assert fingerprint(ids.to_frame("query")) == together


def test_several_labels_in_a_row():
    """A list is a set; an array and fields have a place for each class."""
    sets = pl.DataFrame({"label": [["b", "a"], ["a"], []]})
    assert fingerprint(sets) == fingerprint(pl.DataFrame({"label": [["a", "b"], ["a"], []]}))
    assert fingerprint(sets) != fingerprint(pl.DataFrame({"label": [["a"], ["a", "b"], []]}))
    assert fingerprint(sets) != fingerprint(pl.DataFrame({"label": [["b"], ["a", "a"], []]}))
    one, other = (pl.Series("label", rows, dtype=pl.Array(pl.Int8, 2)) for rows in ([[1, 0]], [[0, 1]]))
    assert fingerprint(one.to_frame()) != fingerprint(other.to_frame())
    fields = pl.DataFrame({"label": [{"x": 1, "y": 0}]})
    assert fingerprint(fields) == fingerprint(pl.DataFrame({"label": [{"y": 0, "x": 1}]}))
    assert fingerprint(fields) != fingerprint(pl.DataFrame({"label": [{"y": 1, "x": 0}]}))
    assert fingerprint(pl.DataFrame({"label": [{"^x.*$": 1, "*": 0}]}))
