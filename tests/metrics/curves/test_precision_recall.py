"""Precision over recall: worked by hand, against scikit-learn and the metrics, at the edges."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from steelyard.engine.ranked import Hits, Ranked
from steelyard.metrics import PRAUC, PrecisionAt, RecallAt
from steelyard.metrics.curves import curve, precision_recall, precision_recall_at, scored

from .drawn import TOLERANCE, in_segments, random_rows, rows

COLUMNS = ["threshold", "recall", "precision", "base_rate"]


def test_five_rows_with_a_tie():
    # 0.9: 1 of 1; 0.7: a hit and a miss; 0.2: the last hit and a miss
    frame = precision_recall(scored([0.9, 0.7, 0.7, 0.2, 0.2], [1, 1, 0, 1, 0]))
    assert frame.columns == COLUMNS
    assert frame.rows() == [
        (0.9, 1 / 3, 1 / 1, 3 / 5),
        (0.7, 2 / 3, 2 / 3, 3 / 5),
        (0.2, 3 / 3, 3 / 5, 3 / 5),
    ]
    area = curve("precision_recall", scored([0.9, 0.7, 0.7, 0.2, 0.2], [1, 1, 0, 1, 0])).area()
    assert area == pytest.approx(1 / 3 * (1 + 2 / 3 + 3 / 5), abs=TOLERANCE)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_scikit_learn(ties, weighted):
    """Except for its last point (recall 0, precision 1), which is no threshold's."""
    label, score, weight = random_rows(5_000, ties=ties, weighted=weighted)
    precision, recall, threshold = precision_recall_curve(label, score, sample_weight=weight)
    frame = precision_recall(scored(predictions=score, truth=label, weights=weight)).reverse()
    np.testing.assert_array_equal(frame["threshold"], threshold)
    np.testing.assert_allclose(frame["precision"], precision[:-1], atol=TOLERANCE)
    np.testing.assert_allclose(frame["recall"], recall[:-1], atol=TOLERANCE)


@given(drawn=rows())
def test_its_steps_have_the_area_of_pr_auc(drawn):
    label, score, weight = drawn
    found = curve("precision_recall", scored(predictions=score, truth=label, weights=weight))
    wanted = PRAUC().of(predictions=score, truth=label, weights=weight)
    if math.isnan(wanted):
        assert found.frame.columns == COLUMNS
        assert found.frame.height == 0
        assert found.notes
        return
    assert found.area() == pytest.approx(wanted, abs=TOLERANCE)
    assert found.as_line().area() == pytest.approx(wanted, abs=TOLERANCE)
    assert found.frame["recall"][-1] == 1
    assert found.frame["recall"].is_sorted()
    assert found.frame["precision"][-1] == found.frame["base_rate"][0]


def test_large_curves_have_the_area_of_pr_auc():
    label, score, _ = random_rows(200_000)
    area = curve("precision_recall", scored(predictions=score, truth=label)).area()
    assert area == pytest.approx(PRAUC().of(predictions=score, truth=label), abs=TOLERANCE)


def test_all_positive_stays_at_1():
    assert precision_recall(scored([0.3, 0.4], [1, 1])).rows() == [(0.4, 0.5, 1, 1), (0.3, 1, 1, 1)]


def test_one_row_and_a_constant_score():
    assert precision_recall(scored([0.3], [1])).rows() == [(0.3, 1, 1, 1)]
    assert precision_recall(scored([0.3], [0])).height == 0
    assert precision_recall(scored(predictions=[0.3] * 4, truth=[1, 0, 0, 0])).rows() == [
        (0.3, 1, 1 / 4, 1 / 4)
    ]


def test_segments_stand_apart():
    label, score, _ = random_rows(200, ties=True)
    segment = np.arange(200) % 3
    found = curve("precision_recall", in_segments(label, score, None, segment, 3))
    for one in range(3):
        mine = segment == one
        assert (
            found.of(one)
            .frame.drop("segment")
            .equals(precision_recall(scored(predictions=score[mine], truth=label[mine])))
        )
        assert found.of(one).as_line().frame["recall"][0] == 0


GRADES = st.lists(st.lists(st.integers(0, 2), max_size=8), min_size=1, max_size=5)


def measured(metric, ranked, weights):
    return float(metric.measure(replace(ranked, weight=weights))[0])


@given(grades=GRADES, rel=st.sampled_from([1.0, 2.0]), weighted=st.booleans())
def test_at_every_k_the_means_of_precision_and_recall(grades, rel, weighted):
    ranked = Ranked.of_lists([*grades, []], [*grades, [1, 2]])
    weights = np.arange(ranked.n_queries, dtype=float) if weighted else None
    frame = precision_recall_at(ranked, rel, weights=weights)
    assert frame["k"].to_list() == list(range(1, max(map(len, grades)) + 1))
    for k, recall, precision in frame.rows():
        assert recall == pytest.approx(measured(RecallAt(k=k, rel=rel), ranked, weights), abs=TOLERANCE)
        assert precision == pytest.approx(measured(PrecisionAt(k=k, rel=rel), ranked, weights), abs=TOLERANCE)


def test_at_every_k_where_ties_stand_open():
    # a tie of three with one relevant item, then one relevant item alone; a second list of one
    hits = Hits(
        query=np.array([0, 0, 1]), grade=np.ones(3), before=np.array([0, 3, 0]), tied=np.array([3, 1, 2])
    )
    ranked = Ranked(
        queries=pl.Series("query", ["a", "b"]),
        retrieved=np.array([5, 2]),
        hits=hits,
        judged=np.array([2, 1]),
        judged_query=np.array([0, 0, 1]),
        judged_grade=np.ones(3),
        max_grade=1.0,
        expected=True,
    )
    frame = precision_recall_at(ranked)
    first = np.array([1 / 3, 2 / 3, 1, 2, 2])
    second = np.array([1 / 2, 1, 1, 1, 1])
    np.testing.assert_allclose(frame["recall"], (first / 2 + second) / 2, atol=TOLERANCE)
    np.testing.assert_allclose(frame["precision"], (first + second) / [1, 2, 3, 4, 5] / 2, atol=TOLERANCE)


def test_nothing_relevant_is_empty_with_a_note():
    found = curve("precision_recall_at", Ranked.of_lists([[0, 0], [0]]))
    assert found.frame.columns == ["k", "recall", "precision"]
    assert found.frame.height == 0
    assert found.notes == ("precision_recall_at is undefined: no query has a relevant item.",)
