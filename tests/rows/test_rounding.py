"""A probability that rounding put outside of [0, 1] is no logit, and can be clipped."""

from __future__ import annotations

from math import log

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy

LABELS = [1, 0, 1]
CLIP = "these are off by rounding alone: clip them, as scores.clip(0, 1) does in NumPy, pandas and Polars"


def refused(scores, metric="logloss") -> str:
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(scores, LABELS, metric)
    return caught.value.remedy


@pytest.mark.parametrize("off", [-1e-9, 1.0000001, -1e-6, np.float32(1.0000001)])
@pytest.mark.parametrize("metric", ["logloss", "brier", "calibration", "ece", "ne"])
def test_rounding(off, metric):
    assert refused([0.5, off, 0.25], metric) == f"give probabilities; {CLIP}"


def test_logits():
    assert "logits" in refused([0.5, -3.0, 0.25])
    assert "clip" not in refused([0.5, -3.0, 0.25])


@pytest.mark.parametrize("off", [-1e-5, -0.5, 1.2])
def test_what_a_regression_gives(off):
    """Beyond rounding, and no logit: clipped, or calibrated."""
    assert "logits" not in refused([0.5, off, 0.25])
    assert "clip them" in refused([0.5, off, 0.25])
    assert "calibrate" in refused([0.5, off, 0.25])


def test_far_above_one():
    assert refused([0.5, 40.0, 0.25]) == "give probabilities"


@pytest.mark.parametrize("made", [np.array, pl.Series, pd.Series])
def test_the_remedy_works(made):
    scores = made([0.5, -1e-9, 1.0000001])
    assert CLIP in refused(scores)
    # as if they had been 0 and 1: only the first costs anything, ln 2
    assert sy.evaluate(scores.clip(0, 1), LABELS, "logloss")["logloss"] == pytest.approx(log(2) / 3)


def test_of_arrays_and_curves():
    with pytest.raises(sy.SteelyardError, match="off by rounding alone"):
        sy.metric("logloss").of(predictions=[0.5, -1e-9, 0.25], truth=LABELS)
    with pytest.raises(sy.SteelyardError, match="off by rounding alone"):
        sy.evaluate([0.5, -1e-9, 0.25], LABELS, "auc").curve("calibration")


def test_probabilities_of_classes():
    matrix = np.array([[-1e-9, 1.0, 0.0], [0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(matrix, [1, 0, 2], "logloss")
    assert caught.value.remedy.endswith("off by rounding alone, clip them: probabilities.clip(0, 1)")
    assert sy.evaluate(matrix.clip(0, 1), [1, 0, 2], "logloss")["logloss"] == pytest.approx(log(2) / 3)
