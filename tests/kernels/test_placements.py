"""Weighted pairs, and what each row stands on the right side of: against comparing every two rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.arrays import read_only
from steelyard.engine.scored import Scored
from steelyard.kernels import choose, forced
from steelyard.kernels.concordance import cell_pairs, concordance, placements
from steelyard.kernels.means import class_sums, segment_sum

from ..examples import examples

KINDS = pytest.mark.parametrize("kind", [np.float32, np.float64])
SIDES = pytest.mark.parametrize("side", ["kernel", "twin"])
SCORES = [0.0, -0.0, 0.5, 0.25, 1.0, -1.0, 1e-30, -1e-30, 3e38, -3e38, math.inf, -math.inf, 1e-45]
WEIGHTS = [0.0, 0.25, 0.5, 1.0, 3.0, 1024.0]  # their sums and products are exact
rows = st.lists(st.tuples(st.sampled_from(SCORES), st.integers(0, 1), st.sampled_from(WEIGHTS)), max_size=50)


def by_hand(score, label, segment, weight):
    """For every row the weight of the other class on its right side, by comparing it with every other."""
    found = []
    for s, y, own in zip(score, label, segment, strict=True):
        over = 0.0
        for t, z, other, w in zip(score, label, segment, weight, strict=True):
            if other == own and z != y:
                over += w if (t < s if y else t > s) else w / 2 if t == s else 0.0
        found.append(over)
    return found


def pairs_by_hand(score, label, segment, weight, n):
    placed = by_hand(score, label, segment, weight)
    columns = list(zip(label, segment, weight, placed, strict=True))
    twice = [sum(2 * w * over for y, own, w, over in columns if y and own == at) for at in range(n)]
    positives, negatives = (
        [sum(w for y, own, w, _ in columns if y == side and own == at) for at in range(n)] for side in (1, 0)
    )
    return twice, positives, negatives


@KINDS
@examples(120)
@given(segments=st.lists(rows, min_size=1, max_size=4), weighted=st.booleans(), data=st.data())
def test_every_row_against_every_other(kind, segments, weighted, data):
    segment = np.repeat(np.arange(len(segments)), [len(one) for one in segments])
    flat = [row for one in segments for row in one]
    score = np.array([score for score, _, _ in flat], kind)
    label = np.array([label for _, label, _ in flat], np.uint8)
    weight = np.array([weight for _, _, weight in flat], np.float64)
    order = np.array(data.draw(st.permutations(range(len(score)))), np.int64)
    score, label, segment, weight = score[order], label[order], segment[order], weight[order]
    told = weight if weighted else np.ones(len(score))
    expected = pairs_by_hand(score, label, segment, told, len(segments))
    given_weight = weight if weighted else None
    for side in ("twin", "kernel"):
        with forced(side):
            placed = placements(score, label, segment, len(segments), given_weight)
            pairs = concordance(score, label, segment, len(segments), given_weight)
        assert placed.placement.tolist() == by_hand(score, label, segment, told)
        assert tuple(part.tolist() for part in pairs) == expected
        assert tuple(part.tolist() for part in placed.pairs) == expected


@KINDS
@SIDES
@examples(80)
@given(rows=rows, weighted=st.booleans())
def test_all_rows_as_one_segment(kind, side, rows, weighted):
    score, label = np.array([row[0] for row in rows], kind), np.array([row[1] for row in rows], np.uint8)
    weight = np.array([row[2] for row in rows], np.float64) if weighted else None
    with forced(side):
        placed = placements(score, label, weight=weight)
    told = np.ones(len(rows)) if weight is None else weight
    assert placed.placement.tolist() == by_hand(score, label, np.zeros(len(rows)), told)


def by_search(score, label, weight):
    """The same by looking up each row among the sorted ones of the other class; whole weights are exact."""
    found = np.zeros(len(score))
    for side, right in ((1, False), (0, True)):
        others = label != side
        order = np.argsort(score[others], kind="stable")
        ordered = score[others][order]
        running = np.concatenate(([0], np.cumsum(weight[others][order])))
        mine = score[~others]
        below, up_to = (running[np.searchsorted(ordered, mine, which)] for which in ("left", "right"))
        found[~others] = (2 * running[-1] - below - up_to if right else below + up_to) / 2
    return found


@KINDS
@SIDES
@pytest.mark.parametrize("n", [39, 40, 41, 80, 600, 4096, 4097, 9000, 20_000])
@pytest.mark.parametrize("decimals", [1, 3, 15])
@pytest.mark.parametrize("share", [0.5, 0.01])
def test_every_way_to_place(kind, side, n, decimals, share):
    """Pair by pair, or sorted by insertion, by 8 bits or by 11; in bins of the score or without."""
    random = np.random.default_rng(n)
    score = random.normal(size=2 * n).round(decimals).astype(kind)
    score[::97], score[5::89] = math.inf, -math.inf
    label = (random.random(2 * n) < share).astype(np.uint8)
    weight = random.integers(0, 1000, 2 * n).astype(np.float64)
    segment = np.repeat([0, 2, 3], [n // 2, n - n // 2, n])
    for told in (None, weight):
        own = np.ones(2 * n) if told is None else told
        with forced(side):
            apart, whole = placements(score, label, segment, 5, told), placements(score, label, weight=told)
        assert np.array_equal(whole.placement, by_search(score, label, own))
        for at in range(5):
            here = segment == at
            assert np.array_equal(apart.placement[here], by_search(score[here], label[here], own[here]))
            doubled = 2 * (own * apart.placement)[here & (label == 1)].sum()
            assert apart.pairs.twice[at] == doubled == 2 * (own * apart.placement)[here & (label == 0)].sum()
            assert apart.pairs.positives[at] == own[here & (label == 1)].sum()
            assert apart.pairs.negatives[at] == own[here & (label == 0)].sum()


@KINDS
@pytest.mark.parametrize("n_segments", [1, 2, 40, 20_000])
def test_same_bytes_on_one_processor_and_on_two(kind, n_segments, monkeypatch):
    random = np.random.default_rng(n_segments)
    n = 100_000
    score, weight = random.normal(size=n).round(3).astype(kind), random.lognormal(size=n)
    label = random.integers(0, 2, n).astype(np.uint8)
    segments = (None, 1) if n_segments == 1 else (random.integers(0, n_segments, n), n_segments)
    code = random.integers(0, 500, n)
    found = []
    for cores in (1, 2, 5):
        monkeypatch.setattr(choose.os, "cpu_count", lambda cores=cores: cores)
        with forced("kernel"):
            pairs, placement = placements(score, label, *segments, weight)
            alone = concordance(score, label, *segments, weight)
            cells = cell_pairs(
                score, label, *segments, weight, segments[0] if n_segments > 1 else code, 20_000
            )
        found.append([part.tobytes() for part in (*pairs, placement, *alone, *cells[1:])])
    assert found[0] == found[1] == found[2]
    assert found[0][:3] == found[0][4:7]


@SIDES
@pytest.mark.parametrize("n_segments", [1, 7, 3_000])
def test_any_order_of_rows_agrees(side, n_segments):
    random = np.random.default_rng(n_segments)
    n = 60_000
    score, weight = random.normal(size=n).round(2), random.lognormal(0, 3, n) * (random.random(n) < 0.9)
    label = (random.random(n) < 0.3).astype(np.uint8)
    segment = random.integers(0, n_segments, n)
    order = random.permutation(n)
    made = [
        Scored.of(label[at], score[at], weight=weight[at], segment=segment[at], n_segments=n_segments)
        for at in (np.arange(n), order, np.flatnonzero(weight > 0))
    ]
    with forced(side):
        one, other, without = (scored.auc for scored in made)
        placed, moved = made[0].placed.placement, made[1].placed.placement
    np.testing.assert_allclose(other, one, rtol=0, atol=1e-12)
    np.testing.assert_allclose(without, one, rtol=0, atol=1e-12)  # rows of weight 0 are no rows
    total = made[0].total()[segment]
    np.testing.assert_allclose(moved / total[order], (placed / total)[order], rtol=0, atol=1e-12)


@pytest.mark.parametrize("decimals", [0, 6])
def test_very_many_equal_weights_lose_no_digits(decimals):
    """Added up one by one, 0.1 two million times is off by 3e-11 of the sum."""
    random = np.random.default_rng(1)
    n = 2_000_000
    score = random.normal(size=n).round(decimals)
    label = (random.random(n) < 1 / (1 + np.exp(-score))).astype(np.uint8)
    with forced("kernel"):
        counts, weights = concordance(score, label), concordance(score, label, weight=np.full(n, 0.1))
    exact = Fraction(int(counts.twice[0]), 2 * int(counts.positives[0]) * int(counts.negatives[0]))
    share = weights.twice[0] / (2 * weights.positives[0] * weights.negatives[0])
    assert abs(share - float(exact)) < 1e-14


@SIDES
@pytest.mark.parametrize("segments", [(), (np.zeros(4, np.int64), 1)], ids=["all", "segment"])
@pytest.mark.parametrize("of_positives", [1e-60, 1.0, 1e60])
@pytest.mark.parametrize("of_negatives", [1e-60, 1.0, 1e60])
def test_weights_of_any_size(side, segments, of_positives, of_negatives):
    """Of the four pairs of equal weight two are in order and one is tied."""
    label = np.array([1, 1, 0, 0], np.uint8)
    weight = np.array([of_positives, of_positives, of_negatives, of_negatives])
    told = segments or (None, 1)
    with forced(side):
        for pairs in (
            concordance(np.array([3.0, 1.0, 1.0, 2.0]), label, *told, weight),
            placements(np.array([3.0, 1.0, 1.0, 2.0]), label, *told, weight).pairs,
        ):
            assert (pairs.twice / (2 * pairs.positives * pairs.negatives)).tolist() == [2.5 / 4]
        scored = Scored.of(label, np.array([3.0, 1.0, 1.0, 2.0]), weight=weight)
        assert scored.auc.tolist() == [2.5 / 4]
        users = Scored.of(
            label,
            np.array([3.0, 1.0, 1.0, 2.0]),
            weight=weight,
            group=np.array([0, 1, 0, 1]),
            n_groups=2,
        )
        assert users.by_group[0].auc.tolist() == [1.0, 0.0]


@SIDES
def test_one_class_alone_has_nothing_on_either_side(side):
    score, weight = np.array([0.3, 0.3, 0.1]), np.array([1.0, 2.0, 4.0])
    for one in (0, 1):
        label = np.full(3, one, np.uint8)
        with forced(side):
            pairs, placement = placements(score, label, weight=weight)
            assert np.isnan(Scored.of(label, score, weight=weight).auc).all()
        assert placement.tolist() == [0.0, 0.0, 0.0]
        assert pairs.twice.tolist() == [0.0]
        assert (pairs.positives.tolist(), pairs.negatives.tolist()) == ([7.0 * one], [7.0 * (1 - one)])


@SIDES
@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("weight", [None, np.zeros(0)])
def test_no_rows(side, n, weight):
    none = np.zeros(0), np.zeros(0, np.uint8)
    with forced(side):
        pairs, placement = placements(*none, np.zeros(0, np.int64), n, weight)
    assert all(part.tolist() == [0] * n for part in pairs)
    assert placement.tolist() == []


@SIDES
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_segments", [1, 3])
def test_rows_are_the_same_whatever_is_asked_of_them_first(side, weighted, n_segments):
    random = np.random.default_rng(1)
    n = 5_000
    fields = {
        "weight": random.lognormal(size=n) if weighted else None,
        "segment": None if n_segments == 1 else random.integers(0, n_segments, n),
        "n_segments": n_segments,
        "group": random.integers(0, 400, n),
        "n_groups": 400,
    }
    label, score = random.integers(0, 2, n).astype(np.uint8), random.normal(size=n).round(2)
    first, second = (Scored.of(label, score, **fields) for _ in range(2))
    with forced(side):
        for one, other in ((first, second), (first.by_group[0], second.by_group[0])):
            placement, auc = one.placed.placement, one.auc
            assert other.auc.tobytes() == auc.tobytes()
            assert other.placed.placement.tobytes() == placement.tobytes()
            for name in ("positives", "negatives", "rows"):
                assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
            with pytest.raises(ValueError, match="read-only"):
                placement[0] = 1


@SIDES
def test_worked_example(side):
    """Rows of four users; 5 positives and 5 negatives, 19 of 25 pairs, ties counting half."""
    label = np.array([1, 0, 0, 1, 0, 1, 1, 0, 0, 1], np.uint8)
    score = np.array([0.9, 0.4, 0.5, 0.5, 0.2, 0.7, 0.3, 0.6, 0.1, 0.5])
    user = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3])
    rows = Scored.of(label, score, group=user, n_groups=4)
    with forced(side):
        # positives .9 and .7 stand above all five; .5 above .4 .2 .1 and beside .5, twice; .3 above .2 .1
        assert rows.placed.placement[label == 1].tolist() == [5.0, 3.5, 5.0, 2.0, 3.5]
        # above .4 stand .9 .5 .7 .5; above .5 .9 .7, beside it .5 .5; above .2 and .1 all; above .6 .9 .7
        assert rows.placed.placement[label == 0].tolist() == [4.0, 3.0, 5.0, 2.0, 5.0]
        assert rows.auc.tolist() == [19 / 25]
        inner, _ = rows.by_group
        assert inner.placed.placement.tolist() == [2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
        assert inner.auc.tolist() == [1.0, 1.0, 0.5, 1.0]


@KINDS
@SIDES
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_segments", [1, 3, 400])
def test_what_cells_outdo_together_is_the_sum_over_their_rows(kind, side, weighted, n_segments):
    random = np.random.default_rng(7)
    n, n_units = 3000, 17
    score = random.integers(0, 200, n).astype(kind) / 8
    label = random.integers(0, 2, n).astype(np.uint8)
    segment = random.integers(0, n_segments, n)
    weight = random.integers(0, 4, n) / 2 if weighted else None
    code = segment * n_units + random.integers(0, n_units, n)
    cells = n_segments * n_units
    with forced(side):
        placed = placements(score, label, segment, n_segments, weight)
        found = cell_pairs(score, label, segment, n_segments, weight, code, cells)
    of_row = np.ones(n) if weight is None else weight
    for here, by, count in (
        (1, found.by_positives, found.positives),
        (0, found.by_negatives, found.negatives),
    ):
        mine = label == here
        np.testing.assert_array_equal(count, np.bincount(code[mine], of_row[mine], minlength=cells))
        outdone = np.bincount(code[mine], (of_row * placed.placement)[mine], minlength=cells)
        np.testing.assert_allclose(by, outdone, rtol=1e-13)
    for one, other in zip(found.pairs, placed.pairs, strict=True):
        np.testing.assert_array_equal(one, other)


def test_cells_of_no_rows_outdo_nothing():
    nothing = np.zeros(0)
    with forced("kernel"):
        found = cell_pairs(nothing, np.zeros(0, np.uint8), None, 1, None, np.zeros(0, np.int64), 2)
    assert found.by_positives.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n", [5_000, 100_000], ids=["at once", "in parts"])
def test_sums_of_segments_are_added_in_the_order_of_rows(n):
    """The same bits as one by one, whatever is read-only and whatever is no float."""
    random = np.random.default_rng(1)
    weight, label = random.lognormal(0, 9, n), random.integers(0, 2, n).astype(np.uint8)
    segment = read_only(random.integers(0, 30, n))
    sides = class_sums(weight, label, segment, 31)
    whole, positives = segment_sum(read_only(weight), segment, 31), segment_sum(label == 1, segment, 31)
    for at in range(31):
        for side in (0, 1, None):
            mine, total = (segment == at) & (label == side if side is not None else True), 0.0
            for one in weight[mine].tolist():
                total += one
            assert total == (whole if side is None else sides[side])[at]
        assert positives[at] == np.count_nonzero(label[segment == at])
