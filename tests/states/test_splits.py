"""Rows split in any way and put together in any order give what the whole gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from steelyard.metrics import (
    AUC,
    COPC,
    ECE,
    GAUC,
    KS,
    MAE,
    MCE,
    MSE,
    NE,
    PRAUC,
    R2,
    RIG,
    RMSE,
    Brier,
    Calibration,
    LogLoss,
)
from steelyard.states import Reduced

from .parts import rated, same_bits, scored, seeds, split, together

GAUCS = [
    GAUC(weight=weight, single_class=single)
    for weight in ("impressions", "clicks", "pairs", "uniform")
    for single in ("drop", "half", "zero")
]
CURVES = [
    AUC(max_fpr=0.3),
    AUC(thresholds=9),
    PRAUC(),
    PRAUC(rule="trapezoid"),
    PRAUC(thresholds=9, strict=True),
    KS(),
    ECE(bins=4),
    MCE(bins=3, binning="width"),
]
CHANCES = [
    LogLoss(),
    LogLoss(clip=1e-3, base="2"),
    LogLoss(clip=None),
    NE(),
    NE(base_rate=0.2),
    RIG(),
    Brier(),
    Calibration(),
    COPC(),
]
RATINGS = [RMSE(), MSE(), MAE(), R2()]
TERMS = [term for metric in CHANCES for term in metric.terms]


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def reduced(random, rows, terms=TERMS, **tables):
    return together(random, [Reduced.of(part, terms, **tables) for part in split(random, rows)])


@settings(max_examples=200)
@given(seed=seeds)
def test_pairs_to_the_last_bit(seed):
    random = np.random.default_rng(seed)
    rows = scored(random)
    merged = reduced(random, rows, scores=True, groups=True)
    for metric in (AUC(), *GAUCS, *CURVES):
        assert same_bits(metric.measure(merged), metric.measure(rows))


@settings(max_examples=100)
@given(seed=seeds)
def test_weighted_pairs(seed):
    random = np.random.default_rng(seed)
    rows = scored(random, weighted=True)
    merged = reduced(random, rows, scores=True, groups=True)
    for metric in (AUC(), *GAUCS, PRAUC(), KS(), ECE(bins=4, binning="width")):
        close(metric.measure(merged), metric.measure(rows))


@pytest.mark.parametrize("weighted", [False, True])
@settings(max_examples=100)
@given(seed=seeds)
def test_sums_of_chances(weighted, seed):
    random = np.random.default_rng(seed)
    rows = scored(random, weighted=weighted)
    merged = reduced(random, rows)
    for metric in CHANCES:
        close(metric.measure(merged), metric.measure(rows))
    assert merged.rows.tolist() == rows.rows.tolist()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e9, -1e13])
@settings(max_examples=50)
@given(seed=seeds)
def test_sums_of_ratings(offset, weighted, seed):
    random = np.random.default_rng(seed)
    rows = rated(random, weighted=weighted, offset=offset)
    merged = reduced(random, rows, [term for metric in RATINGS for term in metric.terms])
    for metric in RATINGS:
        close(metric.measure(merged), metric.measure(rows))


@pytest.mark.parametrize("sizes", [[5e-324], [1e-200], [1e200], [1e300], [1e-300, 1.0, 1e300], [0.0, 1e-250]])
@settings(max_examples=20)
@given(seed=seeds)
def test_ratings_of_any_size(sizes, seed):
    """Parts that are scaled each by its own ratings still go together, slice by slice."""
    random = np.random.default_rng(seed)
    rows = rated(random, weighted=True)
    size = random.choice(sizes, rows.n_rows)
    rows = replace(rows, truth=rows.truth * size, predicted=rows.predicted * size)
    merged = reduced(random, rows, [term for metric in RATINGS for term in metric.terms])
    for metric in RATINGS:
        close(metric.measure(merged), metric.measure(rows))


def test_parts_of_one_row_each():
    random = np.random.default_rng(3)
    rows = rated(random, n=3000, offset=1e12, weighted=True)
    merged = together(random, [Reduced.of(part, RMSE.terms) for part in split(random, rows, 9000)])
    for metric in (RMSE(), MSE(), R2()):
        close(metric.measure(merged), metric.measure(rows))


def test_a_light_slice_beside_a_heavy_one_keeps_its_digits():
    random = np.random.default_rng(4)
    rows = rated(random, n=400)
    heavy = np.where(rows.segment == 0, 1e18, 1.0)
    merged = reduced(random, replace(rows, weight=heavy), RMSE.terms)
    for metric in (RMSE(), R2()):
        close(metric.measure(merged), metric.measure(rows))


def test_sums_do_not_depend_on_the_split_in_any_digit_that_shows():
    random = np.random.default_rng(5)
    rows = scored(random, n=20_000, weighted=True)
    values = {
        Brier()
        .measure(together(random, [Reduced.of(part, Brier.terms) for part in split(random, rows, n)]))
        .tobytes()
        for n in (1, 2, 7, 300)
    }
    assert len(values) == 1


def test_the_order_of_the_group_numbers_that_parts_share_may_be_another():
    random = np.random.default_rng(6)
    rows = scored(random, n=500)
    ids = random.permutation(1000)[: rows.n_groups] - 500
    merged = together(random, [Reduced.of(part, groups=True, ids=ids) for part in split(random, rows)])
    close(GAUC().measure(merged), GAUC().measure(rows))
    assert merged.by_group()[0].n_segments == rows.by_group()[0].rows.astype(bool).sum()


def test_a_certain_error_costs_infinity_and_is_told():
    random = np.random.default_rng(7)
    rows = scored(random, n=40)
    score, label = rows.score.copy(), rows.label.copy()
    score[:2], label[:2] = (0, 1), (1, 0)
    rows = replace(rows, score=score, label=label)
    metric = LogLoss(clip=None)
    merged = reduced(random, rows)
    close(metric.measure(merged), metric.measure(rows))
    assert metric.facts(merged) == ["Some rows were certain and wrong: logloss(clip=none) is infinite."]
    assert LogLoss().facts(merged) == []
