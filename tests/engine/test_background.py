"""What is known of items and users, as numbers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.engine import background, columns


@pytest.mark.parametrize(
    "given",
    [
        [pl.Series([5, 3, 5]), pl.Series([4, 3])],
        [pl.Series([10**15, -3]), pl.Series([10**15])],
        [pl.Series([2**63 + 1, 7], dtype=pl.UInt64), pl.Series([7], dtype=pl.UInt64)],
        [pl.Series(["b", "a", "b"]), pl.Series(["", "ä"])],
        [pl.Series([0, 1, 2]), pl.Series([], dtype=pl.Int64)],
    ],
    ids=["close", "far apart", "unsigned", "texts", "an empty one"],
)
def test_items_are_numbered_by_rising_ids(given):
    items, codes = background.code_items(given)
    every = sorted({value for one in given for value in one.to_list()}, key=_bytes)
    assert items.to_list() == every
    for one, code in zip(given, codes, strict=True):
        assert [every[at] for at in code] == one.to_list()


def _bytes(value):
    return value.encode() if isinstance(value, str) else value


def test_texts_of_one_hash_stay_apart(monkeypatch):
    monkeypatch.setattr(columns, "_hashed", lambda texts: np.zeros(len(texts), np.int64))
    items, [codes] = background.code_items([pl.Series(["b", "a", "b"])])
    assert items.to_list() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]
