"""Arithmetic as data: what is written is what is worked out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.metrics.steps import (
    UNDEFINED,
    Column,
    Number,
    Quantity,
    least,
    log,
    operands,
    reduced,
    root,
    worked_out,
    written,
)

from ...tables import each_row

HITS, K = Number(3.0, "hits"), Number(4.0, "k")

leaves = st.builds(Number, st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.sampled_from(["a", "b"]))


def grown(parts):
    pairs = st.tuples(parts, parts)
    return st.one_of(
        pairs.map(lambda two: two[0] + two[1]),
        pairs.map(lambda two: two[0] - two[1]),
        pairs.map(lambda two: two[0] * two[1]),
        pairs.map(lambda two: two[0] / two[1]),
        pairs.map(lambda two: least(*two)),
        parts.map(lambda one: one**2),
        parts.map(lambda one: -one),
        parts.map(lambda one: 1 - one),
        parts.map(lambda one: root(one * one)),
    )


def number(one):
    return one.value


@given(st.recursive(leaves, grown, max_leaves=9))
def test_what_is_written_has_the_value_that_is_worked_out(term):
    text = written(term, lambda one: repr(one.value)).replace("×", "*").replace("^", "**")
    try:
        value = eval(text, {"min": min, "sqrt": math.sqrt})
    except ZeroDivisionError:
        value = math.nan
    assert worked_out(term, number) == pytest.approx(value, nan_ok=True)


@each_row(
    ("term", "text"),
    [
        (HITS / K, "hits / k"),
        (2 * HITS / (HITS + K), "2 × hits / (hits + k)"),
        (HITS - (K - 1), "hits - (k - 1)"),
        (HITS - K - 1, "hits - k - 1"),
        (HITS * (K / 2), "hits × (k / 2)"),
        ((1 + HITS**2) * K, "(1 + hits^2) × k"),
        (-(HITS + K) / K, "-(hits + k) / k"),
        (-log(HITS), "-log(hits)"),
        (root(HITS * K) / least(HITS, 1), "sqrt(hits × k) / min(hits, 1)"),
    ],
)
def test_as_it_is_written_by_hand(term, text):
    assert written(term, lambda one: one.named) == text


def test_a_division_by_0_and_no_arithmetic_are_undefined():
    assert math.isnan(worked_out(HITS / Number(0.0, "none"), number))
    assert math.isnan(worked_out(UNDEFINED.arithmetic, number))


def test_the_numbers_with_a_name_in_order():
    assert [one.named for one in operands((1 + K) / (HITS - K))] == ["k", "hits", "k"]
    assert operands(3) == ()


@pytest.mark.parametrize("other", ["text", None, [1], np.ones(2)])
def test_only_numbers_are_reckoned_with(other):
    try:
        made = HITS * other
    except TypeError:
        return
    assert not isinstance(made, Quantity)


@each_row(
    ("how", "value"),
    [("sum", 6.0), ("mean", 2.0), ("count", 3.0), ("max", 3.0), ("min", 1.0), ("first", 1.0), ("last", 3.0)],
)
def test_one_number_from_a_column(how, value):
    column = Column.of("x", [1, None, 2.0, math.nan, "text", 3])
    assert reduced(column, how) == value
