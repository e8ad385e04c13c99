"""Where scores lie, by label."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import SteelyardError
from steelyard.engine.scored import Scored
from steelyard.metrics.curves import curve, score_histogram, scored

from .drawn import in_segments, random_rows, rows

SCALE = ["linear", "log10"]


def of_scale(frame, scale):
    return frame.filter(pl.col("scale") == scale).drop("scale")


def test_probabilities_by_hand():
    frame = score_histogram(scored([0.0, 0.01, 0.1, 1.0], [0, 0, 1, 1]), bins=2)
    assert frame.columns == ["scale", "bin", "low", "high", "positives", "negatives"]
    assert of_scale(frame, "linear").rows() == [(0, 0.0, 0.5, 1, 2), (1, 0.5, 1.0, 1, 0)]
    # from 10^-2 to 10^0, the middle at 10^-1; the zero stands in the first bin
    assert of_scale(frame, "log10").rows() == [(0, 0.0, 0.1, 0, 2), (1, 0.1, 1.0, 2, 0)]


def test_log10_is_for_probabilities_alone():
    assert score_histogram(scored([-0.5, 0.5], [0, 1]))["scale"].unique().to_list() == ["linear"]
    assert score_histogram(scored([0.5, 1.5], [0, 1]))["scale"].unique().to_list() == ["linear"]
    assert score_histogram(scored(predictions=[0.0, 0.0], truth=[0, 1])).rows() == [
        ("linear", 0, 0.0, 0.0, 1.0, 1.0)
    ]


@given(drawn=rows(), bins=st.integers(1, 9))
def test_nothing_is_lost_and_bins_meet(drawn, bins):
    label, score, weight = drawn
    state = scored(predictions=score, truth=label, weights=weight)
    frame = score_histogram(state, bins)
    for scale in frame["scale"].unique():
        part = of_scale(frame, scale)
        assert part["positives"].sum() == pytest.approx(state.positives[0])
        assert part["negatives"].sum() == pytest.approx(state.negatives[0])
        assert part["low"][1:].to_list() == part["high"][:-1].to_list()
        assert part["bin"].to_list() == list(range(part.height))


@pytest.mark.parametrize("bins", [1, 7, 50])
def test_linear_bins_agree_with_numpy(bins):
    label, score, weight = random_rows(5_000, weighted=True)
    frame = of_scale(score_histogram(scored(predictions=score, truth=label, weights=weight), bins), "linear")
    for name, mine in (("positives", label), ("negatives", ~label)):
        counts, edges = np.histogram(
            score[mine], bins, range=(score.min(), score.max()), weights=weight[mine]
        )
        np.testing.assert_allclose(frame[name], counts, atol=1e-9)
        np.testing.assert_allclose(frame["low"], edges[:-1], atol=1e-12)


def test_infinite_and_huge_scores():
    """Single precision may make an infinity of what was none."""
    ends = Scored.of(np.array([0, 1, 0, 1], np.uint8), np.array([-np.inf, 0.0, 10.0, np.inf]))
    frame = score_histogram(ends, bins=2)
    assert frame.rows() == [("linear", 0, -np.inf, 5.0, 1, 1), ("linear", 1, 5.0, np.inf, 1, 1)]
    huge = score_histogram(scored(predictions=[-1.7e308, 1.7e308], truth=[0, 1]), bins=2)
    assert huge["negatives"].to_list() == [1, 0]
    ends = Scored.of(np.array([0, 1], np.uint8), np.array([-np.inf, np.inf]))
    assert score_histogram(ends).select("low", "high").rows() == [(-np.inf, np.inf)]


def test_one_row_a_constant_score_no_row():
    assert of_scale(score_histogram(scored([0.3], [1])), "linear").rows() == [(0, 0.3, 0.3, 1, 0)]
    assert of_scale(score_histogram(scored(predictions=[7.0, 7.0], truth=[1, 0])), "linear").rows() == [
        (0, 7, 7, 1, 1)
    ]
    assert score_histogram(scored(predictions=np.zeros(0), truth=np.zeros(0, np.uint8))).height == 0
    assert curve("score_histogram", scored([0.5], [0], weights=[0])).notes


def test_segments_share_their_bins():
    label, score, _ = random_rows(300)
    segment = np.arange(300) % 3
    frame = score_histogram(in_segments(label, score, None, segment, 3), 5)
    whole = score_histogram(scored(predictions=score, truth=label), 5)
    assert frame.columns == ["segment", *whole.columns]
    summed = frame.group_by("scale", "bin", "low", "high", maintain_order=True).agg(
        pl.col("positives", "negatives").sum()
    )
    assert summed.equals(whole)


@pytest.mark.parametrize("wrong", [True, 0, 10**9, 2**70])
def test_bins_are_a_whole_number(wrong):
    with pytest.raises(SteelyardError, match=f"a whole number above 0 and at most 1000000; got {wrong}"):
        score_histogram(scored([0.3], [1]), bins=wrong)
