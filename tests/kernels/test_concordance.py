"""Pairs of positives and negatives: kernel and twin agree bit for bit, and with counting one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kernels import forced
from steelyard.kernels.concordance import concordance
from steelyard.kernels.means import log_loss_sum
from steelyard.kernels.rows import ordered_bits, prefix_counts

from ..examples import examples

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
    """Scores, labels, segments and how many; 0.0 and -0.0 are one score, whichever comes."""
    segment = np.repeat(np.arange(len(segments)), [len(one) for one in segments])
    score = np.array([score for one in segments for score, _ in one], kind)
    label = np.array([label for one in segments for _, label in one], np.uint8)
    return score, label, segment, len(segments)


def twice_by_hand(segment, kind):
    above = [kind(score) for score, label in segment if label]
    below = [kind(score) for score, label in segment if not label]
    return sum(2 if p > n else 1 if p == n else 0 for p in above for n in below), len(above), len(below)


@KINDS
@examples(150)
@given(segments=st.lists(rows, min_size=1, max_size=5), data=st.data())
def test_pairs_of_each_segment(kind, segments, data):
    score, label, segment, n = columns(segments, kind)
    order = np.array(data.draw(st.permutations(range(len(score)))), np.int64)
    found = both(concordance, score[order], label[order], segment[order], n)
    by_hand = [twice_by_hand(one, kind) for one in segments]
    assert list(zip(*(part.tolist() for part in found), strict=True)) == by_hand


@KINDS
@examples(150)
@given(segment=rows)
def test_pairs_of_all_rows(kind, segment):
    score, label, _, _ = columns([segment], kind)
    found = both(concordance, score, label)
    assert [part.tolist() for part in found] == [[count] for count in twice_by_hand(segment, kind)]


@KINDS
@pytest.mark.parametrize("n", [39, 40, 41, 79, 80, 600, 4096, 4097, 4098, 9000, 20_000])
@pytest.mark.parametrize("decimals", [1, 3, 15])
@pytest.mark.parametrize("share", [0.5, 0.3, 0.001])
def test_every_way_to_count(kind, n, decimals, share):
    """Pair by pair, or sorted by insertion, by 8 bits or by 11, each side in its own way."""
    random = np.random.default_rng(n)
    score = random.normal(size=2 * n).round(decimals).astype(kind) + kind(0)
    score[::97], score[5::89] = math.inf, -math.inf
    label = (random.random(2 * n) < share).astype(np.uint8)
    segment = np.repeat([0, 2, 3], [n // 2, n - n // 2, n])
    found = both(concordance, score, label, segment, 5)
    assert list(zip(*found, strict=True)) == [by_search(score, label, segment == at) for at in range(5)]
    (whole,) = zip(*both(concordance, score, label), strict=True)
    assert whole == by_search(score, label, slice(None))


def by_search(score, label, kept):
    p, q = (np.sort(score[kept][label[kept] == side]) for side in (1, 0))
    return np.searchsorted(q, p, "left").sum() + np.searchsorted(q, p, "right").sum(), len(p), len(q)


@KINDS
@pytest.mark.parametrize("n_segments", [1, 2, 511, 512, 513, 1023, 1025, 5_000, 100_000])
@pytest.mark.parametrize("order", ["drawn", "rising", "falling"])
def test_any_number_of_segments_in_any_order(kind, n_segments, order):
    random = np.random.default_rng(n_segments)
    segment = random.integers(0, n_segments, 20_000) ** 2 // max(n_segments - 1, 1)
    segment = {"drawn": segment, "rising": np.sort(segment), "falling": np.sort(segment)[::-1]}[order]
    score = random.normal(size=len(segment)).astype(kind)
    label = random.integers(0, 2, len(segment)).astype(np.uint8)
    twice, positives, negatives = both(concordance, score, label, segment, n_segments)
    assert twice.sum() <= 2 * (positives * negatives).sum()
    for at in np.unique(segment)[:3]:
        found = (twice[at], positives[at], negatives[at])
        assert found == by_search(score, label, segment == at)


@KINDS
@pytest.mark.parametrize(
    "ends",
    [
        (),
        (-math.inf, math.inf),
        (-1e30, 0.0),
        (-1.0, 4.0),
        (-1e-30, 1.0),
        (-1e9, 0.5, 0.6),
        (5e-324, 1e-300),
    ],
)
def test_however_wide_the_scores_lie(kind, ends):
    """Bins of the score are made from its lowest to its highest bits."""
    random = np.random.default_rng(1)
    score = np.concatenate([0.5 + 1e-6 * random.normal(size=5_000), ends]).astype(kind)
    label = random.integers(0, 2, len(score)).astype(np.uint8)
    (found,) = zip(*both(concordance, score, label), strict=True)
    assert found == by_search(score, label, slice(None))


@KINDS
@pytest.mark.parametrize("lowest", [-30, -6, -4, 0])
def test_scores_on_both_sides_of_0_however_near(kind, lowest):
    random = np.random.default_rng(1)
    size = 10.0 ** random.uniform(lowest, 1, 5_000)
    score = np.concatenate([size * random.choice([-1, 1], 5_000), [0, 0, 2**-16, -(2**-16)]]).astype(kind)
    label = random.integers(0, 2, len(score)).astype(np.uint8)
    (found,) = zip(*both(concordance, score, label), strict=True)
    assert found == by_search(score, label, slice(None))


def test_columns_of_a_matrix_and_those_not_to_be_written_to():
    random = np.random.default_rng(1)
    matrix = random.random((400, 2))
    label = random.integers(0, 2, (400, 3)).astype(np.uint8)[:, 1]
    segment = random.integers(0, 9, 800)[::2]
    copies = concordance(matrix[:, 0].copy(), label.copy(), segment.copy(), 9)
    for array in (matrix, label, segment):
        array.flags.writeable = False
    found = both(concordance, matrix[:, 0], label, segment, 9)
    assert [part.tolist() for part in found] == [part.tolist() for part in copies]


@KINDS
def test_neighbouring_scores_are_not_tied(kind):
    one = kind(1)
    score = np.array([one, np.nextafter(one, kind(2)), -one, np.nextafter(-one, kind(0))], kind)
    label = np.array([0, 1, 0, 1], np.uint8)
    twice, _, _ = both(concordance, score, label, np.array([0, 0, 1, 1]), 2)
    assert twice.tolist() == [2, 2]


def test_scores_that_float32_would_tie_stay_apart():
    score = np.array([1.0, 1.0 + 2**-52])
    twice, _, _ = both(concordance, score, np.array([1, 0], np.uint8))
    assert twice.tolist() == [0]


@KINDS
@pytest.mark.parametrize("side", ["kernel", "twin"])
@pytest.mark.parametrize("segments", [(), (np.zeros(200_000, np.int64), 1)], ids=["all", "segment"])
def test_right_beyond_the_pairs_that_32_bits_hold(kind, side, segments):
    """100,000 positives and 100,000 negatives on the same 1,000 scores: 10^10 pairs.

    Positive i scores i mod 1000 + 1, negative j scores j mod 1000. Of the 1000 x 1000 pairs of residues the
    positive stands above where j ≤ i, 1000·1001/2 times, and is tied where j = i + 1, 999 times.
    """
    n, m = 100_000, 1_000
    score = np.concatenate([np.arange(n) % m + 1, np.arange(n) % m]).astype(kind)
    label = np.repeat(np.array([1, 0], np.uint8), n)
    with forced(side):
        twice, positives, negatives = concordance(score, label, *segments)
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
        assert concordance(rising, label).twice.tolist() == [2 * n * n]
        assert concordance(-rising, label).twice.tolist() == [0]
        assert concordance(0 * rising, label).twice.tolist() == [n * n]


@KINDS
@pytest.mark.parametrize("segments", [(), (np.zeros(4, np.int64), 1)], ids=["all", "segment"])
@pytest.mark.parametrize("more", [[], [0.5, 1.0], [-1.0, 1.0]], ids=["alone", "above", "both sides"])
def test_minus_zero_is_zero(kind, segments, more):
    """Of the positives 0.0 and -0.0 against the negatives -0.0 and 0.0 all four pairs are tied: 4 in all."""
    score = np.array([0.0, -0.0, -0.0, 0.0, *more], kind)
    label = np.array([1, 1, 0, 0, *[0] * len(more)], np.uint8)
    if segments:
        segments = (np.zeros(len(score), np.int64), 1)
    above = 2 * 2 * sum(one < 0 for one in more)  # both positives stand above
    assert both(concordance, score, label, *segments)[0].tolist() == [4 + above]
    for bits in (1, 8, 16):
        positives, negatives = both(prefix_counts, score, label, bits)
        assert positives.max() == 2
        assert negatives[positives.argmax()] >= 2


@pytest.mark.parametrize("n", [0, 1, 2])
@KINDS
def test_no_rows(kind, n):
    none = np.zeros(0, kind), np.zeros(0, np.uint8)
    found = both(concordance, *none, np.zeros(0, np.int64), n)
    assert all(part.tolist() == [0] * n for part in found)
    assert all(part.tolist() == [0] for part in both(concordance, *none))


@KINDS
def test_bits_are_in_the_order_of_scores(kind):
    score = np.array(sorted({float(kind(one)) for one in SCORES}), kind) + kind(0)
    bits = ordered_bits(score)
    assert np.all(bits[1:] > bits[:-1])


@KINDS
@pytest.mark.parametrize("bits", [1, 2, 12, 16, 20])
@examples(40)
@given(segment=rows)
def test_counts_by_leading_bits(kind, bits, segment):
    score, label, _, _ = columns([segment], kind)
    positives, negatives = both(prefix_counts, score, label, bits)
    assert len(positives) == len(negatives) == 2**bits
    assert (positives.sum(), negatives.sum()) == (label.sum(), len(label) - label.sum())
    place = ordered_bits(score).astype(object)
    width = np.dtype(kind).itemsize * 8
    for code in {int(one) >> (width - bits) for one in place}:
        here = np.array([int(one) >> (width - bits) == code for one in place])
        assert positives[code] == label[here].sum()
        assert negatives[code] == here.sum() - label[here].sum()


@KINDS
@examples(40)
@given(segments=st.lists(rows, min_size=1, max_size=5))
def test_counts_of_each_segment_are_those_of_its_rows_alone(kind, segments):
    score, label, segment, n = columns(segments, kind)
    found = both(prefix_counts, score, label, 12, segment, n)
    for at in range(n):
        alone = both(prefix_counts, score[segment == at], label[segment == at], 12)
        for every, mine in zip(found, alone, strict=True):
            assert every[at << 12 : (at + 1) << 12].tolist() == mine.tolist()


probabilities = st.floats(min_value=0, max_value=1, width=32)


@KINDS
@examples(150)
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
