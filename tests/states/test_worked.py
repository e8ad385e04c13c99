"""States worked out by hand, and what does not fit into one machine's rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from steelyard.messages.errors import MetricError
from steelyard.metrics import AUC, GAUC, MAE, NE, R2, RMSE, Brier, Calibration, LogLoss
from steelyard.states import GroupTable, Rated, Reduced, Scored, ScoreTable, Sums, Term
from steelyard.states.twofold import Twofold, segment_sums


def rows(label, score, **fields):
    return Scored.of(np.array(label, np.uint8), np.array(score), **fields)


def test_a_score_table_of_two_parts():
    table = ScoreTable.of(rows([1, 0], [0.5, 0.5])).merge(ScoreTable.of(rows([1, 0, 0], [0.9, 0.5, 0.1])))
    assert table.score.tolist() == [0.1, 0.5, 0.9]
    assert table.positives.tolist() == [0, 1, 1]
    assert table.negatives.tolist() == [1, 2, 0]
    # of six pairs, 0.9 wins three, 0.5 wins one and ties two
    assert table.auc.tolist() == [(3 + 1 + 2 / 2) / 6]


def test_a_group_that_lies_in_two_parts():
    one = rows([1, 1], [0.9, 0.2], group=np.array([4, 6]), n_groups=7)
    two = rows([0, 0, 0], [0.5, 0.5, 0.1], group=np.array([4, 6, 5]), n_groups=7)
    table = GroupTable.of(one).merge(GroupTable.of(two))
    assert table.group.tolist() == [4, 5, 6]
    assert table.rows.tolist() == [2, 1, 2]
    merged = Reduced.of(one, groups=True).merge(Reduced.of(two, groups=True))
    # group 4 is in order, group 6 is not, group 5 has one class only
    assert GAUC(weight="uniform").measure(merged).tolist() == [(1 + 0) / 2]


def test_sums_of_two_parts():
    terms = [*LogLoss().terms, *Brier.terms, *Calibration.terms]
    one, two = (Reduced.of(part, terms) for part in (rows([1], [0.8]), rows([0, 0], [0.4, 0.0])))
    merged = one.merge(two)
    assert merged.rows.tolist() == [3]
    assert merged.total().tolist() == [3]
    loss = -(math.log(0.8) + math.log(0.6)) / 3
    assert LogLoss().measure(merged)[0] == pytest.approx(loss, rel=1e-15)
    assert Brier().measure(merged)[0] == pytest.approx((0.2**2 + 0.4**2) / 3, rel=1e-15)
    assert Calibration().measure(merged)[0] == pytest.approx((0.8 + 0.4) / 1, rel=1e-15)
    base = -(math.log(1 / 3) + 2 * math.log(2 / 3)) / 3
    assert NE().measure(merged)[0] == pytest.approx(loss / base, rel=1e-15)


def test_r2_of_ratings_far_from_0():
    far = 2.0**50
    parts = [
        Rated.of(np.array(truth) + far, np.array(said) + far)
        for truth, said in (([1.0], [1.0]), ([2.0, 3.0], [3.0, 3.0]))
    ]
    merged = Reduced.merged([Reduced.of(part, R2.terms) for part in parts])
    assert R2().measure(merged).tolist() == [1 - (0 + 1 + 0) / (1 + 0 + 1)]


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_ratings_whose_squares_are_beyond_numbers(size):
    """Misses of 0, 1 and 2 sizes; the truth 1, 2, 3 lies 1, 0 and 1 from its mean."""
    parts = [
        Rated.of(np.array(truth) * size, np.array(said) * size)
        for truth, said in (([1.0], [1.0]), ([2.0, 3.0], [3.0, 5.0]))
    ]
    merged = Reduced.merged([Reduced.of(part, [*RMSE.terms, *MAE.terms]) for part in parts])
    merged = Reduced.from_bytes(merged.to_bytes())
    assert RMSE().measure(merged)[0] == pytest.approx(math.sqrt(5 / 3) * size, rel=1e-14)
    assert MAE().measure(merged)[0] == pytest.approx(size, rel=1e-14)
    assert R2().measure(merged)[0] == pytest.approx(1 - 5 / 2, rel=1e-14)


def test_slices_meet_by_their_codes():
    one = rows([1, 0], [0.9, 0.1], segment=np.array([2, 2]), n_segments=3)
    two = rows([1, 0, 1], [0.9, 0.1, 0.1], segment=np.array([0, 2, 4]), n_segments=6)
    merged = Reduced.merged(Reduced.of(part, scores=True) for part in (one, two))
    assert merged.rows.tolist() == [1, 0, 3, 0, 1, 0]
    assert merged.positives.tolist() == [1, 0, 1, 0, 1, 0]
    assert merged.segment.tolist() == [0, 2, 4]
    np.testing.assert_array_equal(AUC().measure(merged), [np.nan, np.nan, 1, np.nan, np.nan, np.nan])


@pytest.mark.parametrize("million", [1, 10**3, 10**5])
def test_pairs_beyond_int64_are_counted_exactly(million):
    """Two parts of up to 100 billion rows each, known by their counts only."""
    n = million * 10**6
    counts = np.array([n + 1, 0, n // 3, 1]), np.array([1, n - 1, n // 7, n + 5])

    def table(positives, negatives):
        return ScoreTable(
            owner=np.array([0, 0, 0, 0, 1, 1]),
            score=np.array([0.1, 0.2, 0.3, 0.4, 0.1, 0.2]),
            positives=np.append(positives, [1, 0]).astype(float),
            negatives=np.append(negatives, [0, 3]).astype(float),
            n_segments=2,
            counted=True,
        )

    whole = table(*counts).merge(table(*counts[::-1])).auc
    positives = negatives = [int(one + other) for one, other in zip(*counts, strict=True)]
    twice = sum(p * (2 * sum(negatives[:at]) + negatives[at]) for at, p in enumerate(positives))
    pairs = sum(positives) * sum(negatives)
    assert whole[0] == float(twice) / (2 * float(pairs))
    assert whole[0] == pytest.approx(float(Fraction(twice, 2 * pairs)), rel=1e-15)
    assert whole[1] == 0


def test_single_precision_keeps_its_ties_and_its_differences():
    near = np.float32(0.1)
    table = ScoreTable.of(rows([1, 0], np.array([0.1, 0.1], np.float32)))
    assert table.merge(table).score.tolist() == [float(near)]
    beside = table.merge(ScoreTable.of(rows([0], np.nextafter(np.array([near]), np.float32(1)))))
    assert len(beside.score) == 2
    zeros = ScoreTable.of(rows([1], [-0.0])).merge(ScoreTable.of(rows([0], [0.0])))
    assert zeros.auc.tolist() == [0.5]


def test_what_float_sums_lose_is_kept():
    values = np.array([1.0, 1e-16, 1e-16, -1.0, 1e16, 3.0])
    code = np.array([0, 0, 0, 0, 1, 1])
    assert segment_sums(values, code, 2).value.tolist() == [2e-16, 1e16 + 4]
    assert segment_sums(values, code, 2).rest.tolist()[1] == -1
    ten = Twofold(np.array([0.1]), np.zeros(1))
    total = Twofold(np.zeros(1), np.zeros(1))
    for _ in range(10):
        total = total + ten
    exact = 10 * Fraction(0.1)
    assert Fraction(total.value[0]) + Fraction(total.rest[0]) == exact


@pytest.mark.parametrize("values", [[np.inf, 1.0], [1e308, 1e308], [1e308, 1.0]])
def test_beside_the_endless_nothing_is_lost(values):
    both = segment_sums(np.array([*values, 0.5]), np.array([0, 0, 1]), 2)
    with np.errstate(over="ignore"):
        assert both.value.tolist() == [np.sum(values), 0.5]
        assert (both + both).value.tolist() == [2 * np.sum(values), 1.0]


def test_what_was_not_reduced_cannot_be_read():
    reduced = Reduced.of(rows([1, 0], [0.9, 0.1]), [Term("thing", lambda one: one.score)])
    for metric, missing in ((AUC(), "score table"), (GAUC(), "group table"), (Brier(), "squared miss")):
        with pytest.raises(
            MetricError, match=f"does not hold '{missing}.*'negatives', .*'thing' and 'weight'"
        ):
            metric.measure(reduced)
    with pytest.raises(MetricError, match="does not hold 'spread of the truth'"):
        _ = reduced.spread


def test_parts_for_different_metrics_do_not_merge():
    part = rows([1, 0], [0.9, 0.1])
    with pytest.raises(MetricError, match="one part holds 'negatives', .* another .*'squared miss"):
        Sums.of(part).merge(Sums.of(part, Brier.terms))
    with pytest.raises(MetricError, match="one part holds .*'score table', another .*'weight'"):
        Reduced.of(part, scores=True).merge(Reduced.of(part))
    ratings = Rated.of(np.ones(1), np.ones(1))
    with pytest.raises(MetricError, match="one part holds"):
        Reduced.of(part).merge(Reduced.of(ratings))
