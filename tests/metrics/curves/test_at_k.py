"""A metric at every cutoff is the metric at each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import SteelyardError
from steelyard.engine.ranked import Ranked
from steelyard.metrics import AUC, MAP, MRR, NDCG, HitRate, PrecisionAt, RecallAt, RPrecision
from steelyard.metrics.curves import curve, metric_at_k

from ...examples import examples

METRICS = [
    NDCG(),
    NDCG(gain="exp2", ideal="full", k=3),
    MAP(denominator="achievable", k=1),
    MRR(empty="skip"),
    HitRate(pooling="pooled"),
    PrecisionAt(k=7, denominator="retrieved"),
    RecallAt(rel=2, mean="median"),
]
LISTS = [[0, 2, 1, 0, 1], [1, 0], [0, 0, 0], []]


@pytest.mark.parametrize("metric", METRICS, ids=str)
@examples(20)
@given(lists=st.lists(st.lists(st.integers(0, 2), max_size=6), min_size=1, max_size=4))
def test_equals_the_metric_at_each_k(metric, lists):
    frame = metric_at_k(metric, Ranked.of_lists(lists))
    assert frame["k"].to_list() == list(range(1, max(map(len, lists)) + 1))
    for k, value, n, undefined in frame.rows():
        wanted = metric.replace(k=k).of(lists)
        assert value == wanted or (math.isnan(value) and math.isnan(wanted))
        assert n + undefined == len(lists)


def test_counts_and_given_cutoffs():
    frame = metric_at_k(RecallAt(), Ranked.of_lists(LISTS), ks=[2, 100])
    # relevant items: 3, 1, none, none
    assert frame.rows() == [(2, (1 / 3 + 1) / 2, 2, 2), (100, 1.0, 2, 2)]
    assert metric_at_k(RecallAt(), Ranked.of_lists(LISTS), ks=[]).height == 0


def test_weights_of_queries():
    frame = metric_at_k(RecallAt(), Ranked.of_lists(LISTS), ks=[2], weights=np.array([3.0, 1.0, 1.0, 0.0]))
    assert frame.rows() == [(2, pytest.approx((3 * (1 / 3) + 1) / 4), 2, 1)]


def test_as_a_curve():
    found = curve(NDCG(gain="exp2", k=5), Ranked.of_lists(LISTS), ks=[1, 2])
    assert (found.name, found.x, found.y) == ("ndcg(gain=exp2)@k", "k", "value")
    assert curve(PrecisionAt(), Ranked.of_lists(LISTS)).name == "precision@k"
    assert curve(MRR(), Ranked.of_lists(LISTS)).name == "mrr@k"


@pytest.mark.parametrize(
    ("metric", "ks", "message"),
    [
        (RPrecision(), None, "'r_precision' takes no cutoff"),
        (AUC(), None, "is not a metric"),
        (NDCG(), [0], "k must be a whole number above 0"),
    ],
)
def test_what_it_refuses(metric, ks, message):
    with pytest.raises(SteelyardError, match=message):
        metric_at_k(metric, Ranked.of_lists(LISTS), ks)
