"""The fingerprint of a truth depends on its judgements and on nothing else."""

from __future__ import annotations

import struct
from datetime import date
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kernels import fingerprint as module
from steelyard.kernels.fingerprint import fingerprint, merged_fingerprints

FULL = (1 << 64) - 1


def by_hand(rows) -> str:
    """The definition in whole numbers, row by row and byte by byte: (query, item or None, grade)."""
    lanes = ((0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93), (0xC2B2AE3D27D4EB4F, 0xFF51AFD7ED558CCD))
    sums = [0, 0]
    for row in rows:
        for lane, (step, last) in enumerate(lanes):
            state = step
            for word in words(*row):
                state = (state ^ word) * step & FULL
                state ^= state >> 32
            state = state * last & FULL
            sums[lane] += state ^ state >> 29
    return "".join(f"{total & FULL:016x}" for total in sums)


def words(query, item, grade):
    for text in (query, item):
        data = b"" if text is None else text.encode()
        yield FULL if text is None else len(data)
        yield from (int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8))
    yield int.from_bytes(struct.pack("<d", grade), "little")


ids = st.text(max_size=20).filter(lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text))
grades = st.floats(allow_nan=False).map(lambda grade: grade + 0.0)
tables = st.lists(st.tuples(ids, ids, grades), max_size=30)


def of(rows) -> str:
    frame = pl.DataFrame(rows, schema={"q": pl.String, "i": pl.String, "g": pl.Float64}, orient="row")
    return fingerprint(frame["q"], frame["i"], frame["g"])


@given(tables)
def test_it_is_the_sum_of_the_hashes_of_rows(rows):
    assert of(rows) == by_hand(rows)


def test_large_tables_are_read_in_parts(monkeypatch):
    rows = [(f"q{n % 7}", f"item {n}", float(n % 3)) for n in range(100)]
    whole = of(rows)
    monkeypatch.setattr(module, "_ROWS", 9)
    assert of(rows) == whole == by_hand(rows)


def test_it_never_changes():
    """Results that were saved are compared with those of later versions."""
    assert fingerprint(pl.Series([], dtype=pl.String), None, np.zeros(0)) == "0" * 32
    assert of([("q", "a", 1.0)]) == PINNED


PINNED = "e014c57a6a1b1649bd9e471bbf82eeaa"


@given(tables, st.randoms())
def test_the_order_of_rows_does_not_matter(rows, random):
    mixed = list(rows)
    random.shuffle(mixed)
    assert of(mixed) == of(rows)


@given(tables, tables)
def test_parts_are_added(one, other):
    assert merged_fingerprints(of(one), of(other)) == of(one + other)


TRUTH = pl.DataFrame({"q": [7, 7, 12], "i": [101, 102, 101], "g": [1, 0, 2]})
KINDS = {
    "int32": TRUTH.cast(pl.Int32),
    "uint64": TRUTH.cast(pl.UInt64),
    "text": TRUTH.with_columns(pl.col("q", "i").cast(pl.String)),
    "categories": TRUTH.with_columns(pl.col("q", "i").cast(pl.String).cast(pl.Categorical)),
    "enum": TRUTH.with_columns(pl.col("q").cast(pl.String).cast(pl.Enum(["12", "7"]))),
    "whole floats": TRUTH.with_columns(pl.col("q", "i").cast(pl.Float64)),
    "float32 grades": TRUTH.with_columns(pl.col("g").cast(pl.Float32)),
    "in chunks": pl.concat([TRUTH[:1], TRUTH[1:]], rechunk=False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_how_ids_and_grades_are_stored_does_not_matter(kind):
    expected = by_hand([("7", "101", 1.0), ("7", "102", 0.0), ("12", "101", 2.0)])
    table = KINDS[kind]
    assert fingerprint(table["q"], table["i"], table["g"]) == expected
    assert fingerprint(table["q"], table["i"], table["g"].to_numpy()) == expected


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
    singles = [fingerprint(pl.Series([f"u{one}"]), pl.Series([one % 10]), np.ones(1)) for one in range(n)]
    for half in (slice(0, 16), slice(16, 32)):
        assert len({single[half] for single in singles}) == n
    flips = [bin(int(one, 16) ^ int(other, 16)).count("1") for one, other in pairwise(singles)]
    assert 63 < np.mean(flips) < 65  # of 128 bits, half change with one letter


def test_rows_without_items_are_told_apart_by_query_and_label():
    found = fingerprint(pl.Series(["u", "u", "v"]), None, np.array([1, 0, 1]))
    assert found == by_hand([("u", None, 1.0), ("u", None, 0.0), ("v", None, 1.0)])
    assert found != fingerprint(pl.Series(["u", "u", "v"]), pl.Series(["", "", ""]), np.array([1, 0, 1]))


def test_rows_without_keys_are_told_apart_by_their_place():
    labels = np.array([1, 0, 1, 1], np.uint8)
    found = fingerprint(None, None, labels)
    assert found == by_hand([("0", None, 1.0), ("1", None, 0.0), ("2", None, 1.0), ("3", None, 1.0)])
    assert found != fingerprint(None, None, labels[[1, 0, 2, 3]])
    parts = fingerprint(None, None, labels[:3]), fingerprint(None, None, labels[3:], first=3)
    assert merged_fingerprints(*parts) == found


def test_classes_that_are_text():
    found = fingerprint(pl.Series(["u"]), None, pl.Series(["cat"]))
    assert found == fingerprint(pl.Series(["u"]), None, pl.Series(["cat"], dtype=pl.Categorical))
    assert found != fingerprint(pl.Series(["u"]), None, pl.Series(["dog"]))


def test_labels_that_are_missing_are_one_and_the_same():
    missing = fingerprint(pl.Series(["u"]), None, pl.Series([None], dtype=pl.Int64))
    assert missing == fingerprint(pl.Series(["u"]), None, np.array([-np.nan]))
    assert missing != fingerprint(pl.Series(["u"]), None, np.zeros(1))


@pytest.mark.parametrize(
    "ids",
    [
        pl.Series([0.5, 2.0, None, 1e300]),
        pl.Series([date(2026, 1, 2), date(2026, 1, 3), None]),
        pl.Series([True, False, None]),
        pl.Series(["", None, "é", "😀" * 40]),
        pl.Series([2**63, 2**64 - 1], dtype=pl.UInt64),
    ],
)
def test_ids_of_every_type(ids):
    singles = {fingerprint(ids.slice(at, 1), None, np.ones(1)) for at in range(len(ids))}
    assert len(singles) == len(ids)
    together = "0" * 32
    for single in singles:
        together = merged_fingerprints(together, single)
    assert fingerprint(ids, None, np.ones(len(ids))) == together
