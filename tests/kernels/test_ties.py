"""Sums over the places of a tie, against sums term by term and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kernels import count, forced

from ..examples import examples
from ..tables import each_row

BEFORE = (0, 1, 2, 18, 19, 20, 29, 30, 31, 1_000, 1_000_000)


def ints(*values):
    return np.array(values, np.int64)


def close(value, right, tolerance=1e-14):
    return math.isclose(value, right, rel_tol=tolerance, abs_tol=0.0)


@each_row("m", [0, 1, 2, 3, 47, 48, 49, 50, 1_000, 60_000])
def test_harmonic_sums(m):
    direct, weighted = count.harmonic_sums(ints(*BEFORE), ints(*[m] * len(BEFORE)))
    for at, c in enumerate(BEFORE):
        assert close(direct[at], math.fsum(1 / (c + j) for j in range(1, m + 1)))
        assert close(weighted[at], math.fsum((j - 1) / (c + j) for j in range(1, m + 1)))


def test_harmonic_sums_of_mixed_lengths_are_those_of_each():
    c, m = (ints(*column) for column in zip(*product(BEFORE, (0, 1, 7, 48, 49, 500)), strict=True))
    together = count.harmonic_sums(c, m)
    for at in range(len(c)):
        alone = count.harmonic_sums(c[at : at + 1], m[at : at + 1])
        assert [column[at] for column in together] == pytest.approx(
            [column[0] for column in alone], rel=1e-15
        )


def test_the_numerator_of_ap_far_down_the_list():
    # spec/ties.md, example 10: c = 1000000, n = 2, r = 2, nothing relevant before
    direct, weighted = count.harmonic_sums(ints(1_000_000), ints(2))
    assert close(direct[0] + weighted[0], 1500002 / 500001500001)
    assert close(direct[0] + weighted[0], 2.999995000009e-06, 1e-12)


@pytest.mark.parametrize("discount", ["log2", "jarvelin", "none"])
@pytest.mark.parametrize("m", [0, 1, 2, 3, 48, 4_096, 4_097, 20_000])
def test_discount_sum(m, discount):
    def term(rank):
        if discount == "none" or (discount == "jarvelin" and rank <= 2):
            return 1.0
        return 1 / math.log2(rank + 1 if discount == "log2" else rank)

    sums = count.discount_sum(ints(*BEFORE), ints(*[m] * len(BEFORE)), discount)
    for c, value in zip(BEFORE, sums, strict=True):
        assert close(value, math.fsum(term(c + j) for j in range(1, m + 1))), c


def test_discounts_of_ranks():
    assert count.discounts(ints(1, 2, 3, 7), "log2").tolist() == [1, 1 / math.log2(3), 1 / 2, 1 / 3]
    assert count.discounts(ints(1, 2, 4, 8), "jarvelin").tolist() == [1, 1, 1 / 2, 1 / 3]
    assert count.discounts(ints(1, 2, 9), "none").tolist() == [1, 1, 1]


def exact_chance(n, r, m, h):
    return Fraction(math.comb(r, h) * math.comb(n - r, m - h), math.comb(n, m))


@examples(100)
@given(data=st.data(), entries=st.integers(1, 4))
def test_hypergeometric_against_fractions(data, entries):
    drawn = []
    for _ in range(entries):
        n = data.draw(st.integers(1, 40))
        drawn.append((n, data.draw(st.integers(1, n)), data.draw(st.integers(1, n))))
    owner, h, chance = count.hypergeometric(*(ints(*column) for column in zip(*drawn, strict=True)))
    support = [
        (at, hits) for at, (n, r, m) in enumerate(drawn) for hits in range(max(0, m - n + r), min(r, m) + 1)
    ]
    assert list(zip(owner.tolist(), h.tolist(), strict=True)) == support
    for (at, hits), one in zip(support, chance, strict=True):
        assert close(one, float(exact_chance(*drawn[at], hits)))


@pytest.mark.parametrize(("n", "r", "m"), [(300, 150, 10), (2_000, 1_000, 1_000), (20_000, 30, 10_000)])
def test_hypergeometric_of_wide_ties(n, r, m):
    _, h, chance = count.hypergeometric(ints(n), ints(r), ints(m))
    assert close(chance.sum(), 1.0)
    for hits, one in zip(h.tolist(), chance.tolist(), strict=True):
        right = float(exact_chance(n, r, m, hits))
        assert close(one, right) or right < 1e-30


def test_hypergeometric_of_many_ties_is_that_of_each():
    many = 20_000
    alone = count.hypergeometric(ints(30), ints(3), ints(5))[2]
    together = count.hypergeometric(*(np.full(many, value) for value in (30, 3, 5)))[2]
    assert np.array_equal(together.reshape(many, -1), np.tile(alone, (many, 1)))


@examples(100)
@given(data=st.data())
def test_the_chance_of_a_hit_against_fractions(data):
    n = data.draw(st.integers(1, 60))
    r, m = data.draw(st.integers(1, n)), data.draw(st.integers(0, n))
    [value] = count.hit_chance(ints(n), ints(r), ints(m))
    assert close(value, float(1 - exact_chance(n, r, m, 0)))


@each_row(("r", "m"), [(1, 1), (2, 3), (1, 999_999), (20, 1_000), (1_000, 20)])
def test_the_chance_of_a_hit_in_a_very_long_tie(r, m):
    n = 1_000_000
    [value] = count.hit_chance(ints(n), ints(r), ints(m))
    assert close(value, float(1 - exact_chance(n, r, m, 0)))


def exact_reciprocal(c, n, r, m):
    total, chance = Fraction(0), Fraction(r, n)
    for j in range(1, min(m, n - r + 1) + 1):
        total += chance / (c + j)
        chance *= Fraction(n - r - j + 1, max(n - j, 1))
    return total


@examples(100)
@given(data=st.data(), c=st.integers(0, 10**6))
def test_the_expected_reciprocal_against_fractions(data, c):
    n = data.draw(st.integers(1, 80))
    r, m = data.draw(st.integers(1, n)), data.draw(st.integers(0, n))
    [value] = count.expected_reciprocal(ints(c), ints(n), ints(r), ints(m))
    assert close(value, float(exact_reciprocal(c, n, r, m)), 1e-13)


def test_the_expected_reciprocal_of_a_whole_list_of_ties():
    # c = 0 and m = n: r / (n - r + 1) · (1/r + … + 1/n)
    n, r = 5_000, 7
    [value] = count.expected_reciprocal(ints(0), ints(n), ints(r), ints(n))
    assert close(value, r / (n - r + 1) * math.fsum(1 / j for j in range(r, n + 1)), 1e-12)


entry = st.integers(1, 60).flatmap(
    lambda n: st.tuples(st.integers(0, 1_000), st.just(n), st.integers(1, n), st.integers(0, n))
)


@examples(100)
@given(entries=st.lists(entry, min_size=1, max_size=12))
def test_kernel_and_twin_of_the_expected_reciprocal(entries):
    columns = [ints(*column) for column in zip(*entries, strict=True)]
    with forced("twin"):
        twin = count.expected_reciprocal(*columns)
    with forced("kernel"):
        kernel = count.expected_reciprocal(*columns)
    assert twin.tobytes() == kernel.tobytes()


def test_nothing_is_tied():
    none = ints()
    for sums in (
        count.harmonic_sums(none, none),
        [count.discount_sum(none, none, "log2")],
        [count.expected_reciprocal(none, none, none, none)],
        [count.hit_chance(none, none, none)],
        count.hypergeometric(none, none, none),
    ):
        assert [len(column) for column in sums] == [0] * len(sums)
