"""Pairs of positives and negatives: kernel and twin agree bit for bit, and with counting one by one."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.kernels import forced
from steelyard.kernels.concordance import concordance, log_loss_sum, ordered_bits, prefix_counts

KINDS = pytest.mark.parametrize("kind", [np.float32, np.float64])
SCORES = [0.0, -0.0, 0.5, 0.25, 1.0, -1.0, -0.5, 1e-30, -1e-30, 3e38, -3e38, math.inf, -math.inf, 1e-45]
rows = st.lists(st.tuples(st.sampled_from(SCORES), st.integers(0, 1)), max_size=60)


def both(function, *arguments):
    """The result of kernel and twin, once they are known to agree."""
    with forced("twin"):
        twin = function(*arguments)
    with forced("kernel"):
        kernel = function(*arguments)
    for one, other in zip(twin, kernel, strict=True):
        assert one.dtype == other.dtype == np.int64
        assert one.tobytes() == other.tobytes()
    return twin


def columns(segments, kind):
    """Offsets, scores and labels as the states give them: -0.0 is 0.0 by then."""
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in segments]))).astype(np.int64)
    score = np.array([score for one in segments for score, _ in one], kind) + kind(0)
    label = np.array([label for one in segments for _, label in one], np.uint8)
    return offsets, score, label


def twice_by_hand(segment, kind):
    above = [kind(score) for score, label in segment if label]
    below = [kind(score) for score, label in segment if not label]
    return sum(2 if p > n else 1 if p == n else 0 for p in above for n in below), len(above), len(below)


@KINDS
@settings(max_examples=150)
@given(segments=st.lists(rows, min_size=1, max_size=5))
def test_pairs_of_each_segment(kind, segments):
    found = both(concordance, *columns(segments, kind))
    by_hand = [twice_by_hand(segment, kind) for segment in segments]
    assert list(zip(*(part.tolist() for part in found), strict=True)) == by_hand


@KINDS
@pytest.mark.parametrize("n", [39, 40, 41, 79, 80, 4096, 4097, 4098, 9000, 20_000])
@pytest.mark.parametrize("decimals", [1, 3, 15])
def test_every_way_to_sort(kind, n, decimals):
    """By insertion, by 8 bits and by 11 bits, each side in its own way."""
    random = np.random.default_rng(n)
    score = random.normal(size=2 * n).round(decimals).astype(kind)
    score[::97], score[5::89] = math.inf, -math.inf
    label = (random.random(2 * n) < 0.3).astype(np.uint8)
    offsets = np.array([0, n // 2, n // 2, n, 2 * n])
    twice, positives, negatives = both(concordance, offsets, score + kind(0), label)
    for at, (low, high) in enumerate(pairwise(offsets)):
        p, q = (np.sort(score[low:high][label[low:high] == side]) for side in (1, 0))
        assert (positives[at], negatives[at]) == (len(p), len(q))
        by_search = np.searchsorted(q, p, "left").sum() + np.searchsorted(q, p, "right").sum()
        assert twice[at] == by_search


@KINDS
def test_neighbouring_scores_are_not_tied(kind):
    one = kind(1)
    score = np.array([one, np.nextafter(one, kind(2)), -one, np.nextafter(-one, kind(0))], kind)
    label = np.array([0, 1, 0, 1], np.uint8)
    twice, _, _ = both(concordance, np.array([0, 2, 4]), score, label)
    assert twice.tolist() == [2, 2]


def test_scores_that_float32_would_tie_stay_apart():
    score = np.array([1.0, 1.0 + 2**-52])
    twice, _, _ = both(concordance, np.array([0, 2]), score, np.array([1, 0], np.uint8))
    assert twice.tolist() == [0]


@KINDS
@pytest.mark.parametrize("side", ["kernel", "twin"])
def test_right_beyond_the_pairs_that_32_bits_hold(kind, side):
    """100,000 positives and 100,000 negatives on the same 1,000 scores: 10^10 pairs.

    Positive i scores i mod 1000 + 1, negative j scores j mod 1000. Of the 1000 x 1000 pairs of residues the
    positive stands above where j ≤ i, 1000·1001/2 times, and is tied where j = i + 1, 999 times.
    """
    n, m = 100_000, 1_000
    score = np.concatenate([np.arange(n) % m + 1, np.arange(n) % m]).astype(kind)
    label = np.repeat(np.array([1, 0], np.uint8), n)
    with forced(side):
        twice, positives, negatives = concordance(np.array([0, 2 * n]), score, label)
    above, tied = m * (m + 1) // 2, m - 1
    assert positives.tolist() == negatives.tolist() == [n]
    assert twice.tolist() == [(n // m) ** 2 * (2 * above + tied)]
    assert twice[0] > 2**32


@pytest.mark.parametrize("side", ["kernel", "twin"])
def test_all_in_order_and_all_against_it(side):
    n = 100_000
    label = np.repeat(np.array([0, 1], np.uint8), n)
    rising = np.arange(2 * n, dtype=np.float32)
    with forced(side):
        assert concordance(np.array([0, 2 * n]), rising, label).twice.tolist() == [2 * n * n]
        assert concordance(np.array([0, 2 * n]), -rising, label).twice.tolist() == [0]
        assert concordance(np.array([0, 2 * n]), 0 * rising, label).twice.tolist() == [n * n]


@pytest.mark.parametrize("offsets", [[0], [0, 0], [0, 0, 0]])
@KINDS
def test_no_rows(kind, offsets):
    found = both(concordance, np.array(offsets), np.zeros(0, kind), np.zeros(0, np.uint8))
    assert all(part.tolist() == [0] * (len(offsets) - 1) for part in found)


@KINDS
def test_bits_are_in_the_order_of_scores(kind):
    score = np.array(sorted({float(kind(one)) for one in SCORES}), kind) + kind(0)
    bits = ordered_bits(score)
    assert np.all(bits[1:] > bits[:-1])


@KINDS
@pytest.mark.parametrize("bits", [1, 2, 12, 16, 20])
@settings(max_examples=40)
@given(segment=rows)
def test_counts_by_leading_bits(kind, bits, segment):
    _, score, label = columns([segment], kind)
    positives, negatives = both(prefix_counts, score, label, bits)
    assert len(positives) == len(negatives) == 2**bits
    assert (positives.sum(), negatives.sum()) == (label.sum(), len(label) - label.sum())
    place = ordered_bits(score).astype(object)
    width = np.dtype(kind).itemsize * 8
    for code in {int(one) >> (width - bits) for one in place}:
        here = np.array([int(one) >> (width - bits) == code for one in place])
        assert positives[code] == label[here].sum()
        assert negatives[code] == here.sum() - label[here].sum()


probabilities = st.floats(min_value=0, max_value=1, width=32)


@KINDS
@settings(max_examples=150)
@given(
    given_=st.lists(st.tuples(st.integers(0, 1), probabilities), max_size=40),
    clip=st.sampled_from([1e-15, 1e-7, 1e-38, 2.0**-52]),
)
def test_log_loss_of_products_is_that_of_terms(kind, given_, clip):
    label = np.array([one for one, _ in given_], np.uint8)
    probability = np.array([one for _, one in given_], kind)
    terms = [
        -math.log(max(float(p) if y else 1.0 - float(p), clip))
        for y, p in zip(label, probability, strict=True)
    ]
    for side in ("kernel", "twin"):
        with forced(side):
            assert math.isclose(
                log_loss_sum(label, probability, clip), math.fsum(terms), rel_tol=1e-14, abs_tol=1e-14
            )
