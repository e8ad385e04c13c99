"""Laws of rows with a label and a score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steelyard.engine.scored import Scored
from steelyard.kernels import forced
from steelyard.metrics import (
    AUC,
    COPC,
    ECE,
    GAUC,
    KS,
    MCE,
    NE,
    PRAUC,
    RIG,
    Brier,
    Calibration,
    LogLoss,
    RowMetric,
    by_name,
)

from ..examples import examples
from .drawn import same

RANKS = [
    AUC(),
    AUC(max_fpr=0.3),
    AUC(max_fpr=0.3, partial="raw"),
    GAUC(),
    GAUC(weight="pairs", single_class="half"),
    GAUC(weight="clicks"),
    GAUC(weight="uniform", single_class="zero"),
    PRAUC(),
    PRAUC(rule="trapezoid"),
    PRAUC(rule="trapezoid_first"),
    PRAUC(rule="davis"),
    KS(),
]
CHANCES = [
    LogLoss(),
    LogLoss(base="2", clip=1e-3),
    NE(),
    NE(base_rate=0.2),
    RIG(),
    Brier(),
    Calibration(),
    COPC(),
    ECE(),
    ECE(bins=3),
    ECE(bins=4, binning="width"),
    MCE(),
    MCE(bins=4, binning="width"),
]
OTHERS = [cls() for cls in by_name().values() if issubclass(cls, RowMetric)]
OTHERS = [metric for metric in OTHERS if metric not in RANKS + CHANCES]
EVERY = pytest.mark.parametrize("metric", RANKS + CHANCES + OTHERS, ids=str)
RANK = pytest.mark.parametrize("metric", RANKS, ids=str)

# few values, so that many are tied
row = st.tuples(st.integers(0, 1), st.sampled_from([k / 16 for k in range(17)]), st.integers(0, 3))
tables = st.lists(row, min_size=1, max_size=40)
finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
floats = st.lists(st.tuples(st.integers(0, 1), finite), min_size=1, max_size=40)
masked = st.lists(st.tuples(st.integers(0, 1), finite | st.just(-np.inf)), min_size=1, max_size=40)


def columns(rows):
    label, score, group = (list(column) for column in zip(*rows, strict=True))
    return np.array(label), np.array(score), np.array(group)


def of(metric, label, score, group, weights=None):
    groups = group if metric.needs_groups else None
    return metric.of(predictions=score, truth=label, groups=groups, weights=weights)


@examples(200)
@given(rows=floats)
def test_auc_of_the_scores_turned_round_is_the_rest(rows):
    label, score = np.array([y for y, _ in rows]), np.array([s for _, s in rows])
    assume(0 < label.sum() < len(label))
    for kind in (np.float32, np.float64):
        assert same(
            AUC().of(predictions=score.astype(kind), truth=label)
            + AUC().of(predictions=-score.astype(kind), truth=label),
            1,
        )
        weights = np.arange(1, len(label) + 1)
        turned = AUC().of(predictions=-score.astype(kind), truth=label, weights=weights)
        assert same(AUC().of(predictions=score.astype(kind), truth=label, weights=weights) + turned, 1)


@examples(100)
@given(rows=masked)
def test_auc_of_the_labels_turned_round_is_the_rest(rows):
    label, score = np.array([y for y, _ in rows]), np.array([s for _, s in rows])
    assume(0 < label.sum() < len(label))
    assert same(AUC().of(predictions=score, truth=label) + AUC().of(predictions=score, truth=1 - label), 1)


@RANK
@pytest.mark.parametrize("weighted", [False, True])
@examples(30)
@given(rows=tables)
def test_a_rising_transform_changes_no_rank_metric(metric, weighted, rows):
    label, score, group = columns(rows)
    weights = np.arange(len(label)) % 3 + 1 if weighted else None
    before = of(metric, label, score, group, weights)
    for moved in (
        score * 2 - 5,
        np.exp(score),
        score**3 - 7,
        np.log(score + 0.001),
        score.astype(np.float32),
    ):
        assert np.array_equal(before, of(metric, label, moved, group, weights), equal_nan=True)


@EVERY
@examples(40)
@given(rows=tables, data=st.data())
def test_a_whole_weight_is_as_many_copies(metric, rows, data):
    label, score, group = columns(rows)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(label), max_size=len(label))))
    copies = [np.repeat(column, weights) for column in (label, score, group)]
    assert same(of(metric, label, score, group, weights), of(metric, *copies))


@EVERY
@examples(40)
@given(rows=tables, data=st.data())
def test_a_weight_of_0_is_no_row(metric, rows, data):
    label, score, group = columns(rows)
    size = st.lists(st.sampled_from([0, 0.3, 1.7]), min_size=len(label), max_size=len(label))
    weights = np.array(data.draw(size))
    kept = weights > 0
    left = of(metric, label[kept], score[kept], group[kept], weights[kept])
    assert same(of(metric, label, score, group, weights), left)


def test_a_weight_of_0_is_no_row_where_an_error_costs_infinity():
    metric = LogLoss(clip=None)
    assert metric.of([0.0, 0.5], [1, 0], weights=[0, 1]) == metric.of([0.5], [0])


@EVERY
@examples(30)
@given(rows=tables, by=st.sampled_from([0.125, 2, 1024]))
def test_only_the_proportions_of_weights_count(metric, rows, by):
    label, score, group = columns(rows)
    weights = np.arange(len(label)) % 3 + 1.0
    assert same(of(metric, label, score, group, weights), of(metric, label, score, group, weights * by))


@examples(100)
@given(rows=tables, weight=st.sampled_from(["impressions", "clicks", "pairs", "uniform"]))
def test_gauc_of_one_group_is_auc(rows, weight):
    label, score, _ = columns(rows)
    for side in ("kernel", "twin"):
        with forced(side):
            ours = GAUC(weight=weight).of(predictions=score, truth=label, groups=np.full(len(label), "all"))
            assert same(ours, AUC().of(predictions=score, truth=label))


@examples(100)
@given(rows=tables)
def test_ne_of_the_base_rate_is_1(rows):
    label, _, _ = columns(rows)
    assume(0 < label.sum() < len(label))
    assert same(NE().of(predictions=np.full(len(label), label.mean()), truth=label), 1)
    assert same(RIG().of(predictions=np.full(len(label), label.mean()), truth=label), 0)
    for rate in (0.1, 0.5):
        assert same(NE(base_rate=rate).of(predictions=np.full(len(label), rate), truth=label), 1)
    weights = np.arange(1, len(label) + 1)
    rate = np.average(label, weights=weights)
    assert same(NE().of(predictions=np.full(len(label), rate), truth=label, weights=weights), 1)


@examples(100)
@given(rows=tables)
def test_rig_is_what_ne_leaves(rows):
    label, score, _ = columns(rows)
    assert same(RIG().of(predictions=score, truth=label), 1 - NE().of(predictions=score, truth=label))


@examples(100)
@given(rows=tables, weighted=st.booleans())
def test_calibration_times_copc_is_1(rows, weighted):
    label, score, _ = columns(rows)
    assume(label.sum() > 0 and score.sum() > 0)
    weights = np.arange(1, len(label) + 1) if weighted else None
    calibration, copc = (
        metric.of(predictions=score, truth=label, weights=weights) for metric in (Calibration(), COPC())
    )
    assert same(calibration * copc, 1)


@examples(100)
@given(rows=tables, binning=st.sampled_from(["mass", "width"]), weighted=st.booleans())
def test_ece_with_one_bin_is_the_absolute_bias(rows, binning, weighted):
    label, score, _ = columns(rows)
    weights = np.arange(1, len(label) + 1) if weighted else np.ones(len(label))
    bias = abs(np.average(label, weights=weights) - np.average(score, weights=weights))
    for metric in (ECE(bins=1, binning=binning), MCE(bins=1, binning=binning)):
        assert same(metric.of(predictions=score, truth=label, weights=weights), bias)


@examples(100)
@given(rows=tables, bins=st.integers(1, 20), binning=st.sampled_from(["mass", "width"]))
def test_the_worst_bin_is_no_better_than_the_mean_of_bins(rows, bins, binning):
    label, score, _ = columns(rows)
    ece, mce = (cls(bins=bins, binning=binning).of(predictions=score, truth=label) for cls in (ECE, MCE))
    bias = abs(label.mean() - score.mean())
    assert bias - 1e-12 <= ece <= mce + 1e-12


@EVERY
@examples(30)
@given(rows=tables, data=st.data())
def test_the_order_of_rows_does_not_matter(metric, rows, data):
    other = data.draw(st.permutations(rows))
    assert same(of(metric, *columns(rows)), of(metric, *columns(other)))


@pytest.mark.parametrize("side", ["kernel", "twin"])
@pytest.mark.parametrize(
    "metric",
    [AUC(), *(GAUC(weight=w) for w in ("impressions", "clicks", "pairs", "uniform"))],
    ids=str,
)
@examples(60)
@given(rows=tables, data=st.data())
def test_the_order_of_rows_does_not_change_a_bit_of_pairs(side, metric, rows, data):
    other = data.draw(st.permutations(rows))
    with forced(side):
        values = [np.float64(of(metric, *columns(some))).tobytes() for some in (rows, other)]
    assert values[0] == values[1]


@pytest.mark.parametrize("metric", [AUC(), GAUC()], ids=str)
def test_the_same_for_many_rows(metric):
    random = np.random.default_rng(1)
    n = 70_000
    label, score = random.integers(0, 2, n), random.random(n, dtype=np.float32).round(3)
    group = random.integers(0, 900, n)
    order = random.permutation(n)
    values = set()
    for side in ("kernel", "twin"):
        with forced(side):
            values |= {
                of(metric, label, score, group),
                of(metric, label[order], score[order], group[order]),
            }
    assert len(values) == 1


def test_a_light_slice_keeps_its_digits_beside_a_heavy_one():
    label, score = np.array([1, 0, 1, 0], np.uint8), np.array([0.9, 0.1, 0.4, 0.6])
    light = np.array([0.3, 0.2, 0.7, 0.1])
    for metric in (AUC(), PRAUC(), KS(), ECE(bins=2), AUC(max_fpr=0.5)):
        both = Scored.of(
            np.tile(label, 2),
            np.tile(score, 2),
            weight=np.concatenate([light * 1e18, light]),
            segment=np.repeat([0, 1], 4),
            n_segments=2,
        )
        heavy, found = metric.measure(both)
        assert same(found, metric.of(predictions=score, truth=label, weights=light))
        assert same(heavy, found)
        assert not math.isnan(found)
