"""The calibration curve: worked by hand, against scikit-learn, ECE and SciPy, at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve

from steelyard import SteelyardError
from steelyard.metrics import ECE
from steelyard.metrics.curves import calibration, curve, scored, wilson

from ...tables import each_row
from .drawn import TOLERANCE, in_segments, random_rows, rows

BINNINGS = ["mass", "width"]


def test_weights_by_hand():
    frame = calibration(scored([0.2, 0.4, 0.9], [1, 0, 1], weights=[1, 3, 2]), bins=2, binning="width")
    assert frame.columns == [
        "bin", "low", "high", "n", "weight", "mean_score", "mean_label", "wilson_low", "wilson_high",
    ]  # fmt: skip
    assert frame.select("bin", "low", "high", "n", "weight").rows() == [
        (0, 0.0, 0.5, 2, 4.0),
        (1, 0.5, 1.0, 1, 2.0),
    ]
    assert frame["mean_score"].to_list() == pytest.approx([(0.2 + 3 * 0.4) / 4, 0.9])
    assert frame["mean_label"].to_list() == [1 / 4, 1]
    low, high = wilson(np.array([1 / 4, 1.0]), np.array([(1 + 3) ** 2 / (1 + 9), 2**2 / 2**2]))
    np.testing.assert_allclose(frame["wilson_low"], low)
    np.testing.assert_allclose(frame["wilson_high"], high)


def test_mass_never_splits_equal_scores():
    frame = calibration(scored([0.3, 0.3, 0.3, 0.8], [0, 1, 0, 1]), bins=2)
    assert frame.select("low", "high", "n").rows() == [(0.3, 0.3, 3), (0.8, 0.8, 1)]


@pytest.mark.parametrize(("binning", "strategy"), [("width", "uniform"), ("mass", "quantile")])
@pytest.mark.parametrize("bins", [1, 5, 10])
def test_agrees_with_scikit_learn(binning, strategy, bins):
    """Where no score stands on an edge: scikit-learn's bins hold their upper edge, ours the lower."""
    label, score, _ = random_rows(5_000)
    seen, said = calibration_curve(label, score, n_bins=bins, strategy=strategy)
    frame = calibration(scored(predictions=score, truth=label), bins, binning)
    np.testing.assert_allclose(frame["mean_label"], seen, atol=TOLERANCE)
    np.testing.assert_allclose(frame["mean_score"], said, atol=TOLERANCE)


@given(drawn=rows(), bins=st.integers(1, 6), binning=st.sampled_from(BINNINGS))
def test_its_gaps_are_those_of_ece(drawn, bins, binning):
    label, score, weight = drawn
    frame = calibration(scored(predictions=score, truth=label, weights=weight), bins, binning)
    wanted = ECE(bins=bins, binning=binning).of(predictions=score, truth=label, weights=weight)
    if math.isnan(wanted):
        assert frame.height == 0
        return
    gap = (frame["mean_label"] - frame["mean_score"]).abs()
    assert (gap * frame["weight"]).sum() / frame["weight"].sum() == pytest.approx(wanted, abs=TOLERANCE)
    assert frame["n"].sum() == sum(one > 0 for one in weight or [1] * len(label))
    assert (frame["wilson_low"] <= frame["mean_label"]).all()
    assert (frame["mean_label"] <= frame["wilson_high"]).all()
    assert (frame["low"] <= frame["mean_score"] + TOLERANCE).all()
    assert (frame["mean_score"] <= frame["high"] + TOLERANCE).all()
    assert frame["wilson_low"].min() >= 0
    assert frame["wilson_high"].max() <= 1


@each_row(("k", "n"), [(0, 1), (1, 1), (1, 2), (0, 20), (7, 20), (20, 20), (3, 1000)])
def test_wilson_is_that_of_scipy(k, n):
    wanted = binomtest(k, n).proportion_ci(0.95, method="wilson")
    low, high = wilson(np.array([k / n]), np.array([float(n)]))
    assert (low[0], high[0]) == pytest.approx((wanted.low, wanted.high), abs=TOLERANCE)


def test_bands_do_not_change_when_all_weights_are_scaled():
    label, score, weight = random_rows(500, weighted=True)
    one, other = (
        calibration(scored(predictions=score, truth=label, weights=weight * scale), 5) for scale in (1, 8)
    )
    np.testing.assert_allclose(one["wilson_low"], other["wilson_low"])
    plain, equal = (
        calibration(scored(predictions=score, truth=label, weights=given), 5)
        for given in (None, np.full(500, 2))
    )
    np.testing.assert_allclose(plain["wilson_high"], equal["wilson_high"])


def test_weights_are_told_in_a_note():
    assert (
        "effective sample size" in curve("calibration", scored([0.5, 0.2], [1, 0], weights=[1, 2])).notes[0]
    )
    assert curve("calibration", scored([0.5, 0.2], [1, 0])).notes == ()


def test_its_points_are_not_joined():
    found = curve("calibration", scored([0.5, 0.2], [1, 0]), bins=2)
    assert math.isnan(found.area())
    assert found.points().equals(found.frame)


def test_one_row_one_class_constant_score_no_row():
    assert calibration(scored(predictions=[1.0], truth=[1])).select(
        "n", "mean_score", "mean_label"
    ).rows() == [(1, 1, 1)]
    assert calibration(scored([0.1, 0.2], [0, 0]), bins=1)["mean_label"].to_list() == [0]
    assert calibration(scored([0.4, 0.4], [0, 1]))["mean_label"].to_list() == [1 / 2]
    assert calibration(scored(predictions=np.zeros(0), truth=np.zeros(0, np.uint8))).height == 0
    assert (
        curve("calibration", scored([0.5], [0], weights=[0])).notes[0] == "calibration is undefined: no row."
    )


def test_segments_stand_apart():
    label, score, weight = random_rows(300, ties=True, weighted=True)
    segment = np.arange(300) % 3
    for binning in BINNINGS:
        frame = calibration(in_segments(label, score, weight, segment, 3), 4, binning)
        for one in range(3):
            mine = segment == one
            alone = calibration(
                scored(predictions=score[mine], truth=label[mine], weights=weight[mine]), 4, binning
            )
            for name in alone.columns:
                np.testing.assert_allclose(frame.filter(segment=one)[name], alone[name], atol=TOLERANCE)


@each_row(
    ("scores", "options", "message"),
    [
        ([0.5, 1.5], {}, "row 2: score is 1.5, and calibration needs probabilities"),
        ([-2.0, 3.0], {}, "look like logits"),
        ([0.5, 0.5], {"bins": 0}, "bins must be a whole number above 0 and at most 1000000; got 0"),
        ([0.5, 0.5], {"bins": 2.5}, "bins must be a whole number above 0 and at most 1000000; got 2.5"),
        ([0.5, 0.5], {"binning": "masse"}, "did you mean binning=mass"),
    ],
)
def test_what_it_refuses(scores, options, message):
    with pytest.raises(SteelyardError, match=message):
        calibration(scored(predictions=scores, truth=[0, 1]), **options)
